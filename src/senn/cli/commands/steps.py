"""`senn steps`: how issued instructions, network steps and cycles grow with n, and the law they follow."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import track

from senn.api.counting import FITTED_FROM
from senn.choices import MachineChoices
from senn.cli.options import options, picture_option
from senn.cli.printing import pictures
from senn.cli.printing.screen import heading, indented, say_json, screen, table
from senn.traces.formulas import whole_or
from senn.traces.naming import departures

if TYPE_CHECKING:
    import polars as pl

    from senn.traces.analysis import Law

_TITLES = {
    "levels": "levels M",
    "network_steps": "network steps",
    "makespan": "makespan (cycles)",
}
_INSTRUCTIONS = "instructions_"  # and the number of the array


@click.command(short_help="How steps and cycles grow with n, and their law.")
@click.option(
    "--n",
    metavar="SIZES",
    default="1:1024",
    show_default=True,
    help="8,16,32 or 1:1024 (every 2^k and 3*2^k, both ends) or 8:64:8 (with a step).",
)
@options(MachineChoices)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the tables.")
@picture_option("the laws")
def steps(n: str, as_json: bool, picture: Path | None, **arguments: Any) -> None:
    """Count steps and cycles over a range of n, and fit the law a M + b, M = log2 n rounded up.

    Timing only, for revolute joints and a welded tip, by the lockstep engine where it can, else by the event
    engine: to the cycle they are the same. n = 1 and 2 (with data at home n = 1) are printed and not fitted:
    the law begins after them.

    \b
    Examples:
      senn steps
      senn steps --n 8,16,32,64 --residency home
      senn steps --n 1:4096 --plot law.svg
    """
    if picture:
        pictures.check(picture)
    from senn import api

    counted = _count(api.sizes(n), arguments)
    laws = api.laws(counted, arguments["residency"])
    if picture:
        _draw(counted, arguments, picture)
    if as_json:
        say_json(_document(counted, laws))
    else:
        _print(counted, laws, arguments["residency"])


def _document(counted: pl.DataFrame, laws: Mapping[str, Law]) -> dict[str, Any]:
    """What `--json` prints; instructions by array."""
    rows = []
    for row in counted.to_dicts():
        instructions = _by_array(row)
        rows.append({"n": row.pop("n"), "levels": row.pop("levels"), "instructions": instructions, **row})
    plain = {name: _plain(law) for name, law in laws.items()}
    by_array = _by_array(plain)
    return {"rows": rows, "fits": {"instructions": by_array, **plain} if laws else {}}


def _by_array(columns: dict[str, Any]) -> dict[str, Any]:
    """What the columns say of each array, taken out of them; by the number of the array."""
    names = [name for name in columns if name.startswith(_INSTRUCTIONS)]
    return {name.removeprefix(_INSTRUCTIONS): columns.pop(name) for name in names}


def _count(sizes: list[int], arguments: Mapping[str, Any]) -> pl.DataFrame:
    """The table, with a progress bar where somebody watches."""
    import polars as pl

    from senn import api

    watched = sys.stderr.isatty()
    each = track(sizes, "counting", console=Console(stderr=True), transient=True, disable=not watched)
    return pl.concat([api.steps([size], **arguments) for size in each])


def _draw(counted: pl.DataFrame, arguments: Mapping[str, Any], picture: Path) -> None:
    from senn.traces.pictures import plots

    residency = arguments["residency"]
    caption = ", ".join((*_variant(arguments), residency, arguments["machine"]))
    pictures.write(
        lambda: plots.scaling(counted, fitted_from=FITTED_FROM[residency], caption=caption), picture
    )


def _variant(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The program in a few words: its form, and what differs from the paper's."""
    yield f"form {arguments['form']}"
    if arguments["refine"]:
        yield "refined"
    names = ("strategy", "elimination", "arrays")
    yield from departures(*(arguments[name] for name in names), ahead=False)


