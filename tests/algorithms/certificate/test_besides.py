"""Plain sums beside the serial solvers: faults that all of them share, and what the certificate says then."""

from dataclasses import replace

import numpy as np
import pytest

from senn.algorithms import problems, robots
from senn.algorithms.answers import ANSWERS, RESIDUALS
from senn.algorithms.certificate import other_references
from senn.algorithms.certificate.certificate import Comparison
from senn.algorithms.certificate.certify import certify
from senn.algorithms.certificate.other_references import by_sums
from senn.algorithms.problems import contacts, states
from senn.algorithms.references import articulated, constraint_force
from senn.algorithms.robots import bodies, generators, newton_euler
from senn.traces.errors import InputError
from tests.algorithms.robots.mixed_joints import mixed_chain
from tests.algorithms.robots.trees import random_tree

ALL = ("joints:FRPHCUESXR", "random:12:prismatic=0.4:seed=3", "snake:64", "rods:16:slenderness=0.01")


@pytest.mark.parametrize("name", [*problems.bundled(), *ALL])
def test_what_is_right_agrees(name):
    what = problems.load(name)
    found = certify(what, constraint_force.solve(what))
    (sums,) = found.besides
    assert sums.ok, sums.message
    assert found.ok, found.message
    assert sums.figures.keys() >= {"qdd", "force", "lambda_inverse", "forces", "residual", "contact_residual"}
    assert sums.note == ""


def test_arms_made_of_arrays_and_trees_agree():
    for chain in (mixed_chain(("universal", "free", "planar", "revolute"), 4), random_tree(5, [(2, 3)], 2)):
        what = problems.draw(chain, 1)
        found = certify(what, articulated.solve(what))
        assert chain.written is None
        assert found.ok, found.message
        assert found.besides[0].against.startswith("plain sums over the links, from the arrays of the arm")


def test_an_arm_altered_since_it_was_read_is_judged_as_it_is_now():
    chain = generators.generate("random:6:seed=2")
    what = problems.draw(replace(chain, mass=2.0 * chain.mass), 1)
    assert certify(what, articulated.solve(what)).ok


@pytest.mark.parametrize("kind", ["world", "spatial", "II", "general"])
def test_contacts_are_read_as_they_were_written(kind):
    rng = np.random.default_rng(3)
    W, H = rng.standard_normal((6, 2)), rng.standard_normal((6, 4))
    how = {"world": {"fixed_in": "world"}, "spatial": {"acceleration": "spatial"}}.get(kind, {})
    made = {
        "II": lambda: contacts.type_ii(W, H, 0.1 * rng.standard_normal((4, 2)), np.ones(4), np.ones(2)),
        "general": lambda: contacts.general(*(rng.standard_normal(s) for s in ((6, 6), 6, (6, 6), 6))),
    }.get(kind, lambda: contacts.type_i(W, H, np.ones(2), np.ones(4), **how))
    what = problems.load("random:7:seed=2").at(contact=made())
    assert what.contact_input.written is not None
    found = certify(what, articulated.solve(what))
    assert found.ok, found.message


@pytest.mark.parametrize(
    "contact",
    [
        {"kind": "point", "position": [0.1, -0.2, 0.3]},
        {"kind": "line", "direction": [1, -2, -3], "axes": "world", "position": [0.1, 0, 0]},
        {"kind": "plane", "normal": [0, 1, -1], "position": [0, 0.2, 0.1]},
        {"kind": "face", "normal": [-1, 2, -1], "axes": "world", "position": [0, 0.2, 0.1]},
        "weld",
        "free",
    ],
)
def test_contacts_in_words_are_read_as_they_were_written(contact):
    what = problems.load("random:8:seed=2").at(contact=contact)
    found = certify(what, articulated.solve(what))
    assert found.ok, found.message


def _half_the_coriolis_forces(patch):
    right = newton_euler._turning
    patch.setattr(
        newton_euler, "_turning", lambda motion, arm: right(replace(motion, omega=motion.omega / 2), arm)
    )


def _axes_mirrored(patch):
    right = bodies.rotation_to
    patch.setattr(bodies, "rotation_to", lambda axis: right(axis * np.array([1.0, -1.0, 1.0])))


@pytest.mark.parametrize("fault", [_half_the_coriolis_forces, _axes_mirrored])
def test_a_fault_that_all_solvers_share_fails_the_certificate(monkeypatch, fault):
    fault(monkeypatch)
    chain = robots.load("ssrms")
    what = problems.draw(chain).at(qd=np.linspace(-1.0, 1.0, 7))
    found = certify(what, articulated.solve(what))
    assert set(found.verdicts.values()) == {"within"}
    assert not found.ok
    assert found.message.startswith("against plain sums over the links, from the robot file read once more: ")
    assert "joint accelerations outside, " in found.message
    assert found.message.endswith("please report it, with the problem")
    assert found.as_dict()["besides"][0]["ok"] is False


