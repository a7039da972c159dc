"""Interbody forces: every program leaves the parts of F = H tau + W F_S; the sum is Pinocchio's."""

from dataclasses import replace

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.problems import contacts as contact
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics, variants
from senn.algorithms.programs.numerics import memory
from senn.algorithms.robots import generators, newton_euler
from senn.algorithms.robots.chain import configuration
from senn.base.errors import InputError
from tests.algorithms.programs.compared import touching
from tests.algorithms.robots.oracle import ARMS, arm, oracle, relative

pytestmark = pytest.mark.rounding


def pinocchios(what: Problem, qdd: np.ndarray, force: np.ndarray) -> np.ndarray:
    judge = oracle(what.chain)
    judge.set_gravity(what.gravity)
    return judge.interbody_forces(what.q, what.qd, qdd, force)


@pytest.mark.parametrize("name", ["panda", "z1", "1", "2", "5", "13", "32", "joints:RSCRFEP", "joints:HUSR"])
def test_newton_euler_finds_pinocchios_forces_between_the_links(name: str) -> None:
    """rnea with the contact as an external force: all six components, moments about O_i, in frame i."""
    text = name if ":" in name else f"random:{name}:prismatic=0.3:seed={name}"
    chain = arm(name)[0] if name in ARMS else generators.generate(text)
    what = problems.draw(chain, 1)
    rng = np.random.default_rng(5)
    qdd, force = rng.standard_normal(chain.degrees), rng.standard_normal(6)
    given = (chain, what.q, what.qd, qdd, what.gravity, force)
    found = newton_euler.dynamics(*given).wrenches
    assert relative(found, pinocchios(what, qdd, force)) < 1e-14
    torques = chain.qd_shares.stacked(newton_euler.dynamics(*given).torque)
    along = np.einsum("nij,ni->nj", configuration(chain, what.q).H, found)
    assert relative(along, torques) < 1e-13


@pytest.mark.parametrize("form", variants.FORMS)
def test_a_singular_contact_is_refused_without_warnings(form: str) -> None:
    """A straight arm held along itself: the machine divides by zero, and infinity is among the parts."""
    chain = generators.generate("snake:7")
    at_rest, along = np.zeros(7), np.eye(6)[:, 3:4]
    what = problems.Problem(
        "arm", chain, problems.EARTH, at_rest, at_rest + 0.1, at_rest + 1.0, contact.type_i(along)
    )
    with pytest.raises(InputError, match="contact is singular"):
        senn.run(what, form=form, engine="lockstep", detail="summary")


@pytest.mark.fast("short")
@pytest.mark.parametrize("form", variants.FORMS)
def test_the_parts_are_read_and_not_computed(form: str) -> None:
    """Both engines hold them, and no instruction is issued for them."""
    what = touching(6, 3)
    program = variants.closed_chain(6, form, 1, what.chain.joints, 3)
    parts = {name for name in program.results if name.startswith(numerics.PARTS)}
    assert parts
    without = replace(program, results={k: v for k, v in program.results.items() if k not in parts})
    one = senn.solved(program, memory(what), engine="events", check=True)
    other = senn.solved(without, memory(what), engine="lockstep")
    assert one.trace.hash == other.trace.hash
