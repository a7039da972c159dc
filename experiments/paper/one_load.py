"""Arms that hold one load, by programs for one arm: to the first, load and other arms are its contact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

import senn
from senn.algorithms import problems
from senn.algorithms.problems import contacts
from senn.algorithms.problems.problem import Problem
from senn.algorithms.spatial import Numbers, hat, rotation_rpy, six

INERTIA = np.diag([1.0, 2.0, 1.5, 2.0, 2.0, 2.0])
"""Of the load, about its centre of mass."""


def held(*texts: str) -> tuple[list[Problem], list[Numbers]]:
    """Arms at rest, without gravity, and for each (6, 6) from the load's acceleration to that of its tip;
    torques and grips drawn at random."""
    drawn = np.random.default_rng(0)
    loaded = [problems.load(text) for text in texts]
    taus = [drawn.standard_normal(arm.chain.degrees) for arm in loaded]
    arms = [
        arm.at(gravity=np.zeros(3), qd=np.zeros_like(tau), tau=tau, contact="free")
        for arm, tau in zip(loaded, taus, strict=True)
    ]
    grips = [six(rotation_rpy(drawn.standard_normal(3))) @ hat(drawn.standard_normal(3)).T for _ in arms]
    return arms, grips


def solve(arms: Sequence[Problem], grips: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
    """Accelerations of all joints and of the load: one run of the first arm, two of each other."""
    felt, pull, free = INERTIA, np.zeros(6), [_run(arm) for arm in arms[1:]]
    for X, tip in zip(grips[1:], free, strict=True):
        weight = X.T @ np.linalg.inv(tip["lambda_inverse"])
        felt, pull = felt + weight @ X, pull + weight @ tip["acceleration0"]
    back = np.linalg.inv(grips[0])
    contact = contacts.general(np.eye(6), np.zeros(6), back.T @ felt @ back, -back.T @ pull)
    first = _run(arms[0].at(contact=contact))
    load = back @ (first["acceleration0"] - first["lambda_inverse"] @ first["force"])
    joints = [first["qdd"]]
    for arm, X, tip in zip(arms[1:], grips[1:], free, strict=True):
        force = np.linalg.solve(tip["lambda_inverse"], tip["acceleration0"] - X @ load)
        pressed = contacts.type_i(np.zeros((6, 0)), np.eye(6), np.zeros(0), force)
        joints.append(_run(arm.at(contact=pressed))["qdd"])
    return np.concatenate(joints), load


def _run(arm: Problem) -> Mapping[str, Numbers]:
    return senn.run(arm, form="short", engine="lockstep", detail="summary").result
