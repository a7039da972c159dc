"""Lines of a listing as instructions, and the stages of the matrix in cycles."""

import polars as pl

import senn
from senn.algorithms import catalogue
from senn.traces.report.contents import blocks, ends_of, listing


def test_every_line_finds_its_instruction():
    """By array, step and level: a step of a loop has an instruction at each level, and none without one."""
    trace = senn.timed(catalogue.algorithm("closed-chain").program(6), detail="instructions").trace
    table = trace.instructions
    lines = [("x", key) for key in table.select("array", "step", "level").iter_rows()]
    found = listing(trace, [("heading", None), *reversed(lines)])
    assert found["row"].to_list() == [None, *reversed(range(table.height))]
    assert listing(trace, [("no such level", (1, "I.b.5", 9))])["row"].to_list() == [None]


def test_a_stage_begins_when_its_level_is_over():
    trace = senn.timed(catalogue.algorithm("closed-chain").program(6), detail="instructions").trace
    of = {(step, level): end for step, level, end in trace.instructions.select("step", "level", "end").rows()}
    assert ends_of(trace, (1, "I.a.5", None)) == of["I.a.5", None]
    assert ends_of(trace, (1, "I.b.12", 2)) == of["I.b.12", 2]


def test_blocks_are_told_by_stage():
    found = blocks([((1, "x", None), {(2, 3), (1, 2)}), ((1, "x", 1), {(1, 3)})])
    assert found.equals(pl.DataFrame({"stage": [0, 0, 1], "row": [1, 2, 1], "column": [2, 3, 3]}))
