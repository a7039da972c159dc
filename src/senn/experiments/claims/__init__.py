"""What the paper says, as experiments: claim, measured figures, verdict (`senn claims`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from senn.experiments.claims.claim import FULL, QUICK, Claim, Finding, Scope, Table, left_out
from senn.experiments.claims.expense import CLOSED, LAMBDA, PROJECTION, SERIAL
from senn.experiments.claims.factors import FACTORISATION, INVERSE, MASS_MATRIX
from senn.experiments.claims.growth import LOGARITHMIC, OPTIMAL, SEQUENTIAL
from senn.experiments.claims.hiding import COMMUNICATION, INVERSES, STEP_TWO
from senn.experiments.claims.judging import judged
from senn.experiments.claims.networks import MATCHES, OPTIMAL_NETWORK
from senn.experiments.claims.speed import FINE_GRAIN, MIMD, REDUNDANT
from senn.experiments.claims.strategies import PIVOTS, STRATEGY
from senn.experiments.claims.units import FINE_UNITS
from senn.experiments.claims.waiting import DIAGONALISATION, FULLY_HIDDEN
from senn.experiments.claims.widths import LIMITED, MULTILEVEL
from senn.experiments.measuring import machine
from senn.machine.model import Machine
from senn.traces.errors import InputError

__all__ = [
    "CLAIMS",
    "FULL",
    "QUICK",
    "Claim",
    "Finding",
    "Scope",
    "Table",
    "chosen",
    "claims",
    "judged",
    "left_out",
    "scope",
]

CLAIMS: tuple[Claim, ...] = (
    SEQUENTIAL,
    LOGARITHMIC,
    OPTIMAL,
    MATCHES,
    OPTIMAL_NETWORK,
    STRATEGY,
    PIVOTS,
    DIAGONALISATION,
    STEP_TWO,
    COMMUNICATION,
    INVERSES,
    LAMBDA,
    MIMD,
    FINE_GRAIN,
    FULLY_HIDDEN,
    LIMITED,
    FINE_UNITS,
    MULTILEVEL,
    PROJECTION,
    FACTORISATION,
    INVERSE,
    MASS_MATRIX,
    SERIAL,
    CLOSED,
    REDUNDANT,
)
"""In the order of the argument."""


def chosen(names: tuple[str, ...]) -> tuple[Claim, ...]:
    """The claims of these names, in the order of CLAIMS; all if none is named."""
    known = {claim.name for claim in CLAIMS}
    for name in names:
        if name not in known:
            raise InputError(
                f'claim "{name}" is not known: the claims are {", ".join(c.name for c in CLAIMS)}'
            )
    return tuple(claim for claim in CLAIMS if not names or claim.name in names)


def scope(quick: bool, machines: tuple[str, ...] = ()) -> Scope:
    """How far to go: QUICK or FULL, on machines of one's own choice if there are any.

    Raises InputError for a machine of other nodes, wires or control than the paper's.
    """
    for name in machines:
        _refuse_other_design(name, machine(name))
    whole = QUICK if quick else FULL
    return replace(whole, machines=machines) if machines else whole


_DESIGN = {"network": "senn", "nodes": 0, "shuffle": "both", "control": "simd"}


def _refuse_other_design(name: str, on: Machine) -> None:
    for field, papers in _DESIGN.items():
        if (found := getattr(on, field)) != papers:
            raise InputError(
                f"{name}: {field} = {found}: claims are about the paper's machine, {field} = {papers}, and "
                f"change it where they ask for it; leave {field} out, or try the machine by senn compare"
            )


def claims(*names: str, quick: bool = False, machines: Sequence[str] = ()) -> dict[str, Finding]:
    """Findings of the experiments behind the paper's claims, by name of the claim; all without `names`.

    A `Finding` has the `verdict`, the sentence `because`, the `cases` that were tried, and its `figures`.
    `machines` are presets or TOML files, by default all of the paper's design; `quick` takes two machines
    and short arms. `senn.experiments.claims.CLAIMS` has what each claim says, its experiment and its rule.

    >>> import senn
    >>> senn.claims("ldl-serially", quick=True)["ldl-serially"].verdict
    'holds'
    """
    extent = scope(quick, tuple(machines))
    return {claim.name: judged(claim, extent) for claim in chosen(names)}
