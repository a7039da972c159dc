"""Spatial algebra against NumPy, hand values and the definitions of Fijany II.A."""

import numpy as np
import pytest

from senn.algorithms import blocks, spatial

pytestmark = pytest.mark.rounding


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_tilde_is_the_cross_product_over_leading_axes(rng):
    a, b = rng.standard_normal((4, 5, 3)), rng.standard_normal((4, 5, 3))
    np.testing.assert_allclose(
        (spatial.tilde(a) @ b[..., None])[..., 0], np.cross(a, b), rtol=1e-15, atol=1e-15
    )


def test_hat_moves_a_force_and_its_transpose_a_velocity():
    """2 N along y, 3 m out on x, have the moment +6 N m; turning at 2 rad/s moves that point at 6 m/s."""
    p = [3.0, 0.0, 0.0]
    np.testing.assert_array_equal(spatial.hat(p) @ [0, 0, 0, 0, 2, 0], [0, 0, 6, 0, 2, 0])
    np.testing.assert_array_equal(spatial.hat(p).T @ [0, 0, 2, 0, 0, 0], [0, 0, 2, 0, 6, 0])


def test_six_puts_the_rotation_twice_on_the_diagonal(rng):
    C = rng.standard_normal((2, 3, 3))
    np.testing.assert_array_equal(spatial.six(C)[1], np.kron(np.eye(2), C[1]))


def test_pack_goes_by_rows_of_the_lower_triangle():
    matrix = np.array([[1.0, 2.0, 4.0], [2.0, 3.0, 5.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(spatial.pack(matrix), [1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize(("size", "words"), [(5, 15), (6, 21)])
def test_full_undoes_pack_over_leading_axes(rng, size, words):
    matrix = rng.standard_normal((2, 3, size, size))
    matrix = matrix + spatial.transposed(matrix)
    packed = spatial.pack(matrix)
    assert packed.shape == (2, 3, words)
    np.testing.assert_array_equal(blocks.full(packed), matrix)


def test_inertia_is_the_parallel_axis_theorem_of_equation_2(rng):
    central, centre = np.diag([0.2, 0.3, 0.4]), rng.standard_normal(3)
    about_centre = np.block([[central, np.zeros((3, 3))], [np.zeros((3, 3)), 2.5 * np.eye(3)]])
    expected = spatial.hat(centre) @ about_centre @ spatial.hat(centre).T
    np.testing.assert_allclose(spatial.inertia(2.5, central, centre), expected, atol=1e-15)


def test_inverse_inertia_inverts_and_the_printed_signs_of_equation_76_do_not(rng):
    root = rng.standard_normal((4, 3, 3))
    central = root @ spatial.transposed(root) + np.eye(3)
    mass, centre = np.array([0.5, 1.0, 2.0, 3.0]), rng.standard_normal((4, 3))
    inverse = spatial.inverse_inertia(mass, np.linalg.inv(central), centre)
    np.testing.assert_allclose(inverse, np.linalg.inv(spatial.inertia(mass, central, centre)), atol=1e-13)
    printed = inverse.copy()
    printed[:, :3, 3:] *= -1.0
    printed[:, 3:, :3] *= -1.0
    product = printed @ spatial.inertia(mass, central, centre)
    assert np.abs(product - np.eye(6)).max() > 0.1


def test_rotation_rpy_turns_about_x_then_y_then_z_of_the_fixed_frame():
    """Quarter turns by hand: roll takes y to z, the pitch after it z to x, the yaw after both x to y."""
    quarter = np.pi / 2
    np.testing.assert_allclose(spatial.rotation_rpy((quarter, 0, 0)) @ [0, 1, 0], [0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(spatial.rotation_rpy((quarter, quarter, 0)) @ [0, 1, 0], [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(spatial.rotation_rpy((quarter,) * 3) @ [0, 1, 0], [0, 1, 0], atol=1e-15)


@pytest.mark.parametrize(
    "axis",
    [
        *((1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (0.6, 0, -0.8), (1e-9, 0, -1)),
        # Every sign of every component, none of them like another.
        *((a, b, c) for a in (-1, 1) for b in (-2, 2) for c in (-3, 3)),
    ],
)
def test_rotation_to_is_a_rotation_whose_third_column_is_the_axis(axis):
    axis = np.array(axis) / np.linalg.norm(axis)
    R = spatial.rotation_to(axis)
    np.testing.assert_allclose(R[:, 2], axis, atol=1e-16)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-15)


def test_rotation_quaternion_of_a_quarter_turn_of_any_length():
    """(1, 0, 0, 1) is a quarter turn about z, whatever its length."""
    turn = spatial.rotation_quaternion([[2.0, 0.0, 0.0, 2.0]])[0]
    np.testing.assert_allclose(turn, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_cross_is_that_of_numpy() -> None:
    """To the bit, over leading axes of either side, and by hand."""
    rng = np.random.default_rng(5)
    many, one = rng.normal(size=(4, 7, 3)), rng.normal(size=3)
    assert np.array_equal(blocks.cross(many, one), np.cross(many, one))
    assert np.array_equal(blocks.cross(one, many[0]), np.cross(one, many[0]))
    assert blocks.cross(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])).tolist() == [-3.0, 6.0, -3.0]
