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


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ({"arrays": 2.0}, "arrays is 2.0; write a number of arrays, or STEP=ARRAY"),
        ({"arrays": None}, "arrays is None; write a number of arrays"),
        ({"refine": 1.0}, "refine is 1.0; write a whole number from 0 to 5"),
        ({"refine": True}, "refine is true; write a whole number from 0 to 5"),
        ({"strategy": "1"}, 'strategy is "1"; write one of 1, 2'),
        ({"seed": -1}, "seed is -1; write None or a whole number from 0 to 9223372036854775807"),
        ({"seed": 1.5}, "seed is 1.5; write None or a whole number from 0 to"),
        ({"check": "false"}, 'check is "false"; write true or false'),
        ({"values": "x"}, 'values is "x"; write None or true or false'),
        ({"algorithm": []}, "algorithm is []; write a text"),
        ({"arrays": 9}, "arrays is 9; write one of 1, 2, 3, 8, STEPS"),
        ({"contact": "wed"}, 'contact is "wed"; write one of weld, plane, point, line, face, free; did'),
        ({"form": 3}, "form is 3; write one of paper, short, omega"),
        ({"lock": 3}, "lock: 3 is no text; write the name of a joint"),
    ],
)
def test_a_wrong_type_is_one_line(choices, text):
    with pytest.raises(senn.InputError) as error:
        _summary(**choices)
    assert str(error.value).startswith(text)


def test_numbers_is_true_or_false():
    with pytest.raises(senn.InputError, match=r'^numbers is "false"; write true or false$'):
        senn.run("random:2", numbers="false")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"n": 2.0}, "n is 2.0; write a whole number"),
        ({"n": 2, "seed": -1}, "seed is -1; write a whole number from 0"),
        ({"n": 2, "budget": 1.5}, "budget is 1.5; write a whole number from 1"),
        ({"n": 2, "budget": 0}, "budget is 0; write a whole number from 1"),
        (
            {"n": 2, "search": "level"},
            'search is "level"; write one of renamings, levels; did you mean levels?',
        ),
        (
            {"n": 2, "search": "arrays"},
            'search "arrays" is gone: give assignments of your own, --arrays I.b.4=2, and compare them by a '
            "study over arrays",
        ),
    ],
)
def test_counts_of_a_search(arguments, text):
    with pytest.raises(senn.InputError) as error:
        senn.optimise(**arguments)
    assert str(error.value) == text


@pytest.mark.parametrize("name", ["ranks", "repeat"])
def test_counts_of_real_processes(name):
    with pytest.raises(senn.InputError, match=f"^{name} is 0; write a whole number from 1$"):
        senn.mpi("random:2", **{name: 0})


def test_sizes_that_take_too_long_are_refused():
    """65,536 sizes have 2^15 (2^16 + 1) links in all."""
    assert len(sizes("1:2047:1")) == 2047
    with pytest.raises(senn.InputError) as error:
        sizes("1:65536:1")
    assert str(error.value) == (
        f'n "1:65536:1": 65,536 sizes with {2**15 * (2**16 + 1):,} links in all, at most 4,194,304; '
        "take a larger step"
    )
    assert senn.steps(2, machine="raw")["n"].to_list() == [2]


@pytest.mark.parametrize(
    ("n", "text"),
    [
        ([1, 2.0], "n is 2.0; write a whole number from 1"),
        (2.0, "n is 2.0; write a whole number from 1"),
        (["2"], 'n is "2"; write a whole number from 1'),
    ],
)
def test_sizes_that_are_not_whole_numbers_are_named(n, text):
    with pytest.raises(senn.InputError) as error:
        senn.steps(n, machine="raw")
    assert str(error.value) == text


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
