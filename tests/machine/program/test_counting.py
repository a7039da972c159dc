"""What the arithmetic of a kernel costs, and which kernels are refused where their program is made."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms import blocks
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.model.machine import of_description
from senn.machine.program import Compute, Kernel, Operations, Program, Resident, Send, i, value
from senn.machine.program.counting import Scalar, Tally, known
from senn.machine.timing import Retiming, sensitivities

A, B, Y = value("a", 4), value("b", 4), value("y", 4)
RNG = np.random.default_rng(29)
GIVEN = {"a": RNG.normal(size=(5, 4)), "b": RNG.normal(size=(5, 4))}
Function = Callable[..., np.ndarray]


def program(function: Function, operands: int = 1, **more: Any) -> Program:
    """y = f(a) or f(a, b) at five processes."""
    read = (A, B)[:operands]
    kernel = Kernel("f", "f of {0}", function, **more)
    held = tuple(Resident(x, (1,)) for x in read)
    return Program("one kernel", 5, ((Compute("S.1", Y, kernel(*read)),),), held, {"y": (1, Y)})


def counted(function: Function, operands: int = 1) -> Operations:
    return Kernel("f", "f of {0}", function).cost(*((4,),) * operands)


# ------------------------------------------------------------------- the counting scalar


def test_counting_by_hand() -> None:
    """(a + b - c) * d / e with plain numbers among them: 2 additions, 1 multiplication, 1 division."""
    tally = Tally()
    a, b = tally.scalars(2)
    assert isinstance(-(((a + b) - 1.0) * 2.0 / b), Scalar)
    assert tally.operations == Operations(multiply=1, add=2, divide=1)
    assert isinstance(1.0 / (2.0 * (1.0 + (0.0 - a))), Scalar)
    assert tally.operations == Operations(multiply=2, add=4, divide=2)


def test_counting_over_arrays() -> None:
    """3 elements each: cosine and sine, a product with zeros; copying and changing a sign are free."""
    tally = Tally()
    x = tally.scalars(3)
    y = np.stack([np.cos(x), -np.sin(x)], axis=-1).copy()
    assert tally.operations == Operations(trig=6)
    y[..., 0] = y[..., 0] * np.zeros_like(x) + np.ones_like(x)
    assert tally.operations == Operations(multiply=3, add=3, trig=6)


@pytest.mark.parametrize(
    ("function", "operands", "expected"),
    [
        (np.minimum, 2, Operations(compare=4)),
        (np.maximum, 2, Operations(compare=4)),
        (lambda a: a.max(axis=1, keepdims=True) + a, 1, Operations(add=4, compare=3)),
        (lambda a: np.clip(a, -1, 1), 1, Operations(compare=8)),
        (abs, 1, Operations(compare=4)),
        (np.sign, 1, Operations(compare=4)),
        (np.sqrt, 1, Operations(root=4)),
        (lambda a: a**0.5 + a**2, 1, Operations(multiply=4, add=4, root=4)),
        # Both sides are computed, and one is taken.
        (lambda a, b: np.where(a < b, a + 1, b * b), 2, Operations(multiply=4, add=4, compare=4)),
        (lambda a: np.where((a > 0) & ~(a > 1), a, 0.0), 1, Operations(compare=16)),
        (lambda a: (a > 0) * a, 1, Operations(multiply=4, compare=4)),
        (lambda a: np.where([True, False, True, False], a, 2 * a), 1, Operations(multiply=2)),
        # |a| of the vector: 4 products, 3 sums, a root; and four quotients.
        (lambda a: a / np.linalg.norm(a, axis=1, keepdims=True), 1, Operations(4, 3, 4, 0, 0, 1)),
        # What is never read is not executed: one product of four, and no sum.
        (lambda a: np.repeat((a * a + 0 * (a + a))[:, :1] - a[:, :1], 4, axis=1), 1, Operations(2, 3)),
        (lambda a: np.concatenate([(a * a)[:, :1], a[:, 1:]], axis=1), 1, Operations(multiply=1)),
        (lambda a: a @ np.ones((4, 4)), 1, Operations(16, 12)),
        (lambda a: np.zeros_like(a), 1, Operations()),
    ],
)
def test_operations_by_hand(function: Function, operands: int, expected: Operations) -> None:
    assert counted(function, operands) == expected


def test_a_sorting_network_sorts_and_costs_its_comparisons() -> None:
    """Batcher's of four numbers has five exchanges, a minimum and a maximum each."""

    def sort(a: np.ndarray) -> np.ndarray:
        x = a.copy()
        for low, high in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
            pair = np.minimum(x[:, low], x[:, high]), np.maximum(x[:, low], x[:, high])
            x[:, low], x[:, high] = pair
        return x

    assert counted(sort) == Operations(compare=10)
    run = senn.solved(program(sort), GIVEN, "ideal", check=True)
    np.testing.assert_array_equal(run.result["y"], np.sort(GIVEN["a"], axis=1))


