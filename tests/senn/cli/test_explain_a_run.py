"""`senn explain RUN` and `senn plot`: tables, sentences and pictures of a run and of its parts."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

import senn as library
from senn.traces import analysis
from senn.traces.explained import explained
from tests.senn.cli.command import json_of, senn

PARTS = [(), ("I.b",), ("message", "3"), ("node", "1:0")]


@pytest.mark.parametrize("part", PARTS, ids=" ".join)
def test_a_run_is_told_in_sentences(kept, part):
    """The paragraphs of the library, wrapped; and with --json its figures."""
    said = explained(library.open_run(kept), *part)
    done = senn("explain", str(kept), *part)
    assert (done.exit_code, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    assert " ".join([said.figures["title"], *said.figures["text"]]) in words
    assert all(section.heading in words for section in said.sections)
    assert max(map(len, done.stdout.splitlines())) <= 80

    document = json.loads(senn("explain", str(kept), *part, "--json").stdout)
    assert (document["text"], document["folder"]) == (list(said.figures["text"]), str(kept))
    assert document.keys() == {"folder", *said.figures, *([] if part else ["run"])}


def test_a_word_and_a_run_are_told_apart(folder, kept):
    """What has a run in it is a run; a folder without one is refused as such only where it is no word."""
    Path("exposed").mkdir()
    assert senn("explain", "exposed").stdout.startswith("exposed\n\nCycles of messages")
    library.open_run(kept).save("hidden")
    assert "\nclosed chain, n = 3, on mark3\n" in senn("explain", "hidden").stdout
    Path("empty").mkdir()
    for name in ("empty", "no/such/run"):
        done = senn("explain", name)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(f"senn: {name} is not a run folder: it has no run.json")
    assert senn("explain", "dependency", "wait").exit_code == 0
    assert "is explained nowhere" in senn("explain", "no" * 3000).stderr


@pytest.mark.parametrize("detail", ["instructions", "summary"])
def test_of_a_run_of_less_detail_the_summary_is_printed(folder, detail):
    library.run("random:2", detail=detail, numbers=False).save("run")
    text = senn("explain", "run").stdout
    assert f"spent on  not told: it takes the messages, which detail {detail}" in text
    assert f"the detail of this run is {detail}. Run again with --detail full." in " ".join(text.split())


def _numbers(line):
    return [int(one.replace(",", "")) for one in re.findall(r"(?<!\S)[\d,]+(?!\S)", line)]


def test_the_critical_path_as_a_table(kept):
    """Every piece has a line; the last column sums to the makespan."""
    run = library.open_run(kept)
    path = analysis.critical_path(run.trace, run.description["machine"])
    lines = senn("explain", str(kept), "critical").stdout.split("Critical path\n")[1].splitlines()[2:]
    assert [_numbers(line)[-2:] for line in lines] == [[p.start, p.end - p.start] for p in path]
    document = json.loads(senn("explain", str(kept), "critical", "--json").stdout)
    assert [(one["start"], one["end"], one["label"]) for one in document["critical_path"]] == [
        (p.start, p.end, p.label) for p in path
    ]
    assert sum(document["spent"].values()) == document["makespan"] == run.summary["makespan"]


def test_a_message_as_a_table(kept):
    """Of two channels, each with a line."""
    run = library.open_run(kept)
    number = run.trace.hops.filter(hop=1)["message"][0]
    document = json.loads(senn("explain", str(kept), "message", str(number), "--json").stdout)
    assert document["message"] == run.trace.messages.row(number, named=True)
    assert document["hops"] == run.trace.hops.filter(message=number).to_dicts()
    text = senn("explain", str(kept), "message", str(number)).stdout
    for hop in document["hops"]:
        (line,) = (line for line in text.splitlines() if line.startswith(f"  {hop['wire']} "))
        assert _numbers(line)[:3] == [hop["queued"], hop["start"], hop["end"]]
    here = run.trace.messages.join(run.trace.hops, left_on="id", right_on="message", how="anti")["id"]
    assert senn("explain", str(kept), "message", str(here[0])).stdout.endswith("Channels\n  none\n")


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
