"""Data and figure of statements.md: what the papers say beside the claims, and what decides it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes

import senn
from experiments.page import Figures, Tables, data, head, order, row
from experiments.paper import one_load, statements_of_others
from senn.algorithms import problems
from senn.algorithms.blocks import Blocks, full, layout, times
from senn.algorithms.family import costs
from senn.algorithms.kernels import system
from senn.algorithms.kernels.operators import carried
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.programs import variants
from senn.machine.program import Compute, Instruction, Operations, Program, Send
from senn.machine.program.counting import Tally
from senn.machine.rewrite import keep
from senn.traces.pictures import style
from senn.traces.pictures.style import LOOKS
from tests.oracles import constraint_force, dense, extended, pivots
from tests.oracles import one_load as oracle

_PACKED, _BLOCK = (15,), (5, 5)
LONG = "random:1024"


# ------------------------------------------------------------------------- experiments


def ldl_is_serial() -> str:
    """A phi = psi by block LDL' as three scans."""
    ways = (partial(pivots.solution, serial=x) for x in (False, True))
    scans, serial = map(order, _errors(LONG, *ways))
    return f"three scans of 10 levels solve {LONG} with error {scans}; serially {serial}"


def logarithmic() -> str:
    """Errors of an elimination that leaves out its last levels."""
    some, bent = map(order, _after("random:4096", 1.0, (7, 12)))
    few, straight = map(order, _after("snake:1024", 0.0, (7, 10)))
    return (
        f"random:4096: error {some} after 7 levels, {bent} after 12; snake:1024, straight: {few} after 7, "
        f"{straight} after 10"
    )


def _after(text: str, bent: float, levels: Iterable[int]) -> list[float]:
    return _errors(text, *(partial(pivots.stopped, levels=k) for k in levels), bent=bent)


def _errors(text: str, *ways: Callable[[Blocks, Blocks, Blocks], Blocks], bent: float = 1.0) -> list[float]:
    """Of A phi = psi, against block LDL' in 80-bit arithmetic."""
    A, B = pivots.blocks_of(text, bent)
    psi = np.random.default_rng(0).standard_normal((len(A), 5, 1))
    right = pivots.solution(*(x.astype(np.longdouble) for x in (A, B)), psi, serial=True).astype(float)
    return [np.linalg.norm(way(A, B, psi) - right) / np.linalg.norm(right) for way in ways]


def levels_needed() -> Axes:
    """Errors over levels, of a long random arm and of a snake that is straightened."""
    ax = pyplot.figure(figsize=(9.0, 4.6), layout="constrained").subplots()
    arms = [("random:4096", 1.0), *(("snake:1024", bent) for bent in (1.0, 0.3, 0.1, 0.0))]
    for (color, marker), (text, bent) in zip(LOOKS, arms, strict=False):
        label = text + {1.0: "", 0.0: ", straight"}.get(bent, f", angles x {bent:g}")
        levels = range(1, 11)
        ax.plot(levels, _after(text, bent, levels), color=color, marker=marker, label=label)
    ax.set_yscale("log")
    ax.set_xlabel("levels of elimination")
    ax.set_ylabel("error of A phi = psi")
    ax.grid()
    lines, _ = ax.get_legend_handles_labels()
    style.headed(ax, "The more an arm is bent, the fewer levels it needs", lines, columns=3)
    return ax


def positive_definite() -> str:
    """Pivots, and the sums of two neighbours' couplings by level."""
    A, B = pivots.blocks_of(LONG)
    least = np.linalg.eigvalsh(pivots.recursion(A, B)).min()
    largest = [sums.max() for sums in pivots.couplings(A, B)]
    level = next(k for k, x in enumerate(largest, 1) if x < 1)
    return (
        f"{LONG}: eigenvalues of pivots from {least:.2g} on; blocks dominate their rows from level "
        f"{level} on (neighbours at most {largest[0]:.2f} at level 1, {largest[level - 1]:.2f} there)"
    )