def test_verdicts_are_the_three():
    found = Comparison(
        "x",
        "x",
        {"qdd": 1e-3, "force": 1e-3, "residual": np.nan},
        dict.fromkeys(("qdd", "force", "residual"), 1e-2) | {"force": 0.5},
    )
    assert found.verdicts == {"qdd": "within", "force": "says nothing", "residual": "outside"}
    assert not found.ok
    assert not replace(found, figures={"qdd": np.inf}).ok
    assert replace(found, figures={"qdd": 1e-2}).ok


def test_every_answer_of_a_long_arm_is_compared():
    """300 joints: what articulated bodies and Newton-Euler answer agrees, and a millionth more does not."""
    what = problems.load("random:300:seed=1")
    solution = articulated.solve(what)
    right = {name: row.reference(what, solution) for name, row in ANSWERS.items()}
    allowed = dict.fromkeys((*right, "residual", "contact_residual"), 1e-8)
    found = by_sums(what, right, allowed)
    assert found.figures.keys() == allowed.keys()
    assert found.ok, found.message
    for name in right:
        wrong = by_sums(what, {**right, name: right[name] * (1.0 + 1e-6)}, allowed)
        assert wrong.verdicts[name] == "outside"


@pytest.mark.parametrize("n", [40, 300])
def test_nothing_but_rounding_is_within(n):
    """Torques that just carry the arm, but for rounding, and the tip held: nothing is left to divide by."""
    chain = generators.generate(f"snake:{n}")
    q, rest = generators.motion(chain, 1)[0], np.zeros(n)
    held = newton_euler.inverse_dynamics(chain, q, rest, rest, problems.EARTH)
    tau = held * (1.0 + 1e-14 * np.random.default_rng(1).standard_normal(n))
    what = problems.resolved(chain, problems.EARTH, q, rest, tau, contacts.welded())
    found = certify(what, constraint_force.solve(what))
    assert found.ok, found.message


def test_it_is_no_way_round_a_singular_contact():
    chain, zero = generators.generate("snake:7"), np.zeros(7)
    straight = problems.resolved(chain, problems.EARTH, zero, zero, zero, contacts.welded())
    with pytest.raises(InputError, match="contact is singular"):
        certify(straight, articulated.solve(problems.draw(chain)))
    given = vars(articulated.solve(problems.draw(chain)))
    found = other_references.by_sums(straight, given, dict.fromkeys([*given, *RESIDUALS], 1e-6))
    assert not found.ok


def test_answers_of_one_figure_have_each_their_own_tolerance():
    """A nearly singular contact: rounding moves qdd by far more than qdd_0, whose error uses more of its own
    tolerance here, and so is the figure of both."""
    what = problems.load("snake:7").at(q=3e-4 * np.cos(np.arange(7.0)))
    right = articulated.solve(what)
    before = certify(what, right)
    own = before.besides[0].tolerances
    assert own["qdd"] > 1e4 * own["qdd0"]
    found = certify(what, replace(right, qdd0=right.qdd0 * (1.0 + 1e-11)))
    assert found.tolerances["qdd_error"] < 1e-3 * own["qdd"]
    assert found.besides[0].tolerances == own


FILE = """
robot = "joints:RUSP:seed=3"
gravity = [0.5, 1.0, -9.0]
qd = [0.1, -0.2, 0.3, 0.4, -0.1, 0.2, 0.3]
tau = [1.0, 2.0, -1.0, 0.5, 0.3, -0.2, 4.0]
tip_vector = [1.0, 0.0, 0.0, 0.0, 2.0, 0.0]
contact = "weld"
[q]
joint_1 = 0.5
joint_3 = [0.6, 0.0, 0.8, 0.0]
"""


def test_the_numbers_of_a_problem_file_are_read_once_more(tmp_path, monkeypatch):
    """Also by the names of joints, and the others drawn; nothing that was altered since."""
    path = tmp_path / "own.toml"
    path.write_text(FILE, encoding="utf-8")
    what = problems.load(path)
    assert what.written == FILE
    assert certify(what, articulated.solve(what)).ok
    assert what.at(qd=np.ones(7)).written is None
    assert problems.load(path, gravity=(0, 0, -1.0)).written is None
    faster = replace(what, tau=2.0 * what.tau)
    assert certify(faster, articulated.solve(faster)).ok
    assert problems.load("random:3").written is None

    monkeypatch.setattr(states, "places", lambda chain, key: shifted(places(chain, key)))
    wrong = problems.load(path)
    assert wrong.q[0] != what.q[0]
    assert not certify(wrong, articulated.solve(wrong)).ok


places = states.places


def shifted(found):
    """The first joint's number where the last one's is."""
    return {**found, "joint_1": found["joint_4"]}
