"""`senn retime`: how long a recorded run would have taken on another machine."""

from __future__ import annotations

from fractions import Fraction
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.base.account import Account, Section
from senn.base.errors import InputError
from senn.base.tables import Table, table
from senn.choices import MachineChoices, choices
from senn.cli import options as cli
from senn.cli.printing import pictures, report
from senn.cli.printing.document import field_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from senn.machine.timing import Sensitivity, Timing
    from senn.traces.run import Run

_ROWS = choices(MachineChoices)


@cli.command(short_help="A recorded run timed anew on another machine.")
@cli.run_argument
@cli.option(
    _ROWS["machine"], default=None, help="Another machine: a name of `senn list machines`, or a TOML file."
)
@cli.option(_ROWS["set"])
@click.option("--sensitivity", is_flag=True, help="Print the cost of one more cycle of each time.")
@cli.written_to("DIR", "Folder of the retimed run, which has no numbers.")
@cli.output_option(
    *("--map", "picture"),
    metavar="FILE",
    type=cli.PATH,
    help="Draw the cost of communication over bandwidth and start-up: a .png, .svg or .pdf file.",
)
@cli.output_option("--force", is_flag=True, help="Replace another run that is in the folder.")
@cli.quiet_option
def retime(
    run: Path,
    machine: str | None,
    set: dict[str, str],
    sensitivity: bool,
    picture: Path | None,
    output: Path | None,
    force: bool,
) -> Account:
    """Time a RUN folder anew on another machine, to the cycle, without its numbers.

    The schedule stays as recorded: instructions, nodes and routes. A machine that needs another schedule is
    refused (another network, routing, or number of nodes). If channels serve their messages in the recorded
    order, this takes milliseconds; else every message is simulated again, and the output says so.

    \b
    Examples:
      senn retime runs/demo --machine raw
      senn retime runs/demo --set timing.startup=100 -o runs/faster
      senn retime runs/demo --sensitivity
      senn retime runs/demo --map cost.png
    """
    from senn.api import what_if
    from senn.traces.folder import check_free

    if picture:
        pictures.check(picture)
    if output:
        check_free(output, force=True)
        if output.resolve() == run.resolve():
            raise InputError(f"{output} is the run to time anew; choose another folder for the retimed run")
    with report.opened(run) as recorded:
        timing = what_if.retime(recorded, machine=machine, set=set)
        retimed = timing.run(recorded.trace.detail)
        figures, section = _compared(recorded, timing, retimed)
        rows = what_if.sensitivities(recorded, machine=machine, set=set) if sensitivity else None
        hidden = what_if.hiding(recorded, machine=machine, set=set) if picture else None
        if picture and hidden:
            from senn.traces.pictures.style import caption_of

            caption = caption_of(retimed)
            pictures.write(lambda: hidden.plot(caption=caption), picture, recorded)
    if output:
        check_free(output, force, retimed.description["inputs"])
        retimed.save(output, force)
    figures |= {"sensitivities": rows and [*map(_sensitivity, rows)]}
    figures |= {"break_even": hidden and {"free_network": hidden.free, "curve": hidden.curve.to_dicts()}}
    figures |= {"record": run, "folder": output, "picture": picture}
    costs = [Section("What the makespan depends on", table=_dependence(rows))] if rows is not None else []
    return Account([section, *costs], figures, files={"run": output, "map": picture})


_TIMES = ("stall", "exposed_stall", "in_flight", "exposed", "hidden")


