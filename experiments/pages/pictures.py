"""Figures of the README and of pages without a script of their own.

The replay and the page of a run are as Chromium shows them.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

import senn
from experiments.page import DOCS, Figures
from senn.api.arguments import sizes
from senn.api.timing import emptiest
from senn.cli.printing.report import report_content
from senn.machine.network import Wiring, measures, network
from senn.machine.placing import allocation
from senn.motion import animation
from senn.studies.conduct import here
from senn.studies.row import table
from senn.studies.study import drawn, read
from senn.traces import report
from senn.traces.pictures import plots
from senn.traces.pictures.places import wavefront
from senn.traces.pictures.style import caption_of
from senn.traces.run import Run


@cache
def ssrms() -> Run:
    return senn.run("ssrms")


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


_CYCLES = range(0, 3_300, 30)
"""Of the replay: until the elimination of array 1 is over."""
_COLORS = 48


def replay() -> bytes:
    """The elimination of the SSRMS as the replay of its page shows it, a picture for every 30 cycles."""
    with opened(senn.run("ssrms"), width=860, height=900) as tab:
        images = []
        for cycle in _CYCLES:
            tab.evaluate(f"() => Senn.page.view.set({{ cycle: {cycle} }})")
            tab.evaluate(
                "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            images.append(Image.open(io.BytesIO(tab.locator("#network").screenshot())).convert("RGB"))
    width, height = images[0].size
    several = Image.new("RGB", (width, 4 * height))  # one palette for all, so that what stands still stays
    for k, image in enumerate(images[:: len(images) // 4][:4]):
        several.paste(image, (0, k * height))
    palette = several.quantize(_COLORS)
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    content = io.BytesIO()
    frames[0].save(
        content, "GIF", save_all=True, append_images=frames[1:], duration=110, loop=0, optimize=True
    )
    return content.getvalue()


def study(name: str) -> Axes:
    """The picture of docs/studies/NAME.toml, as `senn study` draws it."""
    asked = read(DOCS / "studies" / f"{name}.toml")
    assert asked.picture is not None  # they all ask for one
    rows = [row for _, row in here(asked.points)]
    return drawn(asked.picture, table(asked.points, rows), asked.name)


def hidden() -> Axes:
    """Where the communication of the Space Station arm would be hidden."""
    run = senn.run("ssrms", machine="mark3", numbers=False)
    return senn.hiding(run).plot(caption=caption_of(run))


PLACED = (
    *(("identity", "home", 8), ("identity", "migrating", 8), ("gray", "migrating", 8)),
    *(("bit-reversed", "migrating", 8), ("block", "migrating", 4), ("cyclic", "home", 4)),
)


def places() -> Figure:
    """Eight processes on eight nodes, and on four."""
    figure, axes = pyplot.subplots(3, 2, figsize=(9.6, 7.2), layout="constrained")
    for ax, (name, residency, nodes) in zip(axes.flat, PLACED, strict=True):
        table = allocation.named(name, 8, residency, nodes)
        plots.places(table, ax, nodes=nodes, caption=f"{name}, {residency}")
    return figure


def swing() -> bytes:
    """The UR5, whose tip slides on a line, falls."""
    return animation(senn.simulate("ur5", contact="line", torque="0", until=2.0, judge=0, impact=True))


FIGURES: Figures = {
    "wavefront": lambda: wavefront(senn.run("random:8")),
    "replay.gif": replay,
    "scaling": lambda: plots.scaling(
        senn.steps([*(some := sizes("1:1024")), *emptiest(some)]), caption="form paper, migrating, fijany"
    ),
    "report": shown,
    **{kind: lambda kind=kind: ssrms().plot(kind) for kind in ("timeline", "overlap", "critical", "network")},
    "heat": lambda: senn.run("random:64", machine="mark3", residency="home", check=False).plot("heat"),
    "wires": lambda: measures.picture(Wiring(network("senn", 8), arrays=2)),
    "arm": lambda: senn.problem("ssrms").plot(),
    "places": places,
    "phases": lambda: plots.phases(ssrms()),
    "motion.gif": swing,
    "hidden": hidden,
    **{f"study_{name}": partial(study, name) for name in ("residency", "networks")},
}
