"""Pictures show the numbers of the analyses, say their units, and stay readable: few nodes or a thousand."""

from dataclasses import replace
from itertools import combinations

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes

import senn
from senn.base.account import Section
from senn.base.errors import InputError
from senn.traces.parts import COLORS, OTHER
from senn.traces.pictures import plots, style
from senn.traces.pictures.style import EXPOSED, INK, WAIT, mixed
from senn.traces.record import SCHEMA, Trace
from senn.traces.run import Run
from tests.traces.hand_trace import DESCRIPTION, hand_run, hand_trace
from tests.traces.pictures.drawn import boxes, legend, lines, spans, title

RUNS = (plots.timeline, plots.phases, plots.overlap)
"""Pictures of a run."""


@pytest.fixture(scope="module")
def many() -> Run:
    """Two arrays of more nodes than have rows of their own."""
    return senn.run("random:64", numbers=False)


def _texts_apart(ax):
    """No two visible texts of the figure overlap, and the legend is outside the axes."""
    figure = ax.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    labels = []
    for axis in (axis for one in figure.axes for axis in (one.xaxis, one.yaxis) if axis.get_visible()):
        low, high = sorted(axis.get_view_interval())
        ticks = (tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high)
        labels += [axis.label, *(tick.label1 for tick in ticks)]
    labels += [text for one in figure.axes for text in one.texts]
    labels += [ax.get_legend().get_title(), *ax.get_legend().get_texts()]
    shown = [
        (t.get_text(), t.get_window_extent(renderer)) for t in labels if t.get_text() and t.get_visible()
    ]
    for (one, box), (other, second) in combinations(shown, 2):
        assert not box.padded(-0.5).overlaps(second.padded(-0.5)), (one, other)
    assert ax.get_legend().get_window_extent(renderer).y0 >= ax.get_window_extent(renderer).y1 - 1
    return [text for text, _ in shown]


def test_timeline_shows_every_activity_and_hop():
    """Each compute, post, hop and stall of the hand-made run is a rectangle at its cycles, in its colour."""
    ax = plots.timeline(hand_run())
    computing = [(0, 6), (0, 6), (8, 12), (8, 12), (14, 19), (20, 23)]
    assert spans(ax, COLORS[0]) == computing
    assert spans(ax, COLORS[1]) == [(0, 3), (0, 3), (4, 6), (24, 25), (30, 33), (30, 33)]
    assert spans(ax, COLORS[2]) == [(35, 39)]
    assert spans(ax, mixed(COLORS[0], -0.45)) == [(6, 7), (7, 8), (19, 20), (19, 20), (23, 24)]
    words = [(11, 14), (18, 19), (23, 24), (24, 26), (28, 30), (34, 35)]
    assert spans(ax, mixed(COLORS[0], 0.5)) == words
    assert spans(ax, mixed(COLORS[1], 0.5)) == [(8, 9)]
    startups = [(7, 11), (14, 18), (19, 23), (20, 24), (24, 28), (30, 34)]
    assert spans(ax, mixed(COLORS[0], 0.7)) == startups
    assert spans(ax, mixed(COLORS[1], 0.7)) == [(4, 8)]
    assert spans(ax, mixed(COLORS[0], 0.86)) == [(8, 14), (20, 24), (24, 30)]
    waits = [(6, 24), (12, 14), (25, 30), (33, 35)]
    (hatched,) = (patch for patch in ax.patches if patch.get_hatch())
    corners = hatched.get_path().vertices.reshape(-1, 5, 2)  # of a rectangle, closed
    assert sorted((box[0, 0], box[1, 0]) for box in corners) == [wait for wait in waits for _ in range(2)]


