"""The fine references against 50 decimal digits: plain formulas on Python's own decimal numbers."""

from collections.abc import Sequence
from decimal import Decimal, getcontext
from typing import Any

import numpy as np
import pytest
from flint import arb

from senn.algorithms import problems
from senn.algorithms.problems import contacts as contact
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import generators
from tests.algorithms.programs.compared import touching
from tests.algorithms.robots.oracle import oracle
from tests.algorithms.robots.states import mild_state
from tests.algorithms.rounded_inputs import answers, limits, scales_of
from tests.oracles import dense, extended

pytestmark = pytest.mark.rounding

getcontext().prec = 50
Exact = Any  # an array of Decimal


def exact(numbers: Any) -> Exact:
    """The same numbers, as arrays of Decimal."""
    array = np.asarray(numbers, dtype=np.float64)
    return np.array([Decimal(x) for x in array.ravel().tolist()], dtype=object).reshape(array.shape)


def cosine_and_sine(angle: Decimal) -> tuple[Decimal, Decimal]:
    """By their series."""
    sums, term, k = [Decimal(0), Decimal(0)], Decimal(1), 0
    while abs(term) > Decimal("1e-60") or k < 4:
        sums[k % 2] += term if k % 4 < 2 else -term
        k += 1
        term = term * angle / k
    return sums[0], sums[1]


def rotation(numbers: Any) -> Exact:
    """The nearest orthogonal matrix to 50 digits, by Newton's iteration."""
    matrix = exact(numbers)
    for _ in range(3):
        matrix = matrix @ (3 * exact(np.eye(3)) - matrix.T @ matrix) / 2
    return matrix


def cross(a: Exact, b: Exact) -> Exact:
    return np.array([a[k - 2] * b[k - 1] - a[k - 1] * b[k - 2] for k in range(3)], dtype=object)


def inverse_dynamics(what: Problem, qdd: Exact, qd: Exact, gravity: Exact, force: Exact) -> tuple[Exact, ...]:
    """Torques, tip acceleration and velocity (frame n+1) and interbody forces, as a textbook has them."""
    chain, zero = what.chain, exact(np.zeros(3))
    turn, omega, omega_dot, velocity, acceleration = rotation(chain.base_rotation), zero, zero, zero, zero
    links = []
    for i, joint in enumerate(chain.joints):
        axis, q, frame = turn[:, 2], Decimal(what.q[i].item()), turn
        if joint == "revolute":
            c, s = cosine_and_sine(q)
            turn = turn @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]], dtype=object)
            omega_dot = omega_dot + cross(omega, axis * qd[i]) + axis * qdd[i]
            omega, slide = omega + axis * qd[i], zero
        else:
            velocity = velocity + axis * qd[i]
            acceleration = acceleration + axis * qdd[i] + 2 * cross(omega, axis * qd[i])
            slide = axis * q
        turn = turn @ rotation(chain.rotation[i])

        def moved(arm: Exact, omega: Exact = omega, omega_dot: Exact = omega_dot) -> Exact:
            return cross(omega_dot, arm) + cross(omega, cross(omega, arm))

        centre = turn @ exact(chain.centre[i]) + slide
        reach = turn @ exact(chain.position[i]) + slide
        inertia = turn @ exact(chain.inertia[i]) @ turn.T
        net = Decimal(chain.mass[i].item()) * (acceleration + moved(centre) - gravity)
        moment = inertia @ omega_dot + cross(omega, inertia @ omega) + cross(centre, net)
        links.append((joint, frame, axis, reach, net, moment))
        velocity, acceleration = velocity + cross(omega, reach), acceleration + moved(reach)
    tip = [turn.T @ x for x in (omega_dot, acceleration, omega, velocity)]
    pull, twist = turn @ force[3:], turn @ force[:3]
    torques, wrenches = [], []
    for joint, frame, axis, reach, net, moment in reversed(links):
        twist = moment + twist + cross(reach, pull)
        pull = net + pull
        torques.append(axis @ (twist if joint == "revolute" else pull))
        wrenches.append(np.concatenate([frame.T @ twist, frame.T @ pull]))
    return np.array(torques[::-1]), np.concatenate(tip[:2]), np.concatenate(tip[2:]), np.array(wrenches[::-1])


