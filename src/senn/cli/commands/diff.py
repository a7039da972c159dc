"""`senn diff`: where two recorded runs part, and what got slower."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.base.account import Account, Section
from senn.base.tables import figure, table
from senn.cli import options as cli
from senn.cli.printing import report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from senn.traces.run import Run

_LONGEST = 8
_DIGEST = re.compile(r"[0-9a-f]{64}")


@cli.command(short_help="Where two run folders part, and what got slower.")
@click.argument("a", metavar="RUN", type=cli.PATH, shell_complete=cli.RUNS)
@click.argument("b", metavar="[OTHER]", required=False, shell_complete=cli.RUNS)
@click.option("--places", is_flag=True, help="Compare nodes and channels, too.")
@cli.output_option(
    "--hash", "digests", is_flag=True, help="Compare or print the digest of all times and places."
)
@cli.quiet_option
def diff(a: Path, b: str | None, places: bool, digests: bool) -> Account:
    """Compare the times of two run folders, step by step, level by level, process by process.

    The exit status is 0 if they are equal, 1 if they differ, 2 if something cannot be read. Numbers are not
    compared: times do not depend on them.

    With --hash, OTHER may also be a digest that was kept, and may be left out: the digest of RUN is printed.
    It is made of whole numbers alone, so it is the same on every computer.

    \b
    Examples:
      senn diff runs/before runs/after
      senn diff --hash runs/demo > demo.hash
      senn diff --hash runs/demo $(cut -c 1-64 demo.hash)
    """
    if b is None and not digests:
        raise click.UsageError("Missing argument 'OTHER': the run folder to compare with")
    with ExitStack() as stack:
        first = stack.enter_context(report.opened(a))
        kept = digests and b is not None and _DIGEST.fullmatch(b) is not None
        second = None if b is None or kept else stack.enter_context(report.opened(Path(b)))
        if digests:
            whole = first.trace.detail == "full" and (second is None or second.trace.detail == "full")
            traces = [run.trace for run in (first, second) if run is not None]
            for trace in traces:
                trace.require("instructions")
            hashes = [trace.hash if whole else trace.instructions_hash for trace in traces]
            if b is not None and second is None:
                hashes.append(b)
            equal = len(set(hashes)) == 1
            detail = "full" if whole else "instructions"
            pairs = zip(hashes, (a, b), strict=False)
            text = "\n".join(digest if digest == name else f"{digest}  {name}" for digest, name in pairs)
            figures = {"equal": equal if b else None, "detail": detail, "hashes": hashes}
            return Account(figures=figures, text=text, failure=None if equal else "")
        assert second is not None
        return _compared((str(a), str(b)), first, second, places)


def _compared(names: tuple[str, str], a: Run, b: Run, places: bool) -> Account:
    from senn.traces import analysis
    from senn.traces.facts import facts as facts_of

    comparison = analysis.compare(a.trace, b.trace, places)
    first = comparison.first
    both = a.trace.detail == b.trace.detail == "full"
    if first is None and places and both and a.trace != b.trace:
        first = "messages cross other channels, or at other times, on their way"
    # Cycles of different lengths cannot be compared, times can.
    mine, other = facts_of(a).clock, facts_of(b).clock
    clocks = (mine, other) if mine and other and mine != other else None
    unit = "us" if clocks else "cycles"
    tables = {
        "steps": analysis.slower(a.trace, b.trace, "step", clocks),
        "levels": analysis.slower(a.trace, b.trace, "level", clocks),
        "processes": analysis.slower(a.trace, b.trace, "process", clocks) if both else None,
    }
    took: list[float] = [run.summary["makespan"] for run in (a, b)]
    figures: dict[str, Any] = {"equal": first is None, "first": first, "differing": comparison.differing}
    figures |= {"makespan": dict(zip("ab", took, strict=True)), "unit": unit}
    figures |= {name: None if rows is None else rows.to_dicts() for name, rows in tables.items()}
    makespans = [f"{cycles:,} cycles" for cycles in took]
    if clocks:
        took = [cycles / float(clock) for cycles, clock in zip(took, clocks, strict=True)]
        makespans = [f"{text} = {time:,.1f} us" for text, time in zip(makespans, took, strict=True)]
    ratio = f", {took[1] / took[0]:.3f} of a" if took[0] else ""
    counts = ", ".join(f"{count:,} {name}" for name, count in comparison.differing.items() if count)
    lines = {"a": f"{names[0]}: {makespans[0]}", "b": f"{names[1]}: {makespans[1]}{ratio}"}
    if first is None:
        lines["equal"] = "every step, level and process in the same cycles"
    else:
        lines |= {"part at": first} | ({"differ": counts} if counts else {})
    sections = [Section(lines=tuple(lines.items())), *(_differing(tables, unit) if first is not None else ())]
    return Account(sections, {**figures, "a": names[0], "b": names[1]}, failure=None if first is None else "")


def _differing(tables: Mapping[str, pl.DataFrame | None], unit: str) -> Iterator[Section]:
    for name, rows in tables.items():
        differ = None if rows is None else rows.filter(rows["more"] != 0)
        if differ is None or not differ.height:
            continue
        most = f", the {_LONGEST} that differ most of {differ.height}" if differ.height > _LONGEST else ""
        key, *times = differ.columns[1], *(("busy", "end") if name == "processes" else ("work", "stall"))
        shown = [
            (
                f"array {row['array']}",
                figure(row[key], ""),
                *(_time(row[f"{time}_{side}"]) for time in times for side in "ab"),
                _time(row["more"], "+"),
            )
            for row in differ.head(_LONGEST).iter_rows(named=True)
        ]
        heads = [f"{time}\n{side}" for time in times for side in "ab"]
        heads.append("later\nin b" if name == "processes" else "more\nin b")
        yield Section(f"{name.capitalize()} ({unit}{most})", table=table(["", key], heads, shown))


def _time(time: int | float | None, sign: str = "") -> str:
    return figure(time, f"{sign},.1f" if isinstance(time, float) else f"{sign},")
