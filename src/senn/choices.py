"""Table of choices: one row for each, with its values, its default and its help.

The rows give the arguments of `senn.run`, `senn.steps`, `senn.optimise` and `senn.program` with their checks,
the options of the commands, the parameters of a study, and entries of run.json and `--json`. `refine` is
the row

    refine: Annotated[int, Choice(0, "Steps of iterative refinement ...", least=0, most=2)]

A new row is in all of them. A help that is longer than a line stands below the rows.
"""

# Annotations are objects here, not texts: they are the table. Heavy types are quoted.

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, TypeVar, cast, get_args, get_origin

from senn.base.errors import InputError, suggestion
from senn.base.gone import refuse_former

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike

    from senn.algorithms.problems.contacts import Contact
    from senn.machine.model import Machine
    from senn.machine.placing.allocation import Function

Scalar = str | int | bool
"""Value that a command line and the file of a study can hold."""

BASIC = ""
"""Group of the options that the help of a command shows first."""
GROUPS = ("problem", "program", "machine", "output", "checks")
"""Groups of the advanced options in the help of a command."""


@dataclass(frozen=True)
class Choice:
    """Default, help and range of one thing that a user can choose; its row gives name and kind."""

    default: Scalar | None
    help: str = ""
    """A sentence or two for a person; the values need no list here. Empty: that of `_HELP`."""
    metavar: str | None = None
    """Placeholder of the value in the help of a command."""
    values: tuple[Scalar, ...] = ()
    """All values, in order; empty: the words of a Literal kind, or any value of another kind."""
    least: int | None = None
    most: int | None = None
    """Bounds of a whole number."""
    record_key: str | None = None
    """Key of the value in run.json; None: it has none, or "program.NAME" of a row of the program."""
    printed: bool = True
    """Whether `senn run --json` prints the value, if run.json has it."""
    studied: bool = True
    """Whether a study may vary it."""
    group: str | None = None
    """Group in the help of a command, BASIC or one of GROUPS; None: the group of its table."""
    several: bool = False
    """Whether a command takes the option more than once."""
    name: str = ""
    kind: Any = None
    """Type of the values, including types that only Python arguments have."""

    def convert(self, value: Any, where: str | None = None, *, written: bool = False) -> Any:
        """The value, a NumPy number as Python's; InputError for a wrong type, word or size.

        `written` values come from a command line or a file: a text, a whole number, true or false, without
        None and without objects of Python. The message begins with `where`, by default the name.
        """
        value = value.item() if getattr(value, "ndim", None) == 0 else value
        kinds = self.kinds(written)
        if isinstance(value, str):
            refuse_former(self.name, value)
        alike = [each for each in self.values if type(each) is type(value)]
        fits = (not kinds or type(value) in kinds) and (not alike or value in alike)
        least = -math.inf if self.least is None else self.least
        most = math.inf if self.most is None else self.most
        if fits and (type(value) is not int or least <= value <= most):
            return value
        from senn.machine.model.figures import in_file

        span = "" if self.least is None else f" from {self.least}"
        span += "" if self.most is None else f" to {self.most}"
        nouns = {NoneType: "None", int: f"a whole number{span}", bool: "true or false", str: "a text"}
        expected = " or ".join(text for kind, text in nouns.items() if kind in kinds)
        if self.values:
            listed = (self.metavar or "|".join(map(str, self.values))).split("|")
            expected = f"one of {', '.join(listed)}{suggestion(str(value), map(str, self.values))}"
        raise InputError(f"{where or self.name} is {in_file(value)}; write {expected}")

    def kinds(self, written: bool) -> tuple[type, ...]:
        """Types of the values; none of a row whose Python objects their reader checks."""
        if get_origin(self.kind) is Literal:
            return tuple(map(type, self.values))
        kinds = get_args(self.kind) or (self.kind,)
        if {*kinds} <= {int, str, bool, NoneType}:
            return tuple(kind for kind in kinds if kind is not NoneType or not written)
        texts = (int, str) if isinstance(self.default, int) else (str,)
        return texts if written else ()


Form = Literal["paper", "short", "omega"]
Strategy = Literal[1, 2]
Elimination = Literal["oee", "oer"]
Motion = Literal["recurrences", "jets", "outward"]
Residency = Literal["migrating", "ahead", "home"]
Engine = Literal["auto", "events", "lockstep"]
Integrator = Literal["rk4", "semi-implicit"]
Precision = Literal["single", "double"]
Detail = Literal["full", "instructions", "summary"]
Search = Literal["renamings", "levels"]

DEFAULT_MACHINE = "fijany"
"""Preset of commands and functions that name no machine."""

