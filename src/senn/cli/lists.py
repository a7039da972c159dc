"""`senn list`: the robots, problems, machines, networks, allocations, and one of them in full."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from rich.table import Table

from senn.cli.screen import facts, heading, indented, screen, table
from senn.traces.errors import InputError

_UNVERIFIED = "unverified"


@click.group(
    "list",
    invoke_without_command=True,
    short_help="The robots, problems, algorithms, machines, networks, allocations.",
)
@click.pass_context
def list_group(context: click.Context) -> None:
    """List robots, problems, algorithms, machines, networks or allocations, or show one in full.

    \b
    Examples:
      senn list problems
      senn list robots ur5
      senn list algorithms closed-chain
      senn list machines mark3
      senn list allocations gray
      senn list networks --nodes 16
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@list_group.command(short_help="The robots, or the joints of one.")
@click.argument("name", required=False)
def robots(name: str | None) -> None:
    """The bundled robots; with NAME the joints and masses of one."""
    from senn.algorithms import robots

    if name is None:
        known = ((robot, text, str(robots.load(robot).n)) for robot, text in robots.bundled().items())
        with screen() as page:
            page.print(table(["robot", "description"], ["joints"], known))
        return
    chain = robots.load(name)
    joints = zip(chain.joint_names, chain.joints, chain.mass, strict=True)
    rows = ((f"{i}", joint, kind, f"{mass:.6g}") for i, (joint, kind, mass) in enumerate(joints, 1))
    with screen() as page:
        page.print(facts([(name, robots.bundled()[name])]))
        page.print()
        page.print(table(["joint", "name", "type"], ["mass of its link (kg)"], rows))


@list_group.command(short_help="The problems and generators, or the file of one.")
@click.argument("name", required=False)
def problems(name: str | None) -> None:
    """The bundled problems and the generators; with NAME the file of one."""
    from senn.algorithms import problems
    from senn.algorithms.robots import generator_words

    if name is not None:
        if name not in problems.bundled():
            raise click.UsageError(
                f"there is no bundled problem '{name}'; there are: {', '.join(problems.bundled())}"
            )
        click.echo(problems.load(name).source, nl=False)
        return
    known = ((one, problems.description(one)) for one in problems.bundled())
    with screen() as page:
        page.print(table(["problem", "description"], [], known))
        page.print()
        page.print(table(["generator", "description"], [], generator_words.DESCRIPTIONS.items()))
        page.print()
        page.print("The options of a generator follow in any order: random:16:prismatic=0.3:seed=7")
        page.print("A robot of `senn list robots` is a problem too: its state is drawn from --seed.")


@list_group.command(short_help="The algorithms with steps and operations, or one in full.")
@click.argument("name", required=False)
def algorithms(name: str | None) -> None:
    """The algorithms of --algorithm; with NAME where one comes from and what it costs."""
    from senn import overview

    known = {row["name"]: row for row in overview.catalogue(name).to_dicts()}
    with screen() as page:
        if name is None:
            for question in dict.fromkeys(row["question"] for row in known.values()):
                heading(page, question)
                asked = [row for row in known.values() if row["question"] == question]
                rows = (
                    (
                        f"{row['name']}\n  {row['order']}, {_how(row)}",
                        _cost(row),
                        f"{row['operations_in_all']:,}",
                    )
                    for row in asked
                )
                costs = table(["algorithm", "steps, or operations"], [f"n = {overview.IN_ALL}"], rows)
                costs.columns[0].min_width = max(len(row["name"]) for row in asked)
                indented(page, costs)
            page.print()
            page.print(
                "Steps: instructions by array, then of the network; M = log2 n rounded up; three figures "
                "are for n = 8/16/32. Of a serial algorithm: its operations on one node. Last: all "
                f"operations for {overview.IN_ALL} joints, wherever. Source and kinds of operations: "
                "senn list algorithms NAME."
            )
            return
        one = known[name]
        choices = ", ".join("--residency ahead" if x == "ahead" else f"--{x}" for x in one["choices"])
        page.print(
            facts(
                [
                    ("algorithm", f"{name}: {_how(one)}"),
                    ("answers", f"{one['question']}, {one['contact']}"),
                    ("source", one["source"]),
                    ("runs on", one["runs_on"]),
                    ("order", one["order"]),
                    ("steps", one["steps"]),
                    ("operations", one["operations"] or "docs/parallel_counts.md has them as formulas"),
                    ("in all", f"{one['operations_in_all']:,} for {overview.IN_ALL} joints"),
                    ("choices", choices or "none"),
                ]
            )
        )


def _cost(row: Mapping[str, Any]) -> str:
    """All operations, or a line for the arrays and one for the network."""
    return str(row["total"] or row["steps"]).replace("; ", "\n")


def _how(row: Mapping[str, Any]) -> str:
    """The title, without the question that stands above."""
    return str(row["title"]).removeprefix(f"{row['question']} by ").removeprefix(f"{row['question']}, ")


@list_group.command(short_help="The machines, or every field and source of one.")
@click.argument("name", required=False)
def machines(name: str | None) -> None:
    """The machines that come with senn; with NAME (or a TOML file) every field and its source."""
    from senn.machine import model

    if name is None:
        with screen() as page:
            page.print(_presets())
            page.print()
            page.print("Times are cycles. `senn list machines NAME` gives every field and its source.")
        return
    machine = model.load(name)
    values = machine.describe()
    rows = [
        (f"{group}.{field}", _text(values[field]), machine.sources.get(field, ""))
        for group, fields in model.FIELDS.items()
        for field in fields
        if field in values
    ]
    doubtful = sum(source.startswith(_UNVERIFIED) for *_, source in rows)
    with screen() as page:
        page.print(table(["field", "value", "source"], [], rows))
        page.print()
        page.print(
            f"Times are cycles. {doubtful} of {len(rows)} fields are unverified. Set one: --set timing.word=4"
        )


@list_group.command(short_help="The allocations, or who lives where with one.")
@click.argument("name", required=False)
@click.option(
    "--nodes", type=click.IntRange(min=0), default=0, metavar="N", help="Nodes of an array.  [default: 8]"
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


@list_group.command(short_help="The networks and their measures, or one of them.")
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


def _text(value: str | int | bool) -> str:
    """As it is written in a file and after --set."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _presets() -> Table:
    from senn.machine import model

    rows = []
    for name in model.presets():
        machine = model.load(name)
        fields = machine.describe()
        doubtful = sum(text.startswith(_UNVERIFIED) for text in machine.sources.values())
        figures = (str(fields[field]) for field in ("clock_mhz", "add", "startup", "word"))
        rows.append((name, machine.sources["name"], *figures, f"{doubtful} of {len(fields)}"))
    return table(["machine", "model of"], ["MHz", "add", "startup", "word", _UNVERIFIED], rows)
