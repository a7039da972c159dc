"""The words that commands print, each with what it means: `senn explain WORD`."""

from senn.cli.glossary.lookup import find, words
from senn.cli.glossary.table import WORDS
from senn.cli.glossary.word import Word

__all__ = ["WORDS", "Word", "find", "words"]
