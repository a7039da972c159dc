"""Pictures with names in any script, and with names that matplotlib would take for something else."""

import warnings

import polars as pl
import pytest
from matplotlib import pyplot

from senn.base.errors import InputError
from senn.cli.printing import pictures
from senn.traces.pictures import plots
from senn.traces.pictures.style import written

NAMES = (
    "$\\bad$",
    "$x",
    "a\\$b$",
    "腕とハンド",
    "ذراع روبوت",
    "זרוע",
    "बांह",
    "🦾 \U0010ffff \u0378",
    "\x00\x1b[31m\u202e",
    "\ud800",
    "_hidden",
    "x" * 100_000,
    "two\nlines",
    "%s {n} %",
)


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_any_name_is_drawn_without_a_warning(tmp_path, ending):
    """As caption, as label of a series, as word of an axis."""
    table = pl.DataFrame(
        [(name.replace("\ud800", "?"), kind, 3.0) for name in NAMES for kind in ("$\\frac$", "ذ")],
        schema=["problem", "kind", "makespan"],
        orient="row",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pictures.write(
            lambda: plots.comparison(table, "problem", "makespan", ("kind",), caption="$\\bad$ 腕\ud800"),
            tmp_path / f"names{ending}",
        )
    assert (tmp_path / f"names{ending}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("text", "drawn"),
    [("$\\bad$", "$\\bad$"), ("a $5 b", "a $5 b"), ("腕", "腕"), ("\x1b[1m", r"\x1b[1m"), ("_a", " _a")],
)
def test_what_is_written_is_what_is_drawn(text, drawn):
    """No formula is made of a name, neither at once nor of what was made ready before."""
    figure, axes = pyplot.subplots()
    for ready in (written(text), written(written(text))):
        shown, is_formula = axes.set_title(ready)._preprocess_math(ready)
        assert (shown, is_formula) == (drawn, False)
    pyplot.close(figure)


def test_a_picture_that_cannot_be_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a picture ends in \.png, \.svg, \.pdf"):
        pictures.check(tmp_path / "a\x1b.gif")
