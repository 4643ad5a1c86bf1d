"""Constructed correctives: each part of the nonlinear model against what geometry says, and the sum at every peak."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.faces._correctives.contacts import Contacts
from rigcast.faces._correctives.correctives import Hinge, _nonlinear_face, _peak
from rigcast.faces._correctives.surface import TriangleMesh, swept_volume

SIZE = 12


def sheet(height: float, upward: bool) -> tuple[np.ndarray, np.ndarray]:
    """A square grid of quads at a height, facing up or down."""
    x, z = np.meshgrid(np.linspace(-1, 1, SIZE), np.linspace(-1, 1, SIZE), indexing="ij")
    points = np.stack([x, np.full_like(x, height), z], axis=2).reshape(-1, 3)
    a = (np.arange(SIZE - 1)[:, None] * SIZE + np.arange(SIZE - 1)).reshape(-1)
    faces = np.stack([a, a + 1, a + SIZE + 1, a + SIZE], axis=1)
    return points, faces if upward else faces[:, ::-1]


def mouth():
    """Two sheets that face each other 0.01 apart: shapes close it from either side, bulge, and open a jaw."""
    lower, lower_faces = sheet(0.0, True)
    upper, upper_faces = sheet(0.01, False)
    rest = np.concatenate([lower, upper])
    below = np.arange(len(rest)) < len(lower)
    bump = np.exp(-8 * (rest[:, 0] ** 2 + rest[:, 2] ** 2))
    deltas = np.zeros((5, len(rest), 3))
    deltas[0, :, 1] = 0.008 * bump * below
    deltas[1, :, 1] = -0.008 * bump * ~below
    deltas[2] = turned(rest, 0.4) - rest
    deltas[2][~below] = 0
    deltas[3, :, 0] = 0.2 * bump
    deltas[4, :, 1] = -0.3 * np.exp(-8 * ((rest[:, 0] - 0.3) ** 2 + rest[:, 2] ** 2)) * below
    faces = np.concatenate([lower_faces, upper_faces + len(lower)]).astype(np.int32)
    names = ["raise", "press", "jaw", "slide", "bulge"]
    return rc.BlendshapeRig(rest, deltas, names=names, faces=faces), below


def turned(points: np.ndarray, angle: float) -> np.ndarray:
    """Rotated about the x axis through (0, 0.3, -2)."""
    c, s = np.cos(angle), np.sin(angle)
    center = np.array([0.0, 0.3, -2.0])
    return (points - center) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]).T + center


def evaluate(rig, **weights: float) -> np.ndarray:
    row = np.array([[weights.get(name, 0.0) for name in rig.shape_names]], np.float32)
    return np.asarray(rig.evaluate(row)[0], np.float64)


COMBINATIONS = [
    (0, 1),
    (rc.Tent(2, 0.25, 0.5, 1.0),),
    (2, 3),
    (3, 4),
    (2, 3, 4),
    (rc.Tent(0, 0.0, 0.5, 1.0), 3),
]


def test_every_peak_is_the_nonlinear_face():
    rig, _ = mouth()
    full = rc.faces.constructed_correctives(rig, COMBINATIONS, jaw="jaw")
    face = _nonlinear_face(rig, "jaw", [])
    size = np.linalg.norm(np.ptp(face.rest, axis=0))
    for factors in COMBINATIONS:
        weights = _peak(factors, np.ones(5))
        posed = np.asarray(full.evaluate(weights[None].astype(np.float32))[0], np.float64)
        assert np.linalg.norm(posed - face.vertices(weights), axis=1).max() < 2.5e-5 * size * len(factors)


def test_single_shapes_stay_as_they_were_sculpted(tolerance):
    rig, _ = mouth()
    face = _nonlinear_face(rig, "jaw", [])
    for k in range(5):
        expected = face.rest + face.deltas[k]
        np.testing.assert_allclose(face.vertices(np.eye(5)[k]), expected, atol=tolerance["float64"] * 10)


def test_a_hinge_is_found_again(tolerance):
    rest = np.random.default_rng(0).normal(size=(200, 3))
    hinge = Hinge.fit(0, rest, turned(rest, 0.4) - rest)
    assert hinge.angle == pytest.approx(0.4)
    np.testing.assert_allclose(np.abs(hinge.axis), [1, 0, 0], atol=tolerance["gram"])
    np.testing.assert_allclose(hinge.center[1:], [0.3, -2.0], atol=tolerance["gram"])
    np.testing.assert_allclose(hinge.apply(rest, 0.5), turned(rest, 0.2), atol=tolerance["gram"])
    assert Hinge.fit(0, rest, np.tile([0.0, 0.1, 0.0], (200, 1))) is None  # a slide turns nothing


def test_the_jaw_turns_half_way_and_carries_what_sits_on_it(tolerance):
    rig, below = mouth()
    full = rc.faces.constructed_correctives(rig, [(rc.Tent(2, 0.0, 0.5, 1.0),), (2, 3)], jaw="jaw")
    half = evaluate(full, jaw=0.5)
    # The jaw's in-betweens stand for an arc: this is how far its chords are from it.
    np.testing.assert_allclose(half[below], turned(rig.rest_vertices, 0.2)[below], atol=2e-4)
    face = _nonlinear_face(rig, "jaw", [])
    carried = face._turned(np.array([0.0, 0, 1, 1, 0]), np.array([2, 3]))
    expected = turned(face.rest + face.deltas[3], 0.4)
    np.testing.assert_allclose(carried[below], expected[below], atol=tolerance["float64_converged"])


def test_lips_that_cross_in_the_sum_meet_instead():
    rig, below = mouth()
    face = _nonlinear_face(rig, None, [])
    assert len(face.contacts.first) == below.sum()
    linear = evaluate(rig, **{"raise": 1.0, "press": 1.0})
    assert face.contacts.gaps(linear).min() < -0.003
    pushed = linear + face.contacts.resolve(face.surface, linear, np.zeros(below.sum()))
    assert face.contacts.gaps(pushed).min() > -1e-9
    full = rc.faces.constructed_correctives(rig, [(0, 1)])
    assert face.contacts.gaps(evaluate(full, **{"raise": 1.0, "press": 1.0})).min() > -2e-4


def test_backs_of_a_thin_sheet_are_no_contact():
    lower, faces = sheet(0.0, False)
    upper, more = sheet(0.01, True)
    surface = TriangleMesh.of(np.concatenate([faces, more + len(lower)]), 2 * len(lower))
    assert not len(Contacts.find(surface, [np.concatenate([lower, upper])], 0.05).first)


def test_overlapping_shapes_sweep_the_sum_of_their_volumes():
    rig, _ = mouth()
    full = rc.faces.constructed_correctives(rig, [(3, 4)])
    triangles = TriangleMesh.of(rig.faces, len(rig.rest_vertices)).triangles
    rest = np.asarray(rig.rest_vertices, np.float64)

    def volume(vertices):
        influence = (
            np.prod(
                [np.linalg.norm(rig.column(k), axis=1) / np.linalg.norm(rig.column(k), axis=1).max() for k in (3, 4)],
                axis=0,
            )
            ** 0.5
        )
        share = influence[triangles].mean(axis=1)
        return (share * swept_volume(rest[triangles], vertices[triangles])).sum()

    wanted = volume(evaluate(rig, slide=1.0)) + volume(evaluate(rig, bulge=1.0))
    linear, mine = volume(evaluate(rig, slide=1.0, bulge=1.0)), volume(evaluate(full, slide=1.0, bulge=1.0))
    assert abs(linear - wanted) > 0.01 * abs(wanted)
    assert abs(mine - wanted) < 0.05 * abs(linear - wanted)


def test_the_swept_volume_of_a_raised_square_is_a_box():
    points, faces = sheet(0.0, True)
    triangles = TriangleMesh.of(faces, len(points)).triangles
    raised = points + np.array([0, 0.5, 0])
    assert swept_volume(points[triangles], raised[triangles]).sum() == pytest.approx(4 * 0.5)


def test_constructed_columns_are_named_and_the_same_every_time():
    rig, _ = mouth()
    first, second = (rc.faces.constructed_correctives(rig, COMBINATIONS, jaw="jaw") for _ in range(2))
    assert first.columns().tobytes() == second.columns().tobytes()
    assert first.metadata["constructed"][:3] == ["raise * press", "jaw@0.5", "jaw * slide"]
    again = rc.faces.constructed_correctives(first, [(0, 3)])
    assert again.num_columns == first.num_columns + 1
    assert len(again.metadata["constructed"]) == len(COMBINATIONS) + 1
    np.testing.assert_array_equal(again.columns()[: first.num_columns], first.columns())


def test_wrong_arguments_are_refused():
    rig, _ = mouth()
    for combinations, options in (
        ([(0, 0)], {}),
        ([(0, 9)], {}),
        ([()], {}),
        ([(0, 1)], {"jaw": "elbow"}),
        ([(0, 1)], {"closing": ["elbow"]}),
    ):
        with pytest.raises(ValueError, match="constructed_correctives"):
            rc.faces.constructed_correctives(rig, combinations, **options)
    bare = rc.BlendshapeRig(rig.rest_vertices, rig.columns())
    with pytest.raises(ValueError, match="without faces"):
        rc.faces.constructed_correctives(bare, [(0, 1)])


@pytest.mark.slow
def test_the_ict_face_carries_the_controls_and_combinations_of_compskin(data_path, tolerance):
    rig, weights = rc.faces.ict_with_combinations(data_path("ict_facekit"), data_path("compskin_face_anim"))
    assert (rig.num_shapes, rig.num_columns) == (72, 287)
    assert len(rig.metadata["constructed"]) == 215
    assert weights.shape == (2012, 72)
    assert weights.min() == 0.0
    assert weights.max() <= 1.0
    columns = rig.columns()
    largest = np.linalg.norm(columns, axis=2).max(axis=1)
    assert (largest > 0).all()
    assert largest[72:].max() < largest[:72].max()  # corrections are smaller than what they correct
    linear = columns[:72].reshape(72, -1).astype(np.float64)
    unit = linear / np.linalg.norm(linear, axis=1, keepdims=True)
    assert np.linalg.eigvalsh(unit @ unit.T)[0] > 1e-3  # no control is a sum of others
    left, right = (rig.column(rig.shape_names.index(f"lipPucker_{side}")) for side in "LR")
    pucker = rc.faces.ict(data_path("ict_facekit"))
    whole = pucker.column(pucker.shape_names.index("mouthPucker"))
    np.testing.assert_allclose(left + right, whole, atol=tolerance["float64_converged"])
    assert np.abs(left[rig.rest_vertices[:, 0] < -2]).max() < 1e-6  # +x is the figure's left
