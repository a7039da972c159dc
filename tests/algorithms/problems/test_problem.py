"""Problems: what the files say, what is settled for the user, and the errors that name the key."""

import re
from pathlib import Path

import numpy as np
import pytest

from experiments.page import written as documentation
from senn.algorithms import problems
from senn.algorithms.problems import contacts as contact
from senn.algorithms.problems import contacts as contact_kinds
from senn.algorithms.references import articulated
from senn.algorithms.robots import reader as robots
from senn.algorithms.robots.urdf import Part
from senn.base.errors import InputError
from tests.algorithms.problems.lines import with_lines
from tests.algorithms.robots.oracle import arm, arm_text, oracle
from tests.algorithms.robots.states import mild_state
from tests.oracles import dense

CONTACT_KEYS = (
    "W, H, G_C, K_F, phi, d, M1, k1, M2, k2, fixed_in, acceleration, normal, direction, position, axes, mu"
)
TEXT = """
robot = "random:3:seed=5"
gravity = [0, 0, -9.81]
q = [0.1, 0.2, 0.3]
qd = [0.4, 0.5, 0.6]
tau = [1.0, 2.0, 3.0]
[contact]
kind = "I"
W = [[1.0], [0], [0], [0], [0], [0]]
"""


def written(folder, text, name="mine.toml"):
    path = folder / name
    path.write_text(text)
    return path


def test_a_file_says_the_whole_problem(tmp_path):
    text = (
        TEXT + "G_C = [0.7]\n" + "H = [[0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], "
    )
    text += "[0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]\nK_F = [1, 2, 3, 4, 5]\n"
    found = problems.load(written(tmp_path, text))
    assert (found.name, found.chain.name, found.notes, found.source) == ("mine", "random:3:seed=5", (), text)
    np.testing.assert_array_equal(found.gravity, [0, 0, -9.81])
    np.testing.assert_array_equal(
        [found.q, found.qd, found.tau], [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [1, 2, 3]]
    )
    np.testing.assert_array_equal(found.contact.W, np.eye(6)[:, :1])
    np.testing.assert_array_equal(found.contact.H, np.eye(6)[:, 1:])
    np.testing.assert_array_equal(found.contact.G_C, [0.7])
    np.testing.assert_array_equal(found.contact.K_F, [1, 2, 3, 4, 5])


def test_g_c_left_out_is_omega_cross_v_of_pinocchios_tip_velocity_and_is_said(tmp_path):
    found = problems.load(
        written(
            tmp_path, TEXT.replace("[[1.0], [0], [0], [0], [0], [0]]", "[[0], [0], [0], [0], [1.0], [0]]")
        )
    )
    velocity = oracle(found.chain).velocity(found.q, found.qd)
    expected = np.cross(velocity[:3], velocity[3:])[1]
    assert abs(expected) > 0.01
    np.testing.assert_allclose(found.contact.G_C, [expected], atol=1e-15)
    assert found.notes == (
        "G_C was left out: taken as W'[0; omega x v] of the present state (the constraint stays satisfied)",
    )


def test_h_left_out_is_a_complement():
    W = np.linalg.qr(np.random.default_rng(0).standard_normal((6, 4)))[0]
    found = contact.type_i(W)
    np.testing.assert_allclose(np.hstack([W, found.H]).T @ np.hstack([W, found.H]), np.eye(6), atol=1e-15)


def test_six_constrained_directions_need_no_h_and_take_empty_rows(tmp_path):
    rows = "[" + ", ".join(str([int(i == j) for j in range(6)]) for i in range(6)) + "]"
    text = TEXT.replace("random:3:seed=5", "random:7").replace("[[1.0], [0], [0], [0], [0], [0]]", rows)
    for key, count in (("q", 7), ("qd", 7), ("tau", 7)):
        text = re.sub(rf"^{key} = .*$", f"{key} = {[0.1] * count}", text, flags=re.M)
    for extra in ("", "H = [[], [], [], [], [], []]\n", "H = []\nK_F = []\n"):
        found = problems.load(written(tmp_path, text + extra))
        assert (found.contact.constrained, found.contact.H.shape) == (6, (6, 0))


