"""Calibration: the fit on times with a known answer, the file, and bad times."""

from datetime import date
from fractions import Fraction

import numpy as np
import pytest

import senn
from senn.calibration import BLOCKS, SIZES, Figure, figures, line, machine_file
from senn.machine.model import load

DAY = date(2026, 11, 24)
WORDS, ROWS = np.array(SIZES), np.array(BLOCKS)
TRIPS = np.array(
    [
        [(scale * np.array((1000 + 5 * w, 200 + w, 300 + 2 * w))).tolist() for w in SIZES]
        for scale in (1.1, 1, 0.9)
    ]
)
OPERATIONS = [0, 10, 20, 30]
CALLS = np.array([[400.0 + 2 * k * c for k in OPERATIONS] for c in BLOCKS])
"""400 ns for a call and 2 ns an operation."""


def test_a_line_is_found_again():
    fit = line(WORDS, 1000 + 5 * WORDS)
    assert (fit.start, fit.slope, fit.r2) == pytest.approx((1000, 5, 1))
    assert fit.worst < 1e-9
    noise = np.random.default_rng(1).normal(1, 0.01, len(SIZES))
    fit = line(WORDS, (1000 + 5 * WORDS) * noise)
    assert (fit.start, fit.slope) == pytest.approx((1000, 5), rel=0.05)
    assert 0.9 < fit.r2 < 1
    assert 0.001 < fit.worst < 0.04


def test_no_part_of_a_line_is_negative():
    falling, steep = line([1, 2, 4], [8, 4, 2]), line([1, 2, 4], [1, 4, 10])
    assert (falling.slope, steep.start) == (0, 0)
    # Least relative squares: sum(1/t) / sum(1/t^2), and sum(x/t) / sum((x/t)^2).
    assert falling.start == pytest.approx(0.875 / 0.328125)
    assert steep.slope == pytest.approx(1.9 / 1.41)


def test_figures_of_times_with_a_known_answer():
    timing = figures(TRIPS, OPERATIONS, CALLS, processes=4)
    values = {name: (figure.low, figure.value, figure.high) for name, figure in timing.items()}
    assert values["startup"] == pytest.approx((450, 500, 550))
    assert values["word"] == pytest.approx((4.5, 5, 5.5))
    # The largest message takes longer to post and to receive.
    assert values["post"] == pytest.approx((180, 200, 1.1 * (200 + SIZES[-1])))
    assert values["receive"] == pytest.approx((270, 300, 1.1 * (300 + 2 * SIZES[-1])))
    # Four kernels of 400 ns, shared by 4 processes, over 60 operations; and the quartiles of 100/k + 2.
    assert values["flop"] == pytest.approx((2 + 100 / 30, 2 + 400 / 60, 2 + 100 / 10))
    assert "a call takes 0.4 us and 2 ns an operation of a process, R^2 1.00" in timing["flop"].source


def test_the_file_is_a_machine_with_intervals(tmp_path):
    timing = figures(TRIPS, OPERATIONS, CALLS, processes=4)
    (tmp_path / "mine.toml").write_text(machine_file(timing, DAY))
    machine = load(tmp_path / "mine.toml")
    assert (machine.name, machine.clock_mhz, machine.network) == ("calibrated 2026-11-24", 1000, "full")
    assert (machine.timing.startup, machine.timing.word, machine.timing.post) == (500, 5, 200)
    assert machine.timing.trig == 20 * machine.timing.add == 20 * Fraction("8.667")
    assert {name: (float(x.low), float(x.high)) for name, x in machine.intervals.items()} == {
        name: pytest.approx((figure.low, figure.high), abs=1 if name in ("post", "receive") else 1e-3)
        for name, figure in timing.items()
    }
    assert "2026-11-24" in machine.name
    assert "R^2 1.00" in machine.sources["word"]
    # Sensitivities are those of machines with one control unit an array.
    fields = {"machine.nodes": 2, "machine.control": "simd"}
    run = senn.run("ssrms", machine=str(tmp_path / "mine.toml"), set=fields, allocation="block")
    assert {row.name for row in senn.sensitivities(run)} >= {"startup", "post", "flop"}


def test_a_source_may_have_any_letters():
    text = machine_file({"flop": Figure(1, 1, 1, 'a "quoted" \\ text')}, DAY)
    assert 'flop = "a \\"quoted\\" \\\\ text"' in text
