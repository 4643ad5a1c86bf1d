"""Delta mush against slow NumPy, what it promises, and its derivative."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.rig.slow import slow_skinning
from tests.support.made.models import chain_skeleton, random_poses
from tests.support.made.skinning import bent, bumpy_tube, check_vjp, skinned, tube


def slow_neighbors(faces, count):
    neighbors = [set() for _ in range(count)]
    for face in faces:
        corners = [int(v) for v in face if v >= 0]
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            if a != b:
                neighbors[a].add(b)
                neighbors[b].add(a)
    return [sorted(found) for found in neighbors]


def slow_smooth(points, neighbors, iterations, step):
    for _ in range(iterations):
        means = np.array([points[near].mean(axis=0) if near else p for near, p in zip(neighbors, points, strict=True)])
        points = (1 - step) * points + step * means
    return points


def slow_normals(points, faces):
    normals = np.zeros_like(points)
    for face in faces:
        corners = [int(v) for v in face if v >= 0]
        p = points[corners]
        area = np.cross(p[2] - p[0], p[3] - p[1]) if len(p) == 4 else np.cross(p[1] - p[0], p[2] - p[0])
        for corner in corners:
            normals[corner] += area
    return normals


def slow_frame(points, normal, vertex, neighbor):
    z = normal / np.linalg.norm(normal)
    x = points[neighbor] - points[vertex]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def slow_delta_mush(model, pose):
    rest, faces, tensors = model.rest_vertices.astype(float), model.faces, model.tensors()
    neighbors = slow_neighbors(faces, len(rest))
    settings = (neighbors, model.metadata["iterations"], model.metadata["step"])
    skinning = slow_skinning(model.skeleton, pose)
    blended = np.zeros_like(rest)
    for k, (joints, weights) in enumerate(zip(tensors["skin.joint"], tensors["skin.weight"], strict=True)):
        for j, w in zip(joints, weights, strict=True):
            blended[k] += w * (skinning[j] @ np.append(rest[k], 1))[:3]
    smooth_rest, smooth = slow_smooth(rest, *settings), slow_smooth(blended, *settings)
    normals_rest, normals = slow_normals(smooth_rest, faces), slow_normals(smooth, faces)
    out = blended.copy()
    for k, near in enumerate(neighbors):
        if not near:
            continue
        edges = smooth_rest[near] - smooth_rest[k]
        z = normals_rest[k] / np.linalg.norm(normals_rest[k])
        m = near[np.linalg.norm(edges - (edges @ z)[:, None] * z, axis=1).argmax()]
        detail = slow_frame(smooth_rest, normals_rest[k], k, m).T @ (rest[k] - smooth_rest[k])
        out[k] = smooth[k] + slow_frame(smooth, normals[k], k, m) @ detail
    return out


@pytest.mark.parametrize(("iterations", "step"), [(0, 0.5), (1, 1.0), (10, 0.5)])
def test_evaluate_matches_numpy(iterations, step, tolerance):
    model = bumpy_tube(loose=2, iterations=iterations, step=step)
    poses = bent(model)
    expected = np.stack([slow_delta_mush(model, pose) for pose in poses])
    np.testing.assert_allclose(model.evaluate(poses), expected, atol=tolerance["float32_sum"])


def test_rest_pose_gives_the_rest_mesh(tolerance):
    model = bumpy_tube(loose=3)
    vertices = model.evaluate(model.skeleton.rest.reshape(-1))
    np.testing.assert_allclose(vertices, model.rest_vertices, atol=tolerance["float32_sum"])


def test_rigid_motion_carries_the_mesh(tolerance):
    model = bumpy_tube()
    poses = random_poses(chain_skeleton(1), 3, stretch=0.0)
    rest = np.tile(model.skeleton.rest[1:].reshape(1, -1), (3, 1))
    moves = poses.reshape(3, 3, 4)
    expected = model.rest_vertices @ moves[:, :, :3].transpose(0, 2, 1) + moves[:, None, :, 3]
    found = model.evaluate(np.concatenate([poses, rest], axis=1))
    np.testing.assert_allclose(found, expected, atol=tolerance["float32_sum"])


def test_creases_of_linear_blending_are_smoothed():
    """Rigid weights crease the tube at the joints; the mush rounds them off."""
    skeleton, rest, faces, weights = tube()
    hard = np.eye(3)[weights.argmax(axis=1)]
    pose = bent(bumpy_tube(), 40)[1]
    roughness = []
    for make in (rc.LinearBlendSkinning, rc.DeltaMush):
        vertices = make(skeleton, rest, faces, hard).evaluate(pose)
        roughness.append(rc.metrics.seam_error(rest, vertices, faces, labels=np.zeros(len(rest), int)).inside.normal)
    assert roughness[1] < 0.7 * roughness[0]


def test_loose_vertices_are_skinned(tolerance):
    model, linear = bumpy_tube(loose=4), bumpy_tube(rc.LinearBlendSkinning, loose=4)
    poses = bent(model)
    found, expected = (m.evaluate(poses)[:, -4:] for m in (model, linear))
    np.testing.assert_allclose(found, expected, atol=tolerance["float32"])


def test_vjp_matches_finite_differences(tolerance):
    model = bumpy_tube(loose=2, iterations=4)
    check_vjp(model, bent(model), tolerance)


def test_messy_meshes_are_finite():
    """Degenerate and flipped faces, non-manifold edges, and a pose that collapses everything."""
    model = skinned(rc.DeltaMush, num_joints=3)
    poses = random_poses(model.skeleton, 2)
    poses[1] = 0.0
    assert np.isfinite(model.evaluate(poses)).all()
    assert np.isfinite(model.vjp(poses, np.ones((2, *model.rest_vertices.shape)))).all()
    flat = rc.DeltaMush(model.skeleton, np.zeros((4, 3)), [[0, 0, 1], [1, 2, 3]], np.eye(3)[[0, 1, 2, 0]])
    assert np.isfinite(flat.evaluate(poses)).all()
    assert np.isfinite(flat.vjp(poses, np.ones((2, 4, 3)))).all()


def test_any_number_of_threads_gives_the_same_bytes():
    model = bumpy_tube()
    poses = np.tile(bent(model), (4, 1))
    assert model.evaluate(poses, threads=1).tobytes() == model.evaluate(poses, threads=4).tobytes()


def test_settings_are_kept_and_checked(tmp_path):
    model = bumpy_tube(iterations=7, step=0.25)
    model.save(tmp_path / "model.safetensors")
    again = rc.load(tmp_path / "model.safetensors")
    assert (again.kind, again.metadata["iterations"], again.metadata["step"]) == ("delta_mush", 7, 0.25)
    assert again.evaluate(bent(model)).tobytes() == model.evaluate(bent(model)).tobytes()
    for change, text in [
        ({"iterations": 1001}, "DeltaMush: iterations is 1001; it must be a whole number from 0 to 1000"),
        ({"iterations": 2.5}, "DeltaMush: iterations is 2.5"),
        ({"step": 0.0}, "DeltaMush: step is 0.0; it must be a finite number above 0 and at most 1"),
        ({"step": np.nan}, "DeltaMush: step is nan"),
    ]:
        with pytest.raises(ValueError, match=text):
            bumpy_tube(**change)


@pytest.mark.parametrize(
    ("entry", "value", "text"),
    [
        ("iterations", -1, "load: metadata.iterations is -1"),
        ("iterations", 1e9, "load: metadata.iterations is"),
        ("iterations", "ten", "load: metadata.iterations is no number"),
        ("step", 1.5, "load: metadata.step is 1.5"),
        ("step", None, "load: metadata.step is no number"),
    ],
)
def test_wrong_settings_in_a_file_are_named(entry, value, text):
    import json

    from rigcast import _core

    model = bumpy_tube()
    about = {**model.metadata, entry: value}
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(model.tensors(), json.dumps(about))
