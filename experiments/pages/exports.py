"""The table of docs/reference/exports.md, what there is to export to, and a run in the Perfetto UI."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import senn
from experiments.page import Tables, head, row
from senn.traces.exports import FORMATS

_LOADED, _DRAWN = 60_000, 3
"""Milliseconds until the page has the run, at most; seconds until it has drawn what was asked."""


def formats() -> Iterator[str]:
    """A row a format."""
    yield from head("`--to`", "file", "a cycle is", "opens in")
    for one in FORMATS.values():
        yield row(f"`{one.name}`", f"`{one.suffix}`", one.cycle, one.opens)


def perfetto() -> bytes:
    """The UR5 on a T800: both arrays, as the page opens."""
    return _pictured(height=790)


def perfetto_message() -> bytes:
    """A few steps of array 1 with its channels, and a message that was clicked."""
    return _pictured(height=920, more="&visStart=28500&visEnd=41500", click=(643, 486))


def _pictured(height: int, more: str = "", click: tuple[int, int] | None = None) -> bytes:
    """What `senn view` shows; Chromium and the extra test are needed."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        run = senn.run("ur5", machine="t800").save(Path(folder) / "ur5")
        command = [sys.executable, "-m", "senn", "view", str(run), "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            if click:
                address = address.replace("engines", "engines%7Cchannels")
            browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1400, "height": height})
            page.goto(address + more)
            page.wait_for_selector("text=channels", timeout=_LOADED)
            page.keyboard.press("Control+b")  # without the bar at the side
            time.sleep(_DRAWN)
            if click:
                page.mouse.click(*click)
                time.sleep(_DRAWN)
            picture: bytes = page.screenshot()
            browser.close()
            server.terminate()
    return picture


TABLES: Tables = {"formats": formats}
FIGURES = {"perfetto": perfetto, "perfetto_message": perfetto_message}
