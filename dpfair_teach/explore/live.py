"""The live figure: ipywidgets that call the library function as a slider moves."""
from __future__ import annotations

from html import escape

__all__: list[str] = []


def has_kernel() -> bool:
    """Whether a Jupyter kernel is running this code: only then can a widget reach a front end."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return getattr(get_ipython(), "kernel", None) is not None


def widget(explorer: object) -> object:
    """A slider for each grid above one HTML picture, so that text alternatives survive and no output area is captured.

    ipywidgets tells a screen reader the position of a ``SelectionSlider``, not its value, and offers no way to change that; the sentence of
    the picture says what is shown.
    """
    import ipywidgets as widgets
    sliders = {}
    for (name, grid), (label, texts, at) in zip(explorer.sliders.items(), explorer._slider_texts(), strict=True):
        sliders[name] = widgets.SelectionSlider(options=list(zip(texts, grid, strict=True)), index=at, description=label,
                                                continuous_update=True,
                                                style={"description_width": "initial"}, layout={"width": "auto", "flex": "1 1 18em"})
    picture = widgets.HTML(explorer.still())

    def draw(_: object) -> None:
        try:
            picture.value = explorer.still(**{name: slider.value for name, slider in sliders.items()})
        except ValueError as error:     # a kernel callback has no cell to show its error in: the figure's place shows it
            picture.value = f'<p role="alert">{escape(str(error))}</p>'

    for slider in sliders.values():
        slider.observe(draw, "value")
    row = widgets.Box(list(sliders.values()), layout={"flex_flow": "row wrap", "max_width": "46rem"})
    return widgets.VBox([row, picture])
