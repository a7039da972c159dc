"""What a user can choose: one row a choice, with its values, its default, and what it does.

From these rows come the arguments of `senn.run`, `senn.steps`, `senn.optimise` and `senn.listing` with their
checks, the options of the commands, the parameters of a study, and what run.json and `--json` say of a run.
`refine`, say, is the row

    refine: Annotated[int, Choice(0, "Steps of iterative refinement ...", least=0, most=2)]

and a row that is added here is in all of them.
"""

# Annotations are objects here, not texts: they are the table. What is heavy is quoted.

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, TypeVar, cast, get_args, get_origin

from senn.choice import Choice

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike

    from senn.algorithms.problems.contact.contact import Contact
    from senn.machine.model import Machine
    from senn.machine.placing.allocation import Function

Form = Literal["paper", "short", "omega"]
Strategy = Literal[1, 2]
Elimination = Literal["oee", "oer"]
Motion = Literal["recurrences", "jets", "outward"]
Residency = Literal["migrating", "ahead", "home"]
Engine = Literal["events", "lockstep"]
Precision = Literal["single", "double"]
Detail = Literal["full", "instructions", "summary"]

Table = TypeVar("Table")


class ProblemChoices(TypedDict, total=False):
    """Of a problem that says less than all."""

    tip: Annotated[str | None, Choice(None, "For a URDF: the link that is the end effector.", "LINK")]
    base: Annotated[
        str | None, Choice(None, "For a URDF: the link that does not move.  [default: its root]", "LINK")
    ]
    lock: Annotated[
        "str | Sequence[str] | None",
        Choice(
            None,
            "For a URDF: joints that do not move; a pattern for whole names, as leg_.*|neck.",
            "REGEX",
            several=True,
        ),
    ]
    at: Annotated[
        "Mapping[str, float | Sequence[float]] | Sequence[str] | str | None",
        Choice(
            None,
            "Where a joint stands, locked (else at 0) or not (else drawn), in rad or m.",
            "JOINT=VALUE",
            several=True,
        ),
    ]
    seed: Annotated[
        int | None,
        Choice(
            None,
            "Draw state, torques and contact from this seed.",
            "N",
            least=0,
            most=2**63 - 1,
            told="seed",
        ),
    ]
    contact: Annotated[
        "str | Mapping[str, Any] | Contact | None",
        Choice(
            None,
            "How the tip is held, whatever the problem says: in all directions; a point of it on a plane, in "
            "its place, on a line; flat on a plane; not at all.",
            values=("weld", "plane", "point", "line", "face", "free"),
        ),
    ]


class ProgramChoices(TypedDict, total=False):
    """Which program runs."""

    algorithm: Annotated[
        str,
        Choice(
            "closed-chain",
            "A name of `senn list algorithms`. Not all have the choices that follow.",
            "NAME",
            told="algorithm",
            printed=True,
        ),
    ]
    form: Annotated[
        Form,
        Choice(
            "paper",
            "The paper's program, one without its needless steps, or one without a second solution.",
            told="program.form",
            printed=True,
        ),
    ]
    refine: Annotated[
        int,
        Choice(
            0,
            "Steps of iterative refinement after every solution; the second gains nothing.",
            "0|1|2",
            least=0,
            most=2,
            told="program.refine",
            printed=True,
        ),
    ]
    strategy: Annotated[
        Strategy,
        Choice(
            2,
            "Who computes a term: the owner of the row to be updated, or of the inverse (the paper's).",
            told="program.strategy",
            printed=True,
        ),
    ]
    elimination: Annotated[
        Elimination,
        Choice(
            "oee",
            "Odd-even elimination, or odd-even reduction: half the rows at every level, and back.",
            told="program.elimination",
            printed=True,
        ),
    ]
    motion: Annotated[
        Motion,
        Choice(
            "recurrences",
            "Newton-Euler as printed; by one scan outward and one inward; or by the former alone.",
            told="program.motion",
            printed=True,
        ),
    ]
    arrays: Annotated[
        "int | str | Mapping[str, Any]",
        Choice(
            2,
            "All in one; as the paper; Newton-Euler apart; each right-hand side of Eq. (84) apart; or which "
            "array does which step, as II.a=3,II.b.1=3,II.a.1=2+3, or a TOML file that says so.",
            "1|2|3|8|STEPS",
            told="machine.arrays",
            printed=True,
        ),
    ]
    residency: Annotated[
        Residency,
        Choice(
            "migrating",
            "Processes move after a level's update so that partners are neighbours, or before it, or stay.",
            told="allocation.residency",
            printed=True,
        ),
    ]


