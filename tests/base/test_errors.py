"""Messages are one line for people, whatever the user gave."""

import pickle
import unicodedata

import pytest

from senn.base.errors import LONGEST_MESSAGE, InputError, message, printable


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("arm\x1b[31m", r"arm\x1b[31m"),
        ("two\nlines\r\ttab", r"two\nlines\r\ttab"),
        ("\x00\x07\x7f\x9b", r"\x00\x07\x7f\x9b"),
        ("\u202egnp.exe\u2066", r"\u202egnp.exe\u2066"),  # the rest of the line would run backwards
        ("\ud800", r"\ud800"),  # of an argument that is no UTF-8
        ("line\u2028separator", r"line\u2028separator"),
        ("Käfer 腕 ذراع बांह \u200d🦾", "Käfer 腕 ذراع बांह \u200d🦾"),
        ("[bold]arm[/bold] $x$", "[bold]arm[/bold] $x$"),
        (r"C:\new", r"C:\new"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(given, said):
    """Letters of any script stay; what moves the cursor, rings, hides or turns the line is written out."""
    assert str(InputError(f"robot '{given}' is not known")) == f"robot '{said}' is not known"


def test_every_character_there_is():
    """None that Unicode assigns leaves something that breaks the line or that Unicode calls a control."""
    assigned = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) not in ("Cn", "Co", "Lo")]
    left = set(printable("".join(assigned)))
    assert {unicodedata.category(c) for c in left}.isdisjoint({"Cc", "Cs", "Zl", "Zp"})
    turns = {"LRE", "RLE", "LRO", "RLO", "LRI", "RLI", "FSI"}
    assert {unicodedata.bidirectional(c) for c in left}.isdisjoint(turns)


def test_a_long_word_loses_its_middle():
    """Both ends and the way out stay, and how much is missing is said."""
    text = str(InputError(f'node "{"a" * 50_000}{"b" * 50_000}": name the nodes 0, 1, 2'))
    assert text.startswith('node "aaaa')
    assert text.endswith('bbb": name the nodes 0, 1, 2')
    assert "characters more)" in text
    assert len(text) < 300


def test_a_long_text_of_short_words_loses_its_middle():
    """The beginning says what and where, the end says the way out."""
    text = str(InputError(f"name '{'ab ' * 50_000}' is long: shorten it"))
    assert text.startswith("name 'ab ab ")
    assert text.endswith("ab ' is long: shorten it")
    assert len(text) < LONGEST_MESSAGE


def test_said_again_a_message_is_the_same():
    """Messages are put into others, and travel between processes."""
    once = message("a\x1b" * 300 + " b\n" * 3000)
    assert message(once) == once
    assert str(pickle.loads(pickle.dumps(InputError(once)))) == once