PROCESSES = Choice(None, "Number of processes.", name="n", kind=int, least=1)
_SEARCH = "Candidates: renamings of the nodes, or tables that differ by level."
_BUDGET = "Largest number of runs; bounds exclude a thousand times as many placements without a run."
_RANKS = "Processes that share the work; those of mpiexec where it starts senn."
OF_ONE_COMMAND: Mapping[str, Choice] = {
    row.name: row
    for row in (
        Choice("renamings", _SEARCH, name="search", kind=Search, values=get_args(Search)),
        Choice(200, _BUDGET, "RUNS", name="budget", kind=int, least=1),
        Choice(0, "Seed of the random search.", "N", name="seed", kind=int, least=0),
        Choice(2, _RANKS, "P", name="ranks", kind=int, least=1),
        Choice(1, "Execute K times, and keep the fastest run.", "K", name="repeat", kind=int, least=1),
    )
}
"""Rows of arguments that only `senn.optimise` or `senn.mpi` has."""

Table = TypeVar("Table")


class ProblemChoices(TypedDict, total=False):
    """The problem: the arm in a URDF, and the numbers that a problem file does not have."""

    tip: Annotated[str | None, Choice(None, "Link of a URDF that is the end effector.", "LINK")]
    base: Annotated[str | None, Choice(None, metavar="LINK")]
    lock: Annotated["str | Sequence[str] | None", Choice(None, metavar="REGEX", several=True)]
    at: Annotated[
        "Mapping[str, float | Sequence[float]] | Sequence[str] | str | None",
        Choice(None, metavar="JOINT=VALUE", several=True),
    ]
    seed: Annotated[
        int | None, Choice(None, metavar="N", least=0, most=2**63 - 1, record_key="seed", printed=False)
    ]
    contact: Annotated[
        "str | Mapping[str, Any] | Contact | None",
        Choice(None, values=("weld", "plane", "point", "line", "face", "free")),
    ]


class ProgramChoices(TypedDict, total=False):
    """The program: an algorithm and its variants."""

    algorithm: Annotated[str, Choice("closed-chain", metavar="NAME", record_key="algorithm", group=BASIC)]
    form: Annotated[Form, Choice("paper", group=BASIC)]
    refine: Annotated[int, Choice(0, metavar="0..5", least=0, most=5)]
    strategy: Annotated[Strategy, Choice(2)]
    elimination: Annotated[Elimination, Choice("oee")]
    motion: Annotated[Motion, Choice("recurrences")]
    arrays: Annotated[
        "int | str | Mapping[str, Any]",
        Choice(2, metavar="1|2|3|8|STEPS", values=(1, 2, 3, 8), record_key="machine.arrays"),
    ]
    residency: Annotated[Residency, Choice("migrating", record_key="allocation.residency")]


class MachineChoices(ProgramChoices, total=False):
    """The machine, and the allocation of the program to its nodes."""

    allocation: Annotated[
        "str | ArrayLike | Function",
        Choice("identity", metavar="NAME|FILE", record_key="allocation.name", group=BASIC),
    ]
    machine: Annotated[
        "str | PathLike[str] | Machine",
        Choice(DEFAULT_MACHINE, metavar="NAME|FILE", record_key="machine.name", group=BASIC),
    ]
    set: Annotated[
        Mapping[str, str | int] | None, Choice(None, metavar="FIELD=VALUE", studied=False, group=BASIC)
    ]


class StateChoices(ProblemChoices, MachineChoices, total=False):
    """The problem, the program and the machine of many states."""


class RunChoices(StateChoices, total=False):
    """The run: its numbers, engine, checks and kept tables."""

    given: Annotated[
        "str | PathLike[str] | Mapping[str, ArrayLike] | None", Choice(None, metavar="FILE", group="program")
    ]
    combine: Annotated[bool, Choice(False, record_key="combined", group="program")]
    engine: Annotated[Engine, Choice("auto", record_key="engine", printed=False, group="machine")]
    precision: Annotated[Precision, Choice("double", record_key="precision", group="program")]
    detail: Annotated[Detail, Choice("full", group="output")]
    check: Annotated[bool, Choice(False, record_key="checked", printed=False)]
    numbers: Annotated[bool, Choice(True, group="program")]
    values: Annotated[bool | None, Choice(None, studied=False, group="output")]
    digits: Annotated[
        int | None, Choice(None, metavar="N", least=1, most=15, record_key="digits", printed=False)
    ]
    against: Annotated[Literal["sums", "pinocchio"], Choice("sums", record_key="against", printed=False)]
    bounds: Annotated[bool, Choice(False, "Add the makespans on a free network and with blocking sends.")]


