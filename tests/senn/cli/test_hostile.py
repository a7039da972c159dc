"""Inputs that nobody means well end as a command may end: an answer, or one line and status 2.

`benchmarks/hostile.py` has them by the thousand; these are some of every kind, the same every time.
"""

import subprocess
import sys

import pytest

from tests.oracles.hostile import cases
from tests.places import ROOT


@pytest.mark.exhaustive
def test_hostile_inputs():
    """In children of a process of its own, with limits of time and memory: none may take the tests along."""
    command = [sys.executable, "benchmarks/hostile.py", "--cases", "100"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "\n100 cases in" in done.stdout


def test_a_case_comes_again():
    """A case is its number: what was found by thousands can be looked at alone."""
    for number in range(50):
        assert cases.case(number) == cases.case(number)
    assert len({str(cases.case(number)) for number in range(50)}) > 45
