"""`senn list allocations` and `senn list networks`: where processes live, and what wires nodes."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from senn.cli import completion
from senn.cli.options import command, json_option
from senn.cli.printing import pictures
from senn.cli.printing.screen import facts, heading, indented, say_json, screen
from senn.cli.printing.tables import Sheet, table
from senn.traces.errors import InputError


@command(short_help="The allocations, or who lives where with one.")
@click.argument("name", required=False, shell_complete=completion.BY_OPTION["allocation"])
@click.option(
    "--nodes", type=click.IntRange(0, 2**20), default=0, metavar="N", help="Nodes of an array.  [default: 8]"
)
@json_option
def allocations(name: str | None, nodes: int, as_json: bool) -> None:
    """The names of allocations; with NAME (or a file) the nodes of eight processes, level by level."""
    from senn.machine.placing import allocation

    if name is None:
        if as_json:
            known = [{"allocation": one, "description": text} for one, text in allocation.NAMES.items()]
            say_json({"allocations": known})
            return
        with screen() as page:
            page.print(table(["allocation", "where processes live"], [], allocation.NAMES.items()))
            page.print()
            page.print(
                "With --residency migrating processes un-shuffle between levels first. block and cyclic put "
                "several on a node of a smaller machine: --set machine.nodes=4."
            )
        return
    residencies = ("",) if allocation.is_file(name) else allocation.RESIDENCIES
    found = [(one, _tables(name, one, nodes)) for one in residencies]
    if isinstance(found[0][1], InputError):
        raise found[0][1]
    if as_json:
        tables = {one or "table": None if isinstance(it, InputError) else it for one, it in found}
        say_json({"allocation": name, "tables": tables})
        return
    with screen() as page:
        for residency, places in found:
            heading(page, residency or name)
            indented(page, str(places) if isinstance(places, InputError) else _shown(places))


def _tables(name: str, residency: str, nodes: int) -> list[list[list[int]]] | InputError:
    """The nodes of eight processes, array by array and level by level; or why not."""
    from senn.machine.placing import allocation

    try:
        found: list[list[list[int]]]
        found = allocation.named(name, 8, residency or "home", nodes).reshape(-1, 4, 8).tolist()
    except InputError as error:
        return error
    return found


def _shown(tables: list[list[list[int]]]) -> Sheet:
    rows = (
        (f"array {array}" if len(tables) > 1 else "", f"level {level}" if level else "home", *map(str, row))
        for array, places in enumerate(tables, 1)
        for level, row in enumerate(places)
    )
    return table(["", "process"], map(str, range(1, 9)), rows)


@command(short_help="The networks and their measures, or one of them.")
@click.argument("name", required=False, shell_complete=completion.NETWORKS)
@click.option(
    "--nodes",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Of so many nodes.  [default: 64, or the file's]",
)
@click.option("--arrays", type=click.IntRange(1, 8), metavar="K", help="Draw so many.  [default: 1]")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the network of NAME.")
@json_option
def networks(
    name: str | None, nodes: int | None, arrays: int | None, plot: Path | None, as_json: bool
) -> None:
    """The networks that machine.network can be; with NAME (or a graph file) all measures and wires of one.

    \b
    Example (the paper's Figs. 2 and 3 in one):
      senn list networks senn --nodes 8 --arrays 2 --plot senn.svg
    """
    from senn.machine.network import named as networks
    from senn.machine.network.measures import measures
    from senn.machine.network.routing import BELONGS, SHORTEST

    if plot and name is None:
        raise InputError(
            f"--plot draws one network: say which, such as senn list networks senn --plot {plot}"
        )
    if arrays and not plot:
        raise InputError("--arrays belongs to --plot: the measures are of the network inside each array")
    if plot:
        pictures.check(plot)
    if name is not None:
        found = networks.network(name, networks.nodes_of(name, nodes or 0, 64))
        if plot:
            from senn.machine.network import Wiring
            from senn.machine.network import measures as drawn

            wiring = Wiring(found, arrays or 1)
            pictures.write(lambda: drawn.picture(wiring), plot)
        one = measures(found)
        own = [routing for routing, of in BELONGS.items() if name in of]
        if as_json:
            routings = [*SHORTEST, *own]
            drawn_as = {"picture": plot} if plot else {}
            kinds = Counter(found.kind)
            say_json({"network": name, **asdict(one), "kinds": kinds, "routings": routings, **drawn_as})
            return
        said = ", ".join(f"{found.kind.count(kind)} {kind}" for kind in dict.fromkeys(found.kind))
        with screen() as page:
            page.print(
                facts(
                    [
                        ("network", f"{name}, {one.nodes} nodes"),
                        ("wires", f"{one.wires}, at most {one.degree} at a node"),
                        ("channels", f"{one.channels}{f': {said}' if said else ''}"),
                        ("distance", f"{one.diameter} hops at most, {one.mean_distance:.2f} on average"),
                        ("routing", ", ".join([*SHORTEST, *own])),
                        *([("picture", str(plot))] if plot else []),
                    ]
                )
            )
        return
    rows = []
    documents: list[dict[str, Any]] = []
    for known, purpose in networks.PURPOSES.items():
        try:
            one = measures(networks.network(known, nodes or 64))
            documents.append({"network": known, "description": purpose, **asdict(one)})
            rows.append((known, purpose, f"{one.wires}", f"{one.degree}", f"{one.diameter}"))
        except InputError:  # there is none of this size
            rows.append((known, purpose, "-", "-", "-"))
            documents.append({"network": known, "description": purpose})
    if as_json:
        say_json({"networks": documents})
        return
    with screen() as page:
        page.print(table(["network", "what it is for"], ["wires", "at a node", "diameter"], rows))
        page.print()
        page.print(
            f"Figures are for {nodes or 64} nodes; diameter in hops. Set one: --set machine.network=torus"
        )
        page.print("A graph file is a network too: --set machine.network=my.graphml")