def _compared(recorded: Run, timing: Timing, retimed: Run) -> tuple[dict[str, Any], Section]:
    """Account of both runs: for --json, and for readers."""
    from senn.traces.analysis import spent_text
    from senn.traces.facts import figures as figures_of

    machines = [run.description["machine"] for run in (recorded, retimed)]
    was, now = figures_of(recorded), figures_of(retimed)
    changed = {name: value for name, value in machines[1].items() if machines[0].get(name) != value}
    kept = ("makespan", "microseconds", *_TIMES, "spent", "femtojoules")
    figures = {"machine": timing.machine.name, "changed": changed, "by": timing.by, "why": timing.why}
    figures |= {name: now[name] for name in (*kept, "by_array")}
    figures |= {"trace_hash": retimed.trace.hash, "recorded": {name: was[name] for name in kept}}
    changes = ", ".join(
        f"{name} {field_text(machines[0][name])} -> {field_text(x)}" if name != "energy" else "other energies"
        for name, x in changed.items()
    )
    how = "in the order of the record" if timing.by == "order" else "message by message"
    lines = {"machine": changes or f"{timing.machine.name}, as recorded", "timed": f"{how}: {timing.why}"}
    if now["spent"] is not None:
        lines |= {"spent on": spent_text(now["spent"]), "recorded": spent_text(was["spent"] or {})}
    clocks = [Fraction(str(machine["clock_mhz"])) for machine in machines]
    return figures, Section(lines=tuple(lines.items()), table=_beside(was, now, clocks))


def _beside(was: Mapping[str, Any], now: Mapping[str, Any], clocks: Sequence[Fraction]) -> Table:
    """Times of a run as recorded and now: in cycles, or in microseconds if the clocks differ; and energy."""
    from senn.traces.naming import joules

    ends = {
        f"array {k} ends at": (was["by_array"][k]["end"], now["by_array"][k]["end"]) for k in now["by_array"]
    }
    rows = {"makespan": (was["makespan"], now["makespan"]), **ends}
    rows |= {x.replace("_", " "): (was[x], now[x]) for x in _TIMES if None not in (was[x], now[x])}
    one_clock = clocks[0] == clocks[1]

    def cells(in_cycles: bool, *cycles: int) -> list[str]:
        times = [x / clock for x, clock in zip(cycles, clocks, strict=True)]
        texts = [f"{x:,}" for x in cycles] if in_cycles else [f"{float(x):,.1f}" for x in times]
        return [*texts, f"{float(times[1] / times[0]):.3f}" if times[0] else "-"]

    shown = [(name, *cells(one_clock, *cycles)) for name, cycles in rows.items()]
    *makespan, ratio = cells(not one_clock, *rows["makespan"])
    shown.insert(1, ("in us" if one_clock else "in cycles", *makespan, ratio if one_clock else "-"))
    if (energy := now["femtojoules"]) is not None:
        before = was["femtojoules"]
        ratio = f"{energy / before:.3f}" if before else "-"
        shown.append(("energy", joules(before) if before else "-", joules(energy), ratio))
    unit = "cycles" if one_clock else "us"
    return table([unit], ["recorded", "now", "now / recorded"], shown)


def _dependence(rows: Sequence[Sensitivity]) -> Table:
    percents = sorted({percent for row in rows for percent in row.dearer})
    shown = []
    for row in rows:
        more = "-" if row.more is None else _figure(row.more)
        part = "-" if row.share is None else f"{100 * float(row.share):.1f} %"
        dearer = {x: "never" if value is None else _figure(value) for x, value in row.dearer.items()}
        shown.append(
            (row.name, _figure(row.value), more, part, *(dearer.get(percent, "") for percent in percents))
        )
    heads = ["now", "one more\ncosts", "share", *(f"{percent} % more\nup to" for percent in percents)]
    return table(["time, in cycles"], heads, shown)


def _figure(number: Fraction) -> str:
    """Exact where it is whole, else its first five digits: not above it."""
    if number.denominator == 1:
        return f"{number.numerator:,}"
    digits = max(0, 4 - floor(log10(number)))
    return f"{floor(number * 10**digits) / 10**digits:,.{digits}f}".rstrip("0")


def _sensitivity(row: Sensitivity) -> dict[str, Any]:
    """A row for --json; numbers that are no integers as exact texts."""
    from senn.machine.model.figures import plain

    def exactly(number: Fraction | None) -> int | str | None:
        return None if number is None else plain(number)

    return {
        "time": row.name,
        **{name: exactly(getattr(row, name)) for name in ("value", "more", "less")},
        "share": None if row.share is None else float(row.share),
        "dearer": {str(percent): exactly(value) for percent, value in row.dearer.items()},
    }
