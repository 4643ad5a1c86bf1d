"""Rigid parts of faces on deformation maps: the rotation that fits their followers best."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from tests.support.made.face_maps import (
    random_face_maps,
    random_face_maps_tensors,
    random_face_poses,
    rotation_by_kabsch,
)

FOLLOWERS = slice(0, 5)


def face_of_followers(rest: np.ndarray, posed: np.ndarray):
    """A model whose five followers lie at `rest` and move to `posed` in every pose, and its part of four vertices."""
    tensors, metadata = random_face_maps_tensors(num_vertices=12, coarse=0, refinements=5, parts=1, seed=1)
    tensors["rest_vertices"][FOLLOWERS] = rest
    tensors["segments.offset"] = np.arange(6, dtype=np.int32)  # a segment per follower, of a constant map
    tensors["segments.vertex"] = np.arange(5, dtype=np.int32)
    tensors["segments.uv"] = np.full((5, 2), 0.5, np.float32)
    tensors["segments.weight"] = np.ones(5, np.float32)
    tensors["parts.follower"] = np.arange(5, dtype=np.int32)[None]
    for s in range(5):
        tensors[f"segment.{s:03d}.output.weight"][:] = 0
        tensors[f"segment.{s:03d}.output.bias"][:] = posed[s] - tensors["rest_vertices"][s]
    return _core.model_from_tensors(tensors, metadata), tensors["parts.vertex"]


def moved_by(turn: np.ndarray, model, part: np.ndarray, posed: np.ndarray) -> np.ndarray:
    rest = model.rest_vertices.astype(np.float64)
    return (rest[part] - rest[FOLLOWERS].mean(axis=0)) @ turn.T + posed.mean(axis=0)


def random_turn(rng: np.random.Generator) -> np.ndarray:
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    return turn * np.linalg.det(turn)


@pytest.mark.parametrize("seed", range(5))
def test_a_rigid_motion_of_the_followers_is_the_motion_of_the_part(seed, tolerance):
    rng = np.random.default_rng(seed)
    rest, turn = rng.standard_normal((5, 3)), random_turn(rng)
    posed = rest @ turn.T + rng.standard_normal(3)
    model, part = face_of_followers(rest, posed)
    found = model.evaluate(random_face_poses(1)[0])[part]
    np.testing.assert_allclose(found, moved_by(turn, model, part, posed), atol=tolerance["float32_scaled"])


@pytest.mark.parametrize("seed", range(5))
def test_a_part_is_never_mirrored(seed, tolerance):
    """Followers in nearly one plane, folded to its other side: a reflection would fit better than any rotation."""
    rng = np.random.default_rng(seed)
    rest = rng.standard_normal((5, 3)) * [1, 1, 0.1]
    posed = rest * [1, 1, -1] @ random_turn(rng).T
    model, part = face_of_followers(rest, posed)
    found = model.evaluate(random_face_poses(1)[0])[part]
    turn, mirror = (rotation_by_kabsch(rest, posed, may_mirror=mirrors) for mirrors in (False, True))
    assert np.linalg.det(mirror) < 0 < np.linalg.det(turn)
    np.testing.assert_allclose(found, moved_by(turn, model, part, posed), atol=tolerance["float32_character"])
    assert np.abs(moved_by(mirror, model, part, posed) - found).max() > 0.1


def test_followers_on_a_line_only_carry_their_part(tolerance):
    rng = np.random.default_rng(0)
    rest = np.outer(np.linspace(-1, 1, 5), [1.0, 2.0, 0.5])
    posed = rest @ random_turn(rng).T + [1.0, 2.0, 3.0]
    model, part = face_of_followers(rest, posed)
    pose = random_face_poses(1)[0]
    expected = moved_by(np.eye(3), model, part, posed)
    np.testing.assert_allclose(model.evaluate(pose)[part], expected, atol=tolerance["float32_scaled"])
    assert np.isfinite(model.jacobian(pose)).all()


def test_followers_that_collapse_in_a_pose_give_finite_results():
    rest = np.random.default_rng(0).standard_normal((5, 3))
    for posed in (np.zeros((5, 3)), np.outer(np.arange(5), [1.0, 0, 0])):
        model, _ = face_of_followers(rest, posed)
        pose = random_face_poses(1)[0]
        assert np.isfinite(model.evaluate(pose)).all()
        assert np.isfinite(model.jacobian(pose)).all()


def test_a_restricted_part_keeps_followers_that_are_no_vertices():
    model, rows = random_face_maps(num_vertices=80, parts=3), random_face_poses(4)
    tensors = model.tensors()
    part, followers = tensors["parts.vertex"][:2], set(tensors["parts.follower"][0].tolist())
    alone = model.restricted(part)
    assert len(alone.tensors()["followers.rest"]) == len(followers)
    assert alone.num_parts == 1
    assert alone.evaluate(rows).tobytes() == model.evaluate(rows)[:, part].tobytes()
    again = alone.restricted([1, 0, 1])
    assert again.evaluate(rows).tobytes() == model.evaluate(rows)[:, part[[1, 0, 1]]].tobytes()
    kept = sorted(followers)[:2]
    beside = model.restricted([*part, *kept])
    assert len(beside.tensors()["followers.rest"]) == len(followers) - 2
    assert beside.evaluate(rows).tobytes() == model.evaluate(rows)[:, [*part, *kept]].tobytes()
