"""Values of arguments that only Python can give: right ones of other types work, wrong ones are named."""

import pickle

import numpy as np
import pytest

import senn
from senn.api import timing
from senn.api.arguments import sizes


def _summary(**choices):
    return senn.run("random:2", machine="raw", numbers=False, **choices).summary["makespan"]


@pytest.mark.parametrize(
    ("choices", "same"),
    [
        ({"arrays": np.int64(1)}, {"arrays": 1}),
        ({"refine": np.int8(1)}, {"refine": 1}),
        ({"strategy": np.uint64(1)}, {"strategy": 1}),
        ({"form": np.str_("short")}, {"form": "short"}),
        ({"combine": np.bool_(True)}, {"combine": True}),
    ],
)
def test_numbers_of_numpy_are_numbers(choices, same):
    assert _summary(**choices) == _summary(**same)


def test_sizes_that_take_long_are_not_refused():
    assert len(sizes("1:2047:1")) == 2047


def test_sizes_of_numpy_are_sizes():
    table = senn.steps(np.arange(1, 4), machine="raw")
    assert table.equals(senn.steps([1, 2, 3], machine="raw"))
    assert senn.steps(np.int64(2), machine="raw")["n"].to_list() == [2]


def test_problems_robots_and_timings_go_to_other_processes():
    """Pickled and back: the same answers; types of joints are those of the process."""
    for spec in ("random:3", "ssrms", "ur5"):
        problem = senn.problem(spec)
        copy = pickle.loads(pickle.dumps(problem))
        answer, same = (senn.run(each, machine="raw").qdd for each in (problem, copy))
        assert same.tolist() == answer.tolist()
        chain = pickle.loads(pickle.dumps(problem.chain))
        assert chain.joints == problem.chain.joints
    run = senn.run("random:2", numbers=False)
    timing = senn.retime(run, set={"timing.word": 9})
    copy = pickle.loads(pickle.dumps(timing))
    assert (copy.makespan, copy.by, copy.why) == (timing.makespan, timing.by, timing.why)
    assert copy.trace.hash == timing.trace.hash
    assert copy.run("summary").summary == timing.run("summary").summary


def test_a_size_that_is_too_large_is_refused_before_smaller_ones_are_timed(monkeypatch):
    right, made = timing.program_of, []

    def program_of(options, n):
        made.append(n)
        return right(options, n)

    monkeypatch.setattr(timing, "program_of", program_of)
    with pytest.raises(senn.InputError, match="n = 65537: more than 65,536 links"):
        senn.steps([4, 8, 65537], residency="home")
    assert made == [65537]
