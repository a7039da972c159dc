"""What users name is read once and wholly, or refused: no reader waits for a pipe or parses for ever."""

import os
import socket
from pathlib import Path

import pytest

from senn.base import files
from senn.base.errors import InputError


def test_a_text_is_read_as_people_save_it(tmp_path):
    """With a byte order mark and the line ends of another system."""
    path = tmp_path / "a.toml"
    path.write_bytes("\ufeffname = 'Käfer'\r\nn = 1\r".encode())
    assert files.text(path) == "name = 'Käfer'\nn = 1\n"
    assert files.toml(path) == {"name": "Käfer", "n": 1}


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    """A pipe that nobody writes to, an endless device, a socket, a folder, and none."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket"))
        for path, what in (
            (tmp_path / "pipe", "is a pipe, not a regular file"),
            (Path("/dev/zero"), "is a device, not a regular file"),
            (Path("/dev/full"), "is a device, not a regular file"),
            (tmp_path / "socket", "is a socket, not a regular file"),
            (tmp_path, "is a folder, not a file"),
            (tmp_path / "none", "no such file"),
            (tmp_path / "x\0y", "no such file"),
            (tmp_path / ("long" * 100), r"cannot be read \(File name too long\)"),
        ):
            for read in (files.content, files.text, files.toml, files.refuse_absent):
                with pytest.raises(InputError, match=what):
                    read(path)


def test_a_link_is_what_it_leads_to(tmp_path):
    (tmp_path / "there").write_text("n = 1")
    (tmp_path / "link").symlink_to("there")
    (tmp_path / "circle").symlink_to("circle")
    assert files.toml(tmp_path / "link") == {"n": 1}
    with pytest.raises(InputError, match="cannot be read"):
        files.text(tmp_path / "circle")


def test_a_file_of_many_bytes_is_refused_unread(tmp_path):
    path = tmp_path / "large.toml"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(InputError, match=r"has 1,099,511,627,776 bytes or more; at most 67,108,864 are read"):
        files.text(path)


def test_a_file_that_says_it_is_empty_and_is_not_ends(tmp_path, monkeypatch):
    """Files of /proc have size 0 and any length."""
    monkeypatch.setattr(files, "LARGEST", 100)
    with pytest.raises(InputError, match="at most 100 are read"):
        files.content("/proc/self/smaps")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "latin.toml"
    path.write_bytes("name = 'Käfer'".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.toml: cannot be read \(not a text file in UTF-8\)"):
        files.toml(path)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("a = " + "[" * 1500 + "]" * 1500, "deep inside each other"),
        ("a = " + "{b=" * 1500 + "1" + "}" * 1500, "deep inside each other"),
        ("a = " + "[" * 100 + "]" * 100, "more than 64 deep inside each other"),
        (".".join("a" * 100) + " = 1", "more than 64 deep inside each other"),
        ("[" + ".".join("a" * 100_000) + "]", "a key has too many parts"),
        ('"a b" . ' * 100_000 + "c = 1", "a key has too many parts"),
        ("a = " + "9" * 5000, "is not TOML: Exceeds the limit"),
        ("a = 0x" + "f" * 5000, "a has more than 64 bits"),
        (
            "[[b]]\nx = 1\n[[b]]\nx = [0, 9223372036854775808]",
            "b, number 2.x, number 2 has more than 64 bits",
        ),
        ("a = 1\na = 2", "is not TOML: Cannot overwrite a value"),
        ("a\0 = 1", "is not TOML"),
    ],
)
def test_toml_that_nobody_wrote_is_refused(written, said):
    with pytest.raises(InputError, match=said) as refusal:
        files.toml_of(written, "mine.toml")
    assert str(refusal.value).startswith("mine.toml: ")


def test_toml_that_people_write_is_read():
    """The largest integers, texts with many points, and rows upon rows of numbers."""
    long = ". ".join(["A sentence"] * 500)
    written = f"i = [9223372036854775807, -9223372036854775808]\nq = {[0.5] * 5000}\nt = '{long}'"
    found = files.toml_of(written, "mine.toml")
    assert found == {"i": [2**63 - 1, -(2**63)], "q": [0.5] * 5000, "t": long}


def test_toml_of_millions_of_entries_is_refused_before_it_is_read():
    with pytest.raises(InputError, match=r"^a\.toml: has more than 2,097,152 entries; write fewer$"):
        files.toml_of("a = [" + "1," * (2**21 + 1) + "]", "a.toml")
