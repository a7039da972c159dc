"""`senn simulate`: the motion of an arm, every acceleration a run of the program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from senn.base.account import Account
from senn.choices import Integrator, StateChoices
from senn.cli import options as cli
from senn.cli.printing.progress import motion as progress_of_motion
from senn.cli.printing.report import account_of_motion


@cli.command(short_help="The motion of an arm, every acceleration a run.")
@cli.problem_argument
@cli.basic_option(
    "--until", type=float, metavar="SECONDS", required=True, help="Time of the end; it begins at 0."
)
@cli.basic_option(
    "--step", type=float, metavar="SECONDS", default=0.01, show_default=True, help="Time of a step."
)
@cli.basic_option(
    "--integrator",
    type=click.Choice(get_args(Integrator)),
    default="rk4",
    show_default=True,
    help="rk4: Runge and Kutta's method of order 4, four runs a step. semi-implicit: Euler's, one run.",
)
@cli.basic_option(
    "--torque",
    metavar="NUMBERS|FILE",
    help="N m or N: one number, or one for each degree of freedom between commas; a CSV file of times and "
    "torques; or FILE.py:FUNCTION of (t, q, qd).  [default: those of the problem]",
)
@cli.count_option(
    "--judge",
    "K",
    100,
    "Certify every K-th run, and the last one; 0: the last alone.",
    least=0,
    group="checks",
)
@cli.basic_option(
    "--project/--no-project",
    default=True,
    help="Take the drift of the contact away after each step, by runs of the same program.  "
    "[default: project]",
)
@cli.basic_option(
    "--impact",
    is_flag=True,
    help="Begin with an impact, where the contact forbids the velocity at the start by more than 1 %.",
)
@cli.options(StateChoices)
@cli.written_to("DIR", "Folder of the motion.  [default: runs/motion-PROBLEM-HASH]")
@cli.output_option("--force", is_flag=True, help="Replace another motion in the folder.")
@cli.quiet_option
def simulate(problem: str, output: Path | None, **arguments: Any) -> Account:
    """Integrate the forward dynamics from the state of PROBLEM, and keep the motion in a folder.

    Every acceleration is a run of the program with its numbers. The schedule is placed and timed once, as
    durations never depend on numbers; the real-time factor is the time of a step over that of its runs.

    A contact given as a word (--contact) keeps its place in the world. The folder gets states.parquet with a
    row for every time and certificates.parquet. After Ctrl-C or a crash the same command continues, with -o
    also to a later --until. The exit status is 1 if a certificate fails, 2 if the motion diverges or its
    torques are refused.

    \b
    Examples:
      senn simulate ssrms --until 2
      senn simulate ur5 --contact plane --until 1 --step 0.005 --machine mark3
      senn simulate ur5_free --until 1 --torque torques.csv --algorithm open-chain
      senn simulate ssrms --until 2 --torque controller.py:torque -o runs/mine
    """
    from senn.motion import conduct

    try:
        with progress_of_motion() as progress:
            motion = conduct.simulate(problem, **arguments, folder=output or True, progress=progress)
    except KeyboardInterrupt:
        raise click.Abort("interrupted: the motion is kept, and the same command goes on") from None
    failed = motion.certificates.filter(~motion.certificates["ok"])
    failure = None if motion.ok else f"at t = {failed['time'][0]:g} s: {failed['message'][0]}"
    return replace(account_of_motion(motion), files={"motion": motion.folder}, failure=failure)
