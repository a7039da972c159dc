"""`senn crossovers`: from which n the parallel program wins against one node of the same machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from senn.choices import ProgramChoices, choices
from senn.cli import completion
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
from senn.cli.printing.screen import files, heading, indented, say_json, screen
from senn.cli.printing.tables import table

if TYPE_CHECKING:
    import polars as pl

    from senn.experiments.crossovers import Crossover


@command(short_help="From which n the parallel program beats one node.")
@problem_option(
    "--n", metavar="SIZES", default="4:256", show_default=True, help="As in `senn steps`, from 2 on."
)
@machine_option(
    "--machine",
    "machines",
    shell_complete=completion.BY_OPTION["machine"],
    metavar="NAME|FILE",
    multiple=True,
    help="On this machine; repeatable. Default: all of `senn list machines`.",
)
@option(choices(ProgramChoices)["form"], default="short")
@option(
    choices(ProgramChoices)["residency"],
    values=("migrating", "home"),
    help="Processes move between levels so that partners are neighbours, or stay.",
)
@json_option
@quiet_option
@picture_option("the speed-ups", once_output=True)
def crossovers(
    n: str, machines: tuple[str, ...], form: str, residency: str, as_json: bool, picture: Path | None
) -> None:
    """Compare with the best serial solution on one node of the same machine.

    The serial time is an operation count at the machine's own cycles per operation: articulated bodies that
    take the contact along (PV-early) or, for short arms, the mass matrix, whichever is less. Timing only, for
    revolute joints and a welded tip.

    \b
    Examples:
      senn crossovers
      senn crossovers --form paper --machine t800 --machine raw
      senn crossovers --plot speed-up.svg
    """
    if picture:
        pictures.check(picture)
    from senn import api
    from senn.experiments import crossovers as races
    from senn.machine import model

    names, sizes = machines or model.presets("senn"), races.check_sizes(api.sizes(n))
    racing = each(names, lambda name: f"racing on {name}")
    found = [races.crossover(name, sizes[-1], form, residency) for name in racing]  # type: ignore[arg-type]
    whole = races.table(names, form, residency, sizes)  # type: ignore[arg-type]
    if picture:
        pictures.write(lambda: races.draw(whole, caption=f"form {form}, data {residency}"), picture)
    if as_json:
        rows = whole.rename({"cycles": "makespan"}).to_dicts()
        say_json({"crossovers": [vars(one) for one in found], "rows": rows, "picture": picture})
    else:
        _print(found, whole, sizes[-1])
        files({"picture": picture})


def _print(found: list[Crossover], whole: pl.DataFrame, largest: int) -> None:
    with screen() as page:
        page.print(f"From which n two processors a joint beat one node (up to n = {largest:,})", style="bold")
        titles = ["first\nwin", "for good\nfrom", "first win if\nmessages\ntook no time"]
        costs = ["a start-up,\noperations", "a word,\noperations"]
        rows = (
            [
                one.machine,
                *map(_said, (one.first, one.lasting, one.free_first)),
                *(f"{cost:g}" for cost in (one.startup, one.word)),
            ]
            for one in found
        )
        indented(page, table(["machine"], [*titles, *costs], rows))
        for column, title in _TITLES.items():
            heading(page, title)
            names = [one.machine for one in found]
            lines = (
                [f"{n:,}", *(f"{whole.filter(machine=name, n=n)[0, column]:.3g}" for name in names)]
                for n in whole["n"].unique().sort()
            )
            indented(page, table([], ["n", *names], lines, keys=1))
        page.print()
        page.print("The best serial solution: " + "; ".join(_serial(whole)) + ".")


_TITLES = {
    "speed_up": "Speed-up over the best serial solution",
    "efficiency": "Speed-up per processor",
    "free_speed_up": "Speed-up if messages took no time",
}


def _serial(whole: pl.DataFrame) -> Iterator[str]:
    """Which serial solution is the best for which n."""
    for name in whole["serial"].unique(maintain_order=True):
        sizes = whole.filter(serial=name)["n"].to_list()
        yield f"{name} for n = {min(sizes):,} to {max(sizes):,}"


def _said(n: int | None) -> str:
    return "never" if n is None else f"{n:,}"
