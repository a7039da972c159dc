"""URDF import: frames, merging of fixed links, and everything that is refused by name."""

import numpy as np
import pinocchio as pin
import pytest

from senn.algorithms import problems
from senn.algorithms.problems import contacts as contact
from senn.algorithms.references import articulated
from senn.algorithms.robots import reader as robots
from senn.algorithms.robots import urdf
from senn.base.errors import InputError
from tests.algorithms.robots.oracle import Oracle, arm, relative
from tests.algorithms.robots.states import mild_state
from tests.oracles import dense

pytestmark = pytest.mark.rounding


def link(name, mass=None, xyz="0 0 0", inertia=(0.1, 0.1, 0.1), rpy="0 0 0"):
    if mass is None:
        return f'<link name="{name}"/>'
    ixx, iyy, izz = inertia
    return (
        f'<link name="{name}"><inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/>'
        f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )


def joint(name, parent, child, kind="revolute", inner='<axis xyz="0 0 1"/>'):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inner}</joint>'
    )


def robot(*parts):
    return f'<robot name="toy">{"".join(parts)}</robot>'


TWO = [link("base"), link("a", 1), link("b", 1), joint("j1", "base", "a"), joint("j2", "a", "b")]


def test_the_bundled_ur5_is_the_described_one():
    bundled, described = robots.load("ur5"), arm("ur5")[0]
    for field in ("base_rotation", "base_position", "rotation", "position", "centre", "mass", "inertia"):
        np.testing.assert_array_equal(getattr(bundled, field), getattr(described, field))


def test_fixed_links_are_merged_by_the_parallel_axis_theorem():
    """By hand: 1 kg at the joint and, behind a massless flange, 3 kg at x = 2 are together 4 kg at x = 1.5,
    with 2 x 0.1 + 1*1.5^2 + 3*0.5^2 = 3.2 kg m^2 across."""
    flange = joint("f1", "a", "flange", "fixed", '<origin xyz="1 0 0"/>')
    weight = joint("f2", "flange", "weight", "fixed", '<origin xyz="1 0 0"/>')
    text = robot(
        link("base"), link("a", 1), link("flange"), link("weight", 3), joint("j", "base", "a"), flange, weight
    )
    chain = urdf.read(text, "weight")
    assert chain.mass[0] == 4.0
    np.testing.assert_allclose(chain.centre[0], [1.5, 0, 0], atol=1e-15)
    np.testing.assert_allclose(chain.inertia[0], np.diag([0.2, 3.2, 3.2]), atol=1e-15)
    np.testing.assert_allclose(chain.position[0], [2, 0, 0], atol=1e-15)


def test_a_turned_fixed_link_turns_its_inertia():
    """A quarter turn about z exchanges the moments about x and y."""
    turned = joint("f", "a", "rotor", "fixed", '<origin rpy="0 0 1.5707963267948966"/>')
    text = robot(
        link("base"), link("a"), link("rotor", 2, inertia=(0.2, 0.3, 0.4)), joint("j", "base", "a"), turned
    )
    np.testing.assert_allclose(urdf.read(text, "a").inertia[0], np.diag([0.3, 0.2, 0.4]), atol=1e-15)


def test_fixed_joints_within_the_path_add_up():
    """The base's fixed offset goes to the first joint, the offset after it to the link."""
    text = robot(
        link("world"),
        link("base"),
        link("a", 1),
        link("tool"),
        joint("fix", "world", "base", "fixed", '<origin xyz="0 0 1"/>'),
        joint("j", "base", "a", "prismatic", '<origin xyz="0 0 2"/><axis xyz="0 0 5"/>'),
        joint("fixed_tool", "a", "tool", "fixed", '<origin xyz="0 3 0"/>'),
    )
    chain = urdf.read(text, "tool")
    assert chain.joints == ("prismatic",)
    np.testing.assert_array_equal(chain.base_position, [0, 0, 3])
    np.testing.assert_array_equal(chain.position[0], [0, 3, 0])


