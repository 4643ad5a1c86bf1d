from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.linalg import polar
from scipy.spatial.transform import Rotation

from rigcast._rigs import rotations as rot

ORDERS = ["".join(order) for order in permutations("XYZ")]
angles = st.tuples(*[st.floats(-720, 720) for _ in range(3)])


@pytest.fixture
def turns() -> Rotation:
    """Random rotations of SciPy, which is the oracle here."""
    return Rotation.random(50, random_state=0)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_turn_as_scipys_intrinsic_ones_do(order, tolerance):
    degrees = np.random.default_rng(0).uniform(-720, 720, (50, 3))
    expected = Rotation.from_euler(order, degrees, degrees=True).as_matrix()
    np.testing.assert_allclose(rot.euler_to_matrix(degrees, order), expected, atol=tolerance["float64"])


@pytest.mark.parametrize("order", ORDERS)
def test_angles_of_a_rotation_are_scipys(order, turns, tolerance):
    expected = turns.as_euler(order, degrees=True)
    np.testing.assert_allclose(rot.matrix_to_euler(turns.as_matrix(), order), expected, rtol=tolerance["gram"])


def test_matrices_of_quaternions_are_scipys(turns, tolerance):
    quaternions = turns.as_quat() * np.linspace(0.5, 2.0, 50)[:, None]
    np.testing.assert_allclose(rot.quaternion_to_matrix(quaternions), turns.as_matrix(), atol=tolerance["float64"])


def test_quaternions_of_matrices_are_scipys(turns, tolerance):
    """Up to the sign, which follows the rotation before."""
    found, expected = rot.matrix_to_quaternion(turns.as_matrix()), turns.as_quat()
    signs = np.sign((found * expected).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found, signs * expected, atol=tolerance["float64"])
    assert ((found[1:] * found[:-1]).sum(axis=1) >= 0).all()


def test_the_nearest_rotation_is_scipys_polar_factor(turns, tolerance):
    stretched = turns.as_matrix() @ np.diag([0.5, 1.0, 3.0]) @ turns.inv().as_matrix()[::-1]
    expected = [polar(matrix)[0] for matrix in stretched]
    np.testing.assert_allclose(rot.nearest_rotation(stretched), expected, atol=tolerance["float64"])


def test_the_rotation_between_directions_is_the_smallest(turns, tolerance):
    a, b = turns.as_matrix()[:2, :, 0]
    turn = Rotation.from_matrix(rot.rotation_between(a, b))
    assert turn.magnitude() == pytest.approx(np.arccos(a @ b), rel=tolerance["gram"])


@pytest.mark.parametrize("order", ORDERS)
@given(degrees=angles)
def test_euler_angles_give_their_rotation_back(order, degrees, tolerance):
    matrix = rot.euler_to_matrix(np.array(degrees), order)
    again = rot.matrix_to_euler(matrix, order)
    np.testing.assert_allclose(
        rot.euler_to_matrix(again, order), matrix, atol=tolerance["float64_converged"]
    )  # at worst near gimbal lock
    assert abs(again[1]) <= 90 + 1e-9


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [-90, 90])
def test_euler_angles_at_gimbal_lock(order, middle, tolerance):
    matrix = rot.euler_to_matrix(np.array([20.0, middle, 35.0]), order)
    np.testing.assert_allclose(
        rot.euler_to_matrix(rot.matrix_to_euler(matrix, order), order), matrix, atol=tolerance["float64"]
    )


def test_second_solution_is_the_same_rotation(tolerance):
    a, b, c = 12.0, 34.0, 56.0
    for order in ORDERS:
        other = rot.euler_to_matrix(np.array([a + 180, 180 - b, c + 180]), order)
        np.testing.assert_allclose(other, rot.euler_to_matrix(np.array([a, b, c]), order), atol=tolerance["float64"])


def test_wrong_orders_are_refused():
    with pytest.raises(ValueError, match="order"):
        rot.euler_to_matrix(np.zeros(3), "XYW")
    with pytest.raises(ValueError, match=r"\(2,\)"):
        rot.euler_to_matrix(np.zeros(2), "XYZ")
    with pytest.raises(ValueError, match="permutation"):
        rot.matrix_to_euler(np.eye(3), "XYX")


