"""What is timed of a model: its variants, its poses, and what they compute. No times here."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast._timing.engine import batch_of, engine_figures, subject_of
from tests.support.characters.cylinder import CylinderRig
from tests.support.made.cylinder_models import cylinder_body
from tests.support.made.differential import random_differential
from tests.support.made.face_maps import random_face_maps
from tests.support.made.models import linear_blend, random_body, random_poses


def subject(model, poses=None, truth=None, batch=3):
    return subject_of(model, poses, truth, runs=10, batch=batch, seed=0)


def test_a_pose_on_one_thread_and_the_batch_on_all_are_timed(monkeypatch):
    monkeypatch.setattr("rigcast._core.num_processors", lambda: 2)
    found = engine_figures(random_body(), runs=10, batch=3)
    assert [(row["poses"], row["threads"]) for row in found["rows"]] == [(1, 1), (3, 2)]
    assert [row["job"] for row in found["rows"]] == ["one pose", "3 poses"]
    assert all(row["seconds"] > 0 and set(row["variants"]) == {"16-bit"} for row in found["rows"])


def test_with_poses_and_vertices_a_body_is_timed_in_int8_and_its_storages_are_judged():
    model = random_body()
    poses = random_poses(model.skeleton, 3, numeric=2)
    found = engine_figures(model, poses, model.evaluate(poses) + np.float32(0.1), runs=10, batch=3)
    assert set(found["rows"][0]["variants"]) == {"16-bit", "int8"}
    assert [row["storage"] for row in found["storages"]] == ["16-bit", "int8"]


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (random_face_maps, ["rigcast", "16-bit", "coarse"]),
        (random_differential, ["rigcast", "16-bit"]),
        (lambda: random_face_maps(coarse=0, refinements=0, parts=0), ["rigcast"]),
        (lambda: cylinder_body(CylinderRig()), ["rigcast"]),
        (linear_blend, ["rigcast"]),
    ],
    ids=["face", "subspace", "face without networks", "body without networks", "linear skinning"],
)
def test_variants_of(model, names):
    some = subject(model())
    assert list(some.calls(some.poses, 1)) == names


def test_calls_compute_the_vertices_of_their_variant():
    some = subject(random_face_maps())
    calls = some.calls(some.poses, 1)
    assert np.array_equal(calls["rigcast"](), some.model.evaluate(some.poses))
    assert np.array_equal(calls["16-bit"](), some.model.stored("16-bit").evaluate(some.poses))
    assert np.array_equal(calls["coarse"](), some.model.evaluate_detail(some.poses, [0] * some.model.num_refinements))


def test_a_model_without_weights_has_no_reading():
    assert subject(linear_blend()).reading(1) == []


def test_given_poses_are_repeated_to_the_batch():
    model = random_body()
    poses = random_poses(model.skeleton, 2, numeric=2)
    assert np.array_equal(subject(model, poses, batch=5).poses, poses[[0, 1, 0, 1, 0]])


def test_random_poses_lie_between_the_control_ranges():
    model = random_face_maps()
    low, high = model.control_ranges.T
    poses = batch_of(model, None, 50, seed=1)
    assert ((low <= poses) & (poses <= high)).all()
    assert len(np.unique(poses, axis=0)) == 50


def test_too_few_runs_are_refused():
    with pytest.raises(ValueError, match=r"bench: runs is 9; it must be at least 10"):
        engine_figures(linear_blend(), runs=9)
