"""`senn list robots` and `senn list problems`."""

from __future__ import annotations

import click

from senn.cli.printing.screen import facts, screen, table


@click.command(short_help="The robots, or the joints of one.")
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


@click.command(short_help="The problems and generators, or the file of one.")
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