def test_timeline_puts_nodes_and_engines_in_rows_of_their_own():
    """Rectangles overlap only where they belong to one DMA with several channels; arrays do not mix."""
    ax = plots.timeline(hand_run())
    rows = {(round(y0, 6), round(y1, 6)) for _, _, y0, y1 in boxes(ax)}
    engines = {row for row in rows if row[1] - row[0] > 0.5}
    assert len(engines) == 2 * 2
    rows = engines | {row for row in rows if round(row[1] - row[0], 2) == 0.26}
    assert len(rows) == 2 * 2 + 3  # the words of three nodes; start-ups and queues stand there too, lower
    for (low, high), (other_low, other_high) in combinations(sorted(rows), 2):
        assert high <= other_low or other_high <= low


def test_timeline_draws_messages_on_demand():
    """One line per message, from its grant to its arrival: of all, or of the steps that a label begins.

    I.b.1 is not I.b.13; a label that sends nothing is refused.
    """

    def times(arrows):
        ax = plots.timeline(hand_run(), arrows=arrows)
        assert arrows is True or f"message of {arrows}" in legend(ax)
        return [(x0, x1) for x0, _, x1, _ in lines(ax, INK)]

    def granted(label):
        return [start for start, _ in times(label)]

    assert lines(plots.timeline(hand_run()), INK) == []
    assert times(True) == [(4, 9), (7, 14), (14, 24), (20, 26), (24, 30), (30, 35)]
    assert granted("I") == [7, 14, 20, 24, 30]
    assert granted("I.b") == [7, 14, 20, 24]
    assert granted("I.b.5") == [7]
    with pytest.raises(InputError) as refused:
        plots.timeline(hand_run(), arrows="I.b.1")
    assert str(refused.value) == (
        'arrows: no message is sent by a step that is "I.b.1" or starts with it: '
        "those that send are I.b, I.c, II.b"
    )


def test_timeline_says_when_arrays_end_and_what_is_white():
    """The last instructions end in cycles 24 and 39 (worked out by hand)."""
    ax = plots.timeline(hand_run())
    assert {(text.get_text(), text.xy[0]) for text in ax.texts} >= {("24", 24), ("39", 39)}
    names = {"stalled", "post, receive", "queue (low)", "start-up (half as high)", "words"}
    assert names | {"array has ended", "masked or idle"} <= set(legend(ax))


def test_a_part_has_a_colour_and_its_title():
    """A numeral has the colour of its number, others the next free one; parts beyond the colours are grey."""
    tables = {name: hand_trace().table(name) for name in SCHEMA}

    def entries(step, titles):
        renamed = tables["instructions"].with_columns(step)
        run = hand_run(Trace.from_tables("full", {**tables, "instructions": renamed}))
        described = replace(run, description={**run.description, "parts": titles})
        ax = plots.timeline(described)
        assert {*titles.values()} <= {name.split(": ")[-1] for name in legend(plots.phases(described))}
        return dict(zip(legend(ax), ax.get_legend().get_patches(), strict=False))

    named = entries(pl.col("step").str.replace("^III$|^III[.]", "sum."), {"sum": "the sum of all"})
    assert "Step III" not in named
    assert named["sum: the sum of all"].get_facecolor()[:3] == pytest.approx(mixed(COLORS[2], 0.0))
    assert named["Step II"].get_facecolor()[:3] == pytest.approx(mixed(COLORS[1], 0.0))
    sends = pl.col("operation") == "send"
    sent = entries(
        pl.when(sends).then(pl.lit("ship.1")).otherwise("step").alias("step"), {"ship": "it sends"}
    )
    assert "ship: it sends" in sent  # and never computes
    many = entries(pl.col("step").str.replace_all("[.]", "-"), {})
    assert many["other steps"].get_facecolor()[:3] == pytest.approx(mixed(OTHER, 0.0))


def test_timeline_of_many_nodes_stays_a_picture(many):
    """Shares of the nodes upwards, messages downwards, the levels numbered, and no text on another."""
    ax = plots.timeline(many)
    assert {"0 %", "50 %", "100 %", "1", "6", "I.b", "II.b"} <= set(_texts_apart(ax))
    assert {"Step I", "Step II", "words", "start-up", "a level begins"} <= set(legend(ax))


