"""Every claim of the paper, on small sizes; expected values from hand counts and from the SimPy engine."""

import re
from functools import cache
from importlib import resources
from pathlib import Path

import polars as pl
import pytest

from experiments.claims import CLAIMS, Finding, Scope, chosen, expense, scope
from experiments.claims.claim import Row
from experiments.measuring import Trial, placed
from experiments.page import DATA, data, place, printed, written
from experiments.paper import claims as script
from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.program import Operations
from senn.machine.rewrite import keep
from senn.traces.record import Trace
from senn.words import timed
from tests.experiments.claims.own_machines import tried

SMALL = Scope((8, 16, 32, 64), ("ideal", "mark3", "maspar"), few=(8, 16, 32, 64))
SMALLER = Scope((8, 16), ("ideal", "mark3"), few=(8, 16))
DEAR = ("senn-optimal", "mimd-suitable", "more-processors", "limited-speed-up", "elimination", "strategy-two")


@cache
def found(name: str) -> Finding:
    """On few sizes and machines, and fewer where every case is a program of its own."""
    (claim,) = chosen((name,))
    return claim.examine(SMALLER if name in DEAR else SMALL)


def row(name: str, table: int, **key: object) -> Row:
    """The one row of a table with these entries."""
    (one,) = (r for r in found(name).figures[table].rows if all(r[k] == v for k, v in key.items()))
    return one


def simpy(n: int, machine: str, form: str = "paper", arrays: int = 2) -> Trace:
    """The same run by the other engine."""
    code = variants.closed_chain(n, form, arrays=arrays)
    return timed(code, machine, engine="events", detail="full").trace


# ------------------------------------------------------------------------------ verdicts


def test_claims_are_chosen_by_name_in_their_order() -> None:
    names = [claim.name for claim in CLAIMS]
    assert len(set(names)) == len(names)
    assert chosen(()) == CLAIMS
    assert [claim.name for claim in chosen((names[3], names[1]))] == [names[1], names[3]]
    with pytest.raises(InputError, match='claim "faster" is not known: the claims are strictly-sequential'):
        chosen(("faster",))


COLUMNS, *ROWS = data("claims", "claims")
CLAIMS_FILE = [dict(zip(COLUMNS, line, strict=True)) for line in ROWS]
QUOTATIONS = (Path(__file__).parent / "quotations.txt").read_text(encoding="utf-8").strip().split("\n\n")
"""Name, place and sentence of every claim, copied from the text of the paper."""


def test_sentences_are_those_of_the_paper() -> None:
    """Formulas are in plain letters; [...] where words are left out."""
    assert [f"{claim.name}, {claim.place}\n{claim.says}" for claim in CLAIMS] == QUOTATIONS


def test_data_file_has_every_claim_as_it_is_said() -> None:
    texts = [(c.name, c.place, c.says, c.experiment, c.rule) for c in CLAIMS]
    columns = ("claim", "Fijany", "sentence", "experiment", "rule")
    assert [tuple(line[name] for name in columns) for line in CLAIMS_FILE] == texts


def test_page_of_verdicts_is_written_from_the_data() -> None:
    """Every claim in a row; pictures and data files are there, and each verdict is of the four words."""
    page = written("claims")
    for name, rows in script.TABLES.items():
        assert [line for line in printed("claims")[name] if line] == list(rows())
    named = re.findall(r"^\| \[([a-z-]+)\]", page, re.MULTILINE)
    assert sorted(named) == sorted(claim.name for claim in CLAIMS)
    words = re.findall(r"(?:\| |: )\*\*(\w+)\*\*", page)
    assert set(words) == {"holds", "fails", "depends", "untestable"}
    files = re.findall(r"\]\((\.\./(?:figures|data)/.*?)\)", page)
    assert all((place("claims").parent / name).is_file() for name in files)
    kept = {file.stem for file in (DATA / "claims").glob("*-[0-9].csv")}
    assert kept == {
        f"{line['claim']}-{k}" for line in CLAIMS_FILE for k, _ in enumerate(line["figures"].split(" // "), 1)
    }


