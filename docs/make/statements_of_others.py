"""Rows of statements.md for papers other than Fijany's of 1993."""

from docs.make.statement import Statement

ROWS: tuple[Statement, ...] = ()