def recurrences() -> str:
    """(86)-(88) in both frames, and the end effector's acceleration with and without (86)."""
    problem, program = problems.load(LONG), variants.closed_chain(8)
    right = extended.solve(problem).acceleration0.astype(float)
    answers = (constraint_force.solve(problem, recurrences=x).acceleration0 for x in (True, False))
    printed, local = (order(np.linalg.norm(x - right) / np.linalg.norm(right)) for x in answers)
    summed, projected = _flops(program, "II.d.1", "IV.a"), _flops(program, "II.a.2.ii", "II.a.3.iii")
    own = 2 * carried.cost((3, 3), (3,), (6,)).flops + 1  # and H Qdd_0
    return (
        f"{summed + projected} operations a link in frame N+1, {own} in frame i; in parallel {summed}, "
        f"as b' shares the projection; without them the tip of {LONG} has error {local}, not {printed}"
    )


def explicit_inverse() -> str:
    """M^-1 column by column, by the program for the open chain."""
    arm = problems.load("random:16").at(gravity=np.zeros(3), qd=np.zeros(16), contact="free")
    quick = {"algorithm": "open-chain", "engine": "lockstep", "detail": "summary"}
    columns = [senn.run(arm.at(tau=unit), **quick).result["qdd"] for unit in np.eye(16)]
    expected = np.linalg.inv(dense.mass_matrix(arm.chain, arm.q))
    error = np.linalg.norm(np.stack(columns, axis=1) - expected) / np.linalg.norm(expected)
    return f"by 16 runs with unit torques M^-1 of random:16 has error {order(float(error))}"


def last_pivot() -> str:
    """Serial cyclic reduction beside elimination and block LDL'."""
    A, B = pivots.blocks_of(LONG)
    ways = (pivots.reduction(A, B), pivots.recursion(A, B)[-1:])
    reduced, serial = (order(pivots.error(way, pivots.exact(LONG)[-1:])) for way in ways)
    line = dict(zip(*(data("claims", "ldl-serially-1")[k] for k in (0, -1)), strict=True))
    return (
        f"n = {line['n']}: {line['elimination/LDL']} and {line['reduction/LDL']} times the operations of "
        f"block LDL'; error of the last pivot {reduced}, by LDL' {serial}"
    )


def on_a_hypercube() -> str:
    """Network steps of the open chain on both networks."""
    cube = {"machine.network": "hypercube", "machine.routing": "e-cube"}
    sizes, name = (8, 16, 64), "open-chain"
    there = senn.steps(sizes, algorithm=name, residency="home", allocation="gray", set=cube)
    here = senn.steps(sizes, algorithm=name)
    laws = (senn.fits(table)["network_steps"] for table in (there, here))
    return "open chain: {} network steps (Gray code, data at home), {} on SENN".format(*laws)


def several_arms() -> str:
    """Three arms on one load against a dense system."""
    arms, grips = one_load.held("ssrms", "random:9:seed=1", "random:9:seed=2")
    (joints, _), (expected, _) = one_load.solve(arms, grips), oracle.solve(arms, grips, one_load.INERTIA)
    error = order(float(np.linalg.norm(joints - expected) / np.linalg.norm(expected)))
    return (
        f"as one chain: station25; as three arms of {len(joints)} joints on one load, without a new "
        f"program: error {error}"
    )


# ------------------------------------------------------------------------------ counts


def jdot() -> str:
    """What the program for b has more if it also gives Jdot Q."""
    program = variants.closed_chain(1024)
    values = {line.target.text(): line.target for line in program.streams[1] if isinstance(line, Compute)}
    ends = {name: (2, values[f"{name}_i^10"]) for name in ("v", "wdot")}
    whole = replace(program, results={"b": (2, values["b_i"]), **ends})
    alone, both = (len(keep(whole, *names).streams[1]) for names in (("b",), ("b", "v", "wdot")))
    return f"n = 1,024: {both - alone} of {both} instructions are for Jdot Q alone"


def other_contacts() -> str:
    """Lines that differ between programs."""
    shapes = [ContactShape("I", k) for k in range(1, 6)] + [ContactShape("II", 3), ContactShape("general")]
    welded = list(_lines(variants.closed_chain(8)))
    usual = set(map(str, welded))
    others = [
        [x.step for x in _lines(variants.closed_chain(8, contact=y)) if str(x) not in usual] for y in shapes
    ]
    steps = {step[:5] for lines in others for step in lines}
    return f"at most {max(map(len, others))} of {len(welded)} instructions differ, all in {', '.join(steps)}"


