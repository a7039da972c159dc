"""The table of rescience.md, from claims.csv: at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from experiments.page import Tables, data, head, row

WORDS = ("holds", "depends", "fails", "untestable")


def verdicts() -> Iterator[str]:
    """How many claims have each verdict; against today's algorithms that of 1993, where they play no role."""
    yield from head("against the algorithms of", *WORDS, "all")
    titles, *rows = data("claims", "claims")
    entries = [dict(zip(titles, line, strict=True)) for line in rows]
    for era, column in (("1993", "verdict"), ("today", "verdict today")):
        counts = Counter(entry[column] or entry["verdict"] for entry in entries)
        yield row(era, *(counts[word] for word in WORDS), counts.total())


TABLES: Tables = {"verdicts": verdicts}
