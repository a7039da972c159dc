"""The star program for blocks of links: right, and counted as it is executed."""

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.family import pages
from senn.algorithms.family.parts import star_blocks as blocks
from senn.algorithms.family.parts import two_port
from senn.algorithms.problems.contacts import ContactShape
from senn.machine.program import Operations
from tests.algorithms.both_engines import agreed
from tests.algorithms.programs.compared import agrees

NAMES = ("qdd", "force", "lambda_inverse", "acceleration0")
WELD, PASSES = ContactShape(), ("I.a.1", "I.a.2", "I.c.1", "IV.4")


@pytest.mark.parametrize(
    ("text", "processes", "one_message", "arrays"),
    [
        ("random:16:seed=2", 4, True, 2),
        ("random:16:seed=2", 4, False, 2),
        ("random:16:seed=2", 2, True, 1),
        ("random:13:seed=3:prismatic=0.4", 5, True, 2),  # blocks of two and of three links
        ("random:6:seed=1", 6, True, 2),
        ("random:5:seed=4", 1, True, 2),
        ("joints:FRCEUSHXR:seed=1", 4, True, 2),
        ("ur5_friction", 3, True, 2),
        ("ur5_free", 2, True, 2),
        ("ssrms_payload", 3, False, 2),
    ],
)
def test_any_arm_and_contact_in_both_engines(text, processes, one_message, arrays):
    what = problems.load(text)
    program = blocks.program(
        what.chain.n,
        what.chain.joints,
        what.contact.shape,
        problem=what,
        processes=processes,
        one_message=one_message,
        arrays=arrays,
    )
    run = agreed(program, blocks.memory(what, processes), residency="home")
    assert agrees(blocks.answers(what, run.result), what, NAMES, 1e-9)


def test_a_link_costs_what_pv_does_and_the_motion_of_its_block():
    """The motion of a block against what is before it: a product of rotations, 27 m 18 a, and an angular
    velocity, 9 m 6 a and the rate of the joint. All else of a link is in PV with six unit forces."""
    more = [_total(two_port.counted(n)) - _total([pages.operations_with_tip(n, WELD)]) for n in (7, 8)]
    assert (more[1] - more[0]).tolist() == [27 + 9, 18 + 6 + 1, 0, 0, 0, 0]


def _total(operations):
    return np.sum([list(x) for x in operations], axis=0)


def test_the_largest_block_is_charged_once_a_pass():
    """13 links in 4 blocks: the largest has four."""
    (lines,) = blocks.program(13, processes=4, arrays=1).streams
    kernels = [line.expression.kernels[0] for line in lines if getattr(line, "step", "") in PASSES]
    turns, motion, port, bias, rates = two_port.counted(4)
    inner = Operations(multiply=27, add=21)  # omega and g of the inner end: three products of a rotation
    assert [x.declared for x in kernels] == [turns + motion, port, bias + inner, rates]
