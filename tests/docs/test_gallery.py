"""Every picture of the gallery is what the command above it draws."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from experiments.page import DOCS, written
from tests.docs.consoles import environment

BLOCK = re.compile(
    r"^```sh\n(.*?)^```\n(?:\n!\[[^\]]*\]\(\.\./figures/([\w.]+)\))?", re.MULTILINE | re.DOTALL
)
FILE = re.compile(r"\b[\w-]+\.png\b")
DIFFERENT = 32
"""Levels of 255 from which on a pixel differs: fonts and edges may be drawn with other greys."""


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
def test_pictures_of_the_gallery_are_what_their_commands_draw(tmp_path: Path) -> None:
    """Pixel by pixel, of the commands in their order in one folder; figures are cut to what is drawn."""
    env = {**environment(tmp_path / "programs"), "MATPLOTLIBRC": str(tmp_path / "matplotlibrc")}
    (tmp_path / "matplotlibrc").write_text("savefig.bbox: tight\n", encoding="utf-8")
    blocks = BLOCK.findall(written("pictures"))
    different = []
    for commands, figure in blocks:
        subprocess.run(commands, shell=True, cwd=tmp_path, env=env, capture_output=True, check=True)
        if figure:
            *_, file = FILE.findall(re.sub("#.*", "", commands))
            if not same(tmp_path / file, DOCS / "figures" / figure):
                different.append(figure)
    assert not different, f"draw anew by python -m experiments PAGE --figures: {different}"
    assert sum(bool(figure) for _, figure in blocks) == written("pictures").count("](../figures/")


def same(file: Path, figure: Path) -> bool:
    """Whether two pictures have one size, and at most one pixel of 10,000 differs."""
    left, right = (np.asarray(Image.open(path).convert("RGB"), int) for path in (file, figure))
    return left.shape == right.shape and bool((abs(left - right) > DIFFERENT).any(2).mean() <= 1e-4)
