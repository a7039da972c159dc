"""The pages of docs/ cannot rot: code runs, links lead somewhere, tables are those of the program."""

import json
import re
import sys
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from experiments.page import DATA, DOCS, SCRIPTS, cells, data, place, written
from senn import overview
from senn.algorithms.programs import variants
from senn.algorithms.robots.side_tree import SideTree
from senn.api.solving import run
from senn.choices import Form
from senn.machine import model
from senn.machine.placing import allocation
from senn.machine.program import Program
from senn.studies import grid
from senn.studies.grid import Grid, points
from senn.studies.row import compute_row, table
from senn.traces.pictures import KINDS
from senn.traces.record import SCHEMA, WORK
from tests.places import ROOT

PAGES = sorted(DOCS.rglob("*.md"))
FORMS: tuple[Form, ...] = get_args(Form)

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^<!-- (\w+\.py) -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


# ------------------------------------------------------------------------- code and links


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
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


def test_links_of_pages_lead_somewhere() -> None:
    """Relative links name files of this repository, and headings that are there."""
    broken = []
    for page in PAGES:
        for target in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
            if "://" in target:
                continue
            file, _, heading = target.partition("#")
            path = (page.parent / file).resolve() if file else page
            if not path.exists() or (heading and heading not in _headings(path)):
                broken.append(f"{page.name}: {target}")
    assert not broken


def test_files_that_pages_name_are_there() -> None:
    """As code, from the root of the checkout or from a folder of the product; NAME stands for any."""
    roots = "algorithms|benchmarks|experiments|machine|notebooks|src|tests|traces|docs"
    named = re.compile(rf"`((?:{roots})/[\w./-]+)`")
    missing = [
        f"{page.name}: {name}"
        for page in PAGES
        for name in named.findall(page.read_text(encoding="utf-8"))
        if "NAME" not in name and not (ROOT / name).exists()
    ]
    assert not missing


def test_counts_of_a_page_are_those_of_the_lists() -> None:
    """Lists of the program that grow, in the sentences that count them."""
    counts = {"algorithms": len(overview.catalogue()), "presets": len(model.presets())}
    said = re.compile(r"`senn list (\w+)` lists all (\d+)")
    found = [match for page in PAGES for match in said.findall(page.read_text(encoding="utf-8"))]
    assert found
    assert all(int(number) == counts[name] for name, number in found)


def _headings(page: Path) -> set[str]:
    """The anchors that forges make of headings: lower case, words joined by hyphens."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_tables_of_pages_are_those_of_their_scripts() -> None:
    """All that the script makes, each once; a table that is made names the script of its page."""
    comment = re.compile(r"^<!-- ([\w ]+): made by experiments/\w+/(\w+)\.py -->$", re.MULTILINE)
    for page in PAGES:
        made = comment.findall(page.read_text(encoding="utf-8"))
        owner = page.parent.name if page.stem == "index" else page.stem
        script = import_module(SCRIPTS[owner]) if owner in SCRIPTS and page == place(owner) else None
        tables = getattr(script, "TABLES", {})
        assert sorted(made) == sorted((name, owner) for name in tables)


BY_HAND = {
    *("allocations/alone", "allocations/folded", "allocations/leaving", "allocations/slots"),
    *("programs/together", "programs/variants"),
    *("algorithms/published", "channels/traffic", "corrections/lines", "counts/iterations", "star/products"),
    *("branches/implied", "branches/lengths", "branches/operations", "branches/places"),
    *("dictionary/algorithms", "dictionary/articulated-bodies", "dictionary/errata", "dictionary/quantities"),
    *("divide_and_conquer/accuracy", "exports/speed", "joints/errors"),
    *(
        "joints/costs",
        "joints/levels",
        "joints/small-links",
        "joints/steps",
        "light_link/bounds",
        "light_link/forms",
        "light_link/others",
    ),
    *("operational_space/inverses", "operational_space/masses", "operational_space/singular"),
    *("parallel_counts/formulas", "parallel_counts/totals", "refinement/costs", "refinement/errors"),
    *("performance/long-arms", "performance/scale", "programs/ahead", "related/works", "schedule/implied"),
    *("star/ways", "statements/statements"),
    *("yang_wu_pan/room", "yang_wu_pan/started", "yang_wu_pan/verdicts-started"),
}
"""Data files without a script: written by hand, or computed once."""
DRAWN_ONCE = {
    *("classics_sorting.png", "joints.png", "light_link.png", "perfetto.png", "perfetto_message.png"),
    *("area.png", "eliminations.png", "energy.png", "scale.png", "statements.png", "widths.png"),
}
"""Figures without a script."""


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


def test_excerpts_are_in_their_data_files() -> None:
    """Each row of an excerpt has cells of one row of the file, in their order."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    excerpts = EXCERPT.findall(text)
    assert len(excerpts) == len(re.findall("^<!-- excerpt of ", text, re.MULTILINE))
    for owner, name, rows in excerpts:
        for line in rows.splitlines()[2:]:
            assert any(_in_order(cells(line), whole) for whole in data(owner, name)[1:]), line


