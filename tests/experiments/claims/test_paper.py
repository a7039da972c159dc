"""The claims of the paper: their sentences and data, and three of them on small sizes, by hand."""

import re
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from experiments.claims import CLAIMS, Finding, Scope
from experiments.claims.claim import Row
from experiments.measuring import machine
from experiments.page import DATA, data, place, printed, written
from experiments.paper import claims as script
from senn.algorithms.programs import variants
from senn.api.programs import timed

SMALL = Scope((8, 16, 32), ("ideal", "mark3", "maspar"), few=(8, 16, 32))


@cache
def found(name: str) -> Finding:
    """On few sizes and machines."""
    return CLAIMS[name].examine(SMALL)


def row(name: str, table: int, **key: object) -> Row:
    """The one row of a table with these entries."""
    (one,) = (r for r in found(name).figures[table].rows if all(r[k] == v for k, v in key.items()))
    return one


# ------------------------------------------------------------------------------ verdicts


COLUMNS, *ROWS = data("claims", "claims")
CLAIMS_FILE = [dict(zip(COLUMNS, line, strict=True)) for line in ROWS]
QUOTATIONS = (Path(__file__).parent / "quotations.txt").read_text(encoding="utf-8").strip().split("\n\n")
"""Name, place and sentence of every claim, copied from the text of the paper."""


def test_sentences_are_those_of_the_paper() -> None:
    """Formulas are in plain letters; [...] where words are left out."""
    assert [f"{claim.name}, {claim.place}\n{claim.says}" for claim in CLAIMS.values()] == QUOTATIONS


def test_data_file_has_every_claim_as_it_is_said() -> None:
    texts = [(c.name, c.place, c.says, c.experiment, c.rule) for c in CLAIMS.values()]
    columns = ("claim", "Fijany", "sentence", "experiment", "rule")
    assert [tuple(line[name] for name in columns) for line in CLAIMS_FILE] == texts


def test_page_of_verdicts_is_written_from_the_data() -> None:
    """Every claim in a row; pictures and data files are there, and each verdict is of the four words."""
    page = written("claims")
    for name, rows in script.TABLES.items():
        assert [line for line in printed("claims")[name] if line] == list(rows())
    named = re.findall(r"^\| \[([a-z-]+)\]", page, re.MULTILINE)
    assert sorted(named) == sorted(CLAIMS)
    words = re.findall(r"(?:\| |: )\*\*(\w+)\*\*", page)
    assert set(words) == {"holds", "fails", "depends", "untestable"}
    files = re.findall(r"\]\((\.\./(?:figures|data)/.*?)\)", page)
    assert all((place("claims").parent / name).is_file() for name in files)
    kept = {file.stem for file in (DATA / "claims").glob("*-[0-9].csv")}
    assert kept == {
        f"{line['claim']}-{k}" for line in CLAIMS_FILE for k, _ in enumerate(line["figures"].split(" // "), 1)
    }


def test_index_of_the_paper_counts_the_verdicts() -> None:
    words = [line["verdict"] for line in CLAIMS_FILE]
    today = [line["verdict today"] or line["verdict"] for line in CLAIMS_FILE]
    holds, depends, fails, untestable = (
        words.count(word) for word in ("holds", "depends", "fails", "untestable")
    )
    sentence = (
        f"{holds} claims hold, {depends} depend on a condition, {fails} fail and {untestable} are "
        f"untestable; against those of today, {today.count('fails') - fails} more fails."
    )
    assert sentence in (DATA.parent / "paper" / "index.md").read_text(encoding="utf-8")


def test_page_of_machines_names_the_verdicts_that_unverified_figures_of_mark3_decide() -> None:
    decided = {(name, era) for name, era, on, *_ in data("claims", "unverified")[1:] if on == "mark3"}
    section = written("machine").split("### mark3\n")[1].split("\n### ")[0]
    assert {name for name, _ in decided} == set(re.findall(r"`([a-z]+-[a-z-]+)`", section))


