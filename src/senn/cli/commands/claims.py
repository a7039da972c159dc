"""`senn claims`: what the paper says, what was measured, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from senn.cli import completion
from senn.cli.options import command, json_option, machine_option
from senn.cli.printing.progress import each
from senn.cli.printing.screen import facts, heading, indented, say_json, screen
from senn.cli.printing.tables import table

if TYPE_CHECKING:
    from rich.console import Console

    from senn.experiments.claims import Claim, Finding, Scope, Table


@command(short_help="What the paper claims, tried by experiment.")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=completion.CLAIMS)
@click.option("--quick", is_flag=True, help="Two machines, n up to 64: seconds, not minutes.")
@machine_option(
    "--machine",
    "machines",
    shell_complete=completion.BY_OPTION["machine"],
    metavar="NAME|FILE",
    multiple=True,
    help="Try them on this machine; repeatable. Default: all of `senn list machines`.",
)
@json_option
def claims(names: tuple[str, ...], quick: bool, machines: tuple[str, ...], as_json: bool) -> None:
    """Turn what the paper says into experiments: claim, measured figures and verdict.

    A verdict follows from the figures by the rule that stands beside them, and says on which unverified
    figures of the machines it depends, within their intervals. Without NAME all claims are tried and their
    verdicts listed; with NAME the experiment, the rule and every figure are shown. --quick says what it left
    out.

    \b
    Examples:
      senn claims --quick
      senn claims step-two-hidden
      senn claims redundant-arms --machine my-machine.toml --json
    """
    from senn.experiments import claims as tried

    wanted, scope = tried.chosen(names), tried.scope(quick, machines)
    trying = each(wanted, lambda claim: f"trying {claim.name}")
    found = [(claim, tried.judged(claim, scope)) for claim in trying]
    if as_json:
        say_json(_document(found, scope))
    elif names:
        _print_whole(found, scope)
    else:
        _print_verdicts(found, scope)


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
                "verdict": finding.verdict,
                "cases": finding.cases,
                "depends": {case: [way._asdict() for way in ways] for case, ways in finding.depends.items()},
                "because": finding.because,
                "figures": [{"title": one.title, "rows": one.rows} for one in finding.figures],
            }
            for claim, finding in found
        ],
    }


def _print_verdicts(found: Iterable[tuple[Claim, Finding]], scope: Scope) -> None:
    with screen() as page:
        for claim, finding in found:
            page.print(f"{claim.name}: {finding.verdict}", style="bold")
            indented(page, facts([("Fijany " + claim.place, claim.says), ("measured", finding.because)]))
            page.print()
        page.print(
            f"Tried on {', '.join(scope.machines)}, n = {scope.sizes[0]} to {scope.sizes[-1]}. The "
            "experiment, the rule and the figures of one: senn claims NAME"
        )
        _print_left_out(page, scope)


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
            page.print(f"{claim.name}: {finding.verdict}", style="bold")
            lines = [
                ("Fijany " + claim.place, claim.says),
                ("experiment", claim.experiment),
                ("rule", claim.rule),
                ("measured", finding.because),
            ]
            indented(page, facts(lines))
            for one in finding.figures:
                heading(page, one.title)
                indented(page, _figures(one))
        _print_left_out(page, scope)


def _figures(one: Table) -> Any:
    columns = list(one.rows[0])
    texts = [name for name in columns if any(isinstance(row[name], str) for row in one.rows)]
    numbers = [name for name in columns if name not in texts]
    rows = ([_said(row[name]) for name in (*texts, *numbers)] for row in one.rows)
    return table(texts, numbers, rows)


def _said(entry: Any) -> str:
    if entry is None:
        return "never"
    return f"{entry:,}" if isinstance(entry, int) else str(entry)
