"""A page in the browser."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


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


@pytest.fixture(scope="module")
def opened(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Opened]]:
    """Opens the text of a page in one tab, from a file with nothing beside it, as an attachment is."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    tab = context.new_page()
    now: list[Opened] = []
    tab.on("console", lambda message: now[-1].said.append(message.text))
    tab.on("pageerror", lambda error: now[-1].said.append(str(error)))

    def route(request: Any) -> None:
        if request.request.url.startswith(("file:", "data:")):
            request.continue_()
        else:
            now[-1].asked.append(request.request.url)
            request.abort()

    tab.route("**/*", route)

    def open_page(text: str, ready: str = "html[data-ready]") -> Opened:
        place: Path = tmp_path_factory.mktemp("page") / "report.html"
        place.write_text(text, encoding="utf-8")
        now.append(Opened(tab))
        tab.goto(place.as_uri())
        tab.wait_for_selector(ready, state="attached")
        return now[-1]

    yield open_page
    context.close()