def _in_order(excerpt: list[str], row: list[str]) -> bool:
    rest = iter(row)
    return all(cell in rest for cell in excerpt)


def test_tables_of_pages_are_short() -> None:
    """Except in the reference: longer tables are data files."""
    for page in (page for page in PAGES if page.parent.name != "reference"):
        tables = re.findall(r"(?:^\|.*\n)+", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert max((table.count("\n") for table in tables), default=0) <= 24, page.name


def test_figures_are_those_that_are_drawn() -> None:
    """Every file of docs/figures is made by some script, and every one made is there."""
    drawn = [name for page in SCRIPTS for name in getattr(import_module(SCRIPTS[page]), "FIGURES", {})]
    files = [*(name if "." in name else f"{name}.png" for name in drawn), *DRAWN_ONCE]
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
    programs = (
        variants.closed_chain(8, form, refine, ("revolute", joint) * 4)
        for form, refine, joint in product(FORMS, (0, 1, 2), ("revolute", "prismatic"))
    )
    primed = {label for program in programs for label in _labels(program) if "'" in label}
    assert primed
    assert not _unlisted(primed, "schedule/implied", (".",))


def test_branches_page_lists_every_line_of_branches() -> None:
    """Every label that a program has for branches, in any form, on two arrays and on three, is in its
    file."""
    trees = (SideTree(2, ("revolute", "prismatic"), (0, 1)), SideTree(4, ("prismatic",), (0,)))
    for form, arrays in product(FORMS, (2, 3)):
        plain, own = (
            _labels(variants.closed_chain(4, form, arrays=arrays, branches=branches))
            for branches in ((), trees)
        )
        assert own - plain
        assert not _unlisted(own - plain, "branches/implied", (".", "'"))


def _labels(program: Program) -> set[str]:
    return {line.step for stream in program.streams for line in stream}


def _unlisted(labels: set[str], table: str, parts: tuple[str, ...]) -> set[str]:
    """Labels that are not in the first column, nor begin with one of it and the mark of a part."""
    named = set(re.findall(r"[IV]+\.[^ ,]*", " ".join(row[0] for row in data(*table.split("/")))))
    begun = tuple(f"{name}{mark}" for name in named for mark in parts)
    return {label for label in labels - named if not label.startswith(begun)}


def test_traces_page_lists_every_column() -> None:
    """Every column of every table, in the order in which it is stored and hashed."""
    text = written("traces")
    for name, columns in SCHEMA.items():
        section = text.split(f"### {name}\n")[1].split("\n#")[0]
        listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
        assert listed == [*columns, *WORK.get(name, ())]


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
    charged = written("energy").split("## What is counted\n")[1].split("\n## ")[0]
    assert set(re.findall(r"`((?:machine|timing|energy)\.\w+)`", section + charged)) == fields
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


def test_networks_page_lists_what_there_is() -> None:
    """Every network and routing has a row."""
    text = written("networks")
    for name in (*model.SUPPORTED["network"], *model.SUPPORTED["routing"]):
        assert f"\n| `{name}` | " in text


def test_allocations_page_lists_every_name() -> None:
    """As `senn list allocations` has them, and that names may be parted by commas."""
    text = written("allocations")
    table = text.split("## Names\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(.*?)` \|", table, re.MULTILINE)) == {*allocation.NAMES, "identity,gray"}


def test_dictionary_lists_every_file_of_an_algorithm() -> None:
    """Files named in and below the table are those of the folder, but for the table of pages."""
    rows = data("dictionary", "algorithms")[1:]
    text = written("dictionary").split("## Algorithms")[1] + "".join(f"`{row[0]}`" for row in rows)
    folder = ROOT / "algorithms" / "family"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*.py") if path.name != "__init__.py"}
    named = {file for file in re.findall(r"`([\w/]+\.py)`", text) if not file.startswith("tests/")}
    assert named == files - {"pages.py"}


def test_studies_page_shows_the_studies_and_lists_every_column() -> None:
    """The example is docs/studies/residency.toml without its first comment, the excerpt is of networks.toml;
    scores and what stands beside them; parameters are those of senn.run."""
    text, studies = written("studies"), DOCS / "studies"
    _, _, body = (studies / "residency.toml").read_text(encoding="utf-8").partition("\n\n")
    assert f"```toml\n{body}```" in text
    excerpt = text.split("```toml\n[[cases]]")[1].split("```")[0]
    assert excerpt in (studies / "networks.toml").read_text(encoding="utf-8")
    section = text.split("## The table\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", section, re.MULTILINE))))
    made = points(Grid(fixed={"problem": "random:2"}, labels=["one"]))
    columns = set(table(made, [compute_row(made[0])]).columns)
    assert named == columns - grid.defaults().keys() - {"instructions_2"}
