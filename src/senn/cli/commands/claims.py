"""`senn claims`: what the paper says, what was measured, and the verdict; and the table of crossovers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.choices import ProgramChoices, choices
from senn.cli import options
from senn.cli.options import (
    command,
    json_option,
    machine_option,
    option,
    picture_option,
    problem_option,
    quiet_option,
)
from senn.cli.printing import pictures
from senn.cli.printing.progress import each
from senn.cli.printing.screen import facts, files, heading, indented, say_json, screen, table

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from senn.experiments.claims import Claim, Finding, Scope, Table
    from senn.experiments.crossovers import Crossover

CROSSOVERS = "crossovers"
"""The name that asks for the table of crossovers instead of claims."""


@command(short_help="What the paper claims, tried by experiment.")
@click.argument("names", nargs=-1, metavar="[NAME]... | crossovers", shell_complete=options.CLAIMS)
@click.option("--quick", is_flag=True, help="Two machines and n up to 64: seconds, not minutes.")
@machine_option(
    "--machine",
    "machines",
    shell_complete=options.BY_OPTION["machine"],
    metavar="NAME|FILE",
    multiple=True,
    help="Machine of the experiments; repeatable.  [default: all of `senn list machines`]",
)
@problem_option(
    "--n", metavar="SIZES", help="Crossovers: sizes as in `senn steps`, from 2.  [default: 4:256]"
)
@option(
    choices(ProgramChoices)["form"],
    default=None,
    group="crossovers",
    help="Program of the crossovers.  [default: short]",
)
@option(
    choices(ProgramChoices)["residency"],
    values=("migrating", "home"),
    default=None,
    group="crossovers",
    help="When processes of the crossovers move.  [default: whichever is faster]",
)
@json_option
@quiet_option
@picture_option("the speed-ups of the crossovers")
def claims(
    names: tuple[str, ...], quick: bool, machines: tuple[str, ...], as_json: bool, **crossing: Any
) -> None:
    """Test what the paper claims by experiment: each claim with its figures and a verdict.

    Without NAME, list the verdicts of all claims. With NAME, show the experiment, the rule that turns figures
    into a verdict, and every figure. A verdict is one word (holds, fails, depends, untestable), a condition
    and an effect, against the algorithms of 1993 and, where others play a role, against those of today. No
    verdict follows from `ideal` or `fijany`, whose messages are assumed. --quick lists what it leaves out.

    `senn claims crossovers` compares the program with the best serial solution on one node of the same
    machine: from which n it is faster. The serial time is an operation count at the machine's own cycles per
    operation, of articulated bodies that take the contact along (PV-early) or of the mass matrix, whichever
    is less. Timing only, for revolute joints and a welded tip.

    \b
    Examples:
      senn claims --quick
      senn claims step-two-hidden
      senn claims redundant-arms --machine my-machine.toml --json
      senn claims crossovers --form paper --machine t800 --plot speed-up.svg
    """
    options = {name: value for name, value in crossing.items() if value is not None}
    if CROSSOVERS in names:
        if len(names) > 1 or quick:
            raise click.UsageError("crossovers is a table of its own: give no other name and no --quick")
        _print_crossovers(machines, as_json, **options)
        return
    for name in options:
        flag = "plot" if name == "picture" else name
        raise click.UsageError(f"--{flag} belongs to senn claims crossovers; leave it out")
    _try_claims(names, quick, machines, as_json)


def _try_claims(names: tuple[str, ...], quick: bool, machines: tuple[str, ...], as_json: bool) -> None:
    from senn.experiments import claims as experiments

    wanted, scope = experiments.chosen(names), experiments.scope(quick, machines)
    trying = each(wanted, lambda claim: f"trying {claim.name}")
    findings = [(claim, claim.examine(scope)) for claim in trying]
    if as_json:
        say_json(_document(findings, scope))
    elif names:
        _print_whole(findings, scope)
    else:
        _print_verdicts(findings, scope)


def _document(found: Iterable[tuple[Claim, Finding]], scope: Scope) -> dict[str, Any]:
    return {
        "scope": vars(scope),
        "claims": [
            {
                "name": claim.name,
                "place": claim.place,
                "says": claim.says,
                "experiment": claim.experiment,
                "rule": claim.rule,
                "verdict": vars(finding.verdict),
                "today": vars(finding.today) if finding.today else None,
                "figures": [{"title": table.title, "rows": table.rows} for table in finding.figures],
            }
            for claim, finding in found
        ],
    }


def _print_verdicts(found: Iterable[tuple[Claim, Finding]], scope: Scope) -> None:
    with screen() as page:
        for claim, finding in found:
            _print_verdict(page, claim, finding)
            page.print()
        page.print(
            f"Tried on {', '.join(map(str, scope.machines))}, n = {scope.sizes[0]} to {scope.sizes[-1]}. The "
            "experiment, the rule and the figures of one: senn claims NAME"
        )
        _print_left_out(page, scope)


def _print_verdict(page: Console, claim: Claim, finding: Finding, *lines: tuple[str, str]) -> None:
    """The words of the verdict, the sentence, and the verdicts with condition and effect."""
    words = finding.verdict.word + (f" (today: {finding.today.word})" if finding.today else "")
    page.print(f"{claim.name}: {words}", style="bold")
    verdicts = [("1993" if finding.today else "verdict", finding.verdict.text)]
    if finding.today:
        verdicts.append(("today", finding.today.text))
    indented(page, facts([("Fijany " + claim.place, claim.says), *verdicts, *lines]))


def _print_left_out(page: Console, scope: Scope) -> None:
    from senn.experiments.claims import left_out

    if text := left_out(scope):
        page.print()
        page.print(text)


def _print_whole(found: Iterable[tuple[Claim, Finding]], scope: Scope) -> None:
    with screen() as page:
        for number, (claim, finding) in enumerate(found):
            if number:
                page.print()
            _print_verdict(page, claim, finding, ("experiment", claim.experiment), ("rule", claim.rule))
            for figures in finding.figures:
                heading(page, figures.title)
                indented(page, _figures_table(figures))
        _print_left_out(page, scope)


def _figures_table(figures: Table) -> Any:
    columns = list(figures.rows[0])
    texts = [name for name in columns if any(isinstance(row[name], str) for row in figures.rows)]
    numbers = [name for name in columns if name not in texts]
    rows = ([_figure(row[name]) for name in (*texts, *numbers)] for row in figures.rows)
    return table(texts, numbers, rows)


def _figure(entry: Any) -> str:
    if entry is None:
        return "never"
    return f"{entry:,}" if isinstance(entry, int) else str(entry)


# -- crossovers


def _print_crossovers(
    machines: Sequence[str],
    as_json: bool,
    n: str = "4:256",
    form: str = "short",
    residency: str | None = None,
    picture: Path | None = None,
) -> None:
    if picture:
        pictures.check(picture)
    from senn import api
    from senn.experiments import crossovers as races
    from senn.machine import model

    names, sizes = machines or model.presets("senn"), races.check_sizes(api.sizes(n))
    racing = each(names, lambda name: f"racing on {name}")
    rows = [races.crossover(name, sizes[-1], form, residency) for name in racing]  # type: ignore[arg-type]
    speeds = races.table(names, form, residency, sizes)  # type: ignore[arg-type]
    if picture:
        caption = f"form {form}, data {residency or 'where they are faster'}"
        pictures.write(lambda: races.draw(speeds, caption=caption), picture)
    if as_json:
        documents = speeds.rename({"cycles": "makespan"}).to_dicts()
        say_json({"crossovers": [vars(row) for row in rows], "rows": documents, "picture": picture})
    else:
        _print_speeds(rows, speeds, sizes[-1])
        files({"picture": picture})


def _print_speeds(crossovers: Sequence[Crossover], speeds: pl.DataFrame, largest: int) -> None:
    with screen() as page:
        page.print(f"From which n on two nodes a joint beat one (up to n = {largest:,})", style="bold")
        titles = ["pays\nfrom n", "if messages\ntook no time"]
        costs = ["a start-up,\noperations", "a word,\noperations"]
        rows = (
            [
                str(row.machine),
                *(_figure(n) for n in (row.pays_from, row.free_pays_from)),
                *(f"{cost:g}" for cost in (row.startup, row.word)),
            ]
            for row in crossovers
        )
        indented(page, table(["machine"], [*titles, *costs], rows))
        names = [str(row.machine) for row in crossovers]
        for column, title in _TITLES.items():
            heading(page, title)
            lines = (
                [f"{n:,}", *(f"{speeds.filter(machine=name, n=n)[0, column]:.3g}" for name in names)]
                for n in speeds["n"].unique().sort()
            )
            indented(page, table([], ["n", *names], lines, keys=1))
        page.print()
        page.print("The best serial solution: " + "; ".join(_serial_ranges(speeds)) + ".")


_TITLES = {
    "speed_up": "Speed-up over the best serial solution",
    "efficiency": "Speed-up per processor",
    "free_speed_up": "Speed-up if messages took no time",
}


def _serial_ranges(speeds: pl.DataFrame) -> Iterator[str]:
    """The sizes for which each serial solution is the best."""
    for name in speeds["serial"].unique(maintain_order=True):
        sizes = speeds.filter(serial=name)["n"].to_list()
        yield f"{name} for n = {min(sizes):,} to {max(sizes):,}"
