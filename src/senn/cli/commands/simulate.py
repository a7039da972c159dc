"""`senn simulate`, every acceleration of a motion a run of the program, and `senn control`, every sample."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from senn.api.states import StateChoices
from senn.choices import Integrator
from senn.cli import options as completion
from senn.cli.options import (
    basic_option,
    command,
    count_option,
    json_option,
    options,
    output_option,
    quiet_option,
    written_to,
)
from senn.cli.printing.motion import show_motion
from senn.cli.printing.progress import motion as progress_of_motion
from senn.cli.printing.screen import complain, files

if TYPE_CHECKING:
    from senn.motion import Motion

_judge_option = count_option(
    "--judge",
    "K",
    100,
    "Certify every K-th run, and the last one; 0: the last alone.",
    least=0,
    group="checks",
)
_impact_option = basic_option(
    "--impact",
    is_flag=True,
    help="Begin with an impact, where the contact forbids the velocity at the start by more than 1 %.",
)


@command(short_help="The motion of an arm, every acceleration a run.")
@click.argument("problem", default="ssrms", shell_complete=completion.PROBLEMS)
@basic_option(
    "--until", type=float, metavar="SECONDS", required=True, help="Time of the end; it begins at 0."
)
@basic_option(
    "--step", type=float, metavar="SECONDS", default=0.01, show_default=True, help="Time of a step."
)
@basic_option(
    "--integrator",
    type=click.Choice(get_args(Integrator)),
    default="rk4",
    show_default=True,
    help="rk4: Runge and Kutta's method of order 4, four runs a step. semi-implicit: Euler's, one run.",
)
@basic_option(
    "--torque",
    metavar="NUMBERS|FILE",
    help="N m or N: one number, or one for each degree of freedom between commas; a CSV file of times and "
    "torques; or FILE.py:FUNCTION of (t, q, qd).  [default: those of the problem]",
)
@_judge_option
@basic_option(
    "--project/--no-project",
    default=True,
    help="Take the drift of the contact away after each step, by runs of the same program.  "
    "[default: project]",
)
@_impact_option
@options(StateChoices)
@written_to("DIR", "Folder of the motion.  [default: runs/motion-PROBLEM-HASH]")
@output_option("--force", is_flag=True, help="Replace another motion in the folder.")
@json_option
@quiet_option
def simulate(problem: str, output: Path | None, as_json: bool, **arguments: Any) -> int:
    """Integrate the forward dynamics from the state of PROBLEM, and keep the motion in a folder.

    Every acceleration is a run of the program with its numbers. The schedule is placed and timed once, as
    durations never depend on numbers; the real-time factor is the time of a step over that of its runs.

    A contact in a word (--contact) keeps its place in the world. The folder gets states.parquet with a row
    for every time and certificates.parquet. After Ctrl-C or a crash the same command continues, with
    -o also to a later --until. The exit status is 1 if a certificate fails, 2 if the motion diverges or its
    torques are refused.

    \b
    Examples:
      senn simulate ssrms --until 2
      senn simulate ur5 --contact plane --until 1 --step 0.005 --machine mark3
      senn simulate ur5_free --until 1 --torque torques.csv --algorithm open-chain
      senn simulate ssrms --until 2 --torque controller.py:torque -o runs/mine
    """
    from senn.motion import conduct

    return _kept(conduct.simulate, problem, output, as_json, arguments)


_FIGURES = (
    ("--sample", "SECONDS", 0.01, "Sample period; the makespan where that is longer."),
    ("--until", "SECONDS", 4.0, "Time of the end; it begins at 0."),
    ("--bandwidth", "HZ", 1.0, "Natural frequency of the error of the tip."),
    ("--damping", "ZETA", 1.0, "Its damping ratio."),
    ("--move", "METRES", 0.2, "How far the tip moves along a free direction."),
    ("--rise", "SECONDS", 2.0, "Time of the move, a quintic; 0: a step."),
    ("--press", "N", 20.0, "Force of the tip in the constrained direction."),
    ("--integral", "SHARE", 0.25, "Share of an error of the force that is added at each sample."),
    ("--push", "N", 50.0, "Disturbance along the move, from one second after it on."),
)


def _figure_options(function: Any) -> Any:
    for flag, metavar, default, text in reversed(_FIGURES):
        function = basic_option(
            flag, type=float, metavar=metavar, default=default, show_default=True, help=text
        )(function)
    return function


@command(short_help="The machine in the control loop of the arm.")
@click.argument("problem", default="ssrms", shell_complete=completion.PROBLEMS)
@_figure_options
@_judge_option
@_impact_option
@options(StateChoices)
@written_to("DIR", "Folder of the motion.  [default: runs/motion-PROBLEM-HASH]")
@output_option("--force", is_flag=True, help="Replace another motion in the folder.")
@json_option
@quiet_option
def control(problem: str, output: Path | None, as_json: bool, **arguments: Any) -> int:
    """Control an arm whose tip presses on something and moves along it, and keep the motion in a folder.

    At each sample a run of the program gives Lambda^-1 and the acceleration of the free tip. The torques that
    follow act when the makespan is over, until the next ones do. The arm itself moves by a serial solver.

    The contact holds some directions and leaves others free, as a plane does. The exit status is 1 if a
    certificate fails, 2 if the loop diverges.

    \b
    Examples:
      senn control ssrms --contact plane
      senn control ssrms --contact plane --machine mark3 --form short --bandwidth 5
      senn control ssrms --contact plane --sample 0.001 --move 0.001 --rise 0 --push 0 --until 0.2
    """
    from senn.motion import control as control_loop

    return _kept(control_loop, problem, output, as_json, arguments)


def _kept(
    call: Callable[..., Motion], problem: str, output: Path | None, as_json: bool, arguments: dict[str, Any]
) -> int:
    """Make a motion with progress, print it, and return the exit status."""
    try:
        with progress_of_motion() as progress:
            motion = call(problem, **arguments, folder=output or True, progress=progress)
    except KeyboardInterrupt:
        raise click.Abort("interrupted: the motion is kept, and the same command goes on") from None
    show_motion(as_json, motion)
    if not as_json:
        files({"motion": motion.folder})
    if not motion.ok:
        failed = motion.certificates.filter(~motion.certificates["ok"])
        complain(f"at t = {failed['time'][0]:g} s: {failed['message'][0]}")
        return 1
    return 0
