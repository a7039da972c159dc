"""`senn list allocations` and `senn list networks`: where processes live, and what wires nodes."""

from __future__ import annotations

import click
from rich.table import Table

from senn.cli.printing.screen import facts, heading, indented, screen, table
from senn.traces.errors import InputError


@click.command(short_help="The allocations, or who lives where with one.")
@click.argument("name", required=False)
@click.option(
    "--nodes", type=click.IntRange(0, 2**20), default=0, metavar="N", help="Nodes of an array.  [default: 8]"
)
def allocations(name: str | None, nodes: int) -> None:
    """The names of allocations; with NAME (or a file) the nodes of eight processes, level by level."""
    from senn.machine.placing import allocation

    if name is None:
        with screen() as page:
            page.print(table(["allocation", "where processes live"], [], allocation.NAMES.items()))
            page.print()
            page.print(
                "With --residency migrating processes un-shuffle between levels first. block and cyclic put "
                "several on a node of a smaller machine: --set machine.nodes=4."
            )
        return
    residencies = ("",) if allocation.is_file(name) else allocation.RESIDENCIES
    found = [(one, _places(name, one, nodes)) for one in residencies]
    if isinstance(found[0][1], InputError):
        raise found[0][1]
    with screen() as page:
        for residency, places in found:
            heading(page, residency or name)
            indented(page, str(places) if isinstance(places, InputError) else places)


def _places(name: str, residency: str, nodes: int) -> Table | InputError:
    """Eight processes, level by level and array by array; or why not."""
    from senn.machine.placing import allocation

    try:
        tables = allocation.named(name, 8, residency or "home", nodes).reshape(-1, 4, 8).tolist()
    except InputError as error:
        return error
    rows = (
        (f"array {array}" if len(tables) > 1 else "", f"level {level}" if level else "home", *map(str, row))
        for array, places in enumerate(tables, 1)
        for level, row in enumerate(places)
    )
    return table(["", "process"], map(str, range(1, 9)), rows)


@click.command(short_help="The networks and their measures, or one of them.")
@click.argument("name", required=False)
@click.option(
    "--nodes",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Of so many nodes.  [default: 64, or the file's]",
)
def networks(name: str | None, nodes: int | None) -> None:
    """The networks that machine.network can be; with NAME (or a graph file) all measures and wires of one."""
    from senn.machine.network import named as networks
    from senn.machine.network.measures import measures
    from senn.machine.network.routing import BELONGS, SHORTEST

    if name is not None:
        found = networks.network(name, networks.nodes_of(name, nodes or 0, 64))
        one = measures(found)
        own = [routing for routing, of in BELONGS.items() if name in of]
        kinds = ", ".join(f"{found.kind.count(kind)} {kind}" for kind in dict.fromkeys(found.kind))
        with screen() as page:
            page.print(
                facts(
                    [
                        ("network", f"{name}, {one.nodes} nodes"),
                        ("wires", f"{one.wires}, at most {one.degree} at a node"),
                        ("channels", f"{one.channels}{f': {kinds}' if kinds else ''}"),
                        ("distance", f"{one.diameter} hops at most, {one.mean_distance:.2f} on average"),
                        ("routing", ", ".join([*SHORTEST, *own])),
                    ]
                )
            )
        return
    rows = []
    for known, purpose in networks.PURPOSES.items():
        try:
            one = measures(networks.network(known, nodes or 64))
            rows.append((known, purpose, f"{one.wires}", f"{one.degree}", f"{one.diameter}"))
        except InputError:  # there is none of this size
            rows.append((known, purpose, "-", "-", "-"))
    with screen() as page:
        page.print(table(["network", "what it is for"], ["wires", "at a node", "diameter"], rows))
        page.print()
        page.print(
            f"Figures are for {nodes or 64} nodes; diameter in hops. Set one: --set machine.network=torus"
        )
        page.print("A graph file is a network too: --set machine.network=my.graphml")
