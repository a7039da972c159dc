"""Every kernel against dense NumPy on random blocks: 6x6 matrices from hat, six, W and H, and np.linalg.

A case is a kernel, its operands for a batch of three processes (None for what is absent) and the result
expected of it. The walk over the programs says which kernels there are; none may be without a case.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

from senn.algorithms.kernels import end_effector as touch
from senn.algorithms.kernels import link, sums
from senn.algorithms.kernels import operators as op
from senn.algorithms.kernels import system as k
from senn.algorithms.spatial import hat, inertia, pack, six, tilde
from senn.machine.program import Kernel
from tests.algorithms.kernels import branch_cases, joint_cases
from tests.algorithms.kernels.articulated_cases import articulated
from tests.algorithms.kernels.assembly_cases import ALLOWED, anywhere, assemblies, leaves
from tests.algorithms.kernels.cases import (
    BATCH,
    RNG,
    TYPES,
    Array,
    Case,
    H,
    W,
    by_vector,
    case,
    draw,
    inner,
    right_sides,
    rotation_z,
    rotations,
    shaped,
    spd,
    t,
)
from tests.algorithms.kernels.column_cases import in_columns
from tests.algorithms.kernels.end_cases import at_the_end
from tests.algorithms.kernels.jet_cases import curves
from tests.algorithms.kernels.two_port_cases import (
    links_as_two_ports,
    links_of_any_joint,
    spans_of_few_links,
    two_ports,
)
from tests.algorithms.kernels.uses import REVOLUTE, uses
from tests.algorithms.kernels.wide_cases import wide

# ------------------------------------------------------------------------ kernels.py


SIZES = (5, 3, 6)
"""Rows of a block of A: of lean arms, and of some wide ones."""
WIDER = ((3,), (3, 6), (6,), (6, 6), (21,))


def plain_sums() -> Iterator[Case]:
    for shape in [(5,), (15,), (5, 6), *WIDER]:
        x, y, z = draw(*shape), draw(*shape), draw(*shape)
        kernel = sums.minus.of(2)
        yield case(kernel, x - y - z, x, y, z)
        yield case(kernel, x - y, x, y, None)
        yield case(kernel, x - z, x, None, z)
    x, y, z = draw(3), draw(3), draw(3)
    yield case(sums.plus.of(1), x + y, x, y)
    yield case(sums.plus.of(2), x + y + z, x, y, z)
    yield case(sums.plus.of(2), x + y, x, y, None)
    yield case(sums.plus.of(2), x + z, x, None, z)
    for shape in [(), (3,), (6,), (21,), (6, 6)]:
        x, y = draw(*shape), draw(*shape)
        yield case(sums.difference, x - y, x, y)
    for shape in [(5,), (5, 6), *WIDER]:
        x, y = draw(*shape), draw(*shape)
        yield case(sums.total, x + y, x, y)


def factor(a: Array) -> Array:
    """L below the diagonal and 1/D on it, by Cholesky's factor of the same matrix."""
    cholesky = np.linalg.cholesky(a)
    pivots = np.diagonal(cholesky, axis1=-2, axis2=-1)
    unit_lower = cholesky / pivots[..., None, :]
    return pack(unit_lower + np.eye(a.shape[-1]) * (1.0 / pivots**2 - 1.0)[..., None])


def elimination(size: int) -> Iterator[Case]:
    a, b, lower, e = spd(size), draw(size, size), draw(size, size), draw(size, 6)
    held, inverse = factor(a), np.linalg.inv(a)
    c, f, omega = inverse @ b, inverse @ t(lower), inverse @ e
    yield case(k.ldl, held, pack(a))
    yield case(k.solve, np.linalg.solve(a, b), held, b)
    yield case(k.solve_transposed, np.linalg.solve(a, t(lower)), held, lower)
    yield case(k.transposed_product, pack(t(b) @ inverse @ b), b, c)
    yield case(k.product, pack(lower @ inverse @ t(lower)), lower, f)
    yield case(k.negative_product, -lower @ inverse @ b, lower, c)
    yield case(k.negative_transposed_times, -t(c) @ b, c, b)
    yield case(k.theta, pack(t(e) @ np.linalg.solve(a, e)), held, e)
    yield case(k.inner_product, pack(t(e) @ np.linalg.solve(a, e)), e, omega)
    yield case(k.inner_product_of_columns, pack(t(e) @ omega), e, *np.moveaxis(omega, -1, 0))
    for number in range(1, 7):
        yield case(k.column(number), e @ np.eye(6)[number - 1], e)
    square = draw(size, size)
    yield case(k.negative_transposed_times, -t(b) @ square, b, square)
    for columns, psi, stacked in right_sides(size):
        yield case(k.solve, shaped(columns, np.linalg.solve(a, stacked)), held, psi)
        yield case(k.transposed_times, shaped(columns, t(b) @ stacked), b, psi)
        yield case(k.negative_transposed_times, shaped(columns, -t(b) @ stacked), b, psi)


