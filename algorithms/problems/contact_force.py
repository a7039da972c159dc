"""The contact as a joint n+1 (Fijany III.B-D): its force, how well that is determined, how well it is obeyed.

Six-vectors are [omega; v] and [moment; force] in end-effector axes at O_{n+1}. The force is exerted BY the
end effector ON the environment. Accelerations are classical: of the point, not Featherstone's spatial ones.
"""

from math import log10

import numpy as np

from senn.algorithms.problems.contact_forms import TOUCHES
from senn.algorithms.problems.contacts import Contact
from senn.algorithms.robots.chain import Chain
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError

SINGULAR = 1e-12
DOUBTFUL = 1e-8


def contact_force(contact: Contact, lambda_inverse: Numbers, acceleration0: Numbers) -> Numbers:
    """The contact force F_{n+1} (6,), with Vdot_{0,n+1} (6,) of the open chain.

    Type I: Eqs. (29) and (24), Vdot_{0,n+1} on the right of (29). Type II: W' Lambda^-1 (H phi + W) K_C =
    W' (Vdot_0 - Lambda^-1 H d) - G_C. General: Eqs. (39) and (38).
    """
    words = contact.fixed_in, contact.acceleration
    if words != ("end_effector", "classical") or contact.G_C is None:
        raise ValueError("the contact is not settled (G_C, axes): take the contact of a problem")
    along, move, prescribed, press, load = contact.equations(np.float64)
    rhs = along @ (acceleration0 - lambda_inverse @ load) - prescribed
    return np.asarray(press @ np.linalg.solve(along @ lambda_inverse @ press + move, rhs) + load)


def pivot_ratio(contact: Contact, lambda_inverse: Numbers, tip_inverse_inertia: Numbers) -> float:
    """How regular the equations of the contact force are: -log10 of it is the number of digits lost.

    Type I: the smallest LDL' pivot of W' Lambda^-1 W over the matching diagonal entry of W' D W, D being
    `tip_inverse_inertia` = I_{n,n+1}^-1 (6, 6), frame n+1. Measured against D and not against the matrix's
    own diagonal because for a straight arm the diagonal entry itself vanishes. The other types: the smallest
    pivot in an elimination with complete pivoting of the matrix in the measure of D, in which no entry
    exceeds 1 (D - Lambda^-1 is positive semidefinite). 1 when nothing is constrained.
    """
    law = contact.law
    W, press = (np.eye(6), law.M2) if law else (contact.W, contact.bearing)
    if not W.size:
        return 1.0
    matrix = W.T @ lambda_inverse @ press
    scale = np.einsum("ik,ij,jk->k", W, tip_inverse_inertia, W)
    if contact.kind == "I":
        return held_ratio(matrix, scale)
    # Over the most that the entries could be with D in place of Lambda^-1.
    rows = np.sqrt(scale)[:, None]
    most = np.sqrt(np.einsum("ik,ij,jk->k", press, tip_inverse_inertia, press))
    if law:
        matrix, most = matrix + law.M1, most + np.abs(law.M1 / rows).max(axis=0)
    return _smallest_pivot(matrix / (rows * most))


def held_ratio(left: Numbers, scale: Numbers) -> float:
    """`pivot_ratio` of a Type I contact, from W' Lambda^-1 W (n_c, n_c) and the diagonal of W' D W."""
    ratio = np.inf
    for k in range(len(left)):
        pivot = left[k, k]
        ratio = min(ratio, float(pivot / scale[k]))
        if pivot <= 0.0:
            break
        left = left - np.outer(left[:, k], left[k, :]) / pivot
    return ratio


def check_regular(ratio: float, drawn: bool = False, kind: str = "I", lightness: float = 1.0) -> None:
    """Refuse a contact whose `pivot_ratio` says that the force is not determined.

    Of a state and contact that were `drawn`, nobody wrote q or W: the message names other ways out. Where the
    last link is nearly nothing (`lightness`), that is why, and not that the arm cannot move.
    """
    if ratio > SINGULAR:
        return
    lost = f"{-log10(ratio):.0f} of 16 digits are lost" if ratio > 1e-16 else "all 16 digits are lost"
    why, way_out = _SINGULAR[kind]
    fault = f"contact is singular: {why}"
    if lightness < _TOO_LIGHT:
        fault = f"the last link is too light: {_LIGHT.format(lightness)}"
        way_out = "give it the mass of the tool or the load that it carries, or fix it to its neighbour"
    elif drawn:
        way_out = (
            "state and contact were drawn: take another seed, or write a problem file with fewer constrained "
            "directions (W) or another configuration (q)"
        )
    raise InputError(
        f"{fault}, so the contact force is not determined ({lost}, pivot ratio {ratio:.1e}); {way_out}"
    )


_TOO_LIGHT = 1e-6
_LIGHT = (
    "it has {:.0e} of the mass or inertia of the heaviest link, and Lambda^-1 is a difference from what it "
    "would do alone"
)


def lightness(chain: Chain) -> float:
    """The least part that the last link has of the heaviest link's mass, or of the largest inertia."""
    inertia = np.trace(chain.inertia, axis1=1, axis2=2)
    return float(min(chain.mass[-1] / chain.mass.max(), inertia[-1] / inertia.max()))


_FEWER = "constrain fewer directions (W), or leave the singular configuration (q)"
_IMMOBILE = "the arm cannot move in a direction that W constrains"
_IN_A_WORD = (
    "the arm cannot move in a direction that is held",
    "take a contact that holds fewer directions (point, line, plane, free), or another state (q, or a seed)",
)
_SINGULAR = {
    "none": (_IMMOBILE, _FEWER),
    "I": (_IMMOBILE, _FEWER),
    "II": (f"{_IMMOBILE}, or phi jams it (W' Lambda^-1 (H phi + W) has no inverse)", f"change phi, {_FEWER}"),
    **dict.fromkeys(("weld", *TOUCHES), _IN_A_WORD),
    "general": (
        "Lambda^-1 M2 + M1 has no inverse",
        "change M1 or M2, or leave the singular configuration (q)",
    ),
}
"""Error and correction, by kind of contact, or by its word."""


def warning(ratio: float, lightness: float = 1.0) -> str | None:
    """A sentence for the summary when `pivot_ratio` says that many digits of the force are lost; or None."""
    if ratio >= DOUBTFUL:
        return None
    what = "contact is nearly singular"
    if lightness < _TOO_LIGHT:
        what = f"the last link is very light ({_LIGHT.format(lightness)})"
    lost = f"about {-log10(ratio):.0f} of 16 digits of the contact force are lost"
    return f"{what}: {lost} (pivot ratio {ratio:.1e})"


def _smallest_pivot(matrix: Numbers) -> float:
    """The smallest pivot of an elimination with complete pivoting."""
    smallest = np.inf
    while matrix.size:
        row, column = np.unravel_index(np.abs(matrix).argmax(), matrix.shape)
        pivot = matrix[row, column]
        smallest = min(smallest, abs(float(pivot)))
        if pivot == 0.0:
            break
        left = matrix - np.outer(matrix[:, column], matrix[row, :]) / pivot
        matrix = np.delete(np.delete(left, row, axis=0), column, axis=1)
    return smallest
