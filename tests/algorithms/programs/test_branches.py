"""Arms with side branches on the machine, every form, against Pinocchio on the whole tree."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import senn
from senn.algorithms import catalogue
from senn.algorithms.family.pages import PAGES
from senn.algorithms.programs import variants
from senn.algorithms.robots import generators, side_tree
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.side_tree import SideTree
from senn.api import solving
from senn.base.errors import InputError
from senn.cli.main import cli
from senn.machine.engines.memory import operations
from senn.machine.program import Program
from tests.algorithms.references.test_tree import PANDA, case
from tests.algorithms.robots.oracle import DATA
from tests.algorithms.robots.trees import grafted

# Every seventh of all combinations of form, refinement, strategy, elimination, width and ahead, which lies
# prime to each of them.


def program(chain: Chain, form: str, contact: int, **choices: object) -> Program:
    trees = side_tree.structure(chain)
    return variants.closed_chain(chain.n, form, 0, chain.joints, contact, branches=trees, **choices)  # type: ignore[arg-type]


def test_without_branches_the_program_is_what_it_was() -> None:
    """The golden listings hold the text; here every stream, resident and result."""
    for form in variants.FORMS:
        assert variants.closed_chain(5, form, branches=()) == variants.closed_chain(5, form)
        with_some = variants.closed_chain(5, form, branches=(SideTree(2, ("revolute",), (0,)),))
        plain = [[line.step for line in stream] for stream in variants.closed_chain(5, form).streams]
        wider = [[line.step for line in stream] for stream in with_some.streams]
        for few, many in zip(plain, wider, strict=True):
            rest = iter(many)
            assert all(step in rest for step in few)  # the branches only add lines


def test_other_processes_do_the_same_work() -> None:
    """Operations of every lane: with a branch at link 4 of 8, only process 4 does more than without; process
    5, which gets its block of A from 4, does the same with it."""
    chain = generators.generate("random:8:seed=2")
    bare, own = (
        senn.placed(program(x, "short", 6), residency="home") for x in (chain, grafted(chain, [(4, 3)], 1))
    )
    executed = []
    for schedule in (bare, own):
        total = np.zeros((2, 8), dtype=np.int64)
        for task in (task for tasks in schedule.tasks for task in tasks):
            kinds, which = operations(task)
            np.add.at(total[task.array - 1], task.line.processes - 1, np.sum(kinds, axis=1)[which])
        executed.append(total)
    more = executed[1] - executed[0]
    assert (np.delete(more, 3, axis=1) == 0).all()
    assert (more[:, 3] > 0).all()


REFUSED = {
    "twice": (
        ((2, ("revolute",), (0,)), (2, ("revolute",), (0,))),
        r"at the links \[2, 2\]: one entry per",
    ),
    "nowhere": (((9, ("revolute",), (0,)),), r"branches at the links \[9\]: .* of 1\.\.5"),
    "empty": (((2, (), ()),), "branches at link 2: 0 joints; a link takes 1 to 64"),
    "too long": (((2, ("revolute",) * 65, (0,) * 65),), "branches at link 2: 65 joints"),
    "other joints": (
        ((2, ("welded",), (0,)),),
        "branches at link 2: joints are revolute, prismatic, .* free",
    ),
    "hangs on itself": (
        ((2, ("revolute",), (1,)),),
        r"parents \(1,\); each joint hangs on the link",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_are_no_side_trees_is_refused(name: str) -> None:
    trees, text = REFUSED[name]
    with pytest.raises(InputError, match=text):
        variants.closed_chain(5, branches=tuple(SideTree(*tree) for tree in trees))


def test_the_command_line_takes_panda_as_it_is(tmp_path: Path) -> None:
    """`senn run panda.urdf --tip panda_hand_tcp`: certified, and the mimicking finger is spoken of."""
    path = tmp_path / "panda.urdf"
    path.write_text((DATA / PANDA[0]).read_text())
    run = solving.run(path, tip=PANDA[1], seed=3)
    assert run.certificate is not None
    assert run.certificate["ok"]
    assert run.result["qdd"].shape == (9,)
    described = run.description["problem"]
    assert described["branches"] == [
        {
            "link": 7,
            "joints": ["prismatic", "prismatic"],
            "names": ["panda_finger_joint1", "panda_finger_joint2"],
            "hang_on": [0, 0],
        }
    ]
    assert described["notes"][0].startswith("joint 'panda_finger_joint2' mimics another joint")
    shown = CliRunner().invoke(cli, ["run", str(path), "--tip", PANDA[1], "-o", str(tmp_path / "run")])
    assert shown.exit_code == 0
    text = " ".join(shown.output.split())
    assert "7 joints, 2 joints (2 prismatic) beside it at link 7" in text
    assert "base to tip, then the branches, rad/s^2 (prismatic: m/s^2)" in text


def test_algorithms_of_single_chains_refuse_branches() -> None:
    """Serial pages and blocks: by name, with those that take them; also where a page is asked to solve."""
    given, _ = case("one finger")
    for algorithm in catalogue.ALGORITHMS.values():
        if algorithm.branched:
            continue
        assert algorithm.serial or "blocks" in algorithm.name or algorithm.name == "both-ends"
        text = (
            f"the algorithm {algorithm.name} takes single chains, and robot 'random:1:.*' has side branches "
            r"\(joint_1\): choose one that takes them \(closed-chain, open-chain, .*\), or make"
        )
        with pytest.raises(InputError, match=text):
            solving.run(given, algorithm=algorithm.name)
    for page in (page for page in PAGES.values() if not page.branched):
        with pytest.raises(InputError, match="has side branches, which this solver does not take"):
            page.solve(given)