def _print(counted: pl.DataFrame, laws: Mapping[str, Law], residency: str) -> None:
    titles, rows = _columns(counted)
    fitted = ((_title(name), law.text(_digits), _residual(law)) for name, law in laws.items())
    with screen() as page:
        page.print(table([], titles, rows))
        if not laws:
            page.print()
            page.print(f"No law: it needs two different M, from n = {FITTED_FROM[residency]} on.")
            return
        heading(page, f"Law over M, fitted from n = {FITTED_FROM[residency]} on")
        indented(page, table(["", "law"], ["largest distance"], fitted))
        for note in _notes(counted, residency):
            page.print()
            page.print(note)


def _columns(counted: pl.DataFrame) -> tuple[list[str], Iterator[list[str]]]:
    """Heads and rows; the instructions of more than two arrays share a column."""
    by_array = [name for name in counted.columns if name.startswith(_INSTRUCTIONS)]
    if len(by_array) <= 2:
        whole = ([f"{number:,}" for number in row] for row in counted.iter_rows())
        return [_title(name, "\n") for name in counted.columns], whole
    titles = ["n", "levels M", f"instructions\nof arrays 1..{len(by_array)}"]
    rest = [name for name in counted.columns[2:] if name not in by_array]
    shared = (
        [str(row["n"]), str(row["levels"]), _runs([row[name] for name in by_array])]
        + [f"{row[name]:,}" for name in rest]
        for row in counted.iter_rows(named=True)
    )
    return [*titles, *(_title(name, "\n") for name in rest)], shared


def _runs(numbers: list[int]) -> str:
    """Numbers, neighbours that are equal only once: "48, 73, 6 x 21"."""
    runs = [(number, len(list(same))) for number, same in groupby(numbers)]
    return ", ".join(f"{number:,}" if count == 1 else f"{count} x {number:,}" for number, count in runs)


def _title(column: str, break_: str = " ") -> str:
    """What a column is called; in the head of a table in two lines."""
    if column.startswith(_INSTRUCTIONS):
        comma = "," if break_ == " " else ""
        return f"instructions{comma}{break_}array {column.removeprefix(_INSTRUCTIONS)}"
    title = _TITLES.get(column, column)
    return title if column == "levels" else title.replace(" ", break_)


def _notes(counted: pl.DataFrame, residency: str) -> Iterator[str]:
    """What a reader of the laws must know."""
    import polars as pl

    fitted = counted.filter(pl.col("n") >= FITTED_FROM[residency])
    if fitted["levels"].n_unique() == 2:
        yield "Two different M: a line through two points proves nothing. Take more sizes."
    elif _straight_for_powers_of_two(fitted):
        yield "The network steps are exactly linear for n = 2^M; for other n other messages meet."
    if residency == "home":
        yield (
            "With data at home the instructions are linear in M and the network steps are not: messages to a "
            "partner h processes away cross more channels and meet on them. Logarithmic steps are not "
            "logarithmic time."
        )


def _straight_for_powers_of_two(fitted: pl.DataFrame) -> bool:
    """Whether the network steps break their law, but not for three and more sizes n = 2^M."""
    from senn.traces.analysis import fit

    rows = fitted.select("n", "levels", "network_steps").rows()
    powers = [(levels, steps) for n, levels, steps in rows if n & (n - 1) == 0]
    if len(powers) < 3:
        return False
    laws = [fit([m for m, _ in points], [y for _, y in points]) for points in (powers, [x[1:] for x in rows])]
    return laws[0].residual == 0 != laws[1].residual


def _residual(law: Law) -> str:
    return "exact" if law.residual == 0 else whole_or(_digits)(law.residual, "")


def _digits(number: Fraction) -> str:
    return f"{float(number):,.1f}"


def _plain(law: Law) -> dict[str, int | float]:
    return {
        name: int(value) if value.denominator == 1 else float(value) for name, value in law._asdict().items()
    }
