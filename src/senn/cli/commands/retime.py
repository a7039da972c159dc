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
from senn.cli.printing.document import field_text, spent

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def _compared(recorded: Run, timing: Timing, retimed: Run) -> tuple[dict[str, Any], Section]:
    from senn.traces import analysis

    was, now = recorded.description["machine"], retimed.description["machine"]
    changed = {name: value for name, value in now.items() if was.get(name) != value}
    figures = {"machine": timing.machine.name, "changed": changed, "by": timing.by, "why": timing.why}
    figures |= {**_times(retimed), "by_array": retimed.summary["arrays"]}
    figures |= {"trace_hash": retimed.trace.hash, "recorded": _times(recorded)}
    changes = ", ".join(
        f"{name} {field_text(was[name])} -> {field_text(x)}" if name != "energy" else "other energies"
        for name, x in changed.items()
    )
    how = "in the order of the record" if timing.by == "order" else "message by message"
    lines = {"machine": changes or f"{timing.machine.name}, as recorded", "timed": f"{how}: {timing.why}"}
    if (cycles := spent(retimed)) is not None:
        lines["spent on"] = analysis.spent_text(cycles)
        lines["recorded"] = analysis.spent_text(spent(recorded) or {})
    return figures, Section(lines=tuple(lines.items()), table=_beside(recorded, retimed))


_COMPARED = ("stall", "exposed_stall", "in_flight", "exposed", "hidden")


def _times(run: Run) -> dict[str, Any]:
    from senn.traces.facts import facts as facts_of
    from senn.traces.facts import femtojoules

    of_run = facts_of(run)
    compared = {name: run.summary[name] for name in _COMPARED}
    costs = {"spent": spent(run), "femtojoules": femtojoules(run)}
    return {"makespan": of_run.makespan, "microseconds": of_run.microseconds, **compared, **costs}


def _beside(recorded: Run, retimed: Run) -> Table:
    from senn.traces.facts import femtojoules
    from senn.traces.naming import joules

    rows = [("makespan", recorded.summary["makespan"], retimed.summary["makespan"])]
    for number, entry in retimed.summary["arrays"].items():
        rows.append((f"array {number} ends at", recorded.summary["arrays"][number]["end"], entry["end"]))
    for name in _COMPARED:
        if retimed.summary[name] is not None and recorded.summary[name] is not None:
            rows.append((name.replace("_", " "), recorded.summary[name], retimed.summary[name]))
    clocks = [Fraction(str(run.description["machine"]["clock_mhz"])) for run in (recorded, retimed)]
    one_clock = clocks[0] == clocks[1]

    def ratio(was: int, now: int) -> str:
        return f"{float(now / clocks[1] / (was / clocks[0])):.3f}" if was else "-"

    def texts(in_cycles: bool, *cycles: int) -> list[str]:
        times = [f"{float(x / clock):,.1f}" for x, clock in zip(cycles, clocks, strict=True)]
        return [f"{x:,}" for x in cycles] if in_cycles else times

    unit, other = ("cycles", "in us") if one_clock else ("us", "in cycles")
    shown = [(name, *texts(one_clock, was, now), ratio(was, now)) for name, was, now in rows]
    shown.insert(1, (other, *texts(not one_clock, *rows[0][1:]), shown[0][-1] if one_clock else "-"))
    if (now := femtojoules(retimed)) is not None:
        was = femtojoules(recorded)
        shown.append(("energy", joules(was) if was else "-", joules(now), f"{now / was:.3f}" if was else "-"))
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
