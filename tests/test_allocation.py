"""Where the processes live: migration keeps partners adjacent, renamings permute nodes, bad tables fail."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from senn.machine import allocation
from senn.machine.allocation import (
    bit_reversed,
    check,
    from_csv,
    gray,
    identity,
    levels,
    named,
    random,
    residency_of,
    table,
)
from senn.traces.errors import InputError


def migrating(n: int) -> np.ndarray:
    return table(n, "migrating", identity(n))


def test_levels_are_the_exact_logarithm() -> None:
    """M is the smallest integer with 2^M >= n, also where a float logarithm is off."""
    for n in range(1, 1000):
        assert 2 ** levels(n) >= n > 2 ** (levels(n) - 1) or (n, levels(n)) == (1, 0)
    assert (levels(2**49), levels(2**49 + 1)) == (49, 50)
    with pytest.raises(InputError, match="a machine needs at least one process, not 0"):
        levels(0)


@pytest.mark.parametrize("n", range(2, 131))
def test_partners_of_every_level_are_neighbours(n: int) -> None:
    """Under migration i and i + 2^(j-1) are at p and p + 1 at level j, for every pair that exists."""
    places = migrating(n)
    for j in range(1, levels(n) + 1):
        h = 2 ** (j - 1)
        np.testing.assert_array_equal(places[j, :-h] + 1, places[j, h:])


@pytest.mark.parametrize("n", range(1, 131))
def test_migration_is_one_unshuffle_per_level_and_home_is_one_more(n: int) -> None:
    """Rotating the address string right by one leads from row to row; after M of them all are home again."""
    places, m = migrating(n), levels(n)

    def unshuffled(p: int) -> int:
        bits = format(p, f"0{m}b")
        return int(bits[-1] + bits[:-1], 2)

    np.testing.assert_array_equal(places[0], np.arange(n))
    np.testing.assert_array_equal(places[min(1, m)], places[0])
    for before, after in pairwise(places[1:]):
        assert [unshuffled(p) for p in before.tolist()] == after.tolist()
    if m > 0:
        assert [unshuffled(p) for p in places[-1].tolist()] == places[0].tolist()


@pytest.mark.parametrize("n", [2, 4, 8, 64, 128])
def test_both_ends_stay_where_n_is_a_power_of_two(n: int) -> None:
    """Rows 0 and N-1 are fixed points of the shuffle: process N is always at node N-1."""
    places = migrating(n)
    assert set(places[:, 0].tolist()) == {0}
    assert set(places[:, -1].tolist()) == {n - 1}


def test_the_last_process_moves_where_n_is_no_power_of_two() -> None:
    """n = 6: process 6, node 101, is at 110 at level 2 and at 011 at level 3."""
    assert migrating(6)[:, 5].tolist() == [0b101, 0b101, 0b110, 0b011]


@pytest.mark.parametrize("n", [4, 8, 64, 128])
def test_segments_of_a_level(n: int) -> None:
    """At level j the line falls into 2^(j-1) segments of length 2^(m-j+1), the residues of i - 1 mod h."""
    places, m = migrating(n), levels(n)
    for j in range(1, m + 1):
        h, length = 2 ** (j - 1), 2 ** (m - j + 1)
        process_at = np.argsort(places[j])
        for segment in process_at.reshape(h, length):
            assert len(set((segment % h).tolist())) == 1
            assert (np.diff(segment) == h).all()


def test_migration_of_eight_by_hand() -> None:
    assert migrating(8).tolist() == [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [0, 1, 2, 3, 4, 5, 6, 7],
        [0, 4, 1, 5, 2, 6, 3, 7],
        [0, 2, 4, 6, 1, 3, 5, 7],
    ]


def test_renamings_of_eight_by_hand() -> None:
    assert identity(8).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert bit_reversed(8).tolist() == [0, 4, 2, 6, 1, 5, 3, 7]
    assert gray(8).tolist() == [0, 1, 3, 2, 6, 7, 5, 4]


@pytest.mark.parametrize("n", [1, 2, 5, 8, 100])
def test_renamings_are_permutations_of_all_nodes(n: int) -> None:
    """Also for n that is no power of two they permute all 2^M nodes."""
    nodes = list(range(2 ** levels(n)))
    for renaming in (identity(n), bit_reversed(n), gray(n), random(n, 3)):
        assert sorted(renaming.tolist()) == nodes


def test_random_renamings_follow_the_seed() -> None:
    assert random(64, 7).tolist() == random(64, 7).tolist()
    assert random(64, 7).tolist() != random(64, 8).tolist()


def test_a_renaming_renames_the_nodes_of_the_migration() -> None:
    """n = 4, Gray 0 1 3 2: the rows 0123, 0123, 0213 are renamed entry by entry, by hand."""
    assert table(4, "migrating", gray(4)).tolist() == [[0, 1, 3, 2], [0, 1, 3, 2], [0, 3, 1, 2]]


def test_home_keeps_every_row() -> None:
    assert table(5, "home", bit_reversed(5)).tolist() == [[0, 4, 2, 6, 1]] * 4
    assert table(1, "home", identity(1)).tolist() == table(1, "migrating", identity(1)).tolist() == [[0]]


@pytest.mark.parametrize("residency", ["home", "migrating"])
@pytest.mark.parametrize("text", ["identity", "bit-reversed", "gray", "random:5"])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 13])
def test_named_allocations_pass_the_check(text: str, residency: allocation.Residency, n: int) -> None:
    whole = named(text, n, residency)
    np.testing.assert_array_equal(check(whole, n, 2 ** levels(n)), [whole])
    assert whole.shape == (levels(n) + 1, n)


def test_names_mean_their_renamings() -> None:
    for text, renaming in (("bit-reversed", bit_reversed(8)), ("gray", gray(8)), ("random:5", random(8, 5))):
        assert named(text, 8, "home")[0].tolist() == renaming.tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: named("spiral", 8, "home"),
            'allocation "spiral" is not known: choose identity, bit-reversed, gray, random:SEED or a file',
        ),
        (lambda: named("random", 8, "home"), 'allocation "random" needs a seed, a whole number from 0'),
        (lambda: named("random:-1", 8, "home"), 'allocation "random:-1" needs a seed'),
        (
            lambda: table(8, "nomadic", identity(8)),
            'residency "nomadic" is not supported yet: choose home or migrating',
        ),
        (
            lambda: table(8, "home", identity(4)),
            "a renaming of 8 processes is a permutation of the nodes 0..7",
        ),
        (
            lambda: table(4, "home", [0, 1, 1, 3]),
            "a renaming of 4 processes is a permutation of the nodes 0..3",
        ),
        (
            lambda: check([[0, 1], [0, 2]], 2, 2),
            "allocation: process 2 at level 1 is on node 2, outside the network: the nodes are 0..1",
        ),
        (
            lambda: check([[[0, 1], [0, 1]], [[0, 1], [4, 1]]], 2, 4, 2),
            "allocation: process 1 of array 2 at level 1 is on node 4, outside the network",
        ),
        (lambda: check([[0, 1], [-1, 1]], 2, 4), "allocation: process 1 at level 1 is on node -1, outside"),
        (
            lambda: check([[[0, 1], [0, 1]]], 2, 2, 2),
            "an allocation of 2 processes has shape (2, 2), home and one row for each level, or (2, 2, 2), a "
            "table for each array; this one has (1, 2, 2)",
        ),
        (
            lambda: check([[0, 1]], 2, 2),
            "an allocation of 2 processes has shape (2, 2), home and one row for each level; "
            "this one has (1, 2)",
        ),
        (
            lambda: check([[0.0, 1.0], [0.0, 1.0]], 2, 2),
            "an allocation holds integers, the nodes; this one holds",
        ),
    ],
)
def test_bad_allocations_are_refused(call, message: str) -> None:  # type: ignore[no-untyped-def]
    """Each message names the process, the level or the name that is wrong, and the way out."""
    with pytest.raises(InputError, match=re.escape(message)):
        call()


def test_a_file_of_all_levels(tmp_path: Path) -> None:
    """Blanks and an empty last line do no harm; the file says the residency itself."""
    file = tmp_path / "mine.csv"
    file.write_text("0, 1, 2\n0,1,2\n3,1 ,0\n\n")
    for residency in ("home", "migrating"):
        assert named(str(file), 3, residency).tolist() == [[0, 1, 2], [0, 1, 2], [3, 1, 0]]


def test_a_file_of_one_row_is_a_static_home(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("2,0,1\n")
    assert named(str(file), 3, "home").tolist() == [[2, 0, 1]] * 3
    assert named(str(file), 3, "migrating").tolist() == [[2, 0, 1]] * 3  # the file decides


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
            "the file has 2 rows: for 3 processes write 3, home and one for each level, or 1, a static home",
        ),
        ("", "the file has 0 rows"),
        ("0,1,4\n", "allocation: process 3 at home is on node 4, outside the network: the nodes are 0..3"),
    ],
)
def test_bad_files_are_refused_by_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(text)
    with pytest.raises(InputError, match="^" + re.escape(f"{file}: {message}")):
        from_csv(file, 3)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "none.csv"
    with pytest.raises(
        InputError, match=re.escape(f"{missing}: the allocation cannot be read: No such file")
    ):
        from_csv(missing, 3)
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(
        InputError, match=re.escape(f"{binary}: the allocation cannot be read: not a text file")
    ):
        from_csv(binary, 3)
