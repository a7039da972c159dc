"""The first hour: commands point at the right option, warn of degrees, and install what they need."""

import os
import subprocess

import pytest

from tests.places import ROOT
from tests.senn.cli.command import senn

UR5 = ROOT / "algorithms" / "robots" / "ur5.urdf"


def test_help_and_guide_say_how_a_base_floats(tmp_path):
    """With what the guide of robot files adds to a URDF, its root is moved by a free joint."""
    help = " ".join(senn("run", "--help").stdout.split())
    assert "for a base that floats, put a link with a floating joint above it" in help
    guide = (ROOT / "docs" / "robot" / "files.md").read_text()
    above = guide.split("```xml\n")[1].split("```")[0]
    links = "".join(
        f'<link name="{name}"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
        'iyz="0"/></inertial></link>'
        for name in ("base_link", "hand")
    )
    joint = '<joint name="a" type="continuous"><parent link="base_link"/><child link="hand"/></joint>'
    for added, count in (("", "1 joint"), (above, "2 joints (1 free)")):
        (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{added}{links}{joint}</robot>')
        done = senn("run", str(tmp_path / "arm.urdf"), "-o", str(tmp_path / "run"), "--force")
        assert f"robot arm, {count}," in done.stdout


@pytest.mark.parametrize(("value", "count"), [("180", 1), ("10", 1), ("6.29", 1), ("6.28", 0)])
def test_a_position_in_degrees_is_warned_about_even_when_quiet(tmp_path, value, count):
    done = senn("run", "random:3", "--at", f"joint_2={value}", "-q", "-o", str(tmp_path / "run"))
    assert done.exit_code == 0
    assert done.stderr.count(f"positions are in rad, not in degrees: 'joint_2' at {value}") == count


def test_a_table_of_links_fits_80_columns(tmp_path, monkeypatch):
    """Also where names are long; no figure is cut."""
    monkeypatch.setenv("COLUMNS", "80")
    name = "left_gripper_inner_finger_of_the_wrist"
    arm = (
        f'<robot name="arm"><link name="base"/><link name="{name}_link"/><joint name="{name}_joint" '
        'type="revolute"><parent link="base"/>'
        f'<child link="{name}_link"/><axis xyz="0 0 1"/>'
        '<limit lower="-1.234567" upper="2.5" effort="1" velocity="1"/></joint></robot>'
    )
    (tmp_path / "arm.urdf").write_text(arm)
    shown = senn("list", "links", str(tmp_path / "arm.urdf")).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "revolute, -1.235 .. 2.5" in " ".join(shown.split())
    assert shown.splitlines()[0].endswith("joints")


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("demo",), "base"),
        (("export", "r", "-o", "r.fst"), "fst"),
        (("export", "r", "-o", "my r.fst", "--force"), "fst"),
        (("export", "r", "--to", "otf2"), "otf2"),
        (("export", "r", "-o", "r.json"), "base"),
    ],
)
def test_the_script_installs_what_the_command_needs(tmp_path, words, extra):
    """With a Python that only notes what pip is to install."""
    script = tmp_path / "run"
    script.write_bytes((ROOT / "run").read_bytes())
    (tmp_path / "pyproject.toml").touch()
    binaries = tmp_path / ".venv" / "bin"
    binaries.mkdir(parents=True)
    python = 'case "$*" in *-e*) echo "$*" >>"$NOTES" ;; *--version) echo Python 3.12.0 ;; esac'
    for path in (tmp_path / "python", binaries / "python", binaries / "senn"):
        path.write_text("\n".join(("#!/bin/sh", python if path.name == "python" else 'echo "$*"', "")))
        path.chmod(0o755)
    notes = tmp_path / "notes"
    environment = {**os.environ, "PYTHON": str(tmp_path / "python"), "NOTES": str(notes)}
    done = subprocess.run(
        ["bash", script, *words], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert notes.read_text().strip().endswith(str(tmp_path) if extra == "base" else f"{tmp_path}[{extra}]")
    assert (binaries.parent / f"senn-{extra}.stamp").is_file()
    assert words[0] != "demo" or "-o runs/demo" in done.stdout