def test_kind_none_is_the_open_chain(tmp_path):
    found = problems.load(written(tmp_path, TEXT.split("[contact]")[0] + '[contact]\nkind = "none"\n'))
    assert (found.contact.kind, found.contact.constrained, found.notes) == ("none", 0, ())
    np.testing.assert_array_equal(found.contact.H @ found.contact.K_F, np.zeros(6))


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("q = [0.1, 0.2]", r"q has 2 numbers, expected 3 \(one per moving joint of random:3:seed=5\)"),
        ("gravity = [0, -9.81]", r"gravity has 2 numbers, expected 3 \(x, y, z in the base"),
        ("tau = [1.0, inf, 3.0]", r"tau: number 2 \(joint_2\) is inf; it must be finite"),
        ('q = [0.1, "x", 0.3]', ": q, number 2 is a text; write a number$"),
        ("q = [0.1, [], 0.3]", ": q, number 2 is a list; write a number$"),
        ("q = 0.1", ": q is a number; write a table or a list$"),
        (f"q = [0.1, 1{'0' * 400}, 0.3]", ": q, number 2 has more than 64 bits; write it as 1"),
        (f"q = [0.1, 1{'0' * 5000}, 0.3]", ": is not TOML: Exceeds the limit"),
        ("robot = 3", ": robot is a number; write a text in quotes or a table$"),
        ("[contact] =\n[[contact]]", ": contact is a list; write a text in quotes or a table$"),
        ('W = [[1.0], [0], [0], [0], [0], ["x"]]', ": contact.W, row 6, number 1 is a text; write a number$"),
        ("W = [[1.0], [0], [0], [0], [0], 0]", ": contact.W, row 6 is a number; write a list$"),
        (
            "robot =",
            ": robot is missing; the keys are robot, and optionally gravity, q, qd, tau, contact, tip, ",
        ),
        (
            "tau =\ntorque = [1.0, 2.0, 3.0]",
            ": torque is not known; the keys are robot, and optionally gravity, q, qd, tau, contact, tip, ",
        ),
        (
            "W =\nw = [[1.0], [0], [0], [0], [0], [0]]",
            f": contact.w is not known; the keys are kind, and optionally {CONTACT_KEYS}$",
        ),
        ("kind =", f": contact.kind is missing; the keys are kind, and optionally {CONTACT_KEYS}$"),
        (
            'kind = "III"',
            'contact.kind is "III"; supported are "I", "II", "general", "none", "plane", "line", "point", '
            '"face", "weld" and "free"$',
        ),
        ('kind = "none"', 'contact.W: kind = "none" has no W; leave it out, or write kind = "I"'),
        ('kind = "II"', r"contact.phi is missing: n_f rows of n_c numbers, K_F = phi K_C \+ d$"),
        (
            'kind = "II"\nK_F = [1.0]',
            'contact.K_F: kind = "II" has no K_F; leave it out, or write kind = "I"$',
        ),
        ("phi = [[1.0]]", 'contact.phi: kind = "I" has no phi; leave it out, or write kind = "II"$'),
        ('kind = "general"', 'contact.W: kind = "general" has no W; leave it out, or write kind = "I"$'),
        (
            'W =\nkind = "general"\nM1 = []\nM2 = []\nk2 = []',
            r"contact.k1 is missing: 6 numbers, Vdot = M1 Omega \+ k1$",
        ),
        ("M2 = []", 'contact.M2: kind = "I" has no M2; leave it out, or write kind = "general"$'),
        (
            'W =\nkind = "none"\nfixed_in = "world"',
            'contact.fixed_in: kind = "none" has no fixed_in; leave it out, or write kind = "I"$',
        ),
        ('fixed_in = "base"', 'contact.fixed_in is "base"; write "end_effector" or "world"$'),
        ('acceleration = "proper"', 'contact.acceleration is "proper"; write "classical" or "spatial"$'),
        ("W =", r"contact.W is missing: 6 rows \(omega x y z, v x y z\)"),
        ("W = [[1.0], [0], [0], [0], [0]]", "contact.W has 5 rows, expected 6: omega x y z, v x y z"),
        (
            "W = [[1.0], [0], [0], [0], [0], [0, 1]]",
            "contact.W: row 6 has 2 numbers, row 1 has 1; all rows need as many",
        ),
        (
            "W = [[0.0], [0], [0], [0], [0], [0]]",
            "contact.W: column 1 is zero; constrain each direction once$",
        ),
        ("W = [[nan], [0], [0], [0], [0], [0]]", "contact.W holds a number that is not finite"),
        ("G_C = [1, 2]", r"contact.G_C has 2 numbers, expected 1 \(n_c, the columns of W\)"),
        ("K_F = [1, 2]", r"contact.K_F has 2 numbers, expected 5 \(n_f = 6 - n_c\)"),
        ("K_F = [1, 0, 0, 0, 0]", "contact.K_F is not zero but contact.H is missing"),
        ("H = [[0], [1], [0], [0], [0], [0]]", r"contact.H has 1 columns, expected 5: H and W \(1\)"),
        ('robot = "random:3:sead=5"', '"random" has no option "sead"; it has: prismatic, seed'),
        ('robot = "nowhere.urdf"', r'robot = "nowhere.urdf": .*/nowhere\.urdf: no such file$'),
        ('robot = "nowhere.toml"', r'robot = "nowhere.toml": .*/nowhere\.toml: no such file$'),
        (
            'robot = "nowhere"',
            "robot: 'nowhere' is neither a .urdf or .toml file beside this file, nor a bundled robot",
        ),
        ('robot = "random:3:seed=5"\ntip = "x"', 'tip: robot = "random:3:seed=5" is no URDF; leave tip out'),
        ("[contact] =\n[contact", "is not TOML: Expected ']'"),
    ],
)
def test_errors_name_the_file_and_the_key(tmp_path, new, message):
    path = written(tmp_path, with_lines(TEXT, new))
    with pytest.raises(InputError, match=message) as caught:
        problems.load(path)
    assert str(path) in str(caught.value)


