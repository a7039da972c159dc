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
    """A line of the listing, and the instructions that it prints, by step and level."""

    text: str
    step: str | None = None
    level: int | None = None


@dataclass(frozen=True)
class Told:
    """All of it. ``tiles`` are the figures that matter most, each with what it is."""

    title: str
    tiles: tuple[tuple[str, str], ...] = ()
    sections: tuple[Section, ...] = ()
    listing: tuple[Line, ...] = ()
