"""senn: Fijany's two-array shuffle-exchange machine, message by message, cycle by cycle.

>>> import senn
>>> run = senn.run("ssrms")
>>> run.certificate["ok"]
True
"""

import sys

if sys.argv[0] == "-m" and sys.orig_argv[-len(sys.argv)] in ("senn", "-msenn") and not sys.flags.safe_path:
    del sys.path[0]  # by `python -m senn` the current folder, whose Python files nobody asked for

from importlib import import_module
from typing import Any

import lazy_loader

__version__ = "0.1.0"
# Names of __init__.pyi, imported where they are first used, so that `senn --help` is quick.
_imported, _names, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    from senn.base.gone import RENAMED

    if now := RENAMED.get(f"senn.{name}"):
        raise AttributeError(f"senn.{name} is now {now}")
    if name == "style":  # a module of a room that does not import it
        return import_module("senn.traces.pictures.style")
    return _imported(name)


def __dir__() -> list[str]:
    return sorted([*_names(), "__version__"])
