"""The analytic rig that other tests learn from keeps what it promises."""

import numpy as np
import pytest

from tests.support.characters.cylinder import CylinderRig


def test_rest_channels_give_the_rest_mesh(cylinder_rig, tolerance):
    poses, vertices = cylinder_rig.sample(cylinder_rig.channel_rest[None])
    assert poses.shape == (1, 12 * 4 + 1)
    np.testing.assert_allclose(vertices[0], cylinder_rig.rest_vertices, atol=tolerance["float32"])
    local = poses[0, :48].reshape(4, 3, 4)
    np.testing.assert_allclose(local, cylinder_rig.skeleton.rest, atol=tolerance["float32"])


def test_surface_is_closed_and_oriented_outwards(cylinder_rig, tolerance):
    edges = {}
    volume = 0.0
    for face in cylinder_rig.faces:
        corners = [int(v) for v in face if v >= 0]
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            edges[a, b] = edges.get((a, b), 0) + 1
        points = cylinder_rig.rest_vertices[corners].astype(float)
        for k in range(1, len(corners) - 1):
            volume += np.dot(points[0], np.cross(points[k], points[k + 1])) / 6
    assert all(count == 1 and edges.get((b, a)) == 1 for (a, b), count in edges.items())
    prism = 40.0 * 12 * 0.5 * 4.0 * np.sin(2 * np.pi / 12)
    assert volume == pytest.approx(prism, rel=tolerance["float32_scaled"])


def test_root_motion_is_rigid(cylinder_rig, tolerance):
    channels = np.zeros((1, len(cylinder_rig.channel_names)))
    channels[0, :2] = 5.0, 90.0
    vertices = cylinder_rig.sample(channels)[1][0]
    x, y, z = cylinder_rig.rest_vertices.T
    expected = np.stack([z + 5.0, y, -x], axis=1)  # +90 degrees about y takes z to x
    np.testing.assert_allclose(vertices, expected, atol=10 * tolerance["float32"])


def test_bulge_is_what_linear_skinning_lacks():
    channels = np.zeros((1, 6))
    channels[0, 2] = 70.0
    plain = CylinderRig(2, bulge=False).sample(channels)[1]
    bulging = CylinderRig(2, bulge=True).sample(channels)[1]
    distance = np.linalg.norm(plain - bulging, axis=-1)[0]
    assert distance.max() > 0.3
    assert np.median(distance) < 0.1 * distance.max()