def test_phases_show_parts_stalls_and_communication():
    """Bands are the spans of the parts; stalls are split at the post; the lane below is the busy DMAs."""
    ax = plots.phases(hand_run())
    parts = {(0, 20), (20, 24), (0, 6), (6, 33), (33, 39)}
    assert parts <= {box[:2] for box in boxes(ax)}
    assert spans(ax, mixed(EXPOSED, 0.88)) == [(8, 24), (12, 14), (25, 30), (33, 35)]
    assert (6, 8) in spans(ax, mixed(WAIT, 0.88))
    assert spans(ax, mixed(INK, 0.4)) == [(4, 9), (7, 35)]
    texts = [text.get_text() for text in ax.texts]
    assert {"I.b", "I.c", "II.b", "II.c", "III"} <= set(texts)
    assert texts.count("1") == 3  # level 1 begins in I.b, II.b and II.c
    assert "a level begins" in legend(ax)
    coarse = plots.phases(hand_run().at_detail("instructions"))  # without messages, which takes a lane away
    assert parts <= {box[:2] for box in boxes(coarse)}
    assert spans(coarse, mixed(INK, 0.4)) == []


def test_phases_name_what_is_seen_of_them():
    """Up to cycle 20: of II.c, which takes [6, 33), the middle of [6, 20); what comes later is not named."""
    ax = plots.phases(hand_run(), stop=20)
    at = {text.get_text(): text.get_position()[0] for text in ax.texts if text.get_text() != "1"}
    assert at == pytest.approx({"I.b": 10, "II.b": 3, "II.c": 13}, abs=0.1)
    with pytest.raises(InputError, match="to cycle 0: the last drawn comes after the first"):
        plots.phases(hand_run(), stop=0)


def test_phases_name_narrow_parts_and_number_their_levels_where_these_begin():
    """Of seven links every part has its name, I.a upright; the levels of II.b are not above its long wait."""
    ax = plots.phases(senn.run("random:7", numbers=False, detail="instructions"))
    parts = {"I.a", "I.b", "I.c", "II.a", "II.b", "II.c", "II.d", "III", "IV.a", "IV.b"}
    names = {text.get_text(): text for text in ax.texts}
    assert parts <= names.keys()
    assert [names[part].get_rotation() for part in ("I.a", "I.b")] == [90, 0]
    ticks = sorted(x for line in ax.lines if line.get_marker() != "None" for x in line.get_xdata())
    spans = [text.xy[0] for text in ax.texts if text.get_text() == "1–3"]
    assert {*spans} <= {*ticks}


def test_overlap_bars_are_the_numbers_of_the_analysis():
    """Exposed, overlapped and beside of every line of the paper that sends, end to end."""
    ax = plots.overlap(hand_run())
    bars = {}
    for bar in ax.patches:
        bars.setdefault(round(bar.get_y() + bar.get_height() / 2, 6), []).append(
            (bar.get_x(), bar.get_width())
        )
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert dict(zip(names, (bars[row] for row in sorted(bars)), strict=True)) == {
        "I.b.5 sends D, array 1": [(0, 2), (2, 5), (7, 0)],
        "I.b.7 sends F, array 1": [(0, 16), (16, 0), (16, 0)],
        "I.b.13 sends A, array 1": [(0, 5), (5, 2), (7, 9)],
        "I.c.5 sends Lambda, array 1": [(0, 2), (2, 4), (6, 5)],
        "II.b.1 sends x, array 2": [(0, 0), (0, 2), (2, 3)],
    }
    said = "55 % of the cycles in flight are hidden; of those exposed 64 % are of I.b.7, array 1"
    assert title(ax) == said


