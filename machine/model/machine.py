"""The machine as a value: arrays of a network, their control and their timing, checked.

A duration is the ceiling of an exact sum, rounded once: ceil(m*multiply + a*add + ...) for a computation,
ceil(startup + word*w) for a message of w 64-bit words on one channel. No float ever holds a time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from fractions import Fraction
from importlib import resources
from operator import mul
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from senn.base import files
from senn.base import tables as html
from senn.base.errors import InputError, printable, suggestion
from senn.machine.model.figures import (
    ENERGIES,
    FLOP_SETS,
    TRIG_IN_FLOPS,
    Interval,
    Timing,
    energies,
    exact,
    in_file,
    plain,
    values_and_intervals,
    without_flop,
)
from senn.machine.network.named import (
    GRAPH_ENDINGS,
    LARGEST_OF_ALL,
    NETWORKS,
    SHUFFLING,
    is_graph_file,
    network,
    nodes_of,
)
from senn.machine.network.routing import Routing, refuse_foreign
from senn.machine.network.topology import Channels, Shuffle
from senn.traces.naming import NO_ENERGY, USUAL


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Arrays of a network, their control and their timing. Settings not listed here do not exist yet.

    `sources` has the origin of every field's figure ("unverified: ..." without a source, "default" for a
    field missing in the file, "setting" for a field set afterwards). `intervals` has the bounds of figures
    that are not known exactly, by their names in the file. Neither takes part in equality.
    """

    name: str
    clock_mhz: Fraction
    timing: Timing
    network: str = "senn"  # one of NETWORKS, or the path of a graph file
    nodes: int = 0  # of each array; 0: as many as the program needs, 2^M, or as the graph file has
    arrays_at_once: int = 0  # arrays that fit the machine; 0: no limit
    ports: Literal["all", "one"] = "all"  # channels of a node that may be busy at once, each way
    duplex: Literal["full", "half"] = "full"  # the two channels of a wire at once, or by turns
    switching: Literal["store-and-forward", "cut-through"] = "store-and-forward"
    dma: bool = True  # a send returns when it is posted; without, when all its messages are delivered
    vertical: Literal["node", "bus"] = "node"  # a wire for each node, or one bus between two arrays
    shuffle: Shuffle = "both"  # shuffle wires carry both directions, or only one
    merge_parallel: bool = False  # parallel wires are one
    control: Literal["simd", "mimd"] = "simd"  # one control unit in an array, or one in every node
    discipline: Literal["fifo", "priority", "deadline"] = "fifo"  # which waiting message is next
    routing: Routing = "lowest"
    energy: Mapping[str, Fraction] = field(default_factory=dict, hash=False)  # pJ by kind; empty: not known
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    intervals: Mapping[str, Interval] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError("[machine] name must be a text that is not empty")
        if printable(self.name) != self.name or len(self.name) > _LONGEST_NAME:
            raise InputError(
                f"[machine] name = {in_file(self.name)}: write at most {_LONGEST_NAME} letters that can be "
                "printed"
            )
        clock = exact(self.clock_mhz, "[machine] clock_mhz")
        if clock == 0:
            raise InputError("[machine] clock_mhz = 0: write the clock in MHz, above 0")
        object.__setattr__(self, "clock_mhz", clock)
        for name in _NUMBERS:
            value_of_field = getattr(self, name)
            number = exact(value_of_field, f"[machine] {name}")
            if number.denominator != 1 or number > LARGEST_OF_ALL:
                raise InputError(
                    f"[machine] {name} = {in_file(value_of_field)}: write a whole number up to "
                    f"{LARGEST_OF_ALL:,}, or 0 for as many as the program needs"
                )
            object.__setattr__(self, name, int(number))
        for name, supported in SUPPORTED.items():
            value = getattr(self, name)
            if name == "network" and isinstance(value, str) and is_graph_file(value):
                continue
            if not any(value is x or (isinstance(value, str) and value == x) for x in supported):
                file = f" or a file {', '.join(GRAPH_ENDINGS)}" if name == "network" else ""
                raise InputError(
                    f"[machine] {name} = {in_file(value)} is not known; "
                    f"choose {', '.join(map(in_file, supported))}{file}"
                )
        # Times that the switching has no use for, or cannot do without.
        hop, word, cut = self.timing.hop, self.timing.word, self.switching == "cut-through"
        if hop and not cut:
            raise InputError(
                f"[timing] hop = {plain(hop)}: the time of a head on a channel belongs to cut-through; "
                'write switching = "cut-through" in [machine], or leave hop out'
            )
        if cut and (hop < 1 or not word):
            name, time, least = ("hop", hop, "at least 1") if hop < 1 else ("word", word, "above 0")
            raise InputError(
                f"[timing] {name} = {plain(time)}: with cut-through it must be {least}, or a message would "
                f'be at both ends of a channel at once; write it, or switching = "store-and-forward"'
            )
        # Settings that belong to another network have no effect in this one.
        for name in ("shuffle", "merge_parallel"):
            value = getattr(self, name)
            if value not in ("both", False) and self.network not in SHUFFLING:
                raise InputError(
                    f"[machine] {name} = {in_file(value)} belongs to the network "
                    f"{' or '.join(SHUFFLING)}, not to {self.network}: leave it out"
                )
        refuse_foreign(self.routing, self.network, self.shuffle)

    def nodes_for(self, levels: int) -> int:
        """Nodes of one array for a program of `levels` levels."""
        return nodes_of(self.network, self.nodes, 2**levels)

    def network_for(self, levels: int) -> Channels:
        """The network of one array for a program of `levels` levels."""
        return network(self.network, self.nodes_for(levels), self.shuffle, self.merge_parallel)

    def network_fields(self) -> dict[str, str | int | bool]:
        """The fields that placing a program depends on."""
        return {name: getattr(self, name) for name in NETWORK}

    def compute_cycles(self, *counts: int) -> int:
        """Cycles of the operations of one lane, by kind in the order of `Operations`, rounded up once."""
        parts, *times = self.timing.whole
        total: int = sum(map(mul, counts, times))
        return -(-total // parts)

    @property
    def launch(self) -> int:
        """Cycles from the post of a message to the request of its first channel."""
        return math.ceil(self.timing.startup) if self.switching == "cut-through" else 0

    @property
    def passing(self) -> int:
        """With cut-through, cycles from the grant of a channel to the request of the next; else 0."""
        return math.ceil(self.timing.hop)

    def message_cycles(self, words: int) -> int:
        """Cycles for which a message of `words` 64-bit words occupies a channel.

        Store-and-forward: ceil(startup + word*w). Cut-through: ceil(word*w); the start-up is paid once.
        """
        parts, *_, startup, word = self.timing.whole
        return -(-(word * words + (startup if self.switching == "store-and-forward" else 0)) // parts)

    def with_free_network(self) -> Machine:
        """This machine, were every message delivered in the cycle in which it is posted."""
        free = {"timing.startup": 0, "timing.word": 0, "timing.hop": 0}
        return self.with_settings({"machine.switching": "store-and-forward", **free})

    def with_settings(self, settings: Mapping[str, str | int | bool]) -> Machine:
        """This machine with some fields set: {"timing.word": "4", "machine.ports": "one"}.

        Checked like a file. `timing.flop` sets multiply, add, divide and trig, but for those that are among
        the settings themselves. `energy.like` takes the energies of another machine.
        """
        tables: dict[str, dict[str, Any]] = {name: {} for name in FIELDS}
        for key, value in settings.items():
            table, _, name = key.partition(".")
            if table not in tables or not name:
                fields = [f"{part}.{key}" for part in tables if key in FIELDS[part]]
                way = " or ".join(fields or [f"{part}.FIELD" for part in tables])
                raise InputError(f'setting "{key}" is not known: write {way}')
            # On a command line everything is text; these are the fields that are true or false.
            switch = {"true": True, "false": False} if name in _SWITCHES else {}
            tables[table][name] = switch.get(value.lower(), value) if isinstance(value, str) else value
        like = tables["energy"].pop("like", None)
        refuse_unknown(tables)
        machine, timing = tables["machine"], without_flop(tables["timing"])
        changed = {*machine, *timing}
        sources = {**self.sources, **dict.fromkeys(changed, "setting")}
        intervals = {name: x for name, x in self.intervals.items() if changed.isdisjoint(x.fields)}
        times, energy = replace(self.timing, **timing), self.energy
        if like is not None and not (energy := load(like).energy):
            raise InputError(f"energy.like = {in_file(like)}: {NO_ENERGY.format(like)}")
        energy = energies(tables["energy"], energy)
        return replace(self, **machine, timing=times, energy=energy, sources=sources, intervals=intervals)

    def varied(self, figures: Mapping[str, Fraction]) -> Machine:
        """This machine if these of its `intervals` were at other values: {"startup": Fraction(250)}."""
        settings: dict[str, Any] = {}
        for figure, to in figures.items():
            interval = self.intervals[figure]
            for name in interval.fields:
                if name == "clock_mhz":
                    settings["machine.clock_mhz"] = to
                else:
                    settings[f"timing.{name}"] = interval.of(Fraction(getattr(self.timing, name)), to)
        return self.with_settings(settings)

    def bounds_of(self, name: str) -> tuple[Fraction, Fraction] | None:
        """Between which values a field may lie; None if it is as exact as its source."""
        for interval in self.intervals.values():
            if name in interval.fields:
                at = Fraction(getattr(self if name == "clock_mhz" else self.timing, name))
                return interval.of(at, interval.low), interval.of(at, interval.high)
        return None

    def _repr_html_(self) -> str:
        rows = []
        for name, value in self.describe().items():
            bounds = " to ".join(str(plain(bound)) for bound in self.bounds_of(name) or ())
            rows.append((name, value, bounds, self.sources.get(name, "")))
        return html.html_table(rows, ("field", "value", "between", "source"), caption=f"machine {self.name}")

    def describe(self) -> dict[str, Any]:
        """Every parameter by name, machine and timing in one table; no integer: a decimal string. Energies,
        if they are known, are a table in it."""
        whole = [(name, getattr(self, name)) for name in FIELDS["machine"]]
        whole += [(name, getattr(self.timing, name)) for name in FIELDS["timing"] if name != "flop"]
        entries = ((name, value) for name, value in whole if value is not None)
        described = {name: plain(value) if isinstance(value, Fraction) else value for name, value in entries}
        energy = {name: plain(value) for name, value in self.energy.items()}
        return {**described, "energy": energy} if energy else described


_HINTS = get_type_hints(Machine)
SUPPORTED: Mapping[str, tuple[str | bool, ...]] = {
    "network": NETWORKS,  # or a graph file
    **{
        x.name: get_args(_HINTS[x.name]) or (x.default, not x.default)
        for x in fields(Machine)
        if _HINTS[x.name] is bool or get_origin(_HINTS[x.name]) is Literal
    },
}
"""The values of every field that has only some, its default first."""
_LONGEST_NAME = 200
_SWITCHES = ("merge_parallel", "dma")
_NUMBERS = ("nodes", "arrays_at_once")
NETWORK = ("network", "nodes", "shuffle", "merge_parallel", "routing")
FIELDS: Mapping[str, tuple[str, ...]] = {
    "machine": tuple(
        field.name
        for field in fields(Machine)
        if field.name not in ("timing", "energy", "sources", "intervals")
    ),
    "timing": ("flop", *(field.name for field in fields(Timing))),
    "energy": ("like", *ENERGIES),
}


def refuse_unknown(tables: Mapping[str, Any]) -> None:
    """Refuse tables and fields that do not exist, and sources that are no text."""
    allowed = {**FIELDS, "source": FIELDS["machine"] + FIELDS["timing"]}
    allowed |= {"energy": ENERGIES, "source.energy": ENERGIES}
    for table, values in tables.items():
        if table not in allowed or not isinstance(values, Mapping):
            raise InputError(
                f"{table} is no table of a machine: write [machine], [timing], [energy] and [source]"
            )
        for name, value in values.items():
            if name not in allowed[table]:
                near = suggestion(name, allowed[table])
                raise InputError(
                    f"[{table}] {name} is not known; the fields are {', '.join(allowed[table])}{near}"
                )
            if table.startswith("source") and not isinstance(value, str):
                raise InputError(f"[{table}] {name} = {in_file(value)}: write a text, where it comes from")


# Machines from TOML files, with a source for every figure: the presets, and files of users.


REQUIRED: Mapping[str, tuple[str, ...]] = {
    "machine": ("name", "clock_mhz"),
    "timing": tuple(field.name for field in fields(Timing) if field.default is MISSING),
}
_WAY_OUT = dict.fromkeys((*FLOP_SETS, "trig"), "write it, or flop for all operations")


def presets() -> tuple[str, ...]:
    """The names of the machines that come with the emulator."""
    files = resources.files("senn.machine").joinpath("presets").iterdir()
    return tuple(sorted(x.name.removesuffix(".toml") for x in files if x.name.endswith(".toml")))


def load(name_or_path: str | Path) -> Machine:
    """The machine of a preset, by name, or of a TOML file, by a path that ends in .toml.

    A file has the tables [machine], [timing] and [source]: for every field a text where its figure comes
    from. `flop` in [timing] sets multiply, add and divide, and trig = 20 flop unless trig is given. A graph
    file that it names is looked for in its own folder. A figure that is not known exactly may be {value =
    1000, low = 250, high = 2000}: runs take the value; the bounds say how far it may be off. Energies in
    picojoules, if they are known, are in [energy], their sources in [source.energy].
    """
    text = str(name_or_path)
    if not text.lower().endswith(".toml"):
        return _parse(files.toml_of(preset_file(text), text), f"preset {text}")
    return _parse(files.toml(text), text, Path(text).parent)


def preset_file(name: str) -> str:
    """The text of the TOML file of a preset."""
    if name == "paper":
        raise InputError("the machine is now called fijany; paper is a form of the program")
    if name not in presets():
        raise InputError(
            f'machine "{name}" is not known: the presets are {", ".join(presets())}; '
            f"a file of your own ends in .toml{suggestion(name, presets())}"
        )
    preset = resources.files("senn.machine").joinpath("presets", f"{name}.toml")
    return preset.read_text(encoding="utf-8")


def _parse(tables: dict[str, Any], file: str, folder: Path = Path()) -> Machine:
    try:
        if isinstance(of_all := tables.get("source"), dict) and "energy" in of_all:
            tables = {**tables, "source.energy": of_all.pop("energy")}
        refuse_unknown(tables)
        machine, intervals = values_and_intervals("machine", tables.get("machine", {}))
        for name in intervals:
            if name != "clock_mhz":
                raise InputError(f"[machine] {name} has no interval: write one value")
        if is_graph_file(str(machine.get("network"))):
            machine["network"] = str(folder / machine["network"])
        times, bounded = values_and_intervals("timing", tables.get("timing", {}))
        intervals |= bounded
        timing, source = without_flop(times), tables.get("source", {})
        for table, values in (("machine", machine), ("timing", timing)):
            for name in REQUIRED[table]:
                if name not in values:
                    raise InputError(f"[{table}] {name} is missing: {_WAY_OUT.get(name, 'write it')}")
        energy, of_energy = energies(tables.get("energy", {}), {}), tables.get("source.energy", {})
        unsaid = {name: "unverified" if value else "default" for name, value in energy.items()}
        settings, every = {**machine, **times}, FIELDS["machine"] + FIELDS["timing"]
        fields_unsaid = dict.fromkeys((name for name in every if name not in USUAL), "default")
        if "flop" in settings:
            fields_unsaid.update(dict.fromkeys(FLOP_SETS, source.get("flop", "unverified")))
            fields_unsaid["trig"] = f"unverified: taken as {TRIG_IN_FLOPS} flop"
        fields_unsaid.update(dict.fromkeys(settings, "unverified"))
        machine_of_file = Machine(
            **machine,
            timing=Timing(**timing),
            energy=energy,
            sources={name: source.get(name, text) for name, text in fields_unsaid.items() if name != "flop"}
            | {f"energy.{name}": of_energy.get(name, text) for name, text in unsaid.items()},
            intervals=intervals,
        )
        for figure, interval in intervals.items():
            for bound in (interval.low, interval.high):
                machine_of_file.varied({figure: bound})  # is a machine too, or refused like one
        return machine_of_file
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


# ------------------------------------------------------------ machines of run.json


def of_description(description: Mapping[str, Any]) -> Machine:
    """The machine of which this is the description; InputError names a field that it lacks.

    What else an engine says of the machine of a run, its arrays, is left aside.

    >>> from senn.machine.model import load
    >>> of_description(load("mark3").describe()) == load("mark3")
    True
    """
    timing = [name for name in FIELDS["timing"] if name in description or name not in ("flop", *USUAL)]
    if missing := [name for name in (*FIELDS["machine"], *timing) if name not in description]:
        raise InputError(f"run.json says no {missing[0]} of its machine: make the run again")
    times = {name: _number(description[name]) for name in timing}
    rest = {name: description[name] for name in FIELDS["machine"] if name != "clock_mhz"}
    rest["energy"] = energies(description.get("energy", {}), {})
    return Machine(clock_mhz=_number(description["clock_mhz"]), timing=Timing(**times), **rest)


def _number(entry: Any) -> Any:
    """A fraction that is no decimal is written p/q."""
    ratio = isinstance(entry, str) and re.fullmatch(r"[0-9]{1,39}/0*[1-9][0-9]{0,37}", entry)
    return Fraction(entry) if ratio else entry
