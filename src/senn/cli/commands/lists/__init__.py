"""`senn list`: the robots, problems, algorithms, machines, allocations, networks, and one of them in full."""

from __future__ import annotations

import click

from senn.cli.commands.lists.algorithms import algorithms
from senn.cli.commands.lists.arms import problems, robots
from senn.cli.commands.lists.links import links
from senn.cli.commands.lists.machines import machines
from senn.cli.commands.lists.places import allocations, networks


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
      senn list links arm.urdf
      senn list algorithms closed-chain
      senn list machines mark3
      senn list allocations gray
      senn list networks --nodes 16
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (robots, links, problems, algorithms, machines, allocations, networks):
    list_group.add_command(command)
