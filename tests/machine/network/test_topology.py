"""The channels of an array as columns, the un-shuffle, and the slots that routes take.

Expected figures: the wire rules of Fijany Fig. 2 and hand-worked queues.
"""

import numpy as np
import pytest

from senn.machine.network.named import senn
from senn.machine.network.routing import Router
from senn.machine.network.topology import Channels, shuffle, slots, unshuffle

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
EVEN = (2, 4, 6, 10, 14, 30, 62, 64, 100)


def test_the_eight_node_network_is_the_one_of_the_figure() -> None:
    """N = 8 by hand: 4 exchange, 3 neighbor, 6 shuffle wires, no wire from 7 to 0, no loop."""
    assert senn(8).wire[::2] == (
        *("exchange:0-1", "exchange:2-3", "exchange:4-5", "exchange:6-7"),
        *("neighbor:1-2", "neighbor:3-4", "neighbor:5-6"),
        *("shuffle:1-2", "shuffle:2-4", "shuffle:3-6", "shuffle:4-1", "shuffle:5-3", "shuffle:6-5"),
    )


def test_the_shuffle_of_a_power_of_two_rotates_the_address_bits() -> None:
    """Bits as text: the first one moves to the end, and back; m shuffles are none."""
    for m in range(11):
        p = np.arange(1 << m)
        bits = [format(q, f"0{m}b") if m else "" for q in p]
        assert shuffle(p, 1 << m).tolist() == [int(one[1:] + one[:1] or "0", 2) for one in bits]
        assert unshuffle(p, 1 << m).tolist() == [int(one[-1:] + one[:-1] or "0", 2) for one in bits]
        around = p
        for _ in range(m):
            around = shuffle(around, 1 << m)
        np.testing.assert_array_equal(around, p)


@pytest.mark.parametrize("nodes", EVEN)
def test_the_shuffle_is_that_of_a_pack_of_cards(nodes: int) -> None:
    """Interleaving the halves of a pack puts card p at the place shuffle(p); un-shuffling takes it back."""
    pack = np.empty(nodes, dtype=np.int64)
    pack[0::2], pack[1::2] = np.arange(nodes // 2), np.arange(nodes // 2, nodes)
    p = np.arange(nodes)
    np.testing.assert_array_equal(pack[shuffle(p, nodes)], p)
    np.testing.assert_array_equal(unshuffle(shuffle(p, nodes), nodes), p)


def test_the_graph_has_every_channel_with_its_attributes() -> None:
    """The edges that networkx sees are the columns, in any order."""
    table = senn(8)
    edges = senn(8).graph().edges(keys=True, data=True)
    found = {(a, b, key, e["kind"], e["wire"], e["direction"]) for a, b, key, e in edges}
    columns = (table.source, table.target, table.wire, table.kind, table.wire, table.direction)
    assert len(edges) == len(table)
    assert found == {(int(a), int(b), *names) for a, b, *names in zip(*columns, strict=True)}


# ---------------------------------------------------------------------------- the un-shuffle


def moves(table: Channels) -> list[list[tuple[str, str]]]:
    """By node, the (wire, direction) of the hops of an un-shuffle."""
    assert table.unshuffles is not None
    return [[(table.wire[c], table.direction[c]) for c in path.tolist()] for path in table.unshuffles]


@pytest.mark.parametrize("nodes", [1, 2, 4, 8, 64, 1024])
@pytest.mark.parametrize("way", ["both", "inverse"])
def test_an_unshuffle_is_one_hop_backward_on_a_shuffle_wire(nodes: int, way: str) -> None:
    """From p to p rotated right, all on different channels, also beside a neighbor wire; no hop at 0, N-1."""
    m = nodes.bit_length() - 1
    found = moves(senn(nodes, way))
    assert found[0] == found[-1] == []
    for p in range(1, nodes - 1):
        bits = format(p, f"0{m}b")
        assert found[p] == [(f"shuffle:{int(bits[-1:] + bits[:-1], 2)}-{p}", "backward")]


@pytest.mark.parametrize("nodes", [4, 8, 16, 64, 6, 10, 12, 20])
def test_with_forward_wires_only_an_unshuffle_goes_round_its_cycle(nodes: int) -> None:
    """Shuffle until the next shuffle would come back to the start: for 2^m nodes M - 1 hops at most."""
    table = senn(nodes, "forward")
    found = table.unshuffles
    assert found is not None
    for p, path in enumerate(found):
        here, hops = p, []
        while int(unshuffle(p, nodes)) != here:
            hops.append(f"shuffle:{here}-{int(shuffle(here, nodes))}")
            here = int(shuffle(here, nodes))
        assert [table.wire[c] for c in path] == hops
    if nodes & (nodes - 1) == 0:
        assert found.hops.max() == nodes.bit_length() - 2
        assert slots(found) == nodes.bit_length() - 2


@pytest.mark.parametrize("nodes", SIZES)
def test_merged_parallel_wires(nodes: int) -> None:
    """2N-5 wires for odd m, 2N-6 for even m; no pair of nodes has two; every hop of before is there still."""
    m = nodes.bit_length() - 1
    table, separate = senn(nodes, merge_parallel=True), senn(nodes)
    assert len(set(table.wire)) == 2 * nodes - (5 if m % 2 else 6)
    pairs = set(zip(table.source.tolist(), table.target.tolist(), strict=True))
    assert len(pairs) == len(table)
    assert pairs == set(zip(separate.source.tolist(), separate.target.tolist(), strict=True))


def test_a_merged_wire_keeps_every_direction() -> None:
    """16 nodes, forward only: the arcs 5 -> 10 and 10 -> 5 become one wire that carries both directions; the
    un-shuffle from 2 leads round its cycle over the merged wire 1-2."""
    table = senn(16, "forward", merge_parallel=True)
    names = list(zip(table.wire, table.direction, strict=True))
    assert [name for name in names if name[0].startswith("shuffle:5-10")] == [
        ("shuffle:5-10", "forward"),
        ("shuffle:5-10", "backward"),
    ]
    assert "shuffle:10-5" not in table.wire
    assert "shuffle:1-2" not in table.wire
    assert moves(table)[5] == [("shuffle:5-10", "forward")]
    assert moves(table)[4] == [
        *(("shuffle:4-8", "forward"), ("shuffle:8-1", "forward"), ("neighbor:1-2", "forward"))
    ]


def test_a_large_network_is_columns_only() -> None:
    """65,536 nodes: 2 (2N-3) channels, un-shuffle and line in one slot each, and no name is made."""
    table = senn(1 << 16)
    assert len(table) == 2 * (2 * 65536 - 3)
    assert table.unshuffles is not None
    assert slots(table.unshuffles) == 1
    assert slots(Router(table).paths(np.arange(65535), np.arange(1, 65536))) == 1
    assert {"wire", "kind", "direction"}.isdisjoint(vars(table))


# ------------------------------------------------------------------------------------ slots


def test_no_messages_need_no_slot() -> None:
    router = Router(senn(8))
    assert slots(router.paths([], [])) == 0
    assert slots(router.paths([3, 5], [3, 5])) == 0
    assert slots(Router(senn(1)).paths([0], [0])) == 0
