"""`senn steps`: how steps and cycles grow with n, and their law; and `senn program`, the program as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from senn.api.timing import FITTED_FROM
from senn.choices import MachineChoices, ProgramChoices
from senn.cli.options import command, json_option, options, picture_option, problem_option, quiet_option
from senn.cli.printing import document, pictures
from senn.cli.printing.laws import INSTRUCTIONS, print_laws
from senn.cli.printing.progress import each
from senn.cli.printing.screen import files, say_json
from senn.traces.naming import departures

if TYPE_CHECKING:
    import polars as pl

    from senn.traces.analysis import Law


@command(short_help="How steps and cycles grow with n, and their law.")
@problem_option(
    "--n",
    metavar="SIZES",
    default="1:1024",
    show_default=True,
    help="8,16,32 or 1:1024 (every 2^k and 3*2^k, both ends) or 8:64:8 (with a step).",
)
@options(MachineChoices)
@json_option
@quiet_option
@picture_option("the laws")
def steps(n: str, as_json: bool, picture: Path | None, **arguments: Any) -> None:
    """Count steps and cycles over a range of n, and fit the law a M + b, M = log2 n rounded up.

    Timing only, for revolute joints and a welded tip. Where migrating data go to neighbours, and on by
    shuffles, classes of channels are timed, of up to 1,048,576 links; else the lockstep engine times every
    message, or the event engine on machines that it refuses, of up to 65,536 links. Their times are equal;
    --json names the engine of each n. n = 1 and 2 (with data at home n = 1) are printed and not fitted: the
    law begins after them.

    \b
    Examples:
      senn steps
      senn steps --n 8,16,32,64 --residency home
      senn steps --n 1:4096 --plot law.svg
      senn steps --n 1048576 --machine mark3
    """
    if picture:
        pictures.check(picture)
    from senn import api

    counted = _count(api.sizes(n), arguments)
    laws = api.fits(counted, arguments["residency"])
    if picture:
        _draw(counted, arguments, picture)
    if as_json:
        say_json(_document(counted, laws, picture))
    else:
        print_laws(counted, laws, arguments["residency"])
        files({"picture": picture})


def _document(counted: pl.DataFrame, laws: Mapping[str, Law], picture: Path | None) -> dict[str, Any]:
    """Document of `--json`: the rows, and the laws by the same keys, without sums over arrays."""
    plain = {name: _plain(law) for name, law in laws.items() if not name.startswith(INSTRUCTIONS)}
    by_array = {
        name.removeprefix(INSTRUCTIONS): {"instructions": _plain(law)}
        for name, law in laws.items()
        if name.startswith(INSTRUCTIONS)
    }
    fits = {**plain, "by_array": by_array} if laws else {}
    return {"rows": document.of_rows(counted), "fits": fits, "picture": picture}


def _count(sizes: list[int], arguments: Mapping[str, Any]) -> pl.DataFrame:
    """Table of `senn.steps`, with a progress bar on a terminal."""
    import polars as pl

    from senn import api

    counting = each(sizes, lambda size: f"counting n = {size:,}")
    return pl.concat([api.steps([size], **arguments) for size in counting])


def _draw(counted: pl.DataFrame, arguments: Mapping[str, Any], picture: Path) -> None:
    from senn.traces.pictures import plots

    residency = arguments["residency"]
    arguments_of_picture: dict[str, Any] = {
        "fitted_from": FITTED_FROM[residency],
        "caption": ", ".join((*_variant(arguments), residency, arguments["machine"])),
    }
    pictures.write(lambda: plots.scaling(counted, **arguments_of_picture), picture)


def _variant(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Variant of the program: the form of the closed chain or the algorithm, and differences from the
    paper's."""
    algorithm = arguments["algorithm"]
    yield f"form {arguments['form']}" if algorithm == "closed-chain" else PurePath(algorithm).name
    if arguments["refine"]:
        yield "refined"
    names = ("strategy", "elimination", "arrays")
    yield from departures(*(arguments[name] for name in names), ahead=False, motion=arguments["motion"])


def _plain(law: Law) -> dict[str, int | float]:
    return {
        name: int(value) if value.denominator == 1 else float(value) for name, value in law._asdict().items()
    }


# -- program


@command(short_help="The program as text, as the paper prints it.")
@problem_option(
    "--n", type=click.IntRange(min=1), metavar="N", default=8, show_default=True, help="Number of processes."
)
@options(ProgramChoices)
@click.option("--step", metavar="LABEL", help="Print only this part, such as I.b or II.c.3.")
@json_option
def program(n: int, as_json: bool, **arguments: Any) -> None:
    """Print the program in the manner of the paper's Section VI.D: every instruction with its mask.

    A line with a dot names a value that another instruction delivered; it is not issued.

    \b
    Examples:
      senn program --n 4 --step I.b
      senn program --form short | less
      senn program --n 4 --strategy 1 --elimination oer --step I.b
    """
    from senn import api

    text = api.program(n, **arguments)
    if as_json:
        say_json({"n": n, "levels": (n - 1).bit_length(), **arguments, "lines": text.splitlines()})
    else:
        click.echo(text, nl=False)
