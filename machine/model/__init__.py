"""The machine and its timing: a value with exact numbers, made by a file or by settings.

`machine`: the value. `figures`: its numbers, durations, intervals and units. `reader`: machines from TOML
files; the presets are in `machine/presets`."""

from senn.machine.model.figures import Interval, Timing, Unit
from senn.machine.model.machine import FIELDS, SUPPORTED, Machine
from senn.machine.model.reader import load, presets

__all__ = ["FIELDS", "SUPPORTED", "Interval", "Machine", "Timing", "Unit", "load", "presets"]
