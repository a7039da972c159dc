"""The figures of README.md, and the replay that moves."""

from __future__ import annotations

import io
from textwrap import wrap

from matplotlib.figure import Figure
from PIL import Image

import senn
from experiments.page import Figures
from senn.api import emptiest, sizes
from senn.traces.pictures import plots
from senn.traces.pictures.moment import moment
from senn.traces.pictures.places import wavefront
from senn.traces.pictures.style import PHASES

_CYCLES = range(0, 3_300, 30)
"""Of the replay: until the elimination of array 1 is over."""
_COLORS = 48


def replay() -> bytes:
    """The elimination of the SSRMS, cycle by cycle: one picture of the machine for every 30."""
    run = senn.run("ssrms")
    images = [_image(run, cycle) for cycle in _CYCLES]
    palette = _palette(images)
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    content = io.BytesIO()
    frames[0].save(
        content, "GIF", save_all=True, append_images=frames[1:], duration=110, loop=0, optimize=True
    )
    return content.getvalue()


def _palette(images: list[Image.Image]) -> Image.Image:
    """One for all, so that what stands still stays as it is; with the colours of all steps, however small."""
    width, height = images[0].size
    several = Image.new("RGB", (width, 4 * height), "white")
    for k, image in enumerate(images[20 :: len(images) // 3][:3]):
        several.paste(image, (0, k * height))
    for k, color in enumerate(PHASES.values()):
        several.paste(color, (k * width // 8, 3 * height, (k + 1) * width // 8, 4 * height))
    return several.quantize(_COLORS)


def _image(run: senn.Run, cycle: int) -> Image.Image:
    figure = Figure(figsize=(8.6, 4.4), dpi=100)
    ax = figure.add_axes((0.09, 0.0, 0.89, 0.74))
    moment(run, ax, cycle=cycle)
    said = "\n".join(wrap(" ".join(ax.get_title(loc="left").split()), 92))
    ax.set_title(said, loc="left", fontsize=11, pad=46)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=100)
    return Image.open(content).convert("RGB")


FIGURES: Figures = {
    "wavefront": lambda: wavefront(senn.run("random:8")),
    "replay.gif": replay,
    "timeline": lambda: plots.timeline(senn.run("ssrms")),
    "scaling": lambda: plots.scaling(
        senn.steps([*(some := sizes("1:1024")), *emptiest(some)]), caption="form paper, migrating, fijany"
    ),
}
