"""`senn steps`, `senn optimise` and `senn program`: counts, laws, tables and text."""

import json
from pathlib import Path

import pytest

from senn.machine.engines import classes
from tests.senn.cli.command import json_of, senn


def _hand_law(points):
    """(a, b) of the line through the first and the last point."""
    (first, low), *_, (last, high) = points
    a = (high - low) / (last - first)
    return a, low - a * first


@pytest.mark.fast("options1*", "options2*", "options5*")
@pytest.mark.parametrize(
    ("options", "engines"),
    [
        ((), ["lockstep", *["classes"] * 5]),
        (("--residency", "ahead", "--form", "short"), ["lockstep", *["classes"] * 5]),
        (("--residency", "home"), ["lockstep"] * 6),
        (("--allocation", "gray"), ["lockstep"] * 6),
        (("--elimination", "oer", "--form", "short"), ["lockstep", *["classes"] * 5]),
        (("--set", "machine.ports=one"), ["events"] * 6),
    ],
)
def test_steps_names_the_engine_that_timed_each_row(options, engines, monkeypatch):
    """Counts and times by classes of channels are those of the other engines."""
    words = ("steps", "--n", "1:8", "--json", *options)
    rows = json.loads(senn(*words).stdout)["rows"]
    assert [row.pop("engine") for row in rows] == engines
    monkeypatch.setattr(classes, "fits", lambda program, machine: False)
    others = json.loads(senn(*words).stdout)["rows"]
    assert {row.pop("engine") for row in others} == set(engines) - {"classes"}
    assert rows == others


def test_steps_gives_the_law(folder):
    """Issued instructions and network steps are a M + b from n = 3 on: the line through two sizes."""
    document = json.loads(senn("steps", "--n", "1,2,3,4,8,13,16,32", "--json").stdout)
    rows = document["rows"]
    counts = {"instructions", "network_steps", "makespan", "messages", "engine"}
    assert rows[3].keys() == {"n", "levels", *counts, "by_array"}
    assert rows[3]["instructions"] == sum(one["instructions"] for one in rows[3]["by_array"].values())
    assert [(row["n"], row["levels"]) for row in rows] == [
        (1, 0), (2, 1), (3, 2), (4, 2), (8, 3), (13, 4), (16, 4), (32, 5)
    ]  # fmt: skip
    text = " ".join(senn("steps", "--n", "1,2,3,4,8,13,16,32").stdout.split())
    assert document["fits"].keys() == {"by_array", "network_steps", "makespan"}
    fits = document["fits"]
    counted = {"network steps": ([row["network_steps"] for row in rows], fits["network_steps"])}
    for k in "12":
        values = [row["by_array"][k]["instructions"] for row in rows]
        counted[f"instructions, array {k}"] = values, fits["by_array"][k]["instructions"]
    for title, (values, law) in counted.items():
        a, b = _hand_law([(row["levels"], value) for row, value in zip(rows[2:], values[2:], strict=True)])
        assert law == {"square": 0, "a": a, "b": b, "sizes": "every n tried", "from": 3}
        assert f"{title} {a:.0f} M + {b:.0f} every n tried, from 3 on" in text
    assert "Also tried: n = 5, 9 and 17." in text


def test_steps_at_home_are_not_logarithmic_time():
    """At home the instructions have a law from n = 2 on, the network steps none, and it is said."""
    done = senn("steps", "--n", "2,4,8,16,32", "--residency", "home")
    text = " ".join(done.stdout.split())
    assert "Logarithmic steps are not logarithmic time." in text
    exact = [line for line in done.stdout.splitlines() if line.endswith("every n tried, from 2 on")]
    assert [line.split("  ")[1] for line in exact] == ["instructions, array 1", "instructions, array 2"]
    assert "network steps no law in M makespan (cycles) no law in M" in text


@pytest.mark.fast("1,2*", "4:13*", "4:16*")
@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ("1,2", "No law: it needs three different M."),
        ("4,8", "No law: it needs three different M."),
        ("3,4,8,16,32", "makespan (cycles) 33,760 M + 19,302 n = 2^k, from 4 on"),
        ("4:32", "makespan (cycles) 33,760 M + 19,302 n = 2^k and 3 2^(k-1), from 4 on"),
        ("4:13:1", "makespan (cycles) no law in M"),
        ("4:16:1", "makespan (cycles) 33,760 M + 19,302 every n tried but 2^k + 1, from 4 on"),
    ],
)
def test_steps_says_when_a_law_means_nothing(sizes, text):
    """Too few sizes are counted and not fitted; and a law says for which n it is exact."""
    assert text in " ".join(senn("steps", "--n", sizes, "--machine", "mark3").stdout.split())


