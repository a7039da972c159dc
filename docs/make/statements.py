"""The tables of statements.md: what the papers say beside the claims, and the figures that decide it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from docs.make import statements_of_others
from docs.make.page import Tables, data, head, row
from docs.make.statement import Statement
from senn.algorithms.family import costs
from senn.algorithms.kernels import system
from senn.machine.program import Operations

_PACKED, _BLOCK, _VECTOR = (15,), (5, 5), (5,)

# ------------------------------------------------------------------------------ operation counts


def most_expensive() -> str:
    """Operations a link of M^-1 times a vector, Eq. (81), and of the six columns of Eq. (84)."""
    none, once, columns = (costs.constraint_forces(k, c).flops for k, c in ((0, 0), (1, 0), (1, 6)))
    whole, ldl = once - costs.BIAS.flops, _ldl().flops
    return (
        f"{ldl} of {whole} operations a link ({ldl / whole:.0%}), {once - none} to apply the factors; the "
        f"six columns of (84) take {columns - once}"
    )


def _ldl() -> Operations:
    """Block LDL' of A, a link."""
    between = system.solve.cost(_PACKED, _BLOCK) + system.transposed_product.cost(_BLOCK, _BLOCK)
    return system.ldl.cost(_PACKED) + between + Operations(add=15)


ROWS: tuple[Statement, ...] = (
    Statement(
        "Fijany V.D, 3",
        "the most computationally expensive part in implementing the factorization of M^-1 is the block "
        "LDL^T factorization of matrix A",
        "confirmed",
        most_expensive,
        "[serial costs](../reference/algorithms.md)",
    ),
)

PAPERS = {"fijany": ROWS, "others": statements_of_others.ROWS}


def statements() -> Iterator[str]:
    """Rows of statements.csv, every figure computed."""
    yield from head("source", "statement", "verdict", "figure")
    for rows in PAPERS.values():
        for each in rows:
            yield row(each.source, each.sentence, each.verdict, each.decide())


def of_paper(rows: tuple[Statement, ...]) -> Iterator[str]:
    """A table of the page, from statements.csv."""
    figures = {(line[0], line[1]): line[-1] for line in data("statements", "statements")[1:]}
    yield from head("statement", "source", "verdict", "what decides it")
    for each in rows:
        figure = figures[each.source, each.sentence]
        more = f"; {each.links}" if each.links else ""
        yield row(f'"{each.sentence}"', each.source, f"**{each.verdict}**", f"{figure}{more}")


DATA: Tables = {"statements": statements}
TABLES: Tables = {name: partial(of_paper, rows) for name, rows in PAPERS.items()}
