"""The tables of schedule.md: operation counts and step laws; a test makes them again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, get_args

import senn
from experiments.page import Tables, head, row
from senn.algorithms.programs import variants
from senn.choices import Form
from senn.machine.program import Compute, Operations, Program

FORMS: tuple[Form, ...] = get_args(Form)
PHASES = ("I", "II", "III", "IV")

Key = tuple[int, str, str]
"""Array, line of the paper, "once" or "each level"."""
Rows = dict[Key, tuple[Operations, list[str]]]
"""Operations of one interior process, and the letters of the values they make."""


# ------------------------------------------------------------------------------ operation counts


def counts() -> Iterator[str]:
    """What each line of the paper costs, in every form, and what a step of refinement does."""
    plain = [grouped(variants.closed_chain(8, form)) for form in FORMS]
    refined = [grouped(variants.closed_chain(8, form, 1)) for form in FORMS]
    letters: dict[Key, list[str]] = {}
    for rows in plain:
        for key, (_, names) in rows.items():
            letters.setdefault(key, names)
    yield from head("array", "step", "gives (first form that has it)", "when", *FORMS)
    for key in sorted(letters, key=paper_order):
        cells = [said(rows[key][0] if key in rows else Operations()) for rows in plain]
        if any(cells):
            array, step, when = key
            yield row(array, step, " ".join(f"`{name}`" for name in letters[key]), when, *cells)
    totals = [("**all**, unrefined", plain, array, "") for array in (1, 2)]
    totals += [(f"**{phase}**, one step of refinement", refined, 2, f"{phase}.") for phase in ("V", "VI")]
    for (label, forms, array, start), when in product(totals, ("once", "each level")):
        yield row(array, label, "", when, *(said(total(rows, array, start, when)) for rows in forms))


def grouped(program: Program) -> Rows:
    """The computations of a program with revolute joints by line of the paper; loops by their first level."""
    found: Rows = {}
    for array, stream in enumerate(program.streams, start=1):
        for line in stream:
            if not isinstance(line, Compute) or line.level not in (None, 1):
                continue
            depth = 2 if line.phase == "III" else 3
            step = ".".join(line.step.split(".")[:depth])
            key = (array, step, "once" if line.level is None else "each level")
            (kernel,) = line.expression.kernels
            count, names = found.get(key, (Operations(), []))
            letters = dict.fromkeys([*names, line.target.letter])
            found[key] = (count + line.operations(kernel), list(letters))
    return found


def total(rows: Rows, array: int, start: str, when: str) -> Operations:
    """All lines of an array whose label begins so."""
    counts = (
        count
        for key, (count, _) in rows.items()
        if (key[0], key[2]) == (array, when) and key[1].startswith(start)
    )
    return sum(counts, Operations())


def paper_order(key: Key) -> tuple[int, int, str, str]:
    """I.b.2 before I.b.10, I.b.12 before I.b.12'."""
    array, step, when = key
    phase, rest = step.split(".", 1)
    return array, PHASES.index(phase), re.sub(r"\d+", lambda digits: digits[0].zfill(2), rest), when


def said(count: Operations) -> str:
    """ "30 m 20 a 5 d"; nothing for a line that a form has not got."""
    parts = ((count.multiply, "m"), (count.add, "a"), (count.divide, "d"), (count.trig, "t"))
    return " ".join(f"{number} {name}" for number, name in parts if number)


# -------------------------------------------------------------------------------------- step laws


def laws() -> Iterator[str]:
    """Issued instructions and network steps as a M + b, which must hold exactly."""
    heads = ("array 1", "array 2", "network steps", "array 1, home", "array 2, home")
    yield from head("form", "refine", *heads)
    instructions = ("instructions_1", "instructions_2")
    for form in FORMS:
        for refine in (0, 1):
            options = {"form": form, "refine": refine}
            cells = exact((*instructions, "network_steps"), residency="migrating", **options)
            cells += exact(instructions, residency="home", **options)
            yield row(form, refine, *cells)


def exact(names: Sequence[str], sizes: Sequence[int] = (2, 3, 4, 5, 8, 9, 17), **options: Any) -> list[str]:
    """The laws of these columns of `senn.steps`."""
    fitted = senn.fits(senn.steps(sizes, **options))
    if broken := [name for name in names if name not in fitted or fitted[name].square]:
        raise ValueError(f"{options}: {', '.join(broken)} is not a M + b")
    return [str(fitted[name]) for name in names]


def traffic() -> Iterator[str]:
    """Messages and channels crossed, form paper."""
    yield from head("n", "residency", "messages", "hops")
    for residency in ("home", "migrating"):
        schedule = senn.placed(variants.closed_chain(1024, "paper"), residency=residency)
        summary = senn.timed(schedule, "ideal").summary
        yield row("1,024", residency, f"{summary['messages']:,}", f"{summary['hops']:,}")


DATA: Tables = {"counts": counts, "laws": laws, "traffic": traffic}
