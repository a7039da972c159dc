"""What arrays share on a machine that is made of units, such as the multiprocessors of a GPU."""

from __future__ import annotations

from dataclasses import dataclass, fields

from senn.machine.model.numbers import exact, in_file
from senn.traces.errors import InputError

LARGEST = 2**40


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One of equal units, each of which works for several arrays at once, as long as all of them fit; and
    what lies around them. Whole numbers; words have 64 bits."""

    units: int
    most_arrays: int  # of a unit at once, however small they are
    most_nodes: int  # of a unit at once
    together: int  # nodes are given in groups of so many
    memory: int  # words that the arrays of a unit share
    registers: int  # words that the nodes of a unit share
    registers_of_node: int  # words at most
    issue: int  # operations that a unit begins in a cycle, for all its nodes
    launch: int  # cycles from one piece of a program to the next, where the host starts each
    copy: int  # cycles from the units to the host or back, whatever is copied
    copied_word: int  # cycles a word of it
    host_flop: int  # cycles of an operation on the host, which takes one robot after another

    def __post_init__(self) -> None:
        for one in fields(self):
            given = getattr(self, one.name)
            number = exact(given, f"[unit] {one.name}")
            if number.denominator != 1 or not 0 < number < LARGEST:
                raise InputError(f"[unit] {one.name} = {in_file(given)}: write a whole number above 0")
            object.__setattr__(self, one.name, int(number))

    def places(self, nodes: int) -> int:
        """Nodes that an array of so many takes up."""
        return -(-nodes // self.together) * self.together

    def at_once(self, nodes: int, words: int) -> int:
        """Arrays of a unit at once if an array has so many nodes, and a node holds at most so many words at a
        time: in its registers, and what does not fit them in the memory of the unit. 0: not even one."""
        places = self.places(nodes)
        possible = 0
        for arrays in range(1, min(self.most_arrays, self.most_nodes // places) + 1):
            registers = min(self.registers_of_node, self.registers // (arrays * places))
            if arrays * nodes * max(words - registers, 0) <= self.memory:
                possible = arrays
        return possible

    def operation(self, cycles: int, nodes: int, arrays: int) -> int:
        """Cycles from an operation to the next, which take so many at least, if all nodes of so many arrays
        of a unit execute one."""
        return max(cycles, -(-self.places(nodes) * arrays // self.issue))


NAMES = tuple(one.name for one in fields(Unit))
