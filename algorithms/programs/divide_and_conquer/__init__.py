"""Divide and conquer (Featherstone 1999): `inertias` up the tree, `forces` up and down, `program`: the
whole."""

from senn.algorithms.programs.divide_and_conquer.program import answers, memory, program

__all__ = ["answers", "memory", "program"]
