"""Latent spaces of clips: how well they rebuild, and what fit refuses."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.synthesis._learning.embedding import components_for, principal_components
from rigcast.synthesis._learning.held_out import split
from rigcast.synthesis._space import Segment
from tests.support.made.synthesis import arm, face, wave

SPEEDS = [0.1, 0.2, 0.13, 0.07, 0.05, 0.0]


def curve(frames=150):
    """Weights on a closed curve that no plane or space of three dimensions holds."""
    t = np.arange(frames) * 0.11
    rows = [np.sin(t), np.cos(t), np.sin(2 * t), np.cos(2 * t), np.sin(3 * t), 0 * t]
    return 0.5 + 0.3 * np.stack(rows, axis=1)


@pytest.fixture(scope="module")
def synth():
    return rc.synthesis.fit({"x": [curve()]}, rig=face(), dimensions=2, components=5)


def test_a_curve_is_rebuilt_in_fewer_dimensions_than_it_spans(synth):
    figures = synth.space("x").held_out
    assert figures.latent < 0.7 * figures.principal[2]
    assert figures.latent < figures.nearest
    assert figures.is_worth_it


def test_a_space_that_is_worth_nothing_is_told():
    """Noise has no curve that a latent space could find."""
    noise = np.random.default_rng(0).uniform(0, 1, (120, 6))
    figures = rc.synthesis.fit({"x": [noise]}, rig=face(), dimensions=1, components=1).space("x").held_out
    assert not figures.is_worth_it
    assert "not worth more" in figures.summary()


def test_held_out_frames_are_not_learned():
    """Blocks that are held out show what no other frame shows: a space that learned them is far closer."""
    clip = curve(120)
    held = split([Segment("x", 0, 120)]).held
    clip[held, 0] = 1.0 - clip[held, 0]
    clip[held, 2:5] = 0.5
    space = rc.synthesis.fit({"x": [clip]}, rig=face(), dimensions=3, components=5).space("x")
    _, learned = space.closest(clip[held])
    assert space.held_out.latent > 3.0 * 10.0 * learned.mean()


def test_principal_components_beside_are_those_of_the_other_frames(synth):
    """By NumPy: the best combination of three components of the frames that were kept, on the mesh."""
    rig, frames = face(), synth.space("x").frames.astype(np.float64)
    held = split(synth.space("x").segments)
    kept, out = frames[held.kept], frames[held.held]
    scaled = (kept - kept.mean(axis=0)) * synth.weights
    rows = np.linalg.svd(scaled, full_matrices=False)[2][:3]
    basis = np.divide(rows, synth.weights, out=np.zeros_like(rows), where=synth.weights > 0)
    moves = (rig.evaluate(np.eye(6)) - rig.rest_vertices).reshape(6, -1).astype(np.float64)
    errors = []
    for frame in out:
        away = frame - kept.mean(axis=0)
        amount = np.linalg.lstsq((basis @ moves).T, away @ moves, rcond=None)[0]
        controls = np.clip(kept.mean(axis=0) + amount @ basis, 0, 1)
        errors.append(np.sqrt((((controls - frame) @ moves).reshape(-1, 3) ** 2).sum(axis=1).mean()))
    assert abs(10.0 * np.mean(errors) / synth.space("x").held_out.principal[3] - 1.0) < 2e-3


def test_the_nearest_frame_is_that_of_the_mesh(synth):
    rig, frames = face(), synth.space("x").frames
    held = split(synth.space("x").segments)
    vertices = rig.evaluate(frames).astype(np.float64)
    apart = [min(np.sqrt(((vertices[i] - vertices[j]) ** 2).sum(axis=1).mean()) for j in held.kept) for i in held.held]
    assert abs(10.0 * np.mean(apart) / synth.space("x").held_out.nearest - 1.0) < 1e-4


def test_blocks_are_held_out_inside_segments():
    segments = [Segment("a", 0, 100), Segment("b", 100, 120), Segment("c", 120, 160)]
    parts = split(segments)
    assert parts.held.tolist() == [*range(24, 36), *range(84, 96), *range(144, 156)]
    assert sorted([*parts.held, *parts.kept]) == list(range(160))
    rows = [parts.kept[s.begin : s.end] for s in parts.segments]
    assert all((np.diff(own) == 1).all() for own in rows)
    assert [int(own[0]) for own in rows] == [0, 36, 96, 100, 120, 156]


def test_components_hold_the_share_that_they_say(tolerance):
    random = np.random.default_rng(0)
    rows = random.normal(size=(200, 8)) * np.array([5.0, 3.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05])
    scale = np.linspace(0.5, 2.0, 8)
    variance = np.linalg.svd((rows - rows.mean(axis=0)) * scale, compute_uv=False) ** 2
    for share in (0.85, 0.95, 0.999):
        count = components_for(rows, scale, share)
        assert variance[:count].sum() >= share * variance.sum() > variance[: count - 1].sum()
        basis, _, explained = principal_components(rows, scale, count)
        assert abs(explained - variance[:count].sum() / variance.sum()) < 1e-12
        np.testing.assert_allclose((basis * scale) @ (basis * scale).T, np.eye(count), atol=tolerance["float64"])


def share_clipped(synth, space):
    """Share of the controls of a space's points that lie outside the limits before they are clipped."""
    free = space.unclipped(space.points)
    slack = 1e-5 * np.maximum(1.0, np.abs(free))
    low, high = synth.limits.T
    return float(((free < low - slack) | (free > high + slack)).mean())


