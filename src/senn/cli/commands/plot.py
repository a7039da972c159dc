"""`senn plot`: a run folder, or the arm of a problem, as a picture."""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from senn.base import files
from senn.base.account import Account
from senn.base.errors import InputError
from senn.choices import ProblemChoices, choices
from senn.cli import folders
from senn.cli import options as completion
from senn.cli.options import (
    NamedChoice,
    Span,
    command,
    options,
    output_option,
    quiet_option,
    written_to,
)
from senn.cli.printing import pictures
from senn.traces.pictures import KINDS, check, draw

ARM = "arm"
"""The kind that draws a problem, not a run."""
OF_MOTION = {
    "angles": "positions of the joints",
    "force": "contact force",
    "energy": "energy",
    "drift": "drift of the contact",
    "poses": "the arm at a few times",
    "animation": "the arm as it moves, a .gif file",
}
"""The kinds that draw a motion."""
_ALL = ""
"""--arrows alone: of all steps."""
_FLAGS = {name: f"--{name}" for kind in KINDS.values() for name in kind.choices} | {
    "start": "--from",
    "stop": "--to",
}
"""The option of the command line for each choice of a picture."""


@command(short_help="A run, or the arm of a problem, as a picture.")
@click.argument("sources", metavar="[RUN...|PROBLEM]", nargs=-1, shell_complete=completion.PLOTTED)
@output_option(
    "--kind",
    type=NamedChoice("picture", dict.fromkeys([*KINDS, ARM, *OF_MOTION])),
    default="timeline",
    show_default=True,
    help=f"{'; '.join(f'{name}: {kind.shows}' for name, kind in KINDS.items())}; arm: the arm of a PROBLEM. "
    f"Of a motion: {'; '.join(f'{name}: {shows}' for name, shows in OF_MOTION.items())}.",
)
@output_option(
    "--arrows",
    metavar="[STEP]",
    is_flag=False,
    flag_value=_ALL,
    help="Timeline: draw every message, or those of a step, such as I.b.5.",
)
@output_option(
    "--from",
    "start",
    metavar="CYCLE",
    type=click.IntRange(0),
    help="Timeline, phases, critical: first cycle.",
)
@output_option(
    "--to", "stop", metavar="CYCLE", type=click.IntRange(0), help="Timeline, phases, critical: last cycle."
)
@output_option("--step", metavar="LABEL", help="Wavefront: these steps, such as I.b.5.")
@output_option("--nodes", metavar="A:B", type=Span(), help="Timeline: only the nodes from A to B.")
@output_option(
    "--of",
    type=click.Choice(["waiting", "sending", "computing", "exposed"]),
    help="Heat: the cycles that are counted.  [default: waiting]",
)
@output_option(
    "--font",
    type=float,
    metavar="POINTS",
    default=12.0,
    show_default=True,
    help="Size of letters, 6 to 48, in a picture 11 inches wide; all text grows together. 18 suits a slide.",
)
@options(ProblemChoices)
@written_to("FILE", "A .png, .svg, .pdf or .gif file; an existing file is replaced.", required=True)
@quiet_option
def plot(sources: Sequence[str], kind: str, output: Path, font: float, **options: Any) -> Account:
    """Draw the folder of a run or of a motion, or with --kind arm the arm of a problem, as a picture.

    The options under Problem belong to --kind arm; PROBLEM is what `senn run` takes, ssrms by default. Every
    link of the arm has the colour of its process. How steps and cycles grow with n is drawn by `senn steps
    --plot FILE`.

    \b
    Examples:
      senn plot runs/demo --kind phases -o phases.svg
      senn plot runs/demo --from 1300 --to 2600 --arrows I.b -o level.png
      senn plot runs/demo --kind wavefront -o elimination.svg
      senn plot arm.urdf --kind arm --tip tool0 -o arm.svg
      senn plot runs/short runs/star --kind energy -o energy.png
      senn plot runs/motion --kind animation -o arm.gif
    """
    source, *others = sources or (None,)
    if others and kind != "energy":
        raise InputError(f"{others[0]}: --kind energy draws several runs, --kind {kind} one")
    rows = choices(ProblemChoices)
    of_problem = {name: options.pop(name) for name in rows}
    of_picture = {name: value for name, value in options.items() if value is not None}
    if kind == ARM or kind in OF_MOTION:
        for name in of_picture:
            raise InputError(f"{_FLAGS[name]} belongs to pictures of a run; leave it out of --kind {kind}")
    from senn.traces.pictures import style

    if kind == ARM:
        with style.slides(font):
            figures = _draw_arm(source or "ssrms", of_problem, output)
    else:
        if source is None:
            raise click.UsageError("Missing argument 'RUN': the run folder to draw")
        for name, value in of_problem.items():
            if value is not None:
                raise InputError(f"--{name} belongs to --kind arm, which draws a problem; leave it out")
        of_picture |= {"beside": [Path(other) for other in others]} if others else {}
        of_motion = kind in OF_MOTION and (kind not in KINDS or os.path.lexists(Path(source, "motion.json")))
        draw_folder = _draw_motion if of_motion else _draw_run
        with style.slides(font):
            figures = draw_folder(Path(source), kind, of_picture, output)
    return Account(figures=figures, files={"": output})


def _draw_arm(problem: str, of_problem: Mapping[str, Any], output: Path) -> dict[str, Any]:
    from senn.api import problems

    pictures.check(output)
    try:
        arm = problems.problem(problem, **of_problem)
    except InputError:
        if not Path(problem).is_dir():
            raise
        raise InputError(
            f"{problem} is a folder; --kind {ARM} draws a problem: name one, or its file"
        ) from None
    pictures.write(arm.plot, output)
    return {"problem": arm.name, "links": arm.chain.n, "picture": output}


def _draw_motion(folder: Path, kind: str, of_picture: Mapping[str, Any], output: Path) -> dict[str, Any]:
    from senn import motion

    if kind == motion.ANIMATION:
        if output.suffix != ".gif":
            raise InputError(f"{output}: an animation ends in .gif; name it so")
        files.check_file(output, "motion.gif")
    else:
        pictures.check(output)
    with folders.opened_motion(folder) as moved:
        if kind == motion.ANIMATION:
            files.write(output, motion.animation(moved))
        else:
            pictures.write(lambda: motion.draw(moved, kind), output)
    return {"folder": folder, "kind": kind, "picture": output}


def _draw_run(folder: Path, kind: str, of_picture: Mapping[str, Any], output: Path) -> dict[str, Any]:
    drawn = dict(of_picture)
    if drawn.get("arrows") == _ALL:
        drawn["arrows"] = True
    if files.is_file(folder / "motion.json"):
        raise InputError(f"{folder} is a motion: give --kind {', '.join(OF_MOTION)}")
    check(kind, drawn, _FLAGS)
    pictures.check(output)
    with ExitStack() as opened:
        run = opened.enter_context(folders.opened(folder))
        if "beside" in drawn:
            drawn["beside"] = [opened.enter_context(folders.opened(other)) for other in drawn["beside"]]
        pictures.write(lambda: draw(kind, run, **drawn), output, run)
    return {"folder": folder, "kind": kind, "picture": output}
