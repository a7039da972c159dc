"""`senn list links`: what could be the base or the tip of a URDF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from senn.choices import ProblemChoices, choices
from senn.cli.options import command, json_option, option
from senn.cli.printing.screen import say_json, screen
from senn.cli.printing.tables import table

if TYPE_CHECKING:
    from senn.algorithms.robots.urdf.tree import Joint


@command(short_help="The links of a URDF, and what moves them.")
@click.argument("urdf")
@option(choices(ProblemChoices)["base"])
@option(choices(ProblemChoices)["lock"])
@json_option
def links(urdf: str, base: str | None, lock: Sequence[str] | None, as_json: bool) -> None:
    """The links of a URDF file, each with the joint above it, its limits, and how many joints move it.

    These are counted from the base. --tip and --base name links, --lock and --at joints.
    """
    from senn.algorithms.robots.urdf import Part
    from senn.algorithms.robots.urdf import links as links_of

    found = links_of(urdf, Part.of(base=base, lock=lock))
    if as_json:
        say_json({"links": [_document(*one) for one in found]})
        return
    rows = [
        (
            link,
            "" if above is None else above.name,
            "base" if above is None else above.type,
            "" if above is None or not above.limited else "{:g} .. {:g}".format(*above.limits),
            "end" if end and joints else "",
            f"{joints}",
        )
        for link, above, joints, end in found
    ]
    with screen() as page:
        page.print(table(["link", "joint above it", "type", "limits", ""], ["joints"], rows))


def _document(link: str, above: Joint | None, joints: int, end: bool) -> dict[str, Any]:
    """A link with the joint above it, null for the base; `joints` move it, and nothing hangs on an `end`."""
    joint = above and {
        "name": above.name,
        "type": above.type,
        "limits": above.limits if above.limited else None,
    }
    return {"link": link, "joint": joint, "joints": joints, "end": end}
