"""Runs and motions of folders: opened, as accounts, and as pages of HTML.

A seal is not a signature: another program may have written and sealed run.json. Its entries are not checked
one by one: an error while an entry is shown becomes a message of one line.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from senn.base import files
from senn.base.account import Account, Section, html
from senn.base.errors import InputError
from senn.cli.printing import document

if TYPE_CHECKING:
    from senn.machine.program import Program
    from senn.machine.program.flow import Line
    from senn.motion import Motion
    from senn.traces.report import ReportContent
    from senn.traces.report.contents import Key, Stage
    from senn.traces.run import Run


@contextmanager
def opened(folder: Path) -> Iterator[Run]:
    """The run of a folder, to be shown; `InputError` also if an entry is not as senn writes it."""
    from senn.api import recorded
    from senn.traces.seal import guarded

    run = recorded.open_run(folder)
    with guarded(folder / "run.json", InputError, OSError):
        yield run


@contextmanager
def opened_motion(folder: Path) -> Iterator[Motion]:
    """As `opened`, for the folder of a motion."""
    from senn import motion
    from senn.traces.seal import guarded

    with guarded(folder / "motion.json", InputError, OSError):
        yield motion.read(folder)


def account_of(run: Run, folder: Path) -> Account:
    """The summary of a run, made just now or read from a folder; a failure if its certificate fails."""
    from senn.traces.facts import account

    failed = run.certificate and not run.certificate["ok"]
    failure = run.certificate["message"] if run.certificate and failed else None
    return Account(tuple(account(run)), document.of_run(run, folder), failure=failure)


def account_of_motion(motion: Motion) -> Account:
    """The figures of a motion."""
    names = ("problem", "algorithm", "machine", "until", "step", "integrator", "torque")
    record: dict[str, Any] = {name: motion.description[name] for name in names}
    record |= {name: record[name]["name"] for name in ("problem", "machine")}
    figures = {**record, **motion.summary, "ok": motion.ok, "folder": motion.folder}
    return Account([Section(lines=tuple(motion.facts()))], figures)


def report_content(run: Run) -> ReportContent:
    """The content of the page of a run that its trace does not know."""
    from senn.api.recorded import program_of
    from senn.machine.program.listing import printed
    from senn.traces.report import ReportContent

    try:
        program = program_of(run)
    except InputError:  # it cannot be made again
        return ReportContent()
    listing = [
        (part, _key(line) if line and line.instruction.issued else None)
        for text, line in printed(program)
        for part in text.split("\n")
    ]
    return ReportContent(listing, list(_stages(program)))


def _key(line: Line) -> Key:
    return line.array, line.instruction.step, line.instruction.level


def _stages(program: Program) -> Iterator[Stage]:
    """The blocks beside the diagonal after each level of Step I.b, and the instruction that ends the level.

    Level j leaves the blocks B_i^j, from i to i + 2^j, and those on the other side, which are their
    transposes; the instruction that writes A^j ends it. Programs without these letters have no stage.
    """
    from senn.machine.program.dataflow import flow

    lines = [line for stream in flow(program).lines for line in stream]
    for level in range(program.levels + 1):
        ending = _written(lines, "A", level)
        if not ending:
            return
        above = [(i, i + 2**level) for line in _written(lines, "B", level) for i in line.processes.tolist()]
        below = [(i - 2**level, i) for line in _written(lines, "L", level) for i in line.processes.tolist()]
        yield _key(ending[-1]), {*above, *below}


def _written(lines: list[Line], letter: str, level: int) -> list[Line]:
    """The lines that compute or name a value."""
    from senn.machine.program import Compute, Name

    return [
        line
        for line in lines
        if isinstance(line.instruction, Compute | Name)
        and (line.instruction.target.letter, line.instruction.target.level) == (letter, level)
    ]


def refuse_file(path: Path) -> None:
    """Raise an InputError for a path that cannot be a report."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: a report ends in .html; name it so")
    files.check_file(path, "report.html")


def write_report(runs: Sequence[Run], path: Path) -> None:
    """Write a run, or two, as one page of HTML; an existing file is replaced."""
    from senn.traces.report import page

    first, *others = [(run, report_content(run)) for run in runs]
    html = page(*first, beside=others[0] if others else None)
    files.write(path, html.encode(errors="backslashreplace"))


def write_motion(motion: Motion, path: Path) -> None:
    """Write the figures, the animation and all pictures of a motion as one page of HTML."""
    from senn.motion.pictures import animation, images

    pictures = {**images(motion), "animation": ("gif", animation(motion))}
    shown = (
        f'<img alt="{name}" src="data:image/{kind};base64,{b64encode(content).decode()}">'
        for name, (kind, content) in pictures.items()
    )
    title = escape(f"Motion of {motion.description['problem']['name']}")
    files.write_text(
        path,
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>'
        "body{font:16px sans-serif;max-width:60em;margin:2em auto;padding:0 1em}img{max-width:100%}"
        f"</style></head><body><h1>{title}</h1>\n{html([Section(lines=tuple(motion.facts()))])}\n"
        f"{' '.join(shown)}</body></html>\n",
    )
