"""The figures: what they draw, that they leave nothing behind, and that they refuse what they cannot draw."""
import io
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from dpfair_teach.plotting import COLORS, new_figure, pareto, quality_against_epsilon, roc_plane

ROOT = Path(__file__).resolve().parents[2]
TEN = np.array([[[2, 1], [2, 0]], [[0, 2], [1, 2]]])
CURVES = pd.DataFrame({"epsilon": [1., 1., np.inf], "violation": [.1, .2, .0], "error": [.2, .1, .3],
                       "error_low": [.19, .09, .3], "error_high": [.21, .11, .3]})
QUALITY = pd.DataFrame({"method": ["a", "a", "b"], "epsilon": [2., 1., 1.], "q": [.9, .5, .1], "q_low": [.8, .4, 0.],
                        "q_high": [.95, .6, .2]})
FIGURES = {
    "roc_plane": lambda: roc_plane(TEN, p=[[.25, 0], [1, .75]]),
    "pareto": lambda: pareto(CURVES, free_points=[[0, .3], [.3, .1]]),
    "quality_against_epsilon": lambda: quality_against_epsilon(QUALITY),
}


def luminance(color):
    """Relative luminance as WCAG 2 defines it."""
    channels = np.array(matplotlib.colors.to_rgb(color))
    linear = np.where(channels <= .04045, channels / 12.92, ((channels + .055) / 1.055) ** 2.4)
    return linear @ [.2126, .7152, .0722]


@pytest.mark.parametrize("name", FIGURES)
def test_figures_render_and_leave_no_state(name):
    before = dict(matplotlib.rcParams)
    figure = FIGURES[name]()
    assert isinstance(figure, Figure)
    png = figure._repr_png_()
    assert png.startswith(b"\x89PNG") and len(png) < 100_000
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_figure_twice_gives_the_same_bytes(name):
    assert FIGURES[name]()._repr_png_() == FIGURES[name]()._repr_png_()


def test_colours_can_be_seen_on_the_white_of_the_figure():
    """Lines need 3:1 (WCAG 1.4.11), text 4.5:1; the face is opaque white, so the page's theme does not matter."""
    for color in COLORS:
        assert 1.05 / (luminance(color) + .05) >= 3, color
    figure, ax = new_figure()
    assert matplotlib.colors.to_rgba(figure.get_facecolor()) == (1, 1, 1, 1)
    for text in (ax.xaxis.label, ax.get_xticklabels()[0]):
        assert 1.05 / (luminance(text.get_color()) + .05) >= 4.5
    pixels = matplotlib.image.imread(io.BytesIO(figure._repr_png_()))
    assert (pixels[0, 0] == 1).all()


PHONE = 343     # px that a screen of 375 leaves for a figure


@pytest.mark.parametrize("name", FIGURES)
def test_text_is_legible_on_a_phone_and_nothing_is_cut(name):
    figure = FIGURES[name]()
    figure.draw_without_rendering()
    width = figure.get_figwidth()
    texts = [text for text in figure.findobj(matplotlib.text.Text) if text.get_visible() and text.get_text()]
    assert len(texts) > 8
    for text in texts:
        assert text.get_size() / 72 / width * PHONE >= 10, text
    box = figure.get_tightbbox()    # in inches, of all that is drawn
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= figure.get_figheight(), box


def turned(color):
    """A colour under `invert(.92) hue-rotate(180deg)`, which the pages' style sheet gives to figures in the dark; (3,)."""
    red, green, blue = .92 - .84 * np.array(matplotlib.colors.to_rgb(color))
    gray = .213 * red + .715 * green + .072 * blue
    return np.clip(2 * gray - np.array([red, green, blue]), 0, 1)


def test_figures_turned_over_for_the_dark_keep_contrast_and_hue():
    sheet = (ROOT / "book" / "_static" / "custom.css").read_text(encoding="utf-8")
    assert "filter: invert(.92) hue-rotate(180deg)" in sheet
    ground = luminance(turned("white")) + .05
    for color in COLORS:
        assert (luminance(turned(color)) + .05) / ground >= 3, color
        before, after = (matplotlib.colors.rgb_to_hsv(c) for c in (matplotlib.colors.to_rgb(color), turned(color)))
        apart = abs(before[0] - after[0])
        assert before[1] == 0 or min(apart, 1 - apart) < 25 / 360, color
    _, ax = new_figure()
    for text in (ax.xaxis.label, ax.get_xticklabels()[0]):
        assert (luminance(turned(text.get_color())) + .05) / ground >= 4.5