KINDS = """
robot = "joints:RSPXF:seed=5"
gravity = [0, 0, -9.81]
q = [0.1, 0.5, 0.5, 0.5, 0.5, 0.2, 0.6, 0, 0, -0.8, 1, 2, 3]
qd = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
tau = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
[contact]
kind = "none"
"""


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (
            "q = [0.1, 0.5, 0.5, 0.5, 0.5, 0.2, 0.6, 0, 0, -0.8, 1, 2]",
            r"q has 12 numbers, expected 13 \(one per joint of joints:RSPXF:seed=5, but 4 for 'joint_2' "
            r"\(spherical\), 0 for 'joint_4' \(welded\), 7 for 'joint_5' \(free\)\)$",
        ),
        (
            "qd = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
            r"qd has 12 numbers, expected 11 .* but 3 for 'joint_2' \(spherical\), 0 for 'joint_4'",
        ),
        (
            "q = [0.1, 0.5, 0.5, 0.5, 0.5, 0.2, 0.6, 0, 0.1, -0.8, 1, 2, 3]",
            r"q: numbers 7 to 10, the quaternion w x y z of joint 'joint_5' \(free\), have length 1.00499, "
            r"expected 1; divide them by it \(1 0 0 0 is no turning\)$",
        ),
        (
            "q = [0.1, 0, 0, 0, 0, 0.2, 0.6, 0, 0, -0.8, 1, 2, 3]",
            r"q: numbers 2 to 5, the quaternion w x y z of joint 'joint_2' \(spherical\), have length 0, ",
        ),
        (
            'robot = "joints:SSSSSSSS:seed=5"',
            r"q has 13 numbers, expected 32 .* 4 for 'joint_6' \(spherical\), and other numbers for 2 mor",
        ),
    ],
)
def test_errors_name_the_joint_of_several_numbers(tmp_path, new, message):
    with pytest.raises(InputError, match=message):
        problems.load(written(tmp_path, with_lines(KINDS, new)))


