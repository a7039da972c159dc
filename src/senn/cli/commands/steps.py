"""`senn steps`: how steps and cycles grow with n, and their law; and `senn program`, the program as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import groupby
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from senn.algorithms.variant import departures
from senn.base.account import Account, Section
from senn.base.errors import InputError
from senn.base.tables import Cell, table
from senn.choices import MachineChoices, ProgramChoices
from senn.cli import options as cli
from senn.cli.printing import document, pictures
from senn.cli.printing.progress import each
from senn.studies import COUNTED
from senn.traces.naming import listed

if TYPE_CHECKING:
    import polars as pl

    from senn.traces.analysis import Law


@cli.command(short_help="How steps and cycles grow with n, and their law.")
@cli.problem_option(
    "--n",
    metavar="SIZES",
    show_default="1:1024, of a program of your own 1:256",
    help="8,16,32 or 1:1024 (every 2^k and 3*2^k, both ends) or 8:64:8 (with a step).",
)
@cli.options(MachineChoices)
@cli.quiet_option
@cli.picture_option("the laws")
def steps(n: str | None, picture: Path | None, **arguments: Any) -> Account:
    """Count steps and cycles over a range of n, and find their laws in M = log2 n rounded up.

    A law is a line a M + b or a parabola, and exact: it meets sizes that it was not fitted on, among them
    n = 2^k + 1 in the range, up to 1,025, which are tried and not printed.

    Timing only, for revolute joints and a welded tip. Where migrating data go to neighbours, and on by
    shuffles, classes of channels are timed, of up to 1,048,576 links; else the lockstep engine times every
    message, or the event engine on machines that it refuses, of up to 65,536 links. Their times are equal;
    --json names the engine of each n. Programs of one or two
    processes lack steps, so laws begin after them.

    \b
    Examples:
      senn steps
      senn steps --n 8,16,32,64 --residency home
      senn steps --n 1:4096 --plot law.svg
      senn steps --n 1048576 --machine mark3
    """
    if picture:
        pictures.check(picture)
    from senn.api import timing
    from senn.api.arguments import sizes as read_sizes
    from senn.api.own import is_own

    of_user = is_own(arguments["algorithm"])
    sizes = read_sizes(n or timing.usual_sizes(arguments["algorithm"]))
    counted, refused = _count(sizes, arguments, of_user)
    tried, more = counted, timing.emptiest(counted["n"].to_list())
    if more:
        with suppress(InputError):  # the program may not exist for them
            tried = counted.vstack(_count(more, arguments, of_user)[0]).sort("n")
    laws = timing.fits(tried)
    if picture:
        from senn.traces.pictures import plots

        algorithm = arguments["algorithm"]
        words = [f"form {arguments['form']}" if algorithm == "closed-chain" else PurePath(algorithm).name]
        words += ["refined"] if arguments["refine"] else []
        of_variant = {name: arguments[name] for name in ("strategy", "elimination", "motion")}
        words += departures(of_variant, arguments["arrays"])
        caption = ", ".join((*words, arguments["residency"], arguments["machine"]))
        pictures.write(lambda: plots.scaling(tried, caption=caption), picture)
    sections = _sections(counted, tried, laws, arguments["residency"])
    if refused:
        first, error = next(iter(refused.items()))
        numbers = listed(f"{n:,}" for n in refused)
        text = f"The program refuses n = {numbers}. Of {first:,} it says: {error}"
        sections.append(Section(paragraphs=(text,)))
    refusals = {"refused": {str(n): str(error) for n, error in refused.items()}} if of_user else {}
    fits: dict[str, Any] = {name: _plain(law) for name, law in laws.items()}
    of_arrays = [name for name in laws if name.startswith(COUNTED)]
    by_array = {name.removeprefix(COUNTED): {"instructions": fits.pop(name)} for name in of_arrays}
    fits |= {"by_array": by_array} if laws else {}
    figures = {"rows": document.of_rows(counted), "fits": fits, "picture": picture, **refusals}
    return Account(sections, figures, files={"picture": picture})


def _count(
    sizes: list[int], arguments: Mapping[str, Any], of_user: bool
) -> tuple[pl.DataFrame, dict[int, InputError]]:
    """Table of `senn.steps`, with a progress bar on a terminal; and what a user's program says of
    the sizes that it refuses. InputError if it refuses all."""
    import polars as pl

    from senn.api import timing

    rows: list[pl.DataFrame] = []
    refused: dict[int, InputError] = {}
    for size in each(sizes, lambda size: f"counting n = {size:,}"):
        try:
            rows.append(timing.steps([size], **arguments))
        except InputError as error:
            refused[size] = error
            if not of_user:
                raise
    if not rows:
        raise refused[sizes[-1]]
    return pl.concat(rows), refused


def _plain(law: Law) -> dict[str, int | float | str]:
    terms = {"square": law.square, "a": law.a, "b": law.b}
    numbers = {x: int(y) if y.denominator == 1 else float(y) for x, y in terms.items()}
    return {**numbers, "sizes": law.sizes, "from": law.start}


_TITLES = {"levels": "levels M", "network_steps": "network steps", "makespan": "makespan (cycles)"}


def _sections(
    counted: pl.DataFrame, tried: pl.DataFrame, laws: Mapping[str, Law], residency: str
) -> list[Section]:
    from senn.api.timing import NOT_FITTED

    titles, rows = _columns(counted.drop("engine"))
    counts = Section(table=table([], titles, rows, keys=2))
    if tried["levels"].n_unique() < 3:
        return [counts, Section(paragraphs=("No law: it needs three different M.",))]
    names = [name for name in counted.columns if name not in NOT_FITTED]
    texts = {x: (law.text(lambda y: f"{float(y):,.1f}"), law.where) for x, law in laws.items()}
    lines = ((_title(x), *texts.get(x, ("no law in M", ""))) for x in names)
    sections = [counts, Section("Laws in M", table=table(["", "law", "exact for"], [], lines))]
    if more := sorted({*tried["n"]} - {*counted["n"]}):
        sections.append(Section(paragraphs=(f"Also tried: n = {listed(more)}.",)))
    instructions = [name for name in names if name.startswith(COUNTED)]
    straight = [name in laws and not laws[name].square for name in (*instructions, "network_steps")]
    if residency == "home" and all(straight[:-1]) and not straight[-1]:
        text = (
            "With data at home the instructions are linear in M and the network steps are not: messages to a "
            "partner h processes away cross more channels and meet on them. Logarithmic steps are not "
            "logarithmic time."
        )
        sections.append(Section(paragraphs=(text,)))
    return sections


def _columns(counted: pl.DataFrame) -> tuple[list[str], Iterable[tuple[Cell, ...]]]:
    """Heads and rows; the instructions of more than two arrays share a column."""
    by_array = [name for name in counted.columns if name.startswith(COUNTED)]
    if len(by_array) <= 2:
        return [_title(name, "\n") for name in counted.columns], counted.iter_rows()
    titles = ["n", "levels M", f"instructions\nof arrays 1..{len(by_array)}"]
    rest = [name for name in counted.columns[2:] if name not in by_array]
    rows = []
    for row in counted.iter_rows(named=True):
        runs = [(number, len(list(same))) for number, same in groupby(row[name] for name in by_array)]
        texts = (f"{number:,}" if count == 1 else f"{count} x {number:,}" for number, count in runs)
        rows.append((row["n"], row["levels"], ", ".join(texts), *(row[name] for name in rest)))
    return [*titles, *(_title(name, "\n") for name in rest)], rows


def _title(column: str, break_: str = " ") -> str:
    """The title of a column; in the head of a table in two lines."""
    if column.startswith(COUNTED):
        comma = "," if break_ == " " else ""
        return f"instructions{comma}{break_}array {column.removeprefix(COUNTED)}"
    title = _TITLES.get(column, column)
    return title if column == "levels" else title.replace(" ", break_)


@cli.command(short_help="The program as text, as the paper prints it.")
@cli.count_option("--n", "N", 8, "Number of processes.", group="problem")
@cli.options(ProgramChoices)
@click.option("--step", metavar="LABEL", help="Print only this part, such as I.b or II.c.3.")
def program(n: int, **arguments: Any) -> Account:
    """Print the program in the manner of the paper's Section VI.D: every instruction with its mask.

    A line with a dot names a value that another instruction delivered; it is not issued.

    \b
    Examples:
      senn program --n 4 --step I.b
      senn program --form short | less
      senn program --n 4 --strategy 1 --elimination oer --step I.b
    """
    from senn.api import timing

    text = timing.program(n, **arguments)
    figures = {"n": n, "levels": (n - 1).bit_length(), **arguments, "lines": text.splitlines()}
    return Account(figures=figures, text=text)
