"""The detail of deformation maps at run time, in batches, sessions and restricted models."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.made.face_maps import random_face_maps, random_face_poses, slow_face_maps
from tests.support.made.models import linear_blend

MODEL = random_face_maps(num_vertices=90, refinements=3)


def test_detail_multiplies_what_refinements_add(tolerance):
    rows = random_face_poses(3)
    detail = np.float32([[0.25, 1, 0], [0, 0, 0], [1, 0.5, 0.75]])
    expected = np.stack([slow_face_maps(MODEL, pose, own) for pose, own in zip(rows, detail, strict=True)])
    np.testing.assert_allclose(MODEL.evaluate_detail(rows, detail), expected, atol=tolerance["float32_sum"])


def test_full_detail_has_the_bytes_of_evaluate():
    rows = random_face_poses(12)
    for threads in (1, 3):
        found = MODEL.evaluate_detail(rows, np.ones(3), threads=threads)
        assert found.tobytes() == MODEL.evaluate(rows).tobytes()


def test_detail_of_a_row_per_frame_has_the_bytes_of_each_frame():
    rows, detail = random_face_poses(20), np.random.default_rng(0).choice([0.0, 0.3, 1.0], (20, 3))
    rows[5:8] = rows[5]
    single = np.stack([MODEL.evaluate_detail(pose, own) for pose, own in zip(rows, detail, strict=True)])
    for threads in (1, 2, 32):
        assert MODEL.evaluate_detail(rows, detail, threads=threads).tobytes() == single.tobytes()


def test_a_ramp_of_detail_does_not_pop():
    """A hundredth of the way moves a vertex by a hundredth of what the refinement adds, at both ends, too."""
    pose = random_face_poses(1)[0]
    steps = np.stack([MODEL.evaluate_detail(pose, np.full(3, x)) for x in np.linspace(0, 1, 101)]).astype(np.float64)
    whole = np.linalg.norm(steps[-1] - steps[0], axis=-1).max()
    assert np.linalg.norm(np.diff(steps, axis=0), axis=-1).max() < 0.0101 * whole


@pytest.mark.parametrize("vertices", [None, [80, 3, 17, 3]])
def test_a_session_with_detail_has_the_bytes_of_evaluate_detail(vertices):
    model = MODEL if vertices is None else MODEL.restricted(vertices)
    rng, session = np.random.default_rng(1), model.session()
    pose, detail = random_face_poses(1)[0], np.ones(3, np.float32)
    for _ in range(60):
        change = rng.choice(["detail", "pose", "both", "nothing"])
        if change in ("detail", "both"):
            detail[rng.integers(3)] = rng.choice([0.0, 0.5, 1.0])
            session.set_detail(detail)
        if change in ("pose", "both"):
            pose[rng.integers(len(pose))] = rng.standard_normal()
        assert session.evaluate(pose).tobytes() == model.evaluate_detail(pose, detail).tobytes()


def test_a_refused_detail_changes_nothing():
    session, pose = MODEL.session(), random_face_poses(1)[0]
    session.set_detail([0.5, 0.5, 0.5])
    with pytest.raises(ValueError, match="set_detail: detail is"):
        session.set_detail([0.5, 2.0, 0.5])
    assert session.evaluate(pose).tobytes() == MODEL.evaluate_detail(pose, [0.5, 0.5, 0.5]).tobytes()


def test_a_restricted_model_has_the_same_places_of_detail():
    tensors = MODEL.tensors()
    begin, end = tensors["segments.offset"][-2:]
    only_last = set(tensors["segments.vertex"][begin:end].tolist())
    for s in range(2, 4):  # the other refinements
        only_last -= set(tensors["segments.vertex"][slice(*tensors["segments.offset"][s : s + 2])].tolist())
    vertices = sorted(only_last)[:3]
    part, rows = MODEL.restricted(vertices), random_face_poses(4)
    assert part.num_refinements == 3
    assert part.multiply_adds() < MODEL.multiply_adds() / 3
    detail = [1.0, 1.0, 0.25]
    expected = MODEL.evaluate_detail(rows, detail)[:, vertices]
    assert part.evaluate_detail(rows, detail).tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("detail", "text"),
    [
        (np.ones(2), r"evaluate_detail: detail is \(1, 2\); it must be \(2, 3\)"),
        (np.ones((3, 3)), r"evaluate_detail: detail is \(3, 3\); it must be \(2, 3\)"),
        ([0, 0, 1.5], r"evaluate_detail: detail is 1.5.* at \(0, 2\); it must be from 0"),
        ([0, -0.1, 1], "evaluate_detail: detail is -0.1"),
        ([0, np.nan, 1], "evaluate_detail: detail is nan"),
        ("low", "evaluate_detail: detail is <U3"),
        (np.ones((1, 1, 3)), "evaluate_detail: detail is float64"),
    ],
)
def test_wrong_detail_is_named(detail, text):
    with pytest.raises(ValueError, match=text):
        MODEL.evaluate_detail(random_face_poses(2), detail)


def test_wrong_poses_are_named():
    with pytest.raises(ValueError, match="evaluate_detail: poses is not finite"):
        MODEL.evaluate_detail(np.full((1, 9), np.nan), np.ones(3))
    with pytest.raises(ValueError, match="evaluate_detail: poses is 8 wide; it must be 9 wide"):
        MODEL.evaluate_detail(np.zeros((1, 8)), np.ones(3))


def test_poses_so_large_that_vertices_overflow_are_named():
    with pytest.raises(ValueError, match="evaluate: poses is so large in row 1 that vertices overflow"):
        MODEL.evaluate(np.float32([[0] * 9, [3e38] * 9]))


def test_other_kinds_have_no_detail():
    with pytest.raises(ValueError, match="set_detail: the model is of a kind without refinement"):
        linear_blend().session().set_detail([1.0])
