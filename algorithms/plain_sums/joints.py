"""How each type of joint moves its link: where to, and how fast, in the joint's frame.

What is said of a link is said of the origin of its frame, which the joint may move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from senn.algorithms.plain_sums import turns
from senn.algorithms.plain_sums.links import RATES, Link
from senn.algorithms.plain_sums.turns import Array


@dataclass(frozen=True, eq=False)
class Moves:
    """k joints of one type at their q: rows are joints, everything in the joint's frame."""

    turn: Array
    """(k, 3, 3)."""
    shift: Array
    """(k, 3) m."""
    spin: Array
    """(k, rates, 3): the angular velocity of the link for each rate alone."""
    slide: Array
    """(k, rates, 3): the velocity of its origin."""
    rate: Array
    """(k, 3): the angular acceleration that the rates make without qdd."""


def moves(kind: str, links: list[Link], q: Array, qd: Array) -> Moves:
    """q (k, coordinates), qd (k, rates) of k joints of this type."""
    count, rates = len(links), RATES[kind]
    axis = np.array([one.axis for one in links])
    turn, shift = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
    spin, slide, rate = np.zeros((count, rates, 3)), np.zeros((count, rates, 3)), np.zeros((count, 3))
    if kind in ("revolute", "helical", "cylindrical"):
        turn, spin[:, 0] = turns.about(axis, q[:, 0]), axis
    if kind == "prismatic":
        shift, slide[:, 0] = axis * q[:, :1], axis
    if kind == "helical":
        along = axis * np.array([one.pitch for one in links])[:, None]
        shift, slide[:, 0] = along * q[:, :1], along
    if kind == "cylindrical":
        shift, slide[:, 1] = axis * q[:, 1:], axis
    if kind == "universal":
        first = turns.about(axis, q[:, 0])
        second = np.array([one.second for one in links])
        turned = (first @ second[:, :, None])[:, :, 0]
        turn = first @ turns.about(second, q[:, 1])
        spin[:, 0], spin[:, 1] = axis, turned
        rate = qd[:, :1] * qd[:, 1:] * np.cross(axis, turned)  # the first carries the axis of the second
    if kind == "planar":
        frames = np.array([turns.z_to(one) for one in axis])
        x, y = frames[:, :, 0], frames[:, :, 1]
        turn, shift = turns.about(axis, q[:, 0]), x * q[:, 1:2] + y * q[:, 2:]
        spin[:, 0], slide[:, 1], slide[:, 2] = axis, x, y
    if kind in ("spherical", "free"):
        quaternion = q[:, :4] / np.sqrt((q[:, :4] ** 2).sum(axis=1, keepdims=True))
        turn, spin[:, :3] = turns.by_quaternion(quaternion), np.eye(3)
    if kind == "free":
        shift, slide[:, 3:] = q[:, 4:], np.eye(3)
    return Moves(turn, shift, spin, slide, rate)
