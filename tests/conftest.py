"""Settings of every test process: one thread, since there is a process for each core, and few pauses.

Cases marked `exhaustive` run only with `--exhaustive`, or where `-m` or the id of a case asks for them.

Hypothesis draws other examples every time, unless `CI` is in the environment (`.ci/run` puts it there):
then they are always the same, so that what passed passes again.
"""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.exhaustive import PAGES, mark_exhaustive
from tests.places import ROOT
from tests.rooms import changed, within

# Read when Polars and OpenBLAS are first imported: here, and in every process that a test or worker starts.
for _name in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ["MPLBACKEND"] = "agg"

# Where Python is told to write no compiled modules, they are kept outside the folders: for the next time, and
# for the processes that tests start.
if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = sys.pycache_prefix or str(ROOT / ".pytest_cache" / "compiled")
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": sys.pycache_prefix}
gc.disable()  # until all is collected

_SAME = "CI" in os.environ
settings.register_profile(
    "senn", deadline=None, derandomize=_SAME, database=None if _SAME else settings().database
)
settings.load_profile("senn")

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options `--exhaustive` and `--changed`."""
    parser.addoption("--exhaustive", action="store_true", help="run the exhaustive cases too")
    parser.addoption("--changed", action="store_true", help="only tests of what differs from main")


@cache
def _changed() -> set[Path]:
    return changed()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Not even read what is exhaustive as a whole, unless it is asked for; nor what has not changed."""
    if config.option.changed and not within(collection_path, _changed()):
        return True
    asked = config.option.exhaustive or config.option.markexpr
    named = any("tests/docs" in argument for argument in config.args)
    return True if collection_path == PAGES and not asked and not named else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the exhaustive cases out of the fast set."""
    if any("[" in argument for argument in config.args):
        return
    mark_exhaustive(items)
    if config.option.exhaustive or "exhaustive" in config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("exhaustive")]
    items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(autouse=True)
def figures_closed() -> Iterator[None]:
    """No figure that a test opens outlives it."""
    before = _figures()
    yield
    for number in _figures() - before:
        sys.modules["matplotlib.pyplot"].close(number)


def _figures() -> set[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set(pyplot.get_fignums()) if pyplot else set()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, once for all tests of a process."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        reason = f"no browser: none of {', '.join(BROWSERS)} is installed"
        if "CI" in os.environ:
            pytest.fail(reason)
        pytest.skip(reason)
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def pytest_collection_finish() -> None:
    """Exempt imported modules and collected cases from garbage collection: searching them costs a tenth."""
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()
