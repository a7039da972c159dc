"""Entry point: the commands, and the exit status of each way a command ends.

Exit status: 0 success; 1 the certificate failed, the program could not finish (Deadlock) or an invariant does
not hold (Violation); 2 bad input, in one line on stderr; 128 plus the number of a signal: 130 for Ctrl-C, 143
for SIGTERM, 129 where the terminal was closed.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import logging
import os
import re
import signal
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from senn import __version__
from senn.base.errors import InputError, message, suggestion
from senn.base.gone import RENAMED, former
from senn.cli.printing.screen import complain, width

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
_ENDINGS = ("SIGTERM", "SIGHUP")
"""Signals that end a command as Ctrl-C does: half-written files are removed."""
COMMANDS = {
    **{name: name for name in ("simulate", "plot", "explain", "retime", "diff", "optimise", "list")},
    **dict.fromkeys(("run", "mpi", "check", "new"), "run"),
    **dict.fromkeys(("export", "report"), "export"),
    **dict.fromkeys(("study", "compare"), "study"),
    **dict.fromkeys(("steps", "program"), "steps"),
}
"""Modules of `senn.cli.commands` by command; each is imported where its command is asked for."""


class Ended(KeyboardInterrupt):
    """A signal that asks the program to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)  # libraries that copy an exception, as SimPy does, repeat its arguments
        self.number = number


class CommandLine(click.Group):
    """Group of all commands: every error ends in one clear message and an exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"senn.cli.commands.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, "list_command" if cmd_name == "list" else cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the first word; UsageError with its new name for a command that was renamed."""
        if now := RENAMED.get(f"senn {args[0]}"):
            raise click.UsageError(f"senn {args[0]} is now {now}", ctx)
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            raise click.UsageError(f"No such command '{args[0]}'{suggestion(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command; always raises SystemExit."""
        kwargs["standalone_mode"] = False
        kwargs.setdefault("terminal_width", width())
        try:
            status = super().main(*args, **kwargs)
            sys.stdout.flush()
        except Exception as error:
            status, text = _verdict(error)
            with contextlib.suppress(OSError):  # where stderr is full too, the status says it alone
                complain(text)
            _drop_unwritten()
        sys.exit(status)

    def invoke(self, ctx: click.Context) -> Any:
        """Invoke a command; click ends the line of a terminal's ^C."""
        from senn.base import code

        code.IN_COMMAND.set(True)
        try:
            return super().invoke(ctx)
        except Ended as error:
            raise click.Abort(f"ended by {signal.Signals(error.number).name}") from error


@click.group(
    cls=CommandLine, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="senn", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Emulate a parallel machine for robot dynamics, designed in 1993 and never built.

    Fijany's machine has two SIMD arrays on a shuffle-exchange network. It computes the motion of a robot arm
    in contact in O(log n) steps. senn simulates every message and every cycle, and checks the answer with
    independent solvers in the same run.

    \b
    Start:
      senn run                          the Space Station arm berthing a payload
      senn explain RUN                  where its cycles went, and why
      senn report RUN -o page.html      the run as a page to look into
    \b
    Change something:
      senn run ur5 --form short         another problem, a leaner program
      senn run arm.urdf --tip tool0     an arm of your own
      senn compare --residency home --residency migrating
      senn retime RUN --machine raw     the same schedule on another machine
      senn diff RUN OTHER               where two runs differ
      senn simulate ssrms --until 2     the motion, every acceleration a run
      senn mpi ssrms --ranks 2          the same program on real processes, timed
      senn check ARM --answers a.npz    answers of another simulator, judged
    \b
    Look around:
      senn list                         robots, problems, algorithms, machines, ...
      senn program --n 8 --step I.b     the program, as the paper prints it
      senn plot ur5 --kind arm -o a.png the arm itself
      senn explain exposed              the meaning of a printed word
    \b
    Experiment:
      senn new here.toml --calibrate    the times of this computer, as a machine
      senn steps --n 1:1024             how steps and cycles grow with log n
      senn study grid.toml              many runs, on all processors or a cluster
      senn optimise --residency home    search for a better allocation
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


_NEW_OBJECTS = 200_000
"""Allocations before the garbage collector runs, as imports and schedules stay."""


def main() -> None:
    """Run the command line `senn`."""

    def end(number: int, frame: object) -> NoReturn:
        for name in _ENDINGS:  # once: the clean-up is not interrupted
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        raise Ended(number)

    _prepare_environment()
    gc.set_threshold(_NEW_OBJECTS)
    atexit.register(gc.freeze)  # at the end of the process no cycle is searched for
    for name in _ENDINGS:
        number = getattr(signal, name, None)  # Windows has fewer
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, end)
    if not cli.help and not {"-h", "--help"}.isdisjoint(sys.argv):
        complain("python -OO leaves out what commands do; without it, or with -O, --help says that too")
    cli.main(prog_name="senn")


_NUMBERS = ("COLUMNS", "LINES", "POLARS_MAX_THREADS")


def _prepare_environment() -> None:
    """Adjust streams and environment so that no library fails or prints messages because of them."""
    if hasattr(signal, "SIGPIPE"):
        # `senn steps | head -1` ends as any Unix filter does, without a traceback.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: senn run >&-
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - open to the end
        # Names of robots may have letters that the terminal cannot print.
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    for name in _NUMBERS:
        if not re.fullmatch("[1-9][0-9]{0,3}", os.environ.get(name, "1")):
            del os.environ[name]
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # blocks are small: more threads would spin
    os.environ["MPLBACKEND"] = "agg"  # no window, with or without a display
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # no message about its cache


def _drop_unwritten() -> None:
    """Drop what a full disk has not taken; or Python tries it again at the end, and fails in its own way."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())


def _verdict(error: Exception) -> tuple[int, str]:
    """Exit status and message of an error; an unforeseen error is raised again, with its traceback."""
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
    """Message of a click error on one line, with the help command to run."""
    is_option = isinstance(error, click.NoSuchOption)
    text = " ".join((error.message if is_option else error.format_message()).split()).rstrip(".")
    text = re.sub(r"(?<!\w)'([^']*)'(?!\w)", r'"\1"', text)  # as all other messages quote
    if choice := re.search(r'"([^"]*)" is not one of (.*)', text):
        text += suggestion(choice[1], re.findall(r'"([^"]*)"', choice[2]))
    context = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption) and context:
        if replaced := former("option", f"{context.info_name} {error.option_name}"):
            return replaced
        from senn.machine.model import FIELDS

        names = {parameter.name for parameter in context.command.params}
        name = error.option_name.lstrip("-")
        field = name.replace("-", "_")
        group = next((group for group, fields in FIELDS.items() if field in fields), None)
        if "set" in names and group:
            text = f'No such option "--{name}": write --set {group}.{field}=VALUE'
        elif "at" in names and name in ("q", "qd", "tau", "qdd", "gravity"):
            way = "write --at JOINT=VALUE, or q in" if name == "q" else f"write {name} in"
            text = f'No such option "--{name}": {way} a problem file (senn new FILE --robot ROBOT)'
        else:
            options = [option for parameter in context.command.params for option in parameter.opts]
            text += suggestion(error.option_name, options)
    size = re.fullmatch(r"Got unexpected extra argument \((?:random:)?(\d+)\)", text)
    if size and context and any(parameter.name == "n" for parameter in context.command.params):
        text += f": write --n {size[1]}"
    joint = "" if text.endswith("?") else ";"
    return f"{text}{joint} {context.command_path} --help says what there is" if context else text
