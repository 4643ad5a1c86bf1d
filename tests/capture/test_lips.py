"""Inner lips on the silhouettes of the lips, against a contour that is found by drawing them densely."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture._detectors import IBUG68, MEDIAPIPE
from rigcast.capture._lips import InnerLips, _spread, silhouette
from rigcast.capture._places import places_of_vertices
from tests.capture.capture import UPRIGHT
from tests.conftest import shared_data

FOCAL, CENTER = 560.0, (128.0, 128.0)
NEAR = 0.6  # pixels: the contour has bins, and the silhouette is that of vertex normals
UPPER, LOWER = [61, 62, 63], [67, 66, 65]
BINS = 60
GRID = [(i, j) for i in range(9) for j in range(9 - i)]


@pytest.fixture(scope="module")
def cast():
    return rc.capture.ict_cast(shared_data("ict_facekit"))


@pytest.fixture(scope="module")
def lips(cast):
    return InnerLips(cast.character, places_of_vertices("test", cast.landmarks, cast.character), IBUG68)


def acted(cast, **shapes):
    """Weights (1, K) of shapes by the beginnings of their names."""
    names = cast.character.shape_names
    return np.array([[next((w for key, w in shapes.items() if name.startswith(key)), 0.0) for name in names]])


EXPRESSIONS = {
    "jaw open": {"jawOpen": 0.6},
    "pucker": {"mouthPucker": 0.8, "jawOpen": 0.2},
    "smile": {"mouthSmile": 0.8, "jawOpen": 0.3},
    "funnel": {"mouthFunnel": 0.6, "jawOpen": 0.5},
}


def posed(cast, weights, turn=0.0):
    """Vertices (V, 3) before the camera, and the pose (3, 4)."""
    around = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    pose = np.column_stack([UPRIGHT @ around, [0.0, -1.0, 54.0]])
    return cast.character.evaluate(weights.astype(np.float32))[0].astype(float) @ pose[:, :3].T + pose[:, 3], pose


def image(places):
    return np.array(CENTER) + FOCAL * places[:, :2] / places[:, 2:]


def contour(vertices, faces, side, right, left):
    """(BINS, 2) the outermost places of a densely drawn lip in the image, along and across the line of its corners."""
    shares = np.array([(i, j, 8 - i - j) for i, j in GRID]) / 8.0
    at = image(np.einsum("gc,fcd->fgd", shares, vertices[faces]).reshape(-1, 3))
    x, y = along_and_across(at, right, left)
    bins = np.floor(x * BINS).astype(int)
    inside = [np.flatnonzero(bins == k) for k in range(BINS)]
    best = np.array([rows[np.argmax(side * y[rows])] for rows in inside])
    return np.stack([x[best], y[best]], axis=1)


def along_and_across(at, right, left):
    """Places in the image as shares of the way between two of them, and pixels across it."""
    way = left - right
    along = way / np.linalg.norm(way)
    return (at - right) @ way / (way @ way), (at - right) @ np.array([-along[1], along[0]])


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("turn", [0.0, 0.25])
def test_points_lie_on_the_contour_of_each_lip(cast, lips, name, turn):
    """In the middle of the mouth; the upper lip's contour is its lowest edge, the lower lip's its highest one."""
    weights = acted(cast, **EXPRESSIONS[name])
    vertices, pose = posed(cast, weights, turn)
    fixed = vertices[cast.landmarks]
    away = lips.away(weights, pose[None], FOCAL, CENTER)[0]
    for lip, points, side in zip(lips.lips, (UPPER, LOWER), (1.0, -1.0), strict=True):
        near = np.abs(image(vertices[lip.faces].mean(axis=1))[:, 1] - image(fixed)[points[1], 1]) < 25.0
        ends = image(fixed[[60, 64]])
        edge = contour(vertices, lip.faces[near], side, *ends)
        x, y = along_and_across(image(fixed[points]) + away[points], *ends)
        assert np.abs(y - np.interp(x, *edge.T)).max() <= NEAR
        assert (np.diff([0.0, *x, 1.0]) > 0.1).all()


def test_points_have_even_shares_of_the_length():
    """On half a circle, walked from either end, of two polylines the one between the corners."""
    angles = np.linspace(np.pi, 0.0, 200)
    half = np.stack([np.cos(angles), np.sin(angles), 5.0 + 0 * angles], axis=1)
    wanted = np.deg2rad([135.0, 90.0, 45.0])
    for line in (half, half[::-1]):
        found = _spread([line + np.array([0.0, 3.0, 0.0]), line], half[0], half[-1], 3)
        even = np.stack([np.cos(wanted), np.sin(wanted)], axis=1)
        np.testing.assert_allclose(found[:, :2], even, atol=1e-3)  # 200 steps of the polyline


def test_points_slide_from_their_fixed_places(cast, lips):
    """By pixels as the mouth opens; those that are no inner lips do not."""
    weights = acted(cast, jawOpen=0.5, mouthFunnel=0.6)
    away = lips.away(weights, posed(cast, weights)[1][None], FOCAL, CENTER)[0]
    rest = lips.away(0.0 * weights, posed(cast, weights)[1][None], FOCAL, CENTER)[0]
    assert np.linalg.norm(away - rest, axis=1)[UPPER + LOWER].max() > 1.5
    others = np.setdiff1d(np.arange(68), UPPER + LOWER)
    assert not away[others].any()


def test_a_silhouette_of_a_sphere_is_its_rim():
    """Before a camera in the origin, the rim of a sphere of radius 1 at a distance d lies at the cosine 1 / d."""
    rows, columns, d = 24, 48, 6.0
    theta, phi = np.meshgrid(
        np.linspace(0, np.pi, rows), np.linspace(0, 2 * np.pi, columns, endpoint=False), indexing="ij"
    )
    ball = np.stack([np.sin(theta) * np.cos(phi), np.cos(theta), np.sin(theta) * np.sin(phi)], axis=-1).reshape(-1, 3)
    k = np.arange(rows * columns).reshape(rows, columns)
    a, b = k[:-1], np.roll(k, -1, axis=1)[:-1]
    c, e = k[1:], np.roll(k, -1, axis=1)[1:]
    faces = np.concatenate([np.stack([a, b, e], -1).reshape(-1, 3), np.stack([a, e, c], -1).reshape(-1, 3)])
    shift = np.array([0.0, 0.0, d])
    lines = silhouette(ball + shift, faces)
    rim = np.concatenate(lines) - shift
    assert len(max(lines, key=len)) > columns
    np.testing.assert_allclose(rim[:, 2], -1.0 / d, atol=0.04)  # of a radius: the mesh has 24 rows
    gaps = np.linalg.norm(np.diff(max(lines, key=len), axis=0), axis=1)
    assert gaps.max() < 0.4  # a walk from neighbor to neighbor


@pytest.fixture(scope="module")
def shot(cast):
    """Points of a detector that sees contours: an opening, puckering mouth whose head turns."""
    rig, frames = cast.character, 20
    time = np.linspace(0.0, 1.0, frames)[:, None]
    weights = time * acted(cast, jawOpen=0.5, mouthFunnel=0.4) + np.sin(np.pi * time) * acted(cast, mouthSmile=0.4)
    poses = [posed(cast, weights[:1], 0.15 * np.sin(0.4 * t))[1] for t in range(frames)]
    lips = InnerLips(rig, places_of_vertices("test", cast.landmarks, rig), IBUG68)
    fixed = np.array([image(rig.evaluate(w.astype(np.float32))[cast.landmarks] @ p[:, :3].T + p[:, 3])
                      for w, p in zip(weights, poses, strict=True)])  # fmt: skip
    return weights, fixed + lips.away(weights, np.array(poses), FOCAL, CENTER)


def solved(cast, shot, silhouettes):
    names = cast.character.shape_names
    still = np.where([("Look" in name or "Pupil" in name) for name in names], 0.0, np.nan)
    settings = rc.capture.CaptureSettings(noise=0.1, smoothing=0.01, sparsity=0.01, silhouettes=silhouettes)
    return rc.capture.solve(
        cast.character, shot[1], cast.landmarks, detector="ibug68", neutral=0, focal=FOCAL, size=(256, 256),
        fixed=still, settings=settings,
    )  # fmt: skip


def test_a_detector_that_sees_contours_is_followed(cast, shot):
    """Errors of the face's front: half of those with fixed inner lips, and residuals a third."""

    def off(found):
        pair = [cast.character.evaluate(np.asarray(w, np.float32))[:, :6706] for w in (found.weights, shot[0])]
        return np.linalg.norm(pair[0] - pair[1], axis=2).mean()

    sliding, fixed = (solved(cast, shot, flag) for flag in (True, False))
    assert off(sliding) < 0.5 * off(fixed)
    assert np.nanmean(sliding.residual[1:]) < np.nanmean(fixed.residual[1:]) / 3


@pytest.mark.parametrize("layout", [IBUG68, MEDIAPIPE])
def test_the_inner_lips_of_a_layout_run_from_corner_to_corner(layout):
    for line in (layout.inner_upper_lip, layout.inner_lower_lip):
        assert len(line) == len(set(line.tolist()))
        assert not set(line.tolist()) & set(layout.inner_corners)
    assert layout.inner_upper == layout.inner_upper_lip[len(layout.inner_upper_lip) // 2]
    assert layout.inner_lower == layout.inner_lower_lip[len(layout.inner_lower_lip) // 2]


def test_points_of_no_detector_are_refused(cast, shot):
    settings = rc.capture.CaptureSettings(silhouettes=True)
    with pytest.raises(rc.errors.ArgumentError, match="no known detector"):
        rc.capture.solve(cast.character, shot[1][:, :50], cast.landmarks[:50], neutral=0, settings=settings)
    still = rc.BlendshapeRig(
        cast.character.rest_vertices, cast.character.column(0)[None], names=["smile"], faces=cast.character.faces
    )
    with pytest.raises(rc.errors.ArgumentError, match="without jawOpen"):
        rc.capture.solve(still, shot[1], cast.landmarks, detector="ibug68", neutral=0, settings=replace(settings))