def test_steps_of_many_arrays():
    """Instructions by array in one column, equal neighbours once; a law each; a word on network steps."""
    words = ("steps", "--n", "4,5,8,16", "--arrays", "8")
    lines = senn(*words).stdout.splitlines()
    row = next(line for line in lines if line.startswith(" 8 "))
    assert "60, 184, 5 x 26, 20" in row
    every = [line for line in lines if line.endswith("every n tried, from 4 on")]
    assert [line.split("  ")[1] for line in every] == [f"instructions, array {k}" for k in range(1, 9)]
    assert any("network steps" in line and line.endswith("n = 2^k, from 4 on") for line in lines)
    document = json.loads(senn(*words, "--json").stdout)
    by_array = document["rows"][2]["by_array"]
    assert list(by_array) == list("12345678")
    assert [by_array[k]["instructions"] for k in "1238"] == [60, 184, 26, 20]
    law = {"square": 0, "a": 6, "b": 2, "sizes": "every n tried", "from": 4}
    assert document["fits"]["by_array"]["8"]["instructions"] == law


def test_program_of_a_variant():
    """The head says what differs from the paper's program; `ahead` has a program of its own."""
    text = senn("program", "--n", "4", "--residency", "ahead", "--arrays", "1", "--step", "I.b").stdout
    assert text.splitlines()[0].endswith("n_c = 6, 1 array, ahead")
    assert "i = 1..4, at the place of level 2" in text


@pytest.mark.parametrize(
    ("search", "start", "bound"),
    [
        ("renamings", ("--residency", "home", "--allocation", "gray"), "every renaming"),
        ("levels", (), "every table"),
    ],
)
def test_optimise_writes_a_table_that_ends_as_it_says(folder, search, start, bound):
    """The table of -o, given to another command, has the makespan that was found."""
    found = json_of("optimise", "--n", "4", "--search", search, *start, "-o", "new/table.csv")
    (row,) = json_of("steps", "--n", "4", *start, "--allocation", "new/table.csv")["rows"]
    assert row["makespan"] == found["makespan"] < found["starts"][0]["makespan"]
    assert found["bounds"][bound]["cycles"] == found["makespan"]
    assert (found["optimal"], found["gap"]) == (True, 0)
    assert [path.name for path in Path().rglob("*") if path.is_file()] == ["table.csv"]


def test_optimise_says_what_it_found_and_why(folder):
    """The verdict, the bounds with their reasons, the placements tried and the table, on the screen."""
    text = " ".join(senn("optimise", "--n", "4", "--residency", "home").stdout.split())
    assert 'Optimal: it meets the bound "every renaming": all 24 renamings were bounded' in text
    assert "dilation no placement has all partners at one hop: at best" in text
    assert "24 placements bounded" in text
    assert text.endswith("Nodes of processes 1, 2, ... home 0 1 2 3")
    two = senn("optimise", "--n", "4", "--allocation", "identity,gray", "--residency", "home").stdout
    assert "  array 1, home" in two
    assert "  array 2, home" in two
    levels = " ".join(senn("optimise", "--n", "4", "--search", "levels").stdout.split())
    assert "Below these no table can come" in levels
    assert "levels 1 to 2 as 1 " in levels


def test_program_is_the_papers_text():
    """I.b.5 sends D to process i + h, h = 2 at level 2 (Fijany VI.D); another form is another program."""
    text = senn("program", "--n", "4", "--step", "I.b.5").stdout
    assert text.splitlines()[0] == "closed chain, form paper, n = 4, M = 2, refine = 0, n_c = 6"
    sends = [line.split()[1:] for line in text.splitlines() if " send " in line]
    assert [" ".join(words) for words in sends] == [
        "send D_i^0 -> PR_{1,i+1} i = 1..3",
        "send D_i^1 -> PR_{1,i+2} i = 1..2",
    ]
    assert "form omega" in senn("program", "--form", "omega").stdout.splitlines()[0]
