"""Every rule can come out either way: made-up figures, and the verdict that follows from them."""

from collections.abc import Callable, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from experiments.claims import CLAIMS, Scope, expense, factors, growth, hiding, networks
from experiments.claims.claim import AT_COSTS, decided
from senn.machine.program import Operations

SCOPE = Scope((16, 32, 64), ("mark3", "maspar"), few=(8, 32))
ONE, MANY = (lambda *_: 1), (lambda *_: 10**9)


def _mean(x: growth.TwoPort, y: growth.TwoPort) -> growth.TwoPort:
    """A composition that is not associative."""
    return growth.TwoPort(*(np.asarray((a + b) / 2) for a, b in zip(x, y, strict=True)))


def _run(makespan: Callable[[int], int]) -> Callable[..., Any]:
    return lambda trial: SimpleNamespace(makespan=makespan(trial.n), flops=1)


def _best(ring: int) -> Callable[..., int]:
    times = {networks.OTHERS["ring"]: ring, networks.OTHERS["full"]: 1}
    return lambda network, *_: times.get(network, 100)


def _arrives(at: int) -> Callable[..., Mapping[Any, Any]]:
    run = SimpleNamespace(delivery=lambda _: {"arrived": at, "lead": 100 - at})
    return lambda trials: dict.fromkeys(trials, run)


def _makespans(cycles: Callable[[Any], int]) -> Callable[..., Any]:
    return lambda trials: {trial: cycles(trial) for trial in trials}


def _projections(*counts: int) -> dict[int, SimpleNamespace]:
    several = enumerate(map(Operations, counts))
    return {k: SimpleNamespace(operations=lambda count=count: count) for k, count in several}


def _raced(cycles: int) -> Callable[..., Any]:
    return lambda *_: SimpleNamespace(cycles=cycles, speed_up=1)


@pytest.mark.parametrize(
    ("name", "module", "function", "made_up", "word"),
    [
        ("strictly-sequential", growth, "composed", _mean, "untestable"),
        ("logarithmic-steps", growth, "makespans", _makespans(lambda t: t.n), "fails"),
        ("logarithmic-steps", growth, "makespans", _makespans(lambda t: t.n.bit_length()), "holds"),
        ("optimal", growth, "measured", _run(lambda n: n * n), "fails"),
        ("optimal", growth, "measured", _run(lambda n: 100), "holds"),
        ("optimal", growth, "measured", _run(lambda n: n.bit_length()), "fails"),  # in time alone
        ("senn-matches", networks, "_needs", lambda schedule: [len(schedule.messages)], "fails"),
        ("senn-matches", networks, "_needs", lambda schedule: [1], "holds"),
        ("senn-optimal", networks, "_best", _best(98), "fails"),
        ("senn-optimal", networks, "_best", _best(99), "untestable"),  # the full network has more wires
        ("strategy-two", growth, "work", lambda *_: Operations(1), "fails"),
        ("elimination", growth, "ELIMINATION", "oer", "fails"),
        ("diagonalisation-dearer", hiding, "words", ONE, "fails"),
        ("inverse-inertias-early", hiding, "survey", _arrives(51), "fails"),
        ("inverse-inertias-early", hiding, "survey", _arrives(50), "holds"),
        ("lambda-dearer", expense, "words", ONE, "fails"),
        ("mimd-suitable", expense, "makespan", MANY, "fails"),
        ("mimd-suitable", expense, "makespan", ONE, "holds"),
        ("newton-euler-on-mimd", expense, "_newton_euler", ONE, "fails"),
        ("newton-euler-on-mimd", expense, "_newton_euler", MANY, "holds"),
        ("newton-euler-hidden", hiding, "makespan_of", ONE, "fails"),
        ("newton-euler-hidden", hiding, "makespan_of", MANY, "holds"),
        ("limited-speed-up", networks, "makespan_of", ONE, "fails"),
        ("limited-speed-up", networks, "makespan_of", MANY, "holds"),
        ("more-processors", networks, "makespans", _makespans(lambda t: 100 * t.arrays), "fails"),
        ("more-processors", networks, "makespans", _makespans(lambda t: 100 // t.arrays), "holds"),
        ("other-projections", expense, "PROJECTIONS", _projections(2, 3), "untestable"),
        ("other-projections", expense, "PROJECTIONS", _projections(2, 2), "fails"),
        ("ldl-serially", factors, "_executed", ONE, "fails"),
        ("ldl-serially", factors, "_executed", lambda n, elimination: 520 * n, "depends"),
        ("redundant-arms", expense, "race", _raced(1), "holds"),
        ("redundant-arms", expense, "race", _raced(10**9), "fails"),
    ],
)
def test_the_verdict_follows_from_the_figures(
    name: str, module: ModuleType, function: str, made_up: object, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "elimination":  # the two exchanged
        monkeypatch.setattr(growth, "REDUCTION", growth.ELIMINATION)
    monkeypatch.setattr(module, function, made_up)
    assert CLAIMS[name].examine(SCOPE).verdict.word == word


def test_two_claims_have_no_rule() -> None:
    without = [claim.name for claim in CLAIMS.values() if claim.rule.startswith("None: ")]
    assert without == ["fine-grain-strategy", "serial-cost"]


def test_cases_decide_and_the_shorter_list_is_the_condition() -> None:
    def text(**cases: bool) -> str:
        verdict = decided(cases, "2 cycles", AT_COSTS, "machines")
        return f"{verdict.word}, {verdict.condition}"

    assert text(a=True, b=True, c=True) == "holds, at the costs of all 3 machines"
    assert text(a=False, b=False) == "fails, at the costs of both machines"
    assert text(a=True) == "holds, at the costs of a"
    assert text(a=True, b=False, c=False) == "depends, holds at the costs of a only"
    assert text(a=True, b=False, c=True) == "depends, fails at the costs of b only"
    assert text(a=True, ideal=False, fijany=False) == "holds, at the costs of a"
    assert text(ideal=True).startswith("untestable, no machine was tried")
