"""A character of several meshes is learned as one model with named parts."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.surface import surface_of
from rigcast.report._body.places import by_part
from tests.support.characters.surfaces import same_surface
from tests.support.trainings import train_with
from tests.training.two_cylinders import TwoCylinders

SETTINGS = {"steps": 120, "hidden": 12, "batch": 32, "threads": 1}
WORSE = 1.25  # one network learns for both meshes at one joint
PARTS = ["body", "sleeve"]


def sampled(rig, folder, name):
    learn = rc.sampling.sample(rig, folder / f"{name}.rwdata", count=200, seed=1, probe=1)
    judge = rc.sampling.sample(rig, folder / f"{name}_unseen.rwdata", count=60, seed=2, probe=0)
    return learn, judge


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    learn, judge = sampled(TwoCylinders(), tmp_path_factory.mktemp("whole"), "whole")
    return train_with("body", learn, **SETTINGS), learn, judge


def test_the_model_has_the_surface_of_its_data(whole):
    model, learn, _ = whole
    assert same_surface(surface_of(model), learn.surface)
    assert (model.parts, model.materials, model.metadata["licence"]) == (PARTS, ["skin", "cotton"], "CC0-1.0")


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_as_accurate_as_learned_alone(whole, tmp_path, part):
    model, _, judge = whole
    chosen = np.flatnonzero(model.vertex_parts == PARTS.index(part))
    together = np.linalg.norm(model.evaluate(judge.poses) - judge.vertices, axis=2)[:, chosen].mean()
    learn, unseen = sampled(TwoCylinders().one(part), tmp_path, part)
    alone = np.linalg.norm(
        train_with("body", learn, **SETTINGS).evaluate(unseen.poses) - unseen.vertices, axis=2
    ).mean()
    assert together < WORSE * alone


def test_a_model_of_one_part_is_the_part_of_the_model(whole):
    model, _, judge = whole
    chosen = surface_of(model).vertices_of("sleeve")
    part = model.restricted(chosen)
    assert part.evaluate(judge.poses).tobytes() == model.evaluate(judge.poses)[:, chosen].tobytes()
    assert rc.segments(part, "parts").names == ["sleeve"]


def test_errors_are_listed_by_part(whole, tolerance):
    model, _, judge = whole
    distances = np.linalg.norm(model.evaluate(judge.poses) - judge.vertices, axis=2).astype(np.float32)
    found = {place.name: place.mean for place in by_part(model, distances)}
    for number, name in enumerate(PARTS):
        assert found[name] == pytest.approx(
            float(distances[:, model.vertex_parts == number].mean()), rel=tolerance["float32_scaled"]
        )
