"""What the page of a run says that its trace cannot: in words, from the program that ran."""

from senn.cli.printing.page.told import told

__all__ = ["told"]
