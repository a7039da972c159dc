"""Single precision: the whole run in 32-bit numbers, and nothing else changes."""

from pathlib import Path

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.catalogue import ALGORITHMS
from senn.algorithms.programs import numerics as resident
from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.engines.memory import rounded
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import Compute, Kernel, Operations, Program, Resident, value
from tests.algorithms.programs.compared import touching
from tests.oracles import dense
from tests.senn.cli.command import ended, json_of

IDEAL = model.load("ideal")


@pytest.mark.fast("short")
@pytest.mark.parametrize("form", variants.FORMS)
def test_every_number_of_a_run_is_of_32_bits(form: str, tmp_path: Path) -> None:
    """Values, payloads and answers, in memory and in the folder; the trace is that of double precision."""
    run = senn.run("random:5:prismatic=0.4", form=form, refine=1, precision="single")  # type: ignore[arg-type]
    assert run.values is not None
    kept = senn.open_run(run.save(tmp_path / "run"))
    for one in (run, kept):
        assert one.values is not None
        numbers = [*one.values.numbers, *one.values.payloads.values(), *one.result.values()]
        assert {array.dtype for array in numbers} == {np.dtype(np.float32)}
    usual = senn.run("random:5:prismatic=0.4", form=form, refine=1)  # type: ignore[arg-type]
    assert usual.trace.hash == run.trace.hash
    assert (usual.description["precision"], run.description["precision"]) == ("double", "single")
    assert {array.dtype for array in usual.result.values()} == {np.dtype(np.float64)}


def test_both_engines_round_alike() -> None:
    what = touching(6, 4)
    program = variants.closed_chain(6, "paper", 1, what.chain.joints, 4)
    schedule = place(program, allocation.named("identity", 6, "migrating"), IDEAL)
    held = rounded(resident.memory(what), "single")
    one, other = (engine.simulate(schedule, IDEAL, held) for engine in (events, lockstep))
    assert all(np.array_equal(one.result[name], other.result[name]) for name in one.result)


def test_the_answer_has_the_digits_of_single_precision() -> None:
    """A compact arm: some 7 digits less 2 or 3, against dense linear algebra in double precision."""
    expected = dense.solve(problems.load("random:7:seed=3"))
    run = senn.run("random:7:seed=3", form="short", refine=1, precision="single", machine="ideal")
    for name in ("qdd", "force", "lambda_inverse", "forces"):
        reference = getattr(expected, name)
        error = np.linalg.norm(run.result[name] - reference) / np.linalg.norm(reference)
        assert 1e-9 < error < 3e-4, name


@pytest.mark.parametrize("numbers", [True, False])
def test_a_precision_that_there_is_not(numbers: bool) -> None:
    """Also where no number is computed, and the description would say it."""
    with pytest.raises(InputError, match='precision is "half"; write one of single, double'):
        senn.run("random:3", precision="half", numbers=numbers)  # type: ignore[arg-type]


@pytest.mark.fast("closed-chain", "star", "inverse-dynamics", "lambda")
@pytest.mark.parametrize("name", [name for name, one in ALGORITHMS.items() if not one.whole])
def test_every_parallel_algorithm_computes_in_32_bits(name: str) -> None:
    """What a kernel widens would be refused; what is made of the results stays as narrow, and keeps two
    digits at the least."""
    narrow, exact = (
        senn.run("random:8:prismatic=0.3", algorithm=name, precision=kind, machine="ideal").result
        for kind in ("single", "double")
    )
    for key, right in exact.items():
        assert narrow[key].dtype == np.float32
        assert np.linalg.norm(narrow[key] - right) <= 1e-2 * np.linalg.norm(right), key


@pytest.mark.parametrize("name", ["gather-and-solve", "forward-articulated"])
def test_serial_solutions_are_in_double_precision(name: str) -> None:
    with pytest.raises(InputError) as refused:
        senn.run("random:3", algorithm=name, precision="single")
    assert str(refused.value) == (
        f'precision "single": the algorithm {name} solves serially, in double precision; leave --precision '
        "out, or take a parallel algorithm"
    )


def _doubled(kernel: Kernel) -> Program:
    x, y, z = value("x"), value("y"), value("z")
    held = (Resident(x, (1,)), Resident(y, (1,)))
    return Program("double", 2, ((Compute("1", z, kernel(x, y)),),), held, {"z": (1, z)})


@pytest.mark.parametrize("engine", [events, lockstep])
def test_a_memory_of_two_kinds_is_refused(engine) -> None:  # type: ignore[no-untyped-def]
    add = Kernel("add", "{0} + {1}", lambda x, y: x + y)
    schedule = place(_doubled(add), allocation.named("identity", 2, "home"), IDEAL)
    mixed = {"x": np.ones(2, dtype=np.float32), "y": np.ones(2)}
    with pytest.raises(InputError) as refused:
        engine.simulate(schedule, IDEAL, mixed)
    assert str(refused.value) == (
        'memory "x" is float32 and "y" float64: a run computes in one kind of numbers; convert them'
    )
    with pytest.raises(InputError, match='"x" is int64 and "y" float64: a run computes in one kind'):
        engine.simulate(schedule, IDEAL, {"x": np.ones(2, dtype=np.int8), "y": np.ones(2)})
    whole = {"x": np.ones(2, dtype=np.int8), "y": np.ones(2, dtype=np.int64)}
    assert engine.simulate(schedule, IDEAL, whole).result["z"].dtype == np.int64


def test_a_kernel_that_widens_its_operands_is_found() -> None:
    wide = Kernel("wide", "{0} + {1}", lambda x, y: x + y.astype(np.float64), declared=Operations(add=1))
    schedule = place(_doubled(wide), allocation.named("identity", 2, "home"), IDEAL)
    held = {"x": np.ones(2, dtype=np.float32), "y": np.ones(2, dtype=np.float32)}
    with pytest.raises(InputError, match="kernel wide made float64 of float32; a kernel keeps the kind"):
        lockstep.simulate(schedule, IDEAL, held)


def test_the_command_line_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("run", "random:4", "--precision", "single", "--form", "short", "-o")
    assert "form short, single precision, n = 4" in " ".join(ended(0, *words, "a").split())
    assert json_of(*words, "b")["precision"] == "single"
