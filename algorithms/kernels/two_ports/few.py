"""A span of few links as a two-port: C has the rank of its joints, and is held by its factors.

C = B D^-1 B' with a column of B and an entry of the diagonal D for each joint, [B; D] of (7, r). Where a
span y follows x, the joints of x are eliminated one after the other, as articulated bodies do it:

    D_x + B_x' J_y B_x = L E L',  Q = B_x L'^-1,  P = J_y Q
    K = 1 - Q E^-1 P',  K C_x = Q E^-1 Q',  and C of the product has the factors [B_y, A_y Q; D_y, E]

What K is known by is [Q; P; E; E^-1] of (14, r). All else of a product is as in
`senn.algorithms.kernels.two_ports.span`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from senn.algorithms.blocks import Blocks, apply, full, symmetric_product, times, transposed
from senn.machine.program import Kernel


def _closed(c: Blocks, j: Blocks) -> Blocks:
    q, e = c[..., :6, :].copy(), c[..., 6, :].copy()
    p = times(full(j), q)
    size = q.shape[-1]
    s = {(k, m): apply(q[..., None, :, k], p[..., :, m])[..., 0] for m in range(size) for k in range(m + 1)}
    reciprocal = np.empty_like(e)
    for k in range(size):
        e[..., k] = e[..., k] + s[k, k]
        reciprocal[..., k] = 1.0 / e[..., k]
        for m in range(k + 1, size):
            factor = s[k, m] * reciprocal[..., k]
            for x in (q, p):
                x[..., m] = x[..., m] - factor[..., None] * x[..., k]
            for r in range(m, size):
                s[m, r] = s[m, r] - factor * s[k, r]
    return np.concatenate([q, p, e[..., None, :], reciprocal[..., None, :]], axis=-2)


def _parts(k: Blocks) -> tuple[Blocks, Blocks, Blocks]:
    """Q, P and E^-1 as a column."""
    return k[..., :6, :], k[..., 6:12, :], k[..., 13, :, None]


def _through(k: Blocks, a: Blocks) -> Blocks:
    q, p, reciprocal = _parts(k)
    return a - times(q, reciprocal * times(transposed(p), a))


def _of_joints(x: Blocks, reciprocal: Blocks) -> Blocks:
    """X E^-1 X', packed."""
    return symmetric_product(transposed(x) * reciprocal, transposed(x))


def _joined_behind(own: Blocks, a: Blocks | None, k: Blocks | None) -> Blocks:
    if a is None or k is None:  # no joints before: columns of zeros, and D = 1
        none = np.zeros_like(own)
        none[..., 6, :] = 1.0
        return np.concatenate([own, none], axis=-1)
    moved = times(a, k[..., :6, :])
    return np.concatenate([own, np.concatenate([moved, k[..., 12:13, :]], axis=-2)], axis=-1)


def _packed(c: Blocks) -> Blocks:
    return _of_joints(c[..., :6, :], 1.0 / c[..., 6, :, None])


def _packed_behind(own: Blocks, a: Blocks | None, k: Blocks | None) -> Blocks:
    if a is None or k is None:
        return _packed(own)
    return _packed(own) + _of_joints(times(a, k[..., :6, :]), k[..., 13, :, None])


def _ahead(behind: Callable[..., Blocks]) -> Callable[..., Blocks]:
    """The same for the span that is ahead, which is all where nothing follows."""
    return lambda own, c, a, k: behind(own if c is None else c, a, k)


def _still(b: Blocks, bias: Blocks, k: Blocks, c: Blocks, j: Blocks) -> Blocks:
    q, p, reciprocal = _parts(k)
    given, eta = b[..., :6], bias[..., 6:]
    pushed = apply(transposed(p), given) + apply(transposed(q), eta)
    first = given - apply(q, reciprocal[..., 0] * pushed)
    pushed = apply(transposed(c[..., :6, :]), apply(full(j), first) + eta)
    left = given - first - apply(c[..., :6, :], pushed / c[..., 6, :])
    found: Blocks = first + (left - apply(q, reciprocal[..., 0] * apply(transposed(p), left)))
    return found


close = Kernel("close_few", "ldl({0}, {1})", _closed)
"""The joints of the inner span eliminated against J of the outer one."""
through = Kernel("through_few", "{0}^-1 {1}", _through)
"""K A_x."""
compliance_behind = Kernel("few_behind", "[{0}, {1} {2}]", _joined_behind, alone=True)
compliance_ahead = Kernel("few_ahead", "[{1}, {2} {3}] or {0}", _ahead(_joined_behind), alone=True)
packed_behind = Kernel("packed_behind", "{0} + {1} {2} {1}', packed", _packed_behind, alone=True)
packed_ahead = Kernel("packed_ahead", "{1} + {2} {3} {2}' or {0}, packed", _ahead(_packed_behind), alone=True)
still = Kernel("still_few", "{2}^-1 (b of {0} - {3} eta of {1}), corrected by {4}", _still)
"""k = K (b_x - C_x eta_y), and K times what is left of b_x - C_x eta_y - (1 + C_x J_y) k: b of a light link
is large beside k, and K as a projection leaves its rounding, which factors of 1 + C J do not."""
