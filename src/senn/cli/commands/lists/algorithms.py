"""`senn list algorithms`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from senn.cli import completion
from senn.cli.options import command, json_option
from senn.cli.printing.screen import facts, heading, indented, say_json, screen
from senn.cli.printing.tables import table


@command(short_help="The algorithms with steps and operations, or one in full.")
@click.argument("name", required=False, shell_complete=completion.BY_OPTION["algorithm"])
@json_option
def algorithms(name: str | None, as_json: bool) -> None:
    """The algorithms of --algorithm; with NAME where one comes from and what it costs."""
    from senn.api.chosen import option
    from senn.experiments import overview

    known = {row["name"]: row for row in overview.catalogue(name).to_dicts()}
    if as_json:
        say_json({"algorithms": list(known.values())} if name is None else known[name])
        return
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
        choices = ", ".join(map(option, one["choices"]))
        page.print(
            facts(
                [
                    ("algorithm", f"{name}: {_how(one)}"),
                    ("answers", f"{one['question']}, {one['contact']}"),
                    ("source", one["source"]),
                    ("runs on", one["runs_on"]),
                    ("order", one["order"]),
                    ("steps", one["steps"]),
                    ("operations", one["operations"] or "formulas in n and M, in the documentation"),
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