def test_a_quaternion_that_is_nearly_of_unit_length_is_made_so(tmp_path):
    """Within 1e-6; the other numbers are taken as they are."""
    found = problems.load(written(tmp_path, KINDS.replace("0.6, 0, 0, -0.8", "0.6000005, 0, 0, -0.8000005")))
    assert np.linalg.norm(found.q[6:10]) == pytest.approx(1.0, abs=1e-15)
    assert found.q[6] / found.q[9] == pytest.approx(-0.6000005 / 0.8000005, rel=1e-15)
    np.testing.assert_array_equal(found.q[[0, 5, 10, 11, 12]], [0.1, 0.2, 1, 2, 3])


def test_columns_of_w_and_h_must_be_independent():
    """Also where they differ by little: two columns an angle of 1e-9 apart are one direction."""
    W = np.eye(6)[:, :2]
    with pytest.raises(
        InputError,
        match=r"contact: W and H together: the columns are not independent \(of unit length, their smallest "
        r"singular value is \S+, at least 1e-08 is needed\); leave H out to get a complement",
    ):
        contact.type_i(W, np.eye(6)[:, 1:5])
    same = W.copy()
    same[:, 1] = [2.0, 2e-9, 0, 0, 0, 0]
    with pytest.raises(InputError, match=r"contact.W: the columns are not independent .* is 7e-10, .*once$"):
        contact.type_i(same)
    with pytest.raises(InputError, match=r"contact\.W has 7 columns, at most 6 are possible"):
        contact.type_i(np.zeros((6, 7)))


def test_bundled_problems_have_a_line_each_and_are_mild():
    """Every bundled state satisfies its constraint, and the accelerations are moderate."""
    assert problems.bundled() == ("ssrms", "ssrms_payload", "station25", "ur5", "ur5_free", "ur5_friction")
    for name in problems.bundled():
        found = problems.load(name)
        assert found.name == name
        assert len(problems.description(name)) > 20
        velocity = oracle(found.chain).velocity(found.q, found.qd)
        assert np.abs(found.contact.W.T @ velocity).max(initial=0.0) < 1e-5
        assert np.abs(dense.solve(found).qdd).max() < 1.0
    assert {problems.load(name).contact.constrained for name in problems.bundled()} == {0, 3, 5, 6}
    assert {problems.load(name).contact.kind for name in problems.bundled()} == set(contact_kinds.KINDS)


def test_robots_generators_and_urdfs_get_a_drawn_state(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(arm_text("xarm7"))
    from_urdf = problems.load(path, Part("link_eef"), 2)
    np.testing.assert_array_equal(from_urdf.q, mild_state(arm("xarm7")[0], 2, problems.EARTH)[0])
    assert from_urdf.notes[0] == "state, torque and contact were drawn from seed 2"
    assert (from_urdf.name, from_urdf.source) == ("arm-link_eef", "arm-link_eef, seed 2")
    words = problems.load("random:8:seed=3")
    np.testing.assert_array_equal(words.q, mild_state(words.chain, 3, problems.EARTH)[0])
    other = problems.load("random:8:seed=3", seed=4)
    np.testing.assert_array_equal(other.chain.mass, words.chain.mass)
    np.testing.assert_array_equal(other.q, mild_state(words.chain, 4, problems.EARTH)[0])


def test_a_name_shared_by_a_problem_and_a_robot_means_the_robot_when_a_seed_is_given():
    assert problems.load("ssrms").source.startswith("# SSRMS berthing")
    drawn = problems.load("ssrms", seed=3)
    assert drawn.source == "ssrms, seed 3"
    np.testing.assert_array_equal(drawn.q, mild_state(robots.load("ssrms"), 3, problems.EARTH)[0])


def test_a_robot_file_alone_gets_a_drawn_state_and_may_stand_beside_a_problem(tmp_path):
    source = (Path(robots.__file__).parent / "ssrms.toml").read_text()
    alone = written(tmp_path, source, "arm.toml")
    assert problems.load(alone).chain.n == 7
    beside = written(tmp_path, TEXT.replace("random:3:seed=5", "arm.toml"))
    with pytest.raises(InputError, match=r"q has 3 numbers, expected 7 \(one per moving joint of ssrms\)"):
        problems.load(beside)


def test_a_problem_may_name_a_urdf_beside_it(tmp_path):
    written(tmp_path, arm_text("finger_edu"), "finger.urdf")
    path = written(tmp_path, TEXT.replace('random:3:seed=5"', 'finger.urdf"\ntip = "finger_tip_link"'))
    assert problems.load(path).chain.joint_names == arm("finger_edu")[0].joint_names
    path = written(tmp_path, TEXT.replace("random:3:seed=5", "finger.urdf"))
    assert problems.load(path).notes[0] == (
        "the tip is link 'finger_tip_link', the only one at the end of a chain"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"spec": "hal9000"},
            r'unknown problem "hal9000": give a bundled problem \(ssrms, ssrms_payload, station25, ur5, '
            r"ur5_free, ur5_friction\), a bundled",
        ),
        ({"spec": "gone.toml"}, "gone.toml: no such file"),
        ({"spec": "gone.urdf", "part": Part("x")}, "gone.urdf: no such file"),
        (
            {"spec": "ssrms", "part": Part("x")},
            "'ssrms': a tip is chosen for a URDF file only; leave the tip out",
        ),
        (
            {"spec": "mine.toml", "part": Part(base="x")},
            "'mine.toml': a base is chosen for a URDF file only; if the file names one, write base = "
            '"..." there; if not, leave the base out$',
        ),
        (
            {"spec": "ur5_free", "seed": 3},
            r"ur5_free\.toml: a seed was given, but nothing is left to draw; leave the seed out$",
        ),
    ],
)
def test_what_cannot_be_loaded(arguments, message):
    with pytest.raises(InputError, match=message):
        problems.load(**arguments)