def test_pages_count_the_verdicts_and_those_that_mark3_decides() -> None:
    """On the index of the paper, and on the page of machines."""
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
    (_, _, *corners), *rows = data("claims", "mark3")
    changed = {(name, era): cases for name, era, *cases in rows if len(set(cases)) > 1}
    section = written("machine").split("### mark3\n")[1].split("\n### ")[0]
    assert {name for name, _ in changed} == set(re.findall(r"`([a-z]+-[a-z-]+)`", section))
    for cases in changed.values():
        assert [corners[k] for k, case in enumerate(cases) if case == "yes"] == [
            "flop = 8, startup = 250, word = 32"
        ]
    assert ("mimd-suitable", "1993") in changed
    assert ("mimd-suitable", "today") not in changed


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


def test_no_verdict_follows_from_messages_that_are_assumed() -> None:
    """Of every claim by machine: ideal and fijany are no cases, and alone nothing can be tested."""
    (claim,) = chosen(("step-two-hidden",))
    both = claim.examine(Scope((8,), ("ideal", "fijany", "mark3"), (8,)))
    assert [*both.verdict.cases] == ["mark3"]
    assert {row["machine"] for row in both.figures[0].rows} == {"ideal", "fijany", "mark3"}
    alone = claim.examine(Scope((8,), ("fijany",), (8,)))
    assert alone.verdict.word == "untestable"


# -------------------------------------------------------------------------- O(log N), optimal


def test_steps_are_logarithmic_and_cycles_only_with_migration() -> None:
    """Array 1 of VI.D by hand: twelve lines in a level of I.b and five of I.c.2; two more migrate."""
    assert row("logarithmic-steps", 0, form="paper", residency="home")["array 1"] == "17 M + 11"
    assert row("logarithmic-steps", 0, form="paper", residency="migrating")["array 1"].startswith("19 M + ")
    assert found("logarithmic-steps").verdict.cases == {"home": False, "migrating": True}
    assert found("logarithmic-steps").verdict.condition == "data migrating"


def test_processors_times_time_is_not_optimal() -> None:
    """2 n (a M + b) over c n: it grows like log n."""
    finding = found("optimal")
    assert finding.today is not None
    assert list(finding.today.cases.values()) == [True, False]
    assert list(finding.verdict.cases.values()) == [True, False]
    ratios = [r["processors x cycles / serial, today"] for r in finding.figures[0].rows if r["n"] >= 32]
    # 32 -> 64: a M + b grows from 10,510 to 12,259 cycles, the serial work, 507 n + 2,201, by 1.88.
    assert ratios[1] / ratios[0] == pytest.approx(12_259 / 10_510 * 2 / 1.881, rel=0.01)
    assert simpy(32, "ideal").instructions["end"].max() == 10_510


# ---------------------------------------------------------------------------------- network


def test_senn_matches_only_migrating_data() -> None:
    """Three steps for K (neighbour, un-shuffle, and one of two on the same wire), whatever n."""
    verdict = found("senn-matches").verdict
    assert (verdict.word, verdict.condition) == ("holds", "data migrating")
    most = [
        r["most of a send"] for r in found("senn-matches").figures[0].rows if r["residency"] == "migrating"
    ]
    assert most == [3, 3, 3, 3]
    # At n = 8 the partner at distance 2 or 4 is two hops away, and two messages meet.
    assert row("senn-matches", 0, n=8, residency="home")["most of a send"] == 2
    gain = row("senn-matches", 1, machine="mark3", n=8)["home/migrating"]
    assert gain == float(f"{104_202 / 120_582:.3g}")


# ----------------------------------------------------------------------------------- hiding


@pytest.mark.parametrize(("machine", "hidden"), [("mark3", False), ("maspar", True)])
def test_step_two_hides_where_start_up_is_cheap(machine: str, hidden: bool) -> None:
    """From the trace of the SimPy engine: Step II against the arrival of Lambda^-1 at PR_{2,N}."""
    trace = simpy(16, machine)
    lines = trace.instructions.filter(pl.col("step").str.starts_with("II."), operation="compute")
    arrived = trace.messages.filter(value="Lambda^-1")["arrived"].item()
    measured = row("step-two-hidden", 0, machine=machine, n=16)
    assert measured["Lambda^-1 arrives"] == arrived
    assert measured["late by"] == max(0, lines["end"].max() - arrived)  # type: ignore[operator]
    assert found("step-two-hidden").verdict.cases[machine] is hidden is (measured["late by"] == 0)


