"""`senn list`: robots, problems, algorithms, machines, allocations and networks, or one of them in full."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from senn.api.arguments import flag
from senn.base.account import Account, Section
from senn.base.errors import suggestion
from senn.base.tables import table
from senn.choices import ProblemChoices, choices
from senn.cli import options as cli
from senn.cli.commands.list_machines import by_key, list_allocations, list_machines, list_networks, listed


@dataclass(frozen=True)
class Kind:
    """A kind of things that `senn list` shows: the function of their account, and the options that it has."""

    account: Callable[..., Account]
    contents: str
    names: cli.Completer | None = None
    options: tuple[str, ...] = ()


_ROWS = choices(ProblemChoices)


def _name_completer(context: click.Context, parameter: click.Parameter, begun: str) -> list[Any]:
    kind = KINDS.get(context.params.get("kind") or "")
    return kind.names(context, parameter, begun) if kind and kind.names else []


@cli.command("list", short_help="Robots, problems, algorithms, machines, networks, ...")
@click.argument("kind", required=False, shell_complete=lambda *asked: cli.completer(lambda: KINDS)(*asked))
@click.argument("name", required=False, shell_complete=_name_completer)
@click.option(
    "--nodes",
    type=click.IntRange(0, 2**20),
    metavar="N",
    help="Allocations, networks: nodes of an array.  [default: 8; networks: 64, or those of the file]",
)
@click.option(
    "--arrays", type=click.IntRange(1, 8), metavar="K", help="Networks: arrays drawn by --plot.  [default: 1]"
)
@click.option("--plot", "picture", type=cli.PATH, metavar="FILE", help="Networks: draw the network NAME.")
@cli.option(_ROWS["base"], help="Links: the link that does not move.  [default: the root]", group="")
@cli.option(_ROWS["lock"], help="Links: joints that do not move; a pattern for whole names.", group="")
def list_command(kind: str | None, name: str | None, **options: Any) -> Account:
    """List what senn knows of a KIND; with NAME, show one in full.

    \b
    KIND is one of
      {contents}

    \b
    Examples:
      senn list problems
      senn list robots ur5
      senn list links arm.urdf
      senn list machines mark3
      senn list networks senn --nodes 8 --arrays 2 --plot senn.svg
    """
    if kind is None:
        contents = [(kind, entry.contents) for kind, entry in KINDS.items()]
        shown = table(["kind", "contents"], [], contents)
        end = "One kind: senn list KIND. One of them in full: senn list KIND NAME."
        return listed({"kinds": by_key(("kind", "contents"), contents)}, shown, end)
    if kind not in KINDS:
        raise click.UsageError(
            f'there is no list "{kind}"; choose {", ".join(KINDS)}{suggestion(kind, KINDS)}'
        )
    selected = {key: value for key, value in options.items() if value is not None}
    for key in selected:
        if key not in KINDS[kind].options:
            flag = "plot" if key == "picture" else key
            owners = " and ".join(other for other, entry in KINDS.items() if key in entry.options)
            raise click.UsageError(f"--{flag} belongs to senn list {owners}; leave it out")
    return KINDS[kind].account(name, **selected)


def list_robots(name: str | None) -> Account:
    from senn.algorithms.robots import reader as robots

    if name is None:
        rows = [(robot, robots.description(robot), robots.load(robot).n) for robot in robots.bundled()]
        figures = {"robots": by_key(("robot", "description", "n"), rows)}
        return listed(figures, table(["robot", "description"], ["joints"], rows))
    chain, text = robots.load(name), robots.description(name)
    joints = list(zip(chain.joint_names, chain.joints, chain.mass.tolist(), strict=True))
    links = by_key(("name", "type", "mass"), joints)
    cells = ((f"{i}", joint, kind, f"{mass:.6g}") for i, (joint, kind, mass) in enumerate(joints, 1))
    shown = table(["joint", "name", "type"], ["mass of its link (kg)"], cells)
    sections = [Section(lines=((name, text),)), Section(table=shown)]
    return Account(sections, {"robot": name, "description": text, "n": chain.n, "joints": links})


def list_links(urdf: str | None, base: str | None = None, lock: tuple[str, ...] | None = None) -> Account:
    from senn.algorithms.robots.urdf import Part
    from senn.algorithms.robots.urdf import links as links_of

    if urdf is None:
        raise click.UsageError("senn list links needs a URDF file: senn list links arm.urdf")
    links = links_of(urdf, Part.of(base=base, lock=lock))
    rows, figures = [], []
    for link, above, joints, end in links:
        limits = above.limits if above and above.limited else None
        span = ", {:.4g} .. {:.4g}".format(*limits) if limits else ""
        by = f"{above.name}: {above.type}{span}" if above else "base"
        rows.append((link, by, "end" if end and joints else "", joints))
        joint = above and {"name": above.name, "type": above.type, "limits": limits}
        figures.append({"link": link, "joint": joint, "joints": joints, "end": end})
    return listed({"links": figures}, table(["link", "joint above it: type, limits", ""], ["joints"], rows))


def list_problems(name: str | None) -> Account:
    from senn.algorithms import problems
    from senn.algorithms.robots import generators

    bundled = problems.bundled()
    if name is not None:
        if name not in bundled:
            near = suggestion(name, bundled)
            raise click.UsageError(
                f'there is no bundled problem "{name}"; there are: {", ".join(bundled)}{near}'
            )
        text = problems.load(name).source
        entry = {"problem": name, "description": problems.description(name), "file": text}
        return Account(figures=entry, text=text)
    rows = {"problem": [(problem, problems.description(problem)) for problem in bundled]}
    rows |= {"generator": list(generators.DESCRIPTIONS.items())}
    end = (
        "The options of a generator follow in any order: random:16:prismatic=0.3:seed=7\n"
        "A robot of `senn list robots` is a problem too: its state is drawn from --seed."
    )
    tables = (table([noun, "description"], [], entries) for noun, entries in rows.items())
    figures = {f"{noun}s": by_key((noun, "description"), entries) for noun, entries in rows.items()}
    return listed(figures, *tables, end)


def list_algorithms(name: str | None) -> Account:
    from senn import overview
    from senn.algorithms import gallery

    if name is not None and name in gallery.NAMES:
        classic = _classic(name)
        lines = tuple((key.replace("_", " "), text) for key, text in classic.items())
        return Account([Section(lines=lines)], classic)
    rows = overview.catalogue(name)
    if name is not None:
        row = rows[name]
        lines = (
            ("algorithm", f"{name}: {_title(row)}"),
            ("answers", f"{row['question']}, {row['contact']}"),
            ("source", row["source"]),
            ("runs on", row["runs_on"]),
            ("order", row["order"]),
            ("steps", row["steps"]),
            ("operations", row["operations"] or "formulas in n and M, in the documentation"),
            ("in all", f"{row['operations_in_all']:,} for {overview.IN_ALL} joints"),
            ("choices", ", ".join(map(flag, row["choices"])) or "none"),
        )
        return Account([Section(lines=lines)], row)
    sections = []
    for question in dict.fromkeys(row["question"] for row in rows.values()):
        cells = (
            (
                f"{row['name']}\n  {row['order']}, {_title(row)}",
                str(row["total"] or row["steps"]).replace("; ", "\n"),
                row["operations_in_all"],
            )
            for row in rows.values()
            if row["question"] == question
        )
        shown = table(["algorithm", "steps, or operations"], [f"n = {overview.IN_ALL}"], cells)
        sections.append(Section(question, table=shown))
    text = (
        "Steps: instructions by array, then of the network; M = log2 n rounded up; three figures "
        "are for n = 8/16/32. Of a serial algorithm: its operations on one node. Last: all "
        f"operations for {overview.IN_ALL} joints, wherever. Source and kinds of operations: "
        "senn list algorithms NAME."
    )
    classics = [_classic(name) for name in gallery.NAMES]
    laws = (
        (f"{x['algorithm']}\n  {x['title']}", f"{x['instructions']}; network {x['network_steps']}")
        for x in classics
    )
    of_gallery = Section("classics: senn run NAME:N", table=table(["algorithm", "steps, n = 2^M"], [], laws))
    figures = {"algorithms": list(rows.values()), "classics": classics}
    return Account([*sections, Section(paragraphs=(text,)), of_gallery], figures)


def _classic(name: str) -> dict[str, str]:
    from senn.algorithms import gallery

    laws = {
        key.replace(" ", "_"): law for key, law in gallery.classic(name).LAW.items() if isinstance(law, str)
    }
    return {"algorithm": name, "title": gallery.title(name), **laws}


def _title(row: Mapping[str, Any]) -> str:
    """The title without its question, which is the heading."""
    return str(row["title"]).removeprefix(f"{row['question']} by ").removeprefix(f"{row['question']}, ")


KINDS: Mapping[str, Kind] = {
    "robots": Kind(list_robots, "the bundled robots, or the joints and masses of one", cli.ROBOTS),
    "links": Kind(list_links, "of a URDF file: what could be its base or tip", cli.FILES, ("base", "lock")),
    "problems": Kind(
        list_problems, "the bundled problems and the generators, or the file of one", cli.BUNDLED_PROBLEMS
    ),
    "algorithms": Kind(
        list_algorithms, "what --algorithm takes, with steps and operations", cli.BY_OPTION["algorithm"]
    ),
    "machines": Kind(
        list_machines, "what --machine takes, with every field and its source", cli.BY_OPTION["machine"]
    ),
    "allocations": Kind(
        list_allocations,
        "what --allocation takes, or the nodes of eight processes",
        cli.BY_OPTION["allocation"],
        ("nodes",),
    ),
    "networks": Kind(
        list_networks,
        "what machine.network takes, with measures, or one drawn",
        cli.NETWORKS,
        ("nodes", "arrays", "picture"),
    ),
}
_CONTENTS = "\n      ".join(f"{kind:<12} {entry.contents}" for kind, entry in KINDS.items())
list_command.help = (list_command.help or "").replace("{contents}", _CONTENTS)
