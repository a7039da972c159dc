"""The closed chain in 2 M levels of messages: links as two-ports, joined by star products (this project).

The recursion of articulated bodies is a composition of two-ports, and these compose associatively
(Redheffer's star product, `senn.algorithms.kernels.two_ports`). So one scan outward gives every
process its velocity, another the span of links 1..i, a scan inward that of links i..N. Process i cuts the
chain before link i: from the two spans it has Lambda^-1 and the acceleration of the free tip, so it finds
the contact force itself, and nothing is broadcast. Links 1..i are one array's, i..N and the rest another's,
or one array does both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.arm import Arm, Lines, arm_of, is_wide
from senn.algorithms.arm.letters import FORCE, LAMBDA, V_0, contact_values, last
from senn.algorithms.arm.sides import LINK_INERTIA
from senn.algorithms.arm.wide import Wide
from senn.algorithms.blocks import cross
from senn.algorithms.kernels import two_ports
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics
from senn.algorithms.programs.closed_chain import contact_force
from senn.algorithms.programs.star import spans
from senn.algorithms.programs.star.links import *  # the letters of links
from senn.algorithms.programs.star.spans import FREE, OUTER
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.spatial import PRISMATIC, Numbers, hat, pack, six, transposed
from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program
from senn.machine.rewrite import on_arrays
from senn.machine.rewrite.on_arrays import Assignment

# At the cut before link i
LU, REACH, STILL = value("K", 63), value("N", 6, 6), value("k", 6)
FORCE_AT_TIP = value("F_{N+1}", 6)

_TITLES = {
    "I": "Step I: Links as Two-Ports by Processor {arrays}",
    "I.a": "a. Positions",
    "I.b": "b. Velocities",
    "I.c": "c. What Velocities and Torques Do",
    "II": "Step II: Spans of Links by Processor {arrays}",
    "II.a": "a. A, J and C of Links 1..i",
    "II.b": "b. b and eta of Links 1..i",
    "II.c": "c. A, J and C of Links i..N",
    "II.d": "d. b and eta of Links i..N",
    "II.e": "e. To the Cut",
    "III": "Step III: The Contact Force at Every Joint by Processor {arrays}",
    "IV": "Step IV: Forces and Accelerations of the Joints by Processor {arrays}",
}


def program(
    n: int,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    *,
    arrays: int | Assignment = 2,
    one_message: bool = False,
    branches: Sequence[SideTree] = (),
) -> Program:
    """The program for n processes. `arrays`: 1, or 2 (links 1..i apart; both make links), or an assignment of
    the steps of the program for one array. `one_message`: a level sends one message to a partner, after the
    scan of velocities; otherwise each value goes when its turn comes, and scans are woven.

    >>> print(program(8).levels, len(program(8, arrays=1).streams))
    3 1
    """
    arm = arm_of(n, joints, contact, branches, wide=bool(branches))  # with branches links have no constants
    links = WideLinks(arm) if isinstance(arm, Wide) else LeanLinks(arm)
    return of_links(links, arrays=arrays, one_message=one_message)


def of_links(
    links: LeanLinks, name: str = "star", *, arrays: int | Assignment = 2, one_message: bool = False
) -> Program:
    """The program of an arm of these links, or blocks of links."""
    if not isinstance(arrays, Mapping) and arrays not in (1, 2):
        raise InputError(f"{arrays} arrays: star products are written for 1, or 2 (links 1..i apart)")
    arm, to_cut = links.arm, _together if one_message else _woven
    if arrays == 2:
        streams = [
            [*to_cut(links, PR1, [_INNER]), *spans.to_the_cut(arm, PR2)],
            [*to_cut(links, PR2, [_OUTER]), *tip(arm), *accelerations(links, PR2)],
        ]
    else:
        end = [*spans.to_the_cut(arm, PR1), *tip(arm), *accelerations(links, PR1)]
        streams = [[*to_cut(links, PR1, [_INNER, _OUTER]), *end]]
    results = {"qdd": links.qdd, "force": FORCE[0], "lambda_inverse": LAMBDA, "acceleration0": V_0}
    whole = arm.program(
        name,
        *streams,
        also=[*links.residents(), *(Resident(x) for x in contact_values(arm.contact).values())],
        results={name: (len(streams), x) for name, x in (results | links.results()).items()},
        parts=_TITLES,
    )
    return on_arrays(whole, arrays) if isinstance(arrays, Mapping) else whole


class _Side(NamedTuple):
    """The spans of one direction: their links, the levels of their products, and b and eta."""

    links: Callable[[Arm], Lines]
    products: Callable[[Arm, Array], spans.Level]
    biases: Callable[[Arm, Array], Lines]


_INNER = _Side(spans.links_inner, spans.inner, spans.inner_biases)
_OUTER = _Side(spans.links_outer, spans.outer, spans.outer_biases)


def _woven(links: LeanLinks, array: Array, sides: Sequence[_Side]) -> list[Instruction]:
    """Steps I and II up to the cut: b and eta behind the velocities, both in the levels of products."""
    arm = links.arm
    shorts: list[Iterable[Sequence[Instruction]]] = [
        spans.rounds([*links.motions(array), *sides[0].biases(arm, array)])
    ]
    for side in sides[1:]:  # the velocities go with the first
        shorts.append(chain(repeat((), 2 * levels(arm.n)), spans.rounds(side.biases(arm, array))))
    products = (
        spans.woven(arm.n, side.products(arm, array), short)
        for side, short in zip(sides, shorts, strict=True)
    )
    ordered = (line for level in zip(*products, strict=True) for lines in level for line in lines)
    of_sides = (line for side in sides for line in side.links(arm))
    return [*links.positions(), *of_sides, *ordered]


def _together(links: LeanLinks, array: Array, sides: Sequence[_Side]) -> list[Instruction]:
    """Steps I and II up to the cut: the velocities, and then levels with one message each way."""
    arm, scans = links.arm, list[Instruction]()
    for side in sides:
        scans += side.links(arm)
        scans += spans.together([*spans.plain(arm.n, side.products(arm, array)), *side.biases(arm, array)])
    return [*links.positions(), *links.motions(array), *spans.by_level(scans)]


# ------------------------------------------------------------------- Step III: the contact

# Kernels of the one link of an arm, which has the base before its cut: forms without the inner span.
_REACH_AT_BASE = replace(two_ports.reach_from_tip, form="0")
_STILL_AT_BASE = replace(two_ports.still_at_cut, form="0")
_MOTION_AT_BASE = replace(two_ports.motion_at_cut, form="{0}")


def tip(arm: Arm) -> Lines:
    """III: every process finds the contact force for itself, at the cut before its link."""
    a, j, bias = (last(x, arm.n) for x in (OUTER.a, OUTER.j, OUTER.bias))
    c, c_x = (spans.compliance(x, arm) for x in (OUTER, spans.INNER))
    yield Compute("III.1.i", LU, two_ports.close(c_x[i - 1], j), i > 1)
    if arm.n > 1:
        before = FREE[i - 1].or_zero, LU.or_zero, c_x[i - 1].or_zero
        yield Compute("III.1.ii", REACH, two_ports.reach_from_tip(a, LU.or_zero))
        yield Compute("III.1.iii", STILL, two_ports.still_at_cut(bias, *before))
    else:
        yield Compute("III.1.ii", REACH, _REACH_AT_BASE(a))
        yield Compute("III.1.iii", STILL, _STILL_AT_BASE(bias))
    yield Compute("III.1.iv", LAMBDA, two_ports.inertia_at_tip(c, a, REACH))
    yield Compute("III.1.v", V_0, two_ports.free_tip(bias, a, STILL))
    yield from contact_force(arm.contact)


# ------------------------------------------------------------------- Step IV: joints


def accelerations(links: LeanLinks, array: Array) -> Lines:
    """IV: F_i and Qdd_i, on both sides of the cut."""
    arm = links.arm
    a, j, bias, force = last(OUTER.a, arm.n), last(OUTER.j, arm.n), last(OUTER.bias, arm.n), FORCE[0]
    if arm.n > 1:
        before = LU.or_zero, spans.compliance(spans.INNER, arm)[i - 1].or_zero
        yield Compute("IV.1", A_BEFORE, two_ports.motion_at_cut(STILL, a, force, *before))
    else:
        yield Compute("IV.1", A_BEFORE, _MOTION_AT_BASE(STILL, a, force))
    yield Compute("IV.2", AFTER_LOAN, two_ports.wrench_at_cut(j, a, bias, A_BEFORE, force))
    yield Send("IV.3", AFTER_LOAN, array[i - 1])
    yield Name("IV.3'", FORCE_AT_TIP, force, where=i == arm.n)
    yield Name("IV.3''", FORCE_BEYOND, AFTER_LOAN[i + 1], FORCE_AT_TIP)
    yield from links.accelerations()


# ---------------------------------------------------------------- memories


def memory(problem: Problem) -> dict[str, Numbers]:
    """`numerics.memory`, with the constants of link i about O_{i+1} in frame i+1, and inertias with loans."""
    chain, loan = problem.chain, loans(problem.chain)
    before = np.concatenate([[0.0], loan[:-1]])
    central = chain.inertia + loan[:, None, None] * np.eye(3)
    inertia = spatial.inertia(chain.mass, central, chain.centre - chain.position)
    if is_wide(chain.joints) or chain.branches:
        of_links = dict.fromkeys(("I_i", LINK_INERTIA.letter), pack(inertia))
    else:
        of_links = _of_constants(chain, inertia, before)
    return {
        **numerics.memory(problem, wide=bool(chain.branches)),
        "S": chain.centre - chain.position,
        "J": pack(central),
        "rho_{i-1}": before,
        **of_links,
    }


def loans(chain: Chain) -> Numbers:
    """rho (n,), the rotary inertia that each link but the last is lent (`kernels.two_port_links`): of the
    moments of links i-1..i+3 about their joints the second largest, times 5. So neither a light link nor a
    heavy one decides; a tenth of it or ten times as much do about as well."""
    z, about_joint = chain.rotation[:, 2, :], spatial.inertia(chain.mass, chain.inertia, chain.centre)
    moments = np.einsum("ni,nij,nj->n", z, about_joint[:, :3, :3], z)
    near = np.lib.stride_tricks.sliding_window_view(np.pad(moments, (1, 3)), 5)
    return np.asarray(5.0 * np.sort(near)[:, -2] * (np.arange(chain.n) < chain.n - 1))


def _of_constants(chain: Chain, inertia: Numbers, loan_before: Numbers) -> dict[str, Numbers]:
    """Constants of links that revolute and prismatic joints move; A, J and w at q_i = 0."""
    slides = np.array([joint == PRISMATIC for joint in chain.joints])[:, None]
    z, p = chain.rotation[:, 2, :], chain.position
    axis = np.where(slides, np.concatenate([0 * z, z], -1), np.concatenate([z, cross(z, p)], -1))
    borne = (inertia @ axis[..., None])[..., 0]
    inverse = 1.0 / (axis * borne).sum(axis=-1)
    x = transposed(hat(p)) @ transposed(six(chain.rotation))
    per = inverse[:, None, None]
    projected = inertia - per * borne[:, :, None] * borne[:, None, :]
    returned = loan_before[:, None, None] * np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    return {
        "H_i": axis,
        "IH": borne,
        "1/D": inverse,
        "H/D": axis * inverse[:, None],
        "H, D": np.concatenate([axis, 1.0 / inverse[:, None]], axis=-1)[..., None],
        "C'": pack(per * axis[:, :, None] * axis[:, None, :]),
        "A'": x - per * axis[:, :, None] * (borne[:, None, :] @ x),
        "J'": pack(transposed(x) @ projected @ x - returned),
        "w'": inverse[:, None] * (borne[:, None, :] @ x)[:, 0, :],
    }
