"""What a solver of the single closed chain returns."""

from dataclasses import dataclass

from senn.algorithms.spatial import Numbers


@dataclass(frozen=True, eq=False)
class Solution:
    """The answers of Fijany Table I for one problem; every solver of this project returns this."""

    qdd: Numbers
    """(degrees,) joint accelerations of the closed chain, rad/s^2 or m/s^2."""
    force: Numbers
    """(6,) contact force [moment; force] BY the end effector ON the environment, frame n+1 at O_{n+1}; N m,
    N."""
    lambda_inverse: Numbers
    """(6, 6) inverse of the operational space mass matrix, frame n+1 at O_{n+1} (Fijany Eq. (21))."""
    qdd0: Numbers
    """(degrees,) joint accelerations of the open chain (Fijany Eq. (15))."""
    acceleration0: Numbers
    """(6,) end-effector acceleration of the open chain (Fijany Eq. (19)): classical, [angular; of the point
    O_{n+1}], frame n+1, without any trace of gravity put in as a base acceleration."""
    forces: Numbers
    """(n, 6) interbody forces of the closed chain: row i-1 is the wrench [moment; force] that link i-1 exerts
    on link i, at O_i in frame i; N m, N. H_i' of it is tau_i."""