def test_roc_plane_draws_the_parallelogram_and_the_derived_point():
    ax = roc_plane(TEN, p=[[.25, 0], [1, .75]]).axes[0]
    corners = [patch.get_xy()[:-1] for patch in ax.patches]
    np.testing.assert_allclose(corners[0][:4], [[0, 0], [0, 2 / 3], [1, 1], [1, 1 / 3]])
    np.testing.assert_allclose(corners[1][:4], [[0, 0], [1 / 3, 1], [1, 1], [2 / 3, 0]])
    landed = [line.get_xydata()[0] for line in ax.lines if len(line.get_xdata()) == 1 and line.get_markerfacecolor() != "white"]
    np.testing.assert_allclose(landed, [[.25, .75], [.25, .75]])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["group 0", "group 1"]


def test_pareto_draws_the_points_of_the_table_and_skips_missing_ones():
    table = pd.concat([CURVES, pd.DataFrame({"epsilon": [1.], "violation": [np.nan], "error": [np.nan]})], ignore_index=True)
    ax = pareto(table, free_points=[[0, .3], [.3, .1]]).axes[0]
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[.1, .2], [.2, .1]])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["epsilon = 1", "not private", "constant and base, mixed"]


def test_quality_is_drawn_in_the_order_of_epsilon():
    ax = quality_against_epsilon(QUALITY).axes[0]
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[1, .5], [2, .9]])
    assert ax.get_xscale() == "log"


def test_series_are_told_apart_without_colour():
    table = pd.DataFrame({"method": list("abcdef"), "violation": np.linspace(0, .1, 6), "error": .2})
    styles = {(str(line._dash_pattern), line.get_marker()) for line in pareto(table, by="method").axes[0].lines}
    assert len(styles) == 6


@pytest.mark.parametrize("call, name", [
    (lambda: new_figure(0), "width"), (lambda: new_figure(6, None), "height"),
    (lambda: quality_against_epsilon(QUALITY.assign(q_low=1.)), "table='q': outside its interval"),
    (lambda: roc_plane(np.ones((2, 2))), "counts"), (lambda: roc_plane(-TEN), "counts"),
    (lambda: roc_plane(TEN, p=[[2, 0], [0, 0]]), "p="), (lambda: roc_plane(TEN, p=[1]), "p="),
    (lambda: roc_plane([[[0, 1], [2, 0]], [[0, 2], [1, 2]]]), "counts"),
    (lambda: pareto([[1, 2]]), "table"), (lambda: pareto(CURVES.drop(columns="error")), "table"), (lambda: pareto(CURVES[:0]), "table"),
    (lambda: pareto(CURVES.assign(method=["a", None, "b"]), by="method"), "by='method': that column has missing"),
    (lambda: quality_against_epsilon(QUALITY.assign(method=["a", None, "b"])), "by='method': that column has missing"),
    (lambda: pareto(CURVES.assign(method=[["a"], ["b"], ["b"]]), by="method"), "by='method': that column holds more"),
    (lambda: pareto(pd.concat([CURVES, CURVES[["error"]]], axis=1)), "two columns of one name"),
    (lambda: pareto(CURVES, by=3), "by"), (lambda: pareto(CURVES, by="no"), "table"),
    (lambda: pareto(CURVES.assign(error=2.)), "error"), (lambda: pareto(CURVES, free_points=[1, 2]), "free_points"),
    (lambda: pareto(CURVES.assign(error=np.nan)), "table"), (lambda: pareto(CURVES.assign(error="x")), "error"),
    (lambda: quality_against_epsilon(QUALITY.assign(epsilon=0.)), "epsilon"),
    (lambda: quality_against_epsilon(QUALITY.assign(q=np.nan)), "'q'"),
    (lambda: quality_against_epsilon(QUALITY.drop(columns="method")), "method"), (lambda: quality_against_epsilon(None), "table"),
])
def test_bad_input(call, name):
    with pytest.raises(ValueError, match=name):
        call()