def test_defaults_are_urdfs():
    """No <axis> means x, no <origin> means none; a continuous joint is revolute."""
    chain = urdf.read(robot(link("base"), link("a", 1), joint("j", "base", "a", "continuous", "")), "a")
    assert chain.joints == ("revolute",)
    np.testing.assert_allclose(chain.base_rotation[:, 2], [1, 0, 0], atol=1e-16)
    np.testing.assert_array_equal(chain.base_position, [0, 0, 0])


PLACED = '<origin xyz="0.1 -0.2 0.3" rpy="0.3 -0.5 0.7"/>'
FLYING = robot(
    link("world"),
    link("base", 3, "0.1 0 0.2"),
    link("a", 2, "0 0.2 0.1"),
    link("slider", 1, "0.1 0.1 0"),
    link("tool", 0.5, "0.2 0 0"),
    joint("flight", "world", "base", "floating", PLACED),
    joint("turn", "base", "a", "continuous", PLACED + '<axis xyz="0 0.6 0.8"/>'),
    joint("plane", "a", "slider", "planar", PLACED + '<axis xyz="0 0 1"/>'),
    joint("bend", "slider", "tool", "continuous", PLACED),
)


def test_a_free_base_and_a_plane_are_pinocchios():
    """Pinocchio reads the same URDF by itself: FreeFlyer and Planar (whose axis it takes to be z)."""
    parsed = pin.buildModelFromXML(FLYING)
    chain = urdf.read(FLYING, "tool")
    assert chain.joints == ("free", "revolute", "planar", "revolute")
    model = Oracle(parsed, parsed.getFrameId("tool"), chain.joints)
    q, qd, tau = mild_state(chain, 2, problems.EARTH)
    assert relative(dense.mass_matrix(chain, q), model.mass_matrix(q)) < 5e-15
    assert relative(dense.jacobian(chain, q), model.jacobian(q)) < 5e-15
    qdd = articulated.solve(problems.Problem("arm", chain, problems.EARTH, q, qd, tau, contact.none())).qdd
    assert relative(qdd, model.forward_dynamics(q, qd, tau)) < 1e-11


def test_the_axis_of_a_planar_joint_is_the_normal_and_a_floating_one_has_none():
    plane = joint("j", "base", "a", "planar", '<axis xyz="0 3 4"/>')
    chain = urdf.read(robot(link("base"), link("a", 1), plane), "a")
    np.testing.assert_allclose(chain.base_rotation[:, 2], [0, 0.6, 0.8], atol=1e-15)
    for inner in ("", '<axis xyz="0 0 0"/>', '<axis xyz="0 1 0"/>'):
        chain = urdf.read(robot(link("base"), link("a", 1), joint("j", "base", "a", "floating", inner)), "a")
        np.testing.assert_array_equal(chain.base_rotation, np.eye(3))


