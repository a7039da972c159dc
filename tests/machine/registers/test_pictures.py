"""What pages show of the machine of registers: its waveforms."""

import pytest

import senn
from experiments.machine import waves
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
