"""The pages of docs/ cannot rot: code runs, links lead somewhere, tables are those of the program."""

import json
import re
import sys
from collections.abc import Iterable
from importlib import import_module
from itertools import islice, product
from pathlib import Path
from typing import get_args

import pytest

from experiments import ways
from experiments.machine import allocations, channels, networks
from experiments.page import DATA, DOCS, SCRIPTS, cells, data, place, records, written
from experiments.pages import parallel_counts, programs
from experiments.paper import divide_and_conquer, operational_space, schedule
from experiments.robot import branches
from experiments.trust import accuracy
from senn.algorithms.programs import variants
from senn.algorithms.robots.side_tree import SideTree
from senn.api import run
from senn.choices import Form
from senn.cli import glossary
from senn.machine import model
from senn.machine.placing import allocation
from senn.traces.pictures import KINDS
from senn.traces.record import SCHEMA
from tests.docs.orders import same_orders

PAGES = sorted(DOCS.rglob("*.md"))
FORMS: tuple[Form, ...] = get_args(Form)

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^<!-- (\w+\.py) -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
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
    monkeypatch.syspath_prepend(tmp_path)
    for name, content in FILE.findall(text):  # a block below imports them
        (tmp_path / name).write_text(content, encoding="utf-8")
        monkeypatch.delitem(sys.modules, Path(name).stem, raising=False)
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
    comment = re.compile(r"^<!-- ([\w ]+): made by experiments/\w+/(\w+)\.py -->$", re.MULTILINE)
    made = comment.findall(page.read_text(encoding="utf-8"))
    owner = page.parent.name if page.stem == "index" else page.stem
    script = import_module(SCRIPTS[owner]) if owner in SCRIPTS and page == place(owner) else None
    tables = getattr(script, "TABLES", {})
    assert sorted(made) == sorted((name, owner) for name in tables)


BY_HAND = {
    "algorithms/published",
    "branches/implied",
    "corrections/lines",
    "dictionary/algorithms",
    "dictionary/articulated-bodies",
    "dictionary/errata",
    "dictionary/quantities",
    "exports/speed",
    "joints/steps",
    "performance/long-arms",
    "performance/scale",
    "programs/ahead",
    "related/works",
    "schedule/implied",
}
"""Data files without a script."""


def test_data_files_are_those_of_the_scripts_and_pages_link_them() -> None:
    """docs/data/NAME/TABLE.csv is in `DATA` of experiments/NAME.py; rows have the length of the head."""
    files = {f"{file.parent.name}/{file.stem}" for file in DATA.glob("*/*.csv")}
    assert files >= BY_HAND
    names = {file.split("/")[0] for file in files - BY_HAND}
    scripts = {name: getattr(import_module(SCRIPTS[name]), "DATA", {}) for name in names}
    assert files - BY_HAND == {f"{name}/{table}" for name, tables in scripts.items() for table in tables}
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert files == set(re.findall(r"\]\(\.\./data/([\w-]+/[\w-]+)\.csv\)", text))
    for file in files:
        lengths = {len(row) for row in data(*file.split("/"))}
        assert len(lengths) == 1, file


EXCERPT = re.compile(r"<!-- excerpt of \.\./data/([\w-]+)/([\w-]+)\.csv -->\n+((?:^\|.*\n)+)", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=_names(PAGES))
def test_excerpts_are_in_their_data_files(page: Path) -> None:
    """Each row of an excerpt has cells of one row of the file, in their order."""
    text = page.read_text(encoding="utf-8")
    excerpts = EXCERPT.findall(text)
    assert len(excerpts) == len(re.findall("^<!-- excerpt of ", text, re.MULTILINE))
    for owner, table, rows in excerpts:
        for line in rows.splitlines()[2:]:
            assert any(_in_order(cells(line), whole) for whole in data(owner, table)[1:]), line


def _in_order(excerpt: list[str], row: list[str]) -> bool:
    rest = iter(row)
    return all(cell in rest for cell in excerpt)


