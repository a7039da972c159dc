"""What the star program and divide and conquer have in common, against articulated bodies."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.problems import contacts as contact
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from tests.algorithms.programs import test_divide_and_conquer, test_star
from tests.algorithms.programs.compared import agrees

pytestmark = pytest.mark.rounding
Solve = Callable[..., dict[str, np.ndarray]]
PROGRAMS = pytest.mark.parametrize(
    ("solved", "names"),
    [(module.solved, module.NAMES) for module in (test_divide_and_conquer, test_star)],
    ids=["divide and conquer", "star"],
)


@pytest.mark.fast(every=1)
@PROGRAMS
@pytest.mark.parametrize(("n", "constrained"), [(n, held) for n in (6, 9, 16) for held in (0, 3, 6)])
def test_every_contact(solved: Solve, names: tuple[str, ...], n: int, constrained: int) -> None:
    """n_c = 0, 3, 6 with G_C and K_F different from zero; 0 with K_F is a given force at the tip. Contacts of
    other types are in `tests.algorithms.problems.test_contact`."""
    rng = np.random.default_rng(constrained)
    basis = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    held, free = basis[:, :constrained], basis[:, constrained:]
    touching = contact.type_i(held, free, rng.normal(size=constrained), rng.normal(size=6 - constrained))
    what = replace(problems.load(f"random:{n}:prismatic=0.3:seed=4"), contact_input=touching)
    assert agrees(solved(what), what, names)


@PROGRAMS
def test_the_open_chain(solved: Solve, names: tuple[str, ...]) -> None:
    """No contact: Qdd is Qdd_0, and no force acts."""
    what = replace(problems.load("random:11:seed=3"), contact_input=contact.none())
    found, expected = solved(what), articulated.solve(what)
    assert np.linalg.norm(found["qdd"] - expected.qdd0) < 1e-11 * np.linalg.norm(expected.qdd0)
    assert not found["force"].any()
    assert np.array_equal(found["qdd0"], found["qdd"])


@PROGRAMS
@pytest.mark.parametrize("joints", ["RRRRRRR", "PRRRRRP", "PPRRRRR", "RRRRRPP", "RPRPRPR", "PRRPRRR"])
def test_every_order_of_joint_types(solved: Solve, names: tuple[str, ...], joints: str) -> None:
    """Each type first, last and next to each: a process may join at a joint that is not its own."""
    types = tuple({"R": "revolute", "P": "prismatic"}[letter] for letter in joints)
    chain = replace(generators.generate("random:7:prismatic=0.5:seed=3"), joints=types)
    what = problems.draw(chain, 3)
    assert agrees(solved(what), what, names, 1e-11)


@PROGRAMS
def test_home_and_migrating_give_the_same_bits(solved: Solve, names: tuple[str, ...]) -> None:
    what = problems.load("random:11:seed=2")
    here, there = (solved(what, residency=residency) for residency in ("home", "migrating"))
    assert all(np.array_equal(here[name], there[name]) for name in names)