def test_quaternions_turn_about_their_axis(tolerance):
    half = np.radians(35.0)
    for axis in range(3):
        quaternion = np.array([*np.eye(3)[axis] * np.sin(half), np.cos(half)]) * 3
        expected = rot.axis_rotation("XYZ"[axis], 70.0)
        np.testing.assert_allclose(rot.quaternion_to_matrix(quaternion), expected, atol=tolerance["float64"])


def test_nearest_rotation_of_a_stretched_and_of_a_mirrored_rotation(tolerance):
    rotation = rot.euler_to_matrix(np.array([10.0, 20.0, 30.0]), "XYZ")
    stretch = np.diag([1.0, 2.0, 0.5])
    np.testing.assert_allclose(rot.nearest_rotation(rotation @ stretch), rotation, atol=tolerance["float64"])
    mirrored = rot.nearest_rotation(np.stack([rotation @ np.diag([-1.0, 2, 3]), rotation]))
    np.testing.assert_allclose(np.linalg.det(mirrored), 1, atol=tolerance["float64"])


@example(a=(1.0, 0.0, 0.0), b=(-459.0, 0.0, 0.0078125))
@given(a=angles, b=angles)
def test_rotation_between_directions(a, b, tolerance):
    if np.linalg.norm(a) < 1e-3 or np.linalg.norm(b) < 1e-3:
        return
    turn = rot.rotation_between(np.array(a), np.array(b))
    np.testing.assert_allclose(turn @ a / np.linalg.norm(a), np.array(b) / np.linalg.norm(b), atol=tolerance["float64"])
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=tolerance["float64"])
    assert np.linalg.det(turn) > 0


@pytest.mark.parametrize("angle", [1e-9, 0.5, np.pi / 2, 2.0, np.pi - 1e-3, np.pi - 1e-7])
def test_rotation_between_directions_is_about_their_normal(angle):
    random = np.random.default_rng(0)
    for _ in range(20):
        a, normal = np.linalg.qr(random.normal(size=(3, 2)))[0].T
        b = np.cos(angle) * a + np.sin(angle) * np.cross(normal, a)
        # Near half a turn the normal is known to the square root of the precision.
        np.testing.assert_allclose(rot.rotation_between(a, b) @ normal, normal, atol=1e-8)


def test_rotation_between_opposite_directions(tolerance):
    turn = rot.rotation_between(np.array([0.0, 2.0, 0.0]), np.array([0.0, -1.0, 0.0]))
    np.testing.assert_allclose(turn @ [0, 1, 0], [0, -1, 0], atol=tolerance["float64"])
    np.testing.assert_allclose(np.linalg.det(turn), 1, atol=tolerance["float64"])


def test_composition_and_inverse(tolerance):
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 5, 3, 4))
    square = [np.concatenate([m, np.tile([[[0, 0, 0, 1]]], (5, 1, 1))], axis=1) for m in (a, b)]
    np.testing.assert_allclose(rot.compose(a, b), (square[0] @ square[1])[:, :3], atol=tolerance["float64"] * 10)
    identity = np.tile(np.eye(3, 4), (5, 1, 1))
    np.testing.assert_allclose(rot.compose(rot.invert(a), a), identity, atol=tolerance["float64"] * 100)


@pytest.mark.parametrize("size", [1e-200, 1e-6, 1.0, 1e6, 1e200])
def test_inverses_of_matrices_are_numpys(size, tolerance):
    matrices = size * np.random.default_rng(0).normal(size=(5, 20, 3, 3))
    found = rot.inverse_linear(matrices)
    np.testing.assert_allclose(found * size, np.linalg.inv(matrices / size), rtol=tolerance["gram"])


@pytest.mark.parametrize("wrong", [np.zeros((3, 3)), np.ones((2, 3, 3)), np.full((3, 3), np.nan), np.diag([1, 1, 0])])
def test_matrices_without_an_inverse_are_refused(wrong):
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        rot.inverse_linear(wrong)
