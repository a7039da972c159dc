"""The operators of Jain and of Fijany as dense matrices, in base axes, blocks from the tip to the base.

Jain's k = 1..n and Fijany's i = N..1 run the same way: both count the tip's block first. M, J and the bias
come from Pinocchio, which shares no line with the rest.
"""

from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import Chain, configuration
from tests.algorithms.robots.oracle import oracle

Matrix = np.ndarray[Any, Any]


def blocks(*diagonal: Matrix) -> Matrix:
    """A block diagonal matrix."""
    total = np.zeros((sum(x.shape[0] for x in diagonal), sum(x.shape[1] for x in diagonal)))
    row = column = 0
    for x in diagonal:
        total[row : row + x.shape[0], column : column + x.shape[1]] = x
        row, column = row + x.shape[0], column + x.shape[1]
    return total


class Operators:
    """Everything about one random arm of n joints, half of them prismatic."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.chain: Chain = generators.generate(f"random:{n}:prismatic=0.5:seed={n}")
        rng = np.random.default_rng(n)
        self.q, self.qd, self.qdd = rng.uniform(-1.0, 1.0, (3, n))
        self.model = oracle(self.chain)
        self.model.set_gravity(np.zeros(3))

        pose = configuration(self.chain, self.q)
        frames = np.array(list(accumulate(pose.rotation, np.matmul, initial=self.chain.base_rotation)))
        outer, axes = frames[1:], frames[:-1, :, 2]
        step = np.einsum("nij,nj->ni", outer, pose.position)
        centre = np.einsum("nij,nj->ni", outer, pose.centre)
        inertia = outer @ self.chain.inertia @ spatial.transposed(outer)
        none = np.zeros(3)
        slides = [joint == "prismatic" for joint in self.chain.joints]

        self.tip_axes = spatial.six(frames[-1])
        """Turns six-vectors of frame n+1 to base axes."""
        self.step, self.centre, self.central = step[::-1], centre[::-1], inertia[::-1]
        self.mass = self.chain.mass[::-1]
        self.relative = [
            np.r_[none, z] if slide else np.r_[z, none] for z, slide in zip(axes, slides, strict=True)
        ][::-1]
        frame_columns = [np.delete(np.eye(6), 5 if slide else 2, axis=1) for slide in slides]
        turned = [spatial.six(frame) @ w for frame, w in zip(frames[:-1], frame_columns, strict=True)]
        self.W = blocks(*turned[::-1])
        """(6n, 5n): Fijany's W."""
        self.Ht = blocks(*(h[:, None] for h in self.relative))
        """(6n, n): Jain's H*, Fijany's H."""
        self.H = self.Ht.T
        self.M = blocks(*map(spatial.inertia, self.mass, self.central, self.centre))
        """(6n, 6n): Jain's M, Fijany's I: inertias of the links about O_k."""
        self.E_phi = np.zeros((6 * n, 6 * n))
        for k in range(n - 1):  # phi(k+1, k): from the joint of the next link inward
            self.E_phi[6 * k + 6 : 6 * k + 12, 6 * k : 6 * k + 6] = spatial.hat(self.step[k + 1])
        self.U = np.eye(6 * n)
        self.phi = np.linalg.inv(self.U - self.E_phi)
        self.P_bar = self.U - self.E_phi
        """Fijany's bidiagonal matrix, the inverse of phi."""
        self.beta = np.zeros((6, 6 * n))
        self.beta[:, :6] = spatial.hat(self.step[0]).T

    @cached_property
    def mass_matrix(self) -> Matrix:
        """Pinocchio's, tip to base."""
        return np.asarray(self.model.mass_matrix(self.q)[::-1, ::-1])

    @cached_property
    def jacobian(self) -> Matrix:
        """Pinocchio's, base axes, tip to base."""
        return np.asarray(self.tip_axes @ self.model.jacobian(self.q)[:, ::-1])

    @cached_property
    def bias(self) -> Matrix:
        """Pinocchio's, without gravity, tip to base."""
        return np.asarray(self.model.bias(self.q, self.qd)[::-1])

    # ------------------------------------------------------------ Jain

    @cached_property
    def a(self) -> Matrix:
        """Coriolis and centrifugal accelerations, Eq. (14)."""
        rates = self.qd[::-1]
        velocity = (self.phi.T @ self.Ht @ rates).reshape(self.n, 6)
        rows = np.zeros((self.n, 6))
        for k in range(self.n):
            inner = velocity[k + 1, :3] if k + 1 < self.n else np.zeros(3)
            lever = self.step[k + 1] if k + 1 < self.n else np.zeros(3)
            turn, slide = (self.relative[k] * rates[k]).reshape(2, 3)
            centripetal = np.cross(inner, np.cross(inner, lever))
            rows[k] = np.r_[np.cross(inner, turn), centripetal + 2 * np.cross(inner, slide)]
        return rows.ravel()

    @cached_property
    def b(self) -> Matrix:
        """Gyroscopic forces, Eq. (11)."""
        velocity = (self.phi.T @ self.Ht @ self.qd[::-1]).reshape(self.n, 6)
        rows = []
        for k, omega in enumerate(velocity[:, :3]):
            about = self.M[6 * k : 6 * k + 3, 6 * k : 6 * k + 3]
            pull = self.mass[k] * np.cross(omega, np.cross(omega, self.centre[k]))
            rows.append(np.r_[np.cross(omega, about @ omega), pull])
        return np.concatenate(rows)

    @cached_property
    def R(self) -> Matrix:
        """Composite inertias by their definition: what is beyond, about O_k."""
        beyond, found = np.zeros((6, 6)), []
        for k in range(self.n):
            shift = self._shift(k)
            beyond = shift @ beyond @ shift.T + self._link(k)
            found.append(beyond)
        return blocks(*found)

    @cached_property
    def P(self) -> Matrix:
        """Articulated inertias, Eq. (40)."""
        beyond, found = np.zeros((6, 6)), []
        for k in range(self.n):
            shift, h = self._shift(k), self.relative[k]
            P = shift @ beyond @ shift.T + self._link(k)
            found.append(P)
            beyond = P - np.outer(P @ h, P @ h) / (h @ P @ h)
        return blocks(*found)

    def _shift(self, k: int) -> Matrix:
        return spatial.hat(self.step[k])

    def _link(self, k: int) -> Matrix:
        return self.M[6 * k : 6 * k + 6, 6 * k : 6 * k + 6]

    @cached_property
    def D(self) -> Matrix:
        return self.H @ self.P @ self.Ht

    @cached_property
    def G(self) -> Matrix:
        return self.P @ self.Ht @ np.linalg.inv(self.D)

    @cached_property
    def K(self) -> Matrix:
        return self.E_phi @ self.G

    @cached_property
    def tau_bar(self) -> Matrix:
        """The projection U - G H, Eq. (39)."""
        return self.U - self.G @ self.H

    @cached_property
    def psi(self) -> Matrix:
        return np.linalg.inv(self.U - self.E_phi @ self.tau_bar)

    # ---------------------------------------------------------- Fijany

    @cached_property
    def inverse(self) -> Matrix:
        """I^-1, the links' inverse inertias."""
        return np.linalg.inv(self.M)

    @cached_property
    def A(self) -> Matrix:
        return self.W.T @ self.P_bar.T @ self.inverse @ self.P_bar @ self.W

    @cached_property
    def B(self) -> Matrix:
        return self.W.T @ self.P_bar.T @ self.inverse @ self.P_bar @ self.Ht

    @cached_property
    def C(self) -> Matrix:
        return self.H @ self.P_bar.T @ self.inverse @ self.P_bar @ self.Ht

    @cached_property
    def Et(self) -> Matrix:
        """E' (6, 5n) by its definition, beta I^-1 P W."""
        return self.beta @ self.inverse @ self.P_bar @ self.W

    @cached_property
    def kernel(self) -> Matrix:
        """Fijany's K = I^-1 - I^-1 P W A^-1 W'P'I^-1."""
        half = self.inverse @ self.P_bar @ self.W
        return self.inverse - half @ np.linalg.solve(self.A, half.T)

    @cached_property
    def about_tip(self) -> Matrix:
        """I_{N,N+1}: the last link's inertia about O_{N+1}."""
        return spatial.inertia(self.mass[0], self.central[0], self.centre[0] - self.step[0])
