"""The machine and its timing: a value with exact numbers, read from TOML files with a source per field.

A duration is the ceiling of an exact sum, rounded once: ceil(m*multiply + a*add + d*divide + t*trig) for
a computation, ceil(startup + word*w) for a message of w 64-bit words on one channel. Numbers are integers
or decimal strings and become fractions; no float ever holds a time. The presets are files beside this one.
"""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from senn.machine.network import files as network_files
from senn.machine.network import named as networks
from senn.machine.network.routing import BELONGS, SHORTEST, Routing, refuse_foreign
from senn.machine.network.topology import Channels, Shuffle
from senn.traces.errors import InputError

FLOP_SETS = ("multiply", "add", "divide")  # and trig, as TRIG_IN_FLOPS of them
TRIG_IN_FLOPS = 20
WHOLE = ("post", "receive")
LARGEST = 10**12
"""The largest number of a machine: every time of a run stays within the 64 bits of a trace."""
_LONGEST = 40  # characters of a decimal string

SUPPORTED: Mapping[str, tuple[str | bool, ...]] = {
    "network": networks.NAMES,  # or a graph file
    "ports": ("all", "one"),
    "duplex": ("full", "half"),
    "switching": ("store-and-forward", "cut-through"),
    "dma": (True, False),
    "vertical": ("node", "bus"),
    "shuffle": ("both", "forward", "inverse"),
    "merge_parallel": (False, True),
    "control": ("simd", "mimd"),
    "discipline": ("fifo", "priority", "deadline"),
    "routing": (*SHORTEST, *BELONGS),
}


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Cycles, exact: of one operation, of a message on a channel, and of the node's part in a message."""

    multiply: Fraction
    add: Fraction
    divide: Fraction
    trig: Fraction  # a sine or a cosine
    startup: Fraction  # alpha, for each channel crossed
    word: Fraction  # beta, for each 64-bit word and channel crossed
    hop: Fraction = Fraction(0)  # tau, for a head to pass a channel; only with cut-through switching
    post: int = 1  # compute engine busy for a send, whatever the number of messages
    receive: int = 0  # compute engine busy for a message taken by its first reader

    def __post_init__(self) -> None:
        for one in fields(self):
            number = exact(getattr(self, one.name), f"[timing] {one.name}")
            if one.name in WHOLE and number.denominator != 1:
                raise InputError(f'[timing] {one.name} = "{_plain(number)}": write a whole number of cycles')
            object.__setattr__(self, one.name, int(number) if one.name in WHOLE else number)


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Arrays of a network, their control and their timing. Settings not listed here do not exist yet.

    `sources` says for every field where its figure comes from ("unverified: ..." where nobody knows,
    "default" where the file is silent, "setting" where it was set afterwards); it takes no part in equality.
    """

    name: str
    clock_mhz: Fraction
    timing: Timing
    network: str = "senn"  # one of networks.NAMES, or the path of a graph file
    nodes: int = 0  # of each array; 0: as many as the program needs, 2^M, or as the graph file has
    arrays_at_once: int = 0  # that the machine has room for; 0: as many as there are programs for
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
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError("[machine] name must be a text that is not empty")
        clock = exact(self.clock_mhz, "[machine] clock_mhz")
        if clock == 0:
            raise InputError("[machine] clock_mhz = 0: write the clock in MHz, above 0")
        object.__setattr__(self, "clock_mhz", clock)
        for name in _NUMBERS:
            given = getattr(self, name)
            number = exact(given, f"[machine] {name}")
            if number.denominator != 1 or number > networks.LARGEST_OF_ALL:
                raise InputError(
                    f"[machine] {name} = {_toml(given)}: write a whole number up to "
                    f"{networks.LARGEST_OF_ALL:,}, or 0 for as many as the program needs"
                )
            object.__setattr__(self, name, int(number))
        for name, supported in SUPPORTED.items():
            value = getattr(self, name)
            if name == "network" and isinstance(value, str) and network_files.is_file(value):
                continue
            if not any(value is one or (isinstance(value, str) and value == one) for one in supported):
                file = f" or a file {', '.join(network_files.ENDINGS)}" if name == "network" else ""
                raise InputError(
                    f"[machine] {name} = {_toml(value)} is not supported yet; "
                    f"supported: {', '.join(map(_toml, supported))}{file}"
                )
        self._refuse_switching()
        self._refuse_foreign()

    def _refuse_switching(self) -> None:
        """Times that the switching has no use for, or cannot do without."""
        hop, word = self.timing.hop, self.timing.word
        if self.switching == "store-and-forward":
            if hop:
                raise InputError(
                    f"[timing] hop = {_plain(hop)}: the time of a head on a channel belongs to cut-through; "
                    'write switching = "cut-through" in [machine], or leave hop out'
                )
        elif hop < 1 or not word:
            name, value, least = ("hop", hop, "at least 1") if hop < 1 else ("word", word, "above 0")
            raise InputError(
                f"[timing] {name} = {_plain(value)}: with cut-through it must be {least}, or a message would "
                f'be at both ends of a channel at once; write it, or switching = "store-and-forward"'
            )

    def _refuse_foreign(self) -> None:
        """Settings that belong to another network have no effect in this one."""
        for name in ("shuffle", "merge_parallel"):
            value = getattr(self, name)
            if value not in ("both", False) and self.network not in networks.SHUFFLING:
                raise InputError(
                    f"[machine] {name} = {_toml(value)} belongs to the network "
                    f"{' or '.join(networks.SHUFFLING)}, not to {self.network}: leave it out"
                )
        refuse_foreign(self.routing, self.network, self.shuffle)

    def nodes_for(self, levels: int) -> int:
        """Nodes of one array that runs a program of so many levels."""
        return networks.size(self.network, self.nodes, 2**levels)

    def network_for(self, levels: int) -> Channels:
        """The network of one array that runs a program of so many levels."""
        return networks.network(self.network, self.nodes_for(levels), self.shuffle, self.merge_parallel)

    def waves(self, arrays: int) -> int:
        """How many times in a row the machine is full until so many arrays have worked."""
        return math.ceil(Fraction(arrays, self.arrays_at_once)) if self.arrays_at_once else 1

    def network_fields(self) -> dict[str, str | int | bool]:
        """The fields that placing a program depends on."""
        return {name: getattr(self, name) for name in NETWORK}

    def compute_cycles(
        self, multiplications: int, additions: int = 0, divisions: int = 0, trigonometric: int = 0
    ) -> int:
        """Cycles of so many operations of one lane, rounded up once."""
        t = self.timing
        products = multiplications * t.multiply + divisions * t.divide
        return math.ceil(products + additions * t.add + trigonometric * t.trig)

    def message_cycles(self, words: int) -> int:
        """Cycles for which a message of so many 64-bit words occupies a channel.

        Store-and-forward: ceil(startup + word*w). Cut-through: ceil(word*w), the start-up being paid once
        before the first channel.
        """
        if self.switching == "cut-through":
            return math.ceil(self.timing.word * words)
        return math.ceil(self.timing.startup + self.timing.word * words)

    def with_free_network(self) -> "Machine":
        """This machine, were every message delivered in the cycle in which it is posted."""
        free = {"timing.startup": 0, "timing.word": 0, "timing.hop": 0}
        return self.with_settings({"machine.switching": "store-and-forward", **free})

    def with_settings(self, settings: Mapping[str, str | int | bool]) -> "Machine":
        """This machine with some fields set: {"timing.word": "4", "machine.ports": "one"}.

        The checks are those of a file. `timing.flop` sets multiply, add, divide and trig, but for those that
        are among the settings themselves.
        """
        tables: dict[str, dict[str, Any]] = {"machine": {}, "timing": {}}
        for key, value in settings.items():
            table, _, name = key.partition(".")
            if table not in tables or not name:
                raise InputError(f'setting "{key}" is not known: write machine.FIELD or timing.FIELD')
            # On a command line everything is text; these are the fields that are true or false.
            switch = {"true": True, "false": False} if name in _SWITCHES else {}
            tables[table][name] = switch.get(str(value).lower(), value)
        _refuse_unknown(tables)
        machine, timing = tables["machine"], _without_flop(tables["timing"])
        sources = {**self.sources, **dict.fromkeys([*machine, *timing], "setting")}
        return replace(self, **machine, timing=replace(self.timing, **timing), sources=sources)

    def describe(self) -> dict[str, str | int | bool]:
        """Every parameter by name, machine and timing in one table; no integer: a decimal string."""
        whole = [(name, getattr(self, name)) for name in FIELDS["machine"]]
        whole += [(name, getattr(self.timing, name)) for name in FIELDS["timing"] if name != "flop"]
        return {name: _plain(value) if isinstance(value, Fraction) else value for name, value in whole}


_SWITCHES = ("merge_parallel", "dma")
_NUMBERS = ("nodes", "arrays_at_once")
NETWORK = ("network", "nodes", "shuffle", "merge_parallel", "routing")
FIELDS: Mapping[str, tuple[str, ...]] = {
    "machine": tuple(one.name for one in fields(Machine) if one.name not in ("timing", "sources")),
    "timing": ("flop", *(one.name for one in fields(Timing))),
}
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "machine": ("name", "clock_mhz"),
    "timing": tuple(one.name for one in fields(Timing) if one.default is MISSING),
}


def exact(value: object, where: str) -> Fraction:
    """A number of a machine as a fraction, from an integer, a decimal string or a fraction; 0 to LARGEST."""
    if isinstance(value, float) and math.isfinite(value):
        decimal = format(Decimal(repr(value)), "f")
        raise InputError(f'{where} = {value}: write it as a string "{decimal}" so that it stays exact')
    if isinstance(value, str) and len(value) > _LONGEST:
        raise InputError(f"{where} has {len(value)} characters: write a number of at most {_LONGEST}")
    integer = isinstance(value, int | Fraction) and not isinstance(value, bool)
    text = isinstance(value, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value)
    if not (integer or text):
        raise InputError(f'{where} = {_toml(value)}: write an integer or a decimal string such as "0.5"')
    number = Fraction(str(value))
    if number < 0:
        raise InputError(f"{where} = {_toml(value)}: must not be negative")
    if number > LARGEST:
        raise InputError(f"{where} = {_toml(value)}: must not be larger than 10^12")
    return number


def presets(network: str | None = None) -> tuple[str, ...]:
    """The names of the machines that come with the emulator, all or those with this network."""
    files = resources.files("senn.machine").joinpath("presets").iterdir()
    names = sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))
    return tuple(name for name in names if network is None or load(name).network == network)


def load(name_or_path: str | Path) -> Machine:
    """The machine of a preset, by name, or of a TOML file, by a path that ends in .toml.

    A file has the tables [machine], [timing] and [source]: for every field a text where its figure comes
    from. `flop` in [timing] stands for multiply, add and divide, and for trig = 20 flop unless it is given. A
    graph file that it names is looked for in its own folder.
    """
    text = str(name_or_path)
    if not text.lower().endswith(".toml"):
        if text not in presets():
            raise InputError(
                f'machine "{text}" is not known: the presets are {", ".join(presets())}; '
                "a file of your own ends in .toml"
            )
        file = resources.files("senn.machine").joinpath("presets", f"{text}.toml")
        return _parse(file.read_text(encoding="utf-8"), f"preset {text}")
    try:
        return _parse(Path(text).read_text(encoding="utf-8"), text, Path(text).parent)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise InputError(f"{text}: the machine cannot be read: {reason}") from None


def _parse(text: str, file: str, folder: Path = Path()) -> Machine:
    try:
        tables = tomllib.loads(text)
        _refuse_unknown(tables)
        machine = tables.get("machine", {})
        if network_files.is_file(str(machine.get("network"))):
            machine["network"] = str(folder / machine["network"])
        given, source = tables.get("timing", {}), tables.get("source", {})
        timing = _without_flop(given)
        for table, values in (("machine", machine), ("timing", timing)):
            for name in REQUIRED[table]:
                if name not in values:
                    raise InputError(f"[{table}] {name} is missing: {_WAY_OUT.get(name, 'write it')}")
        sources = _sources({**machine, **given}, source)
        return Machine(**machine, timing=Timing(**timing), sources=sources)
    except (InputError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{file}: {error}") from None


_WAY_OUT = dict.fromkeys((*FLOP_SETS, "trig"), "write it, or flop for all operations")


def _refuse_unknown(tables: Mapping[str, Any]) -> None:
    """Refuse tables and fields that do not exist, and sources that are no text."""
    allowed = {**FIELDS, "source": FIELDS["machine"] + FIELDS["timing"]}
    for table, values in tables.items():
        if table not in allowed or not isinstance(values, Mapping):
            raise InputError(f"{table} is no table of a machine: write [machine], [timing] and [source]")
        for name, value in values.items():
            if name not in allowed[table]:
                raise InputError(f"[{table}] {name} is not known; the fields are {', '.join(allowed[table])}")
            if table == "source" and not isinstance(value, str):
                raise InputError(f"[source] {name} = {_toml(value)}: write a text, where it comes from")


def _without_flop(timing: Mapping[str, Any]) -> dict[str, Any]:
    """The timing with `flop` written out for the operations that it does not give itself."""
    given = dict(timing)
    if "flop" not in given:
        return given
    flop = exact(given.pop("flop"), "[timing] flop")
    return {**dict.fromkeys(FLOP_SETS, flop), "trig": TRIG_IN_FLOPS * flop, **given}


def _sources(given: Mapping[str, Any], source: Mapping[str, str]) -> dict[str, str]:
    """A source for every field of the machine: what the file says, else how the field came to its figure."""
    unsaid = dict.fromkeys((name for table in FIELDS.values() for name in table), "default")
    if "flop" in given:
        unsaid.update(dict.fromkeys(FLOP_SETS, source.get("flop", "unverified")))
        unsaid["trig"] = f"unverified: taken as {TRIG_IN_FLOPS} flop"
    unsaid.update(dict.fromkeys(given, "unverified"))
    return {name: source.get(name, text) for name, text in unsaid.items() if name != "flop"}


def _plain(number: Fraction) -> int | str:
    """An integer, else the decimal fraction as text where it ends, else "p/q": never rounded."""
    if number.denominator == 1:
        return number.numerator
    digits = next((k for k in range(number.denominator.bit_length()) if 10**k % number.denominator == 0), 0)
    if digits == 0:
        return str(number)
    text = str(number.numerator * 10**digits // number.denominator).zfill(digits + 1)
    return f"{text[:-digits]}.{text[-digits:]}"


def _toml(value: object) -> str:
    """A value as it is written in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
