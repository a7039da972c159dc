"""The economical serial solvers: right against the plain ones, and their counts against the formulas."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from experiments.page import written
from experiments.robot import control_law as control
from senn.algorithms import motion, problems
from senn.algorithms.family import costs
from senn.algorithms.problems import contacts as kinds
from senn.algorithms.references import articulated as plain
from senn.algorithms.robots.chain import Chain
from senn.base.errors import InputError
from senn.machine.program import Operations
from senn.machine.program.counting import Tally
from tests.oracles.economical import closed_chain, screws
from tests.oracles.economical import control as economical_control
from tests.oracles.economical.bias import bias
from tests.oracles.economical.closed_chain import State
from tests.oracles.economical.links import Link, links_of
from tests.oracles.economical.screws import Screw, X

pytestmark = pytest.mark.rounding


def denavit_hartenberg(n: int, seed: int) -> Chain:
    """An arm drawn at random whose frames have x along the common normals."""
    rng = np.random.default_rng(seed)
    angles, zero = rng.uniform(-3.0, 3.0, n), np.zeros(n)
    c, s = np.cos(angles), np.sin(angles)
    rotation = np.array([[zero + 1, zero, zero], [zero, c, -s], [zero, s, c]]).transpose(2, 0, 1)
    axes = np.linalg.qr(rng.standard_normal((n, 3, 3)))[0]
    moments = rng.uniform(0.1, 0.3, (n, 1)) * np.array([2.0, 2.5, 3.0])
    base = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    return Chain(
        name="arm",
        joints=("revolute",) * n,
        joint_names=tuple(f"joint {i}" for i in range(1, n + 1)),
        base_rotation=base * np.sign(np.linalg.det(base)),
        base_position=np.zeros(3),
        rotation=rotation,
        position=np.column_stack([rng.uniform(0.1, 0.5, n), zero, rng.uniform(-0.4, 0.4, n)]),
        centre=rng.uniform(-0.3, 0.3, (n, 3)),
        mass=rng.uniform(1.0, 3.0, n),
        inertia=(axes * moments[:, None, :]) @ axes.transpose(0, 2, 1),
    )


@pytest.mark.parametrize("n", [7, 8, 13])
def test_economical_solvers_agree_with_the_plain_one(n: int) -> None:
    """Open chain, closed chain both ways: the answers of articulated bodies written with matrices."""
    what = problems.draw(denavit_hartenberg(n, n), n)
    expected = plain.solve(what)
    gravity = (what.chain.base_rotation.T @ what.gravity).tolist()
    state = State(what.q, what.qd.tolist(), what.tau.tolist(), gravity, what.contact.G_C)
    links = links_of(what.chain)
    np.testing.assert_allclose(
        closed_chain.open_chain(links, state), expected.qdd0, atol=1e-11 * np.abs(expected.qdd0).max()
    )
    for solver in (closed_chain.by_articulated_bodies, closed_chain.by_mass_matrix):
        qdd, force = solver(links, state)
        np.testing.assert_allclose(qdd, expected.qdd, atol=1e-11 * np.abs(expected.qdd).max())
        np.testing.assert_allclose(force, expected.force, atol=1e-11 * np.abs(expected.force).max())


@pytest.mark.parametrize("n", [7, 9])
def test_economical_torques_are_those_of_the_law(n: int) -> None:
    """The law in matrices, of the answers of a plain solver; the tip moves and presses on a plane."""
    state = motion.frozen(problems.draw(denavit_hartenberg(n, n), n).at(contact="plane"))
    gains, press = control.Gains(omega=3.0, zeta=0.8, integral=0.0), np.array([20.0])
    pose = motion.tip(state)
    aim = control.aim(replace(pose, place=pose.place + 0.1), 0.2 * control.free_way(state), 1.0, 0.3)
    unpressed = control.unpressed(state, gains)
    free = plain.solve(unpressed)
    expected = control.torque(unpressed, aim, press, gains, free.lambda_inverse, free.acceleration0)
    W, (e, rate) = state.contact.W, control.errors(state, aim)
    forward = np.concatenate([np.zeros(3), pose.axes.T @ aim.acceleration])
    across = forward - W @ (W.T @ forward) + gains.omega**2 * e + 2 * gains.zeta * gains.omega * rate
    gravity = (state.chain.base_rotation.T @ state.gravity).tolist()
    demand = economical_control.Demand(
        *(state.q, state.qd.tolist(), -gains.omega, gravity),
        *(across + W @ state.contact.G_C, (W @ press).tolist()),
    )
    tau = economical_control.torques(links_of(state.chain), demand)
    np.testing.assert_allclose(tau, expected, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("solved_after", [6, 7, 9])
def test_popov_vereshchagin_agrees_with_the_plain_one(solved_after: int) -> None:
    """Solved after six joints, after seven, at the base; along directions of no order."""
    what = problems.draw(denavit_hartenberg(9, 2), 9)
    W = np.linalg.qr(np.random.default_rng(1).standard_normal((6, 6)))[0]
    what = replace(what, contact_input=kinds.type_i(W, G_C=np.arange(6.0)))
    expected, contact = plain.solve(what), what.contact
    gravity = (what.chain.base_rotation.T @ what.gravity).tolist()
    state = State(what.q, what.qd.tolist(), what.tau.tolist(), gravity, contact.G_C)
    directions = contact.W.T.tolist()
    qdd, force = closed_chain.by_popov_vereshchagin(links_of(what.chain), state, directions, solved_after)
    np.testing.assert_allclose(qdd, expected.qdd, atol=1e-11 * np.abs(expected.qdd).max())
    np.testing.assert_allclose(force, expected.force, atol=1e-11 * np.abs(expected.force).max())


def torques(links: list[Link], state: State) -> Any:
    """Torques of control, of numbers that count."""
    demand = economical_control.Demand(
        *(state.q, state.qd, state.tau[0], state.gravity, state.prescribed, state.prescribed.tolist())
    )
    return economical_control.torques(links, demand)


def counted(solver: Callable[[list[Link], State], Any], n: int) -> Operations:
    """What a solver executes for n links, every constant a scalar that counts."""
    tally = Tally()

    def some(*shape: int) -> Any:
        return tally.scalars(*shape).tolist()

    def link() -> Link:
        (x,) = some(1)
        return Link(Screw(X, x, x, x), x, some(3), x, some(3), some(3, 3), some(3, 3))

    state = State(tally.scalars(n), some(n), some(n), some(3), tally.scalars(6))
    solver([link() for _ in range(n)], state)
    return tally.operations


def by_pv(links: list[Link], state: State) -> Any:
    """Solved at the base, along six directions that are any numbers."""
    return closed_chain.by_popov_vereshchagin(links, state, [[state.qd[0]] * 6] * 6, len(links))


def by_pv_early(links: list[Link], state: State) -> Any:
    """Solved after six joints."""
    return closed_chain.by_popov_vereshchagin(links, state, [[state.qd[0]] * 6] * 6, 6)


@pytest.mark.parametrize(
    ("solver", "formula"),
    [
        (closed_chain.open_chain, costs.open_chain),
        (closed_chain.by_articulated_bodies, costs.articulated_bodies),
        (closed_chain.by_mass_matrix, costs.mass_matrix),
        (by_pv, costs.popov_vereshchagin),
        (by_pv_early, costs.popov_vereshchagin_early),
        (torques, control.law_operations),
    ],
)
def test_formulas_are_what_is_executed(
    solver: Callable[[list[Link], State], Any], formula: Callable[[int], Operations]
) -> None:
    sizes = (7, 8, 10) if solver in (by_pv, by_pv_early) else (2, 3, 5, 8, 9)
    for n in sizes:
        assert counted(solver, n) == formula(n), n


def test_bias_costs_what_is_said_per_link() -> None:
    """The difference between 6 and 5 links; sines and cosines are not among it."""

    def solver(links: list[Link], state: State) -> None:
        joints = [Screw(2, x, x, x) for x in state.qd]
        bias(links, joints, state.qd, state.gravity)

    six, five = counted(solver, 6), counted(solver, 5)
    assert (six.multiply - five.multiply, six.add - five.add) == (costs.BIAS.multiply, costs.BIAS.add)


def test_open_chain_costs_what_is_published() -> None:
    """McMillan and Orin (1995) are quoted with 224 n - 30 m and 205 n - 37 a; ours is near."""
    for n in (64, 1024):
        assert costs.open_chain(n).flops == pytest.approx(429 * n - 67, rel=0.08)


def test_matrix_and_recursion_cross_between_17_and_18() -> None:
    """The O(n^3) way is the cheaper one for short arms, as is well known."""
    assert costs.mass_matrix(17).flops < costs.articulated_bodies(17).flops
    assert costs.mass_matrix(18).flops > costs.articulated_bodies(18).flops


def test_early_elimination_makes_a_closed_chain_nearly_as_cheap_as_an_open_one() -> None:
    """A link more costs 12 operations more than that of an open chain: the weight in the tip's axes, 8 m 4 a.
    Solved at the base it costs what Table I around articulated bodies does, 312 more."""
    more = {
        count: count(101).flops - count(100).flops
        for count in (
            costs.open_chain,
            costs.popov_vereshchagin_early,
            costs.popov_vereshchagin,
            costs.articulated_bodies,
        )
    }
    assert [one - 457 for one in more.values()] == [0, 12, 312, 312]


def test_constraint_forces_serially_by_hand() -> None:
    """Per link of the open chain: blocks 82 m 63 a, C(i,i+1) 12 m 6 a, factor 230 m 195 a 5 d,
    right-hand side 75 m 70 a, operators around 108 m 99 a, Newton-Euler 94 m 81 a, a sine and a cosine."""
    assert costs.constraint_forces(1) == Operations(601, 514, 5, 2)
    assert costs.constraint_forces(1, columns=2) == Operations(601 + 150, 514 + 140, 5, 2)
    assert costs.constraint_forces(1, tips=1) == Operations(601 + 50 + 63, 514 + 45 + 63, 5, 2)


@pytest.mark.parametrize("axis", [screws.X, screws.Z])
def test_inertia_moves_as_by_matrices(axis: int) -> None:
    """X' I X with X the 6x6 motion of a twist, in both directions, and hinged: the same with zero rows."""
    rng = np.random.default_rng(3)
    angle, length = 0.7, -0.4
    screw = Screw(axis, np.cos(angle), np.sin(angle), length)
    columns = [np.concatenate(screws.twist_outward(list(e[:3]), list(e[3:]), screw)) for e in np.eye(6)]
    motion = np.array(columns).T
    root = rng.standard_normal((6, 6))
    whole = root @ root.T
    blocks = screws.Six(whole[:3, :3].tolist(), whole[:3, 3:].tolist(), whole[3:, 3:].tolist())
    moved = screws.inertia_inward(blocks, screw)
    np.testing.assert_allclose(matrix(moved), motion.T @ whole @ motion, atol=1e-12)
    whole[axis, :] = whole[:, axis] = 0.0
    blocks = screws.Six(whole[:3, :3].tolist(), whole[:3, 3:].tolist(), whole[3:, 3:].tolist())
    np.testing.assert_allclose(
        matrix(screws.inertia_inward(blocks, screw, hinged=True)), motion.T @ whole @ motion, atol=1e-12
    )


