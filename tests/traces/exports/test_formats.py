"""The table of formats: which file is which, what is refused, and that nothing is left half-written."""

import gzip

import pytest

from senn.base.errors import InputError
from senn.traces.exports import FORMATS, export, format_of
from tests.traces.exports.readers import needs
from tests.traces.hand_trace import hand_run


def test_a_file_is_known_by_its_end(tmp_path):
    """Compressed or not; a name that is given goes before."""
    for name, one in FORMATS.items():
        assert format_of(tmp_path / f"a.b{one.suffix}").name == name
    assert format_of(tmp_path / "a.csv.gz").name == "csv"
    assert format_of(tmp_path / "a.json", "csv").name == "csv"


def test_the_way_out_is_said(tmp_path):
    """A file of any kind, a format that is none, a folder, too little detail, a place that cannot be."""
    (tmp_path / "file").touch()
    run = hand_run()
    for place, to, said in (
        ("run.xyz", None, "run.xyz: an export ends in .pftrace (perfetto), .fst (fst)"),
        ("run.json", "xyz", 'there is no format "xyz"; choose perfetto, fst'),
        ("run.json", "chrome", 'format "chrome" is gone: write perfetto, a file that ends in .pftrace'),
        ("", "csv", "is a folder; name a file in it, such as "),
        ("file/run.csv", None, "file is a file, not a folder; choose another place"),
    ):
        with pytest.raises(InputError) as error:
            export(run, tmp_path / place, to)
        assert said in str(error.value)
    with pytest.raises(InputError, match=r"needs the hops of the run, .* run again with detail 'full'"):
        export(run.at_detail("instructions"), tmp_path / "run.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.fast("csv")
@pytest.mark.parametrize("to", [one.name for one in FORMATS.values() if one.form != "folder"])
def test_a_file_is_there_whole_or_not_at_all(to, tmp_path, monkeypatch):
    """What is there is replaced by the same bytes every time, compressed too; an error leaves the old."""
    if FORMATS[to].needs:
        needs(FORMATS[to].needs)
    path = tmp_path / "run"
    path.write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr("os.replace", _stopped)
        with pytest.raises(KeyboardInterrupt):
            export(hand_run(), path, to)
    assert path.read_text() == "old"
    content = export(hand_run(), path, to).read_bytes()
    assert export(hand_run(), path, to).read_bytes() == content
    if FORMATS[to].form == "plain":
        packed = export(hand_run(), tmp_path / "run.gz", to)
        assert gzip.decompress(packed.read_bytes()) == content
        packed.unlink()
    assert [one.name for one in tmp_path.iterdir()] == ["run"]


def _stopped(*_):
    raise KeyboardInterrupt


def test_a_run_is_exported(tmp_path, monkeypatch):
    """`run.export`: the same file, its path as text too."""
    import senn

    monkeypatch.chdir(tmp_path)
    run = senn.run("random:2", machine="raw", numbers=False)
    assert run.export("a.csv").read_bytes() == export(run, tmp_path / "b.csv").read_bytes()
    assert run.export("c.txt", to="csv").read_bytes() == (tmp_path / "a.csv").read_bytes()
