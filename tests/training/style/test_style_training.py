"""Training of style transfer: it learns, goes on where it stopped, and draws its pairs as published."""

from __future__ import annotations

import json
import signal
from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._budget import budget_of
from rigcast.training._style.descent import StyleDescent, judged_pairs
from rigcast.training._style.networks import MotionModel
from rigcast.training._style.settings import REGIONS
from tests.training.style.small_shots import SETTINGS, SIZE, openings, shot

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

SHOTS = [shot(openings(1)), shot(openings(2, 50), (120.0, 90.0, 80.0))]
RENDERS = shot(openings(3), (90.0, 120.0, 160.0))
QUICK = rc.training.StyleSettings(**SETTINGS)
WHOLE = replace(QUICK, regions="whole")


def read_step(checkpoint):
    with np.load(checkpoint) as file:
        return json.loads(str(file["facts"]))["step"]


def descent(settings=QUICK, region="face", seed=0):
    budget = budget_of("style_transfer", None, 1, seed, "cpu", 1, None, False, None)
    found = StyleDescent(region, SHOTS, RENDERS, settings, budget)
    found._restore(found.start())
    return found


def test_training_beats_the_neutral_frame():
    """A key point that follows the mouth makes better pictures than the source itself."""
    settings = replace(WHOLE, learning_rate=3e-3, rotation=0.0, translation=0.0, warp=0.0)
    model = rc.training.style_transfer(SHOTS, RENDERS, settings, steps=150)
    shown = SHOTS[0].pictures.astype(float)
    made = model.transfer(SHOTS[0].pictures[0], SHOTS[0], SHOTS[0].pictures[0]).pictures
    ours, neutral = (np.sqrt(np.square(one - shown).mean()) for one in (made, shown[0]))
    assert ours < 0.8 * neutral


def test_a_killed_training_continues_to_the_same_file(tmp_path):
    def run(path, **more):
        return rc.training.style_transfer(SHOTS, RENDERS, QUICK, steps=4, **more).save(path)

    def interrupt(report):
        if report.stage == "training mouth" and report.done == 0.5:
            signal.raise_signal(signal.SIGINT)

    run(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "half", checkpoint=tmp_path / "state", progress=interrupt)
    assert read_step(tmp_path / "state.1") == 2
    run(tmp_path / "half", checkpoint=tmp_path / "state")
    assert (tmp_path / "half").read_bytes() == (tmp_path / "whole").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".lock") == ["half", "whole"]


def test_another_seed_gives_another_file(tmp_path):
    files = []
    for seed in (5, 5, 6):
        files.append(tmp_path / str(len(files)))
        rc.training.style_transfer(SHOTS, RENDERS, WHOLE, steps=2, seed=seed).save(files[-1])
    first, again, other = (file.read_bytes() for file in files)
    assert first == again
    assert first != other


def test_half_of_the_pairs_are_rendered_and_recordings_are_drawn_evenly():
    drawn = descent()
    places = np.array([pair[0] for step in range(500) for pair in drawn.pairs(step)])
    shares = np.bincount(places, minlength=3) / len(places)
    spread = 4.0 * np.sqrt(0.25 / len(places))  # four standard deviations
    assert abs(shares[2] - 0.5) < spread
    assert abs(shares[0] - shares[1]) < 2.0 * spread


def test_pairs_are_two_frames_of_one_recording_that_are_not_judged():
    drawn = descent()
    judged = {(place, frame) for place, _, frame in judged_pairs([30, 50, 30])}
    for step in range(100):
        for place, source, driving in drawn.pairs(step):
            assert source != driving
            assert max(source, driving) < len(drawn.sets[place].pictures)
            assert not {(place, source), (place, driving)} & judged


def test_short_recordings_are_judged_by_their_last_frame():
    assert judged_pairs([3]) == [(0, 0, 2)]


def test_masks_and_backgrounds_are_those_of_the_driving_frames():
    drawn = descent(region="mouth")
    pairs = [(0, 3, 7), (2, 5, 1)]
    source, driving, mask, background = drawn._pictures(pairs)
    for i, (place, first, second) in enumerate(pairs):
        recording = drawn.sets[place]
        for shown, frame in ((source, first), (driving, second)):
            expected = recording.pictures[frame].astype(np.float32) / 255.0
            np.testing.assert_array_equal(shown[i].permute(1, 2, 0), expected)
        np.testing.assert_array_equal(mask[i, 0], recording.masks[second, REGIONS.index("mouth")])
        np.testing.assert_array_equal(background[i, 0], ~recording.masks[second, 0])


