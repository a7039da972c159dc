"""The table of exports.md: what there is to export to."""

from collections.abc import Iterator

from experiments.page import Tables, head, row
from senn.traces.exports import FORMATS


def formats() -> Iterator[str]:
    """A row a format."""
    yield from head("`--to`", "file", "a cycle is", "opens in")
    for one in FORMATS.values():
        yield row(f"`{one.name}`", f"`{one.suffix}`", one.cycle, one.opens)


TABLES: Tables = {"formats": formats}
