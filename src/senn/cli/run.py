"""`senn run`: solve a problem on the machine, check the answer, keep the run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.cli import folders
from senn.cli.options import machine_options, program_options
from senn.cli.report import levels, report
from senn.cli.screen import heading, say_json, screen, stages

if TYPE_CHECKING:
    from senn.traces.run import Run


@click.command(short_help="Solve a problem, check the answer, keep the run.")
@click.argument("problem", default="ssrms")
@click.option("--tip", metavar="LINK", help="For a URDF: the link that is the end effector.")
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="Draw state, torques and contact from this seed."
)
@program_options
@machine_options
@click.option(
    "--engine",
    type=click.Choice(["events", "lockstep"]),
    default="events",
    show_default=True,
    help="Message by message, or whole arrays at once: the same run, sooner; for large n.",
)
@click.option(
    "--precision",
    type=click.Choice(["single", "double"]),
    default="double",
    show_default=True,
    help="Floating point of all memories and kernels; a number takes a word of 64 bits either way.",
)
@click.option(
    "--detail",
    type=click.Choice(["full", "instructions", "summary"]),
    default="full",
    show_default=True,
    help="How much of the trace is kept.",
)
@click.option(
    "--numbers/--no-numbers",
    default=True,
    help="Compute, or run the timing alone: no answer, no certificate.  [default: numbers]",
)
@click.option(
    "--values/--no-values",
    default=None,
    help="Keep every value and payload, for replays.  [default: up to n = 32]",
)
@click.option("--check", is_flag=True, help="Verify the invariants of the trace and of the memories.")
@click.option(
    "--bounds", is_flag=True, help="Also the makespan on a free network, and with sends that block."
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The run folder.  [default: runs/PROBLEM-HASH]",
)
@click.option("--force", is_flag=True, help="Replace a run that is in the folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the summary.")
def run(problem: str, output: Path | None, force: bool, as_json: bool, **arguments: Any) -> int:
    """Solve PROBLEM on the machine, check the answer, and keep the run in a folder.

    PROBLEM is a bundled problem or robot or a generator (`senn list problems`), a TOML file, or a URDF file
    with --tip. The default is ssrms. Where only the robot is given, its state, torques and contact are drawn
    from the seed.

    \b
    Examples:
      senn run
      senn run station25 --residency home -o runs/home
      senn run random:16:seed=3 --machine raw --set timing.word=4
      senn run arm.urdf --tip tool0 --seed 7
      senn run random:65536:seed=1 --form short --engine lockstep --detail instructions
    """
    from senn import api
    from senn.traces.folder import check_free

    if arguments["values"] and arguments["detail"] != "full":
        raise click.UsageError("--values needs --detail full: values go with the messages that carry them")
    if output:
        check_free(output, force)
    folders.refuse_unwritable(output.parent if output else Path("runs"))
    with stages(api.STAGES) as progress:
        made = api.run(problem, **arguments, progress=progress)
    folder = output or api.default_folder(made)
    folders.write(made, folder, force)
    if as_json:
        say_json(_document(made, folder))
    else:
        _print(made, folder)
    certificate = made.certificate
    if certificate is None or certificate["ok"]:
        return 0
    click.echo(f"senn: {certificate['message']}", err=True)
    return 1


_OTHERS = (
    *("forces", "tau", "mass_matrix", "inverse_mass_matrix", "operational_mass"),
    *("tip_acceleration", "tip_wrench"),
)
"""What not every algorithm answers."""

_CERTIFIED = (
    *("qdd_error", "acceleration0_error", "contact_force_error", "lambda_inverse_error"),
    *("residual", "contact_residual"),
    *(f"{name}_error" for name in _OTHERS),
    *("tolerance", "ok"),
)


def _document(run: Run, folder: Path) -> dict[str, Any]:
    """What `--json` prints: the question, the answer, its certificate, and where the time went."""
    said, summary, certificate = run.description, run.summary, run.certificate
    arrays: Mapping[str, Mapping[str, int]] = summary["arrays"]
    answer = {name: numbers.tolist() for name, numbers in run.result.items()}
    free = said["problem"]["contact"]["kind"] == "none"
    return {
        "algorithm": said["algorithm"],
        "n": len(said["problem"]["joints"]),
        "levels": levels(run),
        "form": said["program"]["form"],
        "refine": said["program"]["refine"],
        "strategy": said["program"]["strategy"],
        "elimination": said["program"]["elimination"],
        "arrays": said["machine"]["arrays"],
        "precision": said["precision"],
        "residency": said["allocation"]["residency"],
        "allocation": said["allocation"]["name"],
        "machine": said["machine"]["name"],
        "problem": said["problem"]["name"],
        "qdd": answer.get("qdd"),
        "contact_force": None if free else answer.get("force"),
        "lambda_inverse": answer.get("lambda_inverse"),
        **{name: answer[name] for name in _OTHERS if name in answer},
        "certificate": certificate
        and {name: certificate[name] for name in _CERTIFIED if name in certificate},
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


def _print(run: Run, folder: Path) -> None:
    from senn.traces.folder import PICTURE

    lines = [("run", str(folder))]
    if run.result:
        lines.append(("numbers", str(folder / "result.npz")))
    if (folder / PICTURE).is_file():
        lines.append(("timeline", str(folder / PICTURE)))
    with screen() as page:
        report(page, run)
        heading(page, "Files")
        for label, path in lines:  # on one line each, however long, to be copied
            page.print(f"  {label:<8}  {path}", soft_wrap=True)
