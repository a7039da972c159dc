"""`senn explain` and `senn plot` of a run, and of an arm."""

import json
from pathlib import Path

import polars as pl
import pytest

from tests.senn.cli.command import json_of, senn


def test_explain_counts_what_the_tables_hold(kept):
    """The step table is the instructions by section of the paper; I.a of three joints has its seven lines."""
    text = senn("explain", str(kept)).stdout
    rows = [line.split() for line in text.splitlines() if line.startswith("  array ")]
    counted = {(int(row[1]), row[2]): int(row[3]) for row in rows if row[2][0] in "IV" and row[3].isdigit()}
    assert counted[1, "I.a"] == 7  # I.a.1-5 and the implied I.a.4' and I.a.4''
    assert counted[2, "III"] == 2
    instructions = pl.read_parquet(kept / "instructions.parquet")
    assert sum(counted.values()) == instructions.height
    waits = [row for row in rows if "of" in row]
    stalled = instructions.filter(pl.col("stall") > 0)
    assert 0 < len(waits) <= stalled.height
    assert text.splitlines()[0].startswith(
        "problem     random:3: robot random:3, 3 joints, 2 directions held"
    )


def test_explain_prints_json_of_its_tables(kept):
    """All rows, not the longest eight; together the stalls of the trace, which is read by itself."""
    found = json.loads(senn("explain", str(kept), "--json").stdout)["run"]
    instructions = pl.read_parquet(kept / "instructions.parquet")
    assert found["makespan"] == instructions["end"].max()
    assert sum(row["instructions"] for row in found["steps"]) == instructions.height
    assert sum(row["cycles"] for row in found["steps"]) == (instructions["end"] - instructions["issue"]).sum()
    for kind, column in (("exposed_stall", "exposed"), ("dependency_wait", "dependency_wait")):
        assert sum(row[kind] for row in found["waits"]) == instructions[column].sum()


@pytest.mark.parametrize(
    ("kind", "file", "magic"),
    [
        (("timeline", "--arrows", "I.b.5", "--to", "9000", "--nodes", "0:2"), "deep/a.png", b"\x89PNG"),
        (("phases",), "a.svg", b"<?xml"),
        (("overlap",), "a.pdf", b"%PDF"),
        (("wavefront", "--step", "I.b.5"), "b.svg", b"<?xml"),
    ],
)
def test_plot_writes_the_format_of_the_suffix(folder, kept, kind, file, magic):
    """A picture is made whole, prints its path, replaces an older one, and is the same file every time."""
    done = senn("plot", str(kept), "--kind", *kind, "-o", file)
    assert (done.exit_code, done.stdout) == (0, f"{file}\n")
    first = Path(file).read_bytes()
    assert first.startswith(magic)
    assert senn("plot", str(kept), "--kind", *kind, "-o", file).exit_code == 0
    assert Path(file).read_bytes() == first
    assert [path.name for path in Path(file).parent.iterdir()] == [Path(file).name]


def test_an_arm_is_drawn(folder):
    """Of any problem that runs; the path is printed, the same file every time."""
    assert senn("plot", "ur5", "--kind", "arm", "-o", "arm.svg").stdout == "arm.svg\n"
    first = Path("arm.svg").read_bytes()
    assert first.startswith(b"<?xml")
    senn("plot", "ur5", "--kind", "arm", "-o", "arm.svg")
    assert Path("arm.svg").read_bytes() == first
    assert json_of("plot", "ur5", "--kind", "arm", "-o", "arm.svg") == {
        "problem": "ur5",
        "links": 6,
        "picture": "arm.svg",
    }
