"""Motion over time, with accelerations of a serial solver: order, energy, drift, and Pinocchio's motions."""

from dataclasses import replace
from itertools import pairwise
from typing import get_args

import numpy as np
import pytest

from senn.algorithms import motion, problems
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from senn.algorithms.spatial import Numbers
from senn.choices import Integrator
from tests.algorithms.robots.mixed_joints import mixed_chain, state
from tests.algorithms.robots.oracle import oracle

G = np.array([0.5, -1.0, -9.81])


def integrated(problem: Problem, until: float, step: float, integrator: str = "rk4") -> Problem:
    """The state at a time, without corrections."""

    def qdd(time: float, q: Numbers, qd: Numbers) -> Numbers:
        return articulated.solve(replace(problem, q=q, qd=qd)).qdd

    now = problem.q, problem.qd
    for k in range(round(until / step)):
        now = motion.INTEGRATORS[integrator].step(problem.chain, qdd, k * step, step, now, qdd(0.0, *now))
    return replace(problem, q=now[0], qd=now[1])


def corrected(problem: Problem) -> Problem:
    """The state with a velocity that the contact allows."""
    change = articulated.solve(motion.correction(problem, motion.speed_error(problem))).qdd
    return replace(problem, qd=problem.qd + change)


def total(problem: Problem) -> float:
    return sum(motion.energy(problem))


@pytest.fixture(scope="module")
def swinging() -> Problem:
    """The bundled arm without torques, twenty times as fast: 513 J."""
    loaded = problems.load("ssrms")
    return corrected(replace(loaded, qd=20 * loaded.qd, tau=np.zeros(7)))


def test_integrators_are_those_that_can_be_named():
    assert tuple(motion.INTEGRATORS) == get_args(Integrator)


def orders(problem: Problem, integrator: str, steps: tuple[float, ...]) -> list[float]:
    """Measured between three steps, each half of the one before."""
    ends = [integrated(problem, 1.0, step, integrator).q for step in steps]
    apart = [np.abs(a - b).max() for a, b in pairwise(ends)]
    return [float(np.log2(a / b)) for a, b in pairwise(apart)]


@pytest.mark.parametrize(
    ("contact", "integrator", "order"), [("weld", "rk4", 4.0), ("free", "semi-implicit", 1.0)]
)
def test_order_of_convergence(swinging, contact, integrator, order):
    measured = orders(swinging.at(contact=contact), integrator, (0.1, 0.05, 0.025))
    assert measured == pytest.approx([order], abs=0.06)


@pytest.mark.parametrize("contact", ["weld", "free"])
def test_energy_without_torques_is_constant(swinging, contact):
    start = swinging.at(contact=contact)
    assert total(start) == pytest.approx(512.9, abs=0.05)
    coarse, fine = (total(integrated(start, 1.0, step)) / total(start) - 1 for step in (0.1, 0.05))
    assert 2e-8 < abs(coarse) < 2e-7
    assert abs(fine) < abs(coarse) / 12  # of order 4


JOINTS = (
    ("revolute",) * 6,
    ("revolute", "prismatic", "revolute", "revolute"),
    ("spherical", "revolute", "spherical"),
    ("free", "revolute", "revolute"),
    ("free", "spherical", "universal"),
    ("planar", "helical", "cylindrical"),
    ("universal", "welded", "spherical", "prismatic"),
    ("free", "planar", "spherical", "helical"),
)


def falling(types: tuple[str, ...], seed: int) -> Problem:
    """An arm of these joints in gravity, with constant torques."""
    chain = mixed_chain(types, seed)
    q, qd, _, tau = state(types, seed)
    return problems.Problem("arm", chain, G, q, qd, tau, problems.load("ur5_free").contact_input)


@pytest.mark.fast("free-spherical-universal", "planar*", "universal*")
@pytest.mark.parametrize("types", JOINTS, ids="-".join)
def test_energy_of_every_joint_type_in_gravity(types):
    """A quaternion multiplied on the wrong side keeps its order, and loses energy."""
    start = falling(types, 3)
    start = replace(start, tau=np.zeros_like(start.tau))
    end = integrated(start, 0.25, 0.005)
    kinetic = motion.energy(end)[0]
    assert abs(kinetic - motion.energy(start)[0]) > 0.5 * min(kinetic, total(start))
    assert total(end) == pytest.approx(total(start), abs=5e-8 * kinetic)
    lengths = np.linalg.norm(end.q[start.chain.quaternions], axis=1)
    assert lengths == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("word", ["weld", "point", "line"])
