"""The headings of Fijany VI.D, as listings print them above the steps; who does a step is the variant's."""

from senn.algorithms.programs.variant import Variant
from senn.machine.program import Array

_TITLES = {
    "I": "Step I: Diagonalize Matrix A and Compute Lambda^-1 by Processor Array{I}",
    "I.a": "a. Projection and Computation of Matrix A",
    "I.b": "b. Diagonalize Matrix A",
    "I.c": "c. Compute Matrix Lambda^-1",
    "II": "Step II: Compute F_T and Vdot_0 by Processor Array{II}",
    "II.a": "a. Projection",
    "II.b": "b. Compute F_T",
    "II.c": "c. Compute Qdd_0",
    "II.d": "d. Compute Vdot_0",
    "III": "Step III: Compute F_{{N+1}} by Processor PR_{{{III},N}}",
    "IV": "Step IV: Compute Qdd by Processor Array{IV}",
    "IV.a": "a. Compute tau'",
    "IV.b": "b. Compute Qdd_C",
}


def titles(v: Variant) -> dict[str, str]:
    """By the beginning of a label."""
    who = {
        "I": _arrays(v.eliminating, *v.columns),
        "II": _arrays(v.solving, *((v.moving,) if v.moving != v.solving else ())),
        "III": v.solving.number,
        "IV": _arrays(v.solving),
    }
    return {prefix: title.format(**who) for prefix, title in _TITLES.items()}


def _arrays(*arrays: Array) -> str:
    """What follows on "Processor Array": " PR_{1,i}", or "s PR_{1,i}, PR_{3,i}" for two."""
    return ("s " if len(arrays) > 1 else " ") + ", ".join(f"PR_{{{one.number},i}}" for one in arrays)
