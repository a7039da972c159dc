"""What the page of a run says in words: what `senn show` prints, for `senn.traces.report`."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from senn.cli.printing import answer, costs
from senn.cli.printing.page.program import of_run as program_of_run
from senn.cli.printing.report import what_ran

if TYPE_CHECKING:
    from senn.traces.report import ReportContent
    from senn.traces.run import Run
    from senn.traces.tables import Section


def told(run: Run) -> ReportContent:
    """Of a run that `senn run` has made."""
    from senn.traces.report import ReportContent

    problem, program = run.description["problem"], run.description["program"]
    title = f"{problem['name']}: {program['name']}, n = {len(problem['joints'])}"
    return ReportContent(title, tuple(_tiles(run)), tuple(_sections(run)), *program_of_run(run))


def _tiles(run: Run) -> Iterator[tuple[str, str]]:
    """The figures that a reader looks for first."""
    summary, clock = run.summary, run.description["machine"]["clock_mhz"]
    taken = float(summary["makespan"] / Fraction(str(clock)))
    yield f"{summary['makespan']:,} cycles", f"{taken:,.1f} us at {clock:g} MHz"
    for array, one in summary["arrays"].items():
        if one["stall"] is not None and one["end"]:
            yield (
                f"{100 * one['stall'] / one['end']:.0f} %",
                f"of the time of array {array} it waits for messages",
            )
    if summary["messages"] is not None:
        yield (f"{summary['messages']:,} messages", f"{summary['words']:,} words, {summary['hops']:,} hops")
    if run.certificate:
        good = "within its tolerances" if run.certificate["ok"] else "not within its tolerances"
        yield "certified" if run.certificate["ok"] else "certificate failed", f"the answer is {good}"


def _sections(run: Run) -> Iterator[Section]:
    from senn.traces.tables import Section

    said = run.description
    yield Section("Time", tuple(costs.makespan(run)), costs.arrays(run.summary["arrays"]))
    if run.certificate:
        lines = tuple(answer.remarks(run.certificate, said))
        yield Section(answer.compared_with(run.certificate), lines, answer.errors(run.certificate, said))
    yield Section("What ran", tuple(what_ran(said)))
    if run.result:
        yield Section("Answer", tuple(answer.answer(run)))
    yield Section("Communication", tuple(costs.communication(run)))
