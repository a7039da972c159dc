"""A program as text, in the manner of Fijany VI.D: step, instruction, and the processes that take part."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from senn.machine.dataflow import Line, flow
from senn.machine.program import Program
from senn.traces.errors import InputError

_STEP, _TEXT = 15, 92


def listing(program: Program, step: str | None = None) -> str:
    """Every instruction with its mask; lines that are printed but not issued carry a dot.

    `step` keeps the steps that start with it ("I.b", "II.c.3"); one that matches nothing is refused.
    """
    lines = [line for stream in flow(program).lines for line in stream]
    chosen = [line for line in lines if step is None or _belongs(line.instruction.step, step)]
    if not chosen:
        known = ", ".join(dict.fromkeys(".".join(x.instruction.step.split(".")[:2]) for x in lines))
        raise InputError(f'no step of this program is "{step}" or starts with it: the steps are {known}')
    head = (
        f"{program.name}, form {program.form}, n = {program.n}, M = {program.levels}, refine = {program.refine}, "
        f"n_c = {program.contact}"
    )
    return "\n".join([head, *_body(chosen, program)]) + "\n"


def _belongs(label: str, step: str) -> bool:
    return label == step or label.startswith((f"{step}.", f"{step}'"))


def _body(lines: list[Line], program: Program) -> Iterator[str]:
    seen: set[str] = set()
    level = None
    for line in lines:
        parts = line.instruction.step.split(".")
        for prefix in (parts[0], ".".join(parts[:2])):
            if prefix in program.titles and prefix not in seen:
                seen.add(prefix)
                yield (
                    ("\n" if "." not in prefix else "")
                    + ("" if "." not in prefix else "  ")
                    + program.titles[prefix]
                )
                level = None
        if line.instruction.level != level and line.instruction.level is not None:
            yield f"    level j = {line.instruction.level}, h = {2 ** (line.instruction.level - 1)}"
        level = line.instruction.level
        yield _row(line)


def _row(line: Line) -> str:
    mark = " " if line.instruction.issued else "."
    text = f"    {mark} {line.instruction.step:<{_STEP}}{line.instruction}"
    if not line.instruction.issued and not len(line.processes):
        return text
    if not len(line.processes):
        return f"{text:<{_TEXT}}  no process: not issued"
    return f"{text:<{_TEXT}}  i = {processes(line.processes)}"


def processes(numbers: np.ndarray) -> str:
    """``1..3, 7``: ascending process numbers as ranges."""
    cuts = np.flatnonzero(np.diff(numbers) > 1) + 1
    runs = np.split(numbers, cuts)
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs)
