"""Pictures as files for publication: written whole or not at all, the same bytes for the same command."""

from __future__ import annotations

import io
import shlex
import warnings
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import click

from senn.base import files
from senn.base.errors import InputError, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from senn.traces.run import Run

COMMAND = "senn.command"
"""Where a context keeps the words of its command, for files that say how they were made."""

# What says of which picture, how it was made, and the date, which is left out: it would make files differ.
_METADATA = {
    ".png": ("Title", "Description", "Creation Time"),
    ".svg": ("Title", "Description", "Date"),
    ".pdf": ("Title", "Subject", "CreationDate"),
}


def check(path: Path) -> None:
    """Refuse a file that no picture can be written to, before it is drawn."""
    if path.suffix not in _METADATA:
        raise InputError(f"{path}: a picture ends in {', '.join(_METADATA)}; choose one of these")
    files.check_file(path, "picture.png")


def write(draw: Callable[[], Axes], path: Path, run: Run | None = None) -> None:
    """Draw and write a picture; InputError, naming the file, where it cannot be written.

    Its metadata are its title and a description, which an SVG has for readers, too: what is shown, with which
    marks, by which command, and the hash of the run.
    """
    import matplotlib

    matplotlib.use("agg")  # no window, with or without a display
    from matplotlib import font_manager, pyplot
    from matplotlib.figure import Figure

    from senn.traces.pictures import style

    check(path)
    content = io.BytesIO()
    installed = set(font_manager.get_font_names())
    # The usual font, and others for letters that it has not got.
    fonts = [*matplotlib.rcParams["font.family"], *(name for name in _OTHER_SCRIPTS if name in installed)]
    sheet = {**style.SHEET, **style.LETTERS, "font.family": fonts, "svg.hashsalt": "senn"}
    with matplotlib.rc_context(sheet), warnings.catch_warnings():
        for warning in _ABOUT_LETTERS:
            warnings.filterwarnings("ignore", warning)
        ax = draw()
        figure = ax.figure
        assert isinstance(figure, Figure)  # `draw` makes its own, never a part of one
        parts = []
        if legend := ax.get_legend():
            marks = ", ".join(text.get_text() for text in legend.get_texts())
            parts = [legend.get_title().get_text(), marks and f"marks: {marks}"]
        if context := click.get_current_context(silent=True):
            parts.append(f"command: {shlex.join(context.meta[COMMAND])}")
        if run:
            parts.append(f"trace hash of the run: {run.trace.hash}")
        title = " ".join((ax.get_title("left") or ax.get_title()).split())
        about = printable("; ".join(" ".join(part.split()) for part in parts if part))
        metadata = dict(zip(_METADATA[path.suffix], (title, about, None), strict=True))
        figure.savefig(content, format=path.suffix[1:], metadata=metadata)
        pyplot.close(figure)
    picture = content.getvalue()
    if path.suffix == ".svg":
        described = f"</title>\n <desc>{escape(about)}</desc>"
        picture = picture.replace(b"</title>", described.encode(), 1)
    files.write(path, picture)


_OTHER_SCRIPTS = (
    *("Noto Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans Arabic", "Noto Sans Hebrew"),
    *("Noto Sans Devanagari", "Noto Sans Thai", "Noto Sans Symbols2", "WenQuanYi Zen Hei"),
    *("Droid Sans Fallback", "IPAGothic", "Hiragino Sans", "PingFang SC", "Apple SD Gothic Neo"),
    *("Yu Gothic", "Microsoft YaHei", "Malgun Gothic", "Nirmala UI", "Segoe UI Symbol"),
    *("Arial Unicode MS", "Unifont"),
)
_ABOUT_LETTERS = ("Glyph .* missing from", "Matplotlib currently does not support .* natively")
"""A letter that no font has is drawn as a box: that is seen, and needs no warning."""
