"""The contact of the end effector with the environment as a joint n+1 (Fijany III.B, Type I).

Six-vectors are [omega; v] and [moment; force] in end-effector axes at O_{n+1}. The force is exerted BY the
end effector ON the environment. Accelerations are classical: of the point, not Featherstone's spatial ones.
"""

from dataclasses import dataclass, replace
from math import log10

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.chain import Chain
from senn.algorithms.spatial import Array
from senn.traces.errors import InputError

SINGULAR = 1e-12
DOUBTFUL = 1e-8
_ORTHONORMAL_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Contact:
    """What the contact prescribes: W' Vdot = G_C, and H' F = K_F (Fijany Eqs. (22)-(24))."""

    kind: str
    """"I" (Type I contact), or "none": the open chain, F = 0."""
    W: Array
    """(6, n_c) orthonormal columns: constrained directions."""
    H: Array
    """(6, 6 - n_c) orthonormal columns: free directions, H'W = 0."""
    G_C: Array | None
    """(n_c,) classical acceleration along W, m/s^2 and rad/s^2; None: W'[0; omega x v] of the present state.
    """
    K_F: Array
    """(6 - n_c,) force along H, N and N m."""

    @property
    def constrained(self) -> int:
        """n_c, the number of constrained directions."""
        return int(self.W.shape[1])


def type_i(
    W: ArrayLike,
    H: ArrayLike | None = None,
    G_C: ArrayLike | None = None,
    K_F: ArrayLike | None = None,
    where: str = "contact",
) -> Contact:
    """A checked Type I contact; `where` names the contact in messages.

    H may be left out when K_F is zero or left out: the result does not depend on the choice of the
    complement.
    """
    W = _matrix(W, f"{where}.W")
    count = W.shape[1]
    _check_orthonormal(W, f"{where}.W")
    force = _vector(K_F, 6 - count, f"{where}.K_F", "n_f = 6 - n_c")
    if H is None:
        if force.any():
            raise InputError(
                f"{where}.K_F is not zero but {where}.H is missing; "
                "K_F is counted along the columns of H: give H"
            )
        H = np.linalg.qr(W, mode="complete")[0][:, count:] if count else np.eye(6)
    H = _matrix(H, f"{where}.H")
    if H.shape[1] != 6 - count:
        raise InputError(
            f"{where}.H has {H.shape[1]} columns, expected {6 - count}: H and W ({count}) make 6 together"
        )
    _check_orthonormal(H, f"{where}.H")
    product = np.abs(H.T @ W)
    if product.size and product.max() > _ORTHONORMAL_TOLERANCE:
        row, column = np.unravel_index(product.argmax(), product.shape)
        raise InputError(
            f"{where}: column {column + 1} of W and column {row + 1} of H are not orthogonal "
            f"(their product is {product.max():.3g}); leave H out to get a complement"
        )
    acceleration = None if G_C is None else _vector(G_C, count, f"{where}.G_C", "n_c, the columns of W")
    for array in (W, H, force, acceleration):
        if array is not None:
            array.setflags(write=False)
    return Contact("I", W, H, acceleration, force)


def welded() -> Contact:
    """All six directions held: W = U."""
    return type_i(np.eye(6))


def none() -> Contact:
    """No contact: the open chain, F = 0."""
    return replace(type_i(np.zeros((6, 0)), np.eye(6), np.zeros(0)), kind="none")


def draw(chain: Chain, seed: int) -> Contact:
    """A contact for this chain, drawn from the seed.

    With n the degrees of freedom, n >= 7: welded tip. n < 7, where a welded tip is singular: W is the first
    max(1, n-1) columns of a random orthogonal 6x6 matrix, H the rest, K_F standard normal. G_C is left to the
    state. The stream is `default_rng([seed, 2])`: first the 6x6 matrix, then K_F.
    """
    if chain.degrees >= 7:
        return welded()
    rng = np.random.default_rng([seed, 2])
    basis, upper = np.linalg.qr(rng.standard_normal((6, 6)))
    basis = basis * np.sign(np.diag(upper))  # the factorisation's signs are arbitrary
    count = max(1, chain.degrees - 1)
    return type_i(basis[:, :count], basis[:, count:], None, rng.standard_normal(6 - count))


