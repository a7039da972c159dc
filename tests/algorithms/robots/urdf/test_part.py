"""A part of a URDF: another base, locked joints, joints that stand where they are told."""

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.certificate.certify import certify
from senn.algorithms.references import articulated
from senn.algorithms.robots import urdf
from senn.algorithms.robots.urdf import Part
from senn.base.errors import InputError
from tests.algorithms.robots.urdf.test_urdf import joint, link, robot

pytestmark = pytest.mark.rounding

PLACED = '<origin xyz="0.1 -0.2 0.3" rpy="0.3 -0.5 0.7"/>'
ACROSS = PLACED + '<axis xyz="0 0.6 -0.8"/>'

LIMIT = '<limit lower="{}" upper="1" effort="1" velocity="1"/>'


def body(name, mass, xyz):
    return link(name, mass, xyz, (0.02, 0.03, 0.04), "0.2 0.4 -0.3")


# A trunk on the root; an arm and a head on it, a leg of which the last link is fixed to the one before.
WALKER = robot(
    link("root"),
    body("trunk", 5, "0.1 0 0.2"),
    *(body(f"arm{k}", 2 - 0.3 * k, "0.1 0.05 0.1") for k in range(4)),
    body("hand", 0.3, "0 0 0.1"),
    body("head", 1, "0 0 0.1"),
    *(body(f"leg{k}", 2 - 0.3 * k, "0.1 0 -0.2") for k in range(3)),
    body("foot", 0.5, "0.1 0 0"),
    joint("waist", "root", "trunk", "continuous", ACROSS),
    joint("arm_0", "trunk", "arm0", "continuous", ACROSS),
    joint("arm_1", "arm0", "arm1", "revolute", PLACED + '<axis xyz="0 1 0"/>' + LIMIT.format(0.2)),
    joint("arm_2", "arm1", "arm2", "prismatic", ACROSS + LIMIT.format(-1)),
    joint("arm_3", "arm2", "arm3", "continuous", PLACED),
    joint("wrist", "arm3", "hand", "fixed", PLACED),
    joint(
        "neck",
        "trunk",
        "head",
        "continuous",
        PLACED + '<axis xyz="0 1 0"/><mimic joint="arm_0" multiplier="-2" offset="0.1"/>',
    ),
    joint("leg_0", "trunk", "leg0", "continuous", ACROSS),
    joint("leg_1", "leg0", "leg1", "prismatic", ACROSS + LIMIT.format(-1)),
    joint("leg_2", "leg1", "leg2", "continuous", PLACED + '<axis xyz="-1 2 0"/>'),
    joint("ankle", "leg2", "foot", "fixed", PLACED),
)

# base, tip, what is locked; the joints of the path, those beside it, and where Pinocchio locks what is locked
STANDS = {
    "its own root": ("root", "hand", (), ("waist", "arm_0", "arm_1", "arm_2", "arm_3"), 4),
    "on a link of the path": ("trunk", "hand", (), ("arm_0", "arm_1", "arm_2", "arm_3"), 0),
    "on a foot": (
        "foot",
        "hand",
        ("waist",),
        ("leg_2", "leg_1", "leg_0", "arm_0", "arm_1", "arm_2", "arm_3"),
        1,
    ),
    "on a moving hand": (
        "arm2",
        "foot",
        ("waist",),
        ("arm_2", "arm_1", "arm_0", "leg_0", "leg_1", "leg_2"),
        1,
    ),
    "backwards to a middle link": (
        "hand",
        "trunk",
        ("waist", "leg_."),
        ("arm_3", "arm_2", "arm_1", "arm_0"),
        1,
    ),
    "locked within the path": (
        "foot",
        "arm3",
        ("waist", "arm_[02]"),
        ("leg_2", "leg_1", "leg_0", "arm_1", "arm_3"),
        1,
    ),
}


def beside_pinocchio(problem):
    """Pinocchio flies the whole robot and holds the base; what is left out here moves there."""
    found = certify(problem, articulated.solve(problem), digits=9, against="pinocchio")
    assert found.besides
    assert found.ok, found.message


@pytest.mark.parametrize("case", STANDS)
def test_a_robot_that_stands_on_any_link_is_pinocchios_held_there(case):
    base, tip, lock, path, beside = STANDS[case]
    part = Part.of(tip, base, lock, {"arm_2": 0.05, "waist": 0.4} if lock else None)
    chain = urdf.read(WALKER, part)
    assert chain.joint_names == path
    assert len(chain.all_joint_names) == len(path) + beside
    beside_pinocchio(problems.draw(chain, 1, {"gravity": (1.0, -2.0, -9.0)}))


