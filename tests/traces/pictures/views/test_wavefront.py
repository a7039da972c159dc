"""The blocks that are drawn are those of odd-even elimination: 2^(j-1) off the diagonal; and their nodes."""

import numpy as np
import pytest

import senn
from senn.base.errors import InputError
from senn.traces.pictures.places import wavefront
from senn.traces.pictures.style import INK
from tests.traces.pictures.drawn import boxes, title

N, LEVELS = 8, 3


@pytest.fixture(scope="module", params=["migrating", "home"])
def residency(request):
    return request.param


@pytest.fixture(scope="module")
def run(residency):
    return senn.run(f"random:{N}", residency=residency, check=False)


def _dark(ax, size=N):
    """Of each panel, by the left edge of it, the (row, column) of its dark squares: above, then below."""
    found = {}
    for x0, x1, y0, y1 in boxes(ax, INK):
        panel, along = divmod((x0 + x1) / 2, 1.14)
        below = y0 + y1 < 0
        down = (1.0 if not below else -0.3) - (y0 + y1) / 2
        found.setdefault((int(panel), below), set()).add((int(down * size), int(along * size)))
    return found


def _needed(level):
    """The blocks of one level, rows and columns from 0 (Fijany VI.B: B_i couples i and i + 2^(j-1))."""
    h = 2 ** (level - 1)
    return {(i + h, i) for i in range(N - h)} | {(i, i + h) for i in range(N - h)}


def _home(level, process, residency):
    """The node at a level: the address rotated to the right, once for each level above the first."""
    node = process
    for _ in range(level - 1 if residency == "migrating" else 0):
        node = (node >> 1) | ((node & 1) << (LEVELS - 1))
    return node


def test_blocks_by_process_and_by_node(run, residency):
    """Three levels, and nothing after them; the title has the largest distances of the formulas above."""
    ax = wavefront(run)
    assert title(ax) == (
        "I.b takes 14, 12, 8 blocks off the diagonal, level by level: up to 4 places from it by process, "
        f"{'but never more than 1' if residency == 'migrating' else 'and up to 4'} by node"
    )
    found = _dark(ax)
    assert set(found) == {(k, below) for k in range(LEVELS) for below in (False, True)}
    for level in range(1, LEVELS + 1):
        needed = _needed(level)
        assert found[level - 1, False] == needed
        at = {(_home(level, i, residency), _home(level, k, residency)) for i, k in needed}
        assert found[level - 1, True] == at
        if residency == "migrating":
            assert {abs(i - k) for i, k in at} == {1}


def test_who_lives_where(run, residency):
    """Below, the numbers of the processes stand at their nodes; after the last level as at the last."""
    ax = wavefront(run)
    shown = {}
    for text in ax.texts:
        x, y = text.get_position()
        if text.get_text().isdigit() and y < -0.3:
            shown.setdefault(int(x // 1.14), {})[int((x % 1.14) * N)] = int(text.get_text())
    for panel in range(LEVELS + 1):
        level = min(panel + 1, LEVELS)
        assert shown[panel] == {_home(level, i, residency): i + 1 for i in range(N)}


def test_a_part_of_ones_own_and_nodes_without_a_process():
    """A recurrence takes from one side only; 5 processes have 8 nodes."""
    run = senn.run("random:5", check=False)
    ax = wavefront(run, step="II.b")
    assert title(ax).startswith("II.b takes 4, 3, 1 blocks")
    by_process = {panel: squares for (panel, below), squares in _dark(ax, 5).items() if not below}
    assert {panel: {abs(i - k) for i, k in squares} for panel, squares in by_process.items()} == {
        0: {1}, 1: {2}, 2: {4}
    }  # fmt: skip


def test_blocks_of_many_are_wide_enough_to_be_seen():
    """At n = 100 a ninetieth of the matrix."""
    ax = wavefront(senn.run("random:100", check=False, engine="lockstep"))
    widths = {round(x1 - x0, 4) for x0, x1, _, _ in boxes(ax, INK)}
    np.testing.assert_allclose(list(widths), 1 / 90, atol=1e-4)


def test_what_cannot_be_said_is_refused(run):
    """A step that is none."""
    with pytest.raises(InputError, match='wavefront: no step in a loop is "V"'):
        wavefront(run, step="V")


@pytest.mark.parametrize("n", [2, 25])
def test_title_and_blocks_have_room(n):
    """The head is inside the picture; and the blocks take up its width."""
    ax = wavefront(senn.run(f"random:{n}", check=False, numbers=False))
    ax.figure.canvas.draw()
    page = ax.figure.bbox
    assert ax.get_tightbbox().y1 <= page.y1
    assert ax.get_window_extent().width > 0.9 * page.width
