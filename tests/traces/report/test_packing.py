"""Columns of whole numbers, packed here and unpacked by the browser."""

import json

import numpy as np
import pytest

from senn.base.errors import InputError
from senn.traces.report.parts import MOST, pack, page


def _unpacked(opened, columns, words):
    """What the page's own program makes of them: columns, and words."""
    program = page("senn.js") + page("packed.js")
    code = (
        f"const packed = Senn.packed.open(); packed.add({json.dumps(pack(columns, words))}).then(() => {{"
        f"Senn.found = {json.dumps(list(columns))}.map((name) => Array.from(packed.column(name)));"
        "Senn.words = packed.words; document.documentElement.dataset.ready = ''; });"
    )
    found, said = opened(f"<!doctype html><meta charset=utf-8><script>{program}{code}</script>").tab.evaluate(
        "[Senn.found, Senn.words]"
    )
    return dict(zip(columns, found, strict=True)), said


def test_columns_come_back(opened):
    """Of every size and sign that fits, in every coding, empty ones too."""
    generator = np.random.default_rng(3)
    columns = {
        "none": np.array([], dtype=np.int64),
        "one": np.array([-1]),
        "edges": np.array([0, 63, 64, -64, -65, 8191, 8192, 2**31 - 1, -(2**31), 2**31, MOST, -MOST]),
        "steps": np.arange(0, 7_000, 7),
        "turns": np.arange(1_000) ** 2,
        "any": generator.integers(-(2**40), 2**40, 500),
    }
    words = {"one": ["\u03c8' \u2192", "</script>"]}
    found = {name: column.tolist() for name, column in columns.items()}
    assert _unpacked(opened, columns, words) == (found, words)
    assert [row[2] for row in pack(columns, {})["rows"]] == [0, 0, 0, 1, 2, 0]


def test_what_a_browser_cannot_count_is_refused():
    with pytest.raises(InputError, match=r"report: hops.end has numbers beyond 2\^50"):
        pack({"hops.end": np.array([MOST + 1])}, {})
