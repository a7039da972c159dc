"""OTF2, read by its own library: every interval, every send and every receive."""

import os
import resource
from collections import Counter

import pytest

from senn.base.errors import InputError
from senn.traces.exports import export
from tests.traces.exports import runs
from tests.traces.exports.readers import needs


def read(folder):
    """Intervals as (start, duration, name, track); sends and receives as (from, to, cycle, tag, bytes)."""
    import otf2

    entered, intervals, sent, received = {}, Counter(), Counter(), Counter()
    with otf2.reader.open(str(folder / "traces.otf2")) as trace:
        assert trace.definitions.clock_properties.timer_resolution == 10**9
        for location, event in trace.events:
            if isinstance(event, otf2.events.Enter):
                entered.setdefault(location.name, []).append((event.region.name, event.time))
            elif isinstance(event, otf2.events.Leave):
                name, start = entered[location.name].pop()
                assert name == event.region.name
                intervals[start, event.time - start, name, location.name] += 1
            elif isinstance(event, otf2.events.MpiSend):
                to = event.communicator.location(event.receiver).name
                sent[location.name, to, event.time, event.msg_tag, event.msg_length] += 1
            else:
                assert isinstance(event, otf2.events.MpiRecv)
                source = event.communicator.location(event.sender).name
                received[source, location.name, event.time, event.msg_tag, event.msg_length] += 1
    return intervals, sent, received


@pytest.mark.fast("by hand", "no time on the way", "several processes a node", "every node for itself")
@pytest.mark.parametrize("name", runs.NAMES)
def test_every_interval_and_message_is_read(name, tmp_path):
    """Intervals as multisets; a message is sent when it is posted and received when it is read."""
    needs("otf2")
    run = runs.run(name)
    intervals, sent, received = read(export(run, tmp_path / "run.otf2"))
    assert intervals == runs.intervals(run)
    for found, time in ((sent, "posted"), (received, "read_at")):
        assert found == Counter(
            (
                f"array {row['source_array']} node {row['source_node']}",
                f"array {row['target_array']} node {row['target_node']}",
                row[time],
                row["instruction"],
                8 * row["words"],
            )
            for row in run.trace.messages.iter_rows(named=True)
        )


def test_only_an_archive_is_replaced(tmp_path):
    """A folder of anything else is left as it is, and so is one where the writing stops."""
    needs("otf2")
    run = runs.run("by hand")
    place = export(run, tmp_path / "run.otf2")
    assert {one.name for one in place.iterdir()} == {"traces", "traces.def", "traces.otf2"}
    assert read(export(run, place))[0] == runs.intervals(run)
    (place / "mine").touch()
    with pytest.raises(InputError, match=r"run\.otf2 is there and is no otf2; choose another name"):
        export(run, place)
    assert (place / "mine").exists()
    with pytest.raises(InputError, match=r"otf2 is not compressed once more; leave \.gz out"):
        export(run, tmp_path / "run.otf2.gz")
    assert [one.name for one in tmp_path.iterdir()] == ["run.otf2"]


@pytest.mark.parametrize("part", [0.5, 0.9, 1])
def test_an_archive_that_is_cut_short_is_refused(tmp_path, part):
    """Its library prints errors of writing, and goes on."""
    needs("otf2")
    run, before = runs.run("by hand"), resource.getrlimit(resource.RLIMIT_FSIZE)
    size = max(file.stat().st_size for file in export(run, tmp_path / "whole.otf2").rglob("*.*"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(part * size) - 1, before[1]))
    try:
        with pytest.raises(
            InputError, match=r"run\.otf2: cannot be written: no space left for its files; cho"
        ):
            export(run, tmp_path / "run.otf2")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [path.name for path in tmp_path.iterdir()] == ["whole.otf2"]


def test_an_archive_whose_name_is_not_utf_8_is_refused(tmp_path):
    needs("otf2")
    with pytest.raises(
        InputError, match=r"cannot be written: its library takes names in UTF-8; choose another"
    ):
        export(runs.run("by hand"), tmp_path / os.fsdecode(b"\xff.otf2"))
    assert list(tmp_path.iterdir()) == []
