"""The live figure: ipywidgets that call the library function as a slider moves."""
from __future__ import annotations

from html import escape
from typing import Any

__all__: list[str] = []


def has_kernel() -> bool:
    """Whether a Jupyter kernel is running this code: only then can a widget reach a front end."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return getattr(get_ipython(), "kernel", None) is not None


MOST_BESIDE = 24    # a slider whose longest value has more characters takes a row of its own


def widget(explorer: Any) -> Any:
    """A slider for each grid above one HTML picture, so that text alternatives survive and no output area is captured.

    ipywidgets cuts what stands beside a slider off at a few characters, so its value stands below it, in full, on as many lines as it
    takes. To a screen reader ipywidgets tells the position of a ``SelectionSlider``, not its value, and offers no way to change that; the
    sentence of the picture says what is shown.
    """
    import ipywidgets as widgets
    sliders, boxes = {}, []
    for (name, grid), (label, texts, at) in zip(explorer.sliders.items(), explorer._slider_texts(), strict=True):
        slider = sliders[name] = widgets.SelectionSlider(options=list(zip(texts, grid, strict=True)), index=at, description=label,
                                                         continuous_update=True, readout=False,
                                                         style={"description_width": "initial"}, layout={"width": "auto"})
        boxes.append(with_value(slider, own_row=max(map(len, texts)) > MOST_BESIDE))
    picture = widgets.HTML(explorer.still())

    def draw(_: Any) -> None:
        try:
            picture.value = explorer.still(**{name: slider.value for name, slider in sliders.items()})
        except ValueError as error:     # a kernel callback has no cell to show its error in: the figure's place shows it
            picture.value = f'<p role="alert">{escape(str(error))}</p>'

    for slider in sliders.values():
        slider.observe(draw, "value")
    row = widgets.Box(boxes, layout={"flex_flow": "row wrap", "max_width": "46rem"})
    return widgets.VBox([row, picture])


def with_value(slider: Any, own_row: bool) -> Any:
    """The slider, and below it the value at which it stands."""
    import ipywidgets as widgets
    value = widgets.HTML(bold(slider.label), layout={"width": "auto"})
    slider.observe(lambda change: setattr(value, "value", bold(change["new"])), "label")
    return widgets.VBox([slider, value], layout={"flex": f"1 1 {'100%' if own_row else '18em'}", "padding": "0 1em 0 0"})


def bold(text: str) -> str:
    return f"<b>{escape(text)}</b>"