def _sweep():
    levels = np.arange(1, 7)
    return pl.DataFrame(
        {
            "n": 2**levels,
            "levels": levels,
            "instructions_1": 12 * levels + 7 - 9 * (levels == 1),
            "instructions_2": 20 * levels - 3,
            "network_steps": 9 * levels + (levels == 4),
            "makespan": 5000 * levels + 100,
        }
    )


def test_scaling_draws_arrays_that_issue_the_same_once():
    """Of four arrays the last two issue the same: three laws of instructions."""
    table = _sweep().with_columns(instructions_3=pl.col("levels") * 5, instructions_4=pl.col("levels") * 5)
    entries = legend(plots.scaling(table))
    assert entries[2] == "instructions, arrays 3, 4, each: 5 M + 0 (n = 2^k, from 2 on)"
    assert len(entries) == 6  # with what is hollow


def test_scaling_says_the_laws_and_for_which_n_they_are_exact():
    """The network steps are off by one at n = 16, and have no law."""
    ax = plots.scaling(_sweep(), caption="home, mark3")
    assert ax.get_legend().get_title().get_text() == "home, mark3"
    assert legend(ax)[:4] == [
        "instructions, array 1: 12 M + 7 (n = 2^k, from 4 on)",
        "instructions, array 2: 20 M - 3 (n = 2^k, from 2 on)",
        "network steps: no law in M",
        "makespan: 5,000 M + 100 (n = 2^k, from 2 on)",
    ]
    assert title(ax) == ("Some steps are exactly linear in M; the makespan for n = 2^k, from 2 on")
    points, hollow = ax.lines[1], ax.lines[2]  # n = 2, which lacks steps, is hollow
    assert points.get_xdata().tolist() == [2, 3, 4, 5, 6]
    assert list(points.get_ydata()) == [31, 43, 55, 67, 79]
    assert (hollow.get_xdata().tolist(), list(hollow.get_ydata())) == ([1], [10])
    # Two laws as lines; the points of the steps that follow none have no line.
    assert [line.get_color() for line in ax.lines if line.get_linestyle() != "None"] == list(COLORS[:2])


