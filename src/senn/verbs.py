"""Verbs of the command line for recorded runs, as functions: explain, diff, plot, export, report."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from senn.api.recorded import recorded_run

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from senn.api.recorded import Recorded
    from senn.motion import Motion
    from senn.traces.analysis import Comparison


def _motion_of(run: object) -> Motion | None:
    """`run` as a motion, or the motion in a folder; None for any other argument."""
    from senn import motion

    if isinstance(run, str | PathLike) and Path(run, "motion.json").is_file():
        return motion.read(Path(run))
    return run if isinstance(run, motion.Motion) else None


def explain(run: Recorded | Motion, *part: str) -> str:
    """Explanation of a run in sentences: how long it took, where its cycles went, and why; or of a word.

    `run` is a run or its folder, and `part` a part of it: a step ("I.b.5") or the beginning of steps ("I.b"),
    ("message", "3"), ("node", "1:4") or "critical". A motion or its folder has its figures. The glossary
    explains a word that commands print, such as "exposed".

    >>> import senn
    >>> print(senn.explain("dilation"))
    The most channels that any message crosses; 1: all partners are neighbours.
    """
    if not part and (motion := _motion_of(run)):
        return "\n".join(f"{name}: {text}" for name, text in motion.facts())
    if isinstance(run, str) and not part and not Path(run, "run.json").exists():
        from senn.cli.glossary import find

        return find(run).text
    from senn.traces.explained import explained

    section = explained(recorded_run(cast(Any, run)), *part).sections[0]
    return "\n\n".join((section.heading, *section.paragraphs))


def diff(a: Recorded, b: Recorded, *, places: bool = False) -> Comparison:
    """Comparison of the times of two runs, or of their folders: `first`, where they part, is None if equal.

    `places` also compares nodes and channels. Numbers are not compared: times do not depend on them.

    >>> import senn
    >>> a, b = (senn.run("random:3", machine=machine, numbers=False) for machine in ("raw", "mark3"))
    >>> senn.diff(a, a).first is None, senn.diff(a, b).first is None
    (True, False)
    """
    from senn.traces.analysis import compare

    return compare(recorded_run(a).trace, recorded_run(b).trace, places)


def plot(
    run: Recorded | pl.DataFrame | Motion, kind: str = "timeline", ax: Axes | None = None, **choices: Any
) -> Axes:
    """A picture of a run or of its folder, on `ax` or on axes of its own, as `Run.plot` draws it.

    A table of `senn.steps` is drawn as its law over n, a motion or its folder by kinds of its own:
    "angles" (if none is named), "force", "energy", "drift" and "poses".

    Kinds and their choices are those of `senn plot`: "timeline", "phases", "overlap", "network", "heat",
    "wavefront", "critical" and, with other runs `beside`, "energy". The picture is written by
    ``senn.plot(run).figure.savefig("run.png")``. The arm of a problem is ``senn.problem("ur5").plot()``.
    """
    import polars as pl

    if isinstance(run, pl.DataFrame):
        from senn.traces.pictures import plots

        return plots.scaling(run, ax, **choices)
    if motion := _motion_of(run):
        from senn.motion import draw

        return draw(motion, "angles" if kind == "timeline" else kind, ax)
    return recorded_run(cast(Any, run)).plot(kind, ax, **choices)


def export(run: Recorded, file: str | PathLike[str], to: str | None = None) -> Path:
    """Write a run or a run folder for another tool, replacing `file`; return the file.

    `to` is a format of `senn export`, such as "perfetto", "fst" or "csv"; by default the suffix of the
    file selects it.
    """
    return recorded_run(run).export(file, to)


def report(run: Recorded | Motion, file: str | PathLike[str], *, other: Recorded | None = None) -> Path:
    """Write a run or a run folder as one page of HTML, replacing `file`; return the file.

    The page has figures, answer, certificate, a timeline to zoom into and a replay, and needs no network.
    `other` is a second run, below the first on the same time axis. A motion has its figures and pictures.
    """
    from senn.cli.printing.report import refuse_file, write_motion, write_report

    path = Path(file)
    refuse_file(path)
    if motion := _motion_of(run):
        write_motion(motion, path)
        return path
    write_report([recorded_run(cast(Any, each)) for each in (run, other) if each is not None], path)
    return path
