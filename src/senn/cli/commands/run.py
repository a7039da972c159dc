"""`senn run`: solve a problem on the machine, check the answer, keep the run; and `senn new`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.choices import ProblemChoices, RunChoices
from senn.cli import folders
from senn.cli import options as completion
from senn.cli.options import (
    basic_option,
    command,
    json_option,
    machine_option,
    options,
    output_option,
    problem_option,
    quiet_option,
    written_to,
)
from senn.cli.printing import document, pictures
from senn.cli.printing.progress import stages
from senn.cli.printing.report import report
from senn.cli.printing.screen import complain, files, quiet, say, say_json, screen

if TYPE_CHECKING:
    from senn.traces.run import Run

_IN_FOLDER = Path()
"""Value of --plot without a file: the picture of the run folder."""


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
    with --tip; by default ssrms. For a robot, state, torques and contact are drawn from the seed. Or it is a
    program of your own, FILE.py:FUNCTION, with its numbers in --given. The exit status is 1 if the
    certificate fails.

    \b
    Examples:
      senn run
      senn run station25 --residency home -o runs/home
      senn run random:16:seed=3 --machine raw --set timing.word=4
      senn run ur5 --plot
      senn run arm.urdf --tip tool0 --seed 7
      senn run prefix.py:prefix_sum --given data.npz
      senn run random:65536:seed=1 --form short --detail summary
    """
    from senn import api
    from senn.traces.files import PICTURE, check_place
    from senn.traces.folder import check_free

    if arguments["values"] and arguments["detail"] != "full":
        raise click.UsageError("--values needs --detail full: values go with the messages that carry them")
    if picture:
        if arguments["detail"] != "full":
            raise click.UsageError("--plot needs --detail full: a timeline is drawn from the messages")
        if picture != _IN_FOLDER:
            pictures.check(picture)
    if output:
        check_free(output, force=True)
    check_place(output or Path("runs/run"))
    with stages(api.STAGES) as progress:
        # The hash of all inputs tells whether a run in the folder is another one.
        free = partial(check_free, output, force) if output else lambda inputs: None
        result = api.run(problem, **arguments, progress=progress, before=free)
    folder = output or api.default_folder(result)
    if quiet():
        _warn(result)
    drawn = folder / PICTURE if picture == _IN_FOLDER else picture
    if as_json:
        say_json(document.of_run(result, folder))
    else:
        with screen() as page:
            report(page, result)
    failed = result.certificate and not result.certificate["ok"]
    if result.certificate and failed:
        complain(result.certificate["message"])
    folders.write(result, folder, force or not output, drawn)
    if not as_json:
        numbers = folder / "result.npz" if result.result and not quiet() else None
        files({"run": folder, "numbers": numbers, "timeline": drawn})
    return 1 if failed else 0


def _warn(run: Run) -> None:
    """Print the notes on positions that are hardly meant."""
    from senn.algorithms.problems.states import BEYOND, IN_RADIANS

    for note in (run.description.get("problem") or {}).get("notes", ()):
        if note.startswith((BEYOND, IN_RADIANS)):
            complain(note)


# -- new


@command(short_help="A problem or machine file to begin with.")
@click.argument("file", type=click.Path(path_type=Path))
@problem_option(
    "--robot",
    metavar="ROBOT",
    shell_complete=completion.PROBLEMS,
    help="URDF or robot file, robot from `senn list robots`, or generator.",
)
@machine_option(
    "--machine",
    metavar="NAME",
    shell_complete=completion.BY_OPTION["machine"],
    help="Machine from `senn list machines`, for a machine file.",
)
@options(ProblemChoices)
@output_option("--force", is_flag=True, help="Replace an existing file.")
@json_option
@quiet_option
def new(
    file: Path, robot: str | None, machine: str | None, force: bool, as_json: bool, **arguments: Any
) -> None:
    """Write a problem file of a robot: every joint by its name, with its limits and its units.

    State and torques are drawn from the seed, within the limits, as a start. --contact sets the contact of
    the tip; by default it is a weld, or a plane if the arm is too short for a weld, or none.

    With --machine instead of --robot, write a copy of a preset, under the name of the file.

    \b
    Examples:
      senn new my.toml --robot arm.urdf --tip tool0
      senn run my.toml
      senn new snake.toml --robot snake:12 --contact point
      senn new mine.toml --machine mark3
    """
    from senn import api

    written = api.new(file, robot, machine=machine, force=force, **arguments)
    say(as_json, {"file": written}, written)