def test_each_row_says_once_which_unverified_figures_it_rests_on() -> None:
    """No note of the page repeats them, and the figures have intervals in the preset."""
    rows = data("claims", "unverified")[1:]
    assert all(name in machine(on).intervals for _, _, on, _, figures, _ in rows for name in named(figures))
    cells = {line.split("](")[0].removeprefix("| ["): line for line in printed("claims")["timed"]}
    for name, _, on, _, figures, _ in rows:
        assert cells[name].count(f"{on}: {figures}") == 1
    assert "nverified" not in written("claims").split("## Notes")[1]


def named(figures: str) -> list[str]:
    """The names in "flop, startup and word together"."""
    return re.findall(r"\b(?!or\b|and\b|together\b)[a-z]+", figures)


def test_a_start_up_of_250_cycles_hides_step_two_on_mark3() -> None:
    (line,) = script.moved("step-two-hidden", "mark3")
    assert line.startswith("| step-two-hidden | 1993 | mark3 | no | startup |")
    assert line.endswith("startup = 250 |")


NOT_OF_MACHINES = (
    "strictly-sequential",
    "lambda-dearer",
    "other-projections",
    "explicit-inverse",
    "serial-cost",
    "serial-cost-closed",
)


@pytest.mark.parametrize("name", NOT_OF_MACHINES)
def test_quick_says_what_the_whole_says(name: str) -> None:
    """Where no machine plays a role."""
    verdict = found(name).verdict
    kept = {line["claim"]: (line["verdict"], line["condition"]) for line in CLAIMS_FILE}
    assert (verdict.word, verdict.condition) == kept[name]


def test_steps_are_logarithmic_and_cycles_only_with_migration() -> None:
    """Array 1 of VI.D by hand: twelve lines in a level of I.b and five of I.c.2; two more migrate."""
    assert row("logarithmic-steps", 0, form="paper", residency="home")["array 1"] == "17 M + 11"
    assert row("logarithmic-steps", 0, form="paper", residency="migrating")["array 1"].startswith("19 M + ")
    assert found("logarithmic-steps").verdict.cases == {"home": False, "migrating": True}
    condition = "data migrating, at the costs of both machines"
    assert found("logarithmic-steps").verdict.condition == condition


def test_communication_is_hidden_where_messages_are_free(tmp_path: Path) -> None:
    """Operations of 354 cycles hide all but alpha + 15 beta = 1 + 15 x 69 = 1036 cycles a level of I.b."""
    files = []
    for k, costs in enumerate(((0, 0), (1, 69))):
        figures = "startup = {}\nword = {}".format(*costs)
        timing = f"[timing]\nflop = 354\npost = 1\nreceive = 0\n{figures}\n"
        files.append(tmp_path / f"{k}.toml")
        files[k].write_text(f'[machine]\nname = "{k}"\nclock_mhz = 1\n{timing}')
    scope = Scope((8, 16, 32, 64), tuple(map(str, files)), few=(8, 32))
    finding = CLAIMS["communication-hidden"].examine(scope)
    assert [*finding.verdict.cases.values()] == [True, False]
    stalls = [r for r in finding.figures[0].rows if r["machine"] == str(files[1])]
    trace = timed(variants.closed_chain(8), str(files[1]), engine="events", detail="full").trace
    of_b = pl.col("step").str.starts_with("I.b")
    assert trace.instructions.filter(of_b)["exposed"].sum() == 3 * 1036
    assert stalls[0]["migrating"] >= 3 * 1036


def test_serial_cost_is_not_as_said() -> None:
    """1122 operations a link (82 + 63 + 2, 12 + 6, 230 + 195 + 5, 75 + 70, 108 + 99, 94 + 81) over 457;
    what the paper counted is not known."""
    ours = 147 + 18 + 430 + 145 + 207 + 175
    rows = found("serial-cost").figures[0].rows
    assert [r["ratio"] for r in rows] == [float(f"{ours / best:.3g}") for best in (231 + 223 + 3, 429)]
    assert found("serial-cost").verdict.word == "untestable"