def solved(matrix: Exact, right: Exact) -> Exact:
    """By elimination."""
    a, x = matrix.copy(), right.copy()
    for k in range(len(a)):
        for row in range(len(a)):
            if row != k:
                factor = a[row, k] / a[k, k]
                a[row], x[row] = a[row] - factor * a[k], x[row] - factor * x[k]
    return x / np.diag(a).reshape(-1, *[1] * (x.ndim - 1))


def fifty_digits(what: Problem) -> dict[str, Exact]:
    """Table I: M and J from unit accelerations of the arm at rest without gravity."""
    n, qd, gravity = what.chain.n, exact(what.qd), exact(what.gravity)
    none, still, free = exact(np.zeros(n)), exact(np.zeros(3)), exact(np.zeros(6))
    bias, drift, _, _ = inverse_dynamics(what, none, qd, gravity, free)
    units = [inverse_dynamics(what, exact(row), none, still, free)[:2] for row in np.eye(n)]
    M, J = (np.array([unit[k] for unit in units]).T for k in (0, 1))
    qdd0, back = solved(M, exact(what.tau) - bias), solved(M, J.T)
    W, H = exact(what.contact.W), exact(what.contact.H)
    lambda_inverse, acceleration0 = J @ back, J @ qdd0 + drift
    force = H @ exact(what.contact.K_F) if H.size else free
    if W.size:
        right = W.T @ (acceleration0 - lambda_inverse @ force) - exact(what.contact.G_C)
        force = force + W @ solved(W.T @ lambda_inverse @ W, right)
    qdd = qdd0 - back @ force
    forces = inverse_dynamics(what, qdd, qd, gravity, force)[3]
    found = {"qdd": qdd, "force": force, "lambda_inverse": lambda_inverse, "qdd0": qdd0}
    return {**found, "acceleration0": acceleration0, "forces": forces}


def apart(found: Any, expected: Exact, scale: float | None = None) -> float:
    """Largest difference over the scale, by itself the largest entry, the difference taken in 50 digits."""
    text = [np.format_float_scientific(x, 25) for x in np.ravel(found)]
    as_decimal = np.array([Decimal(x) for x in text], dtype=object)
    most = Decimal(scale) if scale else max(map(abs, expected.ravel()))
    return float(max(map(abs, as_decimal - expected.ravel())) / most)


NARROWER = 2.0**-63 / 2.0**-52
"""eps of 80 bits over that of 64."""
CASES: Sequence[tuple[int, int]] = [(1, 1), (2, 0), (4, 2), (7, 6)]


@pytest.mark.parametrize(("n", "constrained"), CASES)
def test_the_reference_has_80_bits(n: int, constrained: int) -> None:
    """All six answers, mixed joints, up to six directions held: as near as one more rounding to 80 bits lets
    two answers be, which is a 2048th of what rounding to 64 does."""
    what, model = touching(n, constrained), oracle(touching(n, constrained).chain)
    model.set_gravity(what.gravity)
    found, expected = extended.solve(what), fifty_digits(what)
    allowed, scale = limits(what, model, "dense"), scales_of(answers(what, model))
    part = {name: allowed[name] / scale[name] for name in allowed}
    part["forces"] = max(part["qdd"], part["force"])  # they are made of these
    for name, value in expected.items():
        assert getattr(found, name).dtype == np.longdouble
        assert apart(getattr(found, name), value, scale.get(name)) < part[name] * NARROWER, name


@pytest.mark.parametrize(("n", "constrained"), CASES)
def test_balls_hold_the_answers_and_little_more(n: int, constrained: int) -> None:
    """All six answers to 50 decimal digits, of which mixed joints leave 40, lie in balls far smaller than
    double precision; neighbours in double precision do not."""
    what = touching(n, constrained)
    solution, expected = extended.enclosed(what), fifty_digits(what)
    for name, value in expected.items():
        right, balls = value.ravel().tolist(), getattr(solution, name).ravel().tolist()
        digits = Decimal(f"1e-{40 - n}") * max(map(abs, right))
        for ball, number in zip(balls, right, strict=True):
            assert ball.overlaps(arb(str(number), str(digits))), name
            assert ball.rad() <= extended.NARROW * float(max(map(abs, right), default=1)) + extended.NARROW**2
            assert not ball.contains(arb(float(ball.mid()) + 1e-12 * abs(float(number)))) or number == 0


