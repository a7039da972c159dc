"""A digest tells values apart, and nothing else: not processes, not the order of a mapping."""

import hashlib
import subprocess
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from senn.base.digest import digest
from tests.places import ENVIRONMENT


@dataclass(frozen=True)
class _Arm:
    mass: float
    said: str = field(default="", compare=False)


DIFFERENT = [
    *(None, "", "None", b"", 0, 0.0, -0.0, False, 1, 1.0, True, "1", Fraction(1), Fraction(1, 3)),
    *([], {}, [[]], [1, 2], [[1], 2], [[1, 2]], ["ab", "c"], ["a", "bc"], {"a": 1}, {"a": {"a": 1}}),
    *(1.0 + 2**-52, float("inf"), float("nan"), 10**400, "\ud800"),
    *(np.zeros(2), np.zeros(3), np.zeros((2, 1)), np.zeros(2, np.float32), np.zeros(2, np.int64)),
    *(_Arm(1.0), _Arm(2.0), {"mass": 1.0}),
]


def test_different_values_have_different_digests():
    """Every pair of the list; kinds count, and so does the last bit."""
    found = [digest(one) for one in DIFFERENT]
    assert [pair for pair in combinations(range(len(found)), 2) if found[pair[0]] == found[pair[1]]] == []


def test_equal_values_have_equal_digests():
    """However they are stored: order of a mapping, of bytes, of axes; tuple or list; NumPy's or Python's."""
    table = np.arange(6.0).reshape(2, 3)
    for one, other in (
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ((1, 2), [1, 2]),
        (np.float64(0.5), 0.5),
        (np.int64(3), 3),
        (table, np.asfortranarray(table)),
        (table, table.astype(">f8")),
        (_Arm(1.0, "one"), _Arm(1.0, "two")),
        (Path("a"), "a"),
    ):
        assert digest(one) == digest(other)


def test_a_digest_is_the_same_in_every_process():
    """Hashes of Python's own differ from process to process; this is the SHA-256 of a text written here."""
    name = b"text 4\nname" + b"text 3\narm"
    q = b"text 1\nq" + b"row 2\nfloat 0x1.0000000000000p-1\nint 1\n"
    noted = hashlib.sha256(b"mapping 2\n" + name + q).hexdigest()
    code = "from senn.base.digest import digest; print(digest({'q': [0.5, 1], 'name': 'arm'}))"
    environment = ENVIRONMENT | {"PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == digest({"name": "arm", "q": [0.5, 1]}) == noted


@pytest.mark.parametrize("value", [{1, 2}, object(), print, np.array([None])])
def test_what_has_no_value_is_refused(value):
    """No address of an object becomes a part of a hash."""
    with pytest.raises(TypeError, match="no digest of"):
        digest(value)
