"""A page of the documentation: its text, the tables made for it, its figures; and Markdown.

A script `experiments/FOLDER/NAME.py` makes what programs compute of NAME.md, in whatever folder of docs/.
It may define `TABLES`, the rows of each table on the page; `DATA`, the rows of each long table, written to
docs/data/NAME/TABLE.csv, which a page links; `FIGURES`, the drawings by the names of their files. Rows are
Markdown. On the page a table stands between two comments:

    <!-- NAME OF THE TABLE: made by experiments/FOLDER/NAME.py -->

    <!-- end -->

An excerpt of a long table stands below a comment with the file of that table; a test compares the two:

    <!-- excerpt of ../data/NAME/TABLE.csv -->
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, ScalarFormatter

from senn.traces.pictures import style

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
SHARED = ("control_law", "control_loop", "flips", "injection")
"""Files beside the scripts that are none."""
SCRIPTS = {
    file.stem: f"experiments.{file.parent.name}.{file.stem}"
    for file in sorted(HERE.glob("*/*.py"), key=lambda file: file.stem)
    if file.parent.name != "claims" and file.stem not in (*SHARED, "__init__")
}
"""Modules of the pages that have a script."""

DATA = DOCS / "data"

Tables = Mapping[str, Callable[[], Iterable[str]]]
Figures = Mapping[str, Callable[[], Figure | Axes | bytes]]


def place(page: str) -> Path:
    """Where the page of this name is, or the index of the folder: no two pages have one name."""
    (found,) = list(DOCS.rglob(f"{page}.md")) or [DOCS / page / "index.md"]
    return found


def written(page: str) -> str:
    """What PAGE.md says now."""
    return place(page).read_text(encoding="utf-8")


def _place_of_tables(page: str) -> re.Pattern[str]:
    """Comment, name and rows."""
    return re.compile(
        rf"(<!-- ([\w ]+): made by experiments/\w+/{page}\.py -->\n)(.*?)(?=<!-- end -->)", re.DOTALL
    )


def printed(page: str) -> dict[str, list[str]]:
    """The rows of each table as they stand on the page."""
    found = _place_of_tables(page).finditer(written(page))
    return {table[2]: table[3].strip().splitlines() for table in found}


def write_tables(page: str, tables: Tables) -> None:
    """PAGE.md with these tables made anew."""

    def made(found: re.Match[str]) -> str:
        start, name, rows = found.groups()
        return "\n".join([start, *tables[name](), "\n"]) if name in tables else start + rows

    if tables:
        place(page).write_text(_place_of_tables(page).sub(made, written(page)), encoding="utf-8")
        print(place(page).relative_to(DOCS.parent), flush=True)


def plain(cell: str) -> str:
    """A cell of a data file: no Markdown, and no thousands separators in what is not a sentence."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell.strip())
    text = text.replace("**", "").replace("`", "").replace("<br>", "; ").replace("\\|", "|")
    return text if len(text) > 60 else re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)


def cells(line: str) -> list[str]:
    """The cells of a Markdown row, as in a data file."""
    return [plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def records(rows: Iterable[str]) -> list[list[str]]:
    """Rows of a data file, head first, from rows of Markdown."""
    return [cells(line) for line in rows if set(line) - set("|-: ")]


def data(page: str, table: str) -> list[list[str]]:
    """docs/data/PAGE/TABLE.csv, head first."""
    with (DATA / page / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def write_data(page: str, tables: Tables) -> None:
    """docs/data/PAGE/TABLE.csv of each table."""
    for name, rows in tables.items():
        made = records(rows())  # before the file is opened: a table may read it, or fail
        file = DATA / page / f"{name}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows(made)
        print(file.relative_to(DOCS.parent), flush=True)


def row(*cells: object) -> str:
    """A row of a table: whole numbers with separators; None is "never"."""
    return f"| {' | '.join(map(_said, cells))} |"


def head(*titles: object) -> Iterator[str]:
    """The first two lines of a table."""
    yield row(*titles)
    yield "|---" * len(titles) + "|"


def _said(entry: Any) -> str:
    if entry is None:
        return "never"
    return f"{entry:,}" if isinstance(entry, Integral) else str(entry)


def order(error: float) -> str:
    """A rounding error: the nearest power of ten, as digits are another processor's already."""
    return f"{10.0 ** round(math.log10(error)):.0e}" if error > 0.0 else "0"


def draw(figures: Figures) -> None:
    """Write docs/figures/NAME.png (or NAME.gif) for each: a figure, axes, or what is one already."""
    mpl.use("Agg")
    folder = DOCS / "figures"
    folder.mkdir(exist_ok=True)
    for name, make in figures.items():
        with style.applied():
            drawn = make()
            file = folder / (name if "." in name else f"{name}.png")
            if isinstance(drawn, bytes):
                file.write_bytes(drawn)
            else:
                figure = drawn.figure if isinstance(drawn, Axes) else drawn
                figure.savefig(file, bbox_inches="tight", metadata={"Software": None})
        pyplot.close("all")
        print(file.relative_to(DOCS.parent), flush=True)


def titled(figure: Figure, text: str) -> None:
    """A finding above all panels."""
    figure.suptitle(text, x=0.01, ha="left", weight="bold", size=13)


def over_sizes(ax: Axes, label: str = "n", ticks: Sequence[int] = ()) -> None:
    """Sizes along x, by powers of two."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    if ticks:
        ax.set_xticks(ticks)
    ax.set_xlabel(label)
