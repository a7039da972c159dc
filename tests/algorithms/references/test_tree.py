"""Serial references on trees - a main chain with side branches - against Pinocchio on the whole tree."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from senn.algorithms import problems
from senn.algorithms.problems import contacts
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators, newton_euler, side_tree, urdf
from senn.algorithms.robots import reader as robots
from senn.algorithms.robots.chain import Branch, Chain
from senn.base.errors import InputError
from tests.algorithms.robots.oracle import Oracle, relative
from tests.algorithms.robots.trees import grafted, random_tree, tree_oracle
from tests.algorithms.robots.urdf.test_urdf import joint, link, robot

pytestmark = pytest.mark.rounding

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


# Joints of any type in the main chain, beside it, and both; branches on several links.
WIDE = {
    "free base": ("FRRR", [(1, 3), (1, 2), (4, 1)]),
    "all types": ("EHRSCPU", [(1, 1), (2, 2), (4, 1), (4, 3), (7, 1)]),
    "any joints beside": ("RRPRRRR", [(1, "SU"), (3, "EH"), (3, "RC"), (7, "PFS")]),
    "any joints everywhere": ("RSURE", [(2, "UEP"), (4, "F"), (5, "CHS")]),
}
CASES = [*TREES, "nested", *WIDE]


def wide(name: str) -> Chain:
    word, sizes = WIDE[name]
    return grafted(generators.generate(f"joints:{word}:seed=4"), sizes, 4)


def case(name: str):
    chain = nested() if name == "nested" else wide(name) if name in WIDE else tree(name)
    model = tree_oracle(chain)
    model.set_gravity(GRAVITY)
    return problems.draw(chain, 3, {"gravity": GRAVITY}), model


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
    places = [side_tree.hanging(chain, at).in_qd for at in (2, 5, 6)]
    assert places == [slice(8, 10), slice(10, 16), slice(16, 17)]
    assert chain.all_joints[8:10] == chain.branches[0].chain.joints


REFUSED = {
    "no such link": (
        lambda: random_tree(3, [(4, 1)], 1),
        r"branch 'random:1:.*' hangs on link 4, but the links are 1\.\.3; on the base, which does not move, "
        "it is a robot of its own",
    ),
    "base": (lambda: random_tree(3, [(0, 1)], 1), r"hangs on link 0, but the links are 1\.\.3"),
    "too many": (
        lambda: random_tree(3, [(2, 61), (2, 4)], 1),
        r"link 2 \(moved by joint 'joint_2'\): 65 joints hang on it beside the main chain, and one process "
        r"takes at most 64; make some of them fixed, or lead the main chain through the longest branch "
        r"\(another tip\)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_tree_of_short_branches_is_refused(name):
    make, text = REFUSED[name]
    with pytest.raises(InputError, match=text):
        make()


def test_a_state_of_another_length_is_refused():
    chain = tree("two fingers at the tip")
    with pytest.raises(
        InputError, match=r"q has 7 numbers, expected 9 \(one per moving joint of .*: 7 of the"
    ):
        problems.Problem("arm", chain, GRAVITY, np.zeros(7), np.zeros(9), np.zeros(9), contacts.none())


FINGER = """
[[branch]]
at = 1
[[branch.link]]
joint = "slide"
type = "prismatic"
axis = [0.0, 2.0, 0.0]
origin = [0.4, 0.1, 0.0]
mass = 0.2
centre = [0.0, 0.0, 0.05]
inertia = [0.001, 0.001, 0.001, 0.0, 0.0, 0.0]
[[branch.link]]
joint = "knuckle"
type = "revolute"
axis = [1.0, 0.0, 0.0]
origin = [0.0, 0.0, 0.1]
rpy = [0.0, 0.0, 0.3]
mass = 0.1
centre = [0.0, 0.02, 0.0]
inertia = [0.0005, 0.0005, 0.0005, 0.0, 0.0, 0.0]
[[branch.branch]]
at = 2
[[branch.branch.link]]
joint = "nail"
type = "revolute"
axis = [0.0, 0.0, 1.0]
origin = [0.0, 0.05, 0.0]
mass = 0.05
centre = [0.01, 0.0, 0.0]
inertia = [0.0001, 0.0001, 0.0001, 0.0, 0.0, 0.0]
"""


def written(folder, branches):
    path = folder / "arm.toml"
    path.write_text(
        """name = "arm"
