"""The loss of deformation maps against slow formulas: sampling, vertices, normals across segments."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.training._face_maps._layout.segments import MapSegment, RigidPart
from rigcast.training._face_maps._train.loss import NormalLoss
from rigcast.training._face_maps._train.problem import level_of, scaling_of
from rigcast.training._face_maps._train.sparse import SparseProduct, sampling_triplets
from tests.support.characters.mapped_face import SIDE, MappedFace

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

QUADS = np.array([[0, 1, 3, 2], [2, 3, 5, 4], [4, 5, 6, 6]])  # the last one is a triangle


def slow_normals(vertices, corners):
    """Normals (F, 3) of vertices (V, 3)."""
    result = []
    for a, b, c, d in corners:
        first, second = vertices[c] - vertices[a], vertices[d] - vertices[b]
        cross = np.cross(first, second)
        result.append(cross / np.linalg.norm(cross))
    return np.array(result)


def random_vertices(seed, frames=4):
    return np.random.default_rng(seed).standard_normal((7, 3, frames))


def test_normals_are_those_of_the_formula(tolerance):
    vertices = random_vertices(0)
    found = NormalLoss(torch, QUADS, 7, "cpu").normals(torch.tensor(vertices, dtype=torch.float32))
    for frame in range(4):
        expected = slow_normals(vertices[:, :, frame], QUADS)
        np.testing.assert_allclose(found[:, :, frame], expected, atol=tolerance["float32_scaled"])


def test_the_normal_of_a_triangle_points_as_that_of_metrics():
    """Counterclockwise triangles look at the viewer."""
    vertices = torch.tensor([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])[:, :, None]
    found = NormalLoss(torch, np.array([[0, 1, 2, 2]]), 3, "cpu").normals(vertices)
    assert found[0, :, 0].tolist() == [0.0, 0.0, 1.0]


def test_the_normal_loss_is_that_of_the_formula(tolerance):
    vertices, truth = random_vertices(0), random_vertices(1)
    loss = NormalLoss(torch, QUADS, 7, "cpu")
    wanted = loss.normals(torch.tensor(truth, dtype=torch.float32))
    found = float(loss(torch.tensor(vertices, dtype=torch.float32), wanted))
    each = [
        np.abs(slow_normals(vertices[:, :, t], QUADS) - slow_normals(truth[:, :, t], QUADS)).sum(axis=1).mean()
        for t in range(4)
    ]
    assert found == pytest.approx(np.mean(each), abs=tolerance["float32_scaled"])


def test_the_gradient_of_the_normal_loss_is_that_of_finite_differences(tolerance):
    vertices, truth = random_vertices(0), random_vertices(1)
    loss = NormalLoss(torch, QUADS, 7, "cpu")
    wanted = loss.normals(torch.tensor(truth, dtype=torch.float32))
    given = torch.tensor(vertices, dtype=torch.float32, requires_grad=True)
    loss(given, wanted).backward()
    direction = np.random.default_rng(2).standard_normal(vertices.shape)
    step = 1e-3
    ends = [
        float(loss(torch.tensor(vertices + sign * step * direction, dtype=torch.float32), wanted)) for sign in (1, -1)
    ]
    along = float((given.grad * torch.tensor(direction, dtype=torch.float32)).sum())
    assert along == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=tolerance["finite_difference"])


def test_a_face_without_area_has_no_gradient():
    loss = NormalLoss(torch, np.array([[0, 1, 2, 2]]), 3, "cpu")
    given = torch.zeros(3, 3, 1, requires_grad=True)
    loss(given, torch.ones(1, 3, 1)).backward()
    assert torch.isfinite(given.grad).all()


def test_sampling_is_bilinear_between_texel_centers(tolerance):
    rng = np.random.default_rng(0)
    maps = [rng.standard_normal((8, 8)), rng.standard_normal((16, 16))]
    segments = [
        MapSegment("a", 0, np.array([0, 2]), rng.random((2, 2)), np.ones(2, np.float32), np.arange(1), 8),
        MapSegment("b", 1, np.array([1, 2]), np.array([[1.0, 0.0], [0.3, 1.0]]), np.float32([0.5, 0.25]), [0], 16),
    ]
    triplets, texels = sampling_triplets(segments, np.arange(4))
    product = SparseProduct(torch, triplets, (4, texels), "cpu")
    flat = torch.tensor(np.concatenate([m.ravel() for m in maps])[:, None], dtype=torch.float32)
    expected = np.zeros(4)
    for segment, texture in zip(segments, maps, strict=True):
        last = len(texture) - 1
        for vertex, (u, v), weight in zip(segment.vertices, segment.uvs * last, segment.weights, strict=True):
            i, j = min(int(u), last - 1), min(int(v), last - 1)
            a, b = u - i, v - j
            low = (1 - a) * texture[j, i] + a * texture[j, i + 1]
            high = (1 - a) * texture[j + 1, i] + a * texture[j + 1, i + 1]
            expected[vertex] += weight * ((1 - b) * low + b * high)
    np.testing.assert_allclose(product(flat)[:, 0], expected, atol=tolerance["float32"])


def halves():
    """The two materials of the small face as segments, which share the faces between them."""
    rig = MappedFace()
    sheet = np.arange(SIDE * SIDE)
    upper, lower = sheet[sheet >= SIDE * 6], sheet[sheet < SIDE * 6]
    return rig, [
        MapSegment(name, 0, part, np.zeros((len(part), 2)), np.ones(len(part), np.float32), np.arange(5), 32)
        for name, part in (("brow", upper), ("mouth", lower))
    ]


def test_faces_between_segments_count():
    """With normals inside segments alone, a step along their border would cost nothing."""
    rig, segments = halves()
    level = level_of(segments, [], rig.faces, len(rig.rest_vertices))
    assert len(level.corners) == (SIDE - 1) ** 2
    border = rig.rest_vertices.astype(np.float64)[level.vertices][:, :, None].repeat(2, axis=2)
    border[level.place[segments[0].vertices], 2, 1] += 0.05
    loss = NormalLoss(torch, level.corners, len(level.vertices), "cpu")
    given = torch.tensor(border, dtype=torch.float32)
    wanted = loss.normals(given)[:, :, :1]
    turned = (loss.normals(given[:, :, 1:]) - wanted).abs().sum(dim=1).gt(0.1).sum()
    assert int(turned) == SIDE - 1
    assert float(loss(given[:, :, 1:].contiguous(), wanted)) > 0.01


def test_faces_of_rigid_parts_do_not_count():
    rig, segments = halves()
    part = RigidPart("tooth", np.arange(SIDE * SIDE, len(rig.rest_vertices)), np.arange(10), 0.0)
    level = level_of(segments, [part], rig.faces, len(rig.rest_vertices))
    assert level.place[part.vertices].tolist() == [-1] * len(part.vertices)


def test_resting_neighbors_hold_the_normals_at_the_border():
    rig, segments = halves()
    level = level_of(segments[:1], [], rig.faces, len(rig.rest_vertices))
    assert len(level.vertices) == len(segments[0].vertices) + SIDE


def test_a_dial_that_is_rarely_turned_does_not_explode():
    columns = np.zeros((1000, 2))
    columns[0, 0] = 1.0
    columns[:, 1] = np.linspace(0, 1, 1000)
    scaling = scaling_of(columns, np.ones((2, 3, 3), np.float32))
    assert ((columns - scaling.mean) / scaling.deviation).max() < 10.01
