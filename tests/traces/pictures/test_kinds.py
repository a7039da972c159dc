"""Every kind of picture is drawn by its name, with its choices and no others."""

import inspect
from importlib import import_module

import polars as pl
import pytest
from matplotlib import pyplot

import senn
from senn.base.errors import InputError
from senn.traces.pictures import KINDS, check, plots, style
from tests.traces.hand_trace import hand_run
from tests.traces.pictures.drawn import title


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_a_function_with_its_choices(name):
    """It takes a run, axes, and what the table says; and it has a line for the help."""
    kind = KINDS[name]
    picture = getattr(import_module(f"senn.traces.pictures.{kind.module}"), kind.name)
    assert tuple(inspect.signature(picture).parameters) == ("run", "ax", *kind.choices)
    assert kind.shows


def test_a_run_draws_on_axes_that_are_given():
    """`run.plot` hands them on, with the choices."""
    ax = pyplot.figure().add_subplot()
    assert hand_run().plot("timeline", ax, arrows="I.b.5") is ax
    assert any("I.b.5" in text.get_text() for text in ax.get_legend().get_texts())
    pyplot.close("all")


@pytest.mark.parametrize(
    ("kind", "choices", "text"),
    [
        ("gantt", (), 'plot: there is no picture "gantt"; choose timeline, phases, '),
        ("moment", (), 'picture "moment" is gone: the page of senn report replays a run cycle by cycle'),
        ("phases", ("arrows",), "plot: arrows belongs to timeline; phases has start, stop"),
        ("timeline", ("colour",), "plot: there is no colour; timeline has arrows, start, stop, nodes"),
    ],
)
def test_what_is_none_is_refused(kind, choices, text):
    """One line that says what there is."""
    with pytest.raises(InputError) as refused:
        check(kind, choices)
    assert str(refused.value).startswith(text)


@pytest.fixture(scope="module")
def alone():
    """A serial program: no loop, and no message."""
    return senn.run("random:3", algorithm="forward-articulated", check=False)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("network", "network: no channel of this run carries a message; --kind timeline shows its engines"),
        ("overlap", "overlap: no message of this run is in flight; --kind timeline shows its engines"),
        ("heat", "heat: no message waits for a channel; choose another --of: sending, computing, exposed"),
        ("wavefront", "wavefront: no step of this run is in a loop, so there is no level to show"),
    ],
)
def test_an_empty_picture_is_refused(alone, kind, text):
    """A run without messages has nothing to show of them; the others are drawn."""
    with pytest.raises(InputError) as refused:
        alone.plot(kind)
    assert str(refused.value) == text


@pytest.mark.parametrize("kind", ["timeline", "phases", "critical"])
def test_pictures_of_time_have_a_window(kind):
    """From cycle 8 to 20 of the hand trace; what is outside is not counted either."""
    run = hand_run()
    ax = run.plot(kind, start=8, stop=20)
    assert ax.get_xlim() == pytest.approx((8, 20), abs=0.1)
    # Array 1 is stalled in [12, 14), array 2 in [8, 20). Node 1 computes for 9 of 12 cycles, node 0 for 4.
    # The path: D starts up to cycle 11, its words to 14; F to 18 and 19; then F again, on its second channel.
    assert (
        title(ax)
        == {
            "timeline": "Array 1 computes 54 % of the time shown, array 2 computes 0 %",
            "phases": "In cycles 8 to 20 array 1 is stalled 17 %, array 2 is stalled 100 %",
            "critical": "Of the 12 cycles: start-up 67 %, words 33 %; 2 messages in a chain, all of array 1",
        }[kind]
    )
    with pytest.raises(InputError, match="from cycle 39: the run goes from cycle 0 to 39"):
        run.plot(kind, start=39)
    with pytest.raises(InputError, match="to cycle 8: the last drawn comes after the first, 8"):
        run.plot(kind, start=8, stop=8)
    pyplot.close("all")


@pytest.mark.parametrize(
    ("nodes", "drawn", "end"),
    [(8, None, ", on 7 of 8 nodes"), (16, None, ", on 13 of 16 nodes"), (8, (0, 3), ", on 4 of 8 nodes")],
)
def test_the_title_of_a_timeline_says_what_part_of_the_machine_computes(nodes, drawn, end):
    """n = 5: nodes that are idle have no row and are not counted."""
    run = senn.run("random:5", set={"machine.nodes": nodes}, numbers=False)
    title = plots.timeline(run, nodes=drawn).get_title("left")
    first, last = drawn or (0, run.trace.activities["node"].max())
    busy = run.trace.activities.filter(pl.col("class") == "compute", pl.col("node").is_between(first, last))
    count = 13 if nodes == 16 else last - first + 1
    parts = [
        busy.filter(array=array).select((pl.col("end") - pl.col("start")).sum()).item()
        / (count * run.trace.instructions.filter(array=array)["end"].max())
        for array in (1, 2)
    ]
    first, second = (style.percent(part) for part in parts)
    assert title == f"Array 1 computes {first} of its time, array 2 computes {second}{end}"
