"""Every kind of picture is drawn by its name, with its choices and no others."""

import inspect
from importlib import import_module

import matplotlib as mpl
import pytest
from matplotlib import pyplot

from senn.traces.errors import InputError
from senn.traces.pictures import KINDS, check
from senn.traces.run import Run
from tests.traces.hand_trace import hand_trace

mpl.use("Agg")


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
    assert Run(hand_trace(), {}).plot("timeline", ax, arrows="I.b.5") is ax
    assert any("I.b.5" in text.get_text() for text in ax.get_legend().get_texts())
    pyplot.close("all")


@pytest.mark.parametrize(
    ("kind", "choices", "text"),
    [
        ("gantt", (), 'plot: there is no picture "gantt"; choose timeline, phases, '),
        ("phases", ("arrows",), "plot: arrows belongs to timeline; phases has stop"),
        ("timeline", ("colour",), "plot: there is no colour; timeline has arrows, start, stop, nodes"),
    ],
)
def test_what_is_none_is_refused(kind, choices, text):
    """One line that says what there is."""
    with pytest.raises(InputError) as refused:
        check(kind, choices)
    assert str(refused.value).startswith(text)
