"""All pictures speak with one voice: a title that says what is found, letters for a slide, quiet hatching."""

from itertools import combinations

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from matplotlib.text import Text

from senn.traces.pictures import plots, style
from senn.traces.pictures.style import legend_above, percent
from tests.traces.hand_trace import hand_run


def _sweep():
    rows = [(n, levels, 12 * levels + 7, 9 * levels, 50 * levels) for levels, n in enumerate((2, 4, 8), 1)]
    names = ("n", "levels", "instructions_1", "network_steps", "makespan")
    return pl.DataFrame(rows, schema=names, orient="row")


RUNS = pl.DataFrame({"n": [4, 8, 16], "form": ["paper"] * 3, "makespan": [10, 12, 14]})
PICTURES = {
    "timeline": lambda: plots.timeline(hand_run(), arrows=True),
    "phases": lambda: plots.phases(hand_run()),
    "overlap": lambda: plots.overlap(hand_run()),
    "scaling": lambda: plots.scaling(_sweep()),
    "comparison": lambda: plots.comparison(RUNS, "n", colour=["form"]),
    "comparison of words": lambda: plots.comparison(RUNS.head(1), "form"),
    "places": lambda: plots.places([[0, 1, 2, 2], [2, 0, 2, 0]], caption="mine"),
}


@pytest.fixture(params=PICTURES, scope="module")
def picture(request):
    """Each picture, made where matplotlib is as it comes."""
    with mpl.rc_context(mpl.rcParamsDefault):
        mpl.use("Agg")
        ax = PICTURES[request.param]()
        ax.figure.canvas.draw()
        yield ax
        mpl.pyplot.close("all")


def test_every_picture_has_a_title_and_is_made_for_a_slide(picture):
    """150 dots an inch; on a slide of 13.3 inches no letter is smaller than 11 points."""
    assert picture.get_title("left").strip()
    assert picture.figure.dpi == 150
    shown = [text for text in picture.figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    least = min(shown, key=Text.get_fontsize)
    assert least.get_fontsize() * 13.33 / picture.figure.get_figwidth() >= 11, least.get_text()


def test_every_picture_is_whole(picture):
    """Nothing is cut at an edge: all that is drawn is inside the picture."""
    drawn = picture.figure.get_tightbbox(picture.figure.canvas.get_renderer())
    width, height = picture.figure.get_size_inches()
    assert drawn.x0 >= -0.01
    assert drawn.y0 >= -0.01
    assert drawn.x1 <= width + 0.01
    assert drawn.y1 <= height + 0.01


def test_the_title_stands_above_the_legend(picture):
    """Neither covers the other."""
    if picture.get_legend() is not None:
        said = picture.get_title("left")
        (title,) = (text for text in picture.findobj(Text) if said and text.get_text() == said)
        renderer = picture.figure.canvas.get_renderer()
        legend = picture.get_legend().get_window_extent(renderer)
        assert title.get_window_extent(renderer).y0 >= legend.y1


def _of_line(line):
    color = mpl.colors.to_hex(line.get_color())
    if line.get_linestyle() != "None" and line.get_linewidth():
        yield "line", color, line.get_linestyle()
    if line.get_marker() not in ("None", None, "", " "):
        yield "marker", color, line.get_marker(), line.get_fillstyle()


def _of_faces(artist):
    """Rectangles and polygons; what is drawn pale is the colour of something else, thinned."""
    for face in np.atleast_2d(artist.get_facecolor()):
        if face[3] == 1 and tuple(face[:3]) != (1, 1, 1):
            yield "box", mpl.colors.to_hex(face), artist.get_hatch()


def _drawn(ax):
    """The marks on axes by shape and colour; lines across all of them, such as that at 1, are no marks."""
    found = set()
    for line in ax.lines:
        if line.get_transform() == ax.transData and len(line.get_xdata()):
            found |= set(_of_line(line))
    for one in [*ax.patches, *ax.collections]:
        if isinstance(one, mpl.collections.LineCollection):
            found |= {("line", mpl.colors.to_hex(one.get_color()[0]), "-")}
        else:
            found |= set(_of_faces(one))
    return {mark for mark in found if mark[1] != "#ffffff"}


def _explained(ax):
    found = set()
    for artist in ax.get_legend().findobj(mpl.lines.Line2D):
        found |= set(_of_line(artist))
    for artist in ax.get_legend().findobj(mpl.patches.Rectangle):
        found |= set(_of_faces(artist))
    return found


@pytest.mark.parametrize("name", [name for name in PICTURES if name not in ("places", "comparison of words")])
def test_the_legend_has_the_marks_that_are_drawn(name):
    """No more and no fewer, in the shapes, colours, strokes and hatching that they have."""
    ax = PICTURES[name]()
    drawn = set().union(*map(_drawn, ax.figure.axes))
    assert _explained(ax) == drawn
    mpl.pyplot.close("all")


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.038, "3.8 %"), (0.0999, "10 %"), (0.5, "50 %"), (1.0, "100 %"), (0.0, "0 %"), (2e-4, "0.02 %")],
)
def test_a_share_is_said_in_two_digits(share, said):
    assert percent(share) == said