class MachineChoices(ProgramChoices, total=False):
    """Where it runs."""

    allocation: Annotated[
        "str | ArrayLike | Function",
        Choice(
            "identity",
            "A name of `senn list allocations`, FILE.csv or FILE.py:FUNCTION; several, parted by "
            "commas, are for one array each.",
            "NAME|FILE",
            told="allocation.name",
            printed=True,
        ),
    ]
    machine: Annotated[
        "str | PathLike[str] | Machine",
        Choice(
            "mark3",
            "A machine of `senn list machines`, or a TOML file.",
            "NAME|FILE",
            told="machine.name",
            printed=True,
        ),
    ]
    set: Annotated[
        Mapping[str, str | int] | None,
        Choice(
            None,
            "Change a field of the machine, e.g. timing.word=4 or machine.ports=one. Repeatable.",
            "FIELD=VALUE",
            studied=False,
        ),
    ]


class RunChoices(ProblemChoices, MachineChoices, total=False):
    """How it is run, and what is kept."""

    combine: Annotated[
        bool,
        Choice(
            False,
            "Send in one message what a process sends to one place, wherever the run gets no slower by it.",
            told="combined",
            printed=True,
            group="program",
        ),
    ]
    engine: Annotated[
        Engine,
        Choice(
            "events",
            "Message by message, or whole arrays at once: the same run, sooner; for large n.",
            told="engine",
            group="machine",
        ),
    ]
    precision: Annotated[
        Precision,
        Choice(
            "double",
            "Floating point of all memories and kernels; a number takes a word of 64 bits either way.",
            told="precision",
            printed=True,
            group="program",
        ),
    ]
    detail: Annotated[Detail, Choice("full", "How much of the trace is kept.", group="output")]
    check: Annotated[bool, Choice(False, "Verify the invariants of trace and memories.", told="checked")]
    numbers: Annotated[
        bool,
        Choice(True, "Compute, or run the timing alone: no answer, no certificate.", group="program"),
    ]
    values: Annotated[
        bool | None,
        Choice(
            None,
            "Keep every value and payload, for replays.  [default: up to n = 32]",
            studied=False,
            group="output",
        ),
    ]
    against: Annotated[
        Literal["sums", "pinocchio"], Choice("sums", "Who else judges; pip install pin.", told="against")
    ]
    bounds: Annotated[bool, Choice(False, "Also the makespan on a free network, and with sends that block.")]


def choices(table: type) -> dict[str, Choice]:
    """The rows of one of the tables above by name, those of the tables it goes on from first."""
    return {name: _row(name, annotation) for name, annotation in table.__annotations__.items()}


def usual(table: type[Table], **given: Any) -> Table:
    """The choices of one of the tables above: those given, and the defaults of all others."""
    return cast(Table, {name: row.default for name, row in choices(table).items()} | given)


def _row(name: str, annotation: Any) -> Choice:
    row: Choice = annotation.__metadata__[0]
    kind = annotation.__origin__
    values = get_args(kind) if get_origin(kind) is Literal else row.values
    return replace(row, name=name, kind=kind, values=values, group=row.group or _group(name))


def _group(name: str) -> str:
    """That of the table which a row comes from."""
    tables = {"problem": ProblemChoices, "program": ProgramChoices, "machine": MachineChoices}
    return next((group for group, table in tables.items() if name in table.__annotations__), "checks")
