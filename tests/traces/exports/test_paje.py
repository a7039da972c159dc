"""Paje, read by pj_dump: every state, link and variable."""

import subprocess
from collections import Counter

import pytest

from senn.traces.exports import export
from senn.traces.naming import value_text
from tests.traces.exports import runs
from tests.traces.exports.readers import needs


@pytest.mark.fast("by hand", "no time on the way", "several processes a node")
@pytest.mark.parametrize("name", runs.NAMES)
def test_every_state_link_and_count_is_read(name, tmp_path):
    """States as (start, duration, name, track); links from post to read; messages under way."""
    needs("/pj_dump")
    run = runs.run(name)
    path = export(run, tmp_path / "run.paje")
    done = subprocess.run(["pj_dump", str(path)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    states, links, counts = Counter(), Counter(), {}
    for line in done.stdout.splitlines():
        kind, *cells = line.split(", ")
        if kind == "State":
            track, _, start, _, long, _, value = cells
            states[float(start), float(long), value, track] += 1
        elif kind == "Link":
            _, _, start, end, _, value, source, target, key = cells
            links[float(start), float(end), value, source, target, int(key)] += 1
        elif kind == "Variable":
            array, _, start, _, _, value = cells
            counts.setdefault(int(array.split()[1]), []).append((float(start), float(value)))
    assert states == runs.intervals(run)
    assert links == {
        (
            row["posted"],
            row["read_at"],
            value_text(row["value"], row["level"], row["process"]),
            f"array {row['source_array']} node {row['source_node']}",
            f"array {row['target_array']} node {row['target_node']}",
            row["id"],
        ): 1
        for row in run.trace.messages.iter_rows(named=True)
    }
    last = max(start + long for start, long, *_ in states)
    for array, seen in runs.under_way(run.trace).items():
        changed = [one for place, one in enumerate(seen) if place == 0 or one[1] != seen[place - 1][1]]
        assert [one for one in counts[array] if one[0] < last] == [one for one in changed if one[0] < last]
