"""What a report says that a trace cannot: in the words of whoever knows robots and programs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table to be read: ``left`` and then ``right`` aligned columns, and rows of texts."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Section:
    """Labelled lines and a table under a heading."""

    heading: str
    lines: tuple[tuple[str, str], ...] = ()
    table: Table | None = None


@dataclass(frozen=True)
class Line:
    """A line of the listing, and the instruction that it prints, if it is issued."""

    text: str
    array: int | None = None
    step: str | None = None
    level: int | None = None


@dataclass(frozen=True)
class Stage:
    """The matrix after ``level`` levels: its blocks above the diagonal as (row, column), from 1.

    It is so from the end of the instruction of this array, step and level (of the loop) on.
    """

    after: int
    array: int
    step: str
    level: int | None
    blocks: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Told:
    """All of it. ``tiles`` are the figures that matter most, each with what it is."""

    title: str
    tiles: tuple[tuple[str, str], ...] = ()
    sections: tuple[Section, ...] = ()
    listing: tuple[Line, ...] = ()
    stages: tuple[Stage, ...] = ()
