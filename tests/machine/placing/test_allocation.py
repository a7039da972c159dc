"""Where the processes live: migration keeps partners adjacent, renamings permute nodes, bad tables fail."""

import builtins
import os
import re
import threading
from contextvars import copy_context
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from senn.base import code
from senn.base.errors import InputError
from senn.machine.placing import allocation
from senn.machine.placing.allocation import (
    bit_reversed,
    checked,
    from_csv,
    gray,
    identity,
    is_file,
    levels,
    morton,
    named,
    of_function,
    random,
    residency_of,
    rotated,
    snake,
    table,
    unshuffled,
)


def migrating(n: int) -> np.ndarray:
    return table(n, "migrating", identity(n))


def test_levels_are_the_exact_logarithm() -> None:
    """M is the smallest integer with 2^M >= n, also where a float logarithm is off."""
    for n in range(1, 1000):
        assert 2 ** levels(n) >= n > 2 ** (levels(n) - 1) or (n, levels(n)) == (1, 0)
    assert (levels(2**49), levels(2**49 + 1)) == (49, 50)
    with pytest.raises(InputError, match="a machine needs at least one process, not 0"):
        levels(0)


def rotated_right(p: int, m: int) -> int:
    bits = format(p, f"0{m}b")
    return int(bits[-1] + bits[:-1], 2)


def test_migration_is_one_unshuffle_per_level_and_home_is_one_more() -> None:
    """Rotating the address string right by one leads from row to row; after M of them all are home again."""
    for n in range(1, 131):
        places, m = migrating(n), levels(n)
        np.testing.assert_array_equal(places[0], np.arange(n))
        np.testing.assert_array_equal(places[min(1, m)], places[0])
        for before, after in pairwise(places[1:]):
            assert [rotated_right(p, m) for p in before.tolist()] == after.tolist()
        if m > 0:
            assert [rotated_right(p, m) for p in places[-1].tolist()] == places[0].tolist()


def test_renamings_of_eight_by_hand() -> None:
    assert identity(8).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert bit_reversed(8).tolist() == [0, 4, 2, 6, 1, 5, 3, 7]
    assert gray(8).tolist() == [0, 1, 3, 2, 6, 7, 5, 4]
    assert rotated(8, 3).tolist() == [3, 4, 5, 6, 7, 0, 1, 2]
    assert unshuffled(8, 1).tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    assert snake(8).tolist() == [0, 1, 2, 3, 7, 6, 5, 4]  # two rows of four
    assert morton(8).tolist() == [0, 1, 4, 5, 2, 3, 6, 7]  # position b2 b1 b0 is in row b1, column b2 b0


def test_un_shuffles_without_end_take_no_time() -> None:
    """Of 2^m nodes m un-shuffles are none (the bits rotated once round); of 6, whose 0 and 5 stay, four."""
    by = 10**18
    assert unshuffled(8, 3).tolist() == unshuffled(8, 0).tolist()
    assert unshuffled(8, by).tolist() == unshuffled(8, by % 3).tolist() == unshuffled(8, 1).tolist()
    assert unshuffled(6, 4, nodes=6).tolist() == [0, 1, 2, 3, 4, 5]
    assert unshuffled(6, by + 1, nodes=6).tolist() == unshuffled(6, 1, nodes=6).tolist() == [0, 3, 1, 4, 2, 5]