def test_scaling_draws_what_is_off_a_law_hollow():
    """n = 4, before the makespan's law, and n = 9, where the machine is emptiest: seven cycles fewer."""
    emptiest = _sweep().filter(n=16).with_columns(n=9 * pl.col("n") // 16, network_steps=9 * pl.col("levels"))
    table = pl.concat([_sweep().with_columns(network_steps=9 * pl.col("levels")), emptiest])
    table = table.with_columns(makespan=pl.col("makespan") - 7 * pl.col("n").is_in([4, 9]))
    ax = plots.scaling(table)
    assert "makespan: 5,000 M + 100 (n = 2^k, from 8 on)" in legend(ax)
    assert "off the law" in legend(ax)
    assert title(ax) == ("Steps are exactly linear in M; the makespan for n = 2^k, from 8 on")
    (lower,) = (other for other in ax.figure.axes if other is not ax)
    hollow = next(line for line in lower.lines if line.get_fillstyle() == "none")
    np.testing.assert_allclose(2.0 ** hollow.get_xdata(), [2, 4, 9])


@pytest.mark.parametrize("place", [(1, 2, 2), (0.1, 0.1, 0.8, 0.8)], ids=["subplot", "free axes"])
def test_scaling_shows_the_makespan_below_the_steps(place):
    """The makespan has axes of its own in the place that was given, under the steps, with the same x axis."""
    figure = mpl.pyplot.figure()
    ax = figure.add_subplot(*place) if len(place) == 3 else figure.add_axes(place)
    before = ax.get_position()
    upper = plots.scaling(_sweep(), ax=ax)
    assert upper is ax
    (lower,) = (other for other in figure.axes if other is not ax)
    assert lower.get_position().y1 < upper.get_position().y0
    assert (lower.get_position().x0, lower.get_position().y0) == pytest.approx((before.x0, before.y0))
    assert (upper.get_position().x1, upper.get_position().y1) == pytest.approx((before.x1, before.y1))
    assert lower.get_xlim() == upper.get_xlim()
    points = next(line for line in lower.lines if line.get_marker() == "D")
    assert list(points.get_ydata()) == [5_100, 10_100, 15_100, 20_100, 25_100, 30_100]


@pytest.mark.parametrize("draw", RUNS)
def test_pictures_say_what_they_show(draw):
    """A run is named above the legend by what its description has."""

    def caption(description):
        run = Run(hand_trace(), DESCRIPTION | description, sections=lambda run: [Section(variant)])
        return draw(run).get_legend().get_title().get_text()

    program, variant = {"name": "closed chain", "n": 2}, "form paper"
    whole = {
        "program": program,
        "problem": {"name": "ssrms"},
        "allocation": {"name": "identity", "residency": "migrating"},
        "machine": {"name": "mark3", **DESCRIPTION["machine"]},
    }
    assert caption(whole) == "ssrms: closed chain, n = 2, form paper, migrating, mark3: 39 cycles"
    changed, variant = {"allocation": {"name": "gray", "residency": "home"}}, "form paper, refine 2"
    assert caption(whole | changed) == (
        "ssrms: closed chain, n = 2, form paper, refine 2, allocation gray, home, mark3: 39 cycles"
    )
    variant = ""
    assert caption({"program": {"name": "sum", "n": 2}}) == "sum, n = 2: 39 cycles"
    assert caption({}) == "run: 39 cycles"


@pytest.mark.parametrize("nodes", ["two", "many"])
def test_texts_do_not_overlap(nodes, many):
    """Axis numbers, titles, labels and legend stand apart in every picture; the time axis says cycles."""
    run = hand_run() if nodes == "two" else many
    for ax in (plots.timeline(run), plots.phases(run), plots.overlap(run)):
        assert any("cycles" in text for text in _texts_apart(ax))
    assert {"steps", "cycles"} <= set(_texts_apart(plots.scaling(_sweep())))


@pytest.mark.parametrize("draw", RUNS)
def test_letters_of_a_slide_grow_together(draw, many):
    """By half: on as many pixels from left to right a text is half as wide again, and none on another."""
    run = many if draw is plots.timeline else hand_run()
    usual = draw(run)
    with style.slides(18):
        large = draw(run)
    assert _texts_apart(large)
    for part in (Axes.get_xlabel, Axes.get_ylabel):
        assert part(large) == part(usual)
    widths = [ax.xaxis.label.get_window_extent().width for ax in (usual, large)]
    pixels = [ax.figure.bbox.width for ax in (usual, large)]
    assert widths[1] == pytest.approx(1.5 * widths[0], rel=0.03)
    assert pixels[1] == pytest.approx(pixels[0])
    with pytest.raises(InputError, match="font: 60 points; letters of a picture have 6 to 48"):
        style.slides(60).__enter__()


def test_a_figure_that_a_user_saves_has_fonts_of_publishers(tmp_path):
    """A PDF embeds TrueType programs (Type 42), an SVG has text; matplotlib's own choice is Type 3."""
    figure = plots.phases(hand_run()).figure
    figure.savefig(tmp_path / "a.pdf")
    figure.savefig(tmp_path / "a.svg")
    assert b"/FontFile2" in (tmp_path / "a.pdf").read_bytes()
    assert b"/Type3" not in (tmp_path / "a.pdf").read_bytes()
    assert "time (cycles)</text>" in (tmp_path / "a.svg").read_text()


def test_pictures_use_the_axes_given():
    """With ax given nothing else is made."""
    for draw, shown in (*((one, hand_run()) for one in RUNS), (plots.scaling, _sweep())):
        _, ax = mpl.pyplot.subplots()
        before = mpl.pyplot.get_fignums()
        assert draw(shown, ax=ax) is ax
        assert mpl.pyplot.get_fignums() == before


def test_pictures_of_nothing_and_of_too_little():
    """A run without an instruction is an empty picture of time; without messages there is no timeline."""
    for draw in (plots.timeline, plots.phases):
        draw(hand_run(Trace.from_columns("full"))).figure.canvas.draw()
    with pytest.raises(InputError, match=r"needs the hops of the run.*run again with detail 'full'"):
        plots.timeline(hand_run().at_detail("instructions"))


def test_places_shows_every_process_where_it_lives():
    """Four processes on three nodes: 3 and 4 share node 2 at home, node 1 is empty at level 1."""
    ax = plots.places([[0, 1, 2, 2], [2, 0, 2, 0]], nodes=3, caption="mine")
    found = {text.get_text(): text.get_position() for text in ax.texts if text.get_position()[1] == 0}
    assert found == {"1": (0, 0), "2": (1, 0), "3 4": (2, 0)}
    later = {text.get_text(): text.get_position()[0] for text in ax.texts if text.get_position()[1] == 1}
    assert later == {"2 4": 0, "": 1, "1 3": 2}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["home", "level 1"]
    assert (ax.get_title("left"), ax.get_xlabel()) == ("mine", "node")


# ------------------------------------------------------------------------------ many runs


def _runs(columns, scores):
    return pl.DataFrame({**columns, "makespan": scores})


def test_comparison_over_a_number_is_lines():
    """One line for each combination of the colour columns, its points in rising order of x; x is log2."""
    table = _runs(
        {"n": [64, 8, 8, 64, 16, 16], "residency": ["home", "home", "away", "away", "home", "away"]},
        [90, 10, 20, 50, 30, 25],
    )
    ax = plots.comparison(table, "n", colour=["residency"], caption="two places")
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines] == [
        ([8, 16, 64], [10, 30, 90]),
        ([8, 16, 64], [20, 25, 50]),
    ]
    assert legend(ax) == ["home", "away"]
    assert title(ax) == "Least makespan at n = 64: away, 50; most: home, 1.8 times that"
    assert ax.get_legend().get_title().get_text() == "two places"
    assert ax.get_xscale() == "log"
    assert ax.get_yscale() == "linear"
    assert ax.get_ylim()[0] == 0
    assert list(ax.get_xticks()) == [8, 16, 64]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("n", "makespan (cycles)")


