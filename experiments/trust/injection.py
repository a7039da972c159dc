"""Faults: one bit of a message inverted at a time, and what becomes of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from experiments.trust import flips as injected
from senn.algorithms.answers import RESIDUALS
from senn.algorithms.certificate.certificate import DOUBLE, digits
from senn.algorithms.certificate.certify import Judge
from senn.algorithms.problems.problem import Problem
from senn.api.arguments import unwarned
from senn.api.states import Placed
from senn.base.errors import InputError
from senn.machine.engines import lockstep
from senn.machine.placing.schedule import Schedule
from senn.traces.record import joined

BITS = {"sign": 63, "exponent": 55, "high mantissa": 51, "middle mantissa": 20, "low mantissa": 8}
"""The bits that are inverted by default: the exponent's changes a number by a factor of 256."""
_TOGETHER = 512


@unwarned
def faults(
    problem: str | Problem = "random:8", *, bits: Sequence[int] = tuple(BITS.values()), **options: Any
) -> pl.DataFrame:
    """Invert each of these bits of each word of each message, one in a run: a row for each fault.

    `message` is the id of a message of `array`, `step` and `level`, which carries `value` from process
    `source` to `target`; `word` counts the words of its payload from 0, and `bit` the bits of the word: 0 to
    51 are the mantissa, 63 is the sign. The `outcome` is "masked": all that the program leaves is the same
    to the bit; "refused": the certificate fails; "certified": the certificate passes, and all that the
    program leaves has six digits; "silent": the certificate passes, but the copy of an answer at another
    process has not. `error` is the largest relative error of answers and copies.
    `check` is the first check without a reference that fails: "number" (an answer is none), "motion" and
    "contact" (the residuals), "wrenches" (those of Newton-Euler differ), "copies" (of one answer differ);
    empty if all pass.
    """
    whole = np.asarray(bits)
    if whole.ndim != 1 or not whole.size or whole.dtype.kind not in "iu":
        raise InputError(f"bits are {bits!r:.60}; give whole numbers, of 0 to 63 in double precision")
    placed = Placed(problem, options)  # type: ignore[arg-type]
    algorithm, arm, schedule = placed.algorithm, placed.problem, placed.schedule
    memory = algorithm.memory(arm)
    healthy = {name: rows[0] for name, rows in lockstep.results(schedule, [memory]).items()}
    answers = algorithm.answers(arm, healthy)
    if "qdd" not in answers:
        raise InputError(f"the algorithm {algorithm.name} has no accelerations, whose faults are judged")
    judge = Judge(arm)
    words = schedule.messages.words.tolist()
    flips = [
        injected.Flip(k, *at) for k, size in enumerate(words) for at in product(range(size), whole.tolist())
    ]
    verdicts: list[tuple[str, float, str]] = []
    for first in range(0, len(flips), _TOGETHER):
        results = injected.results(schedule, memory, flips[first : first + _TOGETHER])
        copies = _copies(results, healthy)
        for k, off in enumerate(copies.tolist()):
            rows = {name: blocks[k] for name, blocks in results.items()}
            if all(rows[name].tobytes() == healthy[name].tobytes() for name in rows):
                verdicts.append(("masked", 0.0, ""))
            else:
                verdicts.append(_verdict(judge, algorithm.answers(arm, rows), off))
    outcome, error, check = zip(*verdicts, strict=True)
    columns = np.array([(flip.message, flip.word, flip.bit) for flip in flips], dtype=np.int64).T
    numbers = dict(zip(("message", "word", "bit"), columns, strict=True))
    table = pl.DataFrame({**numbers, "outcome": outcome, "error": error, "check": check})
    return _messages(schedule).pipe(joined, table, on="message")


def _verdict(judge: Judge, answers: Mapping[str, Any], copies: float) -> tuple[str, float, str]:
    """Outcome, error and check of answers that are not the healthy ones."""
    if not all(np.isfinite(answer).all() for answer in answers.values()):
        return "refused", np.inf, "number"
    certificate = judge.certificate(answers)
    figures = certificate.figures
    error = max(copies, *(value for name, value in figures.items() if name not in RESIDUALS))
    check = "motion" if digits(figures["residual"]) < DOUBLE else ""
    check = check or ("contact" if digits(figures.get("contact_residual", 0.0)) < DOUBLE else "")
    if not check and "forces" in answers and digits(judge.wrenches(answers)) < DOUBLE:
        check = "wrenches"
    check = check or ("copies" if digits(copies) < DOUBLE else "")
    if not certificate.agrees:
        return "refused", error, check
    return "silent" if digits(copies) < DOUBLE else "certified", error, check


def _copies(results: Mapping[str, NDArray[Any]], healthy: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """By fault, the largest relative error of the answers that all processes have alike."""
    largest = np.zeros(len(next(iter(results.values()))))
    for name, blocks in results.items():
        rows, right = (
            x.reshape(*x.shape[: x.ndim - healthy[name].ndim + 1], -1) for x in (blocks, healthy[name])
        )
        alike = np.isclose(right, right[-1], rtol=1e-9, atol=0.0).all(axis=0)
        if len(right) > 1 and right[-1, alike].any():  # zeros alone fill up narrower joints
            off = np.linalg.norm((rows - right)[..., alike], axis=-1) / np.linalg.norm(right[-1, alike])
            largest = np.fmax(largest, np.nan_to_num(off.max(axis=1), nan=np.inf))
    return largest


def _messages(schedule: Schedule) -> pl.DataFrame:
    """Table of the messages: array, step, level, value, source and target process of each."""
    m = schedule.messages
    tasks = (task for stream in schedule.tasks for task in stream for _ in task.posts)
    posting = [(task.step, task.line.instruction.level) for task in tasks]
    return pl.DataFrame(
        {
            "message": range(len(m)),
            "array": m.source_array,
            "step": [step for step, _ in posting],
            "level": [level for _, level in posting],
            "value": [m.text(k) for k in range(len(m))],
            "source": m.source_process,
            "target": m.target_process,
        }
    )