@pytest.mark.parametrize("n", [2, 8, 16, 32, 128])
def test_a_snake_goes_from_neighbour_to_neighbour_of_the_mesh(n: int) -> None:
    """networkx's grid, its nodes counted row by row."""
    m = levels(n)
    rows, columns = 2 ** (m // 2), 2 ** ((m + 1) // 2)
    mesh = nx.grid_2d_graph(rows, columns)
    for one, next_ in pairwise(snake(n).tolist()):
        assert mesh.has_edge(divmod(one, columns), divmod(next_, columns))


# ------------------------------------------------------------- other numbers of nodes


def test_partners_are_neighbours_on_every_even_number_of_nodes() -> None:
    """The N-card shuffle p -> 2p mod (N-1), for n = N: i and i + h are at p and p + 1 at every level; and
    from level to level every process goes back along one shuffle."""
    for n in range(4, 65, 2):
        places = named("identity", n, "migrating", n)
        assert places.max() == n - 1
        for j in range(1, levels(n) + 1):
            h = 2 ** (j - 1)
            np.testing.assert_array_equal(places[j, :-h] + 1, places[j, h:])
        for before, after in pairwise(places[1:]):
            shuffled = np.where(after == n - 1, n - 1, 2 * after % (n - 1))
            np.testing.assert_array_equal(shuffled, before)


def test_more_nodes_than_processes_need() -> None:
    """Three processes on eight nodes un-shuffle three address bits."""
    assert named("identity", 3, "migrating", 8).tolist() == [[0, 1, 2], [0, 1, 2], [0, 4, 1]]
    assert named("rotated:6", 3, "home", 8)[0].tolist() == [6, 7, 0]


def test_blocks_and_cycles_by_hand() -> None:
    """Seven processes on three nodes; more nodes than processes fold nothing."""
    assert named("block", 7, "home", 3).tolist() == [[0, 0, 0, 1, 1, 1, 2]] * 4
    assert named("cyclic", 7, "home", 3).tolist() == [[0, 1, 2, 0, 1, 2, 0]] * 4
    for name in ("block", "cyclic"):
        assert named(name, 7, "home").tolist() == named("identity", 7, "home").tolist()
    assert named("block", 7, "migrating").tolist() == migrating(7).tolist()


def test_blocks_migrate_when_partners_are_beyond_the_next() -> None:
    """Eight blocks of two: h = 1 and 2 reach the same block or the next, h = 4 the next but one."""
    places = named("block", 16, "migrating", 8)[:, ::2].tolist()
    assert places == [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [0, 1, 2, 3, 4, 5, 6, 7],
        [0, 1, 2, 3, 4, 5, 6, 7],
        [0, 4, 1, 5, 2, 6, 3, 7],
        [0, 2, 4, 6, 1, 3, 5, 7],
    ]


@pytest.mark.parametrize(
    ("n", "nodes"), [(16, 8), (13, 8), (64, 4), (50, 16), (10, 6), (40, 10), (5, 1), (24, 2)]
)
def test_partners_of_migrating_blocks_are_on_a_node_or_on_neighbours(n: int, nodes: int) -> None:
    places = named("block", n, "migrating", nodes)
    assert 0 <= places.min() <= places.max() < nodes
    for j in range(1, levels(n) + 1):
        h = 2 ** (j - 1)
        assert set((places[j, h:] - places[j, :-h]).tolist()) <= {0, 1}


def processes_leaving(table: np.ndarray) -> list[int]:
    """By level: the most processes of a node whose partner i + h is on another; ``table`` is (M + 1, n)."""
    shifts = [(row[: -(1 << level)], row[1 << level :]) for level, row in enumerate(table[1:])]
    return [int(np.bincount(here, here != there).max()) for here, there in shifts]


@pytest.mark.parametrize("residency", ["home", "migrating"])
@pytest.mark.parametrize(("nodes", "total"), [(8, 511), (32, 191), (128, 63)])
def test_blocks_send_in_every_level(nodes: int, total: int, residency: allocation.Residency) -> None:
    """1024 processes, min(h, N / P) of them in level j; worked out by a program written before this one."""
    leaving = processes_leaving(named("block", 1024, residency, nodes))
    assert leaving == [min(2**j, 1024 // nodes) for j in range(10)]
    assert sum(leaving) == total


@pytest.mark.parametrize(("nodes", "total", "sending"), [(8, 384, 3), (32, 160, 5), (128, 56, 7)])
def test_cycles_send_everything_in_few_levels(nodes: int, total: int, sending: int) -> None:
    """N / P of 1024 processes in log2 P levels, then nothing."""
    leaving = processes_leaving(named("cyclic", 1024, "home", nodes))
    assert leaving == [1024 // nodes] * sending + [0] * (10 - sending)
    assert sum(leaving) == total


# ------------------------------------------------------------- one for each array, and one's own


def test_names_parted_by_a_comma_are_for_one_array_each() -> None:
    both = named("identity, gray", 8, "migrating")
    assert both.shape == (2, 4, 8)
    np.testing.assert_array_equal(both[0], migrating(8))
    np.testing.assert_array_equal(both[1], named("gray", 8, "migrating"))


def test_a_function_of_a_python_file(tmp_path: Path) -> None:
    """It is told n, M and the number of nodes, and returns a table or one for each array."""
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\n"
        "def pairs(n, levels, nodes):\n"
        "    return [[(i // 2) % nodes for i in range(n)]] * (levels + 1)\n"
        "def two(n, levels, nodes):\n"
        "    return np.stack([pairs(n, levels, nodes), np.zeros((levels + 1, n), dtype=int)])\n"
    )
    assert named(f"{file}:pairs", 5, "migrating", 2).tolist() == [[0, 0, 1, 1, 0]] * 4
    assert named(f"{file}:two", 2, "home").tolist() == [[[0, 0]] * 2] * 2
    assert is_file(f"identity,{file}:two")
    assert not is_file("random:7,gray")


def test_a_function_that_leaves_its_folder_and_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a command what follows is written where it was asked for, and what is printed is no part of it."""
    monkeypatch.chdir(tmp_path)
    text = "import os\nos.chdir('/')\ndef f(n, levels, nodes):\n    print('hello')\n    os.chdir('/usr')\n"
    (tmp_path / "f.py").write_text(text + "    return [[0, 1, 2]] * 3\n")
    command = copy_context()
    command.run(code.IN_COMMAND.set, True)
    assert command.run(named, "f.py:f", 3, "home").tolist() == [[0, 1, 2]] * 3
    assert Path.cwd() == tmp_path
    assert capsys.readouterr() == ("", "hello\n")


def test_a_thread_that_loads_a_function_changes_nothing_of_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While it runs, and when it ends, another thread has the folder and the output that it chose itself."""
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    begun, ended = threading.Event(), threading.Event()
    (tmp_path / "f.py").write_text(
        "import threading\ndef f(n, levels, nodes):\n    wait()\n    return [[0, 1, 2]] * 3\n"
    )

    def wait() -> None:
        begun.set()
        assert ended.wait(60)

    monkeypatch.setattr(builtins, "wait", wait, raising=False)
    file = str(tmp_path / "f.py")
    thread = threading.Thread(target=named, args=(f"{file}:f", 3, "home"))
    thread.start()
    assert begun.wait(60)
    os.chdir("there")
    print("from here")
    ended.set()
    thread.join()
    assert Path.cwd() == tmp_path / "there"
    assert capsys.readouterr() == ("from here\n", "")


def test_ctrl_c_in_a_function_is_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        named(f"{tmp_path / 'f.py'}:f", 3, "home")


def test_tables_for_each_array_beside_other_names_are_refused(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("def f(n, levels, nodes):\n    return [[[0, 1, 2]] * 3] * 2\n")
    with pytest.raises(InputError, match="returns 2 tables, one for each array, and others are named beside"):
        named(f"identity,{tmp_path / 'f.py'}:f", 3, "home")


def test_random_renamings_follow_the_seed() -> None:
    assert random(64, 7).tolist() == random(64, 7).tolist()
    assert random(64, 7).tolist() != random(64, 8).tolist()


def test_a_renaming_renames_the_nodes_of_the_migration() -> None:
    """n = 4, Gray 0 1 3 2: the rows 0123, 0123, 0213 are renamed entry by entry, by hand."""
    assert table(4, "migrating", gray(4)).tolist() == [[0, 1, 3, 2], [0, 1, 3, 2], [0, 3, 1, 2]]


def test_home_keeps_every_row() -> None:
    assert table(5, "home", bit_reversed(5)).tolist() == [[0, 4, 2, 6, 1]] * 4
    assert table(1, "home", identity(1)).tolist() == table(1, "migrating", identity(1)).tolist() == [[0]]


def test_named_allocations_pass_the_check() -> None:
    for residency in ["home", "migrating"]:
        for text in [
            *("identity", "bit-reversed", "gray", "snake", "morton", "rotated:3", "unshuffled:2"),
            *("random:5", "block"),
        ]:
            for n in [1, 2, 3, 8, 13]:
                whole = named(text, n, residency)
                np.testing.assert_array_equal(checked(whole, n, 2 ** levels(n)), [whole])
                assert whole.shape == (levels(n) + 1, n)


def test_names_mean_their_renamings() -> None:
    for text, renaming in (("bit-reversed", bit_reversed(8)), ("gray", gray(8)), ("random:5", random(8, 5))):
        assert named(text, 8, "home")[0].tolist() == renaming.tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: named("spiral", 8, "home"),
            'allocation "spiral" is not known: choose identity, bit-reversed, gray, snake, morton, '
            "rotated:K, unshuffled:K, random:SEED, block, cyclic, FILE.csv, FILE.py:FUNCTION",
        ),
        (lambda: named("random", 8, "home"), 'allocation "random" needs a seed, a whole number from 0'),
        (lambda: named("random:-1", 8, "home"), 'allocation "random:-1" needs a seed'),
        (
            lambda: table(8, "nomadic", identity(8)),
            'residency "nomadic" is not known: choose home or migrating',
        ),
        (
            lambda: table(8, "home", identity(4)),
            "8 processes do not fit 4 nodes, one on each: take the allocation block or cyclic, or more nodes",
        ),
        (lambda: table(4, "home", [0, 1, 1, 3]), "a renaming is a permutation of the nodes 0, 1, 2, ..."),
        (lambda: named("gray", 5, "home", 6), 'allocation "gray" needs a power of two of nodes, not 6'),
        (lambda: named("snake", 5, "home", 6), 'allocation "snake" needs a power of two of nodes, not 6'),
        (lambda: named("rotated", 5, "home"), 'allocation "rotated" needs a number, a whole number from 0'),
        (lambda: named("unshuffled:1", 5, "home", 7), "an un-shuffle needs an even number of nodes, not 7"),
        (
            lambda: named("identity", 5, "migrating", 7),
            "residency migrating un-shuffles an even number of nodes, not 7: set machine.nodes to 8, or take "
            "residency home",
        ),
        (
            lambda: named("cyclic", 8, "migrating", 4),
            'allocation "cyclic", residency migrating: un-shuffles do not bring partners together around the '
            "end of the nodes: take residency home, or block",
        ),
        (
            lambda: named("block", 9, "migrating", 4),
            'allocation "block", residency migrating: 9 processes on 4 nodes are blocks of 3, but '
            "un-shuffles bring only blocks of 1, 2, 4, ... together: take another machine.nodes or residency "
            "home",
        ),
        (lambda: named("identity,spiral", 8, "home"), 'allocation "spiral" is not known'),
        (
            lambda: checked([[0, 1], [0, 2]], 2, 2),
            "allocation: process 2 at level 1 is on node 2, outside the network: the nodes are 0..1",
        ),
        (
            lambda: checked([[[0, 1], [0, 1]], [[0, 1], [4, 1]]], 2, 4, 2),
            "allocation: process 1 of array 2 at level 1 is on node 4, outside the network",
        ),
        (lambda: checked([[0, 1], [-1, 1]], 2, 4), "allocation: process 1 at level 1 is on node -1, outside"),
        (
            lambda: checked([[[0, 1], [0, 1]]], 2, 2, 2),
            "an allocation of 2 processes has shape (2, 2), home and one row for each level, or (2,), a "
            "static home, or (2, 2, 2), a table for each array; this one has (1, 2, 2)",
        ),
        (
            lambda: checked([[0, 1, 2]], 2, 2),
            "an allocation of 2 processes has shape (2, 2), home and one row for each level, or (2,), a "
            "static home; this one has (1, 3)",
        ),
        (
            lambda: checked([[0.0, 1.0], [0.0, 1.0]], 2, 2),
            "an allocation holds integers, the nodes; this one holds",
        ),
    ],
)
def test_bad_allocations_are_refused(call, message: str) -> None:  # type: ignore[no-untyped-def]
    """Each message names the process, the level or the name that is wrong, and the way out."""
    with pytest.raises(InputError, match=re.escape(message)):
        call()


@pytest.mark.parametrize("row", [[2, 0, 1], [[2, 0, 1]], [[[2, 0, 1]], [[2, 0, 1]]]])
def test_a_table_of_one_row_is_a_static_home(row: list[Any]) -> None:
    """As a list, as a table of one row, and one for each of two arrays; a function may return it, too."""
    assert checked(row, 3, 4, 2).tolist() == [[[2, 0, 1]] * 3] * 2
    assert of_function(lambda n, levels, nodes: row, 3).tolist() in ([[2, 0, 1]] * 3, [[[2, 0, 1]] * 3] * 2)


def test_what_a_table_amounts_to() -> None:
    """Its residency is read off the table, whatever somebody calls it."""
    assert residency_of(np.array([[2, 0, 1]] * 3)) == "home"
    assert residency_of(table(3, "migrating", identity(3))) == "table"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1,2\n0,x,2\n0,1,2\n", 'line 2, column 2: "x" is not a node: write an integer from 0'),
        ("0,1,\n", 'line 1, column 3: "" is not a node'),
        ("0,1,-2\n", 'line 1, column 3: "-2" is not a node'),
        ("0,1,2.0\n", 'line 1, column 3: "2.0" is not a node'),
        ("\n0,1\n", "line 2 has 2 columns: write 3, one node for each process"),
        (
            "0,1,2\n0,1,2\n",
            "an allocation of 3 processes has shape (3, 3), home and one row for each level, or (3,), a "
            "static home; this one has (2, 3)",
        ),
        ("", "an allocation of 3 processes has shape (3, 3)"),
        ("0,1,4\n", "allocation: process 3 at home is on node 4, outside the network: the nodes are 0..3"),
    ],
)
def test_bad_files_are_refused_by_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(text)
    with pytest.raises(InputError, match="^" + re.escape(f"{file}: {message}")):
        named(str(file), 3, "home")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "none.csv"
    with pytest.raises(InputError, match=re.escape(f"{missing}: no such file")):
        from_csv(missing, 3)
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=re.escape(f"{binary}: cannot be read (not a text file")):
        from_csv(binary, 3)


