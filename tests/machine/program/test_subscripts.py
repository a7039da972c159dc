"""Fixed and computed processes, permutations and sets of processes, against plain loops and NumPy."""

import re
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

import senn
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines.lockstep import is_exact
from senn.machine.program import (
    PR1,
    PR2,
    Compute,
    Instruction,
    Kernel,
    ProcessSet,
    Program,
    Resident,
    Send,
    Subscript,
    Wait,
    bit_reversal,
    every,
    i,
    perfect_shuffle,
    permutation,
    subscripts,
    transposition,
    value,
)

X, Y = value("x", 1), value("y", 1)
SUM = Kernel("sum", "{0} + {1}", lambda own, other: own if other is None else own + other)
OWN = Kernel("own", "2 {0}", lambda own: 2 * own)

Written = Subscript | int | list[int]


def program(n: int, *lines: Instruction, second: tuple[Instruction, ...] = ()) -> Program:
    """A program of one array or two, with x = 1, 2, ..., n in the first; the last array makes y."""
    streams = (lines, second) if second else (lines,)
    return Program("subscripts", n, streams, (Resident(X, (1,)),), {"y": (len(streams), Y)})


def solved(made: Program, machine: str | model.Machine = "t800", residency: str = "home") -> list[float]:
    """y of x = 1, 2, ..., n, checked, and the same with both engines where lockstep is exact."""
    given, on = (
        {"x": np.arange(1.0, made.n + 1)[:, None]},
        model.load(machine) if isinstance(machine, str) else machine,
    )
    engines = ("events", "lockstep") if is_exact(on) else ("events",)
    runs = [
        senn.solved(made, given, on, residency, engine=engine, check=engine == "events") for engine in engines
    ]
    assert len({run.trace.hash for run in runs}) == 1
    return [float(y) for y in runs[0].result["y"].ravel()]


# ------------------------------------------------------------- permutations


