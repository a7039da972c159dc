"""Claims of the paper as experiments: claim, measured figures, verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from experiments.claims import expense, factors, growth, hiding, networks
from experiments.claims.claim import FULL, QUICK, TEXTS, Claim, Finding, Scope, Table, Verdict, left_out
from experiments.measuring import machine
from senn.base.errors import InputError, suggestion

__all__ = [
    "CLAIMS",
    "FULL",
    "QUICK",
    "Claim",
    "Finding",
    "Scope",
    "Table",
    "Verdict",
    "chosen",
    "claims",
    "left_out",
    "scope",
]

_MODULES = (expense, factors, growth, hiding, networks)
_BY_NAME = {
    entry.name: entry for module in _MODULES for entry in vars(module).values() if isinstance(entry, Claim)
}
CLAIMS = tuple(_BY_NAME[name] for name in TEXTS)
"""In the order of the argument."""


def chosen(names: tuple[str, ...]) -> tuple[Claim, ...]:
    """Claims of these names, in the order of CLAIMS; all for no names."""
    valid = {claim.name for claim in CLAIMS}
    for name in names:
        if name not in valid:
            raise InputError(
                f'claim "{name}" is not known: the claims are {", ".join(c.name for c in CLAIMS)}'
                + suggestion(name, valid)
            )
    return tuple(claim for claim in CLAIMS if not names or claim.name in names)


_DESIGN = {"network": "senn", "nodes": 0, "shuffle": "both", "control": "simd"}


def scope(quick: bool, machines: tuple[str, ...] = ()) -> Scope:
    """Scope QUICK or FULL, on these machines if there are any.

    Raises InputError for a machine with other nodes, network or control than the paper's.
    """
    for name in machines:
        for field, papers in _DESIGN.items():
            if (value := getattr(machine(name), field)) != papers:
                raise InputError(
                    f"{name}: {field} = {value}: claims are about the paper's machine, {field} = {papers}, "
                    f"and change it where they ask for it; leave {field} out, or try the machine by senn "
                    "compare"
                )
    whole = QUICK if quick else FULL
    return replace(whole, machines=machines) if machines else whole


def claims(*names: str, quick: bool = False, machines: Sequence[str] = ()) -> dict[str, Finding]:
    """Findings of the experiments behind the paper's claims, by name of the claim; all without `names`.

    A `Finding` has the `verdict` (`word`, `condition`, `effect`) against the algorithms of 1993, the verdict
    `today` where other algorithms change it, and its `figures`. `machines` are presets or TOML files, by
    default all of the paper's design; `quick` takes two machines and short arms.
    `experiments.claims.CLAIMS` has what each claim says, its experiment and its rule.

    >>> from experiments.claims import claims
    >>> claims("ldl-serially", quick=True)["ldl-serially"].verdict.word
    'holds'
    """
    extent = scope(quick, tuple(machines))
    return {claim.name: claim.examine(extent) for claim in chosen(names)}
