"""The machine and its timing: a value with exact numbers, made by a file or by settings.

`machine`: the value, read from TOML files such as those of `machine/presets`. `figures`: its numbers."""

from senn.machine.model.figures import Interval, Timing
from senn.machine.model.machine import FIELDS, SUPPORTED, Machine, load, presets

__all__ = ["FIELDS", "SUPPORTED", "Interval", "Machine", "Timing", "load", "presets"]
