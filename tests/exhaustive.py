"""Which cases stay in the fast set, which is what `./run test` runs; the rest are marked `exhaustive`.

    @pytest.mark.exhaustive                 no case of the function is fast
    @pytest.mark.fast("8-home", "spider-*") only the cases with these ids are (patterns as in a shell)
    @pytest.mark.fast(every=1)              only as many cases as show every value of every parameter
    @pytest.mark.fast(every=2)              only as many cases as show every pair of values of two parameters

The tests of the pages (`tests/docs`) are exhaustive too: `.ci/run` runs them with the site.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fnmatch import fnmatchcase
from itertools import combinations

import pytest

from tests.places import ROOT

PAGES = ROOT / "tests" / "docs"


def mark_exhaustive(items: Iterable[pytest.Item]) -> None:
    """Add the marker `exhaustive` to the cases that the marker `fast` of their function leaves out."""
    functions: dict[str, list[pytest.Function]] = {}
    for item in items:
        if item.path.is_relative_to(PAGES):
            item.add_marker("exhaustive")
        elif isinstance(item, pytest.Function) and item.get_closest_marker("fast"):
            functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, cases in functions.items():
        fast = _fast(name, cases)
        for index, case in enumerate(cases):
            if index not in fast:
                case.add_marker("exhaustive")


def _fast(name: str, cases: Sequence[pytest.Function]) -> set[int]:
    """The indices of the fast cases of one function."""
    marker = cases[0].get_closest_marker("fast")
    assert marker is not None
    if "every" in marker.kwargs:
        return set(covering([_values(case.callspec.params) for case in cases], marker.kwargs["every"]))
    fast = set()
    for pattern in marker.args:
        matches = {index for index, case in enumerate(cases) if fnmatchcase(case.callspec.id, pattern)}
        if not matches:
            raise pytest.UsageError(f"{name}: no case has the id {pattern!r} that its marker `fast` names")
        fast |= matches
    return fast


def _values(parameters: Mapping[str, object]) -> dict[str, str]:
    """Parameter -> value as text; items of tuples and mappings, fields of dataclasses are parameters too."""
    values = {}
    for name, value in parameters.items():
        if is_dataclass(value):
            value = {field.name: getattr(value, field.name) for field in fields(value)}
        elif not isinstance(value, dict):
            value = dict(enumerate(value if isinstance(value, tuple) else (value,)))
        values |= {f"{name} {key}": repr(item) for key, item in value.items()}
    return values


def covering(cases: Sequence[Mapping[str, str]], strength: int) -> list[int]:
    """Indices of cases that together show every combination of `strength` parameters that any case shows.

    Greedy: each index is the first case that shows most of what is still missing.
    """
    shown = [set(combinations(case.items(), min(strength, len(case)))) for case in cases]
    missing: set[tuple[tuple[str, str], ...]] = set().union(*shown)
    chosen = []
    while missing:
        best = max(range(len(cases)), key=lambda index: (len(shown[index] & missing), -index))
        chosen.append(best)
        missing -= shown[best]
    return chosen
