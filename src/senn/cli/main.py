"""The entry point: the commands together, and how a run of the program ends.

Exit status: 0 done; 1 the certificate failed, the program could not finish (Deadlock) or an invariant does
not hold (Violation); 2 bad input, in one line on stderr; 128 and its number for a signal: 130 interrupted
with Ctrl-C, 143 asked to end by SIGTERM, 129 left alone by its terminal.
"""

from __future__ import annotations

import gc
import signal
import sys
from typing import Any, NoReturn

import click

from senn import __version__
from senn.cli import surroundings
from senn.cli.commands.claims import claims
from senn.cli.commands.compare import compare
from senn.cli.commands.crossovers import crossovers
from senn.cli.commands.listing import listing
from senn.cli.commands.lists import list_group
from senn.cli.commands.new import new
from senn.cli.commands.optimise import optimise
from senn.cli.commands.plot_arm import plot_arm
from senn.cli.commands.recorded.diff import diff
from senn.cli.commands.recorded.explain import explain
from senn.cli.commands.recorded.export import export
from senn.cli.commands.recorded.plot import plot
from senn.cli.commands.recorded.report import report
from senn.cli.commands.recorded.retime import retime
from senn.cli.commands.recorded.show import show
from senn.cli.commands.recorded.view import view
from senn.cli.commands.run import run
from senn.cli.commands.steps import steps
from senn.cli.commands.study import study
from senn.cli.printing.screen import complain, width
from senn.traces.errors import InputError, message

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
_ENDINGS = ("SIGTERM", "SIGHUP")
"""Signals that end a command as Ctrl-C does: what is half-written is removed."""


class Ended(KeyboardInterrupt):
    """A signal has come that asks to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class CommandLine(click.Group):
    """The group of all commands; every error ends in one clear message and an exit status."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """As click's, always ending in SystemExit."""
        kwargs["standalone_mode"] = False
        kwargs.setdefault("terminal_width", width())
        try:
            sys.exit(super().main(*args, **kwargs))
        except Exception as error:
            status, text = _verdict(error)
            complain(text)
            sys.exit(status)

    def invoke(self, ctx: click.Context) -> Any:
        """As click's, which ends the line of a terminal's ^C."""
        try:
            return super().invoke(ctx)
        except Ended as error:
            raise click.Abort(f"ended by {signal.Signals(error.number).name}") from error


@click.group(
    cls=CommandLine,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="senn", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Run a robot-dynamics algorithm on a parallel machine that was never built.

    senn emulates Fijany's 1993 machine: two SIMD arrays on a shuffle-exchange network that compute the motion
    of a robot arm in contact in O(log n) steps. Every message is moved, every cycle is accounted for, and the
    answer is checked against an independent solver in the same run.

    \b
    Examples:
      senn run                          the Space Station arm berthing a payload
      senn run ur5 --form short         another problem, a leaner program
      senn run random:64 --json         64 joints drawn at random, for scripts
      senn run arm.urdf --tip tool0     an arm of your own
      senn new my.toml --robot ur5      a problem file to begin with
      senn plot-arm ur5 -o ur5.png      the arm itself
      senn report runs/demo -o a.html   a run as one page to look into
      senn steps --n 1:1024             how steps and cycles grow with log n
      senn compare --residency home --residency migrating
      senn retime runs/demo --machine raw   the same schedule on another machine
      senn diff runs/demo runs/slow     where two runs part, and what got slower
      senn study grid.toml              many runs, on all processors or a cluster
      senn optimise --residency home    search for a better allocation
      senn claims --quick               what the paper says, tried by experiment
      senn listing --n 8 --step I.b     a part of the program, as the paper prints it
      senn list machines mark3          where the figures of a machine come from
      senn list networks                what the nodes can be wired with
      senn export RUN -o run.pftrace    for Perfetto and other tools
      senn view RUN                     in the Perfetto UI, on this computer
      senn explain RUN                  where its cycles went, and why
      senn explain exposed              what a word means that is printed
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    run,
    show,
    plot,
    report,
    export,
    view,
    retime,
    diff,
    steps,
    compare,
    study,
    optimise,
    claims,
    crossovers,
    listing,
):
    cli.add_command(command)
cli.add_command(list_group)
cli.add_command(new)
cli.add_command(plot_arm)
cli.add_command(explain)


_NEW_OBJECTS = 100_000
"""Before garbage is looked for: what is imported and scheduled stays, and looking through it takes time."""


def main() -> None:
    """`senn`."""
    surroundings.prepare()
    gc.set_threshold(_NEW_OBJECTS)
    for name in _ENDINGS:
        number = getattr(signal, name, None)  # Windows has fewer
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, _end)
    cli.main(prog_name="senn")


def _end(number: int, frame: object) -> NoReturn:
    for name in _ENDINGS:  # once: what cleans up is not to be interrupted in its turn
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    raise Ended(number)


def _verdict(error: Exception) -> tuple[int, str]:
    """Exit status and message of an error; one that nobody foresaw is raised again, with its traceback."""
    if isinstance(error, click.Abort):
        ended = error.__cause__ or error.__context__
        status = 128 + ended.number if isinstance(ended, Ended) else INTERRUPTED
        return status, str(error) or "interrupted"
    if isinstance(error, click.ClickException):
        return BAD_INPUT, _usage(error)
    if isinstance(error, InputError):
        return BAD_INPUT, str(error)
    if isinstance(error, OSError) and error.strerror:
        return BAD_INPUT, message(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    if isinstance(error, MemoryError):
        return FAILED, "not enough memory; take a smaller n"

    from senn.machine.engines.control import Deadlock
    from senn.machine.engines.memory import Violation

    if isinstance(error, Deadlock | Violation):
        return FAILED, str(error)
    raise error


def _usage(error: click.ClickException) -> str:
    """A message of click's on one line, with the place to look."""
    text = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{text}; {context.command_path} --help says what there is" if context else text
