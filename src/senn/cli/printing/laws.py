"""Steps and cycles over n as tables, and the laws that they follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

from senn.api.timing import FITTED_FROM, NOT_FITTED
from senn.cli.printing.screen import heading, indented, screen, table
from senn.traces.naming import whole_or

if TYPE_CHECKING:
    import polars as pl

    from senn.traces.analysis import Law

_TITLES = {"levels": "levels M", "network_steps": "network steps", "makespan": "makespan (cycles)"}
INSTRUCTIONS = "instructions_"  # and the number of the array


def print_laws(counted: pl.DataFrame, laws: Mapping[str, Law], residency: str) -> None:
    """Print the table, the laws, and what has to be known of them."""
    titles, rows = _columns(counted.drop("engine"))
    fitted = ((_title(name), law.text(_digits), _residual(law)) for name, law in laws.items())
    with screen() as page:
        page.print(table([], titles, rows, keys=2))
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
    by_array = [name for name in counted.columns if name.startswith(INSTRUCTIONS)]
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
    """The title of a column; in the head of a table in two lines."""
    if column.startswith(INSTRUCTIONS):
        comma = "," if break_ == " " else ""
        return f"instructions{comma}{break_}array {column.removeprefix(INSTRUCTIONS)}"
    title = _TITLES.get(column, column)
    return title if column == "levels" else title.replace(" ", break_)


def _notes(counted: pl.DataFrame, residency: str) -> Iterator[str]:
    """Notes on the limits of the laws."""
    import polars as pl

    fitted = counted.filter(pl.col("n") >= FITTED_FROM[residency])
    if fitted["levels"].n_unique() == 2:
        yield "Two different M: a line through two points proves nothing. Take more sizes."
    later = list(_later(fitted))
    if later:
        yield f"Exact {'; '.join(text for _, text in later)}."
    if "network_steps" not in dict(later) and _straight_for_powers_of_two(fitted):
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


def _later(fitted: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """The columns that are not linear in M from the first n on, but exactly from a later one on."""
    from senn.traces.analysis import fit, holds_from

    if fitted["levels"].n_unique() < 4:
        return
    levels = fitted["levels"].to_list()
    for name in [name for name in fitted.columns if name not in NOT_FITTED]:
        values = fitted[name].to_list()
        if begins := holds_from(levels, values):
            law = fit(levels[begins:], values[begins:]).text(_digits)
            yield name, f"from n = {fitted['n'][begins]} on: {_title(name)} {law}"


def _residual(law: Law) -> str:
    return "exact" if law.residual == 0 else whole_or(_digits)(law.residual, "")


def _digits(number: Fraction) -> str:
    return f"{float(number):,.1f}"