def test_a_folder_is_called_a_folder(tmp_path):
    for name in ("d.toml", "d.URDF"):
        (tmp_path / name).mkdir()
        with pytest.raises(
            InputError, match=re.escape(f"{name}: is a folder, not a file; name a file in it")
        ):
            problems.load(tmp_path / name)
    path = written(tmp_path, TEXT.replace("random:3:seed=5", "d.toml"))
    with pytest.raises(
        InputError, match=r'mine\.toml: robot = "d\.toml": .*d\.toml: is a folder, not a file'
    ):
        problems.load(path)


def test_endings_may_be_in_capitals(tmp_path):
    """As problem, as robot file, as URDF, and as the robot that a problem names."""
    written(tmp_path, arm_text("finger_edu"), "F.URDF")
    assert problems.load(tmp_path / "F.URDF", Part("finger_tip_link")).name == "F-finger_tip_link"
    robot = written(tmp_path, (Path(robots.__file__).parent / "ssrms.toml").read_text(), "ARM.TOML")
    assert problems.load(robot).chain.name == "ssrms"
    named = TEXT.replace('random:3:seed=5"', 'F.URDF"\ntip = "finger_tip_link"')
    assert problems.load(written(tmp_path, named, "P.TOML")).chain.n == 3


def test_a_singular_contact_that_was_drawn_asks_for_another_seed():
    """Who wrote neither q nor W cannot change them; who wrote them is told to."""
    drawn = problems.load("random:8:prismatic=0.5:seed=3")
    assert drawn.drawn
    with pytest.raises(
        InputError, match=r"state and contact were drawn: take another seed, or write a problem"
    ):
        articulated.solve(drawn)
    state = (drawn.gravity, drawn.q, drawn.qd, drawn.tau, drawn.contact)
    with pytest.raises(InputError, match=r"constrain fewer directions \(W\), or leave the singular"):
        articulated.solve(problems.Problem("arm", drawn.chain, *state))


