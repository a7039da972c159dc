"""`senn plot`: a run folder, or the arm of a problem, as a picture."""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click

from senn.base import files
from senn.base.account import Account
from senn.base.errors import InputError
from senn.choices import ProblemChoices, choices
from senn.cli import options as cli
from senn.cli.printing import pictures, report
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
_cycle_option = partial(cli.output_option, metavar="CYCLE", type=click.IntRange(0))


@cli.command(short_help="A run, or the arm of a problem, as a picture.")
@click.argument("sources", metavar="[RUN...|PROBLEM]", nargs=-1, shell_complete=cli.PLOTTED)
@cli.output_option(
    "--kind",
    type=cli.NamedChoice("picture", dict.fromkeys([*KINDS, ARM, *OF_MOTION])),
    default="timeline",
    show_default=True,
    help=f"{'; '.join(f'{name}: {kind.shows}' for name, kind in KINDS.items())}; arm: the arm of a PROBLEM. "
    f"Of a motion: {'; '.join(f'{name}: {shows}' for name, shows in OF_MOTION.items())}.",
)
@cli.output_option(
    "--arrows",
    metavar="[STEP]",
    is_flag=False,
    flag_value=_ALL,
    help="Timeline: draw every message, or those of a step, such as I.b.5.",
)
@_cycle_option("--from", "start", help="Timeline, phases, critical: first cycle.")
@_cycle_option("--to", "stop", help="Timeline, phases, critical: last cycle.")
@cli.output_option("--step", metavar="LABEL", help="Wavefront: these steps, such as I.b.5.")
@cli.output_option("--nodes", metavar="A:B", type=cli.Span(), help="Timeline: only the nodes from A to B.")
@cli.output_option(
    "--of",
    type=click.Choice(["waiting", "sending", "computing", "exposed"]),
    help="Heat: the cycles that are counted.  [default: waiting]",
)
@cli.output_option(
    "--font",
    type=float,
    metavar="POINTS",
    default=12.0,
    show_default=True,
    help="Size of letters, 6 to 48, in a picture 11 inches wide; all text grows together. 18 suits a slide.",
)
@cli.options(ProblemChoices)
@cli.written_to("FILE", "A .png, .svg, .pdf or .gif file; an existing file is replaced.", required=True)
@cli.quiet_option
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
    source, *others = sources or ("ssrms",)
    folder = Path(source)
    if others and kind != "energy":
        raise InputError(f"{others[0]}: --kind energy draws several runs, --kind {kind} one")
    of_problem = {name: options.pop(name) for name in choices(ProblemChoices)}
    of_picture = {name: value for name, value in options.items() if value is not None}
    if of_picture and (kind == ARM or kind in OF_MOTION):
        flag = _FLAGS[next(iter(of_picture))]
        raise InputError(f"{flag} belongs to pictures of a run; leave it out of --kind {kind}")
    if kind != ARM and not sources:
        raise click.UsageError("Missing argument 'RUN': the run folder to draw")
    for name, value in of_problem.items():
        if kind != ARM and value is not None:
            raise InputError(f"--{name} belongs to --kind arm, which draws a problem; leave it out")
    of_motion = kind in OF_MOTION and (kind not in KINDS or os.path.lexists(folder / "motion.json"))
    if not of_motion and kind != ARM:
        if of_picture.get("arrows") == _ALL:
            of_picture["arrows"] = True
        if files.is_file(folder / "motion.json"):
            raise InputError(f"{folder} is a motion: give --kind {', '.join(OF_MOTION)}")
        check(kind, of_picture, _FLAGS)
    if kind != "animation":
        pictures.check(output)
    elif output.suffix != ".gif":
        raise InputError(f"{output}: an animation ends in .gif; name it so")
    from senn.traces.pictures import style

    figures: dict[str, Any] = {"folder": folder, "kind": kind, "picture": output}
    with style.slides(font):
        if kind == ARM:
            figures = _draw_arm(source, of_problem, output)
        elif of_motion:
            _draw_motion(folder, kind, output)
        else:
            with ExitStack() as stack:
                run, *beside = (stack.enter_context(report.opened(Path(x))) for x in (source, *others))
                of_picture |= {"beside": beside} if beside else {}
                pictures.write(lambda: draw(kind, run, **of_picture), output, run)
    return Account(figures=figures, files={"": output})


def _draw_arm(source: str, of_problem: Mapping[str, Any], output: Path) -> dict[str, Any]:
    from senn.api import problems

    try:
        arm = problems.problem(source, **of_problem)
    except InputError:
        if not Path(source).is_dir():
            raise
        what = f"{source} is a folder; --kind {ARM} draws a problem"
        raise InputError(f"{what}: name one, or its file") from None
    pictures.write(arm.plot, output)
    return {"problem": arm.name, "links": arm.chain.n, "picture": output}


def _draw_motion(folder: Path, kind: str, output: Path) -> None:
    from senn import motion

    with report.opened_motion(folder) as moved:
        if kind == motion.ANIMATION:
            files.check_file(output, "motion.gif")
            files.write(output, motion.animation(moved))
        else:
            pictures.write(lambda: motion.draw(moved, kind), output)
