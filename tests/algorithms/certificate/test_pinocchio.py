"""Pinocchio as a reference of the certificate: what it is not asked, and that a fault of our reader shows."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.certificate import pinocchio
from senn.algorithms.certificate.certify import certify
from senn.algorithms.references import articulated
from senn.algorithms.robots import urdf
from senn.algorithms.robots import urdf as urdf_reader
from senn.algorithms.robots.urdf import Part
from senn.base.errors import InputError
from tests.algorithms.robots.oracle import ARMS, arm_text
from tests.algorithms.robots.urdf.test_part import WALKER

GRAVITY = (1.0, -2.0, -9.0)


def compared(what):
    return certify(what, articulated.solve(what), against="pinocchio").besides[0]


@pytest.mark.parametrize("name", ["ur5", "panda", "kinova", "z1"])
def test_real_arms_agree(name):
    """In a contact of the kind that is drawn; every answer but the wrenches through the joints."""
    found = compared(problems.draw(urdf.read(arm_text(name), ARMS[name][1]), 3, {"gravity": GRAVITY}))
    assert found.ok, found.message
    assert found.against.startswith("Pinocchio ")
    assert set(found.figures) == {
        *("qdd_error", "qdd_joint_error", "qdd0_error", "qdd0_joint_error", "acceleration0_error"),
        *("contact_force_error", "lambda_inverse_error"),
    }


def test_a_fault_of_our_reader_is_seen(monkeypatch):
    """Plain sums have the same arm as the program, and agree with it: a link 1 % too heavy."""
    merged = urdf_reader._merged

    def heavier(tree, link):
        found = merged(tree, link)
        return replace(found, mass=1.01 * found.mass)

    monkeypatch.setattr(urdf_reader, "_merged", heavier)
    what = problems.draw(urdf.read(arm_text("ur5"), "tool0"), 3)
    certificate = certify(what, articulated.solve(what), against="pinocchio")
    assert certificate.agrees
    assert not certificate.ok
    assert "figures have fewer than 6 digits, worst: error of " in certificate.message


def test_what_it_does_not_read_is_refused_in_words(monkeypatch):
    for name, words in {
        "ssrms": "Pinocchio reads URDF, and the robot 'ssrms' is of another kind; leave --against out",
        "random:3": "Pinocchio reads URDF",
    }.items():
        with pytest.raises(InputError, match=f"^--against pinocchio: {words}"):
            pinocchio.Pinocchio(problems.load(name))
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    with pytest.raises(InputError, match="Pinocchio is not installed; pip install pin"):
        pinocchio.Pinocchio(problems.load("ur5"))


def test_joints_that_it_counts_otherwise_are_refused_by_name():
    text = WALKER.replace('name="waist" type="continuous"', 'name="waist" type="floating"')
    what = problems.draw(urdf.read(text, Part("hand", lock=("neck", "leg_."))))
    with pytest.raises(InputError, match="joint 'waist' is free, and Pinocchio counts its q and qd"):
        pinocchio.Pinocchio(what)
    assert np.isfinite(what.tau).all()
