"""The notebooks with their outputs: `python -m docs.make.notebooks` executes them in place.

What says nothing about the run is left out of the files: times, versions, the name of the kernel.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(path: Path) -> None:
    """Run every cell in order, in the notebook's folder, and write the outputs; a cell's error is raised."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    notebook["metadata"] = METADATA
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]  # nbformat has no type hints


if __name__ == "__main__":
    for notebook in sorted(FOLDER.glob("*.ipynb")):
        execute(notebook)
        print(notebook.name)
