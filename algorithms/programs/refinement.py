"""Steps V and VI, which the paper does not have: the whole solution refined by the factors that Step I left.

    V.a   II.b.1 again, with Qdd_0: what these accelerations leave of tau
    V.b   II.b.2 to II.d again, for that: the correction of Qdd_0, and Vdot_0
    V.c   the sum
    VI    the same with Qdd and F, and II.b.2 to IV

Every step of refinement multiplies the errors by about the relative error of the program. Only what depends
on what was found is made again: rotations, velocities, A and its factors stay. A label ends in that of the
step repeated: VI.a.1.II.b.1.ii is II.b.1.ii in the first step of refinement. Values made again have the mark
.V1 or .VI1, and Qdd(1) is a sum. II.d.2 adds what the correction does to the end effector to its acceleration
in the motion found. So Step III gives the correction of F if K_F, d and k2, which F has, are zero (III.1').
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from senn.algorithms.arm import Lines
from senn.algorithms.arm.letters import *
from senn.algorithms.arm.letters import contact_values
from senn.algorithms.kernels.end_effector import general_force
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.robots.side_tree import BRANCH_QDD, BRANCH_QDD_0
from senn.machine.program import *  # the words of a program
from senn.machine.program.flow import operands_of
from senn.machine.rewrite.lines import target_of, with_operands, with_values

Results = dict[str, tuple[int, Value]]
"""The results of a program by name: the array that has it, and the value."""


def refined(
    contact: ContactShape, times: int, steps: Callable[..., Lines], results: Results
) -> tuple[list[Instruction], Results]:
    """Steps II to VI and the results, from the `steps` II to IV of joints that accelerate with `qdd` and an
    end effector that exerts the wrench `tip`, or neither; F_T is what these leave of tau."""
    lines, of_contact = [*steps()], contact_values(contact)
    unknowns = [UNKNOWNS] if contact.kind == "general" else []

    def found(*names: str) -> list[Value]:
        return [results[name][1] for name in names if name in results]

    def in_contact() -> Lines:
        for x in (of_contact[letter] for letter in ("K_F", "d", "k2") if letter in of_contact):
            yield Compute("III.1'", x, minus(x, x))
        for x in unknowns:
            yield Compute("III.1''", of_contact["k1"], general_force(of_contact["M1"], x, of_contact["k1"]))
        yield from steps(qdd=QDD, tip=FORCE[0])

    def open_chain() -> Lines:
        return (line for line in steps(qdd=QDD_0) if line.phase == "II")

    closed = found("qdd", "force", BRANCH_QDD) + unknowns
    step_v = _refined("V", times, lines, open_chain, found("qdd0", BRANCH_QDD_0))
    step_vi = _refined("VI", times, lines, in_contact, closed, of_contact.values())
    latest = {}
    for name, (array, x) in results.items():
        sums, again = step_v if name in _OF_OPEN_CHAIN else step_vi
        # parts of interbody forces are of the last correction, and of the motion that it corrects
        latest[name] = array, again.get(x, x) if name.startswith(PARTS) else sums.get(x, again.get(x, x))
    return lines, latest


_OF_OPEN_CHAIN = ("qdd0", "acceleration0", BRANCH_QDD_0)


def of_open_chain(x: Value) -> Value:
    """The value of Step V in the place of x of Step VI."""
    return Value(x.letter.replace(".VI", ".V"), x.level, x.shape)


def _refined(
    phase: str,
    times: int,
    lines: list[Instruction],
    steps: Callable[[], Lines],
    found: Iterable[Value],
    also: Iterable[Value] = (),
) -> tuple[dict[Value, Value], dict[Value, Value]]:
    """Add the lines of so many steps; return the latest sum of each value found, and the latest of each value
    made again. `also`: other values that `steps` begins with."""
    sums, again = {x: x for x in found}, dict[Value, Value]()
    for k in map(str, range(1, times + 1)):
        again = sums | {x: x for x in also}
        written = {target_of(line) for line in lines}
        for line in _repeated(steps(), f".{phase}{k}", again, written):
            part = "a" if line.step.startswith(("II.a.", "II.b.1.")) else "b"
            lines.append(changed(line, step=f"{phase}.{part}.{k}.{line.step}"))
        for rank, x in enumerate(found, 1):
            new = Value(f"{x.letter}({k})", x.level, x.shape)
            lines.append(Compute(f"{phase}.c.{k}.{rank}", new, plus(sums[x], again[x])))
            sums[x] = new
    return sums, again


def _repeated(lines: Lines, mark: str, again: dict[Value, Value], written: set[Value | None]) -> Lines:
    """Lines that read a value which comes `again`, and lines whose target is not yet `written`."""
    for line in lines:
        if isinstance(line, Compute | Name):
            x = line.target
            if any(y.value in again for y in operands_of(line)):
                line = with_operands(line, lambda y: replace(y, value=again.get(y.value, y.value)))
                again[x] = Value(x.letter + mark, x.level, x.shape)
                yield changed(line, target=again[x])
            elif x not in written:
                yield line
        elif isinstance(line, Send | Arrange) and all(x in again for x in line.values):
            yield with_values(line, lambda x: again[x])