def test_pivots_are_found_at_no_cost_in_their_routine_alone() -> None:
    """The 4x4 system of elimination with partial pivoting: 36 and 26 and 4, as before; and in two kernels."""
    whole = Kernel("whole", "{0}", lambda a, x: blocks.pivoted(a, x)).cost((4, 4), (4,))
    first = Kernel("first", "{0}", blocks.decomposed).cost((4, 4))
    second = Kernel("second", "{0}", blocks.solved).cost((4, 5), (4, 1))
    assert whole == first + second == Operations(36, 26, 4)
    squares = Kernel("squares", "{0}", lambda lu, x: blocks.solved(lu, x * x)).cost((4, 5), (4, 1))
    assert squares == second + Operations(multiply=4)  # every row of x is read, in whichever order
    with pytest.raises(InputError, match="a decision needs a number"):
        counted(lambda a: np.take_along_axis(a, a.argmax(axis=1)[:, None], axis=1))


# ------------------------------------------------------------------- what is refused, and where

MIXING = [
    lambda a: np.broadcast_to(a.sum(axis=0), a.shape),
    lambda a: np.roll(a, 1, axis=0),
    lambda a: a[::-1],
    lambda a: np.cumsum(a, axis=0),
    lambda a: a @ a.T @ a,
    lambda a: a * np.arange(len(a))[:, None],  # by the place in the block
    lambda a: np.repeat(np.arange(float(len(a)))[:, None], 4, axis=1),
]


@pytest.mark.parametrize("function", MIXING)
def test_a_kernel_that_mixes_processes_is_refused_where_the_program_is_made(function: Function) -> None:
    with pytest.raises(InputError) as refused:
        program(function)
    assert str(refused.value) == (
        "S.1: kernel f mixes processes: a result of one depends on numbers of another, which only a message "
        "may bring, or on its place in the block. The first axis counts processes: reduce and shift along "
        "the others"
    )


@pytest.mark.parametrize(
    "function", [lambda a: np.roll(a, 1, axis=1), lambda a: np.cumsum(a, axis=1), lambda a: a[:, ::-1]]
)
def test_a_kernel_may_mix_the_words_of_its_process(function: Function) -> None:
    assert program(function).n == 5


@pytest.mark.parametrize(
    ("function", "operands", "reason"),
    [
        (lambda a: 3 * a if a[0, 0] > 0 else -a, 1, "a decision needs a number"),
        (lambda a: 3 * a if a.sum() > 0 else -a, 1, "a decision needs a number"),
        (lambda a: np.sort(a, axis=1), 1, "a decision needs a number"),
        (lambda a: a[a > 0], 1, "IndexError: arrays used as indices"),
        (lambda a, b: a.astype(int) + b.astype(int), 2, "int() argument"),
        (lambda a: a.astype(np.float32), 1, "float() argument"),
        (lambda a: (a[:, :1] + 1j * a[:, 1:2]) * a, 1, "compute with real and imaginary parts"),
        (lambda a: a * np.exp(0.5j), 1, "compute with real and imaginary parts"),
        (np.exp, 1, "no callable exp method"),
        (lambda a: a**3, 1, "unsupported operand type(s) for **"),
        (lambda a: np.nan_to_num(a), 1, "nan_to_num is not counted"),
        (lambda a: np.multiply(a, 2, out=a), 1, "read-only"),
        (lambda a, b: a, 1, "missing 1 required positional argument"),
    ],
)
def test_what_cannot_be_counted_is_refused_with_the_way_out(
    function: Function, operands: int, reason: str
) -> None:
    with pytest.raises(InputError) as refused:
        program(function, operands)
    text = str(refused.value)
    assert text.startswith("S.1: kernel f")
    assert reason in text
    assert text.endswith(
        "Choose with np.where, np.minimum or np.maximum, compute in floating point, or give the cost: "
        "Kernel(..., declared=Operations(...))"
    )
    assert "\n" not in text
    here = function is not np.exp and "positional" not in reason
    assert (" of test_counting.py) fails where" in text) == here, text


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda a: a.sum(axis=0), "returns shape (4,) for two processes"),
        (lambda a: a.sum(axis=0, keepdims=True), "returns shape (1, 4) for two processes"),
        (lambda a: None, "returns NoneType for two processes"),
        (lambda a: [a], "returns list for two processes"),
        (lambda a: a[:, :3], "makes blocks of shape (3,), but its target has (4,)"),
    ],
)
def test_a_result_of_another_shape_is_refused_where_the_program_is_made(
    function: Function, text: str
) -> None:
    with pytest.raises(InputError) as refused:
        program(function)
    assert str(refused.value).startswith(f"S.1: kernel f {text}")


def test_with_an_operand_absent_a_kernel_is_looked_at_before_it_computes() -> None:
    """At process 1 nothing arrives; there the kernel mixes, which a count with all operands cannot show."""

    def mixing(own: np.ndarray, arrived: np.ndarray | None) -> np.ndarray:
        return np.roll(own, 1, axis=0) if arrived is None else own + arrived

    kernel = Kernel("f", "{0} + {1}", mixing, runs_without_operands=True)
    stream = (Send("S.0", A, senn.PR1[i + 1]), Compute("S.1", Y, kernel(A, A[i - 1].or_zero)))
    made = Program("ends", 5, (stream,), (Resident(A, (1,)),), {"y": (1, Y)})
    assert senn.timed(made, "ideal", "home").summary["makespan"] == 1 + 4  # a post and four sums
    for engine, detail in (("events", "full"), ("events", "summary"), ("lockstep", "summary")):
        with pytest.raises(InputError, match=r"^S\.1: kernel f mixes processes"):
            senn.solved(made, GIVEN, "ideal", "home", engine=engine, detail=detail)


