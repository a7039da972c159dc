"""The operator factorisations of Jain, Fijany and Fijany's operational space paper, as dense identities.

Left sides are Pinocchio's M, J and bias wherever one of them stands there. Where a paper prints something
else, the test says so and shows that what is printed fails.
"""

from functools import cache

import numpy as np
import pytest
from numpy.linalg import inv, solve

from senn.algorithms import spatial
from tests.algorithms.operators import Matrix, Operators
from tests.algorithms.robots.oracle import relative

LENGTHS = (1, 2, 5, 9)
WRONG = 1e-2


@cache
def arm(n: int) -> Operators:
    return Operators(n)


@pytest.fixture(params=LENGTHS)
def of(request: pytest.FixtureRequest) -> Operators:
    return arm(request.param)


def same(found: Matrix, expected: Matrix, tolerance: float = 1e-11) -> None:
    """Up to rounding, which the inversions of A and M magnify by their condition numbers (below 1e4 here)."""
    assert relative(found, expected) < tolerance


# ---------------------------------------------------------------------- Jain


def test_jain_20_phi_is_made_of_shifts(of: Operators) -> None:
    """phi = (I - E_phi)^-1 has the blocks phi(i,j), the shift from O_j to O_i, and 0 above."""
    for i in range(of.n):
        for j in range(of.n):
            block = of.phi[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
            lever = of.step[j + 1 : i + 1].sum(axis=0)
            same(block, spatial.hat(lever) if j <= i else np.zeros((6, 6)))


def test_jain_21_a_mass_matrix(of: Operators) -> None:
    """(A): M = H phi M phi* H*."""
    same(of.H @ of.phi @ of.M @ of.phi.T @ of.Ht, of.mass_matrix)


def test_jain_21_bias(of: Operators) -> None:
    """C = H phi (M phi* a + b), with a of (14) and b of (11)."""
    scale = np.abs(of.bias).max() or 1.0
    assert np.abs(of.H @ of.phi @ (of.M @ of.phi.T @ of.a + of.b) - of.bias).max() < 1e-12 * scale + 1e-15


def test_jain_26_and_27_composite_bodies(of: Operators) -> None:
    """M = R - E R E*, so phi M phi* = R + (phi - U) R + R (phi - U)*."""
    same(of.R - of.E_phi @ of.R @ of.E_phi.T, of.M)
    strict = of.phi - of.U
    same(of.R + strict @ of.R + of.R @ strict.T, of.phi @ of.M @ of.phi.T)


def test_jain_lemma_3_2_force_of_composite_bodies(of: Operators) -> None:
    """f = R alpha + (phi - U) R H* betadot, and H f = M betadot."""
    motion = of.Ht @ of.qdd
    force = of.R @ of.phi.T @ motion + (of.phi - of.U) @ of.R @ motion
    same(of.H @ force, of.mass_matrix @ of.qdd)


def test_jain_section_4_preconditioner_is_the_diagonal_of_the_mass_matrix(of: Operators) -> None:
    same(of.H @ of.R @ of.Ht, np.diag(np.diag(of.mass_matrix)))


def test_jain_39_and_41_projections(of: Operators) -> None:
    """tau-bar is a projection, and P+ = P tau-bar* = tau-bar P = tau-bar P tau-bar*."""
    same(of.tau_bar @ of.tau_bar, of.tau_bar)
    same(of.P @ of.tau_bar.T, of.tau_bar @ of.P)
    same(of.tau_bar @ of.P @ of.tau_bar.T, of.tau_bar @ of.P)
    assert np.abs(of.tau_bar.T @ of.Ht).max() < 1e-12


def test_jain_42_riccati(of: Operators) -> None:
    """P = E_psi P E_psi* + M."""
    E_psi = of.E_phi @ of.tau_bar
    same(E_psi @ of.P @ E_psi.T + of.M, of.P)


def test_jain_lemma_6_1_inverse_of_psi(of: Operators) -> None:
    """psi^-1 = phi^-1 + K H."""
    same(inv(of.phi) + of.K @ of.H, inv(of.psi))


def test_jain_lemma_6_2_b_innovations_factorisation(of: Operators) -> None:
    """(B): M = [I + H phi K] D [I + H phi K]*, the first factor lower triangular, ones on its diagonal."""
    left = np.eye(of.n) + of.H @ of.phi @ of.K
    same(left @ of.D @ left.T, of.mass_matrix)
    assert np.abs(np.triu(left, 1)).max() < 1e-14
    np.testing.assert_allclose(np.diag(left), 1.0, atol=1e-14)


def test_jain_section_4_rosenthals_elimination_is_the_innovations_factorisation(of: Operators) -> None:
    """A unit triangular factor is unique: Gauss's, here from NumPy's Cholesky factor, has the elements of
    [I + H phi K] and the pivots D. (Section 4 has D^-1 for Rosenthal's m_kk, Table 1 has D.)"""
    root = np.linalg.cholesky(of.mass_matrix)
    same(np.eye(of.n) + of.H @ of.phi @ of.K, root / np.diag(root))
    same(of.D, np.diag(np.diag(root) ** 2))


def test_jain_lemma_6_3_c_inverse_of_the_factor(of: Operators) -> None:
    """(C): [I + H phi K]^-1 = I - H psi K."""
    same(np.eye(of.n) - of.H @ of.psi @ of.K, inv(np.eye(of.n) + of.H @ of.phi @ of.K))


def test_jain_lemma_6_4_d_inverse_of_the_mass_matrix(of: Operators) -> None:
    """(D): M^-1 = [I - H psi K]* D^-1 [I - H psi K]."""
    factor = np.eye(of.n) - of.H @ of.psi @ of.K
    same(factor.T @ solve(of.D, factor), inv(of.mass_matrix))


def test_jain_55_intermediate_quantities(of: Operators) -> None:
    """z = psi K T, epsilon = T - H z, nu = D^-1 epsilon, alpha = psi* H* nu, betadot = nu - K* alpha."""
    torque = of.mass_matrix @ of.qdd
    z = of.psi @ of.K @ torque
    nu = solve(of.D, torque - of.H @ z)
    alpha = of.psi.T @ of.Ht @ nu
    same(nu - of.K.T @ alpha, of.qdd)
    same(alpha, of.phi.T @ of.Ht @ of.qdd)


def test_jain_31_50_to_52_forces_of_articulated_bodies_and_of_bae_and_haug(of: Operators) -> None:
    """f = P alpha + z; with Q = phi^-1 f virtual work gives H phi Q = T, and P alpha = Q + L, L = E f - z."""
    torque = of.mass_matrix @ of.qdd
    z, alpha = of.psi @ of.K @ torque, of.phi.T @ of.Ht @ of.qdd
    force = of.P @ alpha + z
    same(force, of.phi @ of.M @ alpha)
    outer = of.P_bar @ force
    same(of.H @ of.phi @ outer, torque)
    same(outer + of.E_phi @ force - z, of.P @ alpha)


def test_jain_57_to_59(of: Operators) -> None:
    """What the full algorithm is derived from; (59) ends in K* psi*."""
    left = np.eye(of.n) - of.H @ of.psi @ of.K
    strict = of.phi - of.U
    same(left @ of.H @ of.phi, of.H @ of.psi)
    same(of.psi @ of.M @ of.phi.T, of.psi @ of.P + of.P @ strict.T)
    if of.n > 1:
        same(left.T @ solve(of.D, of.H @ of.P @ strict.T), of.K.T @ of.psi.T)


def test_jain_lemma_6_5_full_forward_dynamics(of: Operators) -> None:
    """betadot = [I - H psi K]* D^-1 [T - H psi (K T + b + P a)] - K* psi* a.

    Printed is psi* K* a, whose sizes do not fit: psi* is 6n x 6n and K* is n x 6n; (59) has the order right.
    """
    torque = of.mass_matrix @ of.qdd + of.bias
    left = np.eye(of.n) - of.H @ of.psi @ of.K
    drive = torque - of.H @ of.psi @ (of.K @ torque + of.b + of.P @ of.a)
    same(left.T @ solve(of.D, drive) - of.K.T @ of.psi.T @ of.a, of.qdd)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_jain_48_and_49_armstrong_is_articulated_bodies_of_spherical_joints(n: int) -> None:
    """His Gamma, L and Omega_F are P_11^-1, -P_12 and the complement of P_11 in P, joint by joint."""
    o = arm(n)
    omega_force, beyond = np.zeros((3, 3)), np.zeros((6, 6))
    for k in range(n):
        lever, offset = spatial.tilde(o.step[k]), spatial.tilde(o.centre[k])
        link, shift = o.M[6 * k : 6 * k + 6, 6 * k : 6 * k + 6], spatial.hat(o.step[k])
        gamma = inv(link[:3, :3] - lever @ omega_force @ lever)
        L = -(lever @ omega_force + o.mass[k] * offset)
        whole = omega_force + o.mass[k] * np.eye(3)
        omega_force = whole - L.T @ gamma @ L

        P = shift @ beyond @ shift.T + link
        same(inv(gamma), P[:3, :3])
        same(-L, P[:3, 3:])
        same(whole, P[3:, 3:])
        beyond = P - P[:, :3] @ solve(P[:3, :3], P[:3, :])
        same(omega_force, beyond[3:, 3:])


# -------------------------------------------------------------------- Fijany


def test_fijany_8_jacobian(of: Operators) -> None:
    """J = beta (P')^-1 H. Eq. (6) prints V = beta V beta (P')^-1 H Q for V_{N+1} = beta V."""
    same(of.beta @ inv(of.P_bar.T) @ of.Ht, of.jacobian)


def test_fijany_53_to_56_interbody_forces(of: Operators) -> None:
    """F = (H - W A^-1 B) F_T satisfies W'P'I^-1 P F = 0, and F_S = -A^-1 B F_T.

    (56) prints F_S on the left and R for the first H.
    """
    torque = of.mass_matrix @ of.qdd
    force = (of.Ht - of.W @ solve(of.A, of.B)) @ torque
    same(force, of.phi @ of.M @ of.phi.T @ of.Ht @ of.qdd)
    acceleration = of.inverse @ of.P_bar @ force
    assert np.abs(of.W.T @ of.P_bar.T @ acceleration).max() < 1e-11 * np.abs(acceleration).max()


def test_fijany_58_joint_accelerations_of_link_accelerations(of: Operators) -> None:
    """Qdot = H'P'Vdot: (45) is multiplied by H', not by H as printed."""
    motion = of.phi.T @ of.Ht @ of.qdd
    same(of.H @ of.P_bar.T @ motion, of.qdd)


def test_fijany_60_and_61_inverse_of_the_mass_matrix(of: Operators) -> None:
    """M^-1 = C - B'A^-1 B; the text below (61) writes C = B'A^-1 B for the Schur complement."""
    same(of.C - of.B.T @ solve(of.A, of.B), inv(of.mass_matrix))


def test_fijany_a_and_c_are_positive_definite_and_tridiagonal(of: Operators) -> None:
    """A, C > 0 (appendix); A, B, C have no block beyond the first beside the diagonal (V.A)."""
    assert np.linalg.eigvalsh(of.A).min() > 0
    assert np.linalg.eigvalsh(of.C).min() > 0
    for matrix in (of.A, of.B, of.C):
        rows, columns = matrix.shape[0] // of.n, matrix.shape[1] // of.n
        cut = matrix.reshape(of.n, rows, of.n, columns)
        for i in range(of.n):
            for k in range(of.n):
                if abs(i - k) > 1:
                    assert np.abs(cut[i, :, k]).max() < 1e-12 * np.abs(matrix).max()


def test_fijany_l_block_factorisation(of: Operators) -> None:
    """L = [A B; B' C] = [U 0; B'A^-1 U] diag(A, M^-1) [U A^-1 B; 0 U]: M^-1 is A's Schur complement in L."""
    lower = np.block([[np.eye(5 * of.n), np.zeros((5 * of.n, of.n))], [solve(of.A, of.B).T, np.eye(of.n)]])
    middle = np.block(
        [
            [of.A, np.zeros((5 * of.n, of.n))],
            [np.zeros((of.n, 5 * of.n)), inv(of.mass_matrix)],
        ]
    )
    same(lower @ middle @ lower.T, np.block([[of.A, of.B], [of.B.T, of.C]]))


def test_fijany_62_and_63_mass_matrix(of: Operators) -> None:
    """M = C^-1 + C^-1 B'(A - B C^-1 B')^-1 B C^-1; (63) prints (A^-1 - B C^-1 B') in the middle."""
    across = of.B @ inv(of.C)
    same(inv(of.C) + across.T @ solve(of.A - across @ of.B.T, across), of.mass_matrix, 1e-10)
    printed = inv(of.C) + across.T @ (inv(of.A) - across @ of.B.T) @ across
    if of.n > 1:
        assert relative(printed, of.mass_matrix) > WRONG


def test_fijany_64_to_66_k_hides_the_jacobian(of: Operators) -> None:
    """K P W = 0, so K P H H'P^-1 = K, and Lambda^-1 = beta K beta'. The sign in (66) is right."""
    assert np.abs(of.kernel @ of.P_bar @ of.W).max() < 1e-10 * np.abs(of.kernel).max()
    same(of.kernel @ of.P_bar @ of.Ht @ of.H @ inv(of.P_bar), of.kernel)
    same(of.beta @ of.kernel @ of.beta.T, of.jacobian @ solve(of.mass_matrix, of.jacobian.T))
    same(of.H @ of.P_bar.T @ of.kernel @ of.P_bar @ of.Ht, inv(of.mass_matrix))


def test_fijany_66_with_the_other_sign_fails(of: Operators) -> None:
    """Lambda^-1 with a plus between its two terms is not Lambda^-1."""
    expected = of.jacobian @ solve(of.mass_matrix, of.jacobian.T)
    plus = of.beta @ (2 * of.inverse - of.kernel) @ of.beta.T
    assert relative(plus, expected) > WRONG


def test_fijany_67_e_has_one_block(of: Operators) -> None:
    """E' = [P^_N' I_N^-1 W_N, 0 .. 0]: no minus sign, although it looks like -B_N with W_{N+1} = U."""
    first = of.beta[:, :6] @ of.inverse[:6, :6] @ of.W[:6, :5]
    same(of.Et[:, :5], first)
    assert np.abs(of.Et[:, 5:]).max(initial=0.0) < 1e-12 * np.abs(first).max()


def test_fijany_68_and_69_d_is_the_last_links_inverse_inertia(of: Operators) -> None:
    """D = beta I^-1 beta' = I_{N,N+1}^-1, the last link about O_{N+1}."""
    same(of.beta @ of.inverse @ of.beta.T, inv(of.about_tip))


def test_fijany_70_and_82_inverse_of_the_operational_space_mass_matrix(of: Operators) -> None:
    """Lambda^-1 = D - E'A^-1 E, and L' = [A E; E' D] factors as L does.

    L' is (5N+6) x (5N+6), not 6n x 6n as printed.
    """
    expected = of.jacobian @ solve(of.mass_matrix, of.jacobian.T)
    D, E = inv(of.about_tip), of.Et.T
    same(D - E.T @ solve(of.A, E), expected)
    size = 5 * of.n
    lower = np.block([[np.eye(size), np.zeros((size, 6))], [solve(of.A, E).T, np.eye(6)]])
    middle = np.block([[of.A, np.zeros((size, 6))], [np.zeros((6, size)), expected]])
    same(lower @ middle @ lower.T, np.block([[of.A, E], [E.T, D]]))


def test_fijany_72_operator_application(of: Operators) -> None:
    """Qdot = H'P'{U - I^-1 P W A^-1 W'P'} I^-1 P H F; printed with the brace closed after F and K for H."""
    torque = of.mass_matrix @ of.qdd
    given = of.inverse @ of.P_bar @ of.Ht @ torque
    taken = of.inverse @ of.P_bar @ of.W @ solve(of.A, of.W.T @ of.P_bar.T @ given)
    same(of.H @ of.P_bar.T @ (given - taken), of.qdd)


def test_fijany_73_and_74_blocks_of_a(of: Operators) -> None:
    """A_i = W_i'(I_i^-1 + P^_{i-1}'I_{i-1}^-1 P^_{i-1}) W_i with I_0^-1 := 0; B_i = -W_i'I_i^-1 P^_i W_{i+1}.

    B_i stands in the column of process i+1; V.A prints Tridiag[B_i, A_i, B_{i+1}'] for B_{i-1}'.
    """

    def at(matrix: Matrix, size: int, i: int) -> Matrix:
        k = of.n - i  # process i is block N - i
        return matrix[6 * k : 6 * k + 6, size * k : size * k + size]

    for i in range(1, of.n + 1):
        W, k = at(of.W, 5, i), of.n - i
        whole = at(of.inverse, 6, i)
        if i > 1:
            shift = spatial.hat(of.step[k + 1])
            whole = whole + shift.T @ at(of.inverse, 6, i - 1) @ shift
        same(of.A[5 * k : 5 * k + 5, 5 * k : 5 * k + 5], W.T @ whole @ W)
        if i < of.n:
            B = -W.T @ at(of.inverse, 6, i) @ spatial.hat(of.step[k]) @ at(of.W, 5, i + 1)
            same(of.A[5 * k : 5 * k + 5, 5 * k - 5 : 5 * k], B)


def test_fijany_76_signs_of_the_inverse_inertia(of: Operators) -> None:
    """I^-1 = [J^-1, -J^-1 S~; S~ J^-1, U/m - S~ J^-1 S~]; printed are +J^-1 S~ and -S~ J^-1."""
    J, S = inv(of.central[0]), spatial.tilde(of.centre[0])
    corner = np.eye(3) / of.mass[0] - S @ J @ S
    same(np.block([[J, -J @ S], [S @ J, corner]]), of.inverse[:6, :6])
    assert relative(np.block([[J, J @ S], [-S @ J, corner]]), of.inverse[:6, :6]) > WRONG


def test_fijany_87_forces_go_inward_by_p_not_by_its_transpose(of: Operators) -> None:
    """J'F by F_i = P^_i F_{i+1}; printed F_i = P^_i' F_{i+1}."""
    tip = np.arange(1.0, 7.0)
    for transposed in (False, True):
        force, felt = tip, []
        for k in range(of.n):
            shift = spatial.hat(of.step[k])
            force = (shift.T if transposed else shift) @ force
            felt.append(of.relative[k] @ force)
        if transposed and of.n > 2:
            assert relative(np.array(felt), of.jacobian.T @ tip) > WRONG
        if not transposed:
            same(np.array(felt), of.jacobian.T @ tip)


# ------------------------------------------- Fijany, operational space mass matrix


def test_osm_39_is_fijany_70_and_k_is_shared(of: Operators) -> None:
    """M^-1 = H'P'K P H and Lambda^-1 = beta K beta' with one K."""
    D, E = inv(of.about_tip), of.Et.T
    same(of.beta @ of.kernel @ of.beta.T, D - E.T @ solve(of.A, E))


@pytest.mark.parametrize("n", [9])
def test_osm_40_to_43_operational_space_mass_matrix(n: int) -> None:
    """Lambda = S - R'Y^-1 R with S = I_{N,N+1}, R' = [P^_N^-1 W_N, 0 .. 0], Y = W'P' I'^-1 P W.

    I'^-1 = diag(0, -I_{N-1}^-1, .., -I_1^-1), so Y is negative definite: MINUS A with a changed leading
    block, not "A but for the leading element"; the printed A_N' = W_N'P^_{N-1}'I_{N-1}^-1 P^_{N-1} W_N lacks
    that sign.
    """
    o = arm(n)
    changed = -o.inverse
    changed[:6, :6] = 0.0
    Y = o.W.T @ o.P_bar.T @ changed @ o.P_bar @ o.W
    R = np.zeros((5 * n, 6))
    R[:5] = (inv(spatial.hat(o.step[0])) @ o.W[:6, :5]).T
    expected = inv(o.jacobian @ solve(o.mass_matrix, o.jacobian.T))
    same(o.about_tip - R.T @ solve(Y, R), expected, 1e-10)
    assert np.linalg.eigvalsh(Y).max() < 0

    difference = Y + o.A  # of the leading block only
    corner = o.W[:6, :5].T @ o.inverse[:6, :6] @ o.W[:6, :5]
    same(difference[:5, :5], corner)
    assert np.abs(difference[5:]).max() < 1e-12 * np.abs(o.A).max()
    as_said = o.A.copy()
    as_said[:5, :5] -= corner
    assert relative(o.about_tip - R.T @ solve(as_said, R), expected) > WRONG


@pytest.mark.parametrize("n", [9])
def test_osm_local_form_of_both_without_a_second_elimination(n: int) -> None:
    """With the last pivot a = ((A^-1)_NN)^-1: Lambda^-1 = D - E_N'a^-1 E_N,
    and Lambda = S + R_N (a - W_N'I_N^-1 W_N)^-1 R_N'."""
    o = arm(n)
    pivot = inv(inv(o.A)[:5, :5])
    E = o.Et[:, :5].T
    expected = o.jacobian @ solve(o.mass_matrix, o.jacobian.T)
    same(inv(o.about_tip) - E.T @ solve(pivot, E), expected)
    R = inv(spatial.hat(o.step[0])) @ o.W[:6, :5]
    less = pivot - o.W[:6, :5].T @ o.inverse[:6, :6] @ o.W[:6, :5]
    same(o.about_tip + R @ solve(less, R.T), inv(expected), 1e-10)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_osm_y_is_singular_for_fewer_than_six_joints(n: int) -> None:
    """Where Lambda does not exist, neither does Y^-1: rank of Lambda^-1 is n."""
    o = arm(n)
    changed = -o.inverse
    changed[:6, :6] = 0.0
    Y = o.W.T @ o.P_bar.T @ changed @ o.P_bar @ o.W
    values = np.linalg.svd(Y, compute_uv=False)
    assert values[-1] <= 1e-11 * values[0]
    assert np.linalg.matrix_rank(o.jacobian @ solve(o.mass_matrix, o.jacobian.T), 1e-10) == n
