"""The events of an exported machine as Icarus Verilog prints them, and those of the tables of its run."""

import subprocess
from collections import Counter
from pathlib import Path

import numpy as np

from senn.traces.run import Run

PARTS = ("arbiter", "bench", "channel", "control", "dma", "machine", "node", "operands", "port")
Events = Counter[tuple[str, ...]]


def simulated(folder: Path) -> list[tuple[str, ...]]:
    """The lines that the test bench prints; what the compiler says is an error."""
    sources = ["sizes.sv", *(f"{part}.sv" for part in PARTS)]
    compiler = ["iverilog", "-g2012", "-s", "bench", "-o", "machine.vvp", *sources]
    said = subprocess.run(compiler, cwd=folder, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert said.stderr == ""
    bench = subprocess.run(
        ["vvp", "-n", "machine.vvp"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert bench.stderr == ""
    return [tuple(line.split()) for line in bench.stdout.splitlines()]


def recorded(run: Run) -> Events:
    """Every issue, post, grant, leave, arrival and word of a run; of nodes that issue by themselves, every
    issue that left an activity or read a message first."""
    trace, described = run.trace, run.description
    events: list[tuple[object, ...]] = []
    if described["machine"]["control"] == "simd":
        rows = trace.instructions.select("array", "serial", "issue")
        events += [("issue", array - 1, serial, cycle) for array, serial, cycle in rows.iter_rows()]
    else:
        first: dict[tuple[int, int], int] = {}
        rows = trace.activities.select("array", "instruction", "node", "start")
        for array, serial, node, start in rows.iter_rows():
            unit = (array - 1) * described["schedule"]["nodes"] + node
            first[unit, serial] = min(start, first.get((unit, serial), start))
        reads = trace.messages.select("target_array", "read_by", "target_node", "read_at")
        for array, serial, node, start in reads.iter_rows():
            first[(array - 1) * described["schedule"]["nodes"] + node, serial] = start
        events += [("issue", *key, start) for key, start in first.items()]
    assert run.values is not None
    for message, posted, arrived in trace.messages.select("id", "posted", "arrived").iter_rows():
        events += [("post", message, posted), ("arrive", message, arrived)]
        words = np.asarray(run.values.payloads[message], dtype=np.float64).ravel().view(np.uint64)
        events += [("word", message, k, f"{word:016x}") for k, word in enumerate(words.tolist())]
    keys = ("source_array", "target_array", "source_node", "wire")
    for message, start, end, *channel in trace.hops.select("message", "start", "end", *keys).iter_rows():
        events += [("grant", message, *channel, start), ("leave", message, *channel, end)]
    return Counter(tuple(map(str, event)) for event in events)


def differences(run: Run, lines: list[tuple[str, ...]]) -> list[str]:
    """What the registers do and the run does not, and the other way round; at most a few of each."""
    expected = recorded(run)
    hop = {(name, message, rest[-1]): rest[:-1] for name, message, *rest in expected if name in _HOPS}
    seen: Events = Counter()
    channels: dict[str, set[object]] = {}
    for line in lines:
        if line[0] in _HOPS:
            name, message, channel, cycle = line
            where = hop.get((name, message, cycle), ())
            channels.setdefault(channel, set()).add(tuple(where))
            line = (name, message, *where, cycle)
        seen[line] += 1
    end = [line for line in seen if line[0] in ("done", "stuck")]
    found = [f"the bench ends with {end}"] if [line[0] for line in end] != ["done"] else []
    if run.description["machine"]["control"] == "mimd":
        expected += _passed(run, expected, lines)
    extra = [line for line in seen - expected if line not in end]
    found += [f"registers alone: {line}" for line in extra[:5]]
    found += [f"run alone: {line}" for line in [*(expected - seen)][:5]]
    found += [f"channel {c} is several: {names}" for c, names in channels.items() if len(names) > 1]
    if len({tuple(names) for names in channels.values()}) < len(channels):
        found.append("a channel has several numbers")
    return found


def _passed(run: Run, expected: Events, lines: list[tuple[str, ...]]) -> Events:
    """Issues that left nothing at a node, neither work nor a message: when its instruction before ends."""
    nodes = run.description["schedule"]["nodes"]
    rows = run.trace.activities.sort("end").select("array", "node", "instruction", "end")
    ends = {(str((a - 1) * nodes + node), str(serial)): end for a, node, serial, end in rows.iter_rows()}
    listed = {line[1:3] for line in expected if line[0] == "issue"}
    passed: Events = Counter()
    free: dict[str, int] = {}
    for unit, serial, cycle in (line[1:] for line in lines if line[0] == "issue"):
        if (unit, serial) not in listed:
            passed["issue", unit, serial, str(free.get(unit, 0))] += 1
        free[unit] = ends.get((unit, serial), int(cycle))
    return passed


_HOPS = ("grant", "leave")
