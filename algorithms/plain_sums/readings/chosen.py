"""The arm of a chain, from what it was read from; from its arrays where it was made of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from senn.algorithms.plain_sums.links import COORDINATES, Arm
from senn.algorithms.plain_sums.readings import arrays, tables, urdf, words

if TYPE_CHECKING:
    from senn.algorithms.robots.chain import Chain


def arm(chain: Chain) -> Arm:
    """`ValueError` where what is read has other joints than the chain."""
    found = _read(chain)
    kinds = tuple(found.links[number].kind for number in found.order)
    if kinds != chain.all_joints or sum(COORDINATES[kind] for kind in kinds) != chain.coordinates:
        raise ValueError(f"'{chain.name}' was read as {chain.all_joints}, and once more as {kinds}")
    return found


def _read(chain: Chain) -> Arm:
    written = chain.written
    if written is None:
        return arrays.arm(chain)
    if written.form == "urdf":
        return urdf.arm(written, chain.all_joint_names, chain.n)
    text = written.text if isinstance(written.text, str) else written.text.decode()
    return tables.arm(text) if written.form == "toml" else words.arm(text)


def source(chain: Chain) -> str:
    """For a person: what was read."""
    return chain.written.said if chain.written else "the arrays of the arm"
