"""Transitions: every label is reached from every other, smoothly, by rotations and not by angles."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._core import ControlMixer, Decay, smooth_shares
from rigcast.synthesis._clips.rotations import Rotations
from tests.support.made.players import accelerations, arm_synth, face_synth


def mixer_of(synth):
    return ControlMixer(synth.rotations, synth.rotation_orders, synth.limits)


def clip_accelerations(synth):
    spaces = [synth.space(label) for label in synth.labels]
    return np.concatenate([accelerations(synth, sp.frames[s.begin : s.end]) for sp in spaces for s in sp.segments])


def test_a_blend_of_joints_is_a_rotation_half_way():
    """Euler angles of 170 and -170 degrees are 20 degrees apart, and half way lies 180, not 0."""
    synth = arm_synth()
    mixer, rotations = mixer_of(synth), Rotations(synth.rotations, synth.rotation_orders)
    first, second = np.zeros((1, 7), np.float32), np.zeros((1, 7), np.float32)
    first[0, 0], second[0, 0] = 170.0, -170.0
    half = mixer.blended(first, second, np.array([0.5]))
    assert abs(half[0, 0]) == pytest.approx(180.0, abs=1e-3)  # an angle near a half turn
    shares = np.linspace(0, 1, 9)
    rng = np.random.default_rng(0)
    a, b = (np.repeat(rng.uniform(-80, 80, (1, 7)).astype(np.float32), 9, axis=0) for _ in range(2))
    turned = rotations.matrices(mixer.blended(a, b, shares))
    relative = np.swapaxes(turned[:-1], -1, -2) @ turned[1:]
    angles = np.arccos(np.clip(0.5 * (np.trace(relative, axis1=-2, axis2=-1) - 1), -1, 1))
    np.testing.assert_allclose(angles, np.repeat(angles[:1], 8, axis=0), atol=1e-6)  # constant speed
    np.testing.assert_allclose(turned[0], rotations.matrices(a)[0], atol=1e-9)
    np.testing.assert_allclose(turned[-1], rotations.matrices(b)[0], atol=1e-9)  # angles and back


@pytest.mark.parametrize("make", [face_synth, arm_synth])
def test_shifted_inverts_difference(make):
    synth = make()
    mixer = mixer_of(synth)
    a, b = synth.space("calm").frames[:30], synth.space("lively").frames[40:70]
    back = mixer.shifted(b, mixer.difference(a, b))
    np.testing.assert_allclose(synth.mesh_features(back), synth.mesh_features(a), atol=1e-6)  # float32 controls


def test_a_decay_continues_the_old_motion_and_ends_at_rest():
    synth = face_synth()
    mixer = mixer_of(synth)
    t = np.arange(60)[:, None]
    low, high = synth.limits.T
    old = np.repeat((0.3 + 0.01 * t), 6, axis=1).astype(np.float32)
    new = np.repeat((0.7 - 0.004 * t), 6, axis=1).astype(np.float32)
    decay = Decay.across(mixer, 10, old[9:11], new[10:12], 12)
    shown = mixer.shifted(new, decay.at(np.arange(60)))
    np.testing.assert_allclose(shown[10], old[10], atol=1e-6)  # float32 controls
    np.testing.assert_allclose(shown[22:], new[22:], atol=1e-6)
    joined = np.concatenate([old[:10], shown[10:]])
    assert np.abs(np.diff(joined, 2, axis=0)).max() < 6.0 * 0.4 / 12**2  # a quintic of that height and length
    assert (low < high).all()


def test_shares_rise_smoothly():
    shares = smooth_shares(12)
    assert (np.diff(shares) > 0).all()
    np.testing.assert_allclose(shares + shares[::-1], 1.0)
    assert 0 < shares[0] < 0.03


@pytest.mark.parametrize("way", ["blend", "inertialize"])
@pytest.mark.parametrize("make", [face_synth, arm_synth])
def test_every_ordered_pair_of_labels_is_joined_smoothly(make, way):
    """Peak mesh acceleration at most the clips' 99th percentile in 95 % of transitions; a cut is far above."""
    synth = make()
    limit = np.quantile(clip_accelerations(synth), 0.99)
    peaks = []
    for start in synth.labels:
        for end in synth.labels:
            for seed in range(6 if start != end else 0):
                player = synth.player(seed=seed, label=start, settings=rc.synthesis.PlaySettings(transitions=way))
                player.idle(start)
                player.step(30 + 5 * seed)
                player.transition(end)
                rows = [player.step(1)[0]]
                while player.label != end or len(rows) < 40:
                    rows.append(player.step(1)[0])
                    assert len(rows) < 2000
                rows += list(player.step(14))
                peaks.append(accelerations(synth, np.array(rows[-40:])).max())
    assert (np.array(peaks) <= limit).mean() >= 0.95
    cut = np.concatenate([synth.space("calm").frames[:40], synth.space("lively").frames[20:60]])
    assert accelerations(synth, cut).max() > limit