def test_no_control_leaves_its_limits(synth):
    space = synth.space("x")
    far = space.points + np.random.default_rng(0).normal(size=space.points.shape)
    played = space.controls(far)
    assert (played >= synth.limits[:, 0]).all()
    assert (played <= synth.limits[:, 1]).all()
    assert share_clipped(synth, space) == 0.0


def test_tight_limits_clip_clips_and_poses():
    limits = np.tile([0.3, 0.6], (6, 1))
    synth = rc.synthesis.fit({"x": [curve()]}, rig=face(), limits=limits, dimensions=2, components=5, held_out=False)
    space = synth.space("x")
    assert space.frames.min() >= np.float32(0.3)
    assert space.frames.max() <= np.float32(0.6)
    assert share_clipped(synth, space) > 0.0
    played = space.controls(space.points)
    assert played.min() >= np.float32(0.3)
    assert played.max() <= np.float32(0.6)
    assert any("were clipped to the limits" in note for note in synth.metadata["notes"])


def test_a_label_of_one_frame_is_a_pose(tolerance):
    pose = np.full((1, 6), 0.3)
    synth = rc.synthesis.fit({"still": [pose], "x": [curve(60)]}, rig=face(), dimensions=2, components=4)
    np.testing.assert_allclose(synth.space("still").controls(np.zeros((1, 2)))[0, :5], 0.3, atol=tolerance["printed"])
    assert synth.space("still").held_out is None


def test_without_a_rig_all_controls_count_alike(tolerance):
    synth = rc.synthesis.fit({"x": [curve()[:, :5]]}, dimensions=2, components=5, names=list("abcde"))
    assert synth.control_names == list("abcde")
    assert synth.weights.tolist() == [1.0] * 5
    frames = synth.space("x").frames
    np.testing.assert_allclose(
        synth.mesh_distance(frames[:1], frames[5:6]), np.linalg.norm(frames[0] - frames[5]), rtol=tolerance["float32"]
    )
    assert (synth.limits == np.stack([frames.min(axis=0), frames.max(axis=0)], axis=1)).all()


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    for name, threads in (("a", 1), ("b", 2)):
        synth = rc.synthesis.fit(
            {"x": [curve(60)], "y": [wave(50, SPEEDS)]}, rig=face(), dimensions=2, components=4, threads=threads
        )
        synth.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_joint_through_the_pole_is_rebuilt():
    """The middle angle passes 90 degrees: angles of the frames jump, the rebuilt vertices do not."""
    rig = arm()
    t = np.linspace(0.0, 2.0 * np.pi, 120)
    controls = np.zeros((120, 7))
    controls[:, 1] = 60.0 + 50.0 * np.sin(t)
    controls[:, 0], controls[:, 2] = 20.0 * np.cos(t), 15.0 * np.sin(2 * t)
    synth = rc.synthesis.fit({"x": [controls]}, rig=rig, dimensions=2, components=3, held_out=False)
    space = synth.space("x")
    apart = rig.sample(space.controls(space.points))[1] - rig.sample(space.frames)[1]
    assert np.sqrt((apart.astype(np.float64) ** 2).sum(axis=2).mean()) < 0.02