def matrix(six: screws.Six) -> Any:
    """6x6."""
    return np.block([[np.array(six.I), np.array(six.H)], [np.array(six.H).T, np.array(six.M)]])


def test_other_frames_are_refused() -> None:
    """A chain whose frames are not Denavit and Hartenberg's: by link, with the way out."""
    chain = problems.load("random:4").chain
    with pytest.raises(InputError, match=r"link 1 .*Denavit-Hartenberg frames .*choose frames"):
        links_of(chain)


def test_formulas_of_the_crossovers_page_are_those_of_the_code() -> None:
    """The table under "The serial side", evaluated."""
    page = written("crossovers")
    rows = {
        "articulated bodies, O(n)": costs.articulated_bodies,
        "PV, O(n)": costs.popov_vereshchagin,
        "PV-early, O(n)": costs.popov_vereshchagin_early,
        "mass matrix, O(n^3)": costs.mass_matrix,
        "open chain by articulated bodies": costs.open_chain,
    }
    for name, formula in rows.items():
        (cells,) = re.findall(rf"^\| {re.escape(name)} \| (.*) \|$", page, re.MULTILINE)
        for n in (2, 8, 25):
            texts = [re.sub(r"(\d) n", r"\1*n", cell).replace("^", "**") for cell in cells.split(" | ")]
            assert Operations(*(int(eval(text, {"n": n})) for text in texts)) == formula(n)
