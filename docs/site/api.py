"""What users import, by Sphinx's autodoc: the names of the modules that are theirs, and how docstrings read.

Docstrings are plain text, for `help()`. Here what they mark is kept: paragraphs, names between backquotes,
doctests, what is indented, and lists of names with what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from inspect import isclass, isfunction
from typing import Any

MODULES = {
    "Runs": ("senn.traces.run",),
    "Analyses of a trace": ("senn.traces.analysis",),
    "Pictures": ("senn.traces.pictures.plots",),
    "Problems": ("senn.algorithms.problems",),
    "Programs": ("senn.machine.program", "senn.machine.rewrite"),
    "Allocations and schedules": ("senn.machine.placing.allocation", "senn.machine.placing.schedule"),
    "Machines": ("senn.machine.model",),
    "Engines": ("senn.machine.engines.events", "senn.machine.engines.lockstep"),
    "Laws of programs, as tests": ("senn.laws",),
}
_LISTED = re.compile(r"^\w+: ")


def api() -> str:
    """`senn` by its names, and the modules of users under what they are about."""
    return "\n".join(_parts())


def _parts() -> Iterator[str]:
    said: set[int] = set()
    yield "## senn\n"
    yield from _names("senn", said)
    for title, modules in MODULES.items():
        yield f"## {title}\n"
        for module in modules:
            yield f"From `{module}`:\n"
            yield from _names(module, said)


def _names(module: str, said: set[int]) -> Iterator[str]:
    """Functions and classes of a module, but those that another one had."""
    face = import_module(module)
    for name in getattr(face, "__all__", None) or [name for name in vars(face) if name[0] != "_"]:
        found = getattr(face, name)
        home = getattr(found, "__module__", "")
        if (isclass(found) or isfunction(found)) and home.startswith("senn") and id(found) not in said:
            said.add(id(found))
            kind = "autoclass" if isclass(found) else "autofunction"
            members = "   :members:\n" if isclass(found) else ""
            yield f"```{{eval-rst}}\n.. {kind}:: {module}.{name}\n{members}```\n"


def plain(app: Any, what: str, name: str, of: object, options: object, lines: list[str]) -> None:
    """Sphinx's `autodoc-process-docstring`: plain text becomes what reads the same on a page."""
    blocks = re.split(r"\n{2,}", "\n".join(lines).strip("\n"))
    lines[:] = "\n\n".join(map(_block, blocks)).split("\n")


def short(
    app: Any, what: str, name: str, of: object, options: object, arguments: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Sphinx's `autodoc-process-signature`: types by their last names, where they come with their modules."""
    parts = (re.sub(r"~(?:\w+\.)*", "", part) if part else part for part in (arguments, returns))
    return next(parts), next(parts)


def _block(block: str) -> str:
    lines = block.split("\n")
    if lines[0].startswith(">>> "):
        return block
    if lines[0].startswith(" "):
        return "::\n\n" + "\n".join(f"    {line}" for line in lines)
    if all(_LISTED.match(line) or line.startswith("    ") for line in lines):
        entries = re.sub(r"\n +", " ", block).split("\n")
        return "\n".join(f"* ``{name}``: {_escaped(said)}" for name, said in map(_parted, entries))
    return _escaped("\n".join(line.strip() for line in lines))


def _parted(entry: str) -> tuple[str, str]:
    name, _, said = entry.partition(": ")
    return name, said


def _escaped(text: str) -> str:
    """Names between backquotes are literal; nothing else is marked."""
    parts = text.replace("``", "`").split("`")
    if len(parts) % 2 == 0:
        parts = [text.replace("`", "'")]
    return "".join(
        f"\\ ``{part}``\\ " if number % 2 else re.sub(r"([*_|\\])", r"\\\1", part)
        for number, part in enumerate(parts)
    )
