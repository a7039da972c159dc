"""The passes in scalars that `costs` counts: right against the plain references."""

from typing import Any

import numpy as np
import pytest

from senn.algorithms import problems, spatial
from senn.algorithms.blocks import full
from senn.algorithms.family.arm import at_state, constants
from senn.algorithms.family.parts import two_port
from senn.algorithms.references import articulated
from senn.algorithms.robots.chain import Chain
from tests.algorithms.robots.oracle import relative
from tests.oracles.economical import chain, motion, null_space
from tests.oracles.economical.links import links_of
from tests.oracles.economical.screws import REST, Z, lever, plus

pytestmark = pytest.mark.rounding


def denavit_hartenberg(n: int, seed: int) -> Chain:
    """An arm drawn at random whose frames have x along the common normals."""
    rng = np.random.default_rng(seed)
    angles, zero = rng.uniform(-3.0, 3.0, n), np.zeros(n)
    c, s = np.cos(angles), np.sin(angles)
    axes = np.linalg.qr(rng.standard_normal((n, 3, 3)))[0]
    moments = rng.uniform(0.1, 0.3, (n, 1)) * np.array([2.0, 2.5, 3.0])
    return Chain(
        name="arm",
        joints=("revolute",) * n,
        joint_names=tuple(f"joint {i}" for i in range(1, n + 1)),
        base_rotation=np.eye(3),
        base_position=np.zeros(3),
        rotation=np.array([[zero + 1, zero, zero], [zero, c, -s], [zero, s, c]]).transpose(2, 0, 1),
        position=np.column_stack([rng.uniform(0.1, 0.5, n), zero, rng.uniform(-0.4, 0.4, n)]),
        centre=rng.uniform(-0.3, 0.3, (n, 3)),
        mass=rng.uniform(1.0, 3.0, n),
        inertia=(axes * moments[:, None, :]) @ axes.transpose(0, 2, 1),
    )


def _pair(x: Any) -> tuple[list[float], list[float]]:
    return [*map(float, x[:3])], [*map(float, x[3:])]


def _joints(links: Any, q: Any) -> Any:
    return motion.joint_screws(links, list(zip(np.cos(q).tolist(), np.sin(q).tolist(), strict=True)))


@pytest.mark.parametrize("n", [7, 13])
def test_base_outward(n: int) -> None:
    """qdd, the contact force and Lambda^-1 of a welded tip."""
    given = problems.draw(denavit_hartenberg(n, n), n)
    expected, links = articulated.solve(given), links_of(given.chain)
    joints, tau = _joints(links, given.q), given.tau.tolist()
    loads, end = motion.outward(links, joints, given.qd.tolist(), motion.at_rest(given.gravity.tolist()))
    whole = chain.anchored(links, joints, loads, tau)
    inertia, load = chain.to_tip(whole.inertia, whole.load, links[-1])
    inverse = full(np.array([x for row in chain.inverted(inertia) for x in row]))
    assert relative(inverse, expected.lambda_inverse) < 1e-12
    wanted = _pair(given.contact.G_C - [*end.turning, *plus(end.point, end.g)])
    force = -np.concatenate(chain.respond(inertia, wanted, load))
    assert relative(force, expected.force) < 1e-11
    inside = wanted[0], lever(wanted[1], links[-1].offset, wanted[0], Z)
    assert relative(np.array(chain.inward(links, joints, whole, inside)), expected.qdd) < 1e-10


def test_block_is_the_two_port_of_its_links() -> None:
    """Links 4 to 9 of an arm, whose inner end turns."""
    given, rng = problems.draw(denavit_hartenberg(9, 2), 2), np.random.default_rng(5)
    spin, g, before, force = (rng.standard_normal(k) for k in (3, 3, 6, 6))
    q, qd, tau = given.q[3:], given.qd[3:], given.tau[3:]
    arm = at_state(constants(given.chain)[3:], q, qd, g, turning=spin)
    port = two_port.port(arm)
    bias = two_port.ends(arm, tau)
    links = links_of(given.chain)[3:]
    joints = _joints(links, q)
    start = motion.Moving(spin.tolist(), REST, (-g).tolist(), g.tolist())
    loads, end = motion.outward(links, joints, qd.tolist(), start)
    found = chain.port(links, joints, loads, tau.tolist())
    free = np.array(found.bias) + [*end.turning, *plus(end.point, end.g)]
    assert relative(np.array([[*m, *f] for m, f in found.across]), port.contact.forces.T) < 1e-13
    assert relative(np.array(found.inertia.rows), full(port.inertia)) < 1e-13
    assert relative(np.array([x for row in found.compliance for x in row]), port.contact.response) < 1e-13
    assert relative(np.concatenate([free, found.eta]), bias) < 1e-13
    qdd = chain.outward(links, joints, found, _pair(before), force.tolist())
    assert relative(np.array(qdd), two_port.rates(arm, tau, before, force)) < 1e-13


@pytest.mark.parametrize("n", [7, 8, 13, 17])
def test_null_space(n: int) -> None:
    """qdd and the contact force of a welded tip."""
    given = problems.draw(denavit_hartenberg(n, n), n)
    expected, of = articulated.solve(given), given.chain
    to_centre = of.centre[-1:] - of.position[-1:]
    last = spatial.inertia(of.mass[-1:], of.inertia[-1:], to_centre)[0]
    vectors = (x.tolist() for x in (given.qd, given.tau, given.gravity, given.contact.G_C, last))
    qdd, force = null_space.solve(links_of(of), null_space.State(given.q, *vectors))
    assert relative(np.array(qdd), expected.qdd) < 1e-9
    assert relative(np.array(force), expected.force) < 1e-9