REFUSED = {
    "too many beside a link": (
        [
            *TWO,
            *(
                x
                for k in range(65)
                for x in (link(f"c{k}", 1), joint(f"k{k}", f"c{k - 1}" if k else "a", f"c{k}"))
            ),
        ],
        r"65 joints \(k0, k1, .*, k11 and 53 more\) branch off the chain to the tip at link 'a', and a link "
        "takes at most 64; --lock some of them, as a pattern for their names, or choose another --tip or ",
    ),
    "massless branch": (
        [*TWO, link("c"), joint("j3", "a", "c")],
        r"link 'c' \(moved by joint 'j3'\): mass is 0 kg",
    ),
    "no such tip": (
        [link("base"), link("c", 1), joint("j", "base", "c")],
        r"there is no link 'b' to be the tip; links at the end of a chain from 'base': c \(1 joint\)$",
    ),
    "no joint": (
        [link("base"), link("b", 1), joint("j", "base", "b", "fixed")],
        "no moving joint lies between the base 'base' and 'b'; choose another tip or --base",
    ),
    "unknown type": (
        [link("base"), link("b", 1), joint("j", "base", "b", "ball")],
        "joint 'j' is of type 'ball', which is not supported yet; "
        "supported are revolute, continuous, prismatic, planar, floating and fixed; --lock 'j' fixes it",
    ),
    "planar with a zero axis": (
        [*TWO[:4], joint("j2", "a", "b", "planar", '<axis xyz="0 0 0"/>')],
        "joint 'j2' has an axis of zero length, and moves nothing; --lock 'j2' fixes it",
    ),
    "mimic": (
        [*TWO[:4], joint("j2", "a", "b", inner='<mimic joint="j1"/>')],
        "joint 'j2' mimics joint 'j1', and on the path to the tip that is not supported; "
        "--lock 'j2' fixes it where it stands",
    ),
    "zero axis": (
        [*TWO[:4], joint("j2", "a", "b", inner='<axis xyz="0 0 0"/>')],
        "joint 'j2' has an axis of zero length, and moves nothing; --lock 'j2' fixes it",
    ),
    "massless": (
        [link("base"), link("a"), *TWO[2:]],
        r"link 'a' \(moved by joint 'j1'\): mass is 0 kg, and the algorithm divides by it; "
        "--lock 'j1' makes it a part of 'base', or lock what it carries \\('j2'\\)",
    ),
    "no inertia": (
        [link("base"), link("a", 1, inertia=(0, 0, 0)), *TWO[2:]],
        r"link 'a' \(moved by joint 'j1'\): inertia is not positive definite \(principal moments 0, 0, 0",
    ),
    "negative mass": (
        [link("base"), link("a", -1), *TWO[2:]],
        "link 'a': mass is -1 kg; a mass is not negative",
    ),
    "NaN": (
        [link("base"), link("a", "nan"), *TWO[2:]],
        "<mass value> of <inertial> of link 'a' is 'nan', and numbers must be finite",
    ),
    "no number": (
        [link("base"), link("a", 1, "0 x 0"), *TWO[2:]],
        r"<origin xyz> of <inertial> of link 'a' is '0 x 0', expected 3 number",
    ),
    "no mass": ([link("base"), link("a", "x"), *TWO[2:]], r"is 'x', expected 1 number\(s\)"),
    "too few": ([link("base"), link("a", 1, "0 0"), *TWO[2:]], r"is '0 0', expected 3 number\(s\)"),
    "loop": (
        [*TWO, joint("j3", "base", "b")],
        "link 'b' is the child of two joints, 'j2' and 'j3'; loops are not supported",
    ),
    "cycle": (
        [link("a", 1), link("b", 1), joint("j1", "b", "a"), joint("j2", "a", "b")],
        "the joints above 'b' form a cycle",
    ),
    "unknown link": (
        [*TWO, joint("j3", "b", "nowhere")],
        "joint 'j3' names link 'nowhere', which does not exist",
    ),
    "two links": ([*TWO, link("a", 1)], "two links are named 'a'"),
    "two joints": ([*TWO, link("c"), joint("j1", "b", "c", "fixed")], "two joints are named 'j1'"),
    "no parent": (
        [*TWO, link("c"), '<joint name="k" type="fixed"><child link="c"/></joint>'],
        "joint 'k' has no <parent link=",
    ),
    "no name": ([*TWO, "<link/>"], 'a <link> has no name="..."'),
    "half an inertial": (
        [link("base"), '<link name="a"><inertial><mass value="1"/></inertial></link>', *TWO[2:]],
        "needs <mass value=",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name_with_the_way_out(case):
    parts, message = REFUSED[case]
    with pytest.raises(InputError, match=message):
        urdf.read(robot(*parts), "b")


def test_a_cycle_beside_the_base_and_a_branch_of_any_length_are_refused():
    ring = [link("c"), link("d"), joint("j3", "c", "d"), joint("j4", "d", "c")]
    with pytest.raises(InputError, match="no way leads from the base 'base' to the tip 'd'"):
        urdf.read(robot(*TWO, *ring), urdf.Part("d", "base"))
    deep = [x for k in range(1, 2000) for x in (link(f"{k}"), joint(f"k{k}", f"{k - 1 or 'a'}", f"{k}"))]
    with pytest.raises(InputError, match=r"1999 joints \(k1, k2, .* at link 'a'"):
        urdf.read(robot(*TWO, *deep), "b")


def test_what_moves_beside_the_path_becomes_branches():
    """By hand: a fork on a link fixed to a, one prong of two joints; a finger beyond the tip. The branch of
    two starts at x = 1 + 2 of a; O_2, where b hangs, is at y = 5 of a."""
    text = robot(
        *TWO[:4],
        joint("j2", "a", "b", inner='<origin xyz="0 5 0"/><axis xyz="0 0 1"/>'),
        link("flange", 1),
        joint("f", "a", "flange", "fixed", '<origin xyz="1 0 0"/>'),
        *(link(name, 1) for name in ("c", "d", "e", "finger")),
        joint("jc", "flange", "c", "continuous", '<origin xyz="2 0 0"/><axis xyz="0 0 1"/>'),
        joint("jd", "c", "d", "prismatic", '<origin xyz="0 0 3"/><axis xyz="0 0 1"/>'),
        joint("je", "a", "e", "planar"),
        joint("jf", "b", "finger", "prismatic", '<axis xyz="0 0 1"/><mimic joint="j1"/>'),
    )
    chain = urdf.read(text, "b")
    assert chain.joint_names == ("j1", "j2")
    assert chain.all_joint_names == ("j1", "j2", "je", "jc", "jd", "jf")
    assert chain.all_joints[2:] == ("planar", "revolute", "prismatic", "prismatic")
    assert [one.at for one in chain.branches] == [1, 1, 2]
    np.testing.assert_allclose(chain.branches[1].chain.base_position, [3, -5, 0])
    np.testing.assert_allclose(chain.branches[1].chain.position[0], [0, 0, 3])
    assert chain.mass[0] == 2.0
    (note,) = chain.notes
    assert note.startswith("joint 'jf' mimics another joint in the URDF; here it moves by itself")


def test_a_branch_that_branches():
    text = robot(
        *TWO,
        *(link(name, 1) for name in ("hand", "left", "right")),
        *(
            joint(f"j_{child}", parent, child)
            for parent, child in [("a", "hand"), ("hand", "left"), ("hand", "right")]
        ),
    )
    (branch,) = urdf.read(text, "b").branches
    assert branch.chain.joint_names == ("j_hand", "j_left")
    assert branch.chain.all_joint_names == ("j_hand", "j_left", "j_right")


def test_malformed_and_hostile_xml_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"not well-formed XML \(no element found"):
        urdf.read("<robot>", "b")
    with pytest.raises(InputError, match="outermost element is <sdf>, expected <robot>"):
        urdf.read("<sdf/>", "b")
    bomb = '<!DOCTYPE r [<!ENTITY e "x">]><robot name="&e;"/>'
    with pytest.raises(InputError, match="XML entities and external references are refused"):
        urdf.read(bomb, "b")
    with pytest.raises(InputError, match=r"gone\.urdf: no such file"):
        urdf.read(tmp_path / "gone.urdf", "b")


def test_a_long_list_of_candidates_is_cut():
    many = [part for k in range(15) for part in (link(f"c{k}"), joint(f"f{k}", "a", f"c{k}", "fixed"))]
    with pytest.raises(
        InputError, match=r"from 'base': b \(2 joints\), c0 \(1 joint\), .*, c10 \(1 joint\) and 4 more$"
    ):
        urdf.read(robot(*TWO, *many), "tip")
