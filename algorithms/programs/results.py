"""What a run of the closed chain returns, by name: the array that has it, and the value.

Table I of Fijany, and the parts of the interbody forces (`senn.algorithms.programs.numbers.interbody`).
"""

from __future__ import annotations

from senn.algorithms.arm import Arm
from senn.algorithms.arm.letters import *  # the nomenclature
from senn.machine.program import Value

Results = dict[str, tuple[int, Value]]


def paper(arm: Arm) -> Results:
    n = arm.n
    return {
        **_table_i(arm),
        "forces.turn": (2, last(C_TO, n)),
        "forces.n": (2, last(MOMENTS, n)),
        "forces.f": (2, last(FORCES, n)),
        "forces.tip": (2, last(FORCE, n)),
        "forces.lever": (2, last(P_TIP, n)),
        "forces.reaction": (2, arm.along(STEP_IV, REACTION)),
        "forces.phi_c": (2, arm.across(STEP_IV)),
    }


def short(arm: Arm, *, bias: bool = True) -> Results:
    """`bias`: whether there is a wrench of the pass inward; else phi has it."""
    return {**_in_frame_1(arm, bias), "forces.phi_c": (2, arm.across(STEP_IV))}


def omega(arm: Arm, *, bias: bool = True) -> Results:
    return {**_in_frame_1(arm, bias), "forces.omega": (1, arm.across(UNIT_WRENCHES))}


def _in_frame_1(arm: Arm, bias: bool) -> Results:
    passed = {"forces.turn": (2, TURN), "forces.pfn": (2, last(WRENCH, arm.n))}
    return {**_table_i(arm), **(passed if bias else {})}


def _table_i(arm: Arm) -> Results:
    return {
        "qdd": (2, QDD),
        "force": (2, FORCE[0]),
        "lambda_inverse": (1, LAMBDA),
        "qdd0": (2, QDD_0),
        "acceleration0": (2, V_0),
        "forces.drive": (2, arm.along(STEP_II, F_T)),
        "forces.phi": (2, arm.across(STEP_II)),
        **arm.results(),
    }
