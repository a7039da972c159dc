"""A chain of links as a two-port, serially: the passes of PV over links with two open ends.

Inside is the acceleration a of the point O_1 of the link before the chain, outside the wrench f that the
chain exerts on what follows (`senn.algorithms.kernels.two_ports`):

    f_1 = J a + A' f + eta          a_N+1 = A a - C f + b

The unit forces of PV are those along all six axes of the outer end, so its K is A', and its L is C. Weight is
an acceleration of the inner end, as in the other pages, and taken out of b and eta at last.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from senn.algorithms.blocks import Blocks, apply, full, times, transposed
from senn.algorithms.family import popov_vereshchagin as pv
from senn.algorithms.family.arm import SerialArm, zeros
from senn.algorithms.family.link import outward_axes
from senn.algorithms.family.pages import Passes, Scalars, in_parts, polynomial
from senn.algorithms.family.popov_vereshchagin import Driven, Response
from senn.algorithms.family.sweeps import fall, velocity
from senn.machine.program import Operations


def motion(arm: SerialArm) -> Blocks:
    """[C; omega] (4, 3): from the outer axes to the inner ones, and the outer end's angular velocity in its
    axes, where the inner one rests."""
    c, omega = arm.links[0].rotation, zeros(arm, 3)
    for k, link in enumerate(arm.links):
        moved = np.concatenate([omega, zeros(arm, 3)])
        omega = outward_axes(link, link.freedom.added(moved, link.rate)[:3])
        c = times(c, link.rotation) if k else c
    return np.concatenate([c, omega[None]])


def port(arm: SerialArm) -> Response:
    """A' as the unit forces, J as the inertia and C as the response of the contact."""
    return pv.response(arm, np.eye(6, dtype=arm.gravity.dtype))


def bias(arm: SerialArm, tau: Blocks, of: Response) -> tuple[Blocks, Driven]:
    """(b, eta) (12,), and what drives the joints; `arm.turning` is the inner angular velocity."""
    by = pv.driven(arm, of, tau, velocity(arm).tip + fall(arm))
    b = of.contact.accelerated(arm.weight, by.rate)
    return np.concatenate([b, by.force + apply(full(of.inertia), arm.weight)]), by


def response(arm: SerialArm) -> Blocks:
    """A, J and C (78,), one after the other."""
    of = port(arm)
    return np.concatenate([transposed(of.contact.forces).ravel(), of.inertia, of.contact.response])


def ends(arm: SerialArm, tau: Blocks) -> Blocks:
    """(b, eta) (12,)."""
    return bias(arm, tau, port(arm))[0]


def rates(arm: SerialArm, tau: Blocks, before: Blocks, force: Blocks) -> Blocks:
    """qdd (N,), where the point before the chain has the acceleration `before` and it exerts `force`."""
    of = port(arm)
    return pv.accelerations(arm, of, bias(arm, tau, of)[1], before + arm.weight, force)[0]


def counted(n: int) -> tuple[Operations, ...]:
    """Operations executed for n revolute joints: of sines, cosines and rotations; of the four passes."""
    return along_line(passes, n, 3, turning=True)


def along_line(parts: Passes, n: int, first: int, *, turning: bool = False) -> tuple[Operations, ...]:
    """Operations of passes for n links, from `first` on by the line through `first` and one more."""
    count = partial(in_parts, parts=parts, turning=turning)
    return count(n) if n <= first else polynomial(count, n, first, degree=1)


def passes(arm: SerialArm, some: Scalars) -> Iterator[Any]:
    """The passes of a block, as `counted` has them."""
    yield
    yield motion(arm)
    block = port(arm)
    yield
    by = bias(arm, some(len(arm.links)), block)[1]
    yield
    yield pv.accelerations(arm, block, by, some(6) + arm.weight, some(6))
