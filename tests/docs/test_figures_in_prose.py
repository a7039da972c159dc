"""Figures in sentences of the short papers follow from data files and tables, so that none goes stale."""

import re

import polars as pl
import pytest

from docs.site.order import SECTIONS
from experiments.page import DOCS, data, printed, written
from experiments.trust import calibration

ELSEWHERE = {
    "control": {"0.4"},
    "accuracy": {"1e-25"},
    "yang_wu_pan": {"2,048"},
    "faults": {"178,750", "2e-10", "6e-14"},
    "light_link": {"2207.00426", "1e-6", "1e-2"},
    "schedule": {"1,025"},
}
"""Figures that no data file has: the largest n that a law was tried with (measured once); a
bandwidth that a table is computed for; the radius of enclosures; threads of a multiprocessor, in the
preset k40c with its source; sums that test_docs_faults.py computes, 2^-32 and 2^-44; the number of an
article, and the arm of the question."""


def cell(file: str, column: str, *key: str) -> str:
    """Of the row of a data file that begins with these cells."""
    head, *rows = data(*file.split("/"))
    (row,) = (row for row in rows if row[: len(key)] == [*key])
    return row[head.index(column)]


def quotient(file: str, column: str, over: tuple[str, ...], under: tuple[str, ...], other: str = "") -> float:
    """Two cells of a data file, in one column or two."""
    return float(cell(file, column, *over)) / float(cell(file, other or column, *under))


def startups(program: str) -> str:
    return cell("star/steps", "start-ups in a row, mark3", program)


def cycles(program: str) -> str:
    return f"{int(cell('star/ways', 'cluster', program)):,}"


def lead(n: str) -> str:
    """Of star on the cluster."""
    head, *_ = data("star", "ratios")
    return min(cell("star/ratios", column, "cluster", n) for column in head[2:5])


def share(column: str) -> str:
    """Of divide and conquer in form short."""
    pair = (("256", "divide and conquer"), ("256", "short"))
    return f"{100 * quotient('divide_and_conquer/sizes', column, *pair):.0f} %"


def gain(program: str) -> str:
    """By spherical joints."""
    pair = (("all spherical", program), ("all revolute", program))
    return f"{100 - 100 * quotient('divide_and_conquer/kinds', 'raw', *pair):.0f} %"


def times(column: str, other: str) -> str:
    """Of one algorithm over another, 1,000 links."""
    return f"{quotient('yang_wu_pan/links', column, ('1000',), ('1000',), other):.1f} times as fast"


def pays_from(machine: str) -> str:
    rows = (line.split(" | ") for line in printed("crossovers")["short"])
    return next(row[1] for row in rows if row[0] == f"| `{machine}`")


