"""Networks are trained on actors alone, resumed to the same bytes, and judged on actors that they have not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture._network.alignment import layout_of_character
from rigcast.training import CaptureNetworkSettings, _optimize
from rigcast.training._budget import budget_of
from rigcast.training._capture import examples as filming
from rigcast.training._capture.pipeline import capture_network

pytest.importorskip("torch", reason="PyTorch is not installed")

FEW = CaptureNetworkSettings(actors=5, poses=6, size=32, film_size=48, width=4, hidden=8, batch=4)
STEPS = 8


class Interrupted(Exception):
    pass


@pytest.fixture(scope="module")
def cast():
    return rc.capture.example_cast()


def budget(seed=0):
    return budget_of("capture_network", None, STEPS, seed, "cpu", 1, None, False, None)


def filmed(cast, folder, settings=FEW, seed=0, motion=None):
    return filming.film_examples(cast, rc.capture.ActorVariation(), motion, settings, folder, budget(seed))


@pytest.fixture(scope="module")
def whole(cast, tmp_path_factory):
    """The bytes of a network that nothing interrupted."""
    file = tmp_path_factory.mktemp("whole") / "n.safetensors"
    capture_network(cast, FEW, steps=STEPS).save(file)
    return file.read_bytes()


def test_the_same_call_gives_the_same_bytes(cast, whole, tmp_path):
    capture_network(cast, FEW, steps=STEPS, examples=tmp_path / "examples").save(tmp_path / "n.safetensors")
    assert (tmp_path / "n.safetensors").read_bytes() == whole


@pytest.mark.parametrize("stage", ["filming actors", "training"])
def test_an_interrupted_training_goes_on_to_the_same_bytes(cast, whole, tmp_path, monkeypatch, stage):
    monkeypatch.setattr(_optimize, "CHECKPOINT_SECONDS", 0.0)
    kept = {"examples": tmp_path / "examples", "checkpoint": tmp_path / "n.checkpoint"}

    def stop(progress):
        if progress.stage == stage and progress.done > 0.4:
            raise Interrupted

    with pytest.raises(Interrupted):
        capture_network(cast, FEW, steps=STEPS, **kept, progress=stop)
    assert (tmp_path / "n.checkpoint").exists() == (stage == "training")
    network = capture_network(cast, FEW, steps=STEPS, **kept)
    network.save(tmp_path / "n.safetensors")
    assert (tmp_path / "n.safetensors").read_bytes() == whole
    assert not (tmp_path / "n.checkpoint").exists()


def test_a_checkpoint_of_other_settings_is_refused(cast, tmp_path, monkeypatch):
    monkeypatch.setattr(_optimize, "CHECKPOINT_SECONDS", 0.0)

    def stop(progress):
        if progress.stage == "training" and progress.done > 0.4:
            raise Interrupted

    with pytest.raises(Interrupted):
        capture_network(cast, FEW, steps=STEPS, checkpoint=tmp_path / "c", progress=stop)
    with pytest.raises(ValueError, match="checkpoint"):
        capture_network(cast, replace(FEW, hidden=16), steps=STEPS, checkpoint=tmp_path / "c")
    capture_network(cast, replace(FEW, hidden=16), steps=STEPS, checkpoint=tmp_path / "c", restart=True)


def test_filmed_actors_are_not_filmed_again(cast, tmp_path, monkeypatch):
    first = filmed(cast, tmp_path)

    def again(*_):
        raise AssertionError("filmed again")

    monkeypatch.setattr(filming, "_filmed", again)
    second = filmed(cast, tmp_path)
    for name in filming.KEYS:
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()


@pytest.mark.parametrize(
    ("settings", "seed", "motion"),
    [
        (replace(FEW, film_size=64), 0, None),
        (FEW, 1, None),
        (FEW, 0, "given"),
    ],
    ids=["settings", "seed", "motion"],
)
def test_actors_of_another_call_are_filmed_again(cast, tmp_path, settings, seed, motion):
    filmed(cast, tmp_path)
    rows = None if motion is None else np.full((3, cast.character.num_shapes), 0.5)
    kept, alone = filmed(cast, tmp_path, settings, seed, rows), filmed(cast, None, settings, seed, rows)
    assert kept.crops.tobytes() == alone.crops.tobytes()
    assert kept.weights.tobytes() == alone.weights.tobytes()


def test_a_torn_file_of_an_actor_is_filmed_again(cast, tmp_path):
    first = filmed(cast, tmp_path)
    file = tmp_path / f"{FEW.first_actor}.npz"
    file.write_bytes(file.read_bytes()[:100])
    assert filmed(cast, tmp_path).crops.tobytes() == first.crops.tobytes()


def test_actors_that_judge_are_not_trained_on(cast):
    rows = filmed(cast, None)
    assert set(rows.neutral[rows.training]).isdisjoint(rows.neutral[rows.held_out])
    neutrals = set(rows.neutral)
    assert neutrals.isdisjoint(rows.training)
    assert neutrals.isdisjoint(rows.held_out)
    assert len(rows.training) + len(rows.held_out) == FEW.actors * FEW.poses


def test_neutrals_show_no_expression(cast):
    rows = filmed(cast, None)
    assert (rows.weights[np.unique(rows.neutral)] == 0.0).all()


def test_landmarks_lie_in_the_crop_where_the_picture_shows_them(cast):
    """Mostly inside: the square reaches from the brows to an open jaw."""
    rows = filmed(cast, None)
    inside = ((rows.points > 0.0) & (rows.points < 1.0)).all(axis=2)
    assert inside.mean() > 0.8


def test_the_file_says_what_it_was_made_of(cast, whole, tmp_path):
    (tmp_path / "n.safetensors").write_bytes(whole)
    network = rc.capture.load_network(tmp_path / "n.safetensors")
    made = network.metadata["training"]
    assert made["made_of"] == cast.note
    assert (made["seed"], made["actors"], made["steps"]) == (0, FEW.actors, STEPS)
    assert network.metadata["error"]["actors"] == 1
    assert set(network.metadata["error"]) == {"mean_mm", "training_mean_mm", "neutral_mm", "actors"}
    assert (network.error > 0.0).all()


def test_the_stated_error_of_the_neutral_is_what_the_expressions_move(cast, whole, tmp_path):
    """By the character itself, on the vertices that shapes move."""
    (tmp_path / "n.safetensors").write_bytes(whole)
    stated = rc.capture.load_network(tmp_path / "n.safetensors").metadata["error"]["neutral_mm"]
    rows, character = filmed(cast, None), cast.character
    deltas = np.stack([character.column(k) for k in range(character.num_shapes)]).astype(float)
    size = np.linalg.norm(deltas, axis=2)
    moved = (size > 0.02 * size.max(axis=1, keepdims=True)).any(axis=0) & (cast.parts == 0)
    shown = np.tensordot(rows.weights[rows.held_out], deltas[:, moved], axes=1)
    expected = 1000 * character.meters_per_unit * np.linalg.norm(shown, axis=2).mean()
    assert stated == pytest.approx(expected, rel=0.05)  # a thousand of these vertices stand for all


def test_the_stated_error_is_that_of_the_network_on_actors_that_judge(cast, whole, tmp_path):
    """Read again by the engine, weight by weight and in millimeters on the character."""
    (tmp_path / "n.safetensors").write_bytes(whole)
    network, rows = rc.capture.load_network(tmp_path / "n.safetensors"), filmed(cast, None)
    shown, own = rows.held_out, rows.neutral[rows.held_out]
    motion = np.full((len(shown), 0), np.nan, np.float32)
    read, _, _ = network._engine.read(rows.crops[shown], rows.crops[own], motion, 1)
    truth = rows.weights[shown][:, network._read]
    wrong = np.clip(read, 0.0, 1.0) - truth
    # PyTorch's float32 beside the engine's.
    np.testing.assert_allclose(network.error[network._read], np.sqrt((wrong**2).mean(axis=0)), rtol=1e-3)
    stated = network.metadata["error"]
    moved = [np.linalg.norm(shapes, axis=2).mean() for shapes in (moves(cast, wrong), moves(cast, truth))]
    assert stated["mean_mm"] / stated["neutral_mm"] == pytest.approx(moved[0] / moved[1], rel=0.05)  # of all vertices


def moves(cast, weights):
    character = cast.character
    deltas = np.stack([character.column(k) for k in range(character.num_shapes)]).astype(float)
    return np.tensordot(weights, deltas[:, cast.parts == 0], axes=1)


def test_actors_have_the_variation_that_is_given(cast):
    """Shapes of their own among it, which show in expressions and not in the neutral."""
    plain = rc.capture.ActorVariation(strength=0.0, mix=0.0)
    own, same = (
        filming.film_examples(cast, variation, None, FEW, None, budget())
        for variation in (rc.capture.ActorVariation(), plain)
    )
    neutrals = np.unique(own.neutral)
    assert np.array_equal(own.weights, same.weights)
    assert np.array_equal(own.points[neutrals], same.points[neutrals])
    assert not np.array_equal(own.points, same.points)


def test_crops_are_cut_by_points_with_a_detectors_noise(cast, monkeypatch):
    """Labels say where they lie all the same: at most some pixels apart from crops by exact points."""
    noisy = filmed(cast, None)
    for name in ("BIAS", "NOISE"):
        monkeypatch.setattr(filming, name, 0.0)
    exact = filmed(cast, None)
    apart = np.abs(noisy.points - exact.points).max(axis=(1, 2))
    assert (apart > 1e-4).all()
    assert np.median(apart) < 0.1


@pytest.mark.long
def test_training_lowers_the_error(cast):
    """On pictures of actors that it has not seen: below the neutral's and the mean's at once."""
    settings = replace(FEW, actors=16, poses=24, width=8, hidden=32, batch=16, learning_rate=4e-3)
    error = capture_network(cast, settings, steps=300).metadata["error"]
    assert error["mean_mm"] < 0.85 * min(error["neutral_mm"], error["training_mean_mm"])


def test_landmarks_have_the_layout_of_the_character(cast):
    layout = layout_of_character(cast.character, cast.landmarks)
    assert layout.detector is None
    assert layout.home.shape == (len(cast.landmarks), 2)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ({"detector": "openface"}, "detector is 'openface'"),
        ({"size": 40}, "size is 40; it must be a multiple of 16"),
        ({"actors": 3}, "actors"),
        ({"glasses": 1.5}, "glasses"),
        ({"holdout": 0.0}, "holdout"),
        ({"ridge": -1.0}, "ridge"),
    ],
)
def test_settings_are_checked(words, name):
    with pytest.raises(ValueError, match=name):
        CaptureNetworkSettings(**words)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"cast": "ict"}, "cast is a str"),
        ({"settings": None}, "settings"),
        ({"motion": np.zeros((4, 3))}, "motion"),
        ({"steps": 0}, "steps"),
    ],
)
def test_arguments_are_checked(cast, change, name):
    with pytest.raises(ValueError, match=name):
        capture_network(**({"cast": cast, "settings": FEW, "steps": 2} | change))
