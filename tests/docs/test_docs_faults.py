"""faults.md: sentences beside its data files, and one program of it measured again."""

from functools import cache

import numpy as np
import polars as pl
import pytest

from experiments.page import DATA, data, records, written
from experiments.trust import faults
from senn.api.building import machine_of, program_of, schedule_of
from senn.choices import MachineChoices, usual
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place

MAKESPANS = pl.read_csv(DATA / "faults" / "makespans.csv")
STEPS = pl.read_csv(DATA / "faults" / "steps.csv", infer_schema_length=None)
SUMMED = STEPS.filter(pl.col("program") != faults.OTHER)


@cache
def again() -> dict[str, faults.Measured]:
    return {"gather-solve-scatter": faults.measured("gather-solve-scatter")}


@pytest.mark.parametrize("name", faults.DATA)
def test_data_of_one_program_are_what_is_measured(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "measures", again)
    measured, kept = (everywhere(rows) for rows in (records(faults.DATA[name]()), data("faults", name)))
    assert [row["program"] for row in measured].count("gather-solve-scatter")
    for rows in (measured, kept):
        rows[:] = [row for row in rows if row["program"] == "gather-solve-scatter"]
    assert measured == kept


def everywhere(rows: list[list[str]]) -> list[dict[str, str | int]]:
    """Rows by the titles in their head, masked and certified added up: whether a low bit changes nothing at
    all depends on how a processor rounds."""
    head, *others = rows
    named: list[dict[str, str | int]] = [dict(zip(head, row, strict=True)) for row in others]
    for row in named:
        if "masked" in row:
            row["passed"] = int(row.pop("masked")) + int(row.pop("certified"))
    return named


def test_outcomes_add_up_to_the_data() -> None:
    """By program and by bit; every bit of every word once."""
    for name, sent, flips, *counts in data("faults", "outcomes")[1:]:
        bit = name.partition("bit ")[2].rstrip(")")
        some = SUMMED.filter(bit=int(bit)) if bit else STEPS.filter(program=name)
        assert [int(x) for x in counts] == [some[x].sum() for x in faults.OUTCOMES]
        assert int(flips) == some["words"].sum() == sum(map(int, counts))
        if not bit:
            assert int(sent) == some.filter(bit=63)["messages"].sum()


def test_sentences_are_those_of_the_data() -> None:
    text = written("faults").replace("\n", " ")
    assert f"Of {SUMMED['words'].sum():,} inverted bits {SUMMED['silent'].sum():,} are silent" in text
    assert STEPS.filter(pl.col("bit") <= 20).select("refused", "silent").sum().row(0) == (0, 0)
    silent = STEPS.filter(pl.col("silent") > 0)
    for name, steps in {
        "gather-solve-scatter": {"III.1.i", "III.1.iii"},
        "gather-and-solve": {"I.1.ii", "I.1.iv'"},
        "star": {"II.c.1", "II.c.6", "II.c.8'", "II.d.1"},
    }.items():
        assert set(silent.filter(program=name)["step"]) == steps
    by_wrenches = STEPS.filter((pl.col("wrenches") > 0) & pl.col("program").is_in(["short", "omega"]))
    assert set(by_wrenches["step"]) == {"II.b.1.vi.i", "II.b.1.vi.ii'"}
    left = {row[0]: row[-2:] for row in data("faults", "checks")[1:-1]}
    missed = sum(int(count) for count, _ in left.values())
    largest = max((error for _, error in left.values() if error), key=float)
    assert f"steps, miss {missed}, with errors of at most {largest}; {left['hybrid'][0]} of them are" in text
    sweep = STEPS.filter(pl.col("step").str.starts_with("I.c"), program="paper")
    assert f"{sweep['masked'].sum() / sweep['words'].sum():.0%}".replace("%", " %") in text
    for bit in (63, 55, 51):
        some = SUMMED.filter(bit=bit)
        wrong = some["refused"].sum() + some["silent"].sum()
        assert f"{wrong / some['words'].sum():.0%}" == "84%"


def test_makespans_without_a_wire_or_a_node_are_those_of_the_data() -> None:
    """Table and sentences; a wire that cuts a node off is dead like that node."""
    text = written("faults").replace("\n", " ")
    extremes = []
    for name, *cells in data("faults", "times")[1:]:
        some = MAKESPANS.filter(program=name)
        (whole,) = some.filter(pl.col("dead").is_null())["makespan"]
        assert cells[0] == str(whole)
        by = {dead: cycles / whole for dead, cycles in some.select("name", "makespan").rows() if dead}
        assert (by.pop("exchange:0-1"), by.pop("exchange:6-7")) == (by["0"], by["7"])
        wires = [ratio for dead, ratio in by.items() if ":" in dead]
        nodes = [ratio for dead, ratio in by.items() if ":" not in dead]
        assert (len(wires), len(nodes)) == (11, 8)
        assert cells[-2:] == [f"{min(some):.2f} to {max(some):.2f}" for some in (wires, nodes)]
        assert (min(by.values()) < 1.0) == (name == "gather-solve-scatter")
        extremes.append((max(wires), max(nodes)))
    wire, node = map(max, zip(*extremes, strict=True))
    assert f"at most {wire:.2f} times as long; without a node, up to {node:.2f} times" in text
    lone = MAKESPANS.filter(pl.col("name").is_in(["neighbor:1-2", "shuffle:1-2"]), program="paper")
    assert lone["makespan"].to_list() == [7697, 7697]
    assert MAKESPANS.filter(program="gather-solve-scatter", name="6")["makespan"].item() == 11031


def test_last_processes_of_gather_solve_scatter_at_node_5_shorten_the_routes() -> None:
    options = usual(MachineChoices, algorithm="gather-solve-scatter")
    program, machine = program_of(options, 8), machine_of(options)
    tables = np.array(allocation.named("identity", 8, "migrating")), np.full((4, 8), [0, 1, 2, 3, 4, 5, 5, 5])
    crossed = [len(place(program, table, machine).messages.paths.channels) for table in tables]
    assert crossed == [22, 12]


@pytest.mark.parametrize("name", [name for name in faults.PROGRAMS if name != faults.OTHER])
def test_every_message_is_awaited(name: str) -> None:
    """So the loss of any is a deadlock: no instruction is issued before all that it awaits has arrived."""
    options = usual(MachineChoices, **faults.PROGRAMS[name])
    program, machine = program_of(options, 4), machine_of(options)
    schedule = schedule_of(options, program, machine)
    awaited = np.concatenate([task.needs for tasks in schedule.tasks for task in tasks])
    assert sorted(awaited.tolist()) == list(range(len(schedule.messages)))
