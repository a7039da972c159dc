"""The energy of a run, by programs counted on paper and by counts that do not come from its tables."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import polars as pl
import pytest

import senn
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.engines.memory import executed
from senn.machine.placing.schedule import Schedule, place, scores
from senn.machine.program import (
    PR1,
    PR2,
    Arrange,
    Compute,
    Program,
    Resident,
    Send,
    Value,
    Wait,
    i,
    levels,
    loop,
)
from senn.traces import analysis
from senn.traces.naming import OPERATIONS
from senn.traces.run import Run
from tests.machine.small_programs import machine, program, total

X, Y, Z = (Value(name, None, (1,)) for name in "xyz")
ENGINES = pytest.mark.parametrize("simulate", [events.simulate, lockstep.simulate])
Simulate = Callable[..., Run]


def prefix_sum(n: int) -> Program:
    """The program of docs/inside/programs.md: an addition and a word a process and level."""
    m, plus = levels(n), total(1)
    x = senn.Letter("x", (1,))

    def level(j: int, h: int) -> Any:
        yield Send("S.1", x[j - 1], PR1[i + h])
        yield Compute("S.2", x[j], plus(x[j - 1], x[j - 1][i - h].or_zero))
        yield Arrange("S.3", x[j], j, j + 1 if j < m else 0)

    return Program(
        name="prefix sum",
        n=n,
        streams=((*loop(n, level), Wait("S.4", x[m])),),
        resident=(Resident(x[0], (1,)),),
        results={"sum": (1, x[m])},
    )


def counted(run: Run, kind: str) -> int:
    """How much of a kind of work is charged."""
    return int(run.energy.filter(kind=kind)["count"].sum())


def charged(simulate: Simulate, schedule: Schedule, on: model.Machine, **energies: int | str) -> Run:
    charging = on.with_settings({f"energy.{name}": value for name, value in energies.items()})
    return simulate(schedule, charging, None, detail="full")


@ENGINES
def test_prefix_sums_of_eight_by_hand(simulate: Simulate) -> None:
    """Level h sends 8 - h words to neighbours and adds as often: 7 + 6 + 4 = 17 of each. Three un-shuffles
    move all but the first and the last process: 18 words. 17 x 2 pJ and 17 x 5 + 18 x 7 pJ."""
    run = charged(simulate, *_prefix("migrating"), add=2, word=5, shuffle=7)
    sums = dict(analysis.account(run.energy, "cause").select("cause", "femtojoules").iter_rows())
    assert sums == {"computing": 34_000, "moving": 211_000}
    assert (counted(run, "add"), counted(run, "shuffle")) == (17, 18)
    assert counted(run, "exchange") + counted(run, "neighbor") == 17
    by_step = dict(analysis.account(run.energy, "step").select("step", "femtojoules").iter_rows())
    assert by_step == {"S.1": 85_000, "S.2": 34_000, "S.3": 126_000}


def _prefix(residency: str, **settings: Any) -> tuple[Schedule, model.Machine]:
    on = machine(word=1, **settings)
    return senn.placed(prefix_sum(8), on, residency), on  # type: ignore[arg-type]


@ENGINES
@pytest.mark.parametrize(("switching", "stored"), [("store-and-forward", 35), ("cut-through", 17)])
def test_a_line_with_data_at_home_by_hand(simulate: Simulate, switching: str, stored: int) -> None:
    """A message of level h crosses h channels: 7 + 2 x 6 + 4 x 4 = 35 in all. Store-and-forward starts up,
    reads and writes the word on each, cut-through once a message."""
    hop = int(switching == "cut-through")
    run = charged(
        simulate, *_prefix("home", network="line", switching=switching, hop=hop), startup=1, memory=1, word=1
    )
    assert counted(run, "startup") == stored
    assert counted(run, "memory") == 2 * stored
    assert counted(run, "neighbor") + counted(run, "exchange") == 35
    assert run.energy["femtojoules"].sum() == 1000 * (3 * stored + 35)


@ENGINES
def test_two_arrays_and_idle_nodes_by_hand(simulate: Simulate) -> None:
    """Array 1 adds 3 times in 3 cycles and posts in 1; two words go down in 11 cycles, array 2 adds twice in
    cycles 15 to 17. Of 4 x 17 node cycles 2 x (3 + 1) + 2 x 2 are busy, 56 idle: 2 x 13 after the last
    instruction of array 1, and 2 x 15 before that of array 2."""
    sent = program(
        2,
        [Compute("A.1", Y, total(3)(X)), Send("A.2", Y, PR2[i])],
        [Compute("B.1", Z, total(2)(Y))],
        resident=[(X, 1)],
        results={"z": (2, Z)},
    )
    on = machine(startup=10, word=1)
    run = charged(simulate, place(sent, [[0, 1]] * 2, on), on, add=1, vertical=9, busy=2, idle="0.5")
    assert run.summary["makespan"] == 17
    rows = run.energy.group_by("array", "step", "cause", "kind").agg(pl.col("count", "femtojoules").sum())
    assert sorted(rows.rows(), key=str) == [
        (1, "A.1", "computing", "add", 6, 6_000),
        (1, "A.1", "computing", "busy", 6, 12_000),
        (1, "A.2", "moving", "busy", 2, 4_000),
        (1, "A.2", "moving", "vertical", 2, 18_000),
        (1, None, "waiting", "idle", 26, 13_000),
        (2, "B.1", "computing", "add", 4, 4_000),
        (2, "B.1", "computing", "busy", 4, 8_000),
        (2, "B.1", "waiting", "idle", 30, 15_000),
    ]


ALL = {name: k for k, name in enumerate(model.FIELDS["energy"][1:], 1)}
"""Another energy for each kind of work."""
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "half duplex": {"set": {"machine.duplex": "half"}},
    "no DMA": {"set": {"machine.dma": False}},
    "cut-through": {"machine": "raw"},
    "mimd": {"set": {"machine.control": "mimd"}},
    "receiving": {"machine": "cluster"},
    "folded": {"set": {"machine.nodes": 4}, "allocation": "block"},
    "packed": {"combine": True, "machine": "mark3"},
    "one array": {"arrays": 1},
    "joints": {"problem": "joints:RPSRF"},
    "events": {"engine": "events"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_all_work_is_charged_once_on_every_machine(kind: str) -> None:
    """Operations are those of the program, words and hops those of the schedule, and busy and idle cycles all
    cycles of all nodes."""
    options: dict[str, Any] = {"problem": "random:7:seed=1", "form": "short", **KINDS[kind]}
    energies = {f"energy.{name}": value for name, value in ALL.items()}
    run = senn.run(numbers=False, **{**options, "set": {**options.get("set", {}), **energies}})
    machine_entry, summary = run.description["machine"], run.summary
    operations = {name: counted(run, name) for name in OPERATIONS}
    assert sum(operations.values()) == run.trace.activities["flops"].sum()
    wires = sum(counted(run, wire) for wire in ("exchange", "neighbor", "shuffle", "vertical"))
    assert wires == run.description["scores"]["word_hops"]
    assert counted(run, "startup") == (
        run.trace.messages.filter(pl.col("granted") < pl.col("arrived")).height
        if machine_entry["switching"] == "cut-through"
        else summary["hops"]
    )
    nodes = machine_entry["arrays"] * run.description["schedule"]["nodes"]
    assert counted(run, "busy") + counted(run, "idle") == nodes * summary["makespan"]
    assert run.energy["count"].min() > 0  # type: ignore[operator]


def test_operations_are_those_that_the_program_executes() -> None:
    schedule = senn.placed(senn.algorithms.programs.variants.closed_chain(7))
    run = charged(lockstep.simulate, schedule, model.load("fijany"), **ALL)
    assert {name: counted(run, name) for name in OPERATIONS} == dict(
        zip(OPERATIONS, executed(schedule.flow), strict=True)
    )
    assert scores(schedule, 0).word_hops == sum(
        counted(run, kind) for kind in ("exchange", "neighbor", "shuffle", "vertical")
    )


def test_sums_by_any_columns_are_the_same_whole_number() -> None:
    run = senn.run(
        "ssrms", numbers=False, machine="cmos45", set={"energy.busy": "0.007", "energy.idle": "0.003"}
    )
    whole = sum(run.energy["femtojoules"])
    columns = ("array", "node", "instruction", "phase", "part", "step", "level", "cause", "kind")
    for by in (*combinations(columns, 1), *combinations(columns, 2)):
        assert sum(analysis.account(run.energy, *by)["femtojoules"]) == whole
    figures = run.description["machine"]["energy"]
    counts = dict(run.energy.group_by("kind").agg(pl.col("count").sum()).iter_rows())
    each = {kind: 1000 * Fraction(str(figures.get(kind, figures["word"]))) for kind in counts}
    assert whole == sum(each[kind] * count for kind, count in counts.items())


def test_an_energy_changes_no_cycle() -> None:
    plain, dear = (senn.run("ssrms", numbers=False, set=x) for x in ({}, {"energy.like": "cmos45"}))
    assert plain.trace.hash == dear.trace.hash
    assert plain.summary == dear.summary
    assert plain.description["inputs"] != dear.description["inputs"]
    retimed = senn.retime(plain, set={"energy.like": "cmos45"})
    assert retimed.trace.hash == plain.trace.hash
    assert retimed.run().energy.equals(dear.energy)


def test_a_retimed_run_costs_what_a_run_on_that_machine_costs(tmp_path: Any) -> None:
    """Also read from its folder, from its tables alone."""
    slow = {"timing.startup": 500, **{f"energy.{name}": value for name, value in ALL.items()}}
    folder = senn.run("random:6:seed=2", numbers=False, form="short").save(tmp_path / "run")
    again = senn.retime(folder, set=slow).run().save(tmp_path / "slow")
    fresh = senn.run("random:6:seed=2", numbers=False, form="short", set=slow)
    assert senn.open_run(again).energy.equals(fresh.energy)
    del slow["timing.startup"]
    quick = senn.retime(folder, set=slow).run().energy
    moved, recorded = (x.filter(~pl.col("kind").is_in(["busy", "idle"])) for x in (fresh.energy, quick))
    assert moved["femtojoules"].sum() == recorded["femtojoules"].sum()


def test_without_figures_or_tables_the_way_out_is_told() -> None:
    run = senn.run("ssrms", numbers=False)
    with pytest.raises(
        InputError, match=r"no \[energy\] in the machine file of fijany: .* energy\.like=cmos45"
    ):
        _ = run.energy
    small = senn.run("ssrms", numbers=False, machine="cmos45", detail="summary")
    with pytest.raises(InputError, match=r"needs the hops of the run.*run again with detail 'full'"):
        _ = small.energy
    huge = senn.run("ssrms", numbers=False, set={"energy.idle": 10**12})
    with pytest.raises(InputError, match="more femtojoules than 64 bits hold"):
        _ = huge.energy


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("word", "-1", r'\[energy\] word = "-1": must not be negative'),
        ("word", "nan", r'\[energy\] word = "nan": write an integer or a decimal string'),
        ("add", "0.0001", r'\[energy\] add = "0.0001": write at most three decimals'),
        ("add", "1e3", r'\[energy\] add = "1e3": write an integer or a decimal string'),
        ("wire", 1, r"\[energy\] wire is not known; the fields are multiply, add"),
        ("like", "ideal", r"energy\.like = \"ideal\": no \[energy\] in the machine file of ideal"),
        ("like", "cmos", r'machine "cmos" is not known'),
    ],
)
def test_a_bad_figure_is_refused(name: str, value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model.load("fijany").with_settings({f"energy.{name}": value})  # type: ignore[dict-item]


FILE = """
[machine]
name = "mine"
clock_mhz = 1
[timing]
flop = 1
startup = 1
word = 1
[energy]
add = "0.9"
shuffle = 3
[source.energy]
add = "Horowitz 2014"
"""


def test_a_file_has_energies_with_sources(tmp_path: Any) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(FILE)
    mine = model.load(file)
    assert {name: float(value) for name, value in mine.energy.items() if value} == {"add": 0.9, "shuffle": 3}
    assert [mine.sources[f"energy.{name}"] for name in ("add", "shuffle", "word")] == [
        *("Horowitz 2014", "unverified", "default")
    ]
    assert model.machine.of_description(mine.describe()) == mine
    taken = model.load("raw").with_settings({"energy.like": str(file), "energy.add": 2})
    assert (taken.energy["add"], taken.energy["shuffle"]) == (2, 3)
    for text, message in (
        (FILE.replace('"0.9"', "nan"), r"mine.toml: \[energy\] add = nan: write an integer"),
        (FILE.replace("shuffle", "like"), r"mine.toml: \[energy\] like is not known"),
        (FILE.replace('"Horowitz 2014"', "3"), r"\[source.energy\] add = 3: write a text"),
        (FILE.replace('add = "Horo', 'wire = "Horo'), r"\[source.energy\] wire is not known"),
    ):
        file.write_text(text)
        with pytest.raises(InputError, match=message):
            model.load(file)
