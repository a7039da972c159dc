"""A study of eight quick runs, in this process or another, and what its folder holds."""

import os
import subprocess
import sys
import time
from contextlib import nullcontext

from senn.studies.conduct import conduct, here
from senn.studies.study import read
from tests.places import ENVIRONMENT, ROOT

PATIENCE = 60  # seconds after which a process that should have answered is given up

STUDY = """
[study]
name = "small"
[fixed]
problem = "random:{n}:seed=4"
form = "short"
numbers = false
[vary]
n = [1, 2]
residency = ["home", "migrating"]
machine = ["raw", "mark3"]
"""


class Counting:
    """Computes here, and remembers what it was asked for; ends after `most` runs as a Ctrl-C would."""

    def __init__(self, most=None):
        self.computed, self.most = [], most

    def __call__(self):
        return nullcontext(self.compute)

    def compute(self, points):
        for point, row in here(points):
            if len(self.computed) == self.most:
                raise KeyboardInterrupt
            self.computed.append(point.key)
            yield point, row


def conduct_here(file, folder, counting=None, **how):
    return conduct(read(file), file, folder, counting or Counting(), **how)


def figures(found):
    return found.drop("seconds")


def files(folder):
    """The finished rows and when they were written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "rows").glob("*.json")}


def environment(*path, **more):
    return ENVIRONMENT | {"PYTHONPATH": os.pathsep.join([*path, str(ROOT / "src")]), **more}


def wait(condition, process):
    """Until the condition holds; fails if the process ends before, or after PATIENCE."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "no answer"
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.02)


def started(file, folder, *words, path=()):
    """`senn study` in a process of its own."""
    command = [sys.executable, "-m", "senn", "study", str(file), "-o", str(folder), "--workers", "1", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=environment(*path), start_new_session=True, **pipes)
