"""The closed chain by star products: `program` and what a run of it holds and answers."""

from senn.algorithms.programs.star.numbers import answers, memory
from senn.algorithms.programs.star.program import program

__all__ = ["answers", "memory", "program"]