def force(contact: Contact, lambda_inverse: Array, acceleration0: Array) -> Array:
    """The contact force F_{n+1} (6,) by Fijany Eqs. (29) and (24), with Vdot_{0,n+1} on the right of (29)."""
    if contact.G_C is None:
        raise ValueError("G_C is not resolved: make the problem with problem.resolved")
    W, free = contact.W, contact.H @ contact.K_F
    rhs = W.T @ (acceleration0 - lambda_inverse @ free) - contact.G_C
    return np.asarray(free + W @ np.linalg.solve(W.T @ lambda_inverse @ W, rhs))


def pivot_ratio(contact: Contact, lambda_inverse: Array, tip_inverse_inertia: Array) -> float:
    """How regular W' Lambda^-1 W is: its smallest LDL' pivot over the matching diagonal entry of W' D W.

    D is `tip_inverse_inertia` = I_{n,n+1}^-1 (6, 6), frame n+1. Measured against D and not against the
    matrix's own diagonal because for a straight arm the diagonal entry itself vanishes. -log10 of the ratio
    is the number of digits lost in D - Theta. 1 when nothing is constrained.
    """
    W = contact.W
    if contact.constrained == 0:
        return 1.0
    left = W.T @ lambda_inverse @ W
    scale = np.einsum("ik,ij,jk->k", W, tip_inverse_inertia, W)
    ratio = np.inf
    for k in range(len(left)):
        pivot = left[k, k]
        ratio = min(ratio, float(pivot / scale[k]))
        if pivot <= 0.0:
            break
        left = left - np.outer(left[:, k], left[k, :]) / pivot
    return ratio


def check_regular(ratio: float, drawn: bool = False) -> None:
    """Refuse a contact whose `pivot_ratio` says that the force is not determined.

    Who had state and contact `drawn` wrote neither q nor W, and is told the other ways out first.
    """
    if ratio <= SINGULAR:
        lost = f"{-log10(ratio):.0f} of 16 digits are lost" if ratio > 1e-16 else "all 16 digits are lost"
        raise InputError(
            "contact is singular: the arm cannot move in a direction that W constrains, so the contact force "
            f"is not determined ({lost}, pivot ratio {ratio:.1e}); "
            f"{_DRAWN_WAY_OUT if drawn else _WAY_OUT}"
        )


_WAY_OUT = "constrain fewer directions (W), or leave the singular configuration (q)"
_DRAWN_WAY_OUT = (
    "state and contact were drawn: take another seed, or write a problem file with fewer constrained "
    "directions (W) or another configuration (q)"
)


def warning(ratio: float) -> str | None:
    """A sentence for the summary when `pivot_ratio` says that many digits of the force are lost; or None."""
    if ratio >= DOUBTFUL:
        return None
    return (
        f"contact is nearly singular: about {-log10(ratio):.0f} of 16 digits of the contact force are lost "
        f"(pivot ratio {ratio:.1e})"
    )


def _matrix(value: ArrayLike, where: str) -> Array:
    rows = [np.asarray(row, dtype=np.float64) for row in np.array(value, dtype=object)]
    if not rows:
        return np.zeros((6, 0))
    if len(rows) != 6:
        raise InputError(f"{where} has {len(rows)} rows, expected 6: omega x y z, v x y z")
    for number, row in enumerate(rows, 1):
        if row.shape != rows[0].shape:
            raise InputError(
                f"{where}: row {number} has {row.size} numbers, row 1 has {rows[0].size}; "
                "all rows need as many"
            )
    matrix = np.array(rows).reshape(6, -1)
    if not np.isfinite(matrix).all():
        raise InputError(f"{where} holds a number that is not finite")
    if matrix.shape[1] > 6:
        raise InputError(f"{where} has {matrix.shape[1]} columns, at most 6 are possible")
    return matrix


def _vector(value: ArrayLike | None, length: int, where: str, meaning: str) -> Array:
    if value is None:
        return np.zeros(length)
    vector = np.array(value, dtype=np.float64)
    if vector.shape != (length,):
        raise InputError(f"{where} has {vector.size} numbers, expected {length} ({meaning})")
    if not np.isfinite(vector).all():
        raise InputError(f"{where} holds a number that is not finite")
    return vector


def _check_orthonormal(matrix: Array, where: str) -> None:
    error = np.abs(matrix.T @ matrix - np.eye(matrix.shape[1]))
    if error.size and error.max() > _ORTHONORMAL_TOLERANCE:
        row, column = (int(k) + 1 for k in np.unravel_index(error.argmax(), error.shape))
        what = (
            f"column {row} is not of unit length"
            if row == column
            else f"columns {row} and {column} are not orthogonal"
        )
        raise InputError(f"{where}: {what}; orthonormalise the columns (only orthonormal ones are supported)")