def test_motion_in_contact_is_that_of_pinocchios_matrices(word):
    """M, bias, J and Jdot qd of Pinocchio, solved densely."""
    chain = generators.generate("random:7:seed=4")
    drawn = problems.draw(chain, 4, {"gravity": G})
    start = corrected(motion.frozen(replace(drawn, tau=np.zeros(7)).at(contact=word)))
    judge = oracle(chain)
    judge.set_gravity(G)
    turn = judge.tip_rotation(start.q)

    def rows(q: Numbers) -> Numbers:
        if word == "weld":
            return np.eye(6)
        across = np.eye(3) if word == "point" else turn[:, :2]
        return np.hstack([np.zeros((across.shape[1], 3)), across.T @ judge.tip_rotation(q)])

    def qdd(time: float, q: Numbers, qd: Numbers) -> Numbers:
        J = rows(q) @ judge.jacobian(q)
        M, bias = judge.mass_matrix(q), judge.bias(q, qd)
        kkt = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        target = judge.acceleration(q, qd, np.zeros(7))
        if word == "weld":  # its spatial acceleration is 0
            velocity = judge.velocity(q, qd)
            target = target - np.r_[np.zeros(3), np.cross(velocity[:3], velocity[3:])]
        return np.linalg.solve(kkt, np.r_[-bias, -rows(q) @ target])[:7]

    now = start.q, start.qd
    for _ in range(20):
        now = motion.INTEGRATORS["rk4"].step(start.chain, qdd, 0.0, 0.005, now, qdd(0.0, *now))
    end = integrated(start, 0.1, 0.005)
    assert np.abs(end.q - now[0]).max() < 1e-10
    assert np.abs(end.qd - now[1]).max() < 1e-9 * max(1.0, np.abs(now[1]).max())


# ------------------------------------------------------------------------ the contact


def test_correction_is_least_in_the_mass_matrix(swinging):
    """M^-1-weighted least squares: dqd = -M^-1 J' (J M^-1 J')^-1 W'V, from dense matrices of Pinocchio."""
    wrong = replace(swinging, qd=swinging.qd + 0.1)
    judge = oracle(wrong.chain)
    M, J = judge.mass_matrix(wrong.q), judge.jacobian(wrong.q)
    expected = -np.linalg.solve(M, J.T) @ np.linalg.solve(J @ np.linalg.solve(M, J.T), J @ wrong.qd)
    assert corrected(wrong).qd - wrong.qd == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("word", ["weld", "point", "line", "plane", "face"])
def test_a_contact_in_a_word_keeps_its_place_in_the_world(swinging, word):
    """Without corrections: what drifts is the error of the method."""
    table = {"kind": word} | ({} if word == "weld" else {"position": [0.1, 0.2, -0.3]})
    start = corrected(motion.frozen(swinging.at(contact=table)))
    pose = motion.tip(start)
    ends = [integrated(start, 1.0, h) for h in (0.1, 0.05)]
    errors = [np.abs(motion.pose_error(end, pose)).max() for end in ends]
    assert errors[1] < 1e-7
    assert errors[0] / errors[1] > 10  # of order 4
    assert np.abs(motion.speed_error(ends[1])).max() < 1e-7


def test_a_plane_of_the_end_effector_leaves_the_world_alone(swinging):
    """Why `frozen` is needed: a normal that turns with the end effector lets the tip leave the plane."""
    loose = corrected(swinging.at(contact="plane"))
    normal, start = motion.tip(loose).axes[:, 2], motion.tip(loose)
    left, kept = (
        abs(normal @ (motion.tip(integrated(problem, 1.0, 0.05)).place - start.place))
        for problem in (loose, motion.frozen(loose))
    )
    assert left > 1e-4
    assert kept < 1e-7


def test_corrections_of_the_pose_converge(swinging):
    """Of a displaced arm: quadratically, for every contact with an integral."""
    for word in ("weld", "point", "line", "plane", "face"):
        start = motion.frozen(swinging.at(contact=word))
        pose = motion.tip(start)
        arm = replace(start, q=start.q + np.linspace(-0.01, 0.02, 7))
        for size in (1e-1, 2e-3, 1e-6, 1e-12):
            error = motion.pose_error(arm, pose)
            change = articulated.solve(motion.correction(arm, error)).qdd
            arm = replace(arm, q=arm.q + change)
            assert np.abs(motion.pose_error(arm, pose)).max() < size, word


def test_constraints_without_an_integral_have_no_error_of_the_pose():
    drawn = problems.load("ur5")
    assert motion.is_kept(drawn)
    assert motion.pose_error(drawn, motion.tip(drawn)) is None
    assert not motion.is_kept(problems.load("ssrms_payload"))
    assert not motion.is_kept(problems.load("ur5_free"))
    explicit = drawn.at(contact={"kind": "I", "W": np.eye(6)[:, 3:4], "G_C": [0.0]})
    assert not motion.is_kept(explicit)
