"""The figure of docs/report.md: the page of a run, as Chromium shows it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import senn
from experiments.page import Figures
from senn.cli.printing.report import report_content
from senn.traces import report
from senn.traces.run import Run


@contextmanager
def opened(run: Run, width: int, height: int) -> Iterator[Any]:
    """The page of a run in a tab of Chromium, of Playwright, ready to be looked at."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "report.html"
        file.write_text(report.page(run, report_content(run)), encoding="utf-8")
        path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        tab.goto(file.as_uri())
        tab.wait_for_selector("html[data-ready]", state="attached")
        yield tab
        browser.close()


def shown() -> bytes:
    """Down to the replay, at the messages of the second level of I.b.5."""
    with opened(senn.run("ssrms", machine="mark3"), width=1280, height=1720) as tab:
        row = "Senn.search.rowsOf(Senn.page.record, 'I.b.5')[1]"
        tab.evaluate(f"() => Senn.page.pick.choose({{ kind: 'instruction', row: {row} }})")
        tab.evaluate("() => { Senn.page.view.set({ cycle: 14850 }); Senn.page.view.cycles(0, 62000); }")
        tab.evaluate("() => new Promise((done) => setTimeout(done, 200))")
        picture: bytes = tab.screenshot()
    return picture


FIGURES: Figures = {"report": shown}
