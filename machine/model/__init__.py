"""The machine and its timing: a value with exact numbers, made by a file or by settings.

`machine`: the value. `timing`: its durations. `intervals`: figures of which only bounds are known. `unit`:
what arrays share. `numbers`: how they stay exact. `reader`: machines from TOML files, one's own and the
presets, which are in `machine/presets`.
"""

from senn.machine.model.intervals import Interval
from senn.machine.model.machine import FIELDS, SUPPORTED, Machine
from senn.machine.model.reader import load, presets
from senn.machine.model.timing import Timing
from senn.machine.model.unit import Unit

__all__ = ["FIELDS", "SUPPORTED", "Interval", "Machine", "Timing", "Unit", "load", "presets"]