def test_locked_joints_stand_where_they_are_told_or_follow_or_at_the_nearest_limit():
    """arm_0 at 0.3 is told; neck follows it, -2 0.3 + 0.1; arm_1 may not be at 0; waist is."""
    lock = ("waist", "arm_[01]", "neck")
    chain = urdf.read(WALKER, Part.of("hand", lock=lock, at={"arm_0": 0.3}))
    assert chain.joint_names == ("arm_2", "arm_3")
    beside_pinocchio(problems.draw(chain, 1))
    (note, _) = chain.notes
    assert note == (
        "locked, and their links one with what they hang on: 'arm_0' at 0.3, 'arm_1' at 0.2, 'neck' at -0.5, "
        "'waist' (where no place is said: at 0)"
    )


def test_what_hangs_on_the_base_or_beside_it_is_left_out_and_said():
    text = WALKER.replace("</robot>", f"{body('table', 1, '0 0 0')}</robot>")
    chain = urdf.read(text, Part("hand", "trunk"))
    assert chain.notes == (
        "the base is link 'trunk': gravity and the base frame are in its axes",
        "left out, as it hangs on the base 'trunk', which does not move, and so does not act on the chain: "
        "what is beyond waist, neck, leg_0",
        "left out, as not joined to the base 'trunk': table",
    )


def test_joints_of_several_degrees_of_freedom_are_locked_where_they_stand():
    """By hand: a plane whose normal is y, at a quarter turn and 2 along x; a free joint turned about z."""
    text = robot(
        link("base"),
        *(link(name, 1) for name in ("a", "b", "c")),
        joint("plane", "base", "a", "planar", '<axis xyz="0 1 0"/>'),
        joint("flight", "a", "b", "floating", ""),
        joint("turn", "b", "c"),
    )
    at = {"plane": (np.pi / 2, 2.0, 0.0), "flight": (np.sqrt(0.5), 0, 0, np.sqrt(0.5), 0.0, 0.0, 3.0)}
    chain = urdf.read(text, Part.of("c", lock=["plane", "flight"], at=at))
    # y is the normal: frame 1 of the plane has z along y and x along x, so 2 along x; then x -> -z, z -> x.
    np.testing.assert_allclose(chain.base_position, [5.0, 0.0, 0.0], atol=1e-15)
    turned = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]) @ np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(chain.base_rotation, turned, atol=1e-15)


def test_a_floating_joint_in_reverse_parts_two_robots():
    text = robot(
        link("world"),
        *(link(name, 1) for name in ("trunk", "leg", "arm")),
        joint("flight", "world", "trunk", "floating", ""),
        joint("hip", "trunk", "leg"),
        joint("shoulder", "trunk", "arm"),
    )
    chain = urdf.read(text, Part("arm", "leg"))
    assert chain.all_joint_names == ("hip", "shoulder")
    assert chain.notes[1:] == ("left out, as not joined to the base 'leg': world",)
    with pytest.raises(InputError, match="no way leads from the base 'leg' to the tip 'world'"):
        urdf.read(text, Part("world", "leg"))


def test_the_only_link_at_the_end_of_a_chain_is_the_tip():
    text = robot(
        link("base"),
        link("mark"),
        link("a", 1),
        link("b", 1),
        joint("f", "base", "mark", "fixed"),
        joint("j1", "base", "a"),
        joint("j2", "a", "b"),
    )
    chain = urdf.read(text)
    assert chain.joint_names == ("j1", "j2")
    assert chain.notes == ("the tip is link 'b', the only one at the end of a chain",)
    with pytest.raises(
        InputError,
        match=r"a URDF needs a tip, .*; choose one with --tip \(links at the end of "
        r"a chain from 'root': hand \(5 joints\), head \(2 joints\), foot \(4 joints\)\)",
    ):
        urdf.read(WALKER)


