"""`senn export` and `senn report`: a run folder for other tools, and as a page."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import click

from senn.base.account import Account
from senn.base.errors import InputError
from senn.cli import options as cli
from senn.cli.printing.report import opened, opened_motion, refuse_file, write_motion, write_report
from senn.traces.exports import FORMATS, format_of
from senn.traces.exports import export as write


@cli.command(short_help="A run folder for Perfetto and other tools.")
@cli.run_argument
@cli.output_option(
    "--to",
    type=cli.NamedChoice("format", FORMATS),
    help=f"The format; by default the suffix of FILE selects it: "
    f"{', '.join(f'{format.suffix} {name}' for name, format in FORMATS.items())}.",
)
@cli.written_to("FILE", "An existing file is replaced; a name that ends in .gz is compressed.", required=True)
@cli.quiet_option
def export(run: Path, to: str | None, output: Path) -> Account:
    """Write a run folder for another tool: every interval of every control unit, engine, message and channel.

    \b
    Examples:
      senn export runs/demo -o demo.pftrace       open it at ui.perfetto.dev
      senn export runs/demo --to csv -o intervals.csv.gz
    """
    format = format_of(output, to).name
    with opened(run) as recorded:
        write(recorded, output, format)
    return Account(figures={"folder": run, "format": format, "file": output}, files={"": output})


@cli.command(short_help="One or two run folders as one page of HTML.")
@cli.run_argument
@click.argument("other", metavar="[OTHER]", required=False, type=cli.PATH, shell_complete=cli.RUNS)
@cli.written_to("FILE", "A .html file; one that is there is replaced.", required=True)
@cli.quiet_option
def report(run: Path, other: Path | None, output: Path) -> Account:
    """Write a run folder as one page: figures, answer, certificate, a timeline to look into, and a replay.

    OTHER stands below RUN, part by part, on the same time axis; in microseconds if their clocks differ. The
    page needs no server and no network: open it from a disk, or send it by mail. That of a motion has its
    figures, its pictures and the animation.

    \b
    Examples:
      senn report runs/demo -o report.html
      senn report runs/a runs/b -o both.html
    """
    refuse_file(output)
    if os.path.lexists(run / "motion.json"):
        if other:
            raise InputError(f"{run} is a motion, and a page has one; leave {other} out")
        with opened_motion(run) as motion:
            write_motion(motion, output)
    else:
        with ExitStack() as stack:
            write_report([stack.enter_context(opened(each)) for each in (run, other) if each], output)
    both = {"folder": run} | ({"other": other} if other else {})
    figures = {**both, "report": output, "bytes": output.stat().st_size}
    return Account(figures=figures, files={"": output})
