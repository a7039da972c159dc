"""The strip that a run shows of itself has as much ink as the hand-made run has work."""

import re
from xml.etree import ElementTree

import polars as pl
import pytest

from senn.base.errors import InputError
from senn.traces.parts import COLORS
from senn.traces.pictures.phases import strip
from senn.traces.record import Trace
from senn.traces.run import Run
from tests.traces.hand_trace import hand_trace

CYCLE = 860 / 39  # of the width: array 2 ends at 39


def bands(picture: str) -> list[tuple[int, str, bool, float, float]]:
    """Row, colour, whether full, start and cycles of every box."""
    found = []
    for path in ElementTree.fromstring(picture).iter("path"):
        full = "opacity" not in path.attrib
        for x, y, width in re.findall(r"M([\d.]+) (\d+)h([\d.]+)", path.attrib["d"]):
            start, cycles = (float(x) - 62) / CYCLE, float(width) / CYCLE
            found.append((int(y) // 34 + 1, path.attrib["fill"], full, round(start, 2), round(cycles, 2)))
    return found


def test_full_is_work_and_pale_is_the_part_with_its_waits():
    drawn = bands(strip(Run(hand_trace(), {})))
    one, two, three = COLORS[:3]
    assert [(array, color, start, cycles) for array, color, full, start, cycles in drawn if not full] == [
        (1, one, 0, 20),  # I.b
        (1, one, 20, 4),  # I.c
        (2, two, 0, 6),  # II.b
        (2, two, 6, 27),  # II.c, from the beginning of its first wait
        (2, three, 33, 6),
    ]
    assert [(array, color, start, cycles) for array, color, full, start, cycles in drawn if full] == [
        (1, one, 0, 12),
        (1, one, 14, 6),  # after D
        (1, one, 20, 4),
        (2, two, 0, 6),
        (2, two, 24, 1),  # after F
        (2, two, 30, 3),  # after A
        (2, three, 35, 4),  # after Lambda
    ]


def test_it_says_when_each_array_ends():
    texts = [text.text for text in ElementTree.fromstring(strip(Run(hand_trace(), {}))).iter("text")]
    assert texts[texts.index("array 1") :][:2] == ["array 1", "24"]
    assert texts[texts.index("array 2") :][:2] == ["array 2", "39"]
    assert {"I.b", "II.c", "III"} <= set(texts)


def test_steps_of_other_programs_have_names_that_are_no_tags():
    named = hand_trace().instructions.with_columns(pl.lit("<b>").alias("step"))
    trace = Trace(
        "instructions",
        named,
        *(hand_trace().at_detail("instructions").table(name) for name in ("activities", "messages", "hops")),
    )
    assert "<b>" not in strip(Run(trace, {}))


def test_runs_that_have_none_say_why():
    with pytest.raises(InputError, match="run again with detail 'instructions'"):
        strip(Run(hand_trace().at_detail("summary"), {}, summary={"makespan": 39}))