def test_bars_made_together_are_one_mark_of_a_legend():
    """They are a tuple of rectangles, with a label of their own."""
    ax = mpl.pyplot.figure().subplots()
    bars = ax.bar([0, 1], [2, 3], label="both")
    assert [text.get_text() for text in legend_above(ax, [bars]).get_texts()] == ["both"]
    mpl.pyplot.close("all")


def test_hatching_is_quieter_than_work():
    """A stall has less ink than any step, where nothing is done it has some, however it is coloured."""

    def ink(**look):
        with style.applied():
            figure = mpl.pyplot.figure(figsize=(2, 2), dpi=100)
        figure.add_artist(mpl.patches.Rectangle((0, 0), 1, 1, **look))
        figure.canvas.draw()
        return 1 - np.asarray(figure.canvas.buffer_rgba())[:, :, :3].mean() / 255

    quiet = [ink(**style.hatched(color)) for color in (style.WAIT, style.EXPOSED)]
    loud = [ink(facecolor=style.mixed(color, 0.28), linewidth=0) for color in style.COLORS]
    assert min(quiet) > 0.01
    assert max(quiet) < 0.75 * min(loud)


def test_the_style_puts_back_what_it_changed_and_nothing_else():
    """A notebook becomes interactive while its first picture is drawn; later pictures would not be shown."""
    with mpl.rc_context({"interactive": False, "font.size": 7.0}):
        with style.applied():
            assert mpl.rcParams["font.size"] == style.SHEET["font.size"]
            mpl.rcParams["interactive"] = True
        assert mpl.rcParams["font.size"] == 7.0
        assert mpl.rcParams["interactive"]


# Deuteranopia: Viénot, Brettel and Mollon 1999, in linear sRGB.
SIGHTS = {
    "usual": np.eye(3),
    "Vienot": np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def _lab(color, sight):
    """CIELAB (D65) of what is seen of a colour."""
    coded = np.array(mpl.colors.to_rgb(color))
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    part = TO_XYZ @ np.clip(sight @ linear, 0, 1) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(part > 0.008856, np.cbrt(part), 7.787 * part + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def _nearest(colors, sight):
    return min(np.linalg.norm(_lab(a, sight) - _lab(b, sight)) for a, b in combinations(colors, 2))


@pytest.mark.parametrize("sight", SIGHTS)
def test_message_colours_are_distinguishable(sight):
    """10 in CIELAB is seen at once (2.3 just): steps by shade of work or words."""
    seen = SIGHTS[sight]
    for kind in ("compute", "post", "words", "hop"):
        colors = [style.mixed(color, style.SHADES[kind]) for color in style.COLORS]
        assert _nearest(colors, seen) > 10, kind
