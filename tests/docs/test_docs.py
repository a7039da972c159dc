"""The pages of docs/ cannot rot: code runs, links lead somewhere, tables are those of the program."""

import json
import re
from collections.abc import Iterable
from importlib import import_module
from itertools import islice, product
from pathlib import Path
from typing import get_args

import pytest

from docs.make import (
    accuracy,
    allocations,
    branches,
    certificate,
    channels,
    divide_and_conquer,
    networks,
    operational_space,
    parallel_counts,
    programs,
    schedule,
)
from docs.make.page import DOCS, SCRIPTS, place, printed, with_tables, written
from senn.algorithms.programs import variants
from senn.algorithms.robots.side_tree import SideTree
from senn.api import run
from senn.choices import Form
from senn.machine import model
from senn.machine.placing import allocation
from senn.traces.pictures.kinds import KINDS
from senn.traces.record.schema import SCHEMA
from tests.docs.orders import same_orders

PAGES = sorted(DOCS.rglob("*.md"))
FORMS: tuple[Form, ...] = get_args(Form)

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def _names(pages: Iterable[Path]) -> list[str]:
    return [f"{page.parent.name}/{page.name}" for page in pages]


# ------------------------------------------------------------------------- code and links


@pytest.mark.parametrize("page", PAGES, ids=_names(PAGES))
def test_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks of a page run in order, as one program in an empty folder; what they assert holds."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page.stem}
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        # As many empty lines in front as there are in the page: a failure names the line of the page.
        source = "\n" * (text.count("\n", 0, block.start()) + 1) + block[1]
        exec(compile(source, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=_names(PAGES))
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    """Relative links name files of this repository, and headings that are there."""
    broken = []
    for target in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        file, _, heading = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if not path.exists() or (heading and heading not in _headings(path)):
            broken.append(target)
    assert not broken


def _headings(page: Path) -> set[str]:
    """The anchors that forges make of headings: lower case, words joined by hyphens."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=_names(PAGES))
def test_tables_of_a_page_are_those_of_its_script(page: Path) -> None:
    """All that the script makes, each once; a table that is made names the script of its page."""
    comment = re.compile(r"^<!-- ([\w ]+): made by docs/make/(\w+)\.py -->$", re.MULTILINE)
    made = comment.findall(page.read_text(encoding="utf-8"))
    owner = page.parent.name if page.stem == "index" else page.stem
    script = import_module(f"docs.make.{owner}") if owner in SCRIPTS and page == place(owner) else None
    tables = getattr(script, "TABLES", {})
    assert sorted(made) == sorted((name, owner) for name in tables)


@pytest.mark.parametrize("page", PAGES, ids=_names(PAGES))
def test_long_tables_fold(page: Path) -> None:
    """But where one comes to look things up: what is read stays in sight."""
    text = re.sub(r"<details>.*?</details>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    longest = max((table.count("\n") for table in tables), default=0)
    assert longest <= 24 or page.parent.name == "reference"


def test_figures_are_those_that_are_drawn() -> None:
    """Every file of docs/figures is made by some script, and every one made is there."""
    drawn = [name for page in SCRIPTS for name in getattr(import_module(f"docs.make.{page}"), "FIGURES", {})]
    files = [name if "." in name else f"{name}.png" for name in drawn]
    assert sorted(files) == sorted(file.name for file in (DOCS / "figures").iterdir())


# ---------------------------------------------------------------- what the pages claim is complete


def test_the_gallery_has_every_kind_of_picture() -> None:
    """With its command; without a kind, `senn plot` draws the first one."""
    shown = set(re.findall(r"^senn plot \w+ --kind (\w+)", written("pictures"), re.MULTILINE))
    first, *others = KINDS
    assert first == "timeline"
    assert "\nsenn plot arm -o timeline.png" in written("pictures")
    assert shown == set(others)


def test_schedule_page_lists_every_implied_step() -> None:
    """Every label with a prime, of any form, refined or not, with any joint, is in schedule.md."""
    names = set(re.findall(r"`([IV]+\.[^` ]*)`", written("schedule")))
    programs = (
        variants.closed_chain(8, form, refine, ("revolute", joint) * 4)
        for form in FORMS
        for refine in (0, 1, 2)
        for joint in ("revolute", "prismatic")
    )
    labels = {line.step for program in programs for stream in program.streams for line in stream}
    primed = {label for label in labels if "'" in label}
    assert primed
    unsaid = {
        label for label in primed if not any(label == name or label.startswith(f"{name}.") for name in names)
    }
    assert not unsaid


def test_branches_page_lists_every_line_of_branches() -> None:
    """Every label that a program has for branches, in any form, on two arrays and on three."""
    names = set(re.findall(r"`([IV]+\.[^` ]*)`", written("branches")))
    trees = (SideTree(2, ("revolute", "prismatic"), (0, 1)), SideTree(4, ("prismatic",), (0,)))
    for form, arrays in product(FORMS, (2, 3)):
        plain, own = (
            {
                line.step
                for stream in variants.closed_chain(4, form, arrays=arrays, branches=branches).streams
                for line in stream
            }
            for branches in ((), trees)
        )
        more = own - plain
        assert more
        unsaid = {
            label
            for label in more
            if not any(label == name or label.startswith((f"{name}.", f"{name}'")) for name in names)
        }
        assert not unsaid


def test_traces_page_lists_every_column() -> None:
    """Every column of every table, in the order in which it is stored and hashed."""
    text = written("traces")
    for table, columns in SCHEMA.items():
        section = text.split(f"### {table}\n")[1].split("\n#")[0]
        assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [name for name, _ in columns]


def test_traces_page_lists_every_entry_of_run_json(tmp_path: Path) -> None:
    """The entries of the run.json of a real run, in any order, none more and none less."""
    document = json.loads((run("ssrms").save(tmp_path / "run") / "run.json").read_text(encoding="utf-8"))
    section = written("traces").split("## run.json\n")[1].split("\n## ")[0]
    named = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(named))) == sorted(document)


def test_machine_page_lists_the_fields() -> None:
    """Every field that can be set, and its values if they are texts."""
    section = written("machine").split("### Fields\n")[1].split("\n## ")[0]
    fields = {f"{table}.{name}" for table, names in model.FIELDS.items() for name in names}
    assert set(re.findall(r"`((?:machine|timing)\.\w+)`", section)) == fields
    rows = dict(re.findall(r"^\| `machine\.(\w+)` \| (`.*?`) \|", section, re.MULTILINE))
    assert {name: tuple(re.findall(r"`(.*?)`", values)) for name, values in rows.items()} == {
        name: tuple(str(value).lower() for value in values) for name, values in model.SUPPORTED.items()
    }


def test_machine_page_lists_the_presets() -> None:
    """Each preset with its figures: flop, startup, word and hop in cycles."""
    text = written("machine")
    for name in model.presets():
        described = model.load(name).describe()
        hop = described["hop"] if described["switching"] == "cut-through" else "-"
        flop, startup, word, clock = (described[x] for x in ("multiply", "startup", "word", "clock_mhz"))
        figures = f"{flop} | {startup} | {word} | {hop} | {clock}"
        assert f"| `{name}` | {figures} |" in text


@pytest.mark.rounding
def test_certificate_page_has_the_rods_that_are_measured() -> None:
    """The rows of docs/make/certificate.py for 8 rods: verdicts and orders of magnitude are those said."""
    text = written("certificate")
    measured = [row for row in certificate.rods(0, sizes=(8,)) if row.startswith("| 0")]
    assert len(measured) == 12
    found, expected = [], []
    for row in measured:
        *case, part, error, residual, verdict = row.strip("| ").split(" | ")
        said = next(line for line in text.splitlines() if line.startswith(f"| {' | '.join(case)} |"))
        *_, part_said, error_said, residual_said, verdict_said = said.strip("| ").split(" | ")
        # Within a power of ten of the whole tolerance the processor decides.
        assert verdict == verdict_said or part in ("10%", "100%", "1,000%")
        for figures, cells in (
            (found, (part, error, residual)),
            (expected, (part_said, error_said, residual_said)),
        ):
            figures += [float(cell.rstrip("%").replace(",", "")) for cell in cells]
    same_orders(found, expected, draws=len(measured))


@pytest.mark.rounding
def test_accuracy_page_has_what_is_measured() -> None:
    """The names of all tables, and of rods of 8 some rows, to their order of magnitude."""
    text = written("accuracy")
    assert list(accuracy.TABLES) == list(printed("accuracy"))
    ways = (accuracy.PAPER_1, accuracy.SHORT, accuracy.REDUCED, *accuracy.REFERENCES)
    texts = [f"rods:8:slenderness={part}" for part in accuracy.SLENDERNESS]
    rods = text.partition(f"| qdd | {' | '.join(texts)} |")[2]
    found, expected = [], []
    for row in list(accuracy.growth(texts, ways, lambda text: 2))[2:]:
        said = next(line for line in rods.splitlines() if line.startswith(f"{row.split(' | ')[0]} |"))
        for figures, line in ((found, row), (expected, said)):
            cells = [float(cell.split()[0]) for cell in line.split(" | ")[1:]]
            assert len(cells) == 4
            figures += cells
    same_orders(found, expected, draws=len(found))


@pytest.mark.rounding
def test_mild_arms_pass_as_the_certificate_page_says() -> None:
    """A sample of the first table: with and without prismatic joints, all forms, unrefined, none fails."""
    rows = list(certificate.mild(0, ranges=((6, 7),)))[2:]
    assert [row.split(" | ")[2:5] for row in rows] == [[form, "2", "0"] for form in (*FORMS, *FORMS)]


def test_networks_page_has_the_small_sizes_that_are_measured() -> None:
    """Each table of docs/make/networks.py for 8 and 16 nodes, and makespans of SENN with 8."""
    page = written("networks").splitlines()
    tables = networks.TABLES
    assert set(tables) == set(printed("networks"))
    compared = 0
    for name in ("graphs", "migration", "home", "home_one_port"):
        for row in list(tables[name]((8, 16)))[2:]:
            begin = " | ".join(row.strip("| ").split(" | ")[:3])
            assert any(line.startswith(f"| {begin} |") for line in page), row
            compared += 1
    assert compared == 2 + 2 + 14 + 14
    for row in islice(tables["makespans"]((8,)), 2, 4):
        assert any(line.startswith(row) for line in page), row


def test_networks_page_has_bisections_of_an_independent_program() -> None:
    """Exact for 8 and 16 nodes; beyond, the bound of the spectrum, and no worse cuts than were known."""
    page = written("networks")
    graphs = page.split("<!-- graphs: ")[1].split("<!-- end -->")[0]
    rows = re.findall(r"^\| (\d+) \|.* \| (.*) \|$", graphs, re.MULTILINE)
    found = {int(nodes): cell for nodes, cell in rows}
    assert (found[8], found[16]) == ("3", "6")
    known = {32: (3, 7), 64: (6, 14), 128: (9, 23), 256: (14, 42), 512: (22, 86), 1024: (35, 132)}
    for nodes, (proved, cut) in known.items():
        lower, upper = map(int, found[nodes].split(" to "))
        assert lower == proved
        assert lower <= upper <= cut
    assert networks.bisection(32) == found[32]


def test_networks_page_lists_what_there_is() -> None:
    """Every network and routing has a row."""
    text = written("networks")
    for name in (*model.SUPPORTED["network"], *model.SUPPORTED["routing"]):
        assert f"\n| `{name}` | " in text


def test_channels_page_has_what_is_measured() -> None:
    """Both tables, by the script that the page names, for the smaller sizes."""
    tables = printed("channels")
    for name, rows, columns in (
        ("kinds", channels.kinds((8,)), 5),
        ("at home", channels.at_home((8, 16)), 4),
    ):
        said = [" | ".join(line.split(" | ")[: columns - 1]) for line in tables[name]]
        assert said[2:] == [row.removesuffix(" |") for row in rows][2:]


TRAFFIC = {  # store-and-forward and cut-through, N = 8, 16, ...
    "`senn`, migrating": (
        [325, 470, 615, 760, 905, 1050, 1195, 1340],
        [335, 484, 633, 782, 931, 1080, 1229, 1378],
    ),
    "`senn`, `greedy`": (
        [300, 600, 1080, 1740, 2400, 3480, 4500, 5820],
        [266, 412, 638, 1026, 1484, 1994, 2582, 3288],
    ),
    "`hypercube`, `e-cube`, Gray code": (
        [360, 540, 720, 900, 1080, 1260, 1440, 1620],
        [230, 334, 438, 542, 646, 750, 854, 958],
    ),
    "`full`": ([180, 240, 300, 360, 420, 480, 540, 600], None),
}
CUT_THROUGH_AT_1024 = {
    "`hypercube`, `e-cube`": 1070,
    "`torus`, `xy`": 3350,
    "`mesh`, `xy`": 4146,
    "`ring`": 41140,
    "`full`": 620,
}


def test_channels_page_has_the_traffic_of_an_independent_program() -> None:
    """Cycles that a program of its own worked out before this one existed are those of the page, and those
    of the page are what the engine makes at 8 nodes; migrating without a conflict, also by formula."""
    section = printed("channels")["traffic"]
    found: dict[str, list[list[int]]] = {}
    for line in section[2:]:
        label, _, *cells = line.strip("| ").split(" | ")
        found.setdefault(label, []).append([int(cell.replace(",", "")) for cell in cells])
    for label, expected in TRAFFIC.items():
        for cells, figures in zip(found[label], expected, strict=True):
            assert figures is None or cells == figures, label
    for label, cycles in CUT_THROUGH_AT_1024.items():
        assert found[label][1][-1] == cycles, label
    for m, cycles in enumerate(found["`senn`, migrating"][0], 3):
        assert cycles == 20 * (2 * m - 1) + 105 * (m - 1) + 15
    measured = list(channels.traffic((8,)))[2:]
    said = [" | ".join(line.split(" | ")[:3]) for line in section[2:]]
    assert said == [row.removesuffix(" |") for row in measured]


def test_allocations_page_has_what_is_measured() -> None:
    """Rows of docs/make/allocations.py, of each table some."""
    text = written("allocations")
    alone = allocations.measured(64, [("identity", "migrating"), ("bit-reversed", "home")])
    folded = allocations.measured(64, [("block", "migrating")], nodes=16)
    for row in allocations.scored(alone):
        assert row in text
    for row in allocations.scored(folded):
        assert f"| 16 {row}" in text
    for name in allocations.STATIC:
        cells = " | ".join(map(str, allocations.static(name, (8, 16, 32, 64, 128, 256))))
        assert f"| `{name}` | {cells} |" in text
    assert "| `cyclic` | 384 (3) | 160 (5) | 56 (7) |" in text  # tests/machine/placing/test_allocation.py


def test_allocations_page_lists_every_name() -> None:
    """As `senn list allocations` has them, and that names may be parted by commas."""
    text = written("allocations")
    table = text.split("## Names\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(.*?)` \|", table, re.MULTILINE)) == {*allocation.NAMES, "identity,gray"}


def test_tables_of_the_pages_are_those_of_the_programs() -> None:
    """Operation counts and step laws as printed; `python -m docs.make` writes them anew."""
    assert len(printed("schedule")) == 2
    assert with_tables("schedule", schedule.TABLES) == written("schedule")
    assert printed("programs").keys() == programs.TABLES.keys()
    assert printed("programs")["variants"] == list(programs.variants())
    assert {*programs.together(["form short, jets, ahead"])} <= {*printed("programs")["together"]}


@pytest.mark.rounding
def test_divide_and_conquer_page_has_what_is_measured() -> None:
    """Listing, steps and makespans for 8 links to the digit; errors to their order of magnitude."""
    text = written("divide_and_conquer")
    script = divide_and_conquer
    assert set(script.TABLES) == set(printed("divide_and_conquer"))
    for row in (*script.listing(), *script.sizes((8,)), *script.makespans((8,)), *script.kinds()):
        assert f"{row}\n" in text
    _same_orders(text, list(script.accuracy((8,)))[2:], figures=12, draws=4)


def _same_orders(text: str, rows: Iterable[str], *, figures: int, draws: int) -> None:
    """Errors are of the order that is printed in the row of the same first two cells; of each row so many do
    not move together."""
    every: tuple[list[float], list[float]] = ([], [])
    rows = list(rows)
    for row in rows:
        key = "|".join(row.split("|")[:3])
        said = next(line for line in text.splitlines() if line.startswith(f"{key}|"))
        for part, numbers in zip((row, said), every, strict=True):
            cells = re.findall(r"\de[-+]\d\d", part.removeprefix(key))
            assert len(cells) == figures
            numbers += map(float, cells)
    same_orders(*every, draws=draws * len(rows))


@pytest.mark.rounding
def test_operational_space_page_has_what_is_measured() -> None:
    """Step laws and operations to the digit; errors to their order of magnitude."""
    text = written("operational_space")
    script = operational_space
    assert set(script.TABLES) == set(printed("operational_space"))
    assert all(f"{row}\n" in text for row in script.programs())
    _, inverse, mass = (part.split("\n### ")[0] for part in text.split("\n### Lambda"))
    _same_orders(inverse, list(script.inverses((8,)))[2:], figures=5, draws=3)
    _same_orders(mass, list(script.masses((8,)))[2:], figures=8, draws=3)
    _same_orders(text, list(script.singular((0.1, 1e-3)))[2:], figures=10, draws=3)


def test_parallel_counts_page_has_the_formulas() -> None:
    """Some rows of each table, as the script makes them; the others come from the same lines."""
    text = written("parallel_counts")
    script = parallel_counts
    names = (
        "closed chain, form short, odd-even elimination, strategy 2",
        "divide and conquer",
        "Lambda, form short, odd-even reduction",
    )
    for row in (*script.formulas(names), *script.totals(names)):
        assert f"{row}\n" in text
    assert all(text.count(f"\n| {name} | ") == 2 for name in script.PROGRAMS)


def test_branches_page_has_what_is_measured() -> None:
    """Some rows of each table, to the cycle."""
    text = written("branches")
    assert set(branches.TABLES) == set(printed("branches"))
    rows = [*branches.operations((0, 1, 8)), *branches.lengths((2,))]
    for row in (*rows, *branches.places(("one joint at every link",))):
        assert f"{row}\n" in text
    # What the page says of k joints holds for every row.
    row = re.compile(r"^\| (\d) \| [\d,]+ \| [\d,]+ \| ([\d,]+) \| ([\d,]+) \| \+2 \|", re.MULTILINE)
    found = row.findall(text)
    assert len(found) == 5
    for joints, one, two in ((int(x.replace(",", "")) for x in cells) for cells in found):
        assert (one, two) == (401 * joints + 497, 395 * joints + 294)
