"""One scaling per label, and matching in the components of a label: equations 5.3 and 5.13 to 5.15 as printed."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.synthesis._file import from_tensors, to_tensors
from tests.support.made.synthesis import arm, face, wave

OWN = rc.synthesis.FitSettings(scaling="label")
SMALL = {"dimensions": 3, "components": 4, "iterations": 30, "held_out": False, "threads": 1}
SPEEDS = [0.1, 0.2, 0.13, 0.07, 0.05]


def bent_face() -> rc.BlendshapeRig:
    """Five shapes and three combinations: what a shape does to the mesh depends on the others."""
    random = np.random.default_rng(1)
    pairs = [(drivers, random.normal(size=(30, 3))) for drivers in ((0, 1), (2, 3), (1, 4))]
    faces = [[i, i + 1, i + 2] for i in range(28)]
    return rc.BlendshapeRig(
        random.normal(size=(30, 3)), 0.3 * random.normal(size=(5, 30, 3)), faces=faces, combinations=pairs
    )


def clips() -> dict[str, list[np.ndarray]]:
    return {
        "low": [wave(60, SPEEDS, offset=0.25, size=0.12)],
        "high": [wave(70, SPEEDS[::-1], offset=0.7, size=0.15, phase=1.0)],
    }


@pytest.fixture(scope="module")
def synth():
    return rc.synthesis.fit(clips(), rig=bent_face(), settings=OWN, **SMALL)


def scale_as_printed(rig, frames):
    """w of equation 5.3, shape by shape, in slow NumPy."""
    mean, deviation = frames.mean(axis=0), frames.std(axis=0)
    count = len(rig.rest_vertices)
    neutral = rig.evaluate(mean[None].astype(np.float32))[0].astype(np.float64)
    weights = np.zeros(len(mean))
    for i in range(len(mean)):
        above = below = 0.0
        for n in (-2, -1, 1, 2):
            pose = mean.copy()
            pose[i] = np.clip(mean[i] + n * deviation[i], 0.0, 1.0)
            moved = rig.evaluate(pose[None].astype(np.float32))[0] - neutral
            step = abs(pose[i] - mean[i])
            above += step * np.sqrt((moved**2).sum() / count)
            below += step * step
        weights[i] = above / below
    return weights


def test_scale_and_components_of_a_label_are_those_printed(synth, tolerance):
    """``y = T^T W (z - m)`` with mean, scale and components of the second label, for poses of the first."""
    rig, space = bent_face(), synth.space("high")
    frames = space.frames.astype(np.float64)
    mean, weights = frames.mean(axis=0), scale_as_printed(rig, frames)
    np.testing.assert_allclose(space.embedding.scale, weights, rtol=tolerance["printed"])
    scaled = (frames - mean) * weights
    components = np.linalg.svd(scaled.T, full_matrices=False)[0][:, :4]
    unit = np.sqrt(((scaled @ components) ** 2).mean())  # values of a space have a mean square of 1
    wanted = (components.T @ (weights * (synth.space("low").frames - mean)).T).T / unit
    found = space.components(synth.space("low").frames)
    signs = np.sign((found * wanted).sum(axis=0))
    np.testing.assert_allclose(found, wanted * signs, rtol=1e-3, atol=1e-3)  # bases are stored as float32


def test_scales_of_two_labels_differ_where_the_rig_is_not_linear(synth):
    low, high = (synth.space(label).embedding.scale for label in ("low", "high"))
    assert np.abs(high / low - 1.0).max() > 0.2
    shared = rc.synthesis.fit(clips(), rig=bent_face(), **SMALL)
    assert shared.space("low").embedding.scale is shared.space("high").embedding.scale
    np.testing.assert_array_equal(shared.weights, synth.weights)


def test_scales_of_a_linear_rig_are_those_of_all_labels(tolerance):
    given = {name: [np.pad(rows[0], ((0, 0), (0, 1)))] for name, rows in clips().items()}
    synth = rc.synthesis.fit(given, rig=face(), settings=OWN, **SMALL)
    for label in synth.labels:
        np.testing.assert_allclose(synth.space(label).embedding.scale, synth.weights, rtol=tolerance["float32_sum"])


def test_values_of_a_space_are_its_components(synth):
    space = synth.space("low")
    away = space.components(space.frames) - np.asarray(space.latent.values)
    assert np.abs(away).max() < 1e-4  # float32 values and bases


def test_a_control_that_rests_in_a_label_stays_where_it_rests():
    given = clips()
    given["low"][0][:, 2] = 0.9
    synth = rc.synthesis.fit(given, rig=bent_face(), settings=OWN, **SMALL)
    space = synth.space("low")
    np.testing.assert_allclose(space.controls(space.points)[:, 2], 0.9, atol=1e-6)  # float32


def test_matching_in_components_minimizes_the_printed_distance(synth, tolerance):
    """Equation 5.15: the distance that is returned is that of the point, and no training point is closer."""
    space, wanted = synth.space("high"), synth.space("low").frames[::7]
    y = space.components(wanted)
    points, distances = space.closest(wanted, matching="components")
    own = np.linalg.norm(space.latent.mean(points) - y, axis=1)
    np.testing.assert_allclose(own, distances, rtol=tolerance["float64"])
    rows = np.linalg.norm(space.latent.mean(space.points)[None] - y[:, None], axis=2).min(axis=1)
    assert (distances <= rows).all()
    step = 1e-4 * space.latent.length
    for axis in np.eye(3):
        for sign in (-step, step):
            near = np.linalg.norm(space.latent.mean(points + sign * axis) - y, axis=1)
            assert (near >= distances * (1.0 - 1e-3)).all()


def test_published_settings_bridge_labels_by_components():
    given = {"settings": rc.synthesis.FitSettings.published(), "threshold": 400.0, **SMALL}
    ours = rc.synthesis.fit(clips(), rig=bent_face(), **{**given, "settings": OWN})
    synth = rc.synthesis.fit(clips(), rig=bent_face(), **given)
    bridge = synth.bridges["low", "high"]
    assert bridge.to_points.tobytes() != ours.bridges["low", "high"].to_points.tobytes()
    pair = synth.space("low").controls(bridge.from_points), synth.space("high").controls(bridge.to_points)
    moved = bent_face().evaluate(pair[0]).astype(np.float64) - bent_face().evaluate(pair[1])
    true = 1000.0 * np.sqrt((moved**2).sum(axis=2).mean(axis=1))
    np.testing.assert_allclose(bridge.distances, true, rtol=1e-3, atol=1e-2)  # points are stored as float32
    assert synth.metadata["settings"] == {"scaling": "label", "matching": "components", "minimizer": "scg"}


@pytest.mark.parametrize("name", ["face", "arm"])
def test_a_file_holds_the_scale_of_each_label_and_plays_the_same(name, synth, tmp_path):
    given = synth
    if name == "arm":
        turns = {label: [60.0 * np.pad(rows[0], ((0, 0), (0, 2)))] for label, rows in clips().items()}
        given = rc.synthesis.fit(turns, rig=arm(), settings=OWN, **SMALL)
    given.save(tmp_path / "a.safetensors")
    again = rc.synthesis.load(tmp_path / "a.safetensors")
    for label in given.labels:
        one, two = given.space(label), again.space(label)
        assert one.embedding.scale.tobytes() == two.embedding.scale.tobytes()
        assert one.components(one.frames).tobytes() == two.components(one.frames).tobytes()
    again.save(tmp_path / "b.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()
    players = [one.player(3, label="low") for one in (given, again)]
    for player in players:
        player.transition("high")
    assert players[0].step(90).tobytes() == players[1].step(90).tobytes()
    assert players[0].label == "high"


def test_the_same_settings_give_the_same_bytes(synth, tmp_path):
    rc.synthesis.fit(clips(), rig=bent_face(), settings=OWN, **{**SMALL, "threads": 2}).save(tmp_path / "a.safetensors")
    synth.save(tmp_path / "b.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_a_scale_of_another_length_is_refused(synth):
    tensors, metadata = to_tensors(synth.parts)
    tensors["space.001.weights"] = np.ones(3, np.float32)
    with pytest.raises(ValueError, match=r"^load: space\.001\.weights is .*; it must be "):
        from_tensors(tensors, metadata)


def test_unknown_choices_are_named(synth):
    for name in ("scaling", "matching", "minimizer"):
        with pytest.raises(ValueError, match=f"^FitSettings: {name} is 'x'; it must be one of "):
            rc.synthesis.FitSettings(**{name: "x"})
    with pytest.raises(ValueError, match=r"^fit: settings is a str; it must be FitSettings"):
        rc.synthesis.fit(clips(), settings="label")
    with pytest.raises(ValueError, match=r"^Space\.closest: matching is 'x'"):
        synth.space("low").closest(synth.space("low").frames, matching="x")