@pytest.mark.parametrize("page", PAGES, ids=_names(PAGES))
def test_tables_of_a_page_are_short(page: Path) -> None:
    """Except in the reference: longer tables are data files."""
    tables = re.findall(r"(?:^\|.*\n)+", page.read_text(encoding="utf-8"), re.MULTILINE)
    longest = max((table.count("\n") for table in tables), default=0)
    assert longest <= 24 or page.parent.name == "reference"


def has_rows(page: str, table: str, rows: Iterable[str]) -> bool:
    """Whether the data file has these rows, made by its script, head included."""
    head, *measured = records(rows)
    kept = data(page, table)
    return bool(measured) and head == kept[0] and all(row in kept for row in measured)


def test_figures_are_those_that_are_drawn() -> None:
    """Every file of docs/figures is made by some script, and every one made is there."""
    drawn = [name for page in SCRIPTS for name in getattr(import_module(SCRIPTS[page]), "FIGURES", {})]
    files = [name if "." in name else f"{name}.png" for name in drawn]
    assert sorted(files) == sorted(file.name for file in (DOCS / "figures").iterdir())


# ---------------------------------------------------------------- what the pages claim is complete


def test_the_gallery_has_every_kind_of_picture() -> None:
    """With its command; without a kind, `senn plot` draws the first one."""
    shown = set(re.findall(r"^senn plot \w+ --kind (\w+)", written("pictures"), re.MULTILINE))
    first, *others = KINDS
    assert first == "timeline"
    assert "\nsenn plot arm -o timeline.png" in written("pictures")
    assert shown == {*others, "arm"}


def test_schedule_page_lists_every_implied_step() -> None:
    """Every label with a prime, of any form, refined or not, with any joint, is in its data file."""
    labels_of_rows = " ".join(row[0] for row in data("schedule", "implied"))
    names = set(re.findall(r"[IV]+\.\S*", labels_of_rows))
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
    """Every label that a program has for branches, in any form, on two arrays and on three, is in its
    file."""
    names = set(re.findall(r"[IV]+\.[^ ,]*", " ".join(row[0] for row in data("branches", "implied"))))
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


def test_terms_of_the_glossary_are_explained_in_a_terminal() -> None:
    """`senn explain` has every term of the table."""
    rows = re.findall(r"^\| (?!term|-)(.*?) \| .*\|$", written("glossary"), re.MULTILINE)
    terms = [term for row in rows for term in row.split(", ")]
    assert len(terms) > 20
    assert all(glossary.find(term).text for term in terms)


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
def test_errors_over_slenderness_are_those_that_are_measured() -> None:
    """Some rows for 8 rods, to their order of magnitude."""
    compared = (ways.PAPER, ways.SHORT, ways.REDUCED, *ways.REFERENCES)
    head, *kept = data("accuracy", "slender-8")
    measured_head, *measured = records(accuracy.growth(accuracy.rods(8), compared, lambda arm: 2))
    assert head == measured_head
    by_way = {row[0]: row for row in kept}
    orders: tuple[list[float], list[float]] = ([], [])
    for row in measured:
        for numbers, line in zip(orders, (row, by_way[row[0]]), strict=True):
            numbers += [float(cell.split()[0]) for cell in line[1:]]
    same_orders(*orders, draws=4 * len(measured))


def test_networks_have_the_small_sizes_that_are_measured() -> None:
    """Each table of experiments/machine/networks.py for 8 and 16 nodes, and makespans of SENN with 8."""
    tables = networks.DATA
    for name in ("graphs", "migration", "home", "home-one-port"):
        kept = data("networks", name)
        _, *measured = records(tables[name]((8, 16)))  # type: ignore[call-arg]
        assert len(measured) == (2 if name in ("graphs", "migration") else 14)
        for row in measured:
            assert any(row[:3] == line[:3] for line in kept), row
    for row in records(islice(tables["makespans"]((8,)), 4))[1:]:  # type: ignore[call-arg, arg-type]
        assert any(row == line[: len(row)] for line in data("networks", "makespans")), row