def pivots(size: int) -> Iterator[Case]:
    """phi_i from its neighbours and the row [L', A, B] phi = psi, in the two ways of the strategies."""
    a, b, lower = spd(size), draw(size, size), draw(size, size)
    held, c, f = factor(a), np.linalg.solve(a, b), np.linalg.solve(a, t(lower))
    for columns, psi, stacked in right_sides(size):
        after, before = draw(*psi.shape[1:]), draw(*psi.shape[1:])
        columned = [x[..., None] if columns is None else x for x in (after, before)]
        for first, alone in product((False, True), repeat=2):
            rest = stacked * (not alone) - b @ columned[0] - t(lower) @ columned[1] * (not first)
            expected = shaped(columns, np.linalg.solve(a, rest))
            y = shaped(columns, np.linalg.solve(a, stacked))
            none = (None, None)
            with_c = (c, after, *(none if first else (f, before)), *(() if alone else (y,)))
            yield case(k.minus_products(alone), expected, *with_c)
            with_b = (held, b, after, *(none if first else (lower, before)), *(() if alone else (psi,)))
            yield case(k.row_solution(alone), expected, *with_b)


# -------------------------------------------------------------------- link_kernels.py


def projections(joint: str) -> Iterator[Case]:
    """Step I.a and II.a of a link with constants in frame i+1, by 6x6 matrices about O_i."""
    mass, q = RNG.uniform(0.5, 2.0, BATCH), draw()
    central, centre, reach, rotation = spd(3), draw(3), draw(3), rotations()
    revolute = joint == REVOLUTE
    c = rotation_z(q) @ rotation if revolute else rotation
    slide = np.zeros((BATCH, 3)) if revolute else q[:, None] * rotation[:, 2, :]
    inverse = np.linalg.inv(inertia(mass, central, centre + slide))  # frame i+1
    turned = six(c) @ inverse @ t(six(c))  # frame i
    rz = np.stack([np.cos(q), np.sin(q)], -1) if revolute else np.tile([1.0, 0.0], (BATCH, 1))
    held_j = pack(rotation @ np.linalg.inv(central) @ t(rotation))
    held_s, held_p = by_vector(rotation, centre), by_vector(rotation, reach)

    yield case(link.planar(joint), rz, q)
    yield case(link.inverse_inertia(joint), pack(turned), rz, q, held_s, held_j, 1.0 / mass)
    for columns in (5, 6):
        x = draw(6, columns)
        constant = six(rotation) @ (inverse @ hat(reach) @ x if revolute else x)
        expected = W[joint].T @ turned @ six(c) @ hat(reach + slide) @ x
        yield case(link.coupling(joint), expected, rz, q, pack(turned), held_p, constant)
    expected = turned @ six(c) @ hat(reach + slide) @ x
    whole = link.coupling(joint, whole=True)
    yield case(whole, expected, rz, q, pack(turned), held_p, constant)


def frames() -> Iterator[Case]:
    c, further, v = rotations(), rotations(), draw(3)
    yield case(link.transpose, t(c), c)
    yield case(link.premultiply, further @ c, c, further)
    yield case(link.turn, by_vector(c, v), c, v)
    both = np.concatenate([by_vector(c, v), by_vector(c, v + 1.0)], axis=-1)
    yield case(link.turned_wrench, both, c, np.concatenate([v, v + 1.0], axis=-1))
    yield case(link.third_column, c @ np.array([0.0, 0.0, 1.0]), c)


def newton_euler() -> Iterator[Case]:
    w, dw, z, p, s, f, n, x = (draw(3) for _ in range(8))
    rate, c = draw(), rotations()
    yield case(link.gyration, np.cross(w, z), z, w)
    yield case(link.gyration, np.zeros((BATCH, 3)), z, None)
    qdd = draw()
    slide = z * qdd[:, None] + 2.0 * np.cross(w, z * rate[:, None])
    yield case(link.sliding, slide, w, z, rate, qdd)
    yield case(link.coriolis, 2.0 * np.cross(w, z * rate[:, None]), w, z, rate)
    u = tilde(dw) + tilde(w) @ tilde(w)
    yield case(link.spin_matrix, u, w, dw)
    yield case(link.gravity_free, np.cross(dw, s) + np.cross(w, np.cross(w, s)) - x, u, s, x)
    yield case(link.scaled, rate[:, None] * x, rate, x)
    j = spd(3)
    common = c @ j @ t(c)
    moment = by_vector(common, dw) + np.cross(w, by_vector(common, w))
    yield case(link.inertial_moment, moment, c, pack(j), w, dw)
    yield case(link.add_moment, n + np.cross(s, f), n, s, f)
    yield case(link.lever, n + np.cross(p, f), n, p, f)
    yield case(link.wrench, np.stack([p, f, n], axis=1), p, f, n)
    # a force moved over P and then over P' is moved over P + P'
    own, farther = draw(3, 3), draw(3, 3)
    moved = by_vector(hat(own[:, 0]), np.concatenate([farther[:, 2], farther[:, 1]], axis=1))
    expected = np.stack(
        [own[:, 0] + farther[:, 0], own[:, 1] + farther[:, 1], own[:, 2] + moved[:, :3]], axis=1
    )
    yield case(link.farther, expected, own, farther)


