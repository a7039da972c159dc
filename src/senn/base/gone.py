"""Former choices, each with its replacement: a name that is gone ends with the name to use instead.

Former commands are in `senn.cli.main`.
"""

from __future__ import annotations

from collections.abc import Mapping

from senn.base.errors import InputError

REPLACED: Mapping[str, Mapping[str, str]] = {
    "format": dict.fromkeys(("chrome", "paje", "kanata"), "write perfetto, a file that ends in .pftrace"),
    "search": {
        "arrays": "give assignments of your own, --arrays I.b.4=2, and compare them by a study over arrays",
    },
}
"""Replacement by the kind of a choice and its former name."""


def refuse_former(kind: str, name: str) -> None:
    """InputError with the replacement if a choice of this kind had this name.

    >>> refuse_former("search", "levels")
    """
    if name in REPLACED[kind]:
        raise InputError(f'{kind} "{name}" is gone: {REPLACED[kind][name]}')
