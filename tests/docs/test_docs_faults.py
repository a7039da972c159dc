"""faults.md: tables and sentences beside its data file, and one program of it measured again."""

from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl
import pytest

from docs.make import faults
from docs.make.page import DATA, printed, records, written
from senn.api.building import machine_of, program_of, schedule_of
from senn.choices import MachineChoices, usual

STEPS = pl.read_csv(DATA / "faults" / "steps.csv", infer_schema_length=None)
SUMMED = STEPS.filter(pl.col("program") != faults.OTHER)


@cache
def again() -> dict[str, faults.Measured]:
    return {"gather-solve-scatter": faults.measured("gather-solve-scatter")}


@pytest.mark.parametrize("table", [faults.outcomes, faults.checks, faults.times], ids=lambda x: x.__name__)
def test_a_row_of_every_table_is_what_is_measured(table: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "measures", again)
    (row,) = (line for line in table() if line.startswith("| gather-solve-scatter"))
    assert row in printed("faults")[table.__name__]


def test_steps_of_one_program_are_what_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "measures", again)
    measured = records(faults.steps())[1:]
    kept = STEPS.filter(program="gather-solve-scatter").rows()
    assert [[str(x) if x is not None else "" for x in row] for row in kept] == measured


def test_outcomes_add_up_to_the_data() -> None:
    """By program and by bit; every bit of every word once."""
    rows = records(printed("faults")["outcomes"])[1:]
    for name, sent, flips, *counts in rows:
        bit = name.partition("bit ")[2].rstrip(")*")
        some = SUMMED.filter(bit=int(bit)) if bit else STEPS.filter(program=name)
        assert [int(x) for x in counts] == [some[x].sum() for x in faults.OUTCOMES]
        assert int(flips) == some["words"].sum() == sum(map(int, counts))
        if not bit:
            assert int(sent) == some.filter(bit=63)["messages"].sum()


def test_sentences_are_those_of_the_data() -> None:
    text = written("faults").replace("\n", " ")
    assert f"Of {SUMMED['words'].sum():,} inverted bits none" in text
    assert f"{SUMMED['silent'].sum():,} are silent" in text
    gross = STEPS.filter(pl.col("bit") > 20)
    silent = gross.filter(pl.col("silent") > 0)
    for name, steps in {
        "gather-solve-scatter": {"III.1.i", "III.1.iii"},
        "gather-and-solve": {"I.1.ii", "I.1.iv'"},
        "star": {"II.c.1", "II.c.6", "II.c.8'", "II.d.1"},
    }.items():
        assert set(silent.filter(program=name)["step"]) == steps
    assert set(
        gross.filter((pl.col("wrenches") > 0) & pl.col("program").is_in(["short", "omega"]))["step"]
    ) == {
        "II.b.1.vi.i",
        "II.b.1.vi.ii'",
    }
    missed = SUMMED.with_columns(
        missed=pl.sum_horizontal("refused", "silent") - pl.sum_horizontal(*faults.CHECKS)
    )
    assert missed.filter(pl.col("bit") != 20)["missed"].sum() == 0
    left = [
        [cell.replace(",", "") for cell in row[-2:]] for row in records(printed("faults")["checks"])[1:-1]
    ]
    assert f"they miss {sum(int(count) for count, _ in left)}, errors of at most 140 tolerances" in text
    assert max(int(error.split()[0]) for _, error in left if error) == 140
    sweep = STEPS.filter(pl.col("step").str.starts_with("I.c"), program="paper")
    assert f"{sweep['masked'].sum() / sweep['words'].sum():.0%}".replace("%", " %") in text
    for bit in (63, 55, 51):
        some = SUMMED.filter(bit=bit)
        wrong = some["refused"].sum() + some["silent"].sum()
        assert f"{wrong / some['words'].sum():.0%}" == "84%"
    assert SUMMED.filter(bit=8)["refused"].sum() == 2


@pytest.mark.parametrize("name", [name for name in faults.PROGRAMS if name != faults.OTHER])
def test_every_message_is_awaited(name: str) -> None:
    """So the loss of any is a deadlock: no instruction is issued before all that it awaits has arrived."""
    options = usual(MachineChoices, **faults.PROGRAMS[name])
    program, machine = program_of(options, 4), machine_of(options)
    schedule = schedule_of(options, program, machine)
    awaited = np.concatenate([task.needs for tasks in schedule.tasks for task in tasks])
    assert sorted(awaited.tolist()) == list(range(len(schedule.messages)))