def end_accelerations() -> Iterator[Case]:
    v0, bias, c = draw(6), draw(6), rotations()
    yield case(link.end_acceleration, v0 + bias, v0[:, :3], v0[:, 3:], bias[:, :3], bias[:, 3:])
    expected = v0 + by_vector(t(six(c)), bias)
    yield case(link.end_acceleration_turned, expected, v0, c, bias[:, :3], bias[:, 3:])


# ---------------------------------------------------------------- operator_kernels.py


def wrenches(joint: str, following: str) -> Iterator[Case]:
    """I^-1 (X_i - C6 P^_i X_{i+1}) of wrenches along the joint (H) and of constraint forces (W)."""
    inverse, c, p, force, after = spd(6), rotations(), draw(3), draw(), draw()
    pass_on = six(c) @ hat(p)
    own, far = (H[joint] @ force[:, None, None]), pass_on @ H[following] @ after[:, None, None]
    kernel = op.joint_wrench(joint, following)
    yield case(kernel, (inverse @ (own - far))[..., 0], force, c, p, pack(inverse), after)
    yield case(kernel, (inverse @ own)[..., 0], force, c, p, pack(inverse), None)
    for (columns, phi, here), (_, after, beyond) in zip(right_sides(5), right_sides(5), strict=True):
        kernel = op.constraint_wrench(joint, following)
        x4 = shaped(columns, inverse @ (W[joint] @ here - pass_on @ W[following] @ beyond))
        yield case(kernel, x4, pack(inverse), phi, c, p, after)
        x4 = shaped(columns, inverse @ W[joint] @ here)
        yield case(kernel, x4, pack(inverse), phi, c, p, None)


def motions(joint: str) -> Iterator[Case]:
    """P^_i' C6(i+1,i) X_i and what joint i + 1 or i takes of it."""
    c, p = rotations(), draw(3)
    carry = t(hat(p)) @ t(six(c))
    for columns, x, stacked in right_sides(6):
        yield case(op.carried, shaped(columns, carry @ stacked), c, p, x)
        expected = shaped(columns, (H[joint].T @ carry @ stacked)[:, 0])
        yield case(op.carried_component(joint), expected, c, p, x)
        own = shaped(columns, (H[joint].T @ stacked)[:, 0])
        before = draw(*own.shape[1:])
        yield case(op.joint_component(joint), own - before, x, before)
        yield case(op.joint_component(joint), own, x, None)


def end_effector() -> Iterator[Case]:
    inverse, c, p, force = spd(6), rotations(), draw(3), draw(6)
    pass_on = six(c) @ hat(p)
    yield case(op.end_wrench, by_vector(inverse @ pass_on, force), pack(inverse), c, p, force)
    yield case(op.end_response, inverse @ pass_on, pack(inverse), c, p)
    qdd, y = draw(), draw(6)
    yield case(op.response, qdd - inner(y, force), qdd, y, force)
    for shape in [(6,), (6, 6)]:
        x4, x1 = draw(*shape), draw(*shape)
        yield case(op.less_or_negative, x1 - x4, x4, x1)
        yield case(op.less_or_negative, -x4, x4, None)


def contacts() -> Iterator[Case]:
    """Step III by Eqs. (29) and (24), for n_c = 1..6 constrained directions, and F = H K_F for none."""
    inverse, acceleration = spd(6), draw(6)
    basis = np.linalg.qr(draw(6, 6))[0]
    for c in range(1, 7):
        w, h, g_c, k_f = basis[..., :c], basis[..., c:], draw(c), draw(6 - c)
        free = by_vector(h, k_f)
        right = by_vector(t(w), acceleration - by_vector(inverse, free)) - g_c
        k_c = np.linalg.solve(t(w) @ inverse @ w, right[..., None])[..., 0]
        rest = (h, k_f) if c < 6 else ()
        operands = (pack(inverse), acceleration, w, g_c, *rest)
        yield case(touch.constraint_force, k_c, *operands)
        yield case(touch.contact_force(6 - c), by_vector(w, k_c) + free, w, k_c, *rest)
    k_f = draw(6)
    yield case(touch.given_force, by_vector(basis, k_f), basis, k_f)
    yield from oblique_contacts(inverse, acceleration)


