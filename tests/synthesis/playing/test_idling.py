"""Idling: as fast as the clips, through all poses, with rests if it is told to; paths that turn as clips do."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast._core import PlaySettings, rounding_width
from tests.support.made.players import arm_synth, face_synth, ground_of


@pytest.mark.parametrize("make", [face_synth, arm_synth])
def test_idling_is_about_as_fast_as_the_clips(make):
    """The median step of every label's idling, beside that of its clips: no slow motion, no hurry."""
    synth = make()
    for label in synth.labels:
        player = synth.player(seed=1, label=label)
        player.idle(label)
        own = synth.mesh_features(player.step(1440))
        space = synth.space(label)
        frames = synth.mesh_features(space.frames)
        steps = [np.linalg.norm(np.diff(frames[s.begin : s.end], axis=0), axis=1) for s in space.segments]
        speed = np.median(np.linalg.norm(np.diff(own, axis=0), axis=1)) / np.median(np.concatenate(steps))
        assert 0.55 < speed < 1.5


def test_idling_rests_at_poses_if_it_is_told_to():
    """Without rests it passes poses on one path; with them, it hovers for as long at each."""
    synth = face_synth()
    frames = synth.mesh_features(synth.space("lively").frames[:96])
    step = np.median(np.linalg.norm(np.diff(frames, axis=0), axis=1))
    slow = []
    for hold in (None, 1.0):
        player = synth.player(seed=1, label="lively", settings=rc.synthesis.PlaySettings(wander=0.0, likelihood=0.0))
        player.idle("lively", hold=hold)
        own = synth.mesh_features(player.step(960))
        slow.append((np.linalg.norm(np.diff(own, axis=0), axis=1) < 0.3 * step).mean())
    assert slow[0] < 0.35
    assert slow[1] > slow[0] + 0.2


def test_paths_turn_in_as_few_frames_as_the_clips():
    """Going back takes the longer, the less the clips accelerate; clips of straight moves leave the usual width."""
    slow = np.sin(np.linspace(0, 2 * np.pi, 97))[:, None]
    quick = np.sin(np.linspace(0, 12 * np.pi, 97))[:, None]
    zigzag = (np.arange(97) % 2)[:, None].astype(float)
    once = np.repeat([0.0, 1.0], 400)[:, None]
    assert [rounding_width([rows]) for rows in (slow, quick, zigzag, slow[:2], slow[:0], once)] == [5, 5, 2, 5, 5, 5]
    assert rounding_width([quick, zigzag]) == rounding_width([zigzag, quick]) < 5


def test_a_tour_passes_its_targets_without_a_rest():
    synth = face_synth()
    space = synth.space("calm")
    ground, points = ground_of(space, PlaySettings()), space.points
    targets = points[[40, 100, 160]]
    rows, radii, note = ground.plan(points[0], targets, "data")
    assert note == ""
    assert len(radii) == len(rows)
    np.testing.assert_allclose(rows[[0, -1]], points[[0, 160]])
    for target in targets:
        assert np.linalg.norm(rows - target, axis=1).min() < 3.0 * ground.step
    steps = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    assert steps[8:-8].min() > 0.1 * ground.step  # it only slows down to turn
    starts = [points[0], *targets[:-1]]
    parts = sum(len(ground.plan(a, [b], "data")[0]) for a, b in zip(starts, targets, strict=True))
    assert len(rows) < parts


def test_idling_at_poses_visits_each_of_them():
    synth = face_synth()
    space = synth.space("calm")
    rows = [10, 50, 120]
    poses = [("calm-0", 10), ("calm-0", 50), space.points[120]]
    player = synth.player(seed=6, label="calm")
    player.idle("calm", poses, hold=1.0)
    own = synth.mesh_features(player.step(2400))
    targets = synth.mesh_features(space.controls(space.points[rows]))
    spread = np.linalg.norm(np.ptp(synth.mesh_features(space.frames), axis=0))
    near = np.linalg.norm(own[:, None] - targets, axis=-1) < 0.1 * spread
    assert (near.mean(axis=0) > 0.1).all()
    assert near.any(axis=1).mean() > 0.5


def test_idling_meets_every_pose_before_it_meets_one_twice():
    """Within a median step each, in another order the second time and for another seed."""
    synth = face_synth()
    space = synth.space("lively")
    chosen = [("lively-0", frame) for frame in (5, 30, 55, 80)]
    frames = synth.mesh_features(space.frames)
    step = np.median(np.linalg.norm(np.diff(frames[:96], axis=0), axis=1))
    orders = []
    for seed in (1, 2, 3):
        player = synth.player(seed=seed, label="lively")
        player.idle("lively", chosen, hold=0.1)
        own = synth.mesh_features(player.step(1500))
        told = json.loads(player.state())["character"]["tasks"][-1]
        assert told["do"] == "wander"
        assert told["visited"] >= 8
        met = np.array([np.linalg.norm(own - frames[frame], axis=1) <= step for _, frame in chosen])
        assert met.any(axis=1).all()
        orders.append(tuple(met.argmax(axis=1).argsort()))
    assert len(set(orders)) > 1
