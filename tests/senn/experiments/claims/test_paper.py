"""Every claim of the paper, on small sizes; expected values from hand counts and from the SimPy engine."""

import json
import re
from functools import cache
from importlib import resources
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from docs.make import claims as script
from docs.make.page import data, place, written
from senn.algorithms.programs import variants
from senn.cli.main import cli
from senn.experiments.claims import CLAIMS, FULL, QUICK, Claim, Finding, Scope, chosen, left_out
from senn.experiments.claims.claim import Row, either
from senn.machine import model
from senn.traces.errors import InputError
from senn.traces.record import Trace
from senn.words import timed
from tests.senn.experiments.claims.own_machines import tried

SMALL = Scope((8, 16, 32, 64), ("ideal", "mark3", "maspar"), few=(8, 16, 32, 64), searched=64)
SMALLER = Scope((8, 16), ("ideal", "mark3"), few=(8, 16), searched=16)
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


def test_a_verdict_follows_from_the_cases() -> None:
    def verdict(*held: bool) -> str:
        return Finding(dict(zip("abc", held, strict=False)), "x is {}", "", ()).verdict

    assert verdict(True, True, True) == "holds"
    assert verdict(False, False, False) == "does not hold"
    assert verdict(True, False, True) == "holds when x is a or c"
    assert verdict() == "cannot be tested"
    assert either(["a", "b", "c"]) == "a, b or c"
    assert either([]) == ""


def test_claims_are_chosen_by_name_in_their_order() -> None:
    names = [claim.name for claim in CLAIMS]
    assert len(set(names)) == len(names)
    assert chosen(()) == CLAIMS
    assert [claim.name for claim in chosen((names[3], names[1]))] == [names[1], names[3]]
    with pytest.raises(InputError, match='claim "faster" is not known: the claims are strictly-sequential'):
        chosen(("faster",))


COLUMNS, *ROWS = data("claims", "claims")
CLAIMS_FILE = [dict(zip(COLUMNS, line, strict=True)) for line in ROWS]
VERDICTS = {line["claim"]: line["verdict"] for line in CLAIMS_FILE}
"""Of all claims in full: the page is written from them."""


def test_data_file_has_every_claim_as_it_is_said() -> None:
    texts = [(c.name, c.place, c.says, c.experiment, c.rule) for c in CLAIMS]
    columns = ("claim", "Fijany", "sentence", "experiment", "rule")
    assert [tuple(line[name] for name in columns) for line in CLAIMS_FILE] == texts


def test_page_of_verdicts_has_every_claim_once() -> None:
    """As its script writes it; pictures and data files are there."""
    page = written("claims")
    assert sorted(re.findall(r"^### (.*)$", page, re.MULTILINE)) == sorted(claim.name for claim in CLAIMS)
    assert page == "\n".join(script.TEXT()).rstrip() + "\n"
    files = re.findall(r"\]\((\.\./(?:figures|data)/.*?)\)", page)
    assert len(files) > len(CLAIMS)
    assert all((place("claims").parent / name).is_file() for name in files)


TURNED = {"senn-optimal": {"hypercube at n = 8"}}
"""What holds on the machines of QUICK and fails on another."""


@pytest.mark.fast(
    "step-two-hidden",
    "inverse-inertias-early",
    "lambda-dearer",
    "serial-cost*",
    "other-projections",
    "mass-matrix-dearer",
    "explicit-inverse",
    "ldl-serially",
    "newton-euler-on-mimd",
    "strictly-sequential",
    "diagonalisation-dearer",
)
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_quick_says_what_the_whole_says(claim: Claim) -> None:
    """A claim holds, does not, or holds in some cases, by either; no case but TURNED is judged otherwise."""
    finding = claim.examine(QUICK)
    full, _, open_ = VERDICTS[claim.name].partition("; depends on ")  # what an interval decides is left aside
    cases = {name: holds for name, holds in finding.cases.items() if name not in open_}
    before, _, after = f"holds when {finding.when}".partition("{}")
    if full.startswith("holds when"):
        named = re.split(r", | or ", full.removeprefix(before).removesuffix(after))
        turned = TURNED.get(claim.name, set())
        assert {name for name, holds in cases.items() if holds != (name in named)} == turned
    else:
        assert set(cases.values()) <= {full == "holds"}
        assert bool(cases) == (full in ("holds", "does not hold"))


