"""`senn list robots` and `senn list problems`."""

from __future__ import annotations

import click

from senn.cli import completion
from senn.cli.options import command, json_option
from senn.cli.printing.screen import facts, say_json, screen
from senn.cli.printing.tables import table


@command(short_help="The robots, or the joints of one.")
@click.argument("name", required=False, shell_complete=completion.ROBOTS)
@json_option
def robots(name: str | None, as_json: bool) -> None:
    """The bundled robots; with NAME the joints and masses of one."""
    from senn.algorithms import robots

    if name is None:
        known = [(robot, text, robots.load(robot).n) for robot, text in robots.bundled().items()]
        if as_json:
            names = ("robot", "description", "n")
            say_json({"robots": [dict(zip(names, one, strict=True)) for one in known]})
            return
        with screen() as page:
            page.print(table(["robot", "description"], ["joints"], ((*one, str(n)) for *one, n in known)))
        return
    chain = robots.load(name)
    joints = list(zip(chain.joint_names, chain.joints, chain.mass.tolist(), strict=True))
    if as_json:
        links = [dict(zip(("name", "type", "mass"), one, strict=True)) for one in joints]
        say_json({"robot": name, "description": robots.bundled()[name], "n": chain.n, "joints": links})
        return
    rows = ((f"{i}", joint, kind, f"{mass:.6g}") for i, (joint, kind, mass) in enumerate(joints, 1))
    with screen() as page:
        page.print(facts([(name, robots.bundled()[name])]))
        page.print()
        page.print(table(["joint", "name", "type"], ["mass of its link (kg)"], rows))


@command(short_help="The problems and generators, or the file of one.")
@click.argument("name", required=False, shell_complete=completion.BUNDLED_PROBLEMS)
@json_option
def problems(name: str | None, as_json: bool) -> None:
    """The bundled problems and the generators; with NAME the file of one."""
    from senn.algorithms import problems
    from senn.algorithms.robots import generators as generator_words

    if name is not None:
        if name not in problems.bundled():
            raise click.UsageError(
                f"there is no bundled problem '{name}'; there are: {', '.join(problems.bundled())}"
            )
        text = problems.load(name).source
        if as_json:
            say_json({"problem": name, "description": problems.description(name), "file": text})
        else:
            click.echo(text, nl=False)
        return
    known = [(one, problems.description(one)) for one in problems.bundled()]
    if as_json:
        bundled = [{"problem": one, "description": text} for one, text in known]
        generators = generator_words.DESCRIPTIONS.items()
        words = [{"generator": one, "description": text} for one, text in generators]
        say_json({"problems": bundled, "generators": words})
        return
    with screen() as page:
        page.print(table(["problem", "description"], [], known))
        page.print()
        page.print(table(["generator", "description"], [], generator_words.DESCRIPTIONS.items()))
        page.print()
        page.print("The options of a generator follow in any order: random:16:prismatic=0.3:seed=7")
        page.print("A robot of `senn list robots` is a problem too: its state is drawn from --seed.")
