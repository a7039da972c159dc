"""`senn list links`: what could be the base or the tip of a URDF."""

from __future__ import annotations

from collections.abc import Sequence

import click

from senn.choices import ProblemChoices, choices
from senn.cli.options import option
from senn.cli.printing.screen import screen, table


@click.command(short_help="The links of a URDF, and what moves them.")
@click.argument("urdf")
@option(choices(ProblemChoices)["base"])
@option(choices(ProblemChoices)["lock"])
def links(urdf: str, base: str | None, lock: Sequence[str] | None) -> None:
    """The links of a URDF file, each with the joint above it, its limits, and how many joints move it.

    These are counted from the base. --tip and --base name links, --lock and --at joints.
    """
    from senn.algorithms.robots.urdf import Part
    from senn.algorithms.robots.urdf import links as links_of

    found = links_of(urdf, Part.of(base=base, lock=lock))
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