_HELP = {
    "base": (
        "Link of a URDF that does not move; for a base that floats, put a link with a floating joint above "
        "it.  [default: its root]"
    ),
    "lock": "Joints of a URDF to fix: a pattern for whole names, such as leg_.*|neck.",
    "at": "Position of a joint, rad or m. Without it a locked joint is at 0, another is drawn from the seed.",
    "seed": "Seed for the state, torques and contact that the problem leaves open.",
    "contact": (
        "Contact of the tip, in place of the problem's. weld: constrained in all six directions. plane: a "
        "point of it stays on a plane. point: the point is fixed. line: the point stays on a line. face: "
        "the tip stays flat on a plane. free: no contact."
    ),
    "algorithm": (
        "Name from `senn list algorithms`; `senn list algorithms NAME` has the options that apply to it."
    ),
    "form": (
        "Form of the program. paper: as printed. short: the same answers without needless steps. omega: "
        "without solving the block system a second time."
    ),
    "refine": (
        "Steps of refinement: Newton-Euler gives the torques that the answers leave, and the factors of the "
        "first solution correct the answers."
    ),
    "strategy": (
        "Process that computes each product. 1: the owner of the updated row. 2 (as in the paper): the "
        "owner of the inverse, which sends the products to its neighbours."
    ),
    "elimination": (
        "Elimination of the block system. oee: odd-even elimination, all rows at every level. oer: odd-even "
        "reduction, half the rows at each level, then back-substitution."
    ),
    "motion": (
        "Scheme of Newton-Euler. recurrences: as printed. jets: one scan outward and one inward. outward: "
        "the outward scan alone."
    ),
    "arrays": (
        "Number of arrays. 1: all steps in one. 2: as in the paper. 3: Newton-Euler on its own. 8: also "
        "each right-hand side of Eq. (84). Or an assignment of steps to arrays, such as "
        "II.a=3,II.b.1=3,II.a.1=2+3, or a TOML file of it."
    ),
    "residency": (
        "When processes (a joint's work each) move to be next to their partners. migrating: after each "
        "level's update. ahead: before it. home: never."
    ),
    "allocation": (
        "Placement of processes on nodes: a name from `senn list allocations`, FILE.csv or "
        "FILE.py:FUNCTION. Separate several with commas, one for each array."
    ),
    "machine": "Machine from `senn list machines`, or a TOML file.",
    "set": "Change a field of the machine, such as timing.word=4 or machine.ports=one. Repeatable.",
    "given": (
        "Numbers of a program of your own, FILE.py:FUNCTION: an .npz file with an array, a row for each "
        "process, for each value in memory at the start."
    ),
    "combine": "Merge a process's messages to one destination wherever this does not lengthen the run.",
    "engine": (
        "Simulation engine. events: one message at a time. lockstep: vectorised; identical trace, faster. "
        "auto: lockstep wherever it is exact; with --detail summary, classes of equal channels."
    ),
    "precision": (
        "Floating-point precision of memories and kernels. A number takes a word of 64 bits either way."
    ),
    "detail": "Tables to keep. full: all. instructions: instructions only. summary: none.",
    "check": "Verify fourteen invariants of the trace, and all memories.",
    "numbers": "Compute numbers; without them the run has times, but no answer and no certificate.",
    "values": "Keep every value and payload, for replays.  [default: up to n = 32]",
    "digits": (
        "Right digits that the certificate requires of every answer.  [default: 6; of single precision 3]"
    ),
    "against": (
        "Equations of motion that judge the answers. sums: plain sums over the links. pinocchio: also "
        "Pinocchio's (pip install pin)."
    ),
}
"""Help of the rows that have none themselves."""

_OF_THE_MACHINE = (
    *("allocation", "machine", "set", "residency", "combine"),
    *("engine", "detail", "check", "numbers", "values", "bounds"),
)
ProcessChoices = type("ProcessChoices", (), {})
ProcessChoices.__annotations__ = {
    name: row for name, row in RunChoices.__annotations__.items() if name not in _OF_THE_MACHINE
}
"""Rows of a run on real processes: problem, program and numbers."""


def choices(table: type) -> dict[str, Choice]:
    """Rows of a table above by name, inherited rows first."""
    return {name: _row(name, annotation) for name, annotation in table.__annotations__.items()}


def usual(table: type[Table], **values: Any) -> Table:
    """Choices of a table above: `values`, and the defaults of all other rows."""
    return cast(Table, {name: row.default for name, row in choices(table).items()} | values)


def _row(name: str, annotation: Any) -> Choice:
    row: Choice = annotation.__metadata__[0]
    kind = annotation.__origin__
    values = get_args(kind) if get_origin(kind) is Literal else row.values
    tables = {"problem": ProblemChoices, "program": ProgramChoices, "machine": MachineChoices}
    home = next((group for group, table in tables.items() if name in table.__annotations__), "checks")
    group = home if row.group is None else row.group
    key = row.record_key or (f"program.{name}" if home == "program" else None)
    help = row.help or _HELP[name]
    return replace(row, name=name, kind=kind, help=help, values=values, group=group, record_key=key)
