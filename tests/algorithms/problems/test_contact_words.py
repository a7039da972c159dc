"""Contacts in words: their W by hand, and their motion by Pinocchio, which knows no W."""

import numpy as np
import pinocchio as pin
import pytest

from senn import choices
from senn.algorithms import problems
from senn.algorithms.problems import contact_forms as files
from senn.algorithms.problems import contact_forms as words
from senn.algorithms.problems import contacts as kinds
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import articulated
from senn.base.errors import InputError
from tests.algorithms.robots.oracle import oracle, relative

X, Y, Z = np.eye(3)
PLACE = [0.1, -0.2, 0.3]
TILTED = [0.6, 0.0, 0.8]


def touching(contact, **state) -> Problem:
    return problems.load("random:8:seed=1", contact=contact, **state)


@pytest.mark.parametrize(
    ("contact", "columns"),
    [
        # r x e above e, with r = (1, 2, 3): r x X = (0, 3, -2), r x Y = (-3, 0, 1), r x Z = (2, -1, 0).
        ("plane", [[0, 0, 0, 0, 0, 1]]),
        ({"kind": "plane", "normal": [0, -5, 0]}, [[0, 0, 0, 0, -1, 0]]),
        ({"kind": "plane", "normal": X, "position": [1, 2, 3]}, [[0, 3, -2, 1, 0, 0]]),
        ("point", [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]),
        (
            {"kind": "point", "position": [1, 2, 3]},
            [[0, 3, -2, 1, 0, 0], [-3, 0, 1, 0, 1, 0], [2, -1, 0, 0, 0, 1]],
        ),
        ("line", [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]]),
        (
            {"kind": "line", "direction": 2 * X, "position": [1, 2, 3]},
            [[-3, 0, 1, 0, 1, 0], [2, -1, 0, 0, 0, 1]],
        ),
        ("face", [[0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]),
        (
            {"kind": "face", "normal": Y, "position": [1, 2, 3]},
            [[-3, 0, 1, 0, 1, 0], [1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]],
        ),
        ("weld", np.eye(6)),
        ("free", np.zeros((0, 6))),
    ],
)
def test_the_directions_that_are_held(contact, columns):
    """Orthonormal columns span what those by hand span, and with as many."""
    found, by_hand = touching(contact).contact.W, np.array(columns, dtype=float).T
    assert found.shape == by_hand.shape
    projection = by_hand @ np.linalg.pinv(by_hand)
    np.testing.assert_allclose(found @ found.T, projection, atol=1e-14)


def rows_of_pinocchio(what: Problem, contact: dict) -> tuple[np.ndarray, np.ndarray]:
    """What the contact holds, by Pinocchio's Jacobian and classical acceleration of a frame put at P, in axes
    of the world: rows of qdd, and what they are at qdd = 0."""
    model = oracle(what.chain).model.copy()
    tip = model.frames[model.getFrameId("tip")]
    placement = tip.placement * pin.SE3(np.eye(3), np.array(contact.get("position", np.zeros(3))))
    place = model.addFrame(pin.Frame("P", tip.parentJoint, placement, pin.FrameType.OP_FRAME))
    data, axes = model.createData(), pin.LOCAL_WORLD_ALIGNED
    J = pin.computeFrameJacobian(model, data, what.q, place, axes)
    pin.forwardKinematics(model, data, what.q, what.qd, np.zeros(model.nv))
    drift = pin.getFrameClassicalAcceleration(model, data, place, axes).vector
    e = np.array(contact.get("normal", contact.get("direction", Z)))
    if contact.get("axes") != "world":
        e = data.oMf[place].rotation @ e
    across = np.linalg.svd(e[None])[2][1:]
    none = np.zeros(3)
    rows = {
        "point": [[*one, *none] for one in np.eye(3)],
        "line": [[*one, *none] for one in across],
        "plane": [[*e, *none]],
        "face": [[*e, *none], *([*none, *one] for one in across)],
    }[contact["kind"]]
    return np.array(rows) @ J, np.array(rows) @ drift