def test_communication_is_hidden_where_messages_are_free(tmp_path: Path) -> None:
    """Operations of 354 cycles hide all but alpha + 15 beta = 1 + 15 x 69 = 1036 cycles a level of I.b."""
    finding = tried(
        "communication-hidden", tmp_path, "startup = 0\nword = 0", "startup = 1\nword = 69", flop=354
    )
    assert [*finding.verdict.cases.values()] == [True, False]
    stalls = [r for r in finding.figures[0].rows if r["machine"] == str(tmp_path / "1.toml")]
    trace = timed(variants.closed_chain(8), str(tmp_path / "1.toml"), engine="events", detail="full").trace
    of_b = pl.col("step").str.starts_with("I.b")
    assert trace.instructions.filter(of_b)["exposed"].sum() == 3 * 1036
    assert stalls[0]["migrating"] >= 3 * 1036


def test_inverse_inertias_come_early() -> None:
    """On the ideal machine at 111: a sine and a cosine (40), 42 m 28 a (70), and a cycle to post."""
    assert row("inverse-inertias-early", 0, machine="ideal", residency="home", n=8)["arrives"] == 111
    assert found("inverse-inertias-early").verdict.word == "holds"


# -------------------------------------------------------------------------------------- cost


def test_lambda_is_dear_only_by_a_sweep() -> None:
    """By hand, n = 8: 3 levels x 600, the solution 270, E' Omega 189, the difference 21; 60 words a level."""
    finding = found("lambda-dearer")
    assert row("lambda-dearer", 0, n=8)["operations I.c"] == 3 * 600 + 270 + 189 + 21
    assert row("lambda-dearer", 1, n=8)["operations I.c"] == 255 + 204 + 21
    assert row("lambda-dearer", 1, n=8)["words I.c"] == 21
    assert finding.today is not None
    assert (finding.verdict.word, finding.today.word) == ("holds", "fails")


def test_lambda_that_differs_is_no_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expense, "_difference", lambda: 1e-3)
    assert expense.lambda_dearer.examine(SMALLER).today is None


def test_serial_cost_is_not_as_said() -> None:
    """1122 operations a link (82 + 63 + 2, 12 + 6, 230 + 195 + 5, 75 + 70, 108 + 99, 94 + 81) over 457;
    what the paper counted is not known."""
    ours = 147 + 18 + 430 + 145 + 207 + 175
    rows = found("serial-cost").figures[0].rows
    assert [r["ratio"] for r in rows] == [float(f"{ours / best:.3g}") for best in (231 + 223 + 3, 429)]
    assert found("serial-cost").verdict.word == "untestable"


def test_closed_chain_is_better_without_the_sweep() -> None:
    """Six columns more: 6 x 145; the second application 207 + 145, or 126 + 95 for a force at the tip."""
    swept, short = 1122 + 6 * 145 + 207 + 145, 1122 + 126 + 95
    rows = found("serial-cost-closed").figures[0].rows
    assert [r["all"] for r in rows] == [swept, short, swept, short]
    assert [r["best"] for r in rows] == [769, 769, 469, 469]  # articulated bodies, PV-early
    finding = found("serial-cost-closed")
    assert finding.verdict.text.endswith("(3.05 times the operations a link, open chain 2.46)")
    assert finding.today is not None
    assert (finding.verdict.word, finding.today.word) == ("fails", "fails")


