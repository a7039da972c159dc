"""`senn list machines`."""

from __future__ import annotations

from typing import Any

import click

from senn.cli import completion
from senn.cli.options import command, json_option
from senn.cli.printing.screen import say_json, screen
from senn.cli.printing.tables import Sheet, table

_UNVERIFIED = "unverified"


@command(short_help="The machines, or every field and source of one.")
@click.argument("name", required=False, shell_complete=completion.BY_OPTION["machine"])
@json_option
def machines(name: str | None, as_json: bool) -> None:
    """The machines that come with senn; with NAME (or a TOML file) every field and its source."""
    from senn.machine import model

    if as_json:
        every = {"machines": [_document(one) for one in model.presets()]}
        say_json(every if name is None else _document(name))
        return
    if name is None:
        with screen() as page:
            page.print(_presets())
            page.print()
            page.print("Times are cycles. `senn list machines NAME` gives every field and its source.")
        return
    machine = model.load(name)
    values = machine.describe()
    rows = [
        (f"{group}.{field}", _text(values[field]), machine.between(field), machine.sources.get(field, ""))
        for group, fields in model.FIELDS.items()
        for field in fields
        if field in values
    ]
    doubtful = sum(source.startswith(_UNVERIFIED) for *_, source in rows)
    with screen() as page:
        page.print(table(["field", "value", "between", "source"], [], rows))
        page.print()
        page.print(
            f"Times are cycles. {doubtful} of {len(rows)} fields are unverified; where there are bounds, "
            "`senn claims` tries them too. Set one: --set timing.word=4"
        )


def _document(name: str) -> dict[str, Any]:
    """Every field with its value and its source."""
    from senn.machine import model
    from senn.machine.model.figures import plain

    one = model.load(name)
    fields = one.describe()
    told = {
        f"{group}.{field}": {
            "value": fields[field],
            "between": [plain(bound) for bound in one.bounds_of(field) or ()] or None,
            "source": one.sources.get(field, ""),
        }
        for group, names in model.FIELDS.items()
        for field in names
        if field in fields
    }
    return {"machine": one.name, "model_of": one.sources.get("name", ""), "fields": told}


def _text(value: str | int | bool) -> str:
    """As it is written in a file and after --set."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _presets() -> Sheet:
    from senn.machine import model

    rows = []
    for name in model.presets():
        machine = model.load(name)
        fields = machine.describe()
        doubtful = sum(text.startswith(_UNVERIFIED) for text in machine.sources.values())
        figures = (str(fields[field]) for field in ("clock_mhz", "add", "startup", "word"))
        rows.append((name, machine.sources["name"], *figures, f"{doubtful} of {len(fields)}"))
    return table(["machine", "model of"], ["MHz", "add", "startup", "word", _UNVERIFIED], rows)
