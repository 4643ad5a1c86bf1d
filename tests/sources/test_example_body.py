"""The built-in body: an arm that bends, swells and can be learned from."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc


@pytest.fixture(scope="module")
def arm():
    return rc.sources.example_body()


def row(arm: rc.sources.SkinnedRig, **channels: float) -> np.ndarray:
    return np.array([[channels.get(name.replace(".", "_"), 0.0) for name in arm.channel_names]])


def test_it_is_a_rig_that_says_that_it_is_constructed(arm):
    assert isinstance(arm, rc.sources.Rig)
    assert "constructed" in arm.origin


def test_at_rest_it_is_its_rest_vertices(arm, tolerance):
    np.testing.assert_allclose(arm.sample(row(arm))[1][0], arm.rest_vertices, atol=tolerance["float64_converged"])


def test_the_elbow_bends_the_forearm_toward_the_palms_side(arm):
    hand = arm.rest_vertices[:, 1] > 0.6
    bent = arm.sample(row(arm, elbow_rx=90.0))[1][0]
    assert (bent[hand, 2] > 0.2).all()


def test_the_bend_swells_the_biceps_beyond_linear_skinning(arm):
    """The upper arm is moved by the shoulder alone, so that only the corrective can change it."""
    front = (np.abs(arm.rest_vertices[:, 1] - 0.16) < 0.02) & (arm.rest_vertices[:, 2] > 0.04)
    moved = arm.sample(row(arm, elbow_rx=130.0))[1][0] - arm.rest_vertices
    assert moved[front, 2].max() > 0.02


def test_the_dial_swells_the_upper_arm_and_nothing_below(arm):
    moved = np.linalg.norm(arm.sample(row(arm, tension=1.0))[1][0] - arm.rest_vertices, axis=1)
    assert moved.max() > 0.008
    assert moved[arm.rest_vertices[:, 1] > 0.5].max() < 1e-6  # rounding of the skinning


def test_its_faces_turn_outward(arm):
    normals = rc._core.vertex_normals(arm.rest_vertices, arm.faces)
    away = arm.rest_vertices * [1.0, 0.0, 1.0]
    side = np.linalg.norm(away, axis=1) > 0.01
    assert (np.einsum("va,va->v", normals, away)[side] > 0.0).all()


def test_it_can_be_sampled_and_fitted(arm, tmp_path):
    data = rc.sampling.sample(arm, tmp_path / "arm.rwdata", count=60, seed=0)
    model = rc.baselines.linear_blend(data, influences=4)
    error = rc.metrics.vertex_error(data.vertices, model.evaluate(data.poses))
    assert 0.0 < error.mean < 0.01
