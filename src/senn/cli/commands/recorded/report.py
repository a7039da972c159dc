"""`senn report`: a run folder as one page that opens anywhere."""

from __future__ import annotations

from pathlib import Path

import click

from senn.cli import folders, options
from senn.cli.options import command, json_option, quiet_option, written_to
from senn.cli.printing.screen import say_json
from senn.traces import files
from senn.traces.errors import InputError


@command(short_help="A run folder as one page of HTML.")
@click.argument("run", type=click.Path(path_type=Path), shell_complete=options.RUNS)
@written_to("FILE", "A .html file; one that is there is replaced.", required=True)
@json_option
@quiet_option
def report(run: Path, output: Path, as_json: bool) -> None:
    """Write a run folder as one page: figures, answer, certificate, a timeline to look into, and a replay.

    The page needs no server and no network: open it from a disk, or send it by mail.

    \b
    Example:
      senn report runs/demo -o report.html
    """
    if output.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{output}: a report ends in .html; name it so")
    if output.is_dir():
        raise InputError(f"{output} is a folder; name a file in it, such as {output / 'report.html'}")
    with folders.opened(run) as recorded:
        from senn.cli.printing.report import report_content
        from senn.traces.report import page

        content = page(recorded, report_content(recorded)).encode()
    try:
        files.write(output, content)
    except OSError as error:
        raise InputError(
            f"{output}: the report cannot be written: {error.strerror}; choose another place"
        ) from error
    if as_json:
        say_json({"folder": run, "report": output, "bytes": len(content)})
    else:
        click.echo(output)
