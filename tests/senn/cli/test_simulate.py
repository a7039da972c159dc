"""`senn simulate`: what it prints and keeps, how it ends, and that it goes on."""

import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import senn as library
from tests.places import ENVIRONMENT
from tests.senn.cli.command import refused, senn

HELD = ("simulate", "ur5", "--contact", "point", "--impact", "--until", "0.02", "--judge", "0")
SHORT = ("simulate", "ur5_free", "--until", "0.02", "--judge", "0", "--algorithm", "open-chain")


def test_it_prints_what_it_keeps(folder):
    done = senn("simulate", "ur5", "--contact", "plane", "--until", "0.03", "-o", "mine")
    assert done.exit_code == 0
    for words in ("3 steps of 0.01 s, rk4", "6 runs for a step", "real-time factor", "all hold", "mine"):
        assert words in done.stdout
    states = pl.read_parquet("mine/states.parquet")
    assert states["time"].to_list() == pytest.approx([0.0, 0.01, 0.02, 0.03])
    expected = library.simulate("ur5", contact="plane", until=0.03)
    assert np.array_equal(states["q"].to_numpy(), expected.q)
    assert senn("explain", "mine").stdout == done.stdout.partition("\n\nFiles")[0] + "\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("short", "torque mine.py:short gives shape (2,), expected (6,)"),
        ("wrong", "mine.py, line 5: ZeroDivisionError: "),
        ("nan", "the motion diverges: tau of shoulder_pan_joint is nan; take smaller"),
    ],
)
def test_torques_that_cannot_be_are_one_clear_line(folder, name, text):
    Path("mine.py").write_text(
        "def short(t, q, qd):\n    return [1, 2]\n\ndef wrong(t, q, qd):\n    return 1 / int(t)\n"
        "def nan(t, q, qd):\n    return q * float('nan')\n"
    )
    assert refused(*SHORT, "--torque", f"mine.py:{name}").startswith(f"at t = 0 s: {text}")


def test_json_is_one_object(folder):
    done = senn(*SHORT, "--json")
    document = json.loads(done.stdout)
    assert document["evaluations_per_step"] == 4
    assert document["real_time_factor"] == pytest.approx(0.01 / document["seconds_per_step"])
    assert (document["ok"], document["judged"], document["failed"]) == (True, 1, 0)
    assert document["drift_pose"] is None
    assert Path(document["folder"]).parts[0] == "runs"
    assert json.loads(senn("explain", document["folder"], "--json").stdout) == document
    assert senn(*SHORT, "-q").stdout == f"{document['folder']}\n"


def test_a_failed_certificate_is_status_1(folder):
    done = senn("simulate", "rods:32:slenderness=0.001", "--until", "1e-4", "--step", "1e-4", "--impact")
    assert done.exit_code == 1
    assert done.stderr.startswith("senn: at t = 0 s: certificate failed: ")
    assert "fail" in done.stdout


def test_a_motion_is_drawn(folder):
    assert senn(*HELD, "-o", "mine").exit_code == 0
    for kind, file, magic in (
        ("angles", "a.png", b"\x89PNG"),
        ("force", "f.svg", b"<?xml"),
        ("energy", "e.pdf", b"%PDF"),
        ("drift", "d.png", b"\x89PNG"),
        ("poses", "p.png", b"\x89PNG"),
        ("animation", "m.gif", b"GIF89a"),
    ):
        done = senn("plot", "mine", "--kind", kind, "-o", file)
        assert (done.exit_code, done.stdout) == (0, f"{file}\n")
        assert Path(file).read_bytes().startswith(magic)


def test_a_motion_is_a_page(folder):
    """Whole: the figures that are printed, five pictures, nothing from elsewhere."""
    assert senn(*HELD, "-o", "mine").exit_code == 0
    assert senn("report", "mine", "-o", "page.html").stdout == "page.html\n"
    page = Path("page.html").read_text(encoding="utf-8")
    figures = library.simulate("ur5", contact="point", impact=True, until=0.02, judge=0).summary
    assert f"{figures['real_time_factor']:.3g}: 6 runs for a step" in page
    assert page.count("data:image/png;base64,iVBOR") == 4
    assert page.count("data:image/gif;base64,R0lGOD") == 1
    assert "http" not in page
    done = senn("report", "mine", "mine", "-o", "page.html")
    assert done.stderr == "senn: mine is a motion, and a page has one; leave mine out\n"
    assert senn(*SHORT, "-o", "free").exit_code == 0
    assert senn("report", "free", "-o", "free.html").exit_code == 0
    assert Path("free.html").read_text(encoding="utf-8").count("data:image/") == 4


def test_a_killed_command_goes_on(folder):
    """After SIGKILL and after SIGTERM: the rows that were there stay, and the end is that of one command."""
    pause = "time.sleep(float(os.environ.get('PAUSE', 0)))"
    Path("push.py").write_text(f"import os, time\ndef push(t, q, qd):\n    {pause}\n    return [t] * 6\n")
    words = [
        *("simulate", "ur5_free", "--until", "0.3", "--judge", "7", "--torque", "push.py:push", "-o", "mine")
    ]
    environment = ENVIRONMENT | {"PAUSE": "0.02"}
    statuses, counts = [], [0]
    for how in (signal.SIGKILL, signal.SIGTERM):
        with subprocess.Popen(
            [sys.executable, "-m", "senn", *words], env=environment, stderr=subprocess.PIPE, text=True
        ) as process:
            while _rows("mine") <= counts[-1] and process.poll() is None:
                time.sleep(0.05)
            process.send_signal(how)
            _, error = process.communicate()
        statuses.append(process.returncode)
        counts.append(_rows("mine"))
    assert statuses == [-signal.SIGKILL, 143]
    assert error.startswith("senn: interrupted: the motion is kept") or error == "senn: ended by SIGTERM\n"
    assert 0 < counts[1] <= counts[2] < 31
    assert senn(*words).exit_code == 0
    assert _rows("mine") == 31
    whole = library.simulate("ur5_free", until=0.3, judge=7, torque="push.py:push")
    assert pl.read_parquet("mine/states.parquet").equals(whole.states)
    assert pl.read_parquet("mine/certificates.parquet").equals(whole.certificates)


def _rows(place: str) -> int:
    try:
        content = Path(place, "states.parquet").read_bytes()  # at once: the file is replaced as it grows
        return len(pl.read_parquet(io.BytesIO(content)))
    except FileNotFoundError:
        return 0


def test_an_impact_is_refused_or_printed_and_kept(folder):
    words = ("simulate", "ur5", "--contact", "line", "--until", "0.02", "--judge", "0", "-o", "mine")
    refused = senn(*words)
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert refused.stderr.startswith("senn: ur5: the contact forbids the velocity at the start")
    assert not list(folder.iterdir())
    done = senn(*words, "--impact")
    assert done.exit_code == 0
    assert "impact            at the start, qd changes by at most 0.09 rad/s or m/s" in done.stdout
    kept = json.loads(senn("explain", "mine", "--json").stdout)["impact"]
    assert pl.read_parquet("mine/states.parquet")["qd"][0].to_list() == kept["after"]
    assert "impact" in senn("simulate", "--help").stdout