def oblique_contacts(inverse: Array, acceleration: Array) -> Iterator[Case]:
    """Type II for n_c = 1..5, bases not orthonormal, by Eqs. (26), (24), (25) as one system in F and K_C:
    W' (Vdot_0 - Lambda^-1 F) = G_C, F - (W + H phi) K_C = H d. The general contact as one system in F and
    Omega: Vdot_0 - Lambda^-1 F = M1 Omega + k1, F - M2 Omega = k2."""
    unit = np.broadcast_to(np.eye(6), (BATCH, 6, 6))
    for c in range(1, 6):
        w, h, phi = draw(6, c), draw(6, 6 - c), draw(6 - c, c)
        g_c, d = draw(c), draw(6 - c)
        top = np.concatenate([t(w) @ inverse, np.zeros((BATCH, c, c))], axis=-1)
        whole = np.concatenate([top, np.concatenate([unit, -(w + h @ phi)], axis=-1)], axis=-2)
        right = np.concatenate([by_vector(t(w), acceleration) - g_c, by_vector(h, d)], axis=-1)
        k_c = np.linalg.solve(whole, right[..., None])[..., 6:, 0]
        yield case(touch.oblique_force, k_c, pack(inverse), acceleration, w, g_c, h, phi, d)
        yield case(touch.coupled_force, by_vector(phi, k_c) + d, phi, k_c, d)
        k_f = draw(6 - c)
        sum_of_both = by_vector(w, k_c) + by_vector(h, k_f)
        yield case(touch.contact_force(6 - c), sum_of_both, w, k_c, h, k_f)
    m1, k1, m2, k2 = draw(6, 6), draw(6), draw(6, 6), draw(6)
    whole = np.concatenate(
        [np.concatenate([inverse, m1], axis=-1), np.concatenate([unit, -m2], axis=-1)], axis=-2
    )
    right = np.concatenate([acceleration - k1, k2], axis=-1)
    solved = np.linalg.solve(whole, right[..., None])[..., 0]
    omega = solved[..., 6:]
    yield case(touch.unknowns, omega, pack(inverse), acceleration, m1, k1, m2, k2)
    yield case(touch.general_force, solved[..., :6], m2, omega, k2)


# ------------------------------------------------------------------------------ tests


@cache
def cases() -> tuple[Case, ...]:
    groups: list[Iterator[Case]] = [plain_sums(), frames()]
    groups += [of(size) for of in (elimination, pivots) for size in SIZES]
    groups += [newton_euler(), end_accelerations(), end_effector(), contacts(), wide()]
    groups += [of(joint) for of in (projections, motions) for joint in TYPES]
    groups += [wrenches(joint, following) for joint in TYPES for following in TYPES]
    groups += [
        in_columns(),
        articulated(),
        at_the_end(),
        anywhere(),
        *(assemblies(joint, None) for joint in TYPES),
        *(assemblies(joint, 6) for joint in ALLOWED),
        *(leaves(joint) for joint in ALLOWED),
        two_ports(),
        *(spans_of_few_links(links) for links in (1, 2)),
        *(links_as_two_ports(joint) for joint in TYPES),
        links_of_any_joint(),
        curves(),
        joint_cases.cases(),
    ]
    groups.append(case(*given) for given in branch_cases.cases())
    return tuple(found for group in groups for found in group)


def test_kernels_against_dense_numpy() -> None:
    """To 1e-12 of the largest entry; operands are read only, so a kernel that writes into them fails."""
    for kernel, operands, expected in cases():
        for operand in operands:
            if operand is not None:
                operand.setflags(write=False)
        result = kernel.evaluate(*operands)
        assert result.shape == expected.shape, kernel
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12 * scale, err_msg=kernel.name)


def test_a_process_computes_the_same_bits_alone() -> None:
    """So no engine and no allocation, which group the lanes, can change a result."""
    for kernel, operands, _ in cases():
        together = kernel.evaluate(*operands)
        for process in range(BATCH):
            part = slice(process, process + 1)
            alone = kernel.evaluate(*(None if x is None else x[part] for x in operands))
            np.testing.assert_array_equal(alone[0], together[process], err_msg=kernel.name)


def test_every_kernel_of_a_program_has_a_case() -> None:
    with_case = {described(kernel) for kernel, *_ in cases()}
    assert {described(use.kernel) for use in uses()} - with_case == set()


def described(kernel: Kernel) -> tuple[object, ...]:
    """What makes two kernels the same: name, types of joints, first number of their structure, and form."""
    name, *structure = kernel.name.split(".")
    types = tuple(part for part in structure[1:] if not part.isdigit())
    return name, *structure[:1], types, kernel.form
