"""Where a transfer is doubtful."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rigcast as rc
from tests.transfer.meshes import bend, mixed_sheets, random_rotation, sheet


def test_a_faithful_transfer_leaves_no_doubt():
    source, faces = mixed_sheets(0)
    shapes = np.stack([bend(source, i, 0.3) for i in range(2)])
    turn = 2.0 * random_rotation(3)
    result = rc.transfer.quality(source, shapes, source @ turn.T, target_shapes=shapes @ turn.T, faces=faces)
    assert np.nanmax(result.distortion) < 1e-4
    assert np.array_equal(result.new_crossings, [0, 0])


def test_a_stretched_face_is_measured(tolerance):
    source, faces = sheet(3, 3, 0, False)
    source[:, 2] = 0
    result = rc.transfer.quality(
        source, source[None], source, target_shapes=source[None] * np.float32([1.2, 1, 1]), faces=faces
    )
    np.testing.assert_allclose(result.distortion, np.log(1.2), atol=tolerance["float32_scaled"])
    assert not result.flipped.any()


def test_a_flipped_face_is_found():
    source, faces = sheet(4, 4, 0, False)
    source[:, 2] = 0
    shape = source.copy()
    shape[12, :2] += [1.6, 0]  # past its neighbors
    result = rc.transfer.quality(source, source[None], source, target_shapes=shape[None], faces=faces)
    normals = np.cross(shape[faces[:, 1]] - shape[faces[:, 0]], shape[faces[:, 2]] - shape[faces[:, 0]])[:, 2]
    assert normals.min() < 0
    assert np.array_equal(result.flipped[0], normals < 0)
    assert result.doubt[0] >= result.flipped.sum()


def test_shapes_that_do_not_fit_are_named():
    source, faces = sheet(2, 2, 0, True)
    with pytest.raises(ValueError, match=r"quality: target_shapes is float32 \(1, 8, 3\); .* numbers \(1, 9, 3\)"):
        rc.transfer.quality(source, source[None], source, target_shapes=source[None, :8], faces=faces)


def stretches(neutral, shape):
    """Singular values of the deformation gradient of one triangle, normal to normal, by the definition."""
    frames = []
    for corners in (neutral, shape):
        a, b = (np.asarray(corners[i], float) - corners[0] for i in (1, 2))
        normal = np.cross(a, b)
        frames.append(np.stack([a, b, normal / np.linalg.norm(normal)], axis=1))
    return frames[1] @ np.linalg.inv(frames[0])


@pytest.mark.parametrize("seed", range(3))
def test_distortion_and_flips_are_those_of_singular_values(seed, tolerance):
    """By the definition, triangle after triangle: stretches and rotation of 3 x 3 gradients."""
    source, faces = sheet(5, 4, seed, False)
    target = bend(source, seed + 10, 0.4)
    shapes = np.stack([bend(source, seed + 20, 0.5)]), np.stack([bend(target, seed + 30, 1.5)])
    result = rc.transfer.quality(source, shapes[0], target, target_shapes=shapes[1], faces=faces)
    for f, corners in enumerate(faces[:, :3]):
        own, other = (
            stretches(source[corners], shapes[0][0][corners]),
            stretches(target[corners], shapes[1][0][corners]),
        )
        # one singular value is the normals' 1: the others are what the plane does
        logs = []
        for gradient in (own, other):
            values = np.linalg.svd(gradient, compute_uv=False).tolist()
            values.remove(min(values, key=lambda s: abs(s - 1.0)))
            logs.append(np.log(values))
        assert result.distortion[0, f] == pytest.approx(
            np.abs(logs[0] - logs[1]).max(), abs=tolerance["float32_scaled"]
        )
        u, _, vt = np.linalg.svd(own)
        before, after = (
            np.cross(x[corners[1]] - x[corners[0]], x[corners[2]] - x[corners[0]]) for x in (target, shapes[1][0])
        )
        assert result.flipped[0, f] == ((u @ vt @ before) @ after < 0)
    assert result.flipped.any()


@pytest.mark.parametrize("scale", [1e-9, 1e-5, 1.0, 1e5])
def test_the_unit_decides_nothing(scale, tolerance):
    source, faces = mixed_sheets(1)
    target = bend(source, 3)
    shapes = np.stack([bend(source, i, 0.3) for i in range(2)]), np.stack([bend(target, i, 0.4) for i in range(2)])
    expected = rc.transfer.quality(source, shapes[0], target, target_shapes=shapes[1], faces=faces)
    small = np.float32(scale)
    result = rc.transfer.quality(
        small * source, small * shapes[0], small * target, target_shapes=small * shapes[1], faces=faces
    )
    assert np.isfinite(expected.distortion).all()
    np.testing.assert_allclose(result.distortion, expected.distortion, atol=tolerance["float32_scaled"])
    assert np.array_equal(result.flipped, expected.flipped)


def test_collapsed_faces_are_said_and_measured_nowhere():
    """Three corners in one point, a needle, a repeated corner: no exception, NaN there, numbers elsewhere."""
    source, faces = sheet(5, 4, 0, False)
    target = source.copy()
    a, b, c = faces[0, :3]
    target[[b, c]] = target[a]
    d, e, f = faces[20, :3]
    target[f] = 0.5 * (target[d] + target[e]) + [0, 0, 1e-6]
    shapes = np.stack([bend(source, 1)])
    solver = rc.transfer.DeformationTransfer(source, target, faces)
    moved = solver.transfer(shapes)
    result = rc.transfer.quality(source, shapes, target, target_shapes=moved, faces=faces)
    assert {0, 20} <= set(np.flatnonzero(result.degenerate))
    assert np.flatnonzero(result.degenerate).tolist() == solver.degenerate_faces.tolist()
    assert np.isnan(result.distortion[0, result.degenerate]).all()
    assert np.isfinite(result.distortion[0, ~result.degenerate]).all()
    assert not result.flipped[0, result.degenerate].any()
    assert np.isfinite(result.doubt).all()


def test_a_target_in_one_point_leaves_nothing_to_measure():
    source, faces = mixed_sheets(0)
    nothing = np.zeros_like(source)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = rc.transfer.quality(source, source[None], nothing, target_shapes=nothing[None], faces=faces)
        assert result.doubt.tolist() == [0.0]
    assert result.degenerate.all()
    assert np.isnan(result.distortion).all()


@pytest.mark.parametrize("seed", range(3))
def test_degenerate_faces_are_the_solvers(seed):
    """Quads too: their halves along both diagonals."""
    source, faces = mixed_sheets(seed)
    rng = np.random.default_rng(seed)
    for face in rng.choice(len(faces), 4, replace=False):
        corners = faces[face][faces[face] >= 0]
        source[corners[2]] = 0.5 * (source[corners[0]] + source[corners[1]])
    solver = rc.transfer.DeformationTransfer(source, source, faces)
    found = np.flatnonzero(rc.transfer.degenerate_faces(source, faces))
    assert len(found)
    assert found.tolist() == solver.degenerate_faces.tolist()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"faces": [[0, 1, 99]]}, r"quality: faces is 99 in face 0; it must be vertex indices from 0 to 8"),
        ({"faces": [[0, 1, 2, 3], [0, 1, -1, -1]]}, r"faces is -1 in face 1"),
        ({"contacts": [[0, 9]]}, r"quality: contacts is 9 somewhere; it must be vertex indices from 0 to 8"),
        ({"target_neutral": np.full((9, 3), np.nan)}, r"target_neutral is not finite everywhere \(nan at \(0, 0\)\)"),
        (
            {"source_shapes": np.full((1, 9, 3), np.inf)},
            r"source_shapes is not finite everywhere \(inf at",
        ),
        ({"target_neutral": np.zeros((8, 3))}, r"target_neutral is float64 \(8, 3\); it must be numbers \(9, 3\)"),
    ],
)
def test_wrong_arguments_are_named(change, words):
    source, faces = sheet(2, 2, 0, True)
    given = {
        "source_neutral": source,
        "source_shapes": source[None],
        "target_neutral": source,
        "target_shapes": source[None],
        "faces": faces,
    }
    with pytest.raises(ValueError, match=words):
        rc.transfer.quality(**(given | change))


def test_what_a_source_folds_to_nothing_is_not_judged():
    """Closed lids: which way the folded face turned, and how far it is stretched, is rounding."""
    source, faces = sheet(4, 3, 0, False)
    shape = source.copy()
    shape[faces[5, 1]] = shape[faces[5, 0]]
    target = np.stack([bend(source, 3)])
    result = rc.transfer.quality(source, shape[None], source, target_shapes=target, faces=faces)
    assert np.isnan(result.distortion[0, 5])
    assert not result.flipped[0, 5]
    assert not result.degenerate.any()
