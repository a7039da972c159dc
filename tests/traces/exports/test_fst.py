"""FST, read by fst2vcd, which is GTKWave's own reader: every signal has its values, and no other."""

import re
import subprocess
from collections import Counter

import pytest

from senn.base.errors import InputError
from senn.traces.exports import export
from tests.traces.exports import runs
from tests.traces.exports.readers import needs

ESCAPED = re.compile(r"\\([0-7]{3}|.)")


def changes(vcd):
    """Signal ("array_1.node_0.dma") -> [(cycle, value)], each value another than the one before."""
    head, body = vcd.split("$enddefinitions $end\n")
    assert "$timescale\n\t1ns\n$end" in head
    scopes, names, found, cycle = [], {}, {}, 0
    for line in head.splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            names[words[3]] = ".".join([*scopes, words[4]])
    for line in body.splitlines():
        if line[0] == "#":
            cycle = int(line[1:])
        elif line[0] != "$":
            value, key = (line[0], line[1:]) if line[0] in "01" else line[1:].split(" ")
            if line[0] == "b":
                value = int(value, 2)
            elif line[0] == "s":
                value = ESCAPED.sub(_unescaped, value)
            seen = found.setdefault(names[key], [])
            if not seen or seen[-1][1] != value:
                seen.append((cycle, value))
    return found


def _unescaped(code):
    return chr(int(code[1], 8)) if code[1].isdigit() else code[1]


def _signal(words):
    """Of a node: what its engine does, or one of the messages in flight there."""
    return f"node_{words[3]}." + ("_".join(words[4:]) or "engine")


def expected(run):
    """The same, from the intervals of the run."""
    found = {f"array_{array}.under_way": seen for array, seen in runs.under_way(run.trace).items()}
    leaves = Counter()
    for start, long, name, track in runs.intervals(run):
        words = track.split()
        if words[2] == "control" and long:
            found.setdefault(f"array_{words[1]}.step", {0: ""}).update({start: name})
        elif words[2] == "node":
            doing = found.setdefault(f"array_{words[1]}.{_signal(words)}", {0: ""})
            doing.update({start: name} if long else {})
    for start, long, _, track in runs.intervals(run):
        words = track.split()
        key = {"control": "step", "node": _signal(words)}.get(words[2])
        if key and long:
            found[f"array_{words[1]}.{key}"].setdefault(start + long, "")
        elif not key:
            node = f"array_{words[1]}.node_{words[4]}.dma"
            leaves.update((node, cycle) for cycle in range(start, start + long))
    for name in [name for name in found if name.endswith(".engine")]:
        node = name.replace(".engine", ".dma")
        cycles = [cycle for other, cycle in leaves if other == node]
        found[node] = {cycle + 1: "0" for cycle in cycles} | dict.fromkeys(cycles, "1")
        found[node].setdefault(0, "0")
    return {name: _rising(seen) for name, seen in found.items()}


def _rising(seen):
    ordered = sorted(seen.items()) if isinstance(seen, dict) else seen
    return [one for place, one in enumerate(ordered) if place == 0 or one[1] != ordered[place - 1][1]]


@pytest.mark.fast("by hand", "no time on the way", "several processes a node")
@pytest.mark.parametrize("name", runs.NAMES)
def test_every_signal_has_its_values(name, tmp_path):
    """Step and messages of arrays, engine and DMA of nodes, cycle by cycle."""
    needs("pylibfst", "/fst2vcd")
    path = export(runs.run(name), tmp_path / "run.fst")
    vcd = subprocess.run(["fst2vcd", str(path)], capture_output=True, text=True, check=True).stdout
    assert changes(vcd) == expected(runs.run(name))


def test_the_package_that_is_missing_is_named(tmp_path, monkeypatch):
    """With what installs it; nothing is written."""
    monkeypatch.setattr("senn.traces.exports.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"package pylibfst, which is not .* pip install 'senn\[fst\]'"):
        export(runs.run("by hand"), tmp_path / "run.fst")
    with pytest.raises(InputError, match=r"fst is not compressed once more; leave \.gz out"):
        export(runs.run("by hand"), tmp_path / "run.fst.gz")
    assert not list(tmp_path.iterdir())