def test_the_files_in_the_documentation_load(tmp_path):
    """files.md shows a problem file, another contact for it, and a robot file; contact.md one in words."""
    word, first, other, last = (
        text
        for page in ("contact", "files")
        for text in re.findall(r"```toml\n(.*?)```", documentation(page), flags=re.S)
    )
    written(tmp_path, arm_text("ur5"), "ur5.urdf")
    shown = problems.load(written(tmp_path, first))
    assert (shown.chain.n, shown.contact.constrained, shown.notes) == (6, 1, ())
    assert robots.read(written(tmp_path, last)).joint_names == ("shoulder",)
    head = first.split("[contact]")[0]
    plane = problems.load(written(tmp_path, head + word))
    assert (plane.contact.word, plane.contact_input.axes) == ("plane", "world")
    moving = problems.load(written(tmp_path, head + other))
    assert moving.contact.kind == "II"
    pulled = dense.solve(moving).force
    assert pulled[3] == pytest.approx(0.3 * pulled[5])


def test_a_file_of_a_robot_alone_is_the_robot_on_the_command_line(tmp_path):
    """Gravity is the Earth's, and the rest is drawn from the seed of the file, or from the one given."""
    for robot, seed in (("random:9:seed=4", None), ("ssrms", 3)):
        said = "" if seed is None else f"\nseed = {seed}"
        found = problems.load(written(tmp_path, f'robot = "{robot}"{said}\n'))
        right = problems.draw(found.chain, seed or 0)
        for name in ("gravity", "q", "qd", "tau", "qdd", "tip_vector"):
            np.testing.assert_array_equal(getattr(found, name), getattr(right, name))
        np.testing.assert_array_equal(found.contact.W, right.contact.W)
        assert (found.notes, found.gravity.tolist()) == (right.notes, [0, 0, -9.81])
    other = problems.load(written(tmp_path, 'robot = "ssrms"\nseed = 3\n'), seed=5)
    assert other.notes[0] == "state, torque and contact were drawn from seed 5"
    np.testing.assert_array_equal(other.q, problems.load("ssrms", seed=5).q)


def test_what_a_file_says_stands_and_the_rest_is_drawn(tmp_path):
    """A torque that is left out gives the motion that was drawn, or asked for, by Pinocchio's rnea."""
    text = 'robot = "random:8:seed=2"\nq = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]\n'
    found = problems.load(written(tmp_path, text + "qd = { joint_3 = 2 }\n"))
    drawn = problems.load("random:8:seed=2", seed=0)
    np.testing.assert_array_equal(found.q, np.arange(8) / 10)
    np.testing.assert_array_equal(found.qd, [*drawn.qd[:2], 2, *drawn.qd[3:]])
    np.testing.assert_array_equal(found.qdd, drawn.qdd)
    torque = oracle(found.chain).inverse_dynamics(found.q, found.qd, found.qdd)
    np.testing.assert_allclose(found.tau, torque, atol=1e-12)
    assert found.notes[0] == "the rest of qd, torque and contact were drawn from seed 0"
    still = problems.load(written(tmp_path, text + f"qd = {[0] * 8}\nqdd = {[1] * 8}\n[tau]\njoint_8 = 5\n"))
    torque = oracle(still.chain).inverse_dynamics(still.q, np.zeros(8), np.ones(8))
    np.testing.assert_allclose(still.tau, [*torque[:7], 5], atol=1e-12)
    assert still.notes[0] == "the rest of torque and contact were drawn from seed 0"
    given = problems.load(written(tmp_path, text + f"tau = {[1] * 8}\n"))
    assert not given.qdd.any()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q = { joint_9 = 1 }", "q: there is no joint 'joint_9' in random:3; did you mean 'joint_3'"),
        (
            "qd = { knee = 1 }",
            "qd: there is no joint 'knee' in random:3; its joints are joint_1, joint_2, joint_3$",
        ),
        ('q = { joint_1 = "up" }', "q is a text; write a number or a list$"),
        ("q = { joint_1 = [1, 2] }", r"q of joint 'joint_1' has 2 numbers, expected 1 \(revolute\)$"),
        ("seed = -1", "seed is -1; it is a whole number, 0 or more$"),
        ('seed = "x"', "seed is a text; write a number$"),
    ],
)
def test_what_a_file_leaves_out_wrongly(tmp_path, text, message):
    path = written(tmp_path, f'robot = "random:3"\n{text}\n')
    with pytest.raises(InputError, match=message):
        problems.load(path)
