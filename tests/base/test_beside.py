"""What is written beside its place: there whole or not at all, and nothing of it left over."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from senn.base import files
from senn.base.errors import InputError
from tests.places import ENVIRONMENT

KILLED = """
import os, signal, sys
from pathlib import Path
from senn.base import files
from senn.base.errors import InputError

with files.writing_folder(Path(sys.argv[1])) as new:
    (new / "table").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def _killed(place):
    """A process that is killed, without a chance to clean up, while it writes a folder."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(place)], env=ENVIRONMENT, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


def _names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def _content(folder):
    return {entry.name: entry.read_text() for entry in folder.iterdir()}


def test_a_file_is_replaced_whole(tmp_path):
    """Folders above it are made; nothing else stays."""
    path = tmp_path / "deep" / "table.csv"
    for content in (b"0,1\n", b"1,0\n"):
        files.write(path, content)
        assert path.read_bytes() == content
    assert _names(tmp_path / "deep") == ["table.csv"]


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    """Whatever stops the writing, at whatever moment: also before the name is taken."""
    path = tmp_path / "table.csv"
    path.write_text("old")
    for target in ("os.fsync", "os.replace"):
        with monkeypatch.context() as patched:
            patched.setattr(target, _stopped)
            with pytest.raises(KeyboardInterrupt):
                files.write(path, b"new")
        assert _content(tmp_path) == {"table.csv": "old"}


def _stopped(*_arguments, **_options):
    raise KeyboardInterrupt


def _filled(place, text):
    with files.writing_folder(place) as new:
        (new / "table").write_bytes(text.encode())


@pytest.mark.parametrize("system", ["as it is", "in two steps"])
def test_a_folder_is_replaced_whole(tmp_path, monkeypatch, system):
    if system == "in two steps":
        monkeypatch.setattr(files, "_exchanged", lambda one, other: False)
    place = tmp_path / "run"
    _filled(place, "first")
    (place / "more").touch()
    _filled(place, "second")
    assert _content(place) == {"table": "second"}
    (tmp_path / "empty").mkdir()
    _filled(tmp_path / "empty", "third")
    assert _content(tmp_path / "empty") == {"table": "third"}
    assert _names(tmp_path) == ["empty", "run"]


class _Stopping(str):
    """A text that cannot be written to its end."""

    def encode(self, *_arguments, **_options):
        raise KeyboardInterrupt


@pytest.mark.parametrize("system", ["as it is", "in two steps"])
@pytest.mark.parametrize("stopped", ["write", "rename"])
def test_a_folder_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch, system, stopped):
    """Also where the last step fails, after the old one has lost its name."""
    if system == "in two steps":
        monkeypatch.setattr(files, "_exchanged", lambda one, other: False)
    place, rename = tmp_path / "run", os.rename
    _filled(place, "old")

    def no_new_name(source, target):
        if Path(target) == place and Path(source).name == "new" and not (system[0] == "i" and place.exists()):
            raise PermissionError(13, "Permission denied")
        rename(source, target)

    monkeypatch.setattr("os.rename", no_new_name)
    with pytest.raises(InputError if stopped == "rename" else KeyboardInterrupt):
        _filled(place, _Stopping("new") if stopped == "write" else "new")
    assert _content(place) == {"table": "old"}
    assert _names(tmp_path) == ["run"]


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="two names are exchanged there")
def test_a_full_folder_is_never_without_its_name(tmp_path, monkeypatch):
    """Where the system can, it is exchanged in one step: there is no moment for a kill in between."""
    place = tmp_path / "run"
    _filled(place, "old")
    renamed = []
    rename = os.rename
    monkeypatch.setattr("os.rename", lambda *names: (renamed.append(names[0]), rename(*names)))
    _filled(place, "new")
    assert [Path(one).name for one in renamed] == ["new"]
    assert _content(place) == {"table": "new"}


def test_a_killed_process_leaves_something_only_until_the_next(tmp_path):
    """SIGKILL leaves a folder that looks like no run; whoever writes there next removes it."""
    _killed(tmp_path / "run")
    (left,) = _names(tmp_path)
    assert left.startswith(".run.")
    assert left.endswith(".partial")
    files.put(tmp_path / "one of many", b"")
    assert left in _names(tmp_path)
    _filled(tmp_path / "other", "x")
    assert _names(tmp_path) == ["one of many", "other"]
    _killed(tmp_path / "run")
    files.write(tmp_path / "one of many", b"")
    assert _names(tmp_path) == ["one of many", "other"]


def test_what_another_process_is_writing_is_left_alone(tmp_path):
    """It is locked as long as that process lives; once it is gone, it is swept away."""
    waiting = KILLED.replace("os.kill(os.getpid(), signal.SIGKILL)", "print(flush=True); sys.stdin.read()")
    command = [sys.executable, "-c", waiting, str(tmp_path / "run")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=ENVIRONMENT, **pipes) as process:
        process.stdout.readline()
        files.sweep(tmp_path)
        assert len(_names(tmp_path)) == 1
        process.kill()
        process.wait()
        files.sweep(tmp_path)
        assert _names(tmp_path) == []


def test_a_writer_goes_on_when_it_was_swept_away_too_soon(tmp_path, monkeypatch):
    """Between the making of a folder and its lock a sweep may take it for a leftover: another is made."""
    made, mkdtemp = [], files.tempfile.mkdtemp

    def swept(**options):
        made.append(mkdtemp(**options))
        if len(made) == 1:
            files.sweep(tmp_path)
        return made[-1]

    monkeypatch.setattr(files.tempfile, "mkdtemp", swept)
    _filled(tmp_path / "run", "x")
    assert len(made) == 2
    assert _content(tmp_path / "run") == {"table": "x"}
    assert _names(tmp_path) == ["run"]


def test_a_lock_on_what_was_swept_away_is_none(tmp_path, monkeypatch):
    """The same between its opening and its lock: the lock is got, and the folder has gone."""
    locks, flock = [], files.fcntl.flock

    def swept(descriptor, how):
        locks.append(descriptor)
        if len(locks) == 1:
            files.sweep(tmp_path)
        flock(descriptor, how)

    monkeypatch.setattr(files.fcntl, "flock", swept)
    _filled(tmp_path / "run", "x")
    assert len(locks) == 3  # the writer's, the sweep's, and that of the writer's second folder
    assert _content(tmp_path / "run") == {"table": "x"}
    assert _names(tmp_path) == ["run"]


def test_only_what_is_certainly_left_over_is_swept_away(tmp_path):
    """Not what others call something like it, not a folder of other things, nor a run without its name."""
    for name in (".a.partial", ".a.12345678.part", "a.12345678.partial", ".mine.abcdefgh.partial"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine").touch()
    (tmp_path / ".file.abcdefgh.partial").touch()
    (tmp_path / ".run.abcdefgh.partial").mkdir()
    (tmp_path / ".run.abcdefgh.partial" / "old").mkdir()
    (tmp_path / ".run.abcdefgh.partial" / "new").mkdir()
    before = _names(tmp_path)
    (tmp_path / ".left.abcdefgh.partial").mkdir()
    (tmp_path / ".left.abcdefgh.partial" / "new").mkdir()
    files.sweep(tmp_path)
    assert _names(tmp_path) == before


def test_long_names_are_written_too(tmp_path):
    """255 bytes, the most that a file system takes, also of letters of several bytes."""
    for name in ("x" * 255, "\u00e4" * 127):
        files.write(tmp_path / name, b"x")
    assert len(_names(tmp_path)) == 2