def test_quick_says_what_it_left_out() -> None:
    """Machines, sizes, sizes of what is a program of its own, and how far a change is searched for."""
    text = " ".join(senn("claims", "serial-cost", "--quick").stdout.split())
    assert text.endswith(
        "Left out: the machines cluster, fijany, ipsc860, ipsc860-long, maspar, raw, t800; "
        "n = 128, 256, 512 or 1024; "
        "n = 16 or 32 where each case is a program or a network of its own; "
        "changes of the winner beyond n = 16; "
        "figures moved one at a time within their intervals where all together decide nothing."
    )
    assert left_out(FULL) == ""


# -------------------------------------------------------------------------- O(log N), optimal


def test_steps_are_logarithmic_and_cycles_only_with_migration() -> None:
    """Array 1 of VI.D by hand: twelve lines in a level of I.b and five of I.c.2; two more migrate."""
    assert row("logarithmic-steps", 0, form="paper", residency="home")["array 1"] == "17 M + 11"
    assert row("logarithmic-steps", 0, form="paper", residency="migrating")["array 1"].startswith("19 M + ")
    assert found("logarithmic-steps").cases == {
        "instructions": True,
        "network steps of migrating data": True,
        "network steps of data at home": False,
        "cycles with migrating data": True,
        "cycles with data at home": False,
    }


def test_processors_times_time_is_not_optimal() -> None:
    """2 n (a M + b) over c n: it grows like log n."""
    finding = found("optimal")
    assert list(finding.cases.values()) == [True, False]
    ratios = [r["processors x cycles / serial"] for r in finding.figures[0].rows if r["n"] >= 32]
    # 32 -> 64: a M + b grows from 10,510 to 12,259 cycles, the serial work, 507 n + 2,201, by 1.88.
    assert ratios[1] / ratios[0] == pytest.approx(12_259 / 10_510 * 2 / 1.881, rel=0.01)
    assert simpy(32, "ideal").instructions["end"].max() == 10_510


# ---------------------------------------------------------------------------------- network


@pytest.mark.exhaustive
def test_senn_matches_only_migrating_data() -> None:
    """Three steps for K (neighbour, un-shuffle, and one of two on the same wire), whatever n; and at n = 8
    they do not pay where a start-up is dear."""
    finding = found("senn-matches")
    assert finding.cases == {
        "sends of migrating data": True,
        "sends of data at home": False,
        "makespans on ideal": True,
        "makespans on mark3": False,
        "makespans on maspar": True,
    }
    most = [r["most of a send"] for r in finding.figures[0].rows if r["residency"] == "migrating"]
    assert most == [3, 3, 3, 3]
    # At n = 8 the partner at distance 2 or 4 is two hops away, and two messages meet.
    assert row("senn-matches", 0, n=8, residency="home")["most of a send"] == 2
    assert row("senn-matches", 1, machine="ideal")["from n"] is None
    assert row("senn-matches", 1, machine="mark3")["n = 8"] == float(f"{104_202 / 120_582:.3g}")


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
    assert found("step-two-hidden").cases[machine] is hidden is (measured["late by"] == 0)


def test_communication_is_hidden_but_for_the_floor(tmp_path: Path) -> None:
    """Operations of 354 cycles hide all but alpha + 15 beta = 1 + 15 x 69 = 1036 cycles a level of I.b."""
    finding = tried("communication-hidden", tmp_path, "startup = 1\nword = 69", flop=354)
    for measured, m in zip(finding.figures[0].rows, (3, 6), strict=True):
        assert (measured["I.b"], measured["floor"], measured["above"]) == (1036 * m, 1036 * m, 0)
    assert row("communication-hidden", 0, machine="mark3", n=8)["above"] > 0
    assert found("communication-hidden").verdict == "holds when the machine is ideal"


def test_inverse_inertias_come_early() -> None:
    """On the ideal machine at 111: a sine and a cosine (40), 42 m 28 a (70), and a cycle to post."""
    assert row("inverse-inertias-early", 0, machine="ideal", residency="home", n=8)["arrives"] == 111
    assert found("inverse-inertias-early").verdict == "holds"


# -------------------------------------------------------------------------------------- cost


def test_lambda_is_dear_only_by_a_sweep() -> None:
    """By hand, n = 8: 3 levels x 600, the solution 270, E' Omega 189, the difference 21; 60 words a level."""
    paper = row("lambda-dearer", 0, form="paper", n=8)
    assert paper["operations I.c"] == 3 * 600 + 270 + 189 + 21
    short = row("lambda-dearer", 0, form="short", n=8)
    assert short["operations I.c"] == 255 + 204 + 21
    assert short["words I.c"] == 21
    assert found("lambda-dearer").verdict == "holds when the form is paper (six-column sweep)"


