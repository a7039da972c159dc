"""Arms with side branches for the tests, and Pinocchio's answers about the whole tree."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pinocchio as pin

from senn.algorithms import spatial
from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import Branch, Chain
from senn.algorithms.robots.joints import JOINTS
from tests.algorithms.robots.oracle import Oracle, joint_model


def grafted(chain: Chain, sizes: Sequence[tuple[int, int | str]], seed: int, prismatic: float = 0.5) -> Chain:
    """The chain with random branches, (at, number of joints or their letters) each; their roots lie anywhere
    within 0.3 m."""
    rng = np.random.default_rng([seed, 77])
    found = []
    for number, (at, size) in enumerate(sizes):
        word = f"joints:{size}" if isinstance(size, str) else f"random:{size}:prismatic={prismatic}"
        text = f"{word}:seed={1000 * seed + number}"
        side = replace(
            generators.generate(text),
            base_rotation=spatial.rotation_quaternion(rng.standard_normal(4)),
            base_position=rng.uniform(-0.3, 0.3, 3),
        )
        found.append(Branch(at, side))
    return replace(chain, branches=(*chain.branches, *found))


def random_tree(n: int, sizes: Sequence[tuple[int, int]], seed: int) -> Chain:
    """A random main chain, 30 % of it prismatic, with random branches."""
    return grafted(generators.generate(f"random:{n}:prismatic=0.3:seed={seed}"), sizes, seed)


def tree_oracle(chain: Chain) -> Oracle:
    """Pinocchio's model of a chain with branches, joint by joint, depth first as its algorithms want it."""
    model, order = pin.Model(), []
    tip = _added(model, order, chain, 0, np.eye(3), np.zeros(3), 0)
    frame = pin.Frame("tip", *tip, pin.FrameType.OP_FRAME)
    types = tuple(chain.all_joints[k] for k in order)
    degrees, coordinates = (
        np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
        for counts in (
            [JOINTS[joint].degrees for joint in chain.all_joints],
            [JOINTS[joint].coordinates for joint in chain.all_joints],
        )
    )
    dofs, numbers = (np.concatenate([of[k] for k in order]).tolist() for of in (degrees, coordinates))
    return Oracle(model, model.addFrame(frame), types, dofs, numbers, order)


def _added(
    model: pin.Model,
    order: list[int],
    chain: Chain,
    parent: int,
    rotation: np.ndarray,
    position: np.ndarray,
    first: int,
) -> tuple[int, pin.SE3]:
    """Add a chain whose base lies at `rotation`, `position` in the body `parent`; `first` is our number of
    its first joint. Returns where its last frame is."""
    position = position + rotation @ chain.base_position
    rotation = rotation @ chain.base_rotation
    for i, joint in enumerate(chain.joints):
        kind = joint_model(joint, float(chain.parameters[i]))
        parent = model.addJoint(parent, kind, pin.SE3(rotation, position), f"joint{first + i}")
        order.append(first + i)
        rotation = np.array(chain.rotation[i])  # frame i+1 in Pinocchio's body frame
        position = rotation @ chain.position[i]
        inertia = rotation @ chain.inertia[i] @ rotation.T
        body = pin.Inertia(float(chain.mass[i]), rotation @ chain.centre[i], inertia)
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
        number = first + chain.n
        for branch in chain.branches:
            if branch.at == i + 1:
                _added(model, order, branch.chain, parent, rotation, position, number)
            number += _joints(branch.chain)
    return parent, pin.SE3(rotation, position)


def _joints(chain: Chain) -> int:
    return chain.n + sum(_joints(branch.chain) for branch in chain.branches)
