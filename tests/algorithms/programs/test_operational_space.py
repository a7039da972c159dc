"""Lambda^-1 and Lambda on the machine and by both factorisations, against Pinocchio."""

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.problems import contacts
from senn.base.errors import InputError
from tests.algorithms.references.test_tree import case
from tests.algorithms.robots.oracle import oracle
from tests.oracles import constraint_force


def expected(chain, q) -> np.ndarray:
    """J M^-1 J' of Pinocchio's J and M."""
    by = oracle(chain)
    J = by.jacobian(q)
    return J @ np.linalg.solve(by.mass_matrix(q), J.T)


# ------------------------------------------------------------------------------ conditions


@pytest.mark.parametrize("name", ["lambda", "lambda-times"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("random:5:seed=1", "with 5 degrees of freedom it never can; ask for Lambda"),
        ("straight", r"cannot move in all six directions \(pivot ratio [-+0-9.e]+\); ask for"),
    ],
)
def test_lambda_is_refused_where_it_does_not_exist(name, text, said):
    if text == "straight":
        chain = problems.load("snake:9").chain
        zero = np.zeros(9)
        text = problems.Problem("arm", chain, problems.EARTH, zero, zero, zero, contacts.none())
    with pytest.raises(InputError, match="Lambda does not exist: the end effector cannot move") as refused:
        senn.run(text, algorithm=name)
    assert refused.match(said)


def test_a_nearly_singular_lambda_has_few_digits():
    chain, zero = problems.load("snake:9").chain, np.zeros(9)
    bent = 1e-4 * np.array([7.0, -4, 9, 3, -8, 5, 2, -6, 4]) / 10
    what = problems.Problem("arm", chain, problems.EARTH, bent, zero, zero, contacts.none())
    certificate = senn.run(what, algorithm="lambda", machine="raw").certificate
    assert 4 <= certificate["digits"] <= 9
    assert certificate["ok"] == (certificate["digits"] >= 6)


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match='form "omega": the operational space has the forms paper and short'):
        senn.run("ur5", algorithm="lambda", form="omega")
    with pytest.raises(InputError, match='algorithm "lambda-both" is gone: run lambda-inverse and lambda'):
        senn.run("ur5", algorithm="lambda-both")
    with pytest.raises(InputError, match="strategy 1 with odd-even reduction keeps blocks for the way back"):
        senn.run("ur5", algorithm="lambda-inverse", strategy=1, elimination="oer")
    chain, state, free = problems.load("ur5").chain, np.zeros((3, 6)), contacts.none()
    with pytest.raises(InputError, match="tip_vector has 2 numbers, expected 6"):
        problems.Problem("arm", chain, problems.EARTH, *state, free, tip_vector=[1, 2])


# ---------------------------------------------------------------------------- factorisations


@pytest.mark.parametrize("n", [6, 9])
def test_y_is_minus_a_with_another_block(n):
    """Fijany's Y = W'P' diag(0, -I_{N-1}^-1, ..) P W, written out densely: the program's, with its sign."""
    what = problems.load(f"random:{n}:seed=8:prismatic=0.3")
    blocks = constraint_force.assemble(what.chain, what.q)
    size = 6 * n
    P, W, inverse = np.eye(size), np.zeros((size, 5 * n)), np.zeros((size, size))
    for k in range(n):
        here = slice(6 * k, 6 * k + 6)
        W[here, 5 * k : 5 * k + 5] = blocks.W[k]
        if k < n - 1:
            P[here, 6 * k + 6 : 6 * k + 12] = -blocks.outward[k]
            inverse[here, here] = -blocks.inverse_inertia[k]
    Y = W.T @ P.T @ inverse @ P @ W
    last = slice(6 * n - 6, 6 * n)
    own = np.linalg.inv(blocks.tip) @ blocks.inverse_inertia[-1]  # P^_N^-1 C6(N+1,N), frames of the tip
    R = np.zeros((5 * n, 6))
    R[-5:] = (own @ blocks.W[-1]).T
    assert np.linalg.eigvalsh(Y).max() < 0.0
    S = np.linalg.inv(blocks.D)
    mass = S - R.T @ np.linalg.solve(Y, R)
    assert mass == pytest.approx(np.linalg.inv(expected(what.chain, what.q)), rel=1e-7)
    assert last.stop == size


def test_step_laws():
    """Instructions a M + b, migrating; network steps of powers of two, where process N lives on a node that
    no shuffle leaves, and of others."""
    for name, form, instructions, others, powers in LAWS:
        for sizes, network in ((OTHERS, others), (POWERS, powers)):
            table = senn.steps(sizes, algorithm=name, form=form)
            for m, issued, steps in table.select("levels", "instructions_1", "network_steps").rows():
                assert (issued, steps) == tuple(slope * m + start for slope, start in (instructions, network))


OTHERS, POWERS = (3, 5, 13, 31), (4, 8, 16, 64)
LAWS = [
    ("lambda-inverse", "paper", (17, 7), (9, -4), (9, -5)),
    ("lambda-inverse", "short", (11, 7), (6, -3), (6, -4)),
    ("lambda", "paper", (17, 8), (9, -4), (9, -5)),
    ("lambda", "short", (11, 8), (6, -3), (6, -4)),
    ("lambda-inverse-times", "paper", (17, 7), (9, -4), (9, -5)),
    ("lambda-inverse-times", "short", (11, 8), (6, -3), (6, -4)),
    ("lambda-times", "paper", (17, 8), (9, -4), (9, -5)),
    ("lambda-times", "short", (11, 9), (6, -3), (6, -4)),
]


def test_lambda_of_a_short_arm_with_many_branches_is_refused() -> None:
    """Branches move the end effector in no new direction."""
    arm, _ = case("everywhere")
    with pytest.raises(InputError, match="with 5 degrees of freedom it never can; ask for Lambda"):
        senn.run(problems.free(arm), algorithm="lambda")
