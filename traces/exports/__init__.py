"""The formats that a trace can be exported to, and the export: whole or not at all.

No writer is loaded for the table, so that a command line can list it.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from senn.base import files
from senn.base.errors import InputError
from senn.base.gone import refuse_former

if TYPE_CHECKING:
    from senn.traces.run import Run

_GZIP = ".gz"
_HERE = "traces.exports"
_OTF2 = frozenset({"traces", "traces.def", "traces.otf2"})
_SIMULATORS = "Icarus Verilog, Verilator; yosys"
_PARTS = ("arbiter", "bench", "channel", "control", "dma", "machine", "node", "operands", "port", "sizes")
_VERILOG = frozenset(
    {"README.md", "memories", "machine.vvp", "obj_dir", "waves.vcd", *(f"{x}.sv" for x in _PARTS)}
)


@dataclass(frozen=True)
class Format:
    """A format: its name, how its files end, how long a cycle is in it, and what opens it.

    ``needs``: a package of Python, which the extra ``name`` brings. ``form``: a plain file, which may be
    compressed, a packed one, which is compressed in itself, or a folder. The writer of a folder is given an
    empty one to fill, any other gives the file in pieces. ``entries``: names that such a folder may have.
    ``module``: of the writer, below senn; the machine's is named and not imported, since no trace sees it.
    """

    name: str
    module: str
    suffix: str
    cycle: str
    opens: str
    needs: str = ""
    form: Literal["plain", "packed", "folder"] = "plain"
    entries: frozenset[str] = frozenset()


FORMATS: Mapping[str, Format] = {
    form.name: form
    for form in (
        Format(
            "perfetto", f"{_HERE}.perfetto", ".pftrace", "1 ns", "ui.perfetto.dev and its trace processor"
        ),
        Format("fst", f"{_HERE}.libraries", ".fst", "1 ns", "GTKWave, Surfer", "pylibfst", "packed"),
        Format(
            "otf2", f"{_HERE}.libraries", ".otf2", "1 ns", "Vampir, Score-P tools", "otf2", "folder", _OTF2
        ),
        Format("verilog", "machine.registers", ".verilog", "1", _SIMULATORS, "", "folder", _VERILOG),
        Format("csv", f"{_HERE}.tracks", ".csv", "1", "pandas, polars, DuckDB, R"),
    )
}
"""Every format by its name."""


def format_of(path: Path, to: str | None = None) -> Format:
    """The format of a name, or by how the file ends; InputError where there is none."""
    if to is not None:
        refuse_former("format", to)
        if to not in FORMATS:
            raise InputError(f'export: there is no format "{to}"; choose {", ".join(FORMATS)}')
        return FORMATS[to]
    for form in FORMATS.values():
        if path.name.removesuffix(_GZIP).endswith(form.suffix):
            return form
    endings = ", ".join(f"{form.suffix} ({form.name})" for form in FORMATS.values())
    raise InputError(f"{path}: an export ends in {endings}; or say with --to which format it is")


def export(run: Run, path: Path, to: str | None = None) -> Path:
    """Write a run for another tool, and return the file (or folder); one that is there is replaced.

    ``to`` is a name of ``FORMATS``; left out, it goes by how the file ends. A file that ends in .gz is
    compressed. InputError for a format that is not known, for a run that is not of detail "full", and for
    a place that cannot be written.
    """
    from senn.traces.exports.tracks import tracks_of

    form = format_of(path, to)
    if form.form != "plain" and path.name.endswith(_GZIP):
        raise InputError(f"{path}: {form.name} is not compressed once more; leave {_GZIP} out")
    if form.needs and find_spec(form.needs) is None:
        raise InputError(
            f"export: {form.name} is written by the package {form.needs}, which is not installed: "
            f"pip install 'senn[{form.name}]'"
        )
    if form.form != "folder":
        files.check_file(path, f"run{form.suffix}")
    else:
        files.check_folder(path)
        if path.exists() and not (path.is_dir() and {entry.name for entry in path.iterdir()} <= form.entries):
            raise InputError(
                f"{path} is there and is no {form.name}; choose another name (it is left as it is)"
            )
    tracks, writer = tracks_of(run), getattr(import_module(f"senn.{form.module}"), form.name)
    if form.form == "folder":
        with files.writing_folder(path) as new:
            writer(tracks, new)
        return path
    with files.writing(path) as new, new.open("wb") as file:
        if path.name.endswith(_GZIP):  # undated: the same
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.writelines(writer(tracks))
        else:
            file.writelines(writer(tracks))
    return path
