"""The tables of docs/divide_and_conquer.md: `python docs/measure_dca.py` writes them anew.

Each stands between a comment that names it and `<!-- end -->`. A test compares the small sizes with the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from senn.algorithms import problems
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import answers, closed_chain, divide_and_conquer
from senn.algorithms.programs import memory as resident
from senn.algorithms.references import articulated
from senn.algorithms.references import divide_and_conquer as printed
from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.engines.evaluate import executed
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Program
from senn.machine.program.dataflow import flow

PAGE = Path(__file__).parent / "divide_and_conquer.md"
MADE = re.compile(r"(<!-- (\w+): made by docs/measure_dca.py -->\n).*?(?=<!-- end -->)", re.DOTALL)
SIZES = (8, 16, 32, 64, 128, 256)
PROGRAMS: dict[str, Callable[[int], Program]] = {
    "paper": partial(closed_chain.program, form="paper"),
    "short": partial(closed_chain.program, form="short"),
    "omega": partial(closed_chain.program, form="omega"),
    "divide and conquer": divide_and_conquer.program,
    "divide and conquer, one array": partial(divide_and_conquer.program, arrays=1),
}
ARMS = ("random", "rods:slenderness=0.1", "rods:slenderness=0.01", "rods:slenderness=0.001")
ANSWERS = ("lambda_inverse", "force", "qdd")


# --------------------------------------------------------------------- steps, words and cycles


def placed(name: str, n: int) -> Schedule:
    """A program on a SENN, data migrating; where it is placed does not depend on times."""
    found = flow(PROGRAMS[name](n))
    return place(found, allocation.named("identity", n, "migrating"), model.load("mark3"))


def makespan(schedule: Schedule, machine: str) -> int:
    """In cycles of the machine."""
    return int(lockstep.simulate(schedule, model.load(machine), None, detail="summary").summary["makespan"])


def sizes(chosen: Iterable[int] = SIZES) -> Iterator[str]:
    """What each program issues, sends and computes."""
    yield "| n | program | instructions | network steps | messages | words | operations |"
    yield "|---|---|---|---|---|---|---|"
    for n in chosen:
        for name in PROGRAMS:
            schedule = placed(name, n)
            issued = " + ".join(str(len(tasks)) for tasks in schedule.tasks)
            run = lockstep.simulate(schedule, model.load("ideal"), None, detail="summary")
            words, operations = run.summary["words"], executed(schedule.flow).flops
            yield (
                f"| {n} | {name} | {issued} | {schedule.network_steps()} | {len(schedule.messages):,} "
                f"| {words:,} | {operations:,} |"
            )


def makespans(chosen: Iterable[int] = SIZES) -> Iterator[str]:
    """Cycles on every preset whose arrays are a SENN; migrating."""
    machines = model.presets("senn")
    yield f"| n | program | {' | '.join(f'`{name}`' for name in machines)} |"
    yield "|---|---|" + "---|" * len(machines)
    for n in chosen:
        for name in PROGRAMS:
            schedule = placed(name, n)
            cells = (f"{makespan(schedule, machine):,}" for machine in machines)
            yield f"| {n} | {name} | {' | '.join(cells)} |"


# ------------------------------------------------------------------------------- accuracy


def solved(
    what: Problem, program: Program, memory: Mapping[str, NDArray[np.float64]]
) -> Mapping[str, NDArray[np.float64]]:
    """What a run leaves; numbers depend neither on the machine nor on the residency."""
    machine = model.load("ideal")
    schedule = place(program, allocation.named("identity", what.chain.n, "home"), machine)
    return lockstep.simulate(schedule, machine, memory, detail="summary").result


def errors(what: Problem) -> dict[str, dict[str, float]]:
    """By program and answer: the error in the 2-norm against serial articulated bodies, relative."""
    n, joints, constrained = what.chain.n, what.chain.joints, what.contact.constrained
    expected = articulated.solve(what)
    whole = solved(what, divide_and_conquer.program(n, joints, constrained), divide_and_conquer.memory(what))
    found = {
        "divide and conquer": divide_and_conquer.answers(what, whole),
        "as printed": answers.named(printed.solve(what)),
    }
    for label, refine in (("short", 0), ("short, refined", 1)):
        program = closed_chain.program(n, "short", refine, joints, constrained)
        solution = answers.solution(what, solved(what, program, resident.memory(what)))
        found[label] = answers.named(solution)
    return {
        label: {
            name: float(
                np.linalg.norm(of[name] - getattr(expected, name)) / np.linalg.norm(getattr(expected, name))
            )
            for name in ANSWERS
        }
        for label, of in found.items()
    }


def accuracy(chosen: Iterable[int] = (8, 64, 512)) -> Iterator[str]:
    """Errors of Lambda^-1, the contact force and Qdd."""
    labels = ("divide and conquer", "as printed", "short", "short, refined")
    yield f"| arm | n | {' | '.join(labels)} |"
    yield "|---|---|" + "---|" * len(labels)
    for arm in ARMS:
        kind, *options = arm.split(":")
        for n in chosen:
            found = errors(problems.load(":".join((kind, str(n), *options))))
            cells = (", ".join(f"{found[label][name]:.0e}" for name in ANSWERS) for label in labels)
            yield f"| `{arm}` | {n} | {' | '.join(cells)} |"


def listing() -> Iterator[str]:
    """The program at n = 4, without Newton-Euler."""
    lines = str(divide_and_conquer.program(4)).splitlines()
    begin = next(k for k, line in enumerate(lines) if line.strip().startswith("a. Projection"))
    end = next(k for k, line in enumerate(lines) if " II.b.2 " in line)
    yield "```text"
    yield from (line.rstrip() for line in (*lines[:begin], "      ...", *lines[end:]))
    yield "```"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "listing": listing,
    "sizes": sizes,
    "makespans": makespans,
    "accuracy": accuracy,
}


def with_tables(text: str) -> str:
    """The page with its tables made anew."""
    return MADE.sub(lambda found: found[1] + "\n" + "\n".join(TABLES[found[2]]()) + "\n\n", text)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