def test_the_loss_of_a_region_ignores_what_lies_outside(monkeypatch):
    """Pictures that the network makes outside of the mouth do not matter to the mouth's network, but to the face's."""
    settings = replace(QUICK, rotation=0.0, translation=0.0, warp=0.0)
    changed = {}
    for region in ("mouth", "face"):
        losses = []
        for shift in (0.0, 0.3):
            drawn = descent(settings, region)
            mask = drawn._pictures(drawn.pairs(0))[2]
            real = MotionModel.reconstruct

            def moved(self, *given, real=real, shift=shift, mask=mask, region=region):
                inside = mask if region == "mouth" else torch.zeros_like(mask)
                return real(self, *given) + shift * (1.0 - inside)

            with monkeypatch.context() as patched:
                patched.setattr(MotionModel, "reconstruct", moved)
                losses.append(float(drawn._loss(0).detach()))
        changed[region] = losses[1] - losses[0]
    assert changed["mouth"] == 0.0
    assert changed["face"] > 0.1


@pytest.mark.parametrize("name", ["perceptual", "equivariance", "distance", "background", "regularization"])
def test_every_weight_counts(name):
    near = replace(QUICK, sharpness=1.0)  # key points that are not trained lie anywhere
    with_it, without = (
        float(descent(replace(near, **{name: value}))._loss(0).detach()) for value in (getattr(QUICK, name), 0.0)
    )
    if name == "regularization":  # Jacobians begin as the identity
        assert with_it == without
    else:
        assert with_it > without


def test_the_weight_of_stretched_jacobians_counts():
    drawn = descent(QUICK), descent(replace(QUICK, regularization=0.0))
    for one in drawn:
        with torch.no_grad():
            one._weights["detector.jacobian.bias"] += 0.2
    assert float(drawn[0]._loss(0).detach()) > float(drawn[1]._loss(0).detach())


def test_minutes_are_shared_by_the_networks():
    model = rc.training.style_transfer(SHOTS, RENDERS, QUICK, minutes=0.02)
    done = model.metadata["training"]["networks"]
    assert list(done) == ["face", "mouth", "left_eye", "right_eye"]
    assert min(one["steps_done"] for one in done.values()) > 0


def test_the_papers_numbers_of_key_points():
    settings = rc.training.StyleSettings(size=256)
    assert settings.key_points == {"face": 24, "mouth": 24, "left_eye": 12, "right_eye": 12}
    assert replace(settings, regions="whole").key_points == {"face": 72}
    assert rc.training.StyleSettings(regions="whole").key_points == {"face": 30}


WRONG = {
    "size is 65": lambda: rc.training.StyleSettings(size=65),
    "regions is 'nose'": lambda: rc.training.StyleSettings(regions="nose"),
    "points is 1": lambda: rc.training.StyleSettings(points=1),
    "distance is -1": lambda: rc.training.StyleSettings(distance=-1.0),
    "rendered is 2": lambda: rc.training.StyleSettings(rendered=2.0),
    "recordings is a StyleRecording": lambda: rc.training.style_transfer(SHOTS[0], RENDERS, QUICK),
    "recordings is empty": lambda: rc.training.style_transfer([], RENDERS, QUICK),
    "renders is a list": lambda: rc.training.style_transfer(SHOTS, [], QUICK),
    r"recordings\[0\] is of 16 pixels": lambda: rc.training.style_transfer(SHOTS, RENDERS),
    "settings is a FaceIkSettings": lambda: rc.training.style_transfer(SHOTS, RENDERS, rc.training.FaceIkSettings()),
    "renders is of 2 frames": lambda: rc.training.style_transfer(SHOTS, shot([0.0, 1.0]), QUICK),
    "pictures is of shape": lambda: rc.training.StyleRecording(np.zeros((2, SIZE, SIZE)), SHOTS[0].masks),
    "masks is of shape": lambda: rc.training.StyleRecording(SHOTS[0].pictures, SHOTS[1].masks),
    "landmarks is": lambda: rc.training.StyleRecording.of_landmarks(SHOTS[0].pictures, np.zeros((30, 5, 2))),
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_argument_is_named(words):
    with pytest.raises(ValueError, match=f"{words}.*; it must be "):
        WRONG[words]()
