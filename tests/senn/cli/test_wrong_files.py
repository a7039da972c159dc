"""Every kind of file in every wrong state: one line, status 2, and nothing written."""

import os
import re
import subprocess
import sys

import pytest

from tests.oracles.hostile import cases, valid
from tests.places import ROOT
from tests.senn.cli.command import ended, refused, senn


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """All valid files, in the folder that commands work in."""
    for name, content in valid.FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


WRONG = {
    "brackets": b"a = " + b"[" * 1500 + b"]" * 1500,
    "digits": b"a = " + b"9" * 5000,
    "no text": b"\xff\xfe\x00\x80",
    "nul": b"a = \x00",
    "empty": b"",
}


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("name", [name for name in valid.FILES if name != "arrays.toml"])
@pytest.mark.parametrize("wrong", [*WRONG, "pipe", "folder", "/dev/zero", "/dev/full", "nowhere"])
def test_a_wrong_file_is_one_line(folder, name, wrong):
    """Whatever reads it: what it holds, and what it is."""
    path = folder / name
    path.unlink()
    if wrong in WRONG:
        path.write_bytes(WRONG[wrong])
    elif wrong == "pipe":
        os.mkfifo(path)
    elif wrong == "folder":
        path.mkdir()
    else:
        path.symlink_to(wrong)
    said = refused(*valid.READ_BY[name][0])
    assert name in said
    if wrong.startswith("/dev"):
        assert "is a device, not a regular file" in said or "no such file" in said
    assert {entry.name for entry in folder.iterdir()} <= valid.FILES.keys()


@pytest.mark.parametrize("wrong", ["brackets", "digits", "no text", "nul"])
def test_a_wrong_assignment_is_one_line(folder, wrong):
    (folder / "arrays.toml").write_bytes(WRONG[wrong])
    assert "arrays: arrays.toml: " in refused(*valid.READ_BY["arrays.toml"][0])


@pytest.mark.parametrize("name", ["arm.urdf", "net.graphml"])
def test_xml_is_read_in_the_encoding_that_it_names(folder, name):
    text = valid.FILES[name].split("?>", 1)[1].replace("arm", "Käfer")
    (folder / name).write_bytes(f'<?xml version="1.0" encoding="iso-8859-1"?>{text}'.encode("latin-1"))
    ended(0, *valid.READ_BY[name][0])
    for encoding in ("none", "shift_jis", "utf-16", "x" * 100_000):
        (folder / name).write_text(f'<?xml version="1.0" encoding="{encoding}"?>{text}')
        assert name in refused(*valid.READ_BY[name][0])


@pytest.mark.parametrize("number", ["1e308", "-1e308", "1e160", "1e-320", "nan", "inf", "1e400"])
@pytest.mark.parametrize("old", ["mass = 2.0", "[0.01, 0.02, 0.02, 0.0, 0.0, 0.0]", "[0.2, 0.0, 0.0]"])
def test_numbers_at_the_ends_of_floating_point_warn_nobody(folder, old, number):
    """An answer with its certificate, or a refusal; warnings are errors in tests."""
    new = re.sub(r"2\.0$|(?<=^\[)0\.01|(?<=^\[)0\.2", number, old)
    assert old in valid.ROBOT
    (folder / "robot.toml").write_text(valid.ROBOT.replace(old, new, 1))
    done = senn(*valid.READ_BY["robot.toml"][0])
    assert isinstance(done.exception, SystemExit | None), done.exception
    assert done.exit_code in (0, 1, 2)
    assert "Warning" not in done.stderr


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("\\u0000", r"'two\x00bar' holds what cannot be printed"),
        ("\\u001b[31m", r"'two\x1b[31mbar' holds what cannot be printed"),
        ("\\u202e", r"'two\u202ebar' holds what cannot be printed"),
        ("x" * 100_000, "has 100,006 characters; write at most 200"),
    ],
)
def test_names_that_cannot_be_shown_arerefused(folder, written, said):
    (folder / "robot.toml").write_text(valid.ROBOT.replace("two_bar", f"two{written}bar"))
    assert said in refused(*valid.READ_BY["robot.toml"][0])


@pytest.mark.fast("[[]bold[]]arm[[]/bold[]]")
@pytest.mark.parametrize("name", ["$\\\\bad$", "[bold]arm[/bold]", "腕", "ذراع", "🦾", "_x"])
def test_names_in_any_script_are_shown_and_drawn(folder, name):
    (folder / "robot.toml").write_text(valid.ROBOT.replace("two_bar", name), encoding="utf-8")
    ended(0, "run", "robot.toml", "--plot", "drawn.png", "-o", "kept")
    ended(0, "explain", "kept")


def test_an_arm_beyond_floating_point_is_not_certified(folder):
    """A flange 1e308 m away: every figure overflows, and the certificate says so instead of ending in one."""
    far = valid.URDF.replace('xyz="0.3 0 0"', 'xyz="0.3 0 1e308"')
    assert far != valid.URDF
    (folder / "arm.urdf").write_text(far)
    done = senn(*valid.READ_BY["arm.urdf"][0])
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (1, 2)


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
