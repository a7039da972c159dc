"""What the program finds around itself, and libraries trust: streams and variables of the environment."""

from __future__ import annotations

import logging
import os
import re
import signal
import sys

_NUMBERS = ("COLUMNS", "LINES", "POLARS_MAX_THREADS")


def prepare() -> None:
    """Make them such that no library stumbles over them, or speaks to the user about them."""
    if hasattr(signal, "SIGPIPE"):
        # `senn steps | head -1` ends as any Unix filter does, without a traceback.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: senn run >&-
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - open to the end
        # Names of robots may hold letters that the terminal has not got.
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    for name in _NUMBERS:
        if not re.fullmatch("[1-9][0-9]{0,3}", os.environ.get(name, "1")):
            del os.environ[name]
    os.environ["MPLBACKEND"] = "agg"  # no window, with or without a display
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # where it keeps its cache is not our message