def most_expensive() -> str:
    """Operations a link of M^-1 times a vector, Eq. (81), and of the six columns of Eq. (84)."""
    none, once, columns = (costs.constraint_forces(k, c).flops for k, c in ((0, 0), (1, 0), (1, 6)))
    whole = once - costs.BIAS.flops
    ldl = _pair() - system.solve.cost(_PACKED, _BLOCK).flops
    ldl += system.transposed_product.cost(_BLOCK, _BLOCK).flops + 15
    return (
        f"{ldl} of {whole} operations a link ({ldl / whole:.0%}), {once - none} to apply the factors; the "
        f"six columns of (84) take {columns - once}"
    )


def _pair() -> int:
    """C and F of a level, Eqs. (90)-(91), by the factor of A."""
    return system.ldl.cost(_PACKED).flops + 2 * system.solve.cost(_PACKED, _BLOCK).flops


def explicit_blocks() -> str:
    """C and F of a level, both ways."""
    tally = Tally()
    inverse = full(inverted(tally.scalars(*_PACKED)))
    for _ in range(2):
        times(inverse, tally.scalars(*_BLOCK))
    return f"{_pair()} operations for both products of a level, {tally.operations.flops} by explicit inverses"


def inverted(packed: Blocks) -> Blocks:
    """The inverse of a packed block (15,), by Gauss-Jordan on its triangle."""
    a, at = packed.copy(), layout(5)
    for k in range(5):
        rest = [r for r in range(5) if r != k]
        pivot, column = 1.0 / a[at[k, k]], {r: a[at[r, k]] for r in rest}
        scaled = {r: column[r] * pivot for r in rest}
        for r in rest:
            for c in (c for c in rest if c <= r):
                a[at[r, c]] = a[at[r, c]] - column[r] * scaled[c]
            a[at[r, k]] = scaled[r]
        a[at[k, k]] = -pivot
    return -a


def scalar_systems() -> str:
    """A level of either strategy with every block one number."""
    return "a level takes {} operations and {} words, by strategy 2 {} and {}".format(
        *_scalar(1), *_scalar(2)
    )


def _scalar(strategy: int) -> tuple[int, int]:
    lines = [x for x in variants.closed_chain(16, strategy=strategy).streams[0] if x.level == 2]
    flops = words = 0
    for line in (x for x in lines if x.step.startswith("I.b")):
        if isinstance(line, Compute):
            shapes = [(1,) * len(x.value.shape) for x in line.expression.operands]
            flops += line.expression.kernels[0].cost(*shapes).flops
        elif isinstance(line, Send):
            words += sum(to.array == 1 for to in line.destinations)
    return flops, words


def _flops(program: Program, *steps: str) -> int:
    """Operations of an interior process in these steps, loops by their first level."""
    lines = (x for x in _lines(program) if isinstance(x, Compute) and x.level in (None, 1))
    found = (x.expression for x in lines if x.step.startswith(steps))
    return sum((x.operations(x.kernels[0]) for x in found), start=Operations()).flops


def _lines(program: Program) -> Iterator[Instruction]:
    return (line for stream in program.streams for line in stream)


# -------------------------------------------------------------------------------- rows

OF_FIJANY = (
    *(jdot, other_contacts, explicit_inverse, recurrences, most_expensive, ldl_is_serial, logarithmic),
    *(last_pivot, explicit_blocks, scalar_systems, on_a_hypercube, several_arms, positive_definite),
)
FIGURES_OF_ROWS: tuple[Callable[[], str], ...] = (*OF_FIJANY, *statements_of_others.OF_OTHERS)
"""What decides each row of statements.csv, in its order: a figure with its unit and its scope."""


def statements() -> Iterator[str]:
    """statements.csv with every figure computed anew; source, sentence and verdict stand in the file."""
    titles, *rows = data("statements", "statements")
    yield from head(*titles)
    for (*texts, _), decide in zip(rows, FIGURES_OF_ROWS, strict=True):
        yield row(*texts, decide())


DATA: Tables = {"statements": statements}
FIGURES: Figures = {"statements": levels_needed}
