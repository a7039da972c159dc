"""How a summary prints numbers of joints, which may have none or several each."""

from senn.algorithms.account import by_joint, joint_names, sliding


def test_joints_of_one_number_each_stand_in_rows_of_five():
    lines = list(by_joint([float(k) for k in range(1, 13)], ["revolute"] * 12))
    assert [label for label, _ in lines] == ["  joint 1..5", "  joint 6..10", "  ..."]
    assert lines[0][1].split() == ["1", "2", "3", "4", "5"]
    assert lines[2][1] == "2 more in result.npz"
    assert list(by_joint([0.5], ["helical"])) == [("  joint 1", "      0.5")]


def test_joints_of_several_numbers_have_a_line_each():
    """Twelve joints with 3 + 0 + 10 numbers: ten lines, and what is left is said."""
    numbers = [float(k) for k in range(1, 14)]
    lines = list(by_joint(numbers, ["spherical", "welded", *["revolute"] * 10]))
    assert [(label, text.split()) for label, text in lines[:3]] == [
        ("  joint 1, spherical", ["1", "2", "3"]),
        ("  joint 2, welded", ["does", "not", "move"]),
        ("  joint 3, revolute", ["4"]),
    ]
    assert len(lines) == 11
    assert lines[-1] == ("  ...", "2 more in result.npz")
    assert len(list(by_joint(numbers[:4], ["spherical", "revolute"]))) == 2


def test_the_unit_of_what_slides_is_said():
    assert sliding(["revolute", "spherical", "universal", "welded"], "N") == ""
    assert sliding(["revolute", "prismatic"], "N") == " (prismatic: N)"
    assert sliding(["prismatic", "free"], "m/s^2") == ", m/s^2 where they slide"


def test_joints_with_names_have_a_line_each():
    """Names are escaped and cut; a name that only counts is left out."""
    named = joint_names({"joint_names": ["hip", "joint_2", "knee\n", "x" * 40]})
    assert named == ["hip", "", "knee\\n", "x" * 31 + "\N{HORIZONTAL ELLIPSIS}"]
    lines = list(by_joint([1.0, 2.0, 3.0, 4.0], ["revolute"] * 4, named))
    assert [label for label, _ in lines[:3]] == ["  joint 1, hip", "  joint 2", "  joint 3, knee\\n"]
    assert [text.split() for _, text in lines] == [["1"], ["2"], ["3"], ["4"]]
    wide = list(by_joint([1.0, 2.0, 3.0, 4.0], ["spherical", "revolute"], ["ball", "hinge"]))
    assert [label for label, _ in wide] == ["  joint 1, ball, spherical", "  joint 2, hinge, revolute"]
    counted = ["joint_1", "joint_2"]
    assert [
        label for label, _ in by_joint([1.0, 2.0], ["revolute"] * 2, joint_names({"joint_names": counted}))
    ] == ["  joint 1..2"]