REFUSED = {
    "base": (
        Part("hand", "x"),
        "there is no link 'x' to be the base; the links are root, trunk, arm0, .*, foot$",
    ),
    "tip on the base": (Part("trunk", "trunk"), "no moving joint lies between the base 'trunk' and 'trunk'"),
    "lock": (
        Part("hand", lock=("arm",)),
        r'lock: "arm" is the whole name of no joint that moves; write \.\* for',
    ),
    "lock fixed": (Part("hand", lock=("wrist",)), 'lock: "wrist" is the whole name of no joint that moves'),
    "all locked": (Part("hand", lock=(".*",)), "no moving joint lies between the base 'root' and 'hand'"),
    "at": (
        Part("hand", at={"elbow": (0.1,)}),
        "at: there is no joint 'elbow'; joints that move: waist, arm_0",
    ),
    "at fixed": (Part("hand", at={"wrist": (0.1,)}), "at: joint 'wrist' is fixed; joints that move: waist"),
    "at twice": (
        Part("hand", lock=("waist",), at={"waist": (0.1, 0.2)}),
        "at: joint 'waist' has 2 numbers, and a revolute joint stands at 1",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_part_that_is_none_is_refused_by_name(case):
    part, message = REFUSED[case]
    with pytest.raises(InputError, match=message):
        urdf.read(WALKER, part)


def test_a_plane_in_reverse_is_refused_with_the_option_that_helps():
    text = robot(link("base", 1), link("a", 1), joint("plane", "base", "a", "planar"))
    with pytest.raises(
        InputError, match=r"joint 'plane' is of type 'planar, in reverse'.*--lock 'plane' fixes"
    ):
        urdf.read(text, Part("base", "a"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"at": "a=1, b=2 3 -4e-1"}, {"a": (1.0,), "b": (2.0, 3.0, -0.4)}),
        ({"at": ("a=1", "x=y=2")}, {"a": (1.0,), "x=y": (2.0,)}),
        ({"at": {"a": 1, "b": [2, 3.5]}}, {"a": (1.0,), "b": (2.0, 3.5)}),
        ({"at": {"a": np.float64(1.5)}}, {"a": (1.5,)}),
        ({}, {}),
    ],
)
def test_places_may_be_texts_or_numbers(given, expected):
    assert dict(Part.of(**given).at) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"at": "a"}, 'at: "a" is not JOINT=VALUE; write a number of rad or m'),
        ({"at": "a="}, 'at: "a=" is not JOINT=VALUE'),
        ({"at": "a=x"}, 'at: "a=x" is not JOINT=VALUE'),
        ({"at": ("a=1", "a=2")}, 'at: joint "a" is given twice'),
        ({"at": {"a": "1"}}, "at: joint \"a\" stands at '1'; write a finite number"),
        ({"at": {"a": True}}, 'at: joint "a" stands at True'),
        ({"at": "a=nan"}, 'at: joint "a" stands at nan'),
        ({"lock": "("}, r'lock: "\(" is no regular expression'),
        ({"lock": "(a+)+$"}, r'lock: "\(a\+\)\+\$" repeats a group, .* a search may never end'),
        ({"lock": "a?" * 30 + "a" * 30}, r"more than 4 repeats or 8 groups: a search may never end"),
        ({"lock": "(a|a)" * 30}, r"more than 4 repeats or 8 groups: a search may never end"),
        ({"lock": [3]}, "lock: 3 is no text"),
    ],
)
def test_what_says_no_part(given, message):
    with pytest.raises(InputError, match=message):
        Part.of(**given)


def test_alternatives_are_searched_one_after_the_other():
    """The two arms and the head of a PR2, in one pattern: five repeats, but one at a time."""
    pattern = "l_.*|head_.*|laser_.*|.*parallel.*"
    assert Part.of(lock=pattern).lock == (pattern,)
    with pytest.raises(InputError, match="more than 4 repeats"):
        Part.of(lock="a|" + "b*" * 5)


def test_links_are_listed_from_the_base_with_what_moves_them():
    """By hand: on the foot the joints of the leg are above its upper links, and three move the trunk."""
    found = {link: (above and above.name, joints, end) for link, above, joints, end in urdf.links(WALKER)}
    assert found["root"] == (None, 0, False)
    assert found["hand"] == ("wrist", 5, True)
    found = {
        link: (above and above.name, joints, end)
        for link, above, joints, end in urdf.links(WALKER, Part("", "foot", lock=("arm_.",)))
    }
    assert len(found) == 12
    assert found["foot"] == (None, 0, False)
    assert found["leg1"] == ("leg_2", 1, False)
    assert found["trunk"] == ("leg_0", 3, False)
    assert found["root"] == ("waist", 4, True)
    assert found["hand"] == ("wrist", 3, True)


def test_a_place_of_what_is_left_out_is_said_to_change_nothing():
    chain = urdf.read(WALKER, Part.of("hand", "trunk", at={"neck": 0.1, "arm_0": 0.2}))
    assert chain.notes[-1] == "where neck stands changes nothing, as that is left out"
