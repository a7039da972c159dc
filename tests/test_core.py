"""The core, which `docs/inside/core.md` lists, imports nothing from the rooms around it."""

import re

from experiments.page import written
from tests.places import ROOT
from tests.test_layers import FLOORS, MODULES, imported

LISTED = re.findall(r"^((?:src/senn/base|traces|machine|algorithms)/\S*)", written("core"), re.MULTILINE)
"""Lines that begin with a path: a module, or a folder with all of its modules, ending in a slash."""


def is_core(name: str) -> bool:
    """Whether a module, by its name under `senn`, is listed or is in a folder that is."""
    path = MODULES[name].relative_to(ROOT).as_posix()
    package = name in (*FLOORS, "base")
    return package or path in LISTED or any(path.startswith(each) for each in LISTED if each.endswith("/"))


def test_listed_paths_exist() -> None:
    assert len(LISTED) > 10
    assert not [path for path in LISTED if not (ROOT / path).exists()]


def test_core_imports_nothing_outside_it() -> None:
    core = [name for name in MODULES if is_core(name)]
    outside = {name: {other for other in imported(MODULES[name]) if not is_core(other)} for name in core}
    assert not {name: others for name, others in outside.items() if others}


def test_core_command_names_tests_that_exist() -> None:
    """The folders and files of `./run test core`."""
    (block,) = re.findall(r"^core=\((.*?)^\)", (ROOT / "run").read_text(encoding="utf-8"), re.M | re.S)
    for word in block.split():
        head, _, rest = word.partition("{")
        middle, _, tail = rest.partition("}")
        assert all((ROOT / f"{head}{part}{tail}").exists() for part in middle.split(",")), word
