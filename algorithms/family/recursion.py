"""The two ways through an arm: outward every link after the one that it hangs on, inward the other way round.

Outward a page keeps what it found by link, and BASE; inward `Beyond` adds up what the links that hang on one
hand to it. On a chain that is one number handed on, and no addition more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from senn.algorithms.family.arm import BASE, Arm


class _Summed(Protocol):
    def __add__(self: T, other: T, /) -> T: ...


T = TypeVar("T", bound="_Summed")


class Beyond(Generic[T]):
    """What arrives at each link from those that hang on it."""

    def __init__(self, arm: Arm, nothing: T, tip: T | None = None) -> None:
        """`nothing` at a link on which none hangs; `tip` is at the last link of the main chain before."""
        self._parents, self._nothing = arm.parents, nothing
        self._held: dict[int, T] = {} if tip is None else {arm.last: tip}

    def __getitem__(self, link: int) -> T:
        return self._held.get(link, self._nothing)

    def hand_on(self, link: int, what: T) -> None:
        """To the link that this one hangs on."""
        to = self._parents[link]
        self._held[to] = self._held[to] + what if to in self._held else what


def inwards(arm: Arm) -> range:
    """The entries of all links, those beyond a link before it."""
    return range(len(arm.links) - 1, -1, -1)


def way_in(arm: Arm, link: int) -> list[int]:
    """The entries that a link hangs on, the next first."""
    found = []
    while (link := arm.parents[link]) != BASE:
        found.append(link)
    return found


def from_link(arm: Arm, link: int) -> tuple[Arm, list[int]]:
    """The arm that begins with this link, and which entries of the whole one are its own."""
    places = {link: 0}
    for k in range(link + 1, len(arm.links)):
        if arm.parents[k] in places:
            places[k] = len(places)
    parents = tuple(places.get(arm.parents[entry], BASE) for entry in places)
    links = [arm.links[entry] for entry in places]
    return replace(arm, links=links, parents=parents, last=places.get(arm.last, BASE)), [*places]
