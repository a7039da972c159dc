"""`senn run`: solve a problem on the machine, check the answer, keep the run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.choices import Choice, RunChoices, choices
from senn.cli import folders
from senn.cli.options import options
from senn.cli.printing import pictures
from senn.cli.printing.answer import document
from senn.cli.printing.costs import levels
from senn.cli.printing.report import report
from senn.cli.printing.screen import complain, heading, say_json, screen, stages

if TYPE_CHECKING:
    from senn.traces.run import Run

_IN_FOLDER = Path()
"""The picture of --plot alone: of the run folder, under the name that it has there."""


@click.command(short_help="Solve a problem, check the answer, keep the run.")
@click.argument("problem", default="ssrms")
@options(RunChoices)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The run folder.  [default: runs/PROBLEM-HASH]",
)
@click.option("--force", is_flag=True, help="Replace another run that is in the folder.")
@click.option(
    "--plot",
    "picture",
    metavar="[FILE]",
    is_flag=False,
    flag_value=_IN_FOLDER,
    type=click.Path(path_type=Path),
    help="Draw the timeline too, in the run folder or as FILE: a .png, .svg or .pdf file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the summary.")
def run(
    problem: str, output: Path | None, force: bool, picture: Path | None, as_json: bool, **arguments: Any
) -> int:
    """Solve PROBLEM on the machine, check the answer, and keep the run in a folder.

    PROBLEM is a bundled problem or robot or a generator (`senn list problems`), a TOML file, or a URDF file
    with --tip. The default is ssrms. Where only the robot is given, its state, torques and contact are drawn
    from the seed.

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
        say_json(_document(made, folder))
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


def _document(run: Run, folder: Path) -> dict[str, Any]:
    """What `--json` prints: the question, the answer, its certificate, and where the time went."""
    said, summary = run.description, run.summary
    arrays: Mapping[str, Mapping[str, int]] = summary["arrays"]
    return {
        "n": len(said["problem"]["joints"]),
        "levels": levels(run),
        **{row.name: _told(said, row) for row in choices(RunChoices).values() if row.printed},
        "problem": said["problem"]["name"],
        **document(run),
        "makespan": summary["makespan"],
        "bounds": said.get("bounds"),
        "instructions": {k: one["instructions"] for k, one in arrays.items()},
        "network_steps": said["schedule"]["network_steps"],
        "scores": said["scores"],
        "messages": summary["messages"],
        "hops": summary["hops"],
        "words": summary["words"],
        "stall": {k: one["stall"] for k, one in arrays.items()},
        "exposed": {k: one["exposed"] for k, one in arrays.items()},
        **{name: summary[name] for name in ("node_stall", "node_exposed") if name in summary},
        "hidden": summary["hidden"],
        "trace_hash": run.trace.hash,
        "run_dir": str(folder),
    }


def _told(description: Mapping[str, Any], row: Choice) -> Any:
    """What run.json says of a choice."""
    assert row.told is not None
    return reduce(lambda place, name: place[name], row.told.split("."), description)


def _print_files(run: Run, folder: Path, picture: Path | None) -> None:
    lines = [("run", str(folder))]
    if run.result:
        lines.append(("numbers", str(folder / "result.npz")))
    if picture:
        lines.append(("timeline", str(picture)))
    with screen() as page:
        heading(page, "Files")
        for label, path in lines:  # on one line each, however long, to be copied
            page.print(f"  {label:<8}  {path}", soft_wrap=True)