def where_blocks_are_best(links: int) -> str:
    """Of cells with 1 < p < n and so many links a node or more, all programs with Lambda^-1."""
    _, *rows = data("frontier", "programs")
    cells: dict[tuple[str, str, int], list[tuple[int, str]]] = {}
    for name, n, nodes, *figures in rows:
        if (
            "any" not in name
            and "no Lambda" not in name
            and 1 < int(nodes) <= min(int(n) - 1, int(n) // links)
        ):
            for machine, cycles in enumerate(figures[3:]):
                cells.setdefault((n, nodes, machine), []).append((int(cycles), name))
    return f"{sum('blocks' in min(cell)[1] for cell in cells.values())} of the {len(cells)}"


BLOCKS = quotient(
    "frontier/programs", "cluster", ("star-together", "128", "128"), ("star-blocks-together", "128", "8")
)
"""The gain of blocks over the best program without them."""
DAY = data("calibration", "figures")[1][0]
RUNS, STEPS = calibration.table("runs"), calibration.table("steps")
ON_CORES = RUNS.filter(pl.col("more ranks than cores") == "no")
INSIDE = ON_CORES["measured"].is_between(ON_CORES["low"].cast(float), ON_CORES["high"].cast(float)).sum()
SECOND = ON_CORES.group_by("program", "n").agg(  # one rank over two
    (pl.col(x).filter(ranks="1") / pl.col(x).filter(ranks="2")).first() for x in ("predicted", "measured")
)
COMPUTING = STEPS.group_by("program", "n").agg(
    pl.col("measured").filter(ranks="2").sum() / pl.col("measured").filter(ranks="1").sum()
)["measured"]
NEAR = [
    (STEPS["measured"] / STEPS[column]).is_between(0.5, 2).sum() for column in ("predicted", "with calls")
]
STARTUPS = quotient("calibration/figures", "high", (DAY, "startup"), (DAY, "startup"), "low")
SENTENCES = {
    "calibration": (
        f"{INSIDE} of {len(ON_CORES)} lie in the interval of the prediction",
        f"a second rank pays, by up to {SECOND['predicted'].max():.1f} times, and it gains at most "
        f"{100 * (SECOND['measured'].max() - 1):.0f} %",
        f"compute for {COMPUTING.min():.1f} to {COMPUTING.max():.1f} times as long as one",
        f"start-ups of these five differ by a factor of {STARTUPS:.1f}",
        f"{NEAR[0]} of {len(STEPS)} times of a part are within a factor of two of the machine file's, "
        f"{NEAR[1]} if calls are counted",
        f"takes {max(STEPS['measured'] / STEPS['predicted']):.0f} times as long as predicted",
    ),
    "crossovers": (
        f"pays from {pays_from('fijany')} joints, the Mark III from {pays_from('mark3')}, and the cluster "
        f"from {pays_from('cluster')};",
    ),
    "divide_and_conquer": (
        f"{share('operations')} of form short's at n = 256, with {share('messages')} of the messages and "
        f"{share('words')} of the words",
        f"the closed chain gains {gain('short')} of its cycles on `raw`",
        f"divide and conquer gains {gain('divide and conquer')} ",
    ),
    "frontier": (
        f"by up to a factor of {BLOCKS:.2f}, with p",
        f"in {where_blocks_are_best(1)} cases with 1 < p < n, and in {where_blocks_are_best(16)} with",
    ),
    "paper": (
        f"from {pays_from('fijany')} joints on on Fijany's machine, and from {pays_from('mark3')} on on the",
    ),
    "star": (
        f"At n = 64, {startups('star')} follow each other on the Mark III ({startups('star-together')} with",
        f"The next program has {startups('omega, outward')}, form short {startups('short')}.",
        f"at n = 64 by a factor of {lead('64')}, at n = 1,024 by {lead('1024')}.",
        f"star then takes {cycles('star, combined')} cycles instead of {cycles('star')}, divide and conquer "
        f"{cycles('divide and conquer, combined')} instead of",
        f"on the cluster {cycles('star-together')} cycles.",
        f"takes {cycles('star, C packed at once')} cycles on the cluster, not {cycles('star')}",
    ),
    "yang_wu_pan": (f"{times('hybrid ABIA', 'star')} at 1,000. CFA stays {times('star', 'CFA')} as `star`",),
}
"""As they should be."""


@pytest.mark.parametrize(
    "page",
    sorted({"accuracy", "calibration", "control", "paper", "faults", "light_link", *SECTIONS["paper"]}),
)
def test_figures_of_a_page_follow_from_its_data(page: str) -> None:
    """The sentences above, and of all others each figure with a comma, a point, an exponent or a percent
    sign: a data file that the page links has it, or a table or formula of the page."""
    shown = r"^```.*?^```$|<!--.*?-->|^(?:\||    ).*?$"
    text = re.sub(shown, " ", written(page), flags=re.MULTILINE | re.DOTALL)
    text = " ".join(re.sub(r"\]\([^)]*\)|[*\[]", "", text).split())
    for sentence in SENTENCES.get(page, ()):
        assert sentence in text
        text = text.replace(sentence, "")
    files = re.findall(r"\.\./data/([\w-]+)/([\w-]+)\.csv", written(page))
    cells = " ".join(cell for file in files for row in data(*file) for cell in row)
    tables = " ".join(re.findall(r"^(?:\||    ).*$", written(page), re.MULTILINE)).replace(",", "")
    measured = set(re.findall(r"\d+(?:\.\d+)?(?:e[-+]\d+)?", f"{cells} {tables}"))
    figures = re.findall(r"(?<![\w.,/^])\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?(?!\w)(?:\s?%)?", text)
    exact = {x.strip(",") for x in figures if re.search(r"\d[,.]\d|%|e", x)}
    unknown = {x for x in exact if x.replace(",", "").rstrip(" %") not in measured}
    assert unknown == ELSEWHERE.get(page, set())


def test_numbers_of_rows_are_those_of_the_files() -> None:
    """Wherever a page says that it has left rows out: "All 21 rows, with reasons: FILE"."""
    counts = re.compile(r"All (\d+) rows[^.()]*\[[\w-]+\.csv\]\(\.\./data/([\w-]+)/([\w-]+)\.csv\)")
    text = "\n".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    assert counts.search(text)
    for count, owner, table in counts.findall(text):
        assert int(count) == len(data(owner, table)) - 1, table