def test_serial_cost_is_not_as_said() -> None:
    """1122 operations a link (82 + 63 + 2, 12 + 6, 230 + 195 + 5, 75 + 70, 108 + 99, 94 + 81) over 457;
    what the paper counted is not known."""
    ours = 147 + 18 + 430 + 145 + 207 + 175
    rows = found("serial-cost").figures[0].rows
    assert [r["ratio"] for r in rows] == [float(f"{ours / best:.3g}") for best in (231 + 223 + 3, 429)]
    assert found("serial-cost").verdict == "cannot be tested"


def test_closed_chain_is_better_without_the_sweep() -> None:
    """Six columns more: 6 x 145; the second application 207 + 145, or 126 + 95 for a force at the tip."""
    swept, short = 1122 + 6 * 145 + 207 + 145, 1122 + 126 + 95
    rows = found("serial-cost-closed").figures[0].rows
    assert [r["all"] for r in rows] == [swept, short, swept, short]
    assert [r["best"] for r in rows] == [769, 769, 469, 469]  # articulated bodies, PV-early
    holds = "holds when Lambda^-1 is read off the last pivot (over articulated bodies)"
    assert found("serial-cost-closed").verdict == holds


def test_redundant_arms_gain_where_messages_are_cheap() -> None:
    """The serial solution of 25 joints takes 239 n + 1290 m, 227 n + 905 a, 31 d, 50 t: 14,876 operations."""
    serial = 239 * 25 + 1290 + 227 * 25 + 905 + 31 + 50 * 20
    makespan = simpy(25, "ideal").instructions["end"].max()
    assert row("redundant-arms", 0, machine="ideal", n=25)["paper"] == float(f"{serial / makespan:.3g}")  # type: ignore[operator]
    assert not any(found("redundant-arms").cases.values())
    known = 396 * 25 + 264 + 370 * 25 + 187 + 31 + 50 * 20  # articulated bodies, in 1993
    assert (
        f"{known / makespan:.3g} times over the best that was known in 1993"
        in found("redundant-arms").because
    )


# ------------------------------------------------------------------- strategies, widths, networks


def test_strategy_two_computes_less_and_hides_more() -> None:
    """One 5x5 factor a level less, 30 m 20 a 5 d; and where array 2 is the last to end, it gains nothing."""
    for n, m in ((8, 3), (16, 4)):
        counted = row("strategy-two", 0, n=n)
        assert counted["strategy 1"] - counted["strategy 2"] == 55 * m
    assert found("strategy-two").cases == {"operations": True, "exposed stalls on mark3": True}
    assert row("strategy-two", 1, machine="mark3", n=16)["1/2"] == 1.0
    assert row("strategy-two", 1, machine="ideal", n=16)["1/2"] > 1.0


def test_elimination_is_not_the_faster_one_for_short_arms() -> None:
    """In the form paper reduction wins at n = 8 where messages cost nothing, though lanes stand idle."""
    assert not found("elimination").cases["8"]
    rows = found("elimination").figures[0].rows
    assert all(one["operations, reduction"] < one["operations, elimination"] for one in rows)
    assert row("elimination", 0, form="paper", machine="ideal", n=8)["reduction/elimination"] < 1
    made = row("elimination", 0, form="short", machine="mark3", n=16)["makespan, elimination"]
    assert made == max(simpy(16, "mark3", "short").instructions["end"])


@pytest.mark.exhaustive
def test_senn_is_optimal_among_networks_of_few_wires() -> None:
    """The hypercube (partners at most two Gray hops away) and the full network win, with more wires; at the
    paper's n = 8 the hypercube, of degree 3, does not."""
    cases = found("senn-optimal").cases
    assert [name for name, holds in cases.items() if not holds] == [
        "hypercube for long arms",
        "full at n = 8",
        "full for long arms",
    ]
    for n in ("n = 8", "n = 16"):
        by_network = [row("senn-optimal", 2, network=name)[n] for name in ("full", "hypercube", "ring")]
        assert by_network == sorted(by_network)


