"""The closed chain from both ends, on two nodes: links 1..k from the base outward, the others as a two-port.

The inner node hangs its links on the base (`senn.algorithms.family.outward`), the outer node makes a two-port
of the others (`senn.algorithms.family.parts.two_port`), both serially and at once, and they meet once, by a
star product. In linear algebra it is a twisted factorisation (Babuska 1972, van der Vorst 1987). Three
messages go between the nodes: the motion of the cut (6 words), C and b of the inner links (27 words), and the
wrench at the cut (6 words). Geometry and inertias are constants that a node knows; states begin and end at
their node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from senn.algorithms.arm import joint_types
from senn.algorithms.arm.letters import FORCE, LAMBDA, V_0, contact_values
from senn.algorithms.blocks import Blocks
from senn.algorithms.family import outward
from senn.algorithms.family.arm import SerialArm, at_state, constants
from senn.algorithms.family.gather_and_solve import process_by_process, with_numbers
from senn.algorithms.family.pages import Scalars
from senn.algorithms.family.parts import two_port
from senn.algorithms.family.sweeps import fall, velocity
from senn.algorithms.kernels import two_ports
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import closed_chain, numerics
from senn.algorithms.programs.star.links import A_OF, C_OF, J_OF, PORT
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import Numbers, pack
from senn.algorithms.variant import about
from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program

MOTION, HUNG, C_INNER, B_INNER = value("omega, g", 2, 3), value("C, b", 27), value("C_k", 21), value("b_k", 6)
A, J, C, BIAS = value("A", 6, 6), value("J", 21), value("C", 21), value("b, eta", 12)
LU, REACH, STILL = value("K", 63), value("N", 6, 6), value("k", 6)
AT_CUT, WRENCH = value("a_k", 6), value("F_{k+1}", 6)
_TITLES = {
    "I": "Step I: Links 1..k from the Base by Processor 1, the Others as a Two-Port by Processor 2",
    "II": "Step II: Velocities and Torques of the Outer Links by Processor 2",
    "III": "Step III: The Cut and the Contact by Processor 2",
    "IV": "Step IV: Accelerations of the Joints",
}


Passes = tuple[Operations, ...]
"""Operations of the serial passes: of the inner links motion from the base to the cut, C and b, and
accelerations; of the outer links A, J and C, b and eta, and accelerations."""


def longest(passes: Passes) -> int:
    """Operations in a row but for the cut, a sine being 20."""
    a, b, c, d, e, f = (x.flops + 19 * x.trig for x in passes)
    return max(a + b, d + e) + max(c, f)


def least(n: int, passes: Callable[[int, int], Passes]) -> int:
    """The number of inner links with the fewest operations in a row."""
    return min(range(min(6, n - 1), n), key=lambda k: longest(passes(k, n - k)))


def program(
    n: int,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    *,
    problem: Problem | None = None,
    inner: int = 0,
    passes: Callable[[int, int], Passes] | None = None,
) -> Program:
    """The program for n links, `inner` of them from the base outward; 0: as many as cost the least. `passes`:
    operations for so many inner and outer links; by default those executed. Without the problem, a program
    can be timed, not run with numbers.

    >>> [len(stream) for stream in program(8).streams]
    [7, 16]
    """
    types, shape = joint_types(n, joints), ContactShape.of(contact)
    if n < 2 or not 0 <= inner < n:
        raise InputError(f"both ends: n = {n}, {inner} inner links: each node takes at least one link")
    cost = passes or counted
    k = inner or least(n, cost)
    degrees = [sum(JOINTS[joint].degrees for joint in part) for part in (types[:k], types[k:])]
    words = [sum(JOINTS[joint].coordinates for joint in part) for part in (types[:k], types[k:])]
    x, y = (value(name, w + 2 * d) for name, w, d in zip("xy", words, degrees, strict=True))
    first, second = (value(name, d) for name, d in zip(("Qdd_k", "Qdd"), degrees, strict=True))
    of = _kernels(problem, k, words, degrees, cost(k, n - k))
    moving, force = (y, MOTION), FORCE[0]
    streams = (
        (
            Compute("I.1", MOTION, of["motion"](x)),
            Send("I.2", MOTION, PR2[i]),
            Compute("I.3", HUNG, of["hung"](x)),
            Compute("I.4", C_INNER, _C_INNER(HUNG)),
            Compute("I.5", B_INNER, _B_INNER(HUNG)),
            Send("I.6", C_INNER + B_INNER, PR2[i]),
            Compute("IV.2", first, of["inward"](x, WRENCH)),
        ),
        (
            Compute("I.7", PORT, of["port"](y)),
            *(Compute(f"I.7.{part.name[0]}", x, part(PORT)) for x, part in ((A, A_OF), (J, J_OF), (C, C_OF))),
            Compute("II.1", BIAS, of["bias"](*moving)),
            # The star product of both parts, and the contact force; motion and wrench at the cut
            Compute("III.1.i", LU, two_ports.close(C_INNER, J)),
            Compute("III.1.ii", REACH, two_ports.reach_from_tip(A, LU)),
            Compute("III.1.iii", STILL, two_ports.still_at_cut(BIAS, B_INNER, LU, C_INNER)),
            Compute("III.1.iv", LAMBDA, two_ports.inertia_at_tip(C, A, REACH)),
            Compute("III.1.v", V_0, two_ports.free_tip(BIAS, A, STILL)),
            *closed_chain.contact_force(shape),
            Compute("IV.1.i", AT_CUT, two_ports.motion_at_cut(STILL, A, force, LU, C_INNER)),
            Compute("IV.1.ii", WRENCH, two_ports.wrench_at_cut(J, A, BIAS, AT_CUT, force)),
            Send("IV.1", WRENCH, PR1[i]),
            Compute("IV.3", second, of["outward"](*moving, AT_CUT, force)),
        ),
    )
    return Program(
        name="from both ends",
        n=1,
        streams=streams,
        resident=(Resident(x, (1,)), Resident(y, (2,)), *map(Resident, contact_values(shape).values())),
        results={
            "inner": (1, first),
            "outer": (2, second),
            "force": (2, force),
            "lambda_inverse": (2, LAMBDA),
            "acceleration0": (2, V_0),
        },
        parts=_TITLES,
        about=about(shape),
    )


# ------------------------------------------------------------------------- kernels of the passes


_C_INNER = Kernel("C_inner", "C of {0}", lambda x: x[..., :21].copy())
_B_INNER = Kernel("b_inner", "b of {0}", lambda x: x[..., 21:].copy())


def _kernels(
    problem: Problem | None, k: int, words: Sequence[int], degrees: Sequence[int], passes: Passes
) -> dict[str, Kernel]:
    """The kernels by name, from the state of the links of a node; of the outer ones also the cut's motion."""
    links = [] if problem is None else constants(problem.chain)

    def kernel(name: str, cost: Operations, form: str, function: Callable[..., Blocks]) -> Kernel:
        outer = name in ("port", "bias", "outward")

        def of_links(state: Blocks, *others: Blocks) -> Blocks:
            what = with_numbers(problem)
            q, qd, tau = np.split(state, (words[outer], words[outer] + degrees[outer]))
            if not outer:
                arm = at_state(links[:k], q, qd, what.chain.base_rotation.T @ what.gravity)
                return function(arm, tau, *others)
            turning, gravity = others[0] if others else np.zeros((2, 3))
            return function(at_state(links[k:], q, qd, gravity, turning=turning), tau, *others[1:])

        return process_by_process(name, form, of_links, cost)

    def hung(arm: SerialArm, tau: Blocks) -> Blocks:
        of = outward.anchored(arm, tau, outward.regular(arm))
        return np.concatenate([pack(of.compliance), outward.at_end(arm, of)])

    def inward(arm: SerialArm, tau: Blocks, wrench: Blocks) -> Blocks:
        return outward.accelerations(arm, outward.anchored(arm, tau, outward.regular(arm)), -wrench)

    functions: dict[str, tuple[str, Callable[..., Blocks]]] = {
        "motion": ("omega, g beyond {0}", lambda arm, _: np.stack([velocity(arm).spin, fall(arm)[3:]])),
        "hung": ("C, b of {0} outward", hung),
        "inward": ("qdd of {0} by {1}", inward),
        "port": ("A, J, C of {0}", lambda arm, _: two_port.response(arm)),
        "bias": ("b, eta of {0}, {1}", two_port.ends),
        "outward": ("qdd of {0}, {1}, {2} by {3}", two_port.rates),
    }
    parts = zip(functions.items(), passes, strict=True)
    return {name: kernel(name, cost, *both) for (name, both), cost in parts}