def test_whole_and_true_results_are_refused_in_one_line() -> None:
    for function, kind in ((lambda a: a > 0, "bool"), (lambda a: np.zeros(a.shape, dtype=int), "int64")):
        with pytest.raises(InputError, match=f"^S.1: kernel f made {kind} of float64; a kernel keeps"):
            senn.solved(program(function), GIVEN, "ideal")


# ------------------------------------------------------------------- declared costs


def test_a_declared_kernel_is_charged_as_declared_and_sees_one_process() -> None:
    """An exponential takes what its maker says; a roll along the processes finds only one there."""
    run = senn.solved(
        program(lambda a: np.roll(np.exp(a), 1, axis=0), declared=Operations(multiply=8, root=1)),
        GIVEN,
        model.load("ideal").with_settings({"timing.flop": 2, "timing.root": 11}),
        check=True,
    )
    assert run.summary["makespan"] == 8 * 2 + 11
    np.testing.assert_array_equal(run.result["y"], np.exp(GIVEN["a"]))
    assert senn.Operations is Operations


@pytest.mark.parametrize(
    "declared",
    [5, Operations(add=-4), Operations(add=2.5), Operations(add=10**400), lambda present: None],  # type: ignore[arg-type]
)
def test_a_declared_cost_that_is_none_is_refused(declared: Any) -> None:
    with pytest.raises(InputError, match=r"^S\.1: kernel f: declared is .*; write Operations\(multiply=36"):
        program(lambda a: a, declared=declared)


# ------------------------------------------------------------------- what a machine takes for them


def test_a_comparison_takes_an_addition_and_a_root_a_division_unless_they_have_times_of_their_own() -> None:
    plain = model.load("ideal").with_settings({"timing.add": 3, "timing.divide": 7})
    on = {"compare": np.minimum, "root": lambda a, b: np.sqrt(a)}
    times = {name: senn.timed(program(f, 2), plain).summary["makespan"] for name, f in on.items()}
    assert times == {"compare": 12, "root": 28}
    own = plain.with_settings({"timing.compare": 5, "timing.root": "20.5"})
    times = {name: senn.timed(program(f, 2), own).summary["makespan"] for name, f in on.items()}
    assert times == {"compare": 20, "root": 82}
    assert of_description(own.describe()) == own
    assert not {"compare", "root"} & {*plain.describe()}  # as it was when runs were recorded
    assert plain.with_settings({"timing.add": 4}).timing.operations[4] == 4


@pytest.mark.parametrize("own", [{}, {"timing.compare": 30, "timing.root": 110}])
def test_slopes_and_retimed_makespans_of_comparisons_and_roots(own: dict[str, int]) -> None:
    """max(a, b)^(1/2) + a: 4 comparisons, roots and sums; times of tens of cycles, so that nothing rounds."""
    times = {"timing.flop": 20, "timing.add": 40, "timing.divide": 70, "timing.startup": 5, **own}
    machine = model.load("ideal").with_settings(times)
    schedule = senn.placed(program(lambda a, b: np.sqrt(np.maximum(a, b)) + a, 2), machine)
    retiming = Retiming(schedule, machine)
    rows = {row.name: row.more for row in sensitivities(retiming, machine, ())}
    expected = {"add": 4, "compare": 4, "root": 4} if own else {"add": 8, "divide": 4}
    assert {name: rows[name] for name in rows if name in ("add", "divide", "compare", "root")} == expected
    for name in expected:
        time = getattr(machine.timing, name) + 1
        changed = machine.with_settings({f"timing.{name}": time})
        retimed = int(retiming.makespans([changed]).cycles[0])
        assert retimed == senn.timed(schedule, changed).summary["makespan"]
        assert retimed - senn.timed(schedule, machine).summary["makespan"] == expected[name]


def test_products_and_sums_with_known_zeros_and_ones_are_free() -> None:
    """A row of the unit matrix times x, and [0, 1, x] . [x, x, x] + 1: one product and two sums are left."""
    tally = Tally()
    x = tally.scalars(3)
    one = known(np.eye(3), x)
    assert all((one[k] * x)[k] is x[k] for k in range(3))
    assert all(y is x[0] for y in (one[0, 1] + x[0], x[0] + one[0, 1]))
    assert tally.operations == Operations()
    row = np.array([*one[0, 1:2], *one[0, :1], x[0]], dtype=object)
    _ = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + one[0, 0]
    assert tally.operations == Operations(multiply=1, add=2)


def test_known_beside_numbers_are_numbers() -> None:
    assert known(np.eye(2), np.zeros(1)).tolist() == [[1.0, 0.0], [0.0, 1.0]]