def test_a_cheaper_closed_chain_is_an_improvement(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {(1, 0, 0): 1122, (2, 6, 0): 1500, (1, 0, 1): 1343}
    made_up = lambda applications, columns=0, tips=0: Operations(counts[applications, columns, tips])  # noqa: E731
    monkeypatch.setattr(expense.costs, "constraint_forces", made_up)
    assert expense.serial_cost_closed.examine(SMALLER).verdict.word == "holds"  # 1500/769 < 1122/457


# ------------------------------------------------------------------- strategies, widths, networks


def test_strategy_two_computes_less_and_hides_more() -> None:
    """One 5x5 factor a level less, 30 m 20 a 5 d; and where array 2 is the last to end, it gains nothing."""
    for n, m in ((8, 3), (16, 4)):
        counted = row("strategy-two", 0, machine="mark3", n=n)
        assert counted["operations, 1"] - counted["operations, 2"] == 55 * m
    assert found("strategy-two").verdict.cases == {"mark3": True}
    assert row("strategy-two", 0, machine="mark3", n=16)["makespan, 1/2"] == 1.0
    assert row("strategy-two", 0, machine="ideal", n=16)["makespan, 1/2"] > 1.0


def test_elimination_has_more_lanes_and_messages() -> None:
    """Every process is a lane of every instruction of I.b; in reduction half of them drop out at a level."""
    finding = found("elimination")
    assert finding.verdict.word == "holds"
    for n in (8, 16):
        counted = row("elimination", 0, n=n)
        trace = simpy(n, "ideal")
        assert counted["operations, elimination"] == trace.activities["flops"].sum()
        steps = placed(Trial(n, "ideal")).network_steps()
        assert counted["messages a step, elimination"] == float(f"{trace.messages.height / steps:.3g}")
    assert row("elimination", 0, n=8)["makespan if messages are free, reduction"] < max(
        simpy(8, "ideal").instructions["end"]
    )


@pytest.mark.exhaustive
def test_no_network_of_as_few_wires_is_faster_on_mark3() -> None:
    """The full network is, with more wires; and to be faster is not to be optimal."""
    finding = found("senn-optimal")
    assert (finding.verdict.word, len(finding.figures[0].rows)) == ("untestable", 4)
    assert row("senn-optimal", 0, machine="mark3", n=16)["full"] < 0.99


def test_every_network_keeps_data_where_they_are_fastest() -> None:
    """On SENN and mark3 at home at n = 8 and migrating at n = 16, as the other engine finds."""
    home = {n: timed(variants.closed_chain(n), "mark3", "home", engine="events") for n in (8, 16)}
    best = {8: home[8].summary["makespan"], 16: max(simpy(16, "mark3").instructions["end"])}
    assert best[16] < home[16].summary["makespan"]
    ring = model.load("mark3").with_settings({"machine.network": "ring"})
    for n in (8, 16):
        other = timed(variants.closed_chain(n), ring, "home", engine="events").summary["makespan"]
        assert row("senn-optimal", 0, machine="mark3", n=n)["ring"] == float(f"{other / best[n]:.3g}")


def test_widths_help_where_something_is_left_to_share() -> None:
    """One array does all in turn; six more share Eq. (84)."""
    finding = found("more-processors")
    assert finding.verdict.word == "holds"
    narrow, wide = (max(simpy(8, "ideal", arrays=k).instructions["end"]) for k in (1, 2))
    assert row("more-processors", 0, machine="ideal", n=8)["paper, 2N over N"] == float(
        f"{narrow / wide:.3g}"
    )


def test_open_chain_on_one_array_is_limited_for_short_arms() -> None:
    """231 n - 152 m, 223 n - 166 a, n d and 2 n t on one node; without what the contact needs on N."""
    finding = found("limited-speed-up")
    assert finding.verdict.word == "holds"
    one = row("limited-speed-up", 0, machine="ideal", n=16)
    assert one["one node"] == 231 * 16 - 152 + 223 * 16 - 166 + 16 + 40 * 16
    open_chain = keep(variants.closed_chain(16, arrays=1), "qdd0")
    runs = [timed(open_chain, "ideal", kept, engine="events") for kept in ("home", "migrating")]
    assert one["N nodes"] == min(run.summary["makespan"] for run in runs)
    assert one["N nodes"] < max(simpy(16, "ideal", arrays=1).instructions["end"])


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ('control = "mimd"', "control = mimd: claims are about the paper's machine, control = simd"),
        ('network = "torus"', "network = torus: claims are about the paper's machine, network = senn"),
        ("nodes = 8", "nodes = 8: claims are about the paper's machine, nodes = 0"),
    ],
)
def test_a_machine_of_another_design_is_refused(tmp_path: Path, field: str, message: str) -> None:
    """Without stalls of arrays nothing would be exposed, and every claim about overlap would hold."""
    with pytest.raises(InputError, match=re.escape(message)):
        scope(quick=True, machines=(_with(tmp_path, field),))


def _with(folder: Path, field: str) -> str:
    """A machine file: raw with a field set."""
    text = (resources.files("senn.machine") / "presets" / "raw.toml").read_text(encoding="utf-8")
    path = folder / "machine.toml"
    path.write_text(text.replace("[machine]\n", f"[machine]\n{field}\n"))
    return str(path)
