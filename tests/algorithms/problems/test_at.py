"""A problem in another state: what depends on the state is that of the new one."""

from dataclasses import replace

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.problems import contacts, states
from senn.algorithms.references import articulated
from senn.algorithms.robots.chain import Branch
from senn.base.errors import InputError
from tests.algorithms.robots.oracle import oracle


def expected(what, q, qd, tau):
    """qdd by Pinocchio's mass matrix and tip, the directions held with omega x v of Pinocchio's velocity."""
    model = oracle(what.chain)
    velocity = model.velocity(q, qd)
    drift = np.concatenate([np.zeros(3), np.cross(velocity[:3], velocity[3:])])
    held = replace(what.contact, G_C=what.contact.W.T @ drift)
    return model.constrained(q, qd, tau, held)[0]


@pytest.mark.parametrize("name", ["random:8:seed=1", "random:5:prismatic=0.4:seed=2"])
def test_ten_times_as_fast_g_c_is_that_of_the_new_velocity(name):
    """Both ways to say it; a G_C kept from the old state is another answer."""
    what = problems.load(name)
    fast = expected(what, what.q, 10 * what.qd, what.tau)
    for new in (what.at(qd=10 * what.qd), replace(what, qd=10 * what.qd)):
        assert np.abs(articulated.solve(new).qdd - fast).max() < 1e-8 * np.abs(fast).max()
        np.testing.assert_array_equal(new.tau, what.tau)
    kept = articulated.solve(replace(what, qd=10 * what.qd, contact_input=what.contact)).qdd
    assert np.abs(kept - fast).max() > 1e-6 * np.abs(fast).max()


def test_directions_fixed_in_the_world_are_turned_at_the_new_q():
    """A normal along the base's z, in end-effector axes of Pinocchio's frame."""
    base = problems.load("random:8:seed=1")
    W = np.array([[0.0, 0, 0, 0, 0, 1]]).T
    what = base.at(contact=contacts.type_i(W, fixed_in="world"))
    q = what.q + 0.3
    new = what.at(q=q)
    turned = oracle(what.chain).tip_rotation(q).T @ W[3:]
    np.testing.assert_allclose(new.contact.W[3:], turned, atol=1e-14)
    assert np.abs(new.contact.W - what.contact.W).max() > 0.05
    assert new.notes == (
        "qd and torque were drawn from seed 1",
        "the contact was given in base axes: its directions were turned to end-effector axes at q",
        "G_C was left out: taken as 0 (the constraint, fixed in the world, stays satisfied)",
    )


def test_some_joints_by_name_the_others_keep_their_numbers():
    what = problems.load("ssrms")
    names = what.chain.joint_names
    new = what.at(q={names[2]: 0.5, names[0]: -1}, tau={names[6]: [2]})
    np.testing.assert_array_equal(new.q, [-1, what.q[1], 0.5, *what.q[3:]])
    np.testing.assert_array_equal(new.tau, [*what.tau[:6], 2.0])
    np.testing.assert_array_equal(new.qd, what.qd)
    assert (new.source, new.changed) == (what.source, ("q", "tau"))


def test_joints_of_several_numbers_and_of_branches_by_name():
    what = problems.load("joints:RSPXF:seed=5")
    new = what.at(q={"joint_2": [0, 0.6, 0, -0.8]}, qd={"joint_5": [1, 2, 3, 4, 5, 6], "joint_1": 7})
    np.testing.assert_array_equal(new.q[:6], [what.q[0], 0, 0.6, 0, -0.8, what.q[5]])
    np.testing.assert_array_equal(new.qd, [7, *what.qd[1:5], 1, 2, 3, 4, 5, 6])
    side = problems.load("random:3:seed=1").chain
    tree = replace(what.chain, name="tree", joints=("revolute",) * 5, parameters=())
    tree = replace(tree, branches=(Branch(2, replace(side, joint_names=("a", "b", "c"))),))
    branched = problems.draw(tree)
    np.testing.assert_array_equal(branched.at(qd={"b": 3}).qd[5:], [branched.qd[5], 3, branched.qd[7]])


def test_what_was_drawn_is_said_as_long_as_it_stands():
    what = problems.load("random:8:seed=3")
    assert what.notes[0] == "state, torque and contact were drawn from seed 3"
    assert what.drawn
    assert what.at(q=np.ones(8)).notes[0] == "qd, torque and contact were drawn from seed 3"
    assert what.at(q={"joint_1": 0.1}).notes[0] == (
        "the rest of q, qd, torque and contact were drawn from seed 3"
    )
    given = what.at(q=what.q, qd=what.qd, tau=what.tau, contact=contacts.none())
    assert (given.notes, given.drawn) == ((), False)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"q": {"sholder_roll": 1}},
            r"^q: there is no joint 'sholder_roll' in ssrms; did you mean 'shoulder_roll'",
        ),
        (
            {"qd": {"elbow_pitch": float("nan")}},
            "^qd of joint 'elbow_pitch': number 1 is nan; it must be finite$",
        ),
        (
            {"q": np.ones((7, 1))},
            r"^q has shape \(7, 1\), expected 7 numbers \(one per moving joint of ssrms\)$",
        ),
        ({"qd": "fast"}, "^qd holds what is no number: 'fast'$"),
        ({"tau": [1j] * 7}, "^tau holds what is no number: "),
        ({"tau": [[1, 2], [3]]}, "^tau holds what is no number: "),
        ({"tau": [None] * 7}, "^tau holds what is no number: "),
        ({"tau": [10**400] * 7}, "^tau holds what is no number: "),
        ({"gravity": 9.81}, r"^gravity has 1 numbers, expected 3 \(x, y, z in the base frame\)$"),
        ({"tip_vector": [1, 2]}, r"^tip_vector has 2 numbers, expected 6 "),
    ],
)
def test_wrong_numbers_are_refused_in_words(given, message):
    with pytest.raises(InputError, match=message):
        problems.load("ssrms").at(**given)


def test_a_problem_is_printed_in_a_line():
    what = problems.load("ssrms", contact="plane")
    assert repr(what) == "Problem('ssrms': robot 'ssrms', 7 joints, contact 'plane')"


def test_a_quaternion_of_unit_length_stays_to_the_last_bit():
    """To divide by the length once more would move some of these."""
    chain = problems.load("joints:SSSSSSSS").chain
    given = np.random.default_rng(3).standard_normal((50, 8, 4))
    given /= np.linalg.norm(given, axis=2, keepdims=True)
    assert (given / np.linalg.norm(given, axis=2, keepdims=True) != given).any()
    for q in given.reshape(50, 32):
        np.testing.assert_array_equal(states.unit_quaternions(chain, q), q)
