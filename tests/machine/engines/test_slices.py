"""Numbers by slices against the lockstep engine, which gathers the operands of every process: equal bits."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from senn.algorithms import catalogue, problems
from senn.algorithms.programs import variants
from senn.algorithms.programs.newton_euler import NEWTON_EULER
from senn.algorithms.programs.numerics import memory
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines import lockstep, slices
from senn.machine.engines.runs import Unfit, resolved
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import PR1, Compute, Program, Send, Value, i
from tests.exhaustive import covering
from tests.machine.random_programs import case
from tests.machine.small_programs import program as one_stream
from tests.machine.small_programs import total

Numbers = dict[str, np.ndarray]


def assert_same(program: Program, numbers: Numbers) -> None:
    computed = slices.results(resolved(program), numbers)
    table = allocation.named("identity", program.n, "migrating")
    expected = lockstep.results(place(program, table, model.load("ideal")), [numbers])
    assert {name: (block.shape, block.dtype, block.tobytes()) for name, block in computed.items()} == {
        name: (block[0].shape, block.dtype, block[0].tobytes()) for name, block in expected.items()
    }


def arm(text: str, **options: Any) -> tuple[Program, Numbers]:
    problem = problems.load(text)
    contact = problem.contact.constrained
    program = variants.closed_chain(problem.chain.n, joints=problem.chain.joints, contact=contact, **options)
    return program, memory(problem)


def drawn(program: Program) -> tuple[Program, Numbers]:
    """A program with any numbers in memory."""
    rng = np.random.default_rng(1)
    values = {x.value for x in program.resident}
    names = {x: x.letter if x.level is None else f"{x.letter}[{x.level}]" for x in values}
    return program, {names[x]: rng.normal(size=(program.n, *x.shape)) for x in sorted(values, key=str)}


SOLVERS = [(form, elimination) for form in variants.FORMS for elimination in variants.ELIMINATIONS]


@pytest.mark.fast("short-oee", "omega-oer")
@pytest.mark.parametrize(("form", "elimination"), SOLVERS)
def test_a_closed_chain(form: str, elimination: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many processes a kernel is evaluated for at once."""
    for n in (2, 3, 5, 8, 13, 33):
        monkeypatch.setattr(slices, "LANES", n % 7 + 1)
        assert_same(*arm(f"random:{n}:seed={n}", form=form, elimination=elimination))
        if n < 20:
            text = f"random:{n}:prismatic=0.3:seed={n}"
            assert_same(*arm(text, form=form, elimination=elimination, refine=n % 3))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("form", "elimination"), SOLVERS)
def test_a_long_closed_chain(form: str, elimination: str) -> None:
    for n in (1023, 9000):
        assert_same(*arm(f"random:{n}", form=form, elimination=elimination))


EVERY = [
    (form, elimination, strategy, motion, arrays, ahead)
    for form, elimination, strategy, motion, arrays, ahead in product(
        variants.FORMS, variants.ELIMINATIONS, variants.STRATEGIES, NEWTON_EULER, (1, 2), (False, True)
    )
    if form != "paper" or motion == "recurrences"
]
CHOICES = [EVERY[k] for k in covering([dict(enumerate(map(str, choice))) for choice in EVERY], 2)]
"""Any two values of two choices meet in one of them."""


@pytest.mark.fast(every=1)
@pytest.mark.parametrize(("form", "elimination", "strategy", "motion", "arrays", "ahead"), CHOICES)
def test_a_variant(form: str, elimination: str, strategy: int, motion: str, arrays: int, ahead: bool) -> None:
    options = {"strategy": strategy, "motion": motion, "arrays": arrays, "ahead": ahead, "refine": 1}
    assert_same(*arm("random:13:seed=4", form=form, elimination=elimination, **options))


@pytest.mark.parametrize("constrained", range(7))
def test_a_contact(constrained: int) -> None:
    assert_same(*drawn(variants.closed_chain(6, "short", contact=constrained)))


FITTING = {
    *("closed-chain", "open-chain", "divide-and-conquer", "hybrid", "mass-matrix-inversion"),
    *("inverse-dynamics", "lambda-inverse", "lambda", "lambda-inverse-times", "lambda-times"),
}


PROGRAMS = [name for name, entry in catalogue.ALGORITHMS.items() if not entry.whole]
"""Of any numbers; those with a serial solution solve a problem of their own."""


@pytest.mark.fast("inverse-dynamics", "hybrid", "star")
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_algorithm(name: str) -> None:
    try:
        assert_same(*drawn(catalogue.algorithm(name).program(8)))
    except Unfit:
        assert name not in FITTING
    else:
        assert name in FITTING


def test_random_programs_have_the_same_numbers_or_are_refused() -> None:
    same = 0
    for seed in range(30):
        program, _, _, numbers = case(seed)
        try:
            assert_same(program, numbers)
            same += 1
        except (Unfit, InputError):
            continue
    assert same > 2


def test_a_value_of_one_process_reaches_all() -> None:
    """x of process 2 goes to both neighbours, y of process 3 on to the last: x_2 = (2, 3), sums and all."""
    w, x, y, z = (Value(name, None, (2,)) for name in "wxyz")
    lines = [
        Send("1", x, PR1[i - 1], PR1[i + 1]),
        Compute("2", w, total(1)(x[i + 1], x[i + 1])),
        Compute("3", y, total(1)(x[i - 1], x[i - 1])),
        Send("4", y, PR1[i + 1]),
        Compute("5", z, total(1)(y[i - 1], y[i - 1])),
    ]
    results = {letter: (1, value) for letter, value in zip("wyz", (w, y, z), strict=True)}
    program = one_stream(4, lines, resident=[(x, 1, i == 2)], results=results)
    numbers = {"x": np.arange(8.0).reshape(4, 2)}
    assert_same(program, numbers)
    assert slices.results(resolved(program), numbers)["z"].tolist() == [[8.0, 12.0]]


def test_a_block_goes_after_its_last_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Form short of 256 links needs 165 numbers of each at a time; array by array they would be 431."""
    right, live = slices._computed, []

    def computed(*arguments: Any) -> slices.Slice:
        live.append(sum(rows.block.size for rows in arguments[2].values() if rows.block.base is None))
        return right(*arguments)

    monkeypatch.setattr(slices, "_computed", computed)
    program, numbers = arm("random:256", form="short")
    slices.results(resolved(program), numbers)
    assert 100 < max(live) / 256 < 180


def test_a_result_that_no_line_writes_is_refused() -> None:
    x, y = Value("x", None, (2,)), Value("y", None, (2,))
    program = one_stream(3, [Compute("1", y, total(1)(x))], resident=[(x, 1)], results={"y": (2, y)})
    with pytest.raises(Unfit, match="no line writes the result y"):
        slices.results(resolved(program), {"x": np.ones((3, 2))})