def test_a_table_with_rows_of_other_lengths_is_refused() -> None:
    with pytest.raises(InputError, match=r"3 processes has shape .* rows differ in length"):
        checked([[0, 1, 2], [0]], 3, 4)


def test_a_table_that_would_fill_the_memory_is_not_made():
    """A range of 10^9 entries is small until it is an array."""
    with pytest.raises(InputError, match=r"^allocation: more than 16,777,216 entries; return one for each"):
        of_function(lambda n, levels, nodes: [range(10**9)], 4)


HEAD = "def f(n, levels, nodes):\n    "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "raise BaseException('no')", ", line 2: BaseException: no"),
        (HEAD + "raise GeneratorExit", ", line 2: GeneratorExit: "),
        (HEAD + "import sys; sys.exit(3)", ", line 2: SystemExit: 3"),
        ("x = 1\n\ndef f(n, levels, nodes):\n    return n / 0\n", ", line 4: ZeroDivisionError: division"),
        ("def f(n, levels, nodes)\n", ", line 1: SyntaxError: expected ':'"),
        ("import nothing_of_this_name\n", ", line 1: ModuleNotFoundError: No module named"),
        (HEAD + "return f(n, levels, nodes)", ", line 2: RecursionError: maximum recursion depth exceeded"),
        (HEAD + "return [[0, 1, 2], [0]]", ":f: it returns no table: rows have other lengths"),
        (HEAD + "return {'home': [0, 1, 2]}", ": KeyError: 0"),
        ("f = 3\n", ": there is no function f: write def f(n, levels, nodes)"),
        ("def f(n):\n    return n\n", ": TypeError: f() takes 1 positional argument but 3 were given"),
        (HEAD + "return [[0] * n] * 2", ":f: an allocation of 3 processes has shape (3, 3)"),
        (HEAD + "return {0: 1}", ":f: an allocation of 3 processes has shape (3, 3)"),
        (HEAD + "return [[[0, 1, 2]] * 3] * 0", ":f: an allocation of 3 processes has shape (3, 3)"),
        (HEAD + "return [['a', 'b', 'c']] * 3", ":f: an allocation holds integers, the nodes; this one"),
        (HEAD + "return [[2**70] * 3] * 3", ":f: an allocation holds integers, the nodes; this one"),
        (HEAD + "return [[2**63] * 3] * 3", ":f: allocation: process 1 at home is on node 92233720368"),
        (HEAD + "return [[nodes] * n] * 3", ":f: allocation: process 1 at home is on node 4, outside"),
    ],
)
def test_a_function_of_a_file_that_fails_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text)
    with pytest.raises(InputError, match="^" + re.escape(f"{file}{said}")):
        named(f"{file}:f", 3, "home")


def test_a_file_says_the_residency_itself(tmp_path: Path) -> None:
    """Blanks and an empty last line do no harm; one row is a static home, also of folded processes."""
    file = tmp_path / "mine.csv"
    file.write_text("0, 1, 2\n0,1,2\n3,1 ,0\n\n")
    for residency in ("home", "migrating"):
        assert named(str(file), 3, residency).tolist() == [[0, 1, 2], [0, 1, 2], [3, 1, 0]]
    file.write_text("1,0,1\n")
    for residency in ("home", "migrating"):
        assert named(str(file), 3, residency, 2).tolist() == [[1, 0, 1]] * 3
    with pytest.raises(InputError, match="process 1 at home is on node 1, outside the network: the nodes"):
        named(str(file), 3, "home", 1)
