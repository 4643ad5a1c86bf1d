"""Refinement by pictures: what it gains, what each of its parts is for, and wrong input.

There is no footage: actors are rendered, with another shading than the solver's and an albedo that it is not told.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture import RefineSettings
from tests.capture.pictures import Example, filmed


@pytest.fixture(scope="module")
def example() -> Example:
    return filmed(rc.capture.example_cast(), frames=10)


@pytest.fixture(scope="module")
def refined(example) -> rc.capture.Capture:
    return example.refine()


def millimeters(example, weights):
    """(T - 1,) mean distance over the vertices that move, frames after the neutral."""
    truth = np.asarray(example.shot.labels["weights"], np.float32)
    pair = [example.rig.evaluate(np.asarray(w, np.float32))[1:] for w in (weights, truth)]
    moved = np.flatnonzero(example.rig.columns()[: example.rig.num_shapes].any(axis=(0, 2)))
    return 10.0 * np.linalg.norm((pair[0] - pair[1])[:, moved], axis=2).mean(axis=1)


def test_pictures_improve_noisy_points(example, refined):
    """And what knows nothing of the frame is no rival: the frame before, the mean of the clip."""
    after, before = (millimeters(example, one.weights).mean() for one in (refined, example.found))
    truth = np.asarray(example.shot.labels["weights"])
    last = millimeters(example, np.roll(truth, 1, axis=0)).mean()
    mean = millimeters(example, np.tile(truth.mean(axis=0), (len(truth), 1))).mean()
    assert after < 0.7 * before
    assert after < 0.5 * min(last, mean)


def example_actor() -> rc.capture.Actor:
    change = rc.capture.ActorVariation(identity=0.8, strength=0.0, mix=0.0)
    return rc.capture.example_cast().actor(5, change)


def test_pins_are_kept(example):
    pins = np.full(example.found.weights.shape, np.nan)
    pins[2:5, 0] = 0.4
    settings = RefineSettings(samples=200, offsets=False)
    found = rc.capture.refine(
        example.rig, example.found, example.shot.color, points=example.points, fixed=pins, settings=settings
    )
    assert (found.weights[2:5, 0] == 0.4).all()


def test_priors_pull(example, refined):
    target = np.full(example.rig.num_shapes, 0.5)
    pulled = rc.capture.refine(
        example.rig, example.found, example.shot.color, priors=(target, 100.0), settings=RefineSettings(samples=200)
    )
    assert np.abs(pulled.weights - 0.5).max() < 0.05
    assert np.abs(refined.weights - 0.5).max() > 0.4


def test_weights_lie_in_their_box(example, refined):
    low, high = example.rig.bounds.T
    assert (refined.weights >= low).all()
    assert (refined.weights <= high).all()


def test_the_whole_shot_is_smoother_where_nothing_moves(example):
    """Smoothing toward both neighbors, with the gates of the flow."""
    once, thrice = (example.refine(smoothing=0.5, passes=n) for n in (1, 3))
    gates = once.pictures.gates
    energy = []
    for found in (once, thrice):
        steps = np.diff(found.weights, axis=0)
        energy.append(float((gates[1:] * steps**2).sum()))
    assert energy[1] < 0.9 * energy[0]
    assert millimeters(example, thrice.weights).mean() < 1.1 * millimeters(example, once.weights).mean()


def test_gates_open_where_the_picture_moves(example):
    """A held frame leaves the smoothing on; a mouth that opens takes it from the jaw, and less from the brows."""
    rig, cast = example.rig, rc.capture.example_cast()
    names = [name.lower() for name in rig.shape_names]
    jaw, brow = names.index("jawopen"), next(k for k, name in enumerate(names) if "brow" in name)
    weights = np.zeros((3, rig.num_shapes))
    weights[2, jaw] = 0.5
    shot = rc.capture.film(example_actor(), rc.capture.ShotPlan(frames=4, size=128, turn=0.0, noise=0.004), weights)
    exact = np.asarray(shot.labels["landmarks_2d"])
    found = rc.capture.solve(rig, exact, cast.landmarks, size=(128, 128), neutral=0, focal=float(shot.labels["focal"]))
    gates = Example(rig, shot, exact, found).refine().pictures.gates
    assert gates[2].min() > 0.6
    assert gates[3, jaw] < 0.3
    assert gates[3, jaw] < 0.6 * gates[3, brow]


def test_a_mouth_that_counts_more_is_fitted_better(example):
    """Weights of the region are importances of the colors there."""
    y = example.rig.rest_vertices[:, 1]
    low = y < np.quantile(y, 0.4)
    found = [
        rc.capture.refine(
            example.rig,
            example.found,
            example.shot.color,
            region=region,
            settings=RefineSettings(samples=400, offsets=False, smoothing=0.0),
        )
        for region in (np.ones(len(y)), np.where(low, 20.0, 1.0))
    ]
    assert np.abs(found[0].weights - found[1].weights).max() > 0.01
    # the samples are weighed, not drawn elsewhere
    assert np.array_equal(found[0].pictures.vertices, found[1].pictures.vertices)


def test_a_frame_without_the_face_is_told(example):
    far = example.found.head.copy()
    far[4, 0, 3] += 500.0
    lost = replace(example.found, head=far)
    found = rc.capture.refine(
        example.rig, lost, example.shot.color, settings=RefineSettings(samples=200, offsets=False)
    )
    assert any("1 frames show too little of the face, first 4" in note for note in found.notes)
    assert np.array_equal(found.weights[4], lost.weights[4])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"pictures": 3}, "one per frame"),
        ({"region": -1.0}, "region"),
        ({"covariance": 0.0}, "positive definite"),
        ({"points": 3}, "points"),
        ({"neutral": ()}, "neutral"),
        ({"size": 40}, "picture"),
    ],
)
def test_wrong_input_is_named(example, change, match):
    color, found, given = example.shot.color, example.found, {}
    points = example.points
    if "pictures" in change:
        color = color[: change["pictures"]]
    if "size" in change:
        color = [*color[:4], color[4][: change["size"]], *color[5:]]
    if "points" in change:
        points = points[:, : change["points"]]
    if "neutral" in change:
        found = replace(found, neutral=np.zeros(0, np.int64))
    if "region" in change:
        given["region"] = np.full(example.rig.num_vertices, change["region"])
    if "covariance" in change:
        given["covariance"] = np.zeros((points.shape[1], 2, 2))
    with pytest.raises(rc.errors.ArgumentError, match=match):
        rc.capture.refine(example.rig, found, color, points=points, **given)


@pytest.mark.parametrize(
    "change",
    [{"samples": 3}, {"flow": 0.1}, {"blur": (0.1, 0.01)}, {"passes": 0}, {"photometric": 0.0}, {"steps": (-1, 2)}],
)
def test_wrong_settings_are_named(change):
    with pytest.raises(rc.errors.ArgumentError, match=next(iter(change))):
        RefineSettings(**change)


def test_pictures_of_a_folder(example, tmp_path: Path):
    iio = pytest.importorskip("imageio.v3", reason="imageio is not installed")
    for t, picture in enumerate(example.shot.color[:3]):
        iio.imwrite(tmp_path / f"{t:02}.png", picture)
    pictures = rc.capture.Pictures(tmp_path)
    assert len(pictures) == 3
    assert all(np.array_equal(a, b) for a, b in zip(pictures, example.shot.color, strict=False))
    (tmp_path / "03.png").write_bytes(b"no picture")
    with pytest.raises(rc.errors.FileError, match=r"03\.png"):
        rc.capture.Pictures(tmp_path)[3]
    with pytest.raises(FileNotFoundError):
        rc.capture.Pictures(tmp_path / "nothing")
