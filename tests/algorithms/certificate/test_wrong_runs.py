"""Runs that went wrong fail their certificate: a sign, a message, a millionth of one number."""

from collections.abc import Callable

import numpy as np
import pytest

import senn
from senn.algorithms import catalogue, problems
from senn.algorithms.certificate.certify import Certificate, certify
from senn.algorithms.kernels import operators
from senn.algorithms.kernels import system as kernels
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import closed_chain, numerics, variants
from senn.algorithms.programs.numerics import memory
from senn.machine import model
from senn.machine.program import Kernel, Program
from tests.machine.tampering import tampered

IDEAL = model.load("ideal")
SMALL = 1e-6  # relative; eps is 2e-16
ARMS = ("random:8", "random:64", "snake:32", "rods:64:slenderness=0.1", "random:7:seed=5")


def judged(what: Problem, program: Program) -> Certificate:
    run = senn.solved(program, memory(what), IDEAL, "home")
    return certify(what, numerics.answers(what, run.result))


def made(what: Problem, form: str, refine: int = 0) -> Program:
    return variants.closed_chain(what.chain.n, form, refine, what.chain.joints, what.contact.constrained)


def altered(kernel: Kernel, change: Callable[[np.ndarray], np.ndarray]) -> Kernel:
    return Kernel(kernel.name, kernel.form, lambda *operands: change(kernel.evaluate(*operands)))


@pytest.mark.fast("random:8-*", "random:7:seed=5-short")
@pytest.mark.parametrize("form", variants.FORMS)
@pytest.mark.parametrize("name", ARMS)
def test_the_minus_sign_of_i_b_10(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The erratum that A^M and Lambda^-1 do not show; one step of refinement does not hide it."""
    what = problems.load(name)
    assert judged(what, made(what, form, 1)).ok
    monkeypatch.setattr(closed_chain, "negative_product", altered(kernels.negative_product, np.negative))
    found = judged(what, made(what, form, 1))
    assert not found.ok
    assert found.figures["qdd_error"] > 1e-6


@pytest.mark.fast("random:8-*")
@pytest.mark.parametrize("form", variants.FORMS)
@pytest.mark.parametrize("name", ARMS)
def test_a_millionth_of_one_entry_of_a(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A diagonal entry of the middle process's block, before anything is made of it. Refinement of
    the whole solution would mend it: the residual knows no A."""
    what = problems.load(name)

    def change(blocks: np.ndarray) -> np.ndarray:
        blocks = blocks.copy()
        if blocks.dtype != object:  # not where the kernel is counted
            blocks[len(blocks) // 2, 5] *= 1 + SMALL
        return blocks

    kernel = altered(operators.diagonal("revolute", 5), change)
    monkeypatch.setattr(operators, "diagonal", lambda joint, rows: kernel)
    assert not judged(what, made(what, form)).ok


@pytest.mark.fast("short")
@pytest.mark.parametrize("form", variants.FORMS)
def test_a_millionth_of_one_message(form: str) -> None:
    """Every 31st message of a run in turn arrives off by a millionth: the certificate fails, or no bit of the
    answer comes from this message (form paper sweeps E, of which process N alone uses its own)."""
    what = problems.load("random:7:seed=5")
    program = variants.closed_chain(7, form, 0, what.chain.joints, 6)
    schedule = senn.placed(program, IDEAL, "home")

    def arriving(altered: int) -> dict[str, np.ndarray]:
        def tamper(message: int, block: np.ndarray) -> np.ndarray:
            return block * (1 + SMALL) if message == altered else block

        return numerics.answers(what, tampered(schedule, IDEAL, memory(what), tamper).result)

    right, failed = arriving(-1), 0
    assert certify(what, right, digits=11).ok
    for message in range(5, len(schedule.messages), 31):
        wrong = arriving(message)
        unused = all(np.array_equal(right[name], wrong[name]) for name in right)
        assert unused or not certify(what, wrong, digits=11).ok, message
        failed += not unused
    assert failed > 4


_MEMBERS = [(name, x) for name, entry in catalogue.ALGORITHMS.items() for x in entry.quantities]


@pytest.mark.fast("open-chain-*", "star-force", "lambda-*", "inverse-dynamics-*")
@pytest.mark.parametrize(("name", "quantity"), _MEMBERS, ids=lambda x: x)
def test_an_answer_that_is_missing_is_not_certified(name: str, quantity: str) -> None:
    """Every answer of every parallel algorithm, left out one at a time of a run that is certified."""
    algorithm, problem = catalogue.algorithm(name), problems.load("random:7:seed=3")
    problem = problem if algorithm.closed else problems.free(problem)
    cheap = {"engine": "lockstep", "machine": "ideal", "detail": "summary", "values": False}
    whole = senn.run(problem, algorithm=name, **cheap)
    assert whole.certificate is not None
    assert whole.certificate["ok"]
    less = {key: value for key, value in whole.result.items() if key != quantity}
    judged = {"quantities": algorithm.quantities}
    certificate = certify(problem, less, **judged)
    assert not certificate.ok
    assert "nan" in certificate.message
    assert certify(problem, whole.result, **judged).ok