def test_comparison_over_numbers_near_each_other_is_linear():
    """Also numbers that are written as texts; 0 has no logarithm."""
    ax = plots.comparison(_runs({"word": ["0", "0.5", "40"]}, [1, 2, 3]), "word")
    assert list(ax.lines[0].get_xdata()) == [0.0, 0.5, 40.0]
    assert ax.get_xscale() == "linear"
    assert ax.get_legend() is None or not legend(ax)


def test_comparison_of_machines_with_different_clocks_is_in_microseconds():
    """2,000 cycles of 10 MHz and 3,000 of 20: the second is shorter, in its stall too."""
    table = _runs({"machine": ["slow", "fast"]}, [2000, 3000]).with_columns(
        stall=pl.Series([100, 150]), microseconds=pl.Series([200.0, 150.0])
    )
    ax = plots.comparison(table, "machine")
    assert ax.get_ylabel() == "makespan (us)"
    assert [bar.get_height() for bar in ax.patches] == [200, 150]
    assert title(ax) == "Least makespan: fast, 150 us; most: slow, 1.33 times that"
    stalls = plots.comparison(table, "machine", "stall")
    assert [bar.get_height() for bar in stalls.patches] == [10, 7.5]
    one_clock = plots.comparison(table.with_columns(microseconds=pl.col("makespan") / 10), "machine")
    assert one_clock.get_ylabel() == "makespan (cycles)"


