"""Arms with joints of any type on the machine: the padding stays what it was, and changes no bit."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.arm import arm_of, is_wide
from senn.algorithms.arm.wide import Wide
from senn.algorithms.blocks import full
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import variants
from senn.algorithms.programs.numerics import memory
from senn.algorithms.programs.variants import FORMS
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Program
from senn.traces.run import Run


def wide(joints: Sequence[str]) -> Wide:
    found = arm_of(len(joints), joints)
    assert isinstance(found, Wide)
    return found


def arm(word: str) -> Problem:
    return problems.draw(problems.load(f"joints:{word}:seed={len(word)}").chain, 3)


def run(program: Program, what: Problem, *, values: bool = False, **replaced: np.ndarray) -> Run:
    return senn.solved(program, {**memory(what), **replaced}, values=values)


# ----------------------------------------------------------------------------- padding


def values(found: Run, array: int, letter: str, level: int | None = None) -> dict[int, np.ndarray]:
    """What processes wrote under a letter."""
    kept = found.values
    assert kept is not None
    return {
        int(kept.process[row]): kept.numbers[row]
        for row in range(len(kept.value))
        if kept.value[row] == letter and kept.array[row] == array and level in (None, kept.level[row])
    }


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("word", ["RFRRXRSRR", "RSRPRRU", "UCF"])
def test_padded_entries_are_exactly_zero(word: str, form: str) -> None:
    """phi and Qdd behind what a joint has; A has the unit matrix there, at every level."""
    what = arm(word)
    chain = what.chain
    program = variants.closed_chain(chain.n, form, 1, chain.joints, what.contact.constrained)
    found = run(program, what, values=True)
    for process, phi in values(found, 2, "phi").items():
        assert not phi[6 - JOINTS[chain.joints[process - 1]].degrees :].any()
    for name in ("qdd", "qdd0"):
        assert not found.result[name][~chain.qd_shares.held].any()
    for level in range(program.levels + 1):
        for process, packed in values(found, 1, "A", level).items():
            own = 6 - JOINTS[chain.joints[process - 1]].degrees
            rest = full(packed)[own:]
            assert np.array_equal(rest, np.eye(wide(chain.joints).rows)[own:])


@pytest.mark.parametrize("form", FORMS)
def test_wider_padding_changes_no_bit(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 6 rows and 6 columns of H, where 5 and 3 would do."""
    what = arm("RSRPRRU")
    chain = what.chain

    def solved(**replaced: np.ndarray) -> dict[str, np.ndarray]:
        program = variants.closed_chain(chain.n, form, 1, chain.joints, what.contact.constrained)
        return dict(run(program, what, **replaced).result)

    narrow = solved()
    assert narrow["qdd"].shape == (7, 3)
    monkeypatch.setattr(Wide, "rows", 6)
    monkeypatch.setattr(Wide, "freedom", 6)
    state = {name: np.pad(memory(what)[name], ((0, 0), (0, 3))) for name in ("qd", "tau")}
    state["0"] = np.zeros((chain.n, 6, 6))
    wide = solved(**state)
    assert wide["qdd"].shape == (7, 6)
    for name, found in wide.items():
        inside = found[:, :3] if name in ("qdd", "qdd0") else found
        assert np.array_equal(inside, narrow[name]), name


def test_a_free_joint_splits_the_chain() -> None:
    """No block of A reaches over it, so what lies beyond does not feel the torques of what lies before."""
    what = arm("RRSFRSR")
    chain, n = what.chain, what.chain.n
    program = variants.closed_chain(n, "short", 0, chain.joints, what.contact.constrained)
    found = run(program, what, values=True)
    blocks = values(found, 1, "B", 0)
    assert not blocks[3].any()
    assert not blocks[4].any()
    assert blocks[2].any()
    pushed = replace(what, tau=what.tau + np.r_[np.ones(5), np.zeros(chain.degrees - 5)])
    beyond = chain.qd_shares.first[4]
    one, other = (chain.qd_shares.flat(run(program, x).result["qdd0"]) for x in (what, pushed))
    assert np.abs(one[beyond:] - other[beyond:]).max() < 1e-12 * np.abs(one).max()
    assert np.abs(one[:5] - other[:5]).min() > 1e-3


@pytest.mark.parametrize(
    ("word", "rows", "freedom"),
    [("RS", 5, 3), ("SSE", 3, 3), ("SX", 6, 3), ("FF", 1, 6), ("FR", 5, 6), ("H", 5, 1), ("CU", 4, 2)],
)
def test_a_lane_is_as_wide_as_its_widest_joint(word: str, rows: int, freedom: int) -> None:
    joints = arm(word).chain.joints
    assert is_wide(joints)
    assert (wide(joints).rows, wide(joints).freedom) == (rows, freedom)


# ------------------------------------------------------------------------- the machine


def test_issued_instructions_are_linear_in_the_levels() -> None:
    """The step law of wide arms: a M + b from n = 3, the same for every n of the same M."""
    seen: dict[int, set[tuple[int, ...]]] = {}
    for n in (3, 4, 5, 6, 8, 9, 16, 17):
        joints = ("universal", *("spherical", "planar")[: n - 1], *("revolute",) * (n - 3))
        program = variants.closed_chain(n, "short", joints=joints)
        schedule = senn.placed(program)
        seen.setdefault(program.levels, set()).add(tuple(len(tasks) for tasks in schedule.tasks))
    assert all(len(found) == 1 for found in seen.values())
    per_level = np.array([seen[m].pop() for m in sorted(seen)])
    assert len(np.unique(np.diff(per_level, axis=0), axis=0)) == 1


def test_a_run_from_problem_to_replay() -> None:
    """The front door: answers in the order of the problem, kept values, a state in the middle of the run."""
    found = senn.run("joints:FRSX:seed=2", form="omega", bounds=True)
    assert found.certificate is not None
    assert found.certificate["ok"]
    assert found.result["qdd"].shape == found.result["qdd0"].shape == (10,)
    assert found.result["forces"].shape == (4, 6)
    middle = found.at(found.summary["makespan"] // 2)
    assert middle.values is not None
    assert "W_a(q)" in middle.values["value"]
