"""Motion matching and cross-fades."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.players import accelerations, arm_synth, face_synth


@pytest.mark.parametrize("make", [face_synth, arm_synth])
def test_matching_goes_where_it_is_told_and_never_ends(make):
    synth = make()
    matching = rc.baselines.motion_matching(synth)
    clips = sum(len(synth.space(label).segments) for label in synth.labels)
    frames = sum(len(synth.space(label).frames) for label in synth.labels)
    assert matching.share_pruned == pytest.approx(10 * clips / frames)
    player = matching.player(seed=1, label="calm")
    rows = [player.step(500)]
    assert player.label == "calm"
    player.transition("lively")
    rows.append(player.step(40))
    assert player.label == "lively"
    controls = np.concatenate(rows)
    assert (controls >= synth.limits[:, 0]).all()
    assert (controls <= synth.limits[:, 1]).all()
    again = matching.player(seed=1, label="calm")
    assert np.array_equal(again.step(500), rows[0])


def test_matching_shows_its_clip_between_jumps():
    synth = face_synth()
    player = rc.baselines.motion_matching(synth, every=40, blend=5).player(seed=2)
    controls = player.step(2000)
    frames = {row.tobytes() for label in synth.labels for row in synth.space(label).frames}
    assert np.mean([row.tobytes() in frames for row in controls]) > 0.5


def test_jumps_are_inertialized():
    """No frame accelerates as a cut between the same labels does."""
    synth = arm_synth()
    player = rc.baselines.motion_matching(synth).player(seed=3, label="calm")
    rows = []
    for n in range(10):
        player.transition(synth.labels[n % 2])
        rows.append(player.step(60))
    cut = np.concatenate([synth.space("calm").frames[:40], synth.space("lively").frames[20:60]])
    assert accelerations(synth, np.concatenate(rows)).max() < 0.5 * accelerations(synth, cut).max()


@pytest.mark.parametrize("make", [face_synth, arm_synth])
def test_cross_fades_stay_in_their_label(make):
    synth = make()
    player = rc.baselines.cross_fade(synth, seed=1)
    player.step(600)
    assert player.label == synth.labels[0]
    player.idle("lively")
    controls = player.step(600)
    assert player.label == "lively"
    frames = {row.tobytes() for row in synth.space("lively").frames}
    assert np.mean([row.tobytes() in frames for row in controls]) > 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rc.baselines.motion_matching(None), "motion_matching: synth is a NoneType"),
        (lambda: rc.baselines.motion_matching(face_synth(), every=0), "motion_matching: every is 0"),
        (
            lambda: rc.baselines.motion_matching(face_synth(), every=500),
            "motion_matching: every is 500; it must be below",
        ),
        (lambda: rc.baselines.motion_matching(face_synth(), velocity=-1), "motion_matching: velocity is -1"),
        (lambda: rc.baselines.motion_matching(face_synth()).player(label="sad"), "player: label is 'sad'"),
        (lambda: rc.baselines.motion_matching(face_synth()).player(seed=1.5), "MotionMatching.player: seed is 1.5"),
        (lambda: rc.baselines.cross_fade(face_synth(), label="sad"), "cross_fade: label is 'sad'"),
        (lambda: rc.baselines.cross_fade(face_synth()).idle("sad"), "FadePlayer.idle: label is 'sad'"),
        (lambda: rc.baselines.cross_fade(face_synth()).step(-3), "FadePlayer.step: frames is -3"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
