"""A run: its trace, what ran, and the numbers it gave."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.base.account import Section
from senn.base.digest import digest
from senn.base.errors import InputError
from senn.base.tables import folded, html_table, text
from senn.traces import analysis, replay
from senn.traces.parts import Parts
from senn.traces.record import Detail, Trace, Values

if TYPE_CHECKING:
    from anywidget import AnyWidget
    from matplotlib.axes import Axes

RESERVED = ("schema", "trace_hash", "instructions_hash", "detail", "summary", "certificate")
"""Entries of run.json beside the description of a run; the description cannot have them."""


@dataclass(frozen=True, eq=False)
class Run:
    """The result of a simulation: trace, description, answers and certificate.

    ``description`` says what ran (program, allocation, machine, problem, versions, seed, ...) in JSON's
    terms; ``result`` are the numbers by name; ``values`` every value of the program, if kept;
    ``certificate`` the comparison with the serial reference, if made (`Certificate`); ``summary`` is
    ``analysis.summary(trace)`` unless given (a trace reduced to less detail can no longer give it).
    """

    trace: Trace
    description: Mapping[str, Any]
    result: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)
    values: Values | None = None
    certificate: Mapping[str, Any] | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    sections: Callable[[Run], Iterable[Section]] = lambda run: (Section(),)
    """Sections that a trace does not know: the first, headed by the variant of the program, continues what
    ran; the others are the answer."""

    def __post_init__(self) -> None:
        if reserved := ", ".join(name for name in RESERVED if name in self.description):
            raise InputError(f"run: {reserved} cannot be in the description; the run itself says it")
        if self.certificate is not None:
            object.__setattr__(self, "certificate", Certificate(self.certificate))
        if not self.summary and self.trace.detail != "summary":
            object.__setattr__(self, "summary", analysis.summary(self.trace, dma=self.dma))

    def __repr__(self) -> str:
        """Program, size and tables in one line."""
        program = self.description.get("program", {})
        return f"Run({program.get('name', 'program')}, n = {program.get('n')}, {self.trace!r})"

    def _repr_html_(self) -> str:
        """HTML for a notebook: what ran, makespan, verdict, answers, and the arrays over time."""
        return str(_called("notebook", "page", self))

    def __getattr__(self, name: str) -> NDArray[Any]:
        """An answer by its name: ``run.qdd`` is ``run.result["qdd"]``."""
        if not name.startswith("_") and name not in self.__dataclass_fields__:
            if name in self.result:
                return self.result[name]
            answers = f"it has {', '.join(self.result)}" if self.result else "it was made without numbers"
            raise AttributeError(f"this run has no answer {name!r}; {answers}", name=name, obj=self)
        raise AttributeError(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.result})

    @property
    def dma(self) -> bool:
        """Whether messages are sent while the control units go on."""
        return bool(self.description.get("machine", {}).get("dma", True))

    @property
    def allocation(self) -> Allocation:
        """The node of every process, by array and level; InputError where run.json has their name only."""
        entry = self.description["allocation"]
        if not {"table", "tables"} & entry.keys():
            raise InputError(
                f'a run that keeps its summary has no table of the allocation "{entry["name"]}": '
                "make it again with --detail instructions"
            )
        tables = np.array(entry["tables"] if "tables" in entry else [entry["table"]], dtype=np.int64)
        return Allocation(entry.get("name", "table"), entry.get("residency", "table"), tables)

    @property
    def labels(self) -> list[str]:
        """A name for every degree of freedom, in the order of qdd: the joint's, and which number of it."""
        return list((self.description.get("problem") or {}).get("labels", ()))

    def by_joint(self, name: str) -> dict[str, Any]:
        """An answer with one row for every degree of freedom, such as "qdd", by the names of the joints."""
        numbers = getattr(self, name)
        if len(numbers) != len(self.labels) or len(set(self.labels)) != len(numbers):
            raise InputError(
                f"{name} has {len(numbers)} rows, and the joints have {len(set(self.labels))} names; take "
                f"run.{name} by number"
            )
        return dict(zip(self.labels, numbers.tolist(), strict=True))

    @cached_property
    def parts(self) -> Parts:
        """The parts of the algorithm, with the titles that the program gives and their colours."""
        return Parts.of(self.trace, self.description.get("parts") or {})

    @cached_property
    def path(self) -> tuple[analysis.Piece, ...]:
        """The critical path from cycle 0 to the makespan; InputError unless the trace is of full detail."""
        return tuple(analysis.critical_path(self.trace, self.description["machine"]))

    @cached_property
    def in_flight(self) -> pl.DataFrame:
        """Every cycle of every message from post to arrival by name, `analysis.in_flight`."""
        return analysis.in_flight(self.trace, *analysis.channel_times(self.description["machine"]))

    @cached_property
    def charges(self) -> pl.DataFrame:
        """Every stalled cycle of every control unit by cause, `analysis.charges`."""
        return analysis.charges(self.trace, self.description["machine"])

    @cached_property
    def flights(self) -> pl.DataFrame:
        """The cycles in flight of every message by name, exposed and hidden, `analysis.flights`."""
        return analysis.flights(self.trace, self.description["machine"])

    @cached_property
    def energy(self) -> pl.DataFrame:
        """The energy of the run with the figures of its machine, `analysis.energy`."""
        size = int(self.description.get("schedule", {}).get("nodes", 0))
        return analysis.energy(self.trace, self.description["machine"], size)

    @cached_property
    def spent(self) -> dict[str, int]:
        """Cycles of the critical path by label, all of `analysis.LABELS`; they sum to the makespan."""
        return analysis.path_totals(self.path)

    def plot(self, kind: str = "timeline", ax: Axes | None = None, **choices: Any) -> Axes:
        """A picture of one of `senn.traces.pictures.KINDS`, with the choices that this kind has.

        The axes that are returned can be changed, shown and saved: ``run.plot().figure.savefig("run.png")``.
        """
        axes: Axes = _called("pictures", "draw", kind, self, ax, **choices)
        return axes

    def export(self, path: str | os.PathLike[str], to: str | None = None) -> Path:
        """Write the run for another tool and return the file; an existing one is replaced.

        ``to`` is one of `senn.traces.exports.FORMATS`; by default it follows from how the file ends:
        ``run.export("run.pftrace")``.
        """
        return Path(_called("exports", "export", self, Path(path), to))

    def widget(self, find: str = "", height: int = 800) -> AnyWidget:
        """The timeline of the report in a notebook, to zoom and pick in: `senn.traces.report.widget`.

        ``find`` is searched for at once, "I.b.5" or "message 12"; ``height`` is in pixels. InputError without
        the extra notebook, ``pip install 'senn[notebook]'``, and for a run that keeps its summary only.
        """
        self.trace.require("instructions")
        try:
            widget: AnyWidget = _called("report.widget", "Timeline", self, find=find, height=height)
        except ImportError as error:
            raise InputError(
                "widget: the timeline in a notebook needs anywidget, which is not installed: "
                "pip install 'senn[notebook]'; run.plot() draws one without it"
            ) from error
        return widget

    def at_detail(self, detail: Detail) -> Self:
        """This run with a trace of less detail and its summary; values are kept with the messages."""
        values = self.values if detail == "full" else None
        return replace(self, trace=self.trace.at_detail(detail), values=values)

    def at(self, cycle: int) -> replay.State:
        """The state of the machine at a cycle, read from the record.

        InputError unless the detail is full, and for a cycle after the last instruction and message.
        """
        self.trace.require("messages")
        return replay.at(self.trace, self.in_flight, self.values, cycle)

    def steps(self) -> Iterator[tuple[dict[str, Any], replay.State]]:
        """The instructions of all arrays in order of issue (then array), each with the state at its issue.

        A wait takes no time, so the state at its issue shows the following instruction.
        """
        for row in self.trace.instructions.sort("issue", "array", "serial").iter_rows(named=True):
            yield row, self.at(row["issue"])

    def save(self, folder: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the run as a folder (`senn.traces.folder`), whole or not at all, and return its path.

        A run of the same inputs that is there is replaced, another run with ``force`` only, and refused
        without; a folder with anything else in it is never removed.
        """
        return Path(_called("folder", "write_folder", self, Path(folder), force))

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a run folder; InputError, naming the file, if one is missing, altered, added or too old."""
        return cls(**_called("folder", "read_folder", Path(folder)))


def _called(module: str, function: str, *arguments: Any, **options: Any) -> Any:
    """The result of a function of `senn.traces` whose module imports `Run`, which is imported only now.

    Naming such modules in a text, and nowhere else, keeps the imports free of cycles.
    """
    return getattr(import_module(f"senn.traces.{module}"), function)(*arguments, **options)


class Certificate(dict[str, Any]):
    """Errors of a run's answers beside the refined solution, with the keys of run.json.

    ``ok`` is the verdict, ``message`` says it in a sentence; ``digits`` are those of the worst figure,
    ``digits_of`` those of each, and the figures themselves are by name; ``besides`` lists further references
    with the same keys.
    """

    @classmethod
    def of(cls, checks: Mapping[str, Any], answers: Mapping[str, NDArray[Any]]) -> Self:
        """The checks of these answers, with a digest of them: ``answers_hash``."""
        return cls({**checks, "answers_hash": digest(answers)})

    def _repr_html_(self) -> str:
        """The verdict in a sentence, and a folded table of all figures with their digits."""
        rows = [
            (name, f"{certificate[name]:.0e}", str(digits), certificate["against"])
            for certificate in (self, *self.get("besides", ()))
            for name, digits in certificate.get("digits_of", {}).items()
        ]
        figures = html_table(rows, ("figure", "error", "digits", "against"))
        return html_table([(self["message"],)]) + folded(f"{len(rows)} figures", figures)


_SHOWN = 64
"""Processes of which a notebook shows the places; more would not be read."""


@dataclass(frozen=True, eq=False)
class Allocation:
    """The node of every process: ``tables[a - 1, j, i - 1]`` for process i of array a at level j; level 0 is
    home."""

    name: str
    residency: str
    tables: NDArray[np.int64]

    @property
    def shared(self) -> bool:
        """Whether all arrays have the same places."""
        return bool((self.tables == self.tables[:1]).all())

    def _repr_html_(self) -> str:
        """A table with a row for each level and a colour for each node."""
        arrays = self.tables[:1] if self.shared else self.tables
        if arrays.shape[2] > _SHOWN:
            return text(repr(self))
        most, html = max(int(arrays.max()), 1), ""
        head = "".join(f"<th>{process}</th>" for process in range(1, arrays.shape[2] + 1))
        for number, levels in enumerate(arrays.tolist(), start=1):
            which = "" if self.shared else f", array {number}"
            caption = escape(f"node of each process, {self.name}, {self.residency}{which}")
            html += f"<table><caption>{caption}</caption><thead><tr><th></th>{head}</tr></thead><tbody>"
            for level, row in enumerate(levels):
                html += f"<tr><th>{f'level {level}' if level else 'home'}</th>"
                for node in row:
                    light = f"hsl({270 * node / most:.0f} 70% 85%)"  # below black, on a dark page too
                    html += f'<td style="color:#000;background:{light}">{node}</td>'
                html += "</tr>"
            html += "</tbody></table>"
        return html
