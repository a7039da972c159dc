"""Processor milliseconds a state of many states of one arm, on one core, beside Pinocchio's.

    python benchmarks/batch.py           n = 7, 25, 64; medians of five
    python benchmarks/batch.py --quick   n = 7, few states: only that it works

senn: the program of the closed chain on the emulated machine, its numbers for all states at once
(`senn.batch`), without and with a certificate for each state. Pinocchio: compiled code called from Python, a
state at a time; the open chain's qdd by articulated bodies (`aba`), and the welded tip's qdd and force
(`constraintDynamics`). The answers are compared. It prints a table in Markdown.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin

sys.path.insert(0, str(Path(__file__).parent.parent))  # Pinocchio's model is that of the tests

import senn
from tests.algorithms.robots.oracle import oracle


def milliseconds(times: int, states: int, work: Callable[[], object]) -> float:
    """Of the processor, a state; the median of several runs."""
    measured = []
    for _ in range(times):
        start = time.process_time()
        work()
        measured.append(time.process_time() - start)
    return 1e3 * statistics.median(measured) / states


def row(n: int, states: int, judged: int, times: int) -> tuple[float, ...]:
    """Milliseconds a state of senn, senn with certificates, and Pinocchio; and how far qdd0 is apart."""
    rng = np.random.default_rng(0)
    arm = senn.problem(f"random:{n}", seed=1, contact="weld")
    q = arm.q + rng.uniform(-0.2, 0.2, (states, n))
    qd, tau = rng.uniform(-1.0, 1.0, (2, states, n))
    reference = oracle(arm.chain)
    reference.set_gravity(arm.gravity)
    model, data = reference.model, reference.model.createData()
    tip = model.frames[reference.tip]
    welds, held = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    place = tip.parentJoint, tip.placement, pin.ReferenceFrame.LOCAL
    welds.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, model, *place))
    held.append(welds[0].createData())
    pin.initConstraintDynamics(model, data, welds, held)

    def opened() -> list[np.ndarray]:
        return [pin.aba(model, data, *state) for state in zip(q, qd, tau, strict=True)]

    def welded() -> list[np.ndarray]:
        return [
            pin.constraintDynamics(model, data, *state, welds, held) for state in zip(q, qd, tau, strict=True)
        ]

    free = np.array(opened())
    off = np.abs(senn.batch(arm, q, qd, tau, judge=False).result["qdd0"] - free).max() / np.abs(free).max()
    return (
        milliseconds(times, states, lambda: senn.batch(arm, q, qd, tau, judge=False)),
        milliseconds(1, judged, lambda: senn.batch(arm, q[:judged], qd[:judged], tau[:judged])),
        milliseconds(times, states, opened),
        milliseconds(times, states, welded),
        float(off),
    )


def main(sizes: tuple[int, ...], states: int, judged: int, times: int) -> None:
    """The table, a row for each size."""
    print("| n | senn | with certificates | Pinocchio, open chain | Pinocchio, welded tip | qdd0 apart |")
    print("|---|---|---|---|---|---|")
    for n in sizes:
        *figures, off = row(n, states, judged, times)
        print(f"| {n} | " + " | ".join(f"{figure:.2g}" for figure in figures) + f" | {off:.0e} |")


if __name__ == "__main__":
    quick = "--quick" in sys.argv[1:]
    main((7,) if quick else (7, 25, 64), 32 if quick else 1024, 4 if quick else 64, 1 if quick else 5)
