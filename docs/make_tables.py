"""The tables of the documentation that come from programs: `python docs/make_tables.py` writes them anew.

Each stands between a comment that names it and `<!-- end -->`. A test compares them with the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import get_args

import senn
from senn.algorithms.programs import closed_chain
from senn.algorithms.programs.variant import ELIMINATIONS
from senn.choices import Form, Residency
from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import Compute, Operations, Program
from senn.traces.analysis import fit

PAGES = tuple(Path(__file__).parent / name for name in ("schedule.md", "programs.md"))
MADE = re.compile(r"(<!-- (\w+): made by docs/make_tables.py -->\n).*?(?=<!-- end -->)", re.DOTALL)
FORMS: tuple[Form, ...] = get_args(Form)
PHASES = ("I", "II", "III", "IV")

Key = tuple[int, str, str]
"""Array, line of the paper, "once" or "each level"."""
Rows = dict[Key, tuple[Operations, list[str]]]
"""Operations of one interior process, and the letters of the values they make."""


def with_tables(text: str) -> str:
    """The page with its tables made anew."""
    return MADE.sub(lambda found: found[1] + "\n" + "\n".join(TABLES[found[2]]()) + "\n\n", text)


# ------------------------------------------------------------------------------ operation counts


def counts() -> Iterator[str]:
    """What each line of the paper costs, in every form; lines of refined runs only are taken from those."""
    plain = [grouped(closed_chain.program(8, form)) for form in FORMS]
    refined = [grouped(closed_chain.program(8, form, 1)) for form in FORMS]
    letters: dict[Key, list[str]] = {}
    for rows in (*plain, *refined):
        for key, (_, names) in rows.items():
            letters.setdefault(key, names)
    yield "| array | step | gives (first form that has it) | | paper | short | omega |"
    yield "|---|---|---|---|---|---|---|"
    for key in sorted(letters, key=paper_order):
        array, step, when = key
        cells = [said(one.get(key, two.get(key))) for one, two in zip(plain, refined, strict=True)]
        if any(cells):
            gives = " ".join(f"`{name}`" for name in letters[key])
            yield f"| {array} | {step} | {gives} | {when} | {' | '.join(cells)} |"
    for array in (1, 2):
        for when in ("once", "each level"):
            cells = [said((total(rows, array, when), [])) for rows in plain]
            yield f"| {array} | **all**, unrefined | | {when} | {' | '.join(cells)} |"


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
            found[key] = (count + line.expression.operations(kernel), list(letters))
    return found


def total(rows: Rows, array: int, when: str) -> Operations:
    """All lines of an array."""
    whole = Operations()
    for key, (count, _) in rows.items():
        if (key[0], key[2]) == (array, when):
            whole = whole + count
    return whole


def paper_order(key: Key) -> tuple[int, int, str, str]:
    """I.b.2 before I.b.10, I.b.12 before I.b.12'."""
    array, step, when = key
    phase, rest = step.split(".", 1)
    return array, PHASES.index(phase), re.sub(r"\d+", lambda digits: digits[0].zfill(2), rest), when


def said(row: tuple[Operations, list[str]] | None) -> str:
    """ "30 m 20 a 5 d"; nothing for a line that a form has not got."""
    if row is None:
        return ""
    count = row[0]
    parts = ((count.multiply, "m"), (count.add, "a"), (count.divide, "d"), (count.trig, "t"))
    return " ".join(f"{number} {name}" for number, name in parts if number)


# -------------------------------------------------------------------------------------- step laws


def laws() -> Iterator[str]:
    """Issued instructions and network steps as a M + b, which must hold exactly."""
    heads = ("array 1", "array 2", "network steps", "array 1, home", "array 2, home")
    yield f"| form | refine | {' | '.join(heads)} |"
    yield "|---" * 7 + "|"
    instructions = ("instructions_1", "instructions_2")
    for form in FORMS:
        for refine in (0, 1):
            cells = exact(form, refine, "migrating", (*instructions, "network_steps"))
            cells += exact(form, refine, "home", instructions)
            yield f"| {form} | {refine} | {' | '.join(cells)} |"


def exact(form: Form, refine: int, residency: Residency, names: tuple[str, ...]) -> list[str]:
    """The laws of these columns of `senn.steps`."""
    table = senn.steps([2, 3, 4, 5, 8, 9, 17], form=form, refine=refine, residency=residency)
    fitted = senn.laws(table, residency)
    broken = [name for name in names if fitted[name].residual]
    if broken:
        raise ValueError(f"form {form}, refine {refine}, {residency}: {', '.join(broken)} is not a M + b")
    return [str(fitted[name]) for name in names]


# ---------------------------------------------------------------------- variants of the program

OEE, OER = ELIMINATIONS
VARIANTS = [
    ("short", 2, strategy, kind, ahead) for strategy in (2, 1) for kind in (OEE, OER) for ahead in (0, 1)
]
VARIANTS += [("paper", arrays, 2, OEE, 0) for arrays in (1, 2, 3, 8)]
VARIANTS += [("short", arrays, 2, OEE, 0) for arrays in (1, 3)]
"""Form, arrays, strategy, elimination, ahead."""
LARGE = 64


def variants() -> Iterator[str]:
    """Instructions as a M + b, exact from n = 3; network steps, exact for n = 2^M; cycles at n = 64."""
    yield (
        "| form | arrays | strategy | elimination | | instructions of each array | network steps, n = 2^M "
        "| mark3 | raw |"
    )
    yield "|---" * 9 + "|"
    machines = [model.load(name) for name in ("mark3", "raw")]
    for form, arrays, strategy, kind, ahead in VARIANTS:
        placed = {}
        for n in (3, 4, 16, LARGE):
            program = closed_chain.program(
                n, form, strategy=strategy, elimination=kind, arrays=arrays, ahead=bool(ahead)
            )
            placed[n] = place(program, allocation.named("identity", n, "migrating"), machines[0])
        laws = [law([(s.program.levels, len(s.tasks[k])) for s in placed.values()]) for k in range(arrays)]
        steps = law([(s.program.levels, s.network_steps()) for n, s in placed.items() if n & (n - 1) == 0])
        runs = [lockstep.simulate(placed[LARGE], on, None, detail="summary") for on in machines]
        issued = ", ".join(
            f"{count} x ({one})" if (count := len(list(same))) > 1 else one for one, same in groupby(laws)
        )
        cycles = " | ".join(f"{run.summary['makespan']:,}" for run in runs)
        knobs = f"{form} | {arrays} | {strategy} | {kind.removeprefix('odd-even ')} | {'ahead' * ahead}"
        yield f"| {knobs} | {issued} | {steps} | {cycles} |"


def law(points: list[tuple[int, int]]) -> str:
    """The a M + b on which all points (M, count) lie."""
    found = fit([x for x, _ in points], [y for _, y in points])
    if found.residual:
        raise ValueError(f"{points} is not a M + b")
    return str(found)


TABLES = {"counts": counts, "laws": laws, "variants": variants}


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
