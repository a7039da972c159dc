"""Parts of `senn list`: machines, allocations and networks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from senn.base.account import Account, Section
from senn.base.errors import InputError
from senn.base.tables import Table, table
from senn.cli.printing import pictures
from senn.cli.printing.document import field_text
from senn.traces.naming import NO_ENERGY

_UNVERIFIED = "unverified"


def by_key(keys: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """Rows as objects of JSON."""
    return [dict(zip(keys, row, strict=True)) for row in rows]


def listed(figures: Mapping[str, Any], *parts: Table | str) -> Account:
    """The account of tables and paragraphs, one below the other."""
    sections = [Section(paragraphs=(x,)) if isinstance(x, str) else Section(table=x) for x in parts]
    return Account(sections, figures)


def list_machines(name: str | None) -> Account:
    from senn.machine import model

    if name is None:
        rows: list[tuple[str, ...]] = []
        for preset in model.presets():
            machine = model.load(preset)
            values = machine.describe()
            doubtful = sum(text.startswith(_UNVERIFIED) for text in machine.sources.values())
            times = (str(values[field]) for field in ("clock_mhz", "add", "startup", "word"))
            rows.append((preset, machine.sources["name"], *times, f"{doubtful} of {len(values)}"))
        shown = table(["machine", "model of"], ["MHz", "add", "startup", "word", _UNVERIFIED], rows)
        end = "Times are cycles. `senn list machines NAME` gives every field and its source."
        return listed({"machines": [*map(_machine_figures, model.presets())]}, shown, end)
    figures = _machine_figures(name)
    rows = [
        (field, field_text(entry["value"]), " to ".join(map(str, entry["between"] or ())), entry["source"])
        for field, entry in figures["fields"].items()
    ]
    doubtful = sum(source.startswith(_UNVERIFIED) for *_, source in rows)
    end = (
        f"Times are cycles, energies pJ. {doubtful} of {len(rows)} fields are unverified; where there are "
        "bounds, try them too: --set timing.word=4"
    )
    more = () if model.load(name).energy else (f"There is {NO_ENERGY.format(figures['machine'])}",)
    return listed(figures, table(["field", "value", "between", "source"], [], rows), end, *more)


def _machine_figures(name: str) -> dict[str, Any]:
    from senn.machine import model
    from senn.machine.model.figures import plain

    machine = model.load(name)
    values = machine.describe()
    fields = {
        f"{group}.{field}": {
            "value": values[field],
            "between": [plain(bound) for bound in machine.bounds_of(field) or ()] or None,
            "source": machine.sources.get(field, ""),
        }
        for group, names in model.FIELDS.items()
        for field in names
        if field in values and group != "energy"
    }
    for field, value in values.get("energy", {}).items():
        entry = {"value": value, "between": None, "source": machine.sources.get(f"energy.{field}", "")}
        fields[f"energy.{field}"] = entry
    return {"machine": machine.name, "model_of": machine.sources.get("name", ""), "fields": fields}


def list_allocations(name: str | None, nodes: int = 0) -> Account:
    from senn.machine.placing import allocation

    if name is None:
        rows = list(allocation.NAMES.items())
        end = (
            "With --residency migrating processes un-shuffle between levels first. block and cyclic put "
            "several on a node of a smaller machine: --set machine.nodes=4."
        )
        figures = {"allocations": by_key(("allocation", "description"), rows)}
        return listed(figures, table(["allocation", "where processes live"], [], rows), end)
    tables: dict[str, Any] = {}
    sections = []
    for residency in ("",) if allocation.is_file(name) else allocation.RESIDENCIES:
        try:  # the nodes of eight processes, array by array and level by level
            arrays = allocation.named(name, 8, residency or "home", nodes).reshape(-1, 4, 8).tolist()
        except InputError as error:
            if not tables:
                raise
            tables[residency] = None
            sections.append(Section(residency, lines=(("", str(error)),)))
            continue
        tables[residency or "table"] = arrays
        cells = (
            (f"array {k}" if len(arrays) > 1 else "", f"level {level}" if level else "home", *map(str, row))
            for k, levels in enumerate(arrays, 1)
            for level, row in enumerate(levels)
        )
        shown = table(["", "process"], map(str, range(1, 9)), cells)
        sections.append(Section(residency or name, table=shown))
    return Account(sections, {"allocation": name, "tables": tables})


_MOST_NODES = 1024


def list_networks(
    name: str | None, nodes: int | None = None, arrays: int | None = None, picture: Path | None = None
) -> Account:
    from senn.machine.network import Wiring, measures
    from senn.machine.network import named as networks
    from senn.machine.network.routing import BELONGS, SHORTEST

    if picture and name is None:
        raise InputError(
            f"--plot draws one network: say which, such as senn list networks senn --plot {picture}"
        )
    if arrays and not picture:
        raise InputError("--arrays belongs to --plot: the measures are of the network inside each array")
    if nodes is not None and not 1 <= nodes <= _MOST_NODES:
        raise click.UsageError(f"--nodes {nodes}: a network is measured for 1 to {_MOST_NODES} nodes")
    if name is None:
        return _every_network(nodes or 64)
    if picture:
        pictures.check(picture)
    network = networks.network(name, networks.nodes_of(name, nodes or 0, 64))
    if picture:
        wiring = Wiring(network, arrays or 1)
        pictures.write(lambda: measures.picture(wiring), picture)
    measured = measures.measures(network)
    routings = [*SHORTEST, *(routing for routing, owners in BELONGS.items() if name in owners)]
    kinds = Counter(network.kind)
    drawing = {"picture": picture} if picture else {}
    figures = {"network": name, **asdict(measured), "kinds": kinds, "routings": routings, **drawing}
    kinds_text = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    lines = {
        "network": f"{name}, {measured.nodes} nodes",
        "wires": f"{measured.wires}, at most {measured.degree} at a node",
        "channels": f"{measured.channels}{f': {kinds_text}' if kinds_text else ''}",
        "distance": f"{measured.diameter} hops at most, {measured.mean_distance:.2f} on average",
        "routing": ", ".join(routings),
        **{label: str(path) for label, path in drawing.items()},
    }
    return Account([Section(lines=tuple(lines.items()))], figures)


def _every_network(nodes: int) -> Account:
    from senn.machine.network import named as networks
    from senn.machine.network.measures import measures

    rows: list[dict[str, Any]] = []
    for name, purpose in networks.PURPOSES.items():
        rows.append({"network": name, "description": purpose})
        with suppress(InputError):  # this network may have no such size
            rows[-1] |= asdict(measures(networks.network(name, nodes)))
    end = (
        f"Figures are for {nodes} nodes; diameter in hops. Set one: --set machine.network=torus\n"
        "A graph file is a network too: --set machine.network=my.graphml\n"
        'In an .edges file "0 5" is one channel, from 0 to 5; "5 0" is the way back.'
    )
    keys = ("network", "description", "wires", "degree", "diameter")
    cells = ([row.get(key) for key in keys] for row in rows)
    shown = table(["network", "what it is for"], ["wires", "at a node", "diameter"], cells)
    return listed({"networks": rows}, shown, end)
