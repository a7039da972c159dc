"""Machines from TOML files, with a source for every figure: the presets, and files of users.""" ""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

from senn.machine.model.figures import (
    FLOP_SETS,
    TRIG_IN_FLOPS,
    UNIT_FIELDS,
    Timing,
    Unit,
    values_and_intervals,
    without_flop,
)
from senn.machine.model.machine import FIELDS, Machine, refuse_unknown
from senn.machine.network.named import is_graph_file
from senn.traces import files
from senn.traces.errors import InputError

REQUIRED: Mapping[str, tuple[str, ...]] = {
    "machine": ("name", "clock_mhz"),
    "timing": tuple(field.name for field in fields(Timing) if field.default is MISSING),
}
_WAY_OUT = dict.fromkeys((*FLOP_SETS, "trig"), "write it, or flop for all operations")


def presets(network: str | None = None) -> tuple[str, ...]:
    """The names of the machines that come with the emulator, all or those with this network."""
    files = resources.files("senn.machine").joinpath("presets").iterdir()
    names = sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))
    return tuple(name for name in names if network is None or load(name).network == network)


def load(name_or_path: str | Path) -> Machine:
    """The machine of a preset, by name, or of a TOML file, by a path that ends in .toml.

    A file has the tables [machine], [timing] and [source]: for every field a text where its figure comes
    from. `flop` in [timing] stands for multiply, add and divide, and for trig = 20 flop unless it is given. A
    graph file that it names is looked for in its own folder. A figure that is not known exactly may be
    {value = 1000, low = 250, high = 2000}: runs take the value; the bounds say how far it may be off.
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
            "a file of your own ends in .toml"
        )
    preset = resources.files("senn.machine").joinpath("presets", f"{name}.toml")
    return preset.read_text(encoding="utf-8")


def _parse(tables: dict[str, Any], file: str, folder: Path = Path()) -> Machine:
    try:
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
        unit = _unit(tables["unit"]) if "unit" in tables else None
        sources = _sources({**machine, **times, **tables.get("unit", {})}, source)
        machine_of_file = Machine(
            **machine, timing=Timing(**timing), unit=unit, sources=sources, intervals=intervals
        )
        for figure, interval in intervals.items():
            for bound in (interval.low, interval.high):
                machine_of_file.varied({figure: bound})  # is a machine too, or refused like one
        return machine_of_file
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def _unit(given: Mapping[str, Any]) -> Unit:
    if missing := [name for name in UNIT_FIELDS if name not in given]:
        raise InputError(f"[unit] {missing[0]} is missing: write it, or leave [unit] out")
    return Unit(**given)


def _sources(given: Mapping[str, Any], source: Mapping[str, str]) -> dict[str, str]:
    """A source for every field of the machine: the text of the file, else how the field got its figure."""
    unsaid = dict.fromkeys((name for table in FIELDS.values() for name in table), "default")
    if "flop" in given:
        unsaid.update(dict.fromkeys(FLOP_SETS, source.get("flop", "unverified")))
        unsaid["trig"] = f"unverified: taken as {TRIG_IN_FLOPS} flop"
    unsaid.update(dict.fromkeys(given, "unverified"))
    return {name: source.get(name, text) for name, text in unsaid.items() if name != "flop"}


# ------------------------------------------------------------ machines of run.json


def of_description(description: Mapping[str, Any]) -> Machine:
    """The machine of which this is the description; InputError names a field that it lacks.

    What else an engine says of the machine of a run, its arrays, is left aside.

    >>> from senn.machine.model import load
    >>> of_description(load("mark3").describe()) == load("mark3")
    True
    """
    timing = [name for name in FIELDS["timing"] if name != "flop"]
    if missing := [name for name in (*FIELDS["machine"], *timing) if name not in description]:
        raise InputError(f"run.json says no {missing[0]} of its machine: make the run again")
    times = {name: _number(description[name]) for name in timing}
    rest = {name: description[name] for name in FIELDS["machine"] if name != "clock_mhz"}
    return Machine(clock_mhz=_number(description["clock_mhz"]), timing=Timing(**times), **rest)


def _number(entry: Any) -> Any:
    """A fraction that is no decimal is written p/q."""
    if isinstance(entry, str) and entry.count("/") == 1:
        above, _, below = entry.partition("/")
        if above.isdecimal() and below.isdecimal() and len(entry) <= _LONGEST and int(below):
            return Fraction(int(above), int(below))
    return entry


_LONGEST = 40