def test_bisections_are_those_of_an_independent_program() -> None:
    """Exact for 8 and 16 nodes; beyond, the bound of the spectrum, and no worse cuts than were known."""
    kept = {int(row[0]): row[-1] for row in data("networks", "graphs")[1:]}
    assert (kept[8], kept[16]) == ("3", "6")
    known = {32: (3, 7), 64: (6, 14), 128: (9, 23), 256: (14, 42), 512: (22, 86), 1024: (35, 132)}
    for nodes, (proved, cut) in known.items():
        lower, upper = map(int, kept[nodes].split(" to "))
        assert lower == proved
        assert lower <= upper <= cut
    assert networks.bisection(32) == kept[32]


def test_networks_page_lists_what_there_is() -> None:
    """Every network and routing has a row."""
    text = written("networks")
    for name in (*model.SUPPORTED["network"], *model.SUPPORTED["routing"]):
        assert f"\n| `{name}` | " in text


def test_channels_have_what_is_measured() -> None:
    """Two tables of experiments/machine/channels.py, for the smaller sizes."""
    measured = (("kinds", channels.kinds((8,)), 4), ("at-home", channels.at_home((8, 16)), 3))
    for name, rows, columns in measured:
        assert [row[:columns] for row in data("channels", name)] == records(rows)


TRAFFIC = {  # store-and-forward and cut-through, N = 8, 16, ...
    "senn, migrating": (
        [325, 470, 615, 760, 905, 1050, 1195, 1340],
        [335, 484, 633, 782, 931, 1080, 1229, 1378],
    ),
    "senn, greedy": (
        [300, 600, 1080, 1740, 2400, 3480, 4500, 5820],
        [266, 412, 638, 1026, 1484, 1994, 2582, 3288],
    ),
    "hypercube, e-cube, Gray code": (
        [360, 540, 720, 900, 1080, 1260, 1440, 1620],
        [230, 334, 438, 542, 646, 750, 854, 958],
    ),
    "full": ([180, 240, 300, 360, 420, 480, 540, 600], None),
}
CUT_THROUGH_AT_1024 = {
    "hypercube, e-cube": 1070,
    "torus, xy": 3350,
    "mesh, xy": 4146,
    "ring": 41140,
    "full": 620,
}


def test_traffic_is_that_of_an_independent_program() -> None:
    """Cycles that a program of its own worked out before this one existed are those of the data file, and
    the engine makes them at 8 nodes; migrating without a conflict, also by formula."""
    _, *kept = data("channels", "traffic")
    by_network: dict[str, list[list[int]]] = {}
    for label, _, *figures in kept:
        by_network.setdefault(label, []).append([int(cell) for cell in figures])
    for label, expected in TRAFFIC.items():
        for figures, cycles in zip(by_network[label], expected, strict=True):
            assert cycles is None or figures == cycles, label
    for label, last in CUT_THROUGH_AT_1024.items():
        assert by_network[label][1][-1] == last, label
    for m, cycle in enumerate(by_network["senn, migrating"][0], 3):
        assert cycle == 20 * (2 * m - 1) + 105 * (m - 1) + 15
    assert [row[:3] for row in kept] == records(channels.traffic((8,)))[1:]


def test_allocations_have_what_is_measured() -> None:
    """Rows of experiments/machine/allocations.py, of each table some."""
    alone = allocations.measured(64, [("identity", "migrating"), ("bit-reversed", "home")])
    folded = allocations.measured(64, [("block", "migrating")], nodes=16)
    for row in allocations.scored(alone):
        assert cells(row) in data("allocations", "alone")
    for row in allocations.scored(folded):
        assert ["16", *cells(row)] in data("allocations", "folded")
    for name in allocations.STATIC:
        slots = map(str, allocations.static(name, (8, 16, 32, 64, 128, 256)))
        assert [name, *slots] in data("allocations", "slots")
    cyclic = ["cyclic", "384 (3)", "160 (5)", "56 (7)"]  # tests/machine/placing/test_allocation.py
    assert cyclic in data("allocations", "leaving")


