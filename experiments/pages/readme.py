"""The figures of README.md, and the replay that moves."""

from __future__ import annotations

import io

from PIL import Image

import senn
from experiments.page import Figures
from experiments.pages.report import opened
from senn.api.arguments import sizes
from senn.api.timing import emptiest
from senn.traces.pictures import plots
from senn.traces.pictures.places import wavefront

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


FIGURES: Figures = {
    "wavefront": lambda: wavefront(senn.run("random:8")),
    "replay.gif": replay,
    "timeline": lambda: plots.timeline(senn.run("ssrms")),
    "scaling": lambda: plots.scaling(
        senn.steps([*(some := sizes("1:1024")), *emptiest(some)]), caption="form paper, migrating, fijany"
    ),
}
