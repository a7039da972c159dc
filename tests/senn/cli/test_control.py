"""`senn control`: what it prints and keeps, its picture, and how it refuses."""

import json
from pathlib import Path

import pytest

from tests.senn.cli.command import senn

SHORT = ("control", "ssrms", "--contact", "plane", "--until", "0.03", "--judge", "0", "-o", "mine")


def test_a_loop_is_printed_kept_explained_and_drawn(folder):
    done = senn(*SHORT)
    assert done.exit_code == 0
    for words in (
        "1 run for a step takes 0.352 ms",
        "stable: spectral radius 0.948 a sample; torques act 0.352 ms",
        "tracking error    at most ",
        "force error       at most ",
    ):
        assert words in done.stdout
    assert senn("explain", "mine").stdout == done.stdout.partition("\n\nFiles")[0] + "\n"
    assert senn("plot", "mine", "--kind", "tracking", "-o", "t.png").exit_code == 0
    assert Path("t.png").read_bytes().startswith(b"\x89PNG")
    document = json.loads(senn(*SHORT, "--json").stdout)
    assert document["delay"] == pytest.approx(7035 / 20e6)
    assert document["ok"]
    assert senn("report", "mine", "-o", "page.html").exit_code == 0
    assert Path("page.html").read_text(encoding="utf-8").count("data:image/png") == 5


def test_a_motion_without_an_aim_has_no_tracking(folder):
    motion = ("simulate", "ur5_free", "--until", "0.02", "--judge", "0", "--algorithm", "open-chain")
    assert senn(*motion, "-o", "mine").exit_code == 0
    refused = senn("plot", "mine", "--kind", "tracking", "-o", "t.png")
    assert refused.exit_code == 2
    assert refused.stderr == "senn: this motion has no aim; senn control makes one that has\n"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--sample", "0"), "sample is 0.0; it is a finite number, above 0"),
        (("--contact", "weld"), "ssrms: control presses in some directions and moves along others"),
        (("--algorithm", "open-chain"), "the algorithm open-chain gives no lambda_inverse"),
    ],
)
def test_bad_input_is_one_clear_line(folder, words, text):
    done = senn(*SHORT, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"senn: {text}")
    assert done.stderr.count("\n") == 1
