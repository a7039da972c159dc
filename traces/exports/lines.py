"""Lines of text from the columns of a table, a million at once."""

import json
from collections.abc import Iterator

import polars as pl

_AT_ONCE = 50_000


def line(pattern: str, *columns: pl.Expr | str) -> pl.Expr:
    """The pattern with each % replaced by a column; null where one of them is."""
    first, *rest = pattern.split("%")
    parts = [pl.lit(first)]
    for column, after in zip(columns, rest, strict=True):
        shown = pl.col(column) if isinstance(column, str) else column
        parts += [shown.cast(pl.String), pl.lit(after)]
    return pl.concat_str(parts)


def quoted(column: pl.Series) -> pl.Series:
    """Texts as JSON has them."""
    words = column.unique()
    return column.replace_strict(words, [json.dumps(word) for word in words], return_dtype=pl.String)


def plain(column: pl.Expr) -> pl.Expr:
    """Texts for formats that cannot quote: without quotation marks, and every white space one blank."""
    return column.str.replace_all('"', "'", literal=True).str.replace_all(r"\s+", " ")


def pieces(texts: pl.Series, after: str = "\n") -> Iterator[bytes]:
    """The texts, each with what comes after it, in pieces of some megabytes."""
    for first in range(0, len(texts), _AT_ONCE):
        yield (after.join(texts.slice(first, _AT_ONCE)) + after).encode()
