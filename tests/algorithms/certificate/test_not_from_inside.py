"""What is wrong in the solvers that tolerances come from opens no tolerance."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

import senn
from senn.algorithms import problems, spatial
from senn.algorithms.certificate.certificate import OUTSIDE, SILENT, WITHIN, Certificate
from senn.algorithms.certificate.certify import certify
from senn.algorithms.problems import contacts
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics
from senn.algorithms.references import articulated, constraint_force
from senn.algorithms.robots import generators
from senn.algorithms.spatial import Numbers
from tests.algorithms.certificate.test_certificate import straight_arm

Mutant = Callable[[Numbers, Numbers, Numbers], Numbers]
inverse_inertia = spatial.inverse_inertia
MUTANTS: dict[str, Mutant] = {
    "too stiff": lambda mass, inverse, arm: 0.9 * inverse_inertia(mass, inverse, arm),
    "mass twice": lambda mass, inverse, arm: inverse_inertia(2.0 * mass, inverse, arm),
    "arm the other way": lambda mass, inverse, arm: inverse_inertia(mass, inverse, -arm),
    "x and y of the arm": lambda mass, inverse, arm: inverse_inertia(mass, inverse, arm[..., [1, 0, 2]]),
    "a thousandth": lambda mass, inverse, arm: inverse_inertia(mass, inverse, 1.001 * arm),
}


def ran(what: Problem) -> Mapping[str, Numbers]:
    """On the machine, in form short."""
    run = senn.run(what, form="short", engine="lockstep", machine="ideal", detail="summary", values=False)
    return run.result


@pytest.mark.fast("mass twice-ssrms")
@pytest.mark.parametrize("name", ["ssrms", "random:9:seed=2", "joints:RSRPRRU"])
@pytest.mark.parametrize("mutant", MUTANTS)
def test_what_program_and_serial_solver_do_wrong_alike(
    name: str, mutant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inverse inertias are made in one place for both: tolerances stay what they are, and the run fails."""
    what = problems.load(name)
    healthy = certify(what, ran(what))
    assert healthy.ok, healthy.message
    for module in (spatial, numerics):
        monkeypatch.setattr(module, "inverse_inertia", MUTANTS[mutant])
    found = certify(what, ran(what))
    assert not found.ok
    assert found.figures["qdd_error"] > 1e-5
    if np.isinf(found.kappa):  # A of these is not positive definite: nothing can be said
        assert WITHIN not in found.verdicts.values()
        return
    wider = {key: found.tolerances[key] / healthy.tolerances[key] for key in ("qdd_error", "residual")}
    assert max(wider.values()) < 10.0, wider
    assert found.verdicts["references_error"] == OUTSIDE
    assert found.verdicts["qdd_error"] == OUTSIDE


def spoiled(name: str, change: Callable[[Numbers], Numbers], monkeypatch: pytest.MonkeyPatch) -> None:
    """An array that a function of the serial solver gives, changed."""
    right = getattr(constraint_force, name)
    monkeypatch.setattr(constraint_force, name, lambda *given: change(right(*given)))


