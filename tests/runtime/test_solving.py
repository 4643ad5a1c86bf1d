"""Drags, crowds, inverse rigs and rigs from arrays have the bytes that the package rigcast computes."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.runtime.library import both, rr, same
from tests.support.made.blendshapes import random_arrays, random_rig, random_weights
from tests.support.made.kinds import MAKERS, WITH_DERIVATIVES, poses_of

VERTICES = [11, 3, 20, 3]


def drag_task(model, seed=0):
    """Places for vertices, near those of a pose."""
    places = model.evaluate(poses_of(model, 1, seed))[:, VERTICES]
    return places + 0.01 * np.random.default_rng(seed).standard_normal(places.shape)


def assert_same_drag(found, expected, channels=True):
    for name in ("poses", "error", "iterations", "converged"):
        same(getattr(found, name), getattr(expected, name))
    assert (found.channels is None) is (expected.channels is None)
    if channels and found.channels is not None:
        same(found.channels, expected.channels)


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_a_drag(kind, tmp_path):
    model, own = both(MAKERS[kind](), tmp_path)
    targets = drag_task(model)
    assert_same_drag(rr.Solver(own, VERTICES).solve(targets), rc.ik.Solver(model, VERTICES).solve(targets))


@pytest.mark.parametrize("kind", ["linear_blend", "body", "blendshape"])
def test_a_drag_with_all_its_settings(kind, tmp_path):
    model, own = both(MAKERS[kind](), tmp_path)
    poses = poses_of(model, 2, seed=3)
    start, preferred = (np.clip(poses, 0, 1) if kind == "blendshape" else poses).astype(np.float32)
    settings = {
        "start": start,
        "preferred": preferred,
        "preference": 0.01,
        "weights": [1.0, 0.5, 2.0, 0.0],
        "tolerance": 1e-5,
        "max_iterations": 7,
    }
    targets = drag_task(model)[0]
    mine = rr.Solver(own, VERTICES).solve(targets, **settings)
    assert_same_drag(mine, rc.ik.Solver(model, VERTICES).solve(targets, **settings))


def test_a_drag_of_a_character_with_channels(tmp_path):
    data = rc.sampling.sample(rc.sources.example_body(), tmp_path / "arm.rwdata", count=60, seed=0)
    model, own = both(rc.baselines.linear_blend(data, influences=4), tmp_path)
    targets = model.evaluate(data.poses[:1])[:, VERTICES]
    found = rr.Solver(own, VERTICES).solve(targets)
    assert found.channels.shape == (1, len(model.channels))
    assert_same_drag(found, rc.ik.Solver(model, VERTICES).solve(targets))


@pytest.mark.parametrize("kind", ["linear_blend", "body", "blendshape"])
@pytest.mark.parametrize("rows", ["none", "one", "all"])
def test_a_drag_of_many_frames(kind, rows, tmp_path):
    """More frames than the library solves between two reports."""
    model, own = both(MAKERS[kind](), tmp_path)
    poses = poses_of(model, 70, seed=3)
    poses = (np.clip(poses, 0, 1) if kind == "blendshape" else poses).astype(np.float32)
    targets = model.evaluate(poses)[:, VERTICES]
    start = {"none": None, "one": poses[0], "all": poses[::-1].copy()}[rows]
    for preferred in (None, poses[1], poses):
        settings = {"start": start, "preferred": preferred, "max_iterations": 4}
        mine = rr.Solver(own, VERTICES).solve(targets, **settings)
        assert_same_drag(mine, rc.ik.Solver(model, VERTICES).solve(targets, **settings))
    assert rr.Solver(own, VERTICES).solve(targets[:0]).poses.shape == (0, poses.shape[1])


def crowds(folder, seed=0):
    model, own = both(random_rig(seed=seed), folder)
    clips = [random_weights(model, frames, seed + frames) for frames in (5, 1, 9)]
    order = np.random.default_rng(seed).permutation(model.num_shapes)
    return rc.crowd.Crowd(model, clips, order), rr.Crowd(own, clips, order)


HEADS = ([0, 2, 2, 1, 2, 0], [4, 3.25, 8, 0, 3.25, 0.5], [7, 3, 0, 7, 3, 2])


@pytest.mark.parametrize("seed", range(3))
def test_a_crowd(seed, tmp_path):
    crowd, own = crowds(tmp_path, seed)
    same(own.evaluate(*HEADS), crowd.evaluate(*HEADS))
    same(own.evaluate(*HEADS[:2], threads=1), crowd.evaluate(*HEADS[:2]))
    same(own.evaluate(2, [1, 2]), crowd.evaluate(2, [1, 2]))
    same(own.evaluate(0, 1, 2), crowd.evaluate(0, 1, 2))
    same(own.order, crowd.order)
    same(own.num_frames, crowd.num_frames)


def test_heads_that_are_alike_are_computed_once(tmp_path):
    crowd, own = crowds(tmp_path)
    mine, theirs = own.instances(*HEADS), crowd.instances(*HEADS)
    for name in ("vertices", "head", "prefix"):
        same(getattr(mine, name), getattr(theirs, name))
    assert len(mine.vertices) == 5


def test_one_clip_is_a_crowd_without_an_order(tmp_path):
    model, own = both(random_rig(), tmp_path)
    clip = random_weights(model, 4)
    same(rr.Crowd(own, clip).evaluate(0, [1, 2.5]), rc.crowd.Crowd(model, clip).evaluate(0, [1, 2.5]))


SHOTS = {
    "plain": {"alpha": 0.01},
    "smooth": {"alpha": 0.0, "smoothness": 0.1},
    "live": {"alpha": 0.01, "smoothness": 0.1, "joint": False},
    "markers": {"alpha": 0.01, "vertices": list(range(0, 60, 2)), "vertex_weights": np.linspace(0.5, 2.0, 30)},
    "weighted": {"alpha": 0.01, "vertex_weights": np.linspace(0.5, 2.0, 60)},
    "bounded": {"alpha": 0.01, "bounds": (-0.5, 1.5), "init": 0.25},
    "pinned": {"alpha": 0.01, "fixed": [0.5, *[np.nan] * 6]},
    "priors": {"alpha": 0.01, "priors": (0.4, np.linspace(0.0, 1.0, 7))},
    "tied": {"alpha": 0.01, "symmetric": [(0, 3), ("shape1", "shape4")]},
    "coarse": {"alpha": 0.01, "tolerance": 1e-3, "max_iterations": 3},
}


@pytest.mark.parametrize("name", SHOTS)
def test_an_inverse_solve(name, tmp_path):
    model, own = both(random_rig(), tmp_path)
    settings = SHOTS[name]
    targets = model.evaluate(random_weights(model, 6))[:, settings.get("vertices", slice(None))]
    found, expected = rr.solve(own, targets, **settings), rc.inverse.solve(model, targets, **settings)
    for figure in ("weights", "objective", "iterations", "converged", "optimality", "rmse"):
        same(getattr(found, figure), getattr(expected, figure))
    assert (found.alpha, found.smoothness) == (expected.alpha, expected.smoothness)


def test_an_inverse_rig_is_kept_for_more_shots(tmp_path):
    model, own = both(random_rig(), tmp_path)
    inverse = rr.InverseRig(own)
    for seed in range(2):
        targets = model.evaluate(random_weights(model, 2, seed))
        same(inverse.solve(targets, alpha=0.01).weights, rc.inverse.solve(model, targets, alpha=0.01).weights)
    assert inverse.solve(targets[0], alpha=0.01).weights.shape == (1, model.num_shapes)


@pytest.mark.parametrize("seed", range(3))
def test_a_rig_from_arrays(seed, tmp_path):
    neutral, deltas, combinations = random_arrays(seed=seed)
    faces = [[0, 1, 2], [2, 3, 4]]
    about = {"meters_per_unit": 0.01, "up_axis": "Z"}
    rig = rc.BlendshapeRig(neutral, deltas, combinations, bounds=(-0.5, 2.0), faces=faces, metadata=about)
    tents = [
        (tuple(rr.Tent(f.shape, f.x1, f.x2, f.x3) if isinstance(f, rc.Tent) else f for f in drivers), delta)
        for drivers, delta in combinations
    ]
    own = rr.BlendshapeRig(neutral, deltas, tents, bounds=(-0.5, 2.0), faces=faces, metadata=about)
    weights = random_weights(rig, 5, seed)
    same(own.evaluate(weights), rig.evaluate(weights))
    for name in ("faces", "bounds", "rest_vertices"):
        same(getattr(own, name), getattr(rig, name))
    for name in ("shape_names", "num_shapes", "meters_per_unit", "up_axis"):
        assert getattr(own, name) == getattr(rig, name)


def test_names_and_bounds_of_a_rig_from_arrays():
    neutral, deltas, _ = random_arrays(num_shapes=5)
    names, bounds = ["jaw", "smile ü", "a", "b", "c"], np.arange(10).reshape(5, 2)
    rig = rr.BlendshapeRig(neutral, deltas, names=names, bounds=bounds)
    assert rig.shape_names == names
    np.testing.assert_array_equal(rig.bounds, bounds)
