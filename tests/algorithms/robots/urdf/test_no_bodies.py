"""Links that no body can be, with which computing is possible: a note, and Pinocchio's answers."""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import senn as package
from senn.algorithms.catalogue import ALGORITHMS
from senn.algorithms.problems.states import NO_BODY, NO_MASS
from senn.base.errors import InputError
from tests.algorithms.robots.oracle import relative
from tests.algorithms.robots.urdf.test_urdf import joint, link, robot
from tests.senn.cli.command import senn

AXES = ("0 0 1", "0 1 0", "1 0 0")


def _link(name, mass=1.0, moments=(0.1, 0.1, 0.1)):
    return link(name, mass or None, "0.1 0 0.2", moments)


def _joint(name, parent, child, axis, kind="revolute"):
    placed = f'<origin xyz="0.3 0 0.1" rpy="0.3 0.2 0.1"/><axis xyz="{axis}"/>'
    return joint(name, parent, child, kind, placed + '<limit lower="-2" upper="2" effort="1" velocity="1"/>')


def _robot(*beside, unreal=()):
    arm = [_link("l0", 0)]
    for k in range(1, 7):
        moments = (0.1, 0.1, 0.3 if k in unreal else 0.1)
        arm += [_link(f"l{k}", 1.0, moments), _joint(f"j{k}", f"l{k - 1}", f"l{k}", AXES[k % 3])]
    return robot(*arm, *beside)


def _massless(kind="revolute", *, masses=(0, 0, 1)):
    """Link 3 carries a link that carries another, on which a third hangs."""
    links = [_link(f"s{k}", mass) for k, mass in enumerate(masses)]
    joints = [_joint("k0", "l3", "s0", AXES[0], kind), _joint("k1", "s0", "s1", AXES[1])]
    return [*links, *joints, _joint("k2", "s1", "s2", AXES[2])]


FORK = [
    *(_link(f"s{k}", mass) for k, mass in enumerate((0, 1, 2))),
    *(_joint(f"k{k}", on, f"s{k}", AXES[k]) for k, on in enumerate(("l3", "s0", "s0"))),
]
MASSLESS = f"{NO_MASS}: links moved by "
ROBOTS = {
    "massless fork": (_robot(*FORK), [f"{MASSLESS}k0"]),
    "two massless": (_robot(*_massless("prismatic")), [f"{MASSLESS}k0, k1"]),
    "unreal": (
        _robot(_link("s", 1, (0.1, 0.1, 0.5)), _joint("k", "l3", "s", AXES[0]), unreal=(2, 6)),
        [f"{NO_BODY}: links moved by j2, j6", f"{NO_BODY}: links moved by k"],
    ),
}


@pytest.mark.rounding
@pytest.mark.parametrize("name", ROBOTS)
def test_accelerations_are_pinocchios_and_the_run_has_the_note(tmp_path, name):
    text, notes = ROBOTS[name]
    (tmp_path / "r.urdf").write_text(text)
    problem = package.problem(str(tmp_path / "r.urdf"), tip="l6", seed=3)
    run = package.run(problem, algorithm="open-chain")
    model = pin.buildModelFromXML(text)
    names, given = problem.chain.all_joint_names, np.zeros((3, model.nv))
    places = [model.idx_vs[model.getJointId(joint)] for joint in names]
    given[:, places] = problem.q, problem.qd, problem.tau
    expected = pin.aba(model, model.createData(), *given)[places]
    assert relative(run.result["qdd"], expected) < 1e-12
    assert run.certificate["ok"]
    assert [
        note for note in run.description["problem"]["notes"] if NO_BODY in note or NO_MASS in note
    ] == notes
    problem.write(tmp_path / "p.toml")
    again = package.run(str(tmp_path / "p.toml"), algorithm="open-chain")
    assert np.array_equal(again.result["qdd"], run.result["qdd"])


@pytest.mark.rounding
@pytest.mark.fast("closed-chain", "star", "inverse-dynamics", "forward-pv", "mass-matrix-direct")
@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_every_algorithm_that_takes_branches_takes_massless_links(tmp_path, name):
    (tmp_path / "r.urdf").write_text(_robot(*FORK))
    try:
        run = package.run(str(tmp_path / "r.urdf"), tip="l6", seed=4, algorithm=name, detail="summary")
    except InputError as error:
        assert "takes single chains" in str(error)  # noqa: PT017
    else:
        assert run.certificate["ok"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_robot(*_massless(masses=(1, 1, 0))), r"link 's2' \(moved by joint 'k2'\): mass is 0 kg"),
        (_robot(*_massless(masses=(0, 0, 0))), r"link 's2' \(moved by joint 'k2'\): mass is 0 kg"),
        (
            _robot(*_massless()).replace('<link name="l4">', '<link name="l4"/><link name="x">'),
            "'l4'.*mass is 0",
        ),
    ],
)
def test_a_massless_link_at_an_end_or_in_the_main_chain_is_refused(tmp_path, text, message):
    (tmp_path / "r.urdf").write_text(text)
    with pytest.raises(InputError, match=message):
        package.problem(str(tmp_path / "r.urdf"), tip="l6")


def test_the_command_warns_on_one_line_and_records_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("r.urdf").write_text(ROBOTS["massless fork"][0])
    done = senn("run", "r.urdf", "--tip", "l6", "--seed", "3", "-q", "-o", "kept")
    assert (done.exit_code, done.stderr) == (0, f"senn: {MASSLESS}k0\n")
    assert f"{MASSLESS}k0" in json.loads(Path("kept/run.json").read_text())["problem"]["notes"]
    assert f"note        {MASSLESS}k0" in senn("explain", "kept").stdout