@pytest.mark.parametrize("name", ["_rates", "_lambda_inverse"])
def test_an_error_of_the_serial_solver_alone_is_said(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answers are right, and what their tolerances come from is not."""
    what = problems.load("random:8:seed=3")
    right = articulated.solve(what)
    healthy = certify(what, right)
    spoiled(name, lambda x: 1.5 * x, monkeypatch)
    found = certify(what, right)
    outside = [key for key, said in found.verdicts.items() if said == OUTSIDE]
    assert outside == ["references_error"]
    assert not found.ok
    assert "distance of the two serial solvers" in found.message
    assert all(found.tolerances[key] < 10.0 * healthy.tolerances[key] for key in healthy.verdicts)


def test_a_serial_solver_that_is_another_each_time_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of 1e-5 makes perturbed and unperturbed answers part, and both from articulated bodies."""
    what = problems.load("random:8:seed=3")
    rng = np.random.default_rng(0)
    spoiled("_rates", lambda x: x * (1.0 + 1e-5 * rng.standard_normal(x.shape)), monkeypatch)
    right = articulated.solve(what)
    found = certify(what, replace(right, qdd=right.qdd * (1.0 + 2e-4)))
    assert not found.ok


@pytest.mark.fast("ssrms")
@pytest.mark.parametrize("name", ["random:32:seed=1", "snake:16", "rods:8:slenderness=0.1", "ssrms"])
def test_one_joint_alone_is_found(name: str) -> None:
    """A percent of the acceleration of any one joint, however slow; and it is named."""
    what = problems.load(name)
    right = vars(articulated.solve(what))
    for joint in range(what.chain.n):
        qdd = right["qdd"].copy()
        qdd[joint] *= 1.01
        found = certify(what, {**right, "qdd": qdd})
        assert not found.ok, joint
        assert found.places["qdd_joint_error"] == joint + 1


def test_one_joint_of_torques_and_of_matrices_is_named() -> None:
    """Row by row, and joints of several degrees of freedom by their joint."""
    what = problems.load("joints:RSRP:seed=2")
    right = {
        name: answer.reference(what, articulated.solve(what))
        for name, answer in senn.algorithms.answers.ANSWERS.items()
        if name in ("tau", "mass_matrix", "inverse_mass_matrix")
    }
    assert certify(what, right).ok
    for name, value in right.items():
        wrong = value.copy()
        wrong[3] *= 1.0 + 1e-3  # the last of the three of joint 2
        found = certify(what, {**right, name: wrong})
        assert found.verdicts[f"{name}_joint_error"] == OUTSIDE
        assert found.places[f"{name}_joint_error"] == 2


def inverse(size: float, wrong: float) -> Certificate:
    """Torques of accelerations of this size, and torques off by a factor."""
    chain, rest = generators.generate("random:7"), np.zeros(7)
    qdd = size * np.array([1.0, -0.5, 0.25, 1.0, 0.5, -1.0, 0.75])
    what = problems.resolved(chain, np.zeros(3), np.ones(7), rest, rest, contacts.none(), qdd=qdd)
    right = senn.run(what, algorithm="inverse-dynamics", machine="ideal", engine="lockstep").result["tau"]
    return certify(what, {"tau": wrong * right})


@pytest.mark.fast("1e+200", "1e-200")
@pytest.mark.parametrize("size", [1e156, 1e200, 1.0, 1e-100, 1e-163, 1e-200])
def test_no_size_is_too_large_or_too_small_to_be_compared(size: float) -> None:
    """The squares of these overflow or underflow."""
    right = inverse(size, 1.0)
    assert right.ok, right.message
    assert 0.0 < right.figures["tau_error"] < 1e-14
    for wrong in (1.001, 3.0, -1.0):
        found = inverse(size, wrong)
        assert found.figures["tau_error"] == pytest.approx(abs(wrong - 1.0), rel=1e-6)
        assert not found.ok


@pytest.mark.parametrize("contact", [contacts.none(), contacts.type_i(np.eye(6)[:, [2]], None, [0.0])])
def test_what_hangs_still_is_certified(contact: contacts.Contact) -> None:
    """No torque, nothing moves, and the joints carry the arm: what is left of qdd is rounding, whose scale is
    what they carry. An acceleration of a millionth of g is none of that."""
    what = problems.resolved(straight_arm(3), [9.81, 0, 0], np.zeros(3), np.zeros(3), np.zeros(3), contact)
    right = constraint_force.solve(what)
    found = certify(what, right)
    assert found.ok, found.message
    assert not certify(what, replace(right, qdd=right.qdd + 1e-5)).ok


@pytest.mark.exhaustive
def test_single_precision_of_many_joints_says_nothing() -> None:
    """What was "within 1.0e+00": not one digit is vouched for, and that is no pass."""
    run = senn.run("random:64", precision="single", engine="lockstep", machine="ideal", detail="summary")
    assert run.certificate is not None
    assert not run.certificate["ok"]
    assert run.certificate["verdicts"]["qdd_error"] == SILENT
    assert run.certificate["verdicts"]["lambda_inverse_error"] == WITHIN
    assert run.certificate["tolerances"]["qdd_error"] >= 0.1
