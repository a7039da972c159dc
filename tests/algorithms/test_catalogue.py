"""Every algorithm of the catalogue runs through the front door, is certified, and refuses what it has not."""

from dataclasses import replace

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.catalogue import ALGORITHMS, algorithm
from senn.base.errors import InputError

NAMES = list(ALGORITHMS)
SERIAL = [name for name, one in ALGORITHMS.items() if one.serial]


@pytest.mark.rounding
@pytest.mark.fast("*-chain", "star", "lambda", "*-times", "inverse-dynamics", "forward-pv", "mass-matrix-*")
@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_has_twelve_digits_of_seven_links(name):
    """Well-conditioned: a certificate of six digits would let much pass. One digit is rounding's; from both
    ends a second one goes where the parts join."""
    drawn = (
        senn.run(f"random:7:seed={k}", algorithm=name, machine="ideal", detail="summary") for k in (0, 1, 2)
    )
    digits = sorted(run.certificate["digits"] for run in drawn)
    assert digits[0] >= 11
    assert digits[-1] >= (11 if name == "both-ends" else 12)


@pytest.mark.rounding
@pytest.mark.fast("closed-chain", "star", "forward-articulated", "lambda-inverse")
@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_has_eleven_digits_of_64_links(name):
    """At rest, without weight; elimination, which is not backward stable, with a step of refinement."""
    what = problems.load("random:64:seed=1")
    still = what.at(qd=np.zeros(64), gravity=(0, 0, 0), tau=np.ones(64), qdd=np.ones(64))
    refined = {"refine": 1} if "refine" in ALGORITHMS[name].choices else {}
    certificate = senn.run(
        still, algorithm=name, machine="ideal", detail="summary", engine="lockstep", **refined
    ).certificate
    assert certificate["digits"] >= 11, certificate["digits_of"]


@pytest.mark.fast("closed-chain", "lambda-inverse", "mass-matrix-symmetry", "forward-articulated")
@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_answer_is_not_certified(name, monkeypatch):
    """The certificate of every algorithm can fail: one number of the answer off by a thousandth."""
    one = ALGORITHMS[name]

    def wrong(what, result):
        found = {key: np.array(value) for key, value in one.answers(what, result).items()}
        first = found["qdd" if "qdd" in found else next(iter(found))]
        first[..., -1] = first[..., -1] * 1.001 + 1e-3
        return found

    monkeypatch.setitem(ALGORITHMS, name, replace(one, answers=wrong))
    run = senn.run("random:7:seed=1", algorithm=name, machine="raw")
    assert not run.certificate["ok"]


@pytest.mark.parametrize("name", SERIAL)
def test_one_node_takes_as_long_as_its_operations(name):
    """On a machine of one cycle an operation, 20 a sine, the makespan is the operations counted."""
    run = senn.run("random:6:seed=2", algorithm=name, machine="ideal", numbers=False, contact="weld")
    count = ALGORITHMS[name].operations(6)
    assert run.summary["makespan"] == count.multiply + count.add + count.divide + 20 * count.trig
    assert run.summary["messages"] == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["forward-conjugate-gradient", "forward-preconditioned-gradient"])
def test_iterations_that_are_not_counted_are_spoken_of(name):
    """station25 takes 135 and 48 iterations, and its makespan is that of 25."""
    run = senn.run("station25", algorithm=name, machine="ideal", contact="weld")
    assert run.summary["makespan"] == ALGORITHMS[name].operations(25).flops + 19 * 50
    assert any("those of n iterations" in note for note in run.description["problem"]["notes"])


@pytest.mark.parametrize(
    ("name", "choice", "said"),
    [
        ("inverse-dynamics", {"form": "short"}, "inverse-dynamics has no choice of --form; leave it out"),
        ("forward-articulated", {"refine": 1}, "no choice of --refine; leave it out$"),
        (
            "divide-and-conquer",
            {"residency": "ahead"},
            r"--residency ahead; leave it out \(it has --arrays\)",
        ),
    ],
)
def test_a_choice_that_an_algorithm_has_not_is_refused(name, choice, said):
    with pytest.raises(InputError, match=said):
        senn.run("ur5", algorithm=name, **choice)


@pytest.mark.parametrize("said", ["closed_chain", "Closed-Chain", "closedchain"])
def test_a_misspelt_algorithm_is_told_from_an_unknown_one(said):
    with pytest.raises(
        InputError, match=f'algorithm "{said}" is not known: .*; did you mean closed-chain[?]$'
    ):
        algorithm(said)


def test_what_was_assumed_of_a_contact_goes_with_it():
    notes = problems.free(problems.load("random:7:seed=5")).notes
    assert notes == (
        "state, torque and contact were drawn from seed 5",
        "the contact was left out: this algorithm is of the open chain, whose tip is free",
    )


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_program_is_printed_for_one_joint_and_for_few(name):
    """Alone, a process has no operand from others: kernels that leave them out are printed by name."""
    for n in (1, 8):
        try:
            program = senn.program(n, algorithm=name)
        except InputError:  # a serial algorithm has no program
            continue
        assert len(str(program).splitlines()) > 3
