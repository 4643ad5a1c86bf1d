"""``rc.ik.bake``: channels give the poses, keys give the channels, few where few are needed."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.ik.characters import legs, on_model, places
from tests.ik.walk import FEET, FPS, pushed, walk

RIG = legs()
SKELETON, WALK = walk()
DEGREES = 2e-3  # of float32 poses


def clip(frames: int = 60) -> np.ndarray:
    """Channels (T, N): a ramp, a wave, a step, the rest constant."""
    time = np.linspace(0, 1, frames)
    channels = np.zeros((frames, len(RIG.channel_names)))
    channels[:, RIG.channel_names.index("hip.L.rx")] = 40 * time
    channels[:, RIG.channel_names.index("knee.L.rx")] = 50 + 40 * np.sin(7 * time)
    channels[:, RIG.channel_names.index("pelvis.tz")] = np.where(time < 0.5, 0.0, 0.3)
    return channels


@pytest.mark.parametrize("tolerance", [0.0, 0.5])
def test_keys_give_the_channels_within_the_tolerance(tolerance):
    truth = clip()
    made = rc.ik.bake(RIG, RIG.sample(truth.astype(np.float32))[0], tolerance=tolerance)
    assert np.abs(made.channels - truth).max() < tolerance + DEGREES
    frames = np.arange(len(truth))
    for k, (at, values) in enumerate(made.keys):
        np.testing.assert_array_equal(np.interp(frames, at, values), made.channels[:, k])
    assert made.residual.max() < 1e-5
    assert not made.beyond.any()


def test_as_many_keys_as_a_curve_needs():
    made = rc.ik.bake(RIG, RIG.sample(clip().astype(np.float32))[0], tolerance=0.01)
    count = {name: len(frames) for name, (frames, _) in zip(made.names, made.keys, strict=True)}
    assert count.pop("hip.L.rx") == 2
    assert count.pop("pelvis.tz") == 4
    assert 10 < count.pop("knee.L.rx") < 60
    assert set(count.values()) == {1}


def test_a_joint_turns_on_through_half_a_turn():
    spin = legs(hip=(-400.0, 400.0))
    channels = np.zeros((100, len(spin.channel_names)))
    channels[:, spin.channel_names.index("hip.L.rx")] = np.linspace(0, 380, 100)
    made = rc.ik.bake(spin, spin.sample(channels.astype(np.float32))[0], tolerance=0.01)
    np.testing.assert_allclose(made.channels, channels, atol=0.02)  # degrees: keys, and float32 poses


def test_a_locked_clip_is_baked_and_written(tmp_path):
    """What a lock breaks is said; a file of the keys has the lock's feet."""
    lock = rc.ik.foot_lock(SKELETON, pushed(WALK), FEET, fps=FPS, hinge=[1, 0, 0])
    model = on_model(legs(ankle=(-180.0, 180.0)))
    made = rc.ik.bake(model, lock.poses)
    notes = rc.exports.write_bvh(tmp_path / "walk.bvh", model, made.channels, fps=FPS)
    assert notes
    motion = rc.sources.load_bvh(tmp_path / "walk.bvh").motion()
    truth = SKELETON.globals(lock.poses)[..., 3]
    np.testing.assert_allclose(motion.globals()[..., 3], truth, atol=2e-3 + float(made.residual.max()))
    tight = rc.ik.bake(on_model(legs(knee=(-2.0, 20.0))), lock.poses)
    knee = tight.names.index("knee.L.rx")
    more = np.maximum(made.channels[:, made.names.index("knee.L.rx")] - 20.0, 0)
    np.testing.assert_allclose(tight.beyond[:, knee], more, atol=0.05)  # degrees, of float32 poses
    assert tight.beyond[:, knee].max() > 5.0
    assert np.isfinite(places(legs(), made.channels)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": SKELETON}, "bake: model is a Skeleton without channels; it must be one with channels"),
        ({"model": rc.faces.example()}, "bake: model is a BlendshapeRig without joints"),
        ({"poses": WALK[:, :50]}, r"bake: poses is .* \(90, 50\); it must be"),
        ({"tolerance": -1}, "bake: tolerance is -1; it must be"),
    ],
)
def test_wrong_arguments_of_bake_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        rc.ik.bake(**{"model": RIG, "poses": WALK, **change})
