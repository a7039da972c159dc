"""Serial references on trees - a main chain with side branches - against Pinocchio on the whole tree."""

from dataclasses import replace

import numpy as np
import pytest

from senn.algorithms import generators, problem
from senn.algorithms.branches import side_tree
from senn.algorithms.chain import Branch, Chain
from senn.algorithms.serial import articulated, constraint_force, dense, newton_euler
from senn.algorithms.serial.economical.links import links_of
from senn.traces.errors import InputError
from tests.robots import relative
from tests.trees import grafted, random_tree, tree_oracle

GRAVITY = np.array([1.3, -2.1, -9.1])  # not along an axis, so that a wrong frame shows
# Main joints and branches (at, joints): one to four joints, at the first and last link, several at one link.
TREES = {
    "one finger": (1, [(1, 1)]),
    "at the base link": (6, [(1, 3)]),
    "two fingers at the tip": (7, [(7, 1), (7, 1)]),
    "in the middle": (8, [(4, 4)]),
    "everywhere": (5, [(at, 1 + at % 3) for at in range(1, 6)]),
    "three at one link": (9, [(3, 2), (3, 4), (3, 1), (8, 2)]),
}


def tree(name: str) -> Chain:
    n, sizes = TREES[name]
    return random_tree(n, sizes, n)


def nested() -> Chain:
    """A branch with two fingers of its own, and another branch after it."""
    hand = grafted(generators.generate("random:2:seed=5"), [(2, 1), (2, 2), (1, 1)], 9)
    side = replace(hand, base_position=np.array([0.1, -0.2, 0.05]))
    chain = random_tree(8, [(2, 2)], 8)
    return grafted(replace(chain, branches=(*chain.branches, Branch(5, side))), [(6, 1)], 10)


CASES = [*TREES, "nested"]


def case(name: str):
    chain = nested() if name == "nested" else tree(name)
    model = tree_oracle(chain)
    model.set_gravity(GRAVITY)
    return problem.draw(chain, 3, GRAVITY), model


@pytest.mark.parametrize("name", CASES)
def test_newton_euler_is_pinocchios_rnea(name):
    """With a force at the tip, and any accelerations; end effector's velocity and acceleration too."""
    given, model = case(name)
    chain, q, qd = given.chain, given.q, given.qd
    rng = np.random.default_rng(5)
    qdd, force = rng.standard_normal(chain.degrees), rng.standard_normal(6)
    expected = model.inverse_dynamics(q, qd, qdd) + model.jacobian(q).T @ force
    assert relative(newton_euler.inverse_dynamics(chain, q, qd, qdd, GRAVITY, force), expected) < 2e-14
    velocity, acceleration = newton_euler.end_effector(chain, q, qd, qdd)
    assert relative(velocity, model.velocity(q, qd)) < 1e-14
    assert relative(acceleration, model.acceleration(q, qd, qdd)) < 2e-14


@pytest.mark.parametrize("solver", [articulated, constraint_force], ids=lambda x: x.__name__.split(".")[-1])
@pytest.mark.parametrize("name", CASES)
def test_open_and_closed_tree_are_pinocchios(name, solver):
    """qdd_0 by ABA on the whole tree, Lambda^-1 from its M and J, the contact by its constrained solver."""
    given, model = case(name)
    q, qd, tau = given.q, given.qd, given.tau
    found = solver.solve(given)
    qdd0, J = model.forward_dynamics(q, qd, tau), model.jacobian(q)
    assert relative(found.qdd0, qdd0) < 1e-11
    assert relative(found.acceleration0, model.acceleration(q, qd, qdd0)) < 1e-11
    assert relative(found.lambda_inverse, J @ np.linalg.solve(model.mass_matrix(q), J.T)) < 1e-12
    qdd, force = model.constrained(q, qd, tau, given.contact)
    assert np.abs(found.qdd - qdd).max() < 1e-11 * max(np.abs(qdd).max(), np.abs(qdd0).max())
    assert relative(found.force, force) < 1e-11


def test_a_branch_of_the_tip_changes_the_answer():
    """The tests above would see a branch that is left out: without it the same torques do something else."""
    given, _ = case("two fingers at the tip")
    n = given.chain.n
    bare = replace(
        given, chain=replace(given.chain, branches=()), q=given.q[:n], qd=given.qd[:n], tau=given.tau[:n]
    )
    assert relative(articulated.solve(bare).qdd0, articulated.solve(given).qdd0[:n]) > 0.01


def test_state_vectors_have_the_main_chain_first_then_the_branches_by_link():
    """By hand: links 2 and 5 and 6 carry branches; that at 5 is 2 joints, then its own by the same rule."""
    chain = nested()
    assert chain.n == 8
    assert chain.degrees == 8 + 2 + (2 + 1 + 1 + 2) + 1
    assert [one.at for one in chain.branches] == [2, 5, 6]
    assert [one.at for one in chain.branches[1].chain.branches] == [1, 2, 2]
    assert [tree.at for tree in side_tree.structure(chain)] == [2, 5, 6]
    # a chain of two, then what hangs on its first and (twice) on its second body
    assert side_tree.structure(chain)[1].parents == (0, 1, 1, 2, 2, 5)
    assert side_tree.places(chain) == {2: slice(8, 10), 5: slice(10, 16), 6: slice(16, 17)}
    assert chain.all_joints[8:10] == chain.branches[0].chain.joints


REFUSED = {
    "no such link": (
        lambda: random_tree(3, [(4, 1)], 1),
        r"branch 'random:1:.*' hangs on link 4, but the links are 1\.\.3; on the base, which does not move, "
        "it is a robot of its own",
    ),
    "base": (lambda: random_tree(3, [(0, 1)], 1), r"hangs on link 0, but the links are 1\.\.3"),
    "too many": (
        lambda: random_tree(3, [(2, 5), (2, 4)], 1),
        r"link 2 \(moved by joint 'joint_2'\): 9 joints hang on it beside the main chain, and one process "
        r"takes at most 8; make some of them fixed, or lead the main chain through the longest branch "
        r"\(another tip\)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_tree_of_short_branches_is_refused(name):
    make, text = REFUSED[name]
    with pytest.raises(InputError, match=text):
        make()


def test_solvers_that_know_no_branches_refuse_them():
    """By the mass matrix, and the solvers that count their operations."""
    given, _ = case("one finger")
    text = "robot 'random:1:.*' has side branches, which this solver does not take; use articulated bodies"
    with pytest.raises(InputError, match=text):
        dense.solve(given)
    with pytest.raises(InputError, match=text):
        links_of(given.chain)


def test_a_state_of_another_length_is_refused():
    chain = tree("two fingers at the tip")
    with pytest.raises(
        InputError, match=r"q has 7 numbers, expected 9 \(one per moving joint of .*: 7 of the"
    ):
        problem.resolved(chain, GRAVITY, np.zeros(7), np.zeros(9), np.zeros(9), problem.contacts.none())
