"""What pages show of the machine of registers: its waveforms, and the flip-flops of a node."""

import pytest

import senn
from experiments.machine import area, waves
from experiments.page import data
from tests.traces.exports.readers import needs


@pytest.mark.exhaustive
def test_counters_in_the_waveforms_are_the_intervals_of_the_trace():
    """Of array 1, with four nodes at home: instructions, and messages by channel."""
    needs("/iverilog")
    run = senn.run("random:4", residency="home")
    found = waves.counters(run)
    found.pop(waves.PC)
    array = run.trace.instructions.filter(array=1)
    assert [*waves.intervals(found.pop(waves.DURATION))] == array.select("issue", "end").rows()
    hops = run.trace.hops.filter(source_array=1)
    channels = [hop.select("start", "end").rows() for hop in hops.partition_by("source_node", "wire")]
    drawn = [[*waves.intervals(wave)] for wave in found.values()]
    assert sorted(map(sorted, channels)) == sorted(wave for wave in drawn if wave)
    assert len(channels) > 8


@pytest.mark.exhaustive
def test_flip_flops_and_memory_of_a_node_are_those_of_the_page():
    """Of the smallest node; cells depend on the version of yosys."""
    needs("/yosys")
    head, *rows = data("area", "nodes")
    kept = dict(zip(head, next(row for row in rows if row[:3] == ["senn", "migrating", "8"]), strict=True))
    channels, buffers, flip_flops, _, bits = area.synthesised("senn", "migrating", 8)
    assert [channels, buffers, bits] == [int(kept[name]) for name in ("channels", "buffers", "memory bits")]
    assert {part: flip_flops[part] for part in area.PARTS} == {
        part: int(kept[f"flip-flops of {part}"]) for part in area.PARTS
    }