@pytest.mark.parametrize("position", [{}, {"position": PLACE}])
@pytest.mark.parametrize(
    "contact",
    [
        {"kind": "point"},
        {"kind": "line", "direction": TILTED},
        {"kind": "line", "direction": TILTED, "axes": "world"},
        {"kind": "plane", "normal": TILTED},
        {"kind": "plane", "normal": TILTED, "axes": "world"},
        {"kind": "face", "normal": TILTED},
        {"kind": "face", "normal": TILTED, "axes": "world"},
    ],
    ids=str,
)
def test_the_motion_is_pinocchios_in_the_same_contact(contact, position):
    """Ten times the drawn speed, so that what is left out of G_C would show."""
    contact = contact | position
    slow = touching(contact)
    what = slow.at(qd=10 * slow.qd)
    model = oracle(what.chain)
    rows, drift = rows_of_pinocchio(what, contact)
    M, bias = model.mass_matrix(what.q), model.bias(what.q, what.qd)
    held = len(rows)
    whole = np.block([[M, rows.T], [rows, np.zeros((held, held))]])
    right = np.linalg.solve(whole, np.concatenate([what.tau - bias, -drift]))
    found = articulated.solve(what)
    assert relative(found.qdd, right[:8]) < 1e-10
    assert relative(model.jacobian(what.q).T @ found.force, rows.T @ right[8:]) < 1e-10


def test_a_word_says_what_is_held_and_that_friction_is_ignored(tmp_path):
    path = tmp_path / "pressing.toml"
    text = (
        'robot = "random:8:seed=1"\n[contact]\nkind = "plane"\nnormal = [0, 0, 2]\naxes = "world"\nmu = 0.3\n'
    )
    path.write_text(text)
    found = problems.load(path)
    assert found.notes[1:] == (
        "the contact is a plane: O_{n+1} slides without friction on a plane fixed in the world, its normal "
        "0 0 1 in base axes",
        "mu = 0.3 was ignored: contacts in words are without friction (kind II has it)",
    )
    assert found.contact.described()["word"] == "plane"
    path.write_text('robot = "random:8:seed=1"\ncontact = "point"\n')
    assert problems.load(path).contact.word == "point"
    assert problems.load(path, contact="line").contact.word == "line"
    assert "position" not in touching("face").notes[1]
    assert "the point 0.1 -0.2 0.3 m from" in touching({"kind": "face", "position": PLACE}).notes[1]


def test_the_choices_are_the_words():
    row = choices.choices(choices.ProblemChoices)["contact"]
    assert set(row.values) == {*words.TOUCHES, "weld", "free"} == set(words.WORDS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "welded",
            '^contact is "welded"; write one of weld, plane, point, line, face, free; did you mean weld',
        ),
        ({"kind": "floor"}, '^contact.kind is "floor"; supported are "I", .*, "plane", .* and "free"$'),
        (
            {"kind": "plane", "direction": [1, 0, 0]},
            '^contact.direction: kind = "plane" has no direction; leave',
        ),
        ({"kind": "plane", "normal": [0, 0, 0]}, "^contact.normal is 0 0 0 and has no direction; "),
        ({"kind": "line", "direction": [1, 0]}, r"^contact.direction has 2 numbers, expected 3 \(x y z\)$"),
        ({"kind": "plane", "normal": [0, 0, np.nan]}, "^contact.normal: number 3 is nan; it must be finite$"),
        ({"kind": "point", "position": [1e12, 0, 0]}, "^contact.position is 1e[+]12 m away; "),
        ({"kind": "plane", "axes": "base"}, '^contact.axes is "base"; write "end_effector" or "world"$'),
        ({"kind": "plane", "mu": -1}, "^contact.mu is -1.0; a coefficient of friction is a number from 0$"),
        ({"kind": "I", "W": np.eye(6)[:, :1], "mu": 0.5}, '^contact.mu: kind = "I" has no mu; leave it out'),
        ({"normal": [0, 0, 1]}, "^contact.kind is missing; "),
        ({"kind": "plane", "normal": "z"}, "^contact.normal is a text; write a list$"),
        (7, r"^contact is 7; write one of weld, plane, point, line, face, free, or a table$"),
    ],
)
def test_wrong_words_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        files.taken(given)


def test_a_word_that_holds_too_much_is_told_others():
    what = problems.load("random:3:seed=1", contact="weld")
    with pytest.raises(
        InputError,
        match=r"move in a direction that is held, .*take a contact that holds fewer directions \(point,",
    ):
        articulated.solve(what)


def test_a_normal_of_any_length_is_a_direction():
    for length in (1e-300, 1e300):
        found = touching({"kind": "plane", "normal": [0, 0, length]}).contact
        np.testing.assert_array_equal(found.W[:, 0], kinds.type_i(np.eye(6)[:, 5:]).W[:, 0])
