"""`senn run`: solve a problem on the machine, check the answer, keep the run; also `mpi`, `check`, `new`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from math import inf, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.base.account import Account, Section
from senn.base.errors import InputError
from senn.base.tables import table
from senn.choices import OF_ONE_COMMAND, ProblemChoices, ProcessChoices, RunChoices, choices
from senn.cli import options as cli
from senn.cli.printing import pictures
from senn.cli.printing.progress import stages
from senn.cli.printing.report import account_of
from senn.cli.printing.screen import complain, quiet
from senn.traces.naming import counted

if TYPE_CHECKING:
    from senn.traces.run import Run

_IN_FOLDER = Path()
"""Value of --plot without a file: the picture of the run folder."""


@cli.command(short_help="Solve a problem, check the answer, keep the run.")
@cli.problem_argument
@cli.options(RunChoices)
@cli.written_to("DIR", "Folder of the run.  [default: runs/PROBLEM-HASH]")
@cli.output_option("--force", is_flag=True, help="Replace another run in the folder.")
@cli.basic_option(
    "--plot",
    "picture",
    metavar="[FILE]",
    is_flag=False,
    flag_value=_IN_FOLDER,
    type=cli.PATH,
    help="Also draw the timeline, in the run folder or as FILE: a .png, .svg or .pdf file.",
)
@cli.quiet_option
def run(
    problem: str, output: Path | None, force: bool, picture: Path | None, **arguments: Any
) -> Iterator[Account]:
    """Solve PROBLEM on the machine, check the answer, and keep the run in a folder.

    A problem is the motion of a robot arm in contact: accelerations and contact force at one state. PROBLEM
    is a bundled arm or a generator (`senn list problems`), a TOML file, or a URDF file with --tip; by default
    ssrms, the arm of the Space Station. State, torques and contact that it leaves open are drawn from the
    seed. PROBLEM may also be a program of your own, FILE.py:FUNCTION, with its numbers in --given, or a
    classic of `senn list algorithms`, NAME:N. The exit status is 1 if an answer has too few right digits.

    \b
    Examples:
      senn run
      senn run station25 --residency home -o runs/home
      senn run random:16:seed=3 --machine raw --set timing.word=4
      senn run ur5 --plot
      senn run arm.urdf --tip tool0 --seed 7
      senn run sort:64 --seed 3
      senn run prefix.py:prefix_sum --given data.npz
      senn run random:65536:seed=1 --form short --detail summary
    """
    from senn.api import solving

    if arguments["values"] and arguments["detail"] != "full":
        raise click.UsageError("--values needs --detail full: values go with the messages that carry them")
    if picture:
        if arguments["detail"] != "full":
            raise click.UsageError("--plot needs --detail full: a timeline is drawn from the messages")
        if picture != _IN_FOLDER:
            pictures.check(picture)
    yield from _kept(partial(solving.run, problem, **arguments), output, force, picture)


def _kept(
    solve: Callable[..., Run], output: Path | None, force: bool, picture: Path | None = None
) -> Iterator[Account]:
    """The account of a run, which then is written, and of its files; no long work for a place taken."""
    from senn.api import solving
    from senn.base.files import PICTURE, check_place
    from senn.traces.folder import check_free

    if output:
        check_free(output, force=True)
    check_place(output or Path("runs/run"))
    with stages(solving.STAGES) as progress:
        # The hash of all inputs tells whether a run in the folder is another one.
        free = partial(check_free, output, force) if output else lambda inputs: None
        run = solve(progress=progress, before=free)
    folder = output or solving.default_folder(run)
    if quiet():  # what is hardly meant is said all the same
        from senn.algorithms.problems.states import BEYOND, IN_RADIANS, NO_BODY, NO_MASS

        for note in (run.description.get("problem") or {}).get("notes", ()):
            if note.startswith((BEYOND, IN_RADIANS, NO_BODY, NO_MASS)):
                complain(note)
    drawn = folder / PICTURE if picture == _IN_FOLDER else picture
    yield account_of(run, folder)
    run.save(folder, force or not output)
    if drawn:
        pictures.write(run.plot, drawn, run)
    numbers = folder / "result.npz" if run.result and not quiet() else None
    yield Account(files={"run": folder, "numbers": numbers, "timeline": drawn})


@cli.command(short_help="Solve a problem by real processes with MPI.")
@cli.problem_argument
@cli.option(OF_ONE_COMMAND["ranks"])
@cli.option(OF_ONE_COMMAND["repeat"])
@cli.options(ProcessChoices)
@cli.written_to("DIR", "Folder of the run.  [default: runs/PROBLEM-HASH]")
@cli.output_option("--force", is_flag=True, help="Replace another run in the folder.")
@cli.quiet_option
def mpi(problem: str, output: Path | None, force: bool, **arguments: Any) -> Iterator[Account]:
    """Solve PROBLEM by real processes that exchange the program's messages with MPI, and time them.

    Answers and certificate are those of `senn run`. The run folder has the same tables, in measured
    nanoseconds. Rank r has the same block of consecutive processes of every array. Needs Open MPI:
    pip install 'senn[mpi]'. The exit status is 1 if the certificate fails or a rank dies.

    \b
    Examples:
      senn mpi ssrms --ranks 2
      senn mpi random:64:seed=1 --ranks 4 --repeat 20 -o runs/measured
      mpiexec -n 64 --hostfile hosts senn mpi random:4096:seed=1
    """
    from senn.api import processes

    yield from _kept(partial(processes.mpi, problem, **arguments), output, force)


_WORST = 12
"""Rows of the table; --json has all."""


@cli.command(short_help="Judge the answers of another simulator.")
@click.argument("problem", metavar="ARM", shell_complete=cli.PROBLEMS)
@cli.basic_option(
    "--answers",
    metavar="FILE",
    required=True,
    type=cli.PATH,
    shell_complete=cli.FILES,
    help="An .npz file of q, qd, tau, qdd and, in contact, F, with a row for each state.",
)
@cli.options(ProblemChoices)
@cli.option(choices(RunChoices)["digits"])
@cli.quiet_option
def check(problem: str, answers: Path, **arguments: Any) -> Account:
    """Judge accelerations and contact forces of another simulator, state by state and joint by joint.

    ARM is a problem as of `senn run`, with its gravity and contact. Positions q, rates qd and torques tau are
    the input of the simulator, accelerations qdd and the contact force F its answers. F is exerted by the end
    effector on its surroundings, moment first, in end-effector axes; without F the tip is free. The exit
    status is 1 if a state has too few right digits.

    \b
    Examples:
      senn check arm.urdf --tip tool0 --answers mujoco.npz
      senn check ur5 --contact weld --answers states.npz --digits 10
    """
    from senn.algorithms.account import robot_text
    from senn.algorithms.answers import figures
    from senn.algorithms.certificate.certificate import digits
    from senn.algorithms.problems.states import labels
    from senn.api import building, states

    verdicts = states.check(problem, answers, **arguments)
    certificates, names = verdicts.certificates, labels(verdicts.states[0].chain)
    errors = []
    for k, each in enumerate(certificates):
        errors += [(x, k, f"qdd of {name}") for x, name in zip(verdicts.errors[k], names, strict=True)]
        left_out = {"qdd_error", "qdd_joint_error", *each.excused}
        errors += [(x, k, figures()[name].phrase) for name, x in each.figures.items() if name not in left_out]
    errors.sort(key=lambda row: inf if isnan(row[0]) else row[0], reverse=True)
    failing = [row for row in errors if not certificates[row[1]].ok]
    error, worst, place = (failing or errors)[0]
    state, count, required = verdicts.states[worst], len(certificates), certificates[0].required
    lines = (
        ("problem", robot_text(building.problem_entry(state), state.contact.constrained)),
        ("answers", f"{counted(count, 'state')} of {answers}"),
        *(("note", note) for note in state.notes),
    )
    rows = ((str(k), place, f"{error:.0e}", digits(error)) for error, k, place in errors[:_WORST])
    heading = f"Held against the refined solution, {required} digits required, the worst first"
    shown = table(["state", "quantity"], ["error", "digits"], rows)
    figures_of_all = {
        "problem": state.name,
        "contact": state.contact.called,
        "ok": verdicts.ok,
        "required": required,
        "labels": names,
        "digits": [each.digits for each in certificates],
        "digits_of_joints": [[*map(digits, row)] for row in verdicts.errors.tolist()],
        "certificates": [each.as_dict() for each in certificates],
    }
    reason = f"{place}, error {error:.0e}" if certificates[worst].known else certificates[worst].message
    failed = f"{sum(not each.ok for each in certificates)} of {counted(count, 'state')} failed"
    failure = f"{failed}; state {worst}: {reason}" if failing else None
    return Account([Section(lines=lines), Section(heading, table=shown)], figures_of_all, failure=failure)


@cli.command(short_help="A problem or machine file to begin with.")
@click.argument("file", type=cli.PATH)
@cli.problem_option(
    "--robot",
    metavar="ROBOT",
    shell_complete=cli.PROBLEMS,
    help="URDF or robot file, robot from `senn list robots`, or generator.",
)
@cli.machine_option(
    "--machine",
    metavar="NAME",
    shell_complete=cli.BY_OPTION["machine"],
    help="Machine from `senn list machines`, for a machine file.",
)
@cli.machine_option(
    "--calibrate",
    metavar="[N]",
    is_flag=False,
    flag_value=1,
    type=click.IntRange(min=1),
    help="Measure this computer, for a machine file; N processes of a rank share the cost of a call.",
)
@cli.options(ProblemChoices)
@cli.output_option("--force", is_flag=True, help="Replace an existing file.")
@cli.quiet_option
def new(
    file: Path, robot: str | None, machine: str | None, calibrate: int | None, force: bool, **arguments: Any
) -> Account:
    """Write a problem file of a robot: every joint by its name, with its limits and its units.

    State and torques are drawn from the seed, within the limits, as a start. --contact sets the contact of
    the tip; by default it is a weld, or a plane if the arm is too short for a weld, or none.

    With --machine instead of --robot, write a copy of a preset, under the name of the file. With --calibrate
    instead, write the times of this computer in nanoseconds: two processes of MPI play ping-pong, and kernels
    are called for blocks of N processes. Every time has its interval, and its source the quality of the fit;
    `senn list machines FILE` prints them. Other work on the computer goes into the times. Needs MPI:
    pip install 'senn[mpi]'.

    \b
    Examples:
      senn new my.toml --robot arm.urdf --tip tool0
      senn run my.toml
      senn new snake.toml --robot snake:12 --contact point
      senn new mine.toml --machine mark3
      senn new here.toml --calibrate
    """
    from senn.api import problems

    if calibrate:
        for name, value in {"robot": robot, "machine": machine, **arguments}.items():
            if value is not None:
                raise InputError(f"--{name} and --calibrate begin different files; leave one of them out")
        from senn import calibration
        from senn.base.files import check_file, write_text

        written = problems.new_file(file, force)
        check_file(written, "here.toml")
        write_text(written, calibration.machine_file(calibration.measured(calibrate), date.today()))
    else:
        written = problems.new(file, robot, machine=machine, force=force, **arguments)
    return Account(figures={"file": written}, files={"": written})
