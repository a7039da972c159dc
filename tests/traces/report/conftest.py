"""A page in the browser."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from senn.traces import report
from senn.traces.report import ReportContent
from senn.traces.run import Run
from tests.traces.hand_trace import hand_trace


@dataclass
class Opened:
    """A page that was opened from a file, and what it did that it should not."""

    tab: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def of(self, code: str) -> Any:
        """What a piece of JavaScript says, with `page` for what the page keeps."""
        return self.tab.evaluate(f"() => {{ const page = Senn.page; return ({code}); }}")

    def drawn(self, code: str = "0") -> Any:
        """As `of`, after the next picture."""
        found = self.of(code)
        self.tab.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        return found


@pytest.fixture(scope="session")
def opened(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Opened]]:
    """Opens the text of a page in a tab, from a file with nothing beside it, as an attachment is."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")

    def open_page(text: str, ready: str = "html[data-ready]") -> Opened:
        place: Path = tmp_path_factory.mktemp("page") / "report.html"
        place.write_text(text, encoding="utf-8")
        page = Opened(context.new_page())

        def route(request: Any) -> None:
            if request.request.url.startswith(("file:", "data:")):
                request.continue_()
            else:
                page.asked.append(request.request.url)
                request.abort()

        page.tab.on("console", lambda message: page.said.append(message.text))
        page.tab.on("pageerror", lambda error: page.said.append(str(error)))
        page.tab.route("**/*", route)
        page.tab.goto(place.as_uri())
        page.tab.wait_for_selector(ready, state="attached")
        return page

    yield open_page
    context.close()


NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
LISTING = (
    ("a program", None),
    ("  I.b.5   send D", (1, "I.b.5", 1)),
    ("  I.b.12  A", (1, "I.b.12", 1)),
    ("  III.2   F", (2, "III.2", None)),
)
STAGES = (((1, "I.b.1", 1), {(1, 2)}), ((1, "I.b.12", 1), set[tuple[int, int]]()))


@pytest.fixture(scope="session")
def by_hand() -> Run:
    """The run worked out by hand: its title would end every script and load a picture."""
    return Run(hand_trace(), {"program": {"name": NASTY, "n": 2}, "machine": {"startup": 4, "hop": 0}})


@pytest.fixture(scope="session")
def shown(opened: Callable[..., Opened], by_hand: Run) -> Opened:
    """Its page, with a listing of three instructions and a matrix that is taken apart once."""
    return opened(report.page(by_hand, ReportContent(listing=LISTING, stages=STAGES)))


@pytest.fixture(autouse=True)
def as_it_was(request: pytest.FixtureRequest) -> None:
    """Every test of a shared page begins with the whole run at cycle 0, and nothing looked for."""
    if "shown" in request.fixturenames and isinstance(page := request.getfixturevalue("shown"), Opened):
        page.tab.bring_to_front()
        page.tab.fill("#search", "")
        page.tab.press("#search", "Enter")
        nothing = "{ chosen: null, step: null, path: false, cycle: 0 }"
        page.drawn(f"Senn.pages.forEach(({{ view }}) => {{ view.fit(); view.set({nothing}); }})")