def test_comparison_over_words_is_bars():
    """Bars beside each other in the order of the table, each with its value; a run without one says so."""
    table = _runs(
        {"network": ["senn", "ring", "senn", "ring"], "form": ["paper", "paper", "short", "short"]},
        [1000, 4000, 500, None],
    )
    ax = plots.comparison(table, "network", colour=["form"])
    heights = [bar.get_height() for bar in ax.patches]
    assert heights[:3] == [1000, 4000, 500]
    assert np.isnan(heights[3])
    left = [bar.get_x() for bar in ax.patches]
    assert left[0] < left[2] < left[1] < left[3]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["senn", "ring"]
    assert [text.get_text() for text in ax.texts] == ["1,000", "4,000", "500", "none"]
    assert ax.get_legend().get_title().get_text() == "1 of 4 runs have no makespan"


def test_comparison_of_what_is_far_apart_is_points():
    """Over a factor of 30 the axis is logarithmic, and a bar would have no zero to begin at."""
    ax = plots.comparison(_runs({"machine": ["a", "b"]}, [10, 500]), "machine")
    assert ax.get_yscale() == "log"
    assert not ax.patches
    assert [list(line.get_ydata()) for line in ax.lines] == [[10, 500]]


def test_comparison_tells_two_choices_apart():
    """With two colour columns the last is the dash and the others the colour."""
    pairs = [(machine, place) for machine in "abc" for place in ("home", "away")]
    columns = {"machine": [m for m, _ in pairs] * 2, "place": [p for _, p in pairs] * 2}
    table = _runs({"n": [2] * 6 + [4] * 6, **columns}, list(range(1, 13)))
    ax = plots.comparison(table, "n", colour=["machine", "place"])
    styles = [(line.get_color(), line.get_linestyle()) for line in ax.lines]
    assert len(set(styles)) == 6
    assert all(styles[k][0] == styles[k + 1][0] for k in (0, 2, 4))
    assert len({color for color, _ in styles}) == 3
    assert [dash for _, dash in styles] == ["-", "--"] * 3


@pytest.mark.parametrize(
    ("x", "y", "colour", "message"),
    [
        ("m", "makespan", ["n"], "m is not a column; the columns are n"),
        (
            "n",
            "makespan",
            [],
            "two runs stand at n = 2 in one series: what sets them apart must be in",
        ),
        ("n", "form", ["form"], "form is not a score: the picture needs a column of numbers"),
        ("n", "stall", ["form"], "stall is not a score"),
    ],
)
def test_comparison_refuses_what_it_cannot_show(x, y, colour, message):
    """Nothing is averaged and nothing is left out in silence."""
    table = _runs({"n": [2, 2], "form": ["paper", "short"]}, [1, 2])
    with pytest.raises(InputError, match=message):
        plots.comparison(table, x, y, colour)


def test_comparison_has_at_most_so_many_series():
    table = _runs({"n": [1] * 25, "seed": list(range(25))}, [1] * 25)
    with pytest.raises(InputError, match="25 series; at most 24 can be told apart"):
        plots.comparison(table, "n", colour=["seed"])
    ax = plots.comparison(table.head(24), "n", colour=["seed"])
    assert legend(ax)[:2] == ["seed 0", "seed 1"]


def test_comparison_texts_do_not_overlap():
    """Lines over many sizes, where not every size has room for its number; bars with their values."""
    sizes = [factor * 2**k for k in range(2, 11) for factor in (2, 3)]
    lines = _runs({"n": sizes, "form": ["paper"] * len(sizes)}, [100 * size for size in sizes])
    _texts_apart(plots.comparison(lines, "n", colour=["form"], caption="over many sizes"))
    _texts_apart(plots.comparison(_runs({"form": ["paper", "short"]}, [3, 2]), "form", caption="two"))


def test_comparison_of_long_names_is_aslant():
    """What would touch if it were level (boxes of slanted texts overlap, the letters do not)."""
    names = [f"allocation number {k}" for k in range(8)]
    ax = plots.comparison(_runs({"allocation": names}, list(range(1000, 9000, 1000))), "allocation")
    assert {text.get_rotation() for text in ax.get_xticklabels()} == {30}
