"""Kanata, read as its description says (https://github.com/shioyadan/Konata, docs/kanata-log-format.md)."""

from collections import Counter
from itertools import pairwise

import pytest

from senn.traces.exports import export
from senn.traces.naming import value_text
from tests.traces.exports import runs


class Row:
    """What a file says of one row: its stages as (name, start, end), and whom it depends on."""

    def __init__(self, identity, thread, begins):
        self.identity, self.thread, self.begins = identity, thread, begins
        self.label, self.open, self.stages, self.before, self.ends = {"0": "", "1": ""}, {}, [], [], None


def read(path):
    """The rows of a file by their id in the simulator; AssertionError for what the description forbids."""
    first, second, *lines = path.read_text().splitlines()
    assert (first, second) == ("Kanata\t0004", "C=\t0")
    rows, cycle, retired = [], 0, 0
    for line in lines:
        command, *arguments = line.split("\t")
        if command == "C":
            assert int(arguments[0]) > 0
            cycle += int(arguments[0])
            continue
        place = int(arguments[0])
        if command == "I":
            assert place == len(rows), "ids are given in order"
            rows.append(Row(int(arguments[1]), int(arguments[2]), cycle))
            continue
        row = rows[place]
        assert row.ends is None, "nothing is said of what has retired"
        if command == "L":
            row.label[arguments[1]] += arguments[2]
        elif command == "S":
            assert arguments[1] == "0"
            row.open[arguments[2]] = cycle
        elif command == "E":
            row.stages.append((arguments[2], row.open.pop(arguments[2]), cycle))
        elif command == "W":
            assert arguments[2] == "0"
            row.before.append(rows[int(arguments[1])].identity)
        else:
            assert (command, arguments[1:]) == ("R", [str(retired), "0"])
            assert not row.open
            row.ends, retired = cycle, retired + 1
    assert retired == len(rows)
    return {row.identity: row for row in rows}


@pytest.mark.fast("by hand", "no time on the way", "several processes a node")
@pytest.mark.parametrize("name", runs.NAMES)
def test_every_message_is_a_row_with_its_stages(name, tmp_path):
    """Queue, start-up, header and words of every hop, buffer, and reader, each where it takes any time."""
    run = runs.run(name)
    found = read(export(run, tmp_path / "run.kanata"))
    assert found.keys() == set(run.trace.messages["id"])
    ends = {}
    for row in run.trace.activities.iter_rows(named=True):
        key = row["array"], row["instruction"], row["node"]
        ends[key] = max(row["end"], ends.get(key, 0))
    stages = {
        row["id"]: [
            ("B", row["arrived"], row["read_at"]),
            ("R", row["read_at"], ends.get((row["target_array"], row["read_by"], row["target_node"]), 0)),
        ]
        for row in run.trace.messages.iter_rows(named=True)
    }
    letters = {"queue": "Q", "start-up": "S", "header": "H", "words": "X"}
    for (message, hop), each in runs.stages(run).items():
        number = hop + 1 if hop else ""
        stages[message] += [(f"{letters[name]}{number}", start, end) for name, start, end in each]
    for row in run.trace.messages.iter_rows(named=True):
        one = found[row["id"]]
        kept = [stage for stage in stages[row["id"]] if stage[2] > stage[1]]
        assert Counter(one.stages) == Counter(kept)
        assert one.begins == row["posted"]
        assert one.ends == max([row["posted"], *(end for _, _, end in kept)])
        value = value_text(row["value"], row["level"], row["process"])
        assert (one.thread, one.label["0"]) == (row["source_array"], f"{value} {row['step']}")
        assert f"{row['words']} words from array {row['source_array']}" in one.label["1"]


@pytest.mark.fast("by hand", "every node for itself", "several processes a node")
@pytest.mark.parametrize("name", runs.NAMES)
def test_an_arrow_comes_from_what_the_sender_had_read_last(name, tmp_path):
    """Of all that its node had read by then: the latest instruction, of its messages the last to come."""
    run = runs.run(name)
    found = read(export(run, tmp_path / "run.kanata"))
    read_at = {}
    for row in run.trace.messages.iter_rows(named=True):
        key = row["target_array"], row["target_node"]
        read_at.setdefault(key, []).append((row["read_by"], row["arrived"], row["id"]))
    for row in run.trace.messages.iter_rows(named=True):
        key = row["source_array"], row["source_node"]
        until = [one for one in read_at.get(key, []) if one[0] <= row["instruction"]]
        assert found[row["id"]].before == ([max(until)[2]] if until else [])


def test_rows_of_the_run_by_hand(tmp_path):
    """F waits for the wire that D is on, crosses two, is read at once; A_2 is sent by who had read D."""
    found = read(export(runs.run("by hand"), tmp_path / "run.kanata"))
    assert found[1].stages == [
        *(("Q", 8, 14), ("S", 14, 18), ("X", 18, 19)),
        *(("S2", 19, 23), ("X2", 23, 24), ("R", 24, 25)),
    ]
    assert found[5].stages == [("S", 4, 8), ("X", 8, 9), ("B", 9, 30), ("R", 30, 33)]
    assert [found[message].before for message in range(6)] == [[], [], [], [0], [0], []]
    assert all(a <= b for one in found.values() for (_, _, a), (_, b, _) in pairwise(one.stages))