[[link]]
joint = "shoulder"
type = "revolute"
axis = [0.0, 0.0, 1.0]
origin = [0.0, 0.0, 0.3]
mass = 2.0
centre = [0.2, 0.0, 0.0]
inertia = [0.02, 0.03, 0.04, 0.0, 0.0, 0.0]
[[link]]
joint = "elbow"
type = "revolute"
axis = [0.0, 1.0, 0.0]
origin = [0.4, 0.0, 0.0]
mass = 1.0
centre = [0.1, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02, 0.0, 0.0, 0.0]
[tip]
origin = [0.3, 0.0, 0.0]
"""
        + branches
    )
    return path


LIMIT = '<limit effort="1" velocity="1" lower="-1" upper="1"/>'
URDF_OF_IT = robot(
    link("base"),
    link("l1", 2.0, "0.2 0 0", (0.02, 0.03, 0.04)),
    link("l2", 1.0, "0.1 0 0", (0.01, 0.02, 0.02)),
    link("f1", 0.2, "0 0 0.05", (0.001, 0.001, 0.001)),
    link("f2", 0.1, "0 0.02 0", (0.0005, 0.0005, 0.0005)),
    link("f3", 0.05, "0.01 0 0", (0.0001, 0.0001, 0.0001)),
    link("tip"),
    *(
        joint(name, parent, child, kind, f'<origin {origin}/><axis xyz="{axis}"/>{LIMIT}')
        for name, parent, child, kind, origin, axis in (
            ("shoulder", "base", "l1", "revolute", 'xyz="0 0 0.3"', "0 0 1"),
            ("elbow", "l1", "l2", "revolute", 'xyz="0.4 0 0"', "0 1 0"),
            ("to_tip", "l2", "tip", "fixed", 'xyz="0.3 0 0"', "0 0 1"),
            ("slide", "l1", "f1", "prismatic", 'xyz="0.4 0.1 0"', "0 1 0"),
            ("knuckle", "f1", "f2", "revolute", 'xyz="0 0 0.1" rpy="0 0 0.3"', "1 0 0"),
            ("nail", "f2", "f3", "revolute", 'xyz="0 0.05 0"', "0 0 1"),
        )
    ),
)


def test_a_robot_file_and_a_urdf_of_the_same_tree_are_pinocchios(tmp_path):
    """One on another on a branch: mass matrix of the whole tree column by column, and the bias."""
    model = pin.buildModelFromXML(URDF_OF_IT)
    oracle = Oracle(model, model.getFrameId("tip"))
    oracle.set_gravity(GRAVITY)
    for chain in (robots.read(written(tmp_path, FINGER)), urdf.read(URDF_OF_IT, "tip")):
        assert chain.all_joint_names == ("shoulder", "elbow", "slide", "knuckle", "nail")
        order = [chain.all_joint_names.index(name) for name in list(model.names)[1:]]
        theirs = replace(oracle, order=order, q_order=order, numbers=order)
        q, qd, still = np.linspace(-0.4, 0.9, 5), np.linspace(1.0, -2.0, 5), np.zeros(5)
        columns = [newton_euler.dynamics(chain, q, still, one, np.zeros(3)).torque for one in np.eye(5)]
        assert relative(np.array(columns), theirs.mass_matrix(q)) < 1e-14
        assert (
            relative(newton_euler.dynamics(chain, q, qd, still, GRAVITY).torque, theirs.bias(q, qd)) < 1e-14
        )
        assert relative(newton_euler.end_effector(chain, q, qd, still)[0], theirs.velocity(q, qd)) < 1e-14


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("at = 1", "at = 3"), r"robot 'arm': branch 'branch 1' hangs on link 3, but the links are 1\.\.2"),
        (("at = 1\n", ""), "branch 1: at is missing; the keys are at, link, and optionally branch"),
        (("mass = 0.2", "mass = 0"), r"robot 'branch 1', link 1 \(moved by joint 'slide'\): mass is 0 kg"),
        (("[0.0, 2.0, 0.0]", "[0.0, 0.0, 0.0]"), r"branch 1: link 1 \(joint 'slide'\): axis .* no direction"),
        (("at = 2", "at = 5"), "robot 'branch 1': branch 'branch 1: branch 1' hangs on link 5, but"),
        (
            ('"prismatic"\naxis = [0.0, 2.0, 0.0]', '"welded"'),
            "joint 'slide' of a side branch is welded; make its link part of the one that it hangs on",
        ),
    ],
)
def test_a_robot_file_with_a_wrong_branch_is_refused(tmp_path, change, text):
    path = written(tmp_path, FINGER.replace(*change, 1))
    with pytest.raises(InputError, match=rf"arm\.toml: .*{text}"):
        robots.read(path)


PANDA = ("panda_description/urdf/panda.urdf", "panda_hand_tcp")


def test_a_free_link_with_branches_answers_a_force_at_the_tip_by_its_inverse_inertia():
    side = generators.generate("joints:RS:seed=2")
    given = problems.draw(replace(generators.generate("joints:F"), branches=(Branch(1, side),)), 1)
    found = articulated.tip_inverse_inertia(given.chain, given.q)
    assert relative(found, articulated.lambda_inverse(given.chain, given.q)) < 1e-13
