"""The notebooks with their outputs: `python -m experiments.pages.notebooks [NAME ...]` executes them.

What says nothing about the run is left out of the files: times, versions, the name of the kernel. Pictures
are kept in 256 colours, which is a third of the size and looks the same.
"""

from __future__ import annotations

import argparse
import base64
import io
import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

FOLDER = Path(__file__).parents[2] / "notebooks"
PICTURES = {"bbox_inches": "tight", "dpi": 110}  # as wide as the column of a notebook
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(path: Path) -> None:
    """Run every cell in order, in the notebook's folder, and write the outputs; a cell's error is raised."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    at = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False, resources=at)
    client.extra_arguments = [f"--InlineBackend.print_figure_kwargs={PICTURES}"]
    # Pictures inside the notebook, also where the shell asks for another way to draw.
    client.execute(env={**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"})
    notebook["metadata"] = METADATA
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                output["data"]["image/png"] = in_few_colours(output["data"]["image/png"])
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]  # nbformat has no type hints


def in_few_colours(picture: str) -> str:
    """A PNG in base64 with a palette of its own, and without what names the program that drew it."""
    drawn = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    few = drawn.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    file = io.BytesIO()
    few.save(file, format="png", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m experiments.pages.notebooks", description=__doc__)
    names = [path.stem for path in sorted(FOLDER.glob("*.ipynb"))]
    parser.add_argument("names", nargs="*", choices=[*names, []], metavar="NAME", help=", ".join(names))
    for name in parser.parse_args().names or names:
        execute(FOLDER / f"{name}.ipynb")
        print(name)