def permutations(n: int) -> Iterator[tuple[Subscript, Subscript, list[int]]]:
    """What is sent to, what is read from, and whose x each process gets, counted from 1."""
    drawn = np.random.default_rng(n).permutation(n) + 1
    yield n + 1 - i, n + 1 - i, [*range(n, 0, -1)]
    yield permutation(drawn), permutation(drawn).inverse, (np.argsort(drawn) + 1).tolist()
    if n % 2 == 0:
        half = range(1, n // 2 + 1)
        yield perfect_shuffle(n), perfect_shuffle(n).inverse, [x for k in half for x in (k, k + n // 2)]
    if n % 3 == 0:
        matrix = np.arange(1, n + 1).reshape(3, n // 3)
        yield transposition(3, n // 3), transposition(n // 3, 3), matrix.T.ravel().tolist()
    if n in (1, 2, 4, 8):
        source = {1: [1], 2: [1, 2], 4: [1, 3, 2, 4], 8: [1, 5, 3, 7, 2, 6, 4, 8]}[n]
        yield bit_reversal(n), bit_reversal(n), source


MACHINES = [
    ("t800", {}),
    ("fijany", {"machine.network": "hypercube", "machine.routing": "e-cube"}),
    ("maspar", {}),
    ("t800", {"machine.network": "ring", "machine.ports": "one"}),
    ("t800", {"machine.dma": "false", "machine.routing": "greedy"}),
    ("t800", {"machine.network": "torus", "machine.control": "mimd"}),
]


@pytest.mark.fast(every=1)
@pytest.mark.parametrize(("name", "settings"), MACHINES)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 8, 9, 17])
def test_a_permutation_is_one_send_on_any_machine(n: int, name: str, settings: dict[str, str]) -> None:
    machine = model.load(name).with_settings(settings)
    for (to, origin, source), residency in product(permutations(n), ("home", "migrating")):
        send, made = Send("P.1", X, PR1[to]), Compute("P.2", Y, OWN(X[origin]))
        assert solved(program(n, send, made), machine, residency) == [2 * x for x in source]
        send = Send("P.1", X, PR2[to])
        assert solved(program(n, send, second=(made,)), machine, residency) == [2 * x for x in source]


def test_a_permutation_that_moves_is_read_at_the_place_of_its_level() -> None:
    """Two levels of a butterfly with a reversal in between, migrating: its processes have moved on."""
    a, n, m = senn.Letter("x", (1,)), 8, 3

    def level(j: int, h: int) -> Iterator[Instruction]:
        yield Send("B.1", a[j - 1], PR1[n + 1 - i])
        yield Compute("B.2", a[j], SUM(a[j - 1], a[j - 1][n + 1 - i]))
        yield senn.Arrange("B.3", a[j], j, j + 1 if j < m else 0)

    made = Program(
        "mirror", n, ((*senn.loop(n, level), Wait("B.4", a[m])),), (Resident(a[0], (1,)),), {"y": (1, a[m])}
    )
    numbers = np.random.default_rng(0).integers(0, 99, (n, 1)).astype(float)
    for residency in ("home", "migrating"):
        found = senn.solved(made, {"x[0]": numbers}, "t800", residency, check=True).result["y"]
        assert found.tolist() == (4 * (numbers + numbers[::-1])).tolist()


def test_a_perfect_shuffle_crosses_one_wire_of_the_network_named_after_it() -> None:
    made = program(
        16, Send("P.1", X, PR1[perfect_shuffle(16)]), Compute("P.2", Y, OWN(X[transposition(8, 2)]))
    )
    assert senn.placed(made, "t800", "home").messages.paths.hops.tolist() == [0, *[1] * 14, 0]


# ------------------------------------------------------------- maps that are no permutations


@pytest.mark.parametrize("n", [1, 2, 5, 8, 9])
@pytest.mark.parametrize(
    ("to", "origin", "source"),
    [
        (2 * i, i / 2, lambda k: k / 2),
        (2 * i - 1, (i + 1) / 2, lambda k: (k + 1) / 2),
        (i / 2, 2 * i, lambda k: 2 * k),
        (3 - i, 3 - i, lambda k: 3 - k),
        ((2 * i + 3) / 5, (5 * i - 3) / 2, lambda k: (5 * k - 3) / 2),
    ],
)
def test_a_map_reaches_the_processes_that_exist(
    n: int, to: Subscript, origin: Subscript, source: Callable[[int], float]
) -> None:
    """A process that nobody sends to keeps its own number."""
    lines = (Send("M.1", X, PR1[to]), Compute("M.2", Y, SUM(X, X[origin].or_zero)), Wait("M.3", Y))
    inside = range(1, n + 1)
    expected = [k + (source(k) if source(k) in inside else 0) for k in inside]
    assert solved(program(n, *lines)) == expected
    assert solved(program(n, *lines), residency="migrating") == expected


def test_a_fixed_process_sends_receives_and_is_read() -> None:
    """At process 5 its own x; at its neighbours, its message."""
    to_five = Send("F.1", X, PR1[5].only(i == 2))
    assert solved(program(9, to_five, Compute("F.2", Y, SUM(X, X[2]), i == 5))) == [7]
    from_five = Send("F.1", X, *(to.only(i == 5) for to in (PR1[i + 1], PR1[i - 1])))
    assert solved(program(9, from_five, Compute("F.2", Y, SUM(X, X[5]), (i > 3) & (i < 7)))) == [9, 10, 11]
    everybody = [
        Send("F.1", X, PR1[[5, 0, 0, 0, 1, 0, 0, 0, 0]]),
        Compute("F.2", Y, SUM(X, X[[5, 2, 3, 4, 1, *[0] * 4]])),
    ]
    assert solved(program(9, *everybody)) == [6, 4, 6, 8, 6]


def test_a_read_finds_the_message_however_it_was_sent() -> None:
    """Sent with ``i ^ 1``, read with ``i + 1`` and ``i - 1``, by a table or by a fixed process."""
    lines = [Send("R.1", X, PR1[i ^ 1])]
    lower, upper = every(2, 5), every(2, 6)
    reads = [Compute("R.2", Y, SUM(X, X[i + 1]), lower), Compute("R.3", value("z", 1), OWN(X[i - 1]), upper)]
    assert solved(program(6, *lines, *reads)) == [3, 7, 11]
    table = Compute("R.2", Y, SUM(X, X[[2, 1, 4, 3, 6, 5]]))
    assert solved(program(6, *lines, table)) == [3, 3, 7, 7, 11, 11]
    packed = [
        Send("R.1", X + value("z", 1), PR1[7 - i]),
        Compute("R.2", Y, SUM(X, X[permutation(range(6, 0, -1))])),
    ]
    made = program(
        6,
        Compute("R.0", value("z", 1), OWN(X)),
        *packed,
        Compute("R.3", value("w", 1), OWN(value("z", 1)[7 - i])),
    )
    assert solved(made) == [7] * 6


# ------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [Send("S.1", X, PR1[5])],
            "S.1 sends x_i to PR_{1,5} from processes 1 and 2: restrict it with .only(...)",
        ),
        (
            [Send("S.1", X, PR1[[0, 7, 0, 7, 0, 0, 0, 0, 0]])],
            "S.1 sends x_i to PR_{1,7} from processes 2 and 4",
        ),
        ([Send("S.1", X, PR1[i + 1]), Send("S.2", X, PR1[i ^ 1])], "S.2 sends x_1 to PR_{1,2} a second time"),
        (
            [Send("S.1", X, PR1[bit_reversal(8)])],
            "reversal(i) has 8 entries, but n = 9: make a table for each n",
        ),
        ([Send("S.1", X, PR1[perfect_shuffle(9)])], "shuffle(i) has 8 entries, but n = 9"),
        ([Compute("S.1", Y, OWN(X[10 - i]))], "S.1 reads x_9 at PR_{1,1}, but no Send delivers it there"),
        (
            [Compute("S.1", Y, SUM(X, X[10 - i].or_zero))],
            "S.1 reads x_9 at PR_{1,1}, but no Send delivers it there",
        ),
        (
            [Compute("S.1", Y, OWN(X[10 - i])), Send("S.2", X, PR1[permutation(range(9, 0, -1))])],
            "S.1 reads x_{10-i} in array 1, but S.2, which sends it, comes later: move it up",
        ),
        (
            [Send("S.1", X, PR1[10 - i]), Compute("S.2", Y, OWN(X))],
            "S.1 sends x_1 to PR_{1,9}, but nothing reads it there",
        ),
    ],
)
def test_a_program_with_wrong_processes_is_refused(lines: list[Instruction], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        senn.placed(program(9, *lines), "t800", "home")


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda: (i + 1) ^ 2, "(i+1) ^ 2: write i ^ h, or a table"),
        (lambda: (i ^ 2) + 1, "i xor 2 stands alone: write a table"),
        (lambda: 2 * i < 4, "2i: compare i itself, for instance i <= n // 2"),
        (lambda: i + 0.5, "i + 0.5: add a whole number"),
        (lambda: PR1["5"], "'5' is no process: write i + h, a number, or a table with n entries"),
        (lambda: permutation([1, 3]), "p: a permutation has each of 1..2 once, not (1, 3)"),
        (lambda: (2 * i).inverse, "2i is no permutation: write its inverse"),
    ],
)
def test_a_wrong_subscript_is_refused(write: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        write()


def test_the_listing_writes_processes_as_formulas() -> None:
    table = permutation([2, 1, 3, 4, 5, 6, 7, 8], "swap")
    subscripts = (
        9 - i,
        2 * i - 1,
        (i + 1) / 2,
        2 * i / 3,
        -1 * i - 3,
        Subscript.of(5),
        i ^ 4,
        table,
        i / 2 * 2,
    )
    expected = ("9-i", "2i-1", "(i+1)/2", "2i/3", "-3-i", "5", "i xor 4", "swap(i)", "i")
    assert tuple(str(PR1[x])[6:-1] for x in subscripts) == expected
    assert X[5].value.text((9 - i).offset) == "x_{9-i}"
    assert str(X[5]) == "x_5"


# ------------------------------------------------------------- sets


def test_sets_are_those_of_python() -> None:
    """Intersection, union and complement of any progressions, within 1..n."""
    rng, n = np.random.default_rng(7), 40
    for _ in range(300):
        parts = [range(*rng.integers(1, n, 2).tolist(), int(rng.integers(1, 9))) for _ in range(4)]
        one, other = ProcessSet(tuple(parts[:2])), ProcessSet(tuple(parts[2:]))
        left, right = {*parts[0], *parts[1]}, {*parts[2], *parts[3]}
        expected = (left & right, left | right, {*range(1, n + 1)} - left, left - right)
        for found, members in zip((one & other, one | other, ~one, one & ~other), expected, strict=True):
            assert {*(np.flatnonzero(found.mask(n)) + 1).tolist()} == members


@pytest.mark.parametrize("n", [6, 7, 9, 10])
def test_a_read_awaits_only_the_sends_that_reach_it(n: int) -> None:
    """x goes to the mirror and is read there; then it goes to 2 i, of which the first read knows nothing."""
    mirrored = value("mirrored", 1)
    lines = (
        Send("A.1", X, PR1[n + 1 - i]),
        Compute("A.2", mirrored, SUM(X, X[n + 1 - i])),
        Send("A.3", X, PR1[2 * i]),
        Compute("A.4", Y, SUM(mirrored, X[i / 2].or_zero)),
    )
    halves = [process // 2 if process % 2 == 0 else 0 for process in range(1, n + 1)]
    assert solved(program(n, *lines)) == [n + 1 + half for half in halves]


def test_a_read_meets_the_sends_whose_target_it_is() -> None:
    """1 to 2 to 3 to 1: each process reads from where its datum came, or from where it went."""
    onward, back = subscripts.Table((2, 3, 1), "onward"), subscripts.Table((3, 1, 2), "back")
    assert subscripts.meet(onward, back, 3)
    assert not subscripts.meet(onward, onward, 3)
    swapped = subscripts.Table((2, 1, 3, 4), "swapped")
    assert subscripts.meet(swapped, swapped, 4)
    assert not subscripts.meet(
        subscripts.Table((1, 2, 4, 3), "ends"), subscripts.Table((2, 1, 0, 0), "firsts"), 4
    )