def test_dimensions_and_components_are_chosen_by_what_is_rebuilt():
    synth = rc.synthesis.fit({"x": [curve(120)]}, rig=face())
    assert synth.space("x").num_components >= 4
    assert synth.space("x").held_out.latent < 0.5 * synth.space("x").held_out.principal[3]


def test_more_components_than_the_variance_asks_for_rebuild_held_out_frames():
    """A fast circle with a small slow one: two components hold 97 % and show every frame within half a step."""
    t = np.arange(120)
    circles = [amount * turn(rate * t) for amount, rate in ((0.4, 0.5), (0.06, 0.11)) for turn in (np.sin, np.cos)]
    rows = 0.5 + np.column_stack(circles)
    space = rc.synthesis.fit({"x": [rows]}, dimensions=3, iterations=60, threads=1).space("x")
    assert space.num_components == 4
    assert space.held_out.latent < 0.5 * space.held_out.nearest


def test_components_show_small_motion_beside_large():
    """Of a clip that mostly trembles and sometimes swings, 99.9 % of the variance are the swings alone."""
    t = np.arange(160)
    rows = 0.5 + 0.004 * wave(160, [0.9, 0.7, 1.1, 0.8, 0.6, 0.0], offset=0.0, size=1.0)
    rows[:, 0] += 0.4 * np.exp(-(((t - 80) / 4) ** 2))
    for held_out in (True, False):
        space = rc.synthesis.fit({"x": [rows]}, held_out=held_out, iterations=5, threads=1).space("x")
        steps = np.median(np.linalg.norm(np.diff(space.frames, axis=0), axis=1))
        moved = space.frames - space.frames.mean(axis=0)
        shown = moved @ np.linalg.pinv(space.embedding.basis) @ space.embedding.basis
        away = np.linalg.norm(shown - moved, axis=1)
        assert np.quantile(away, 0.9) <= 0.5 * steps
    fewer = rc.synthesis.fit({"x": [rows]}, components=2, held_out=False, iterations=5, threads=1)
    assert fewer.space("x").num_components == 2


def test_wrong_arguments_are_named():
    clips = {"x": [curve(30)]}
    for name, value in (
        ("fps", 0), ("dimensions", 0), ("dimensions", 17), ("components", 0), ("iterations", 0), ("threshold", -1.0),
        ("limits", np.zeros((5, 2))), ("limits", np.tile([1.0, 0.0], (6, 1))), ("seed", -1), ("threads", -1),
        ("names", ["a"]),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"^fit: {name} is "):
            rc.synthesis.fit(clips, rig=face(), **{name: value})
    with pytest.raises(ValueError, match=r"^fit: rig is a int; it must be a rig, a model or a blendshape rig"):
        rc.synthesis.fit(clips, rig=3)
    with pytest.raises(ValueError, match=r"^fit: clips\['x'\]\[0\] is .*\(30, 5\); it must be numbers"):
        rc.synthesis.fit({"x": [curve(30)[:, :5]]}, rig=face())


@pytest.mark.slow
def test_real_motion_is_rebuilt_better_than_by_components_and_frames(data_path):
    """Motion capture on a body of 65 joints, by frames that were left out: the goal of the benchmark."""
    from benchmarks.systems.body.antonia import antonia

    rig = antonia(data_path("antonia_body"))
    clips = rc.synthesis.read_clips(data_path("body_motion_bvh", "dab.bvh.gz"), rig)
    synth = rc.synthesis.fit({"dab": clips}, rig=rig, dimensions=3, components=32)
    figures = synth.space("dab").held_out
    assert figures.latent <= 0.7 * figures.principal[3]
    assert figures.latent < figures.nearest
    assert len(synth.dropped) == 48


def test_a_share_of_the_variance_takes_the_fewest_components_that_hold_it():
    chosen = {"rig": face(), "dimensions": 2, "held_out": False, "iterations": 5}
    space = rc.synthesis.fit({"x": [curve()]}, components=0.85, **chosen).space("x")
    fewer = rc.synthesis.fit({"x": [curve()]}, components=space.num_components - 1, **chosen).space("x")
    assert fewer.explained < 0.85 <= space.explained


def test_shares_below_0_and_numbers_with_a_fraction_are_no_components():
    for components in (-0.5, 1.5):
        with pytest.raises(ValueError, match="components is"):
            rc.synthesis.fit({"x": [curve()]}, components=components)
