"""Nodes of several arithmetic units: the same numbers, in less time."""

import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine.program import Compute, Kernel, Operations, Program, Resident, value
from senn.machine.rewrite import on_units


def test_one_unit_is_the_machine_as_it_is() -> None:
    whole = variants.closed_chain(6)
    one, usual = (
        senn.timed(program, "mark3", detail="full").trace for program in (on_units(whole, 1), whole)
    )
    assert one.instructions.equals(usual.instructions)
    assert one.messages.equals(usual.messages)


def test_units_change_times_and_no_bit() -> None:
    given = problems.load("random:6:seed=1")
    whole = variants.closed_chain(6, contact=given.contact.shape)
    runs = [senn.solved(on_units(whole, k), given, "ideal") for k in (1, 4)]
    assert (runs[0].result["qdd"] == runs[1].result["qdd"]).all()
    assert runs[0].summary["makespan"] > 3 * runs[1].summary["makespan"]


def test_work_that_is_not_in_a_kernel_cannot_be_shared_out() -> None:
    x, y = value("x"), value("y")
    kernel = Kernel("hidden", "{0}", lambda a: a + a, declared=Operations(add=7))
    program = Program(
        "one", 2, ((Compute("S.1", y, kernel(x)),),), (Resident(x, arrays=(1,)),), {"y": (1, y)}
    )
    with pytest.raises(InputError, match="the kernel hidden does not show its arithmetic"):
        on_units(program, 2)