def test_every_network_keeps_data_where_they_are_fastest() -> None:
    """On SENN and mark3 at home at n = 8 and migrating at n = 16, as the other engine finds."""
    kept = row("senn-optimal", 1, network="SENN", machine="mark3")
    home = {n: timed(variants.closed_chain(n), "mark3", "home", engine="events") for n in (8, 16)}
    best = {8: home[8].summary["makespan"], 16: max(simpy(16, "mark3").instructions["end"])}
    assert [kept["n = 8"], kept["n = 16"]] == ["home", "migrating"]
    assert best[16] < home[16].summary["makespan"]
    ring = model.load("mark3").with_settings({"machine.network": "ring"})
    for n in (8, 16):
        other = timed(variants.closed_chain(n), ring, "home", engine="events").summary["makespan"]
        assert row("senn-optimal", 0, network="ring", machine="mark3")[f"n = {n}"] == float(
            f"{other / best[n]:.3g}"
        )


def test_widths_help_where_something_is_left_to_share() -> None:
    """One array does all in turn; a third one finds Newton-Euler hidden; six more share Eq. (84)."""
    cases = found("more-processors").cases
    assert cases["2N processors replace N in the form paper"]
    assert not cases["3N replace 2N in the form paper"]
    assert not cases["8N replace 2N in the form paper"]  # mark3 waits for array 2
    one = row("more-processors", 0, width="2N processors replace N in the form paper", machine="ideal")
    narrow, wide = (max(simpy(8, "ideal", arrays=k).instructions["end"]) for k in (1, 2))
    assert one["n = 8"] == float(f"{narrow / wide:.3g}")


def test_one_array_is_limited_for_short_arms() -> None:
    finding = found("limited-speed-up")
    assert finding.verdict == "holds"
    assert max(one["short, 1N"] for one in finding.figures[0].rows) < 2


# ------------------------------------------------------------------------- the command line


def senn(*words: str) -> Result:
    return CliRunner().invoke(cli, words, prog_name="senn")


def test_command_shows_rule_and_figures_of_one() -> None:
    result = senn("claims", "serial-cost-closed", "--quick")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "serial-cost-closed: holds when Lambda^-1 is read off the last pivot (over"
    )
    for text in ("Fijany V.D", "experiment", "rule", "measured", "Closed chain, per link; open chain: 2.46"):
        assert text in result.stdout


def test_command_prints_json_of_cases_and_figures() -> None:
    result = senn("claims", "redundant-arms", "--quick", "--machine", "raw", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["scope"] == {
        "sizes": [8, 16, 32, 64],
        "machines": ["raw"],
        "few": [8, 64],
        "searched": 16,
        "singly": False,
    }
    (claim,) = document["claims"]
    assert (claim["verdict"], claim["cases"]) == ("does not hold", {"raw": False})
    assert claim["depends"] == {}
    assert [r["n"] for r in claim["figures"][0]["rows"]] == [7, 25]


def test_command_refuses_unknown_names() -> None:
    result = senn("claims", "faster")
    assert result.exit_code == 2
    assert 'senn: claim "faster" is not known: the claims are' in result.stderr
    assert senn("claims", "optimal", "--machine", "cray").exit_code == 2


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ('control = "mimd"', "control = mimd: claims are about the paper's machine, control = simd"),
        ('network = "torus"', "network = torus: claims are about the paper's machine, network = senn"),
        ("nodes = 8", "nodes = 8: claims are about the paper's machine, nodes = 0"),
    ],
)
def test_command_refuses_a_machine_of_another_design(tmp_path: Path, field: str, message: str) -> None:
    """Without stalls of arrays nothing would be exposed, and every claim about overlap would hold."""
    result = senn("claims", "communication-hidden", "--machine", _with(tmp_path, field))
    assert result.exit_code == 2
    assert message in result.stderr


def test_floor_is_that_of_the_switching(tmp_path: Path) -> None:
    """The floor alone is exposed; cutting through, a message to a neighbour takes a hop more."""
    times, fields = "startup = 1\nword = 69\nhop = 7", 'switching = "cut-through"'
    rows = tried("communication-hidden", tmp_path, times, flop=354, fields=fields).figures[0].rows
    assert [(one["last G"], one["above"]) for one in rows] == [(1 + 69 * 15 + 7, 0)] * len(rows)


def _with(folder: Path, field: str) -> str:
    """A machine file: raw with a field set."""
    text = (resources.files("senn.machine") / "presets" / "raw.toml").read_text(encoding="utf-8")
    path = folder / "machine.toml"
    path.write_text(text.replace("[machine]\n", f"[machine]\n{field}\n"))
    return str(path)