def test_allocations_page_lists_every_name() -> None:
    """As `senn list allocations` has them, and that names may be parted by commas."""
    text = written("allocations")
    table = text.split("## Names\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(.*?)` \|", table, re.MULTILINE)) == {*allocation.NAMES, "identity,gray"}


def test_tables_are_those_of_the_programs() -> None:
    """Operation counts and step laws as counted; `python -m experiments` writes them anew."""
    for name, rows in schedule.DATA.items():
        assert data("schedule", name) == records(rows())
    assert data("programs", "variants") == records(programs.variants())
    assert has_rows("programs", "together", programs.together(["form short, jets, ahead"]))


@pytest.mark.rounding
def test_divide_and_conquer_has_what_is_measured() -> None:
    """Steps and makespans for 8 links to the digit; errors to their order of magnitude."""
    script = divide_and_conquer
    assert has_rows("divide_and_conquer", "sizes", script.sizes((8,)))
    assert has_rows("divide_and_conquer", "makespans", script.makespans((8,)))
    assert data("divide_and_conquer", "kinds") == records(script.kinds())
    _same_orders("divide_and_conquer", "accuracy", script.accuracy((8,)), figures=12, draws=4)


def _same_orders(page: str, table: str, rows: Iterable[str], *, figures: int, draws: int) -> None:
    """Errors are of the order that is kept in the row of the same first two cells; of each row so many do
    not move together."""
    kept = {tuple(row[:2]): row[2:] for row in data(page, table)}
    every: tuple[list[float], list[float]] = ([], [])
    _, *measured = records(rows)
    for row in measured:
        for part, numbers in zip((row[2:], kept[tuple(row[:2])]), every, strict=True):
            errors = re.findall(r"\de[-+]\d\d", " ".join(part))
            assert len(errors) == figures
            numbers += map(float, errors)
    same_orders(*every, draws=draws * len(measured))


@pytest.mark.rounding
def test_operational_space_has_what_is_measured() -> None:
    """Step laws and operations to the digit; errors to their order of magnitude."""
    script = operational_space
    assert data("operational_space", "programs") == records(script.programs())
    _same_orders("operational_space", "inverses", script.inverses((8,)), figures=5, draws=3)
    _same_orders("operational_space", "masses", script.masses((8,)), figures=8, draws=3)
    _same_orders("operational_space", "singular", script.singular((0.1, 1e-3)), figures=10, draws=3)


def test_parallel_counts_have_the_formulas() -> None:
    """Some rows of each table, as the script makes them; the others come from the same lines."""
    script = parallel_counts
    names = (
        "closed chain, form short, odd-even elimination, strategy 2",
        "divide and conquer",
        "Lambda, form short, odd-even reduction",
    )
    for table in ("formulas", "totals"):
        assert has_rows("parallel_counts", table, script.DATA[table](names))  # type: ignore[call-arg]
        labels = [row[0] for row in data("parallel_counts", table)]
        assert all(labels.count(name) == 1 for name in script.PROGRAMS)


def test_branches_have_what_is_measured() -> None:
    """Some rows of each table, to the cycle."""
    assert has_rows("branches", "operations", branches.operations((0, 1, 8)))
    assert has_rows("branches", "lengths", branches.lengths((2,)))
    assert has_rows("branches", "places", branches.places(("one joint at every link",)))
    # What the page says of k joints holds for every row.
    _, _, *rows = data("branches", "operations")
    assert len(rows) == 5
    for joints, _, _, one, two, messages, _ in rows:
        assert (int(one), int(two)) == (401 * int(joints) + 497, 395 * int(joints) + 294)
        assert messages == "+2"