def test_radii_of_slender_rods_are_those_of_compact_arms() -> None:
    """Where double precision loses seven digits balls lose none: more bits, not another answer."""
    right = extended.enclosed(problems.load("rods:12:slenderness=0.001"))
    assert max(float(x.rad()) for x in right.qdd) < extended.NARROW * max(abs(float(x)) for x in right.qdd)


def test_a_singular_contact_has_no_balls() -> None:
    """Two revolute joints of eight cannot turn a welded tip: rounding hides that, balls do not."""
    what = problems.load("random:8:prismatic=0.3:seed=10")
    assert what.chain.joints.count("revolute") == 2
    with pytest.raises(ArithmeticError, match="no bounded answer: the problem is singular"):
        extended.enclosed(what)
    assert np.isfinite(np.float64(extended.solve(what).qdd)).all()


def test_an_error_is_bounded_from_above() -> None:
    """What is off by a millionth has an error of a millionth, by balls and by 80 bits."""
    what = problems.load("random:8")
    for right in (extended.enclosed(what).qdd, extended.solve(what).qdd):
        nearest = np.float64(right)
        assert extended.error(nearest, right) < 1e-15
        assert extended.error(nearest * (1.0 + 1e-6), right) == pytest.approx(1e-6, rel=1e-6)


def test_free_ends_and_slender_rods() -> None:
    """Without contact; and where double precision loses most."""
    chain = generators.generate("rods:6:slenderness=0.01")
    q, qd, tau = mild_state(chain, 2, problems.EARTH)
    what = problems.resolved(chain, problems.EARTH, q, qd, tau, contact.none())
    found, expected = extended.solve(what), fifty_digits(what)
    assert apart(found.qdd, expected["qdd"]) < 1e-16
    assert not found.force.any()


@pytest.mark.parametrize("word", ["RSRPRRU", "FCERH", "RXRPS"])
def test_joints_of_every_type_as_dense_algebra_has_them(word: str) -> None:
    """What decimal numbers were not worth writing for: to the accuracy of the dense solution."""
    what = problems.load(f"joints:{word}:seed=3")
    found, expected = extended.solve(what), dense.solve(what)
    for name in ("qdd", "qdd0", "force", "lambda_inverse", "forces"):
        one, other = np.float64(getattr(found, name)), getattr(expected, name)
        assert np.abs(one - other).max() < 1e-10 * max(np.abs(other).max(), np.abs(expected.qdd0).max())


@pytest.mark.parametrize("name", ["II", "general"])
def test_contacts_of_every_kind(name: str) -> None:
    """A contact whose force presses on what it holds, and the same as a general one; by dense algebra."""
    basis = np.linalg.qr(np.random.default_rng(4).normal(size=(6, 6)))[0]
    W, H, phi = basis[:, :3], basis[:, 3:], 0.2 * np.eye(3)
    if name == "II":
        held = contact.type_ii(W, H, phi, np.ones(3), np.ones(3))
    else:  # V = W G_C + H w, F = (W + H phi) K_C + H d, in the six unknowns [w; K_C]
        M1, M2 = np.hstack([H, np.zeros((6, 3))]), np.hstack([np.zeros((6, 3)), W + H @ phi])
        held = contact.general(M1, W @ np.ones(3), M2, H @ np.ones(3))
    chain = generators.generate("random:9:seed=2")
    what = problems.resolved(chain, problems.EARTH, *mild_state(chain, 2, problems.EARTH), held)
    found, expected = extended.solve(what), dense.solve(what)
    assert np.abs(np.float64(found.force) - expected.force).max() < 1e-11 * np.abs(expected.force).max()