def joined(
    hung: Callable[[int], tuple[Operations, ...]], block: Callable[[int], tuple[Operations, ...]]
) -> Callable[[int, int], Passes]:
    """The passes from those of links that hang on the base, and of a block as `two_port.counted` has them."""

    def passes(inner: int, outer: int) -> Passes:
        turns, _, port, bias, rates = block(outer)
        return *hung(inner), turns + port, bias, rates

    return passes


def inner_passes(arm: SerialArm, some: Scalars) -> Iterator[Any]:
    """The passes of the inner links, in the order of `Passes`."""
    yield velocity(arm), fall(arm)
    hung = outward.anchored(arm, some(len(arm.links)), lambda response, degrees: degrees >= 5)
    yield outward.at_end(arm, hung)
    yield outward.accelerations(arm, hung, some(6))


counted = joined(lambda inner: two_port.along_line(inner_passes, inner, 6), two_port.counted)
"""Operations of the passes for so many revolute joints, as they are executed; the base is solved behind six
joints, or at the cut."""


def memory(problem: Problem, inner: int = 0) -> dict[str, Numbers]:
    """The states of both nodes by letter, and the contact."""
    joints = problem.chain.joints
    k = inner or least(len(joints), counted)
    q, v = (sum(getattr(JOINTS[x], of) for x in joints[:k]) for of in ("coordinates", "degrees"))
    parts = [np.split(problem.q, [q]), np.split(problem.qd, [v]), np.split(problem.tau, [v])]
    states = (np.concatenate(part)[None] for part in zip(*parts, strict=True))
    contact = {name: rows[:1] for name, rows in numerics.contact_memory(problem).items()}
    return {**dict(zip("xy", states, strict=True)), **contact}


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd (degrees,), and what belongs to the end effector."""
    qdd = np.concatenate([result["inner"][0], result["outer"][0]])
    return {"qdd": qdd, **numerics.answers(problem, result)}
