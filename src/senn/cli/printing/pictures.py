"""Pictures as files: written whole or not at all, the same bytes for the same run."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from senn.traces import files
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from senn.traces.run import Run

# Without the date, which would make every file differ.
_METADATA: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def check(path: Path) -> None:
    """Refuse a file that no picture can be written to, before it is drawn."""
    if path.suffix not in _METADATA:
        raise InputError(f"{path}: a picture ends in {', '.join(_METADATA)}; choose one of these")
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it, such as {path / 'picture.png'}")


def draw_timeline(run: Run, path: Path) -> None:
    """The timeline of a run that has all its messages."""
    from senn.traces.pictures import plots

    write(partial(plots.timeline, run), path)


def write(draw: Callable[[], Axes], path: Path) -> None:
    """Draw and write a picture; InputError, naming the file, where it cannot be written."""
    import matplotlib

    matplotlib.use("agg")  # no window, with or without a display
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    from senn.traces.pictures import style

    check(path)
    content = io.BytesIO()
    sheet = {**style.SHEET, "svg.hashsalt": "senn", "font.family": _fonts()}
    with matplotlib.rc_context(sheet), warnings.catch_warnings():
        for warning in _ABOUT_LETTERS:
            warnings.filterwarnings("ignore", warning)
        figure = draw().figure
        assert isinstance(figure, Figure)  # `draw` makes its own, never a part of one
        figure.savefig(content, format=path.suffix[1:], metadata=_METADATA[path.suffix])
        pyplot.close(figure)
    try:
        files.write(path, content.getvalue())
    except OSError as error:
        raise InputError(
            f"{path}: the picture cannot be written: {error.strerror}; choose another place"
        ) from error


_OTHER_SCRIPTS = (
    "Noto Sans",
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Sans Symbols2",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "IPAGothic",
    "Hiragino Sans",
    "PingFang SC",
    "Apple SD Gothic Neo",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Nirmala UI",
    "Segoe UI Symbol",
    "Arial Unicode MS",
    "Unifont",
)
_ABOUT_LETTERS = ("Glyph .* missing from", "Matplotlib currently does not support .* natively")
"""A letter that no font has is drawn as a box: that is seen, and needs no warning."""


def _fonts() -> list[str]:
    """The usual font, and for letters that it has not got those for other scripts that are installed."""
    import matplotlib
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    return [*matplotlib.rcParams["font.family"], *(name for name in _OTHER_SCRIPTS if name in installed)]
