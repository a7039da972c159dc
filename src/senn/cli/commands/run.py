"""`senn run`: solve a problem on the machine, check the answer, keep the run."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.choices import RunChoices
from senn.cli import completion, folders
from senn.cli.options import (
    basic_option,
    command,
    json_option,
    options,
    output_option,
    quiet_option,
    written_to,
)
from senn.cli.printing import document, pictures
from senn.cli.printing.progress import stages
from senn.cli.printing.report import report
from senn.cli.printing.screen import complain, files, quiet, say_json, screen

if TYPE_CHECKING:
    from senn.traces.run import Run

_IN_FOLDER = Path()
"""The picture of --plot alone: of the run folder, under the name that it has there."""


@command(short_help="Solve a problem, check the answer, keep the run.")
@click.argument("problem", default="ssrms", shell_complete=completion.PROBLEMS)
@options(RunChoices)
@written_to("DIR", "Folder of the run.  [default: runs/PROBLEM-HASH]")
@output_option("--force", is_flag=True, help="Replace another run in the folder.")
@basic_option(
    "--plot",
    "picture",
    metavar="[FILE]",
    is_flag=False,
    flag_value=_IN_FOLDER,
    type=click.Path(path_type=Path),
    help="Also draw the timeline, in the run folder or as FILE: a .png, .svg or .pdf file.",
)
@json_option
@quiet_option
def run(
    problem: str, output: Path | None, force: bool, picture: Path | None, as_json: bool, **arguments: Any
) -> int:
    """Solve PROBLEM on the machine, check the answer, and keep the run in a folder.

    PROBLEM is a bundled problem or robot, a generator (`senn list problems`), a TOML file, or a URDF file
    with --tip; by default ssrms. For a robot, state, torques and contact are drawn from the seed. The exit
    status is 1 if the certificate fails.

    \b
    Examples:
      senn run
      senn run station25 --residency home -o runs/home
      senn run random:16:seed=3 --machine raw --set timing.word=4
      senn run ur5 --plot
      senn run arm.urdf --tip tool0 --seed 7
      senn run random:65536:seed=1 --form short --engine lockstep --detail instructions
    """
    from senn import api
    from senn.traces.folder import PICTURE, check_free

    if arguments["values"] and arguments["detail"] != "full":
        raise click.UsageError("--values needs --detail full: values go with the messages that carry them")
    if picture:
        if arguments["detail"] != "full":
            raise click.UsageError("--plot needs --detail full: a timeline is drawn from the messages")
        if picture != _IN_FOLDER:
            pictures.check(picture)
    if output:
        check_free(output, force=True)
    folders.refuse_unwritable(output.parent if output else Path("runs"))
    with stages(api.STAGES) as progress:
        # Whether a run that is there is another one is known when all inputs are.
        free = partial(check_free, output, force) if output else lambda inputs: None
        made = api.run(problem, **arguments, progress=progress, before=free)
    folder = output or api.default_folder(made)
    drawn = folder / PICTURE if picture == _IN_FOLDER else picture
    if as_json:
        say_json(document.of_run(made, folder))
    else:
        with screen() as page:
            report(page, made)
    failed = made.certificate and not made.certificate["ok"]
    if made.certificate and failed:
        complain(made.certificate["message"])
    folders.write(made, folder, force or not output, drawn)
    if not as_json:
        _print_files(made, folder, drawn)
    return 1 if failed else 0


def _print_files(run: Run, folder: Path, picture: Path | None) -> None:
    numbers = folder / "result.npz" if run.result and not quiet() else None
    files({"run": folder, "numbers": numbers, "timeline": picture})
