"""Crowds: OpenUSD places the instances where we do, and every prototype shows our evaluation of its clip and phase."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.motions.moving_mesh import turn_between
from rigcast.cli._dispatch import main
from rigcast.exports import write_crowd
from tests.exports.usd.stages import (
    SAME,
    errors_of,
    geometry,
    gf,
    hose,
    joined,
    learned_body,
    linear_skinning,
    skel,
    usd,
)
from tests.support.made.synthesis import face, wave

FPS, FRAMES = 24.0, 6
PLACES = np.random.default_rng(0).uniform(-9, 9, (11, 3))
TURNS = np.linspace(0.0, 300.0, 11)


def swaying(model, frames, seed):
    """Rigid poses near rest that go on smoothly."""
    rng, count = np.random.default_rng(seed), model.skeleton.num_joints
    poses = np.tile(
        np.append(model.skeleton.rest.reshape(-1), np.zeros(len(model.control_names) - 12 * count)), (frames, 1)
    )
    angles = 0.4 * np.sin(np.arange(frames)[:, None] * rng.uniform(0.2, 0.6, count))
    for joint in range(count):
        cos, sin, one, nil = np.cos(angles[:, joint]), np.sin(angles[:, joint]), np.ones(frames), np.zeros(frames)
        turn = np.stack([one, nil, nil, nil, cos, -sin, nil, sin, cos], axis=1).reshape(frames, 3, 3)
        local = poses[:, 12 * joint : 12 * joint + 12].reshape(frames, 3, 4)
        local[..., :3] = local[..., :3] @ turn
        poses[:, 12 * joint : 12 * joint + 12] = local.reshape(frames, 12)
    return poses.astype(np.float32)


def written(path, model, phases=3, **options):
    clips = {"walk": swaying(model, 9, 1), "stand still": swaying(model, 4, 2)}
    notes = write_crowd(
        path, model, clips, positions=PLACES, fps=FPS, turns=TURNS, phases=phases, frames=FRAMES, **options
    )
    return clips, notes


def baked(path):
    stage = usd.Stage.Open(str(path))
    stage.SetEditTarget(stage.GetSessionLayer())
    for prototype in stage.GetPrimAtPath("/Crowd/People/Prototypes").GetChildren():
        if prototype.IsA(skel.Root):
            assert skel.BakeSkinning(skel.Root(prototype), gf.Interval.GetFullInterval())
    return stage


MODELS = {
    "joints": (hose, {}),
    "vertices": (hose, {"as_vertices": True}),
    "joints, x up": (lambda: hose("X"), {}),
    "vertices, x up": (lambda: hose("X"), {"as_vertices": True}),
    "a learned body": (lambda: learned_body(), {}),
}


@pytest.mark.parametrize("name", MODELS)
def test_prototypes_are_the_character_in_each_clip_at_each_phase(name, tmp_path):
    make, options = MODELS[name]
    model = make()
    path = tmp_path / "crowd.usdc"
    clips, _ = written(path, model, **options)
    assert errors_of(path) == []
    stage = baked(path)
    prototypes = stage.GetPrimAtPath("/Crowd/People/Prototypes").GetChildren()
    assert [prim.GetName() for prim in prototypes] == [
        f"{clip}_{phase}" for clip in ("walk", "stand_still") for phase in range(3)
    ]
    turn = turn_between(model.up_axis, "Y" if model.up_axis == "X" else model.up_axis)
    targets = iter(prototypes)
    for poses in clips.values():
        for phase in range(3):
            rows = poses[(phase * len(poses) // 3 + np.arange(FRAMES)) % len(poses)]
            truth = model.evaluate(rows) if options else linear_skinning(model, rows)
            place = str(next(targets).GetPath())
            shown = np.stack([joined(stage, place, code) for code in range(1, FRAMES + 1)])
            np.testing.assert_allclose(shown, truth @ turn.T, atol=3 * SAME * np.abs(truth).max())


@pytest.mark.parametrize("options", [{}, {"as_vertices": True}])
@pytest.mark.parametrize("up", ["Y", "Z", "X"])
def test_instances_stand_where_they_are_placed_inside_of_the_extent(up, options, tmp_path):
    model = hose(up)
    path = tmp_path / "crowd.usda"
    written(path, model, seed=4, **options)
    stage = usd.Stage.Open(str(path))
    people = geometry.PointInstancer(stage.GetPrimAtPath("/Crowd/People"))
    indices = np.asarray(people.GetProtoIndicesAttr().Get())
    assert set(indices) <= set(range(6))
    found = np.array(people.ComputeInstanceTransformsAtTime(2.0, 2.0))  # for row vectors
    turn = turn_between(up, "Y" if up == "X" else up)
    axis = {"Y": 1, "Z": 2, "X": 1}[up]
    first, second = {1: (2, 0), 2: (0, 1)}[axis]
    for matrix, place, degrees in zip(found, PLACES, TURNS, strict=True):
        rotation, angle = np.eye(3), np.radians(degrees)
        rotation[first, first] = rotation[second, second] = np.cos(angle)
        rotation[second, first], rotation[first, second] = np.sin(angle), -np.sin(angle)
        np.testing.assert_allclose(matrix[:3, :3].T, rotation, atol=1e-6)  # float32 quaternions
        np.testing.assert_allclose(matrix[3, :3], turn @ place, atol=1e-5)  # float32 places of tens of units
    for code in (1.0, 4.0, float(FRAMES)):
        own, theirs = people.GetExtentAttr().Get(code), people.ComputeExtentAtTime(code, code)
        np.testing.assert_allclose(own, theirs, atol=1e-4)  # float32 points placed by float32 matrices


def test_phases_share_the_samples_of_a_clip(tmp_path):
    sizes = []
    for phases in (1, 12):
        written(tmp_path / "crowd.usdc", hose(), phases)
        sizes.append((tmp_path / "crowd.usdc").stat().st_size)
    assert sizes[1] < 2.5 * sizes[0]  # longer clips for later phases, no copies


def test_vertices_take_the_place_of_joints_that_miss_too_much(tmp_path):
    model = hose()
    clips, loose = written(tmp_path / "a.usda", model)
    rows = np.concatenate([poses[np.arange(2 * len(poses) // 3 + FRAMES) % len(poses)] for poses in clips.values()])
    gaps = np.linalg.norm(model.evaluate(rows) - linear_skinning(model, rows), axis=2)
    said = f"{10 * gaps.mean():.3g} mm on average, {10 * gaps.max():.3g} mm at most"
    assert f"prototypes hold linear skinning; in these clips {said} off it" in loose[1]
    _, strict = written(tmp_path / "b.usda", model, max_error=0.5 * float(gaps.max()))
    assert f"prototypes hold the model's own vertices, as linear skinning would miss it by {said}" in strict[1]
    _, kept = written(tmp_path / "c.usda", model, max_error=1.5 * float(gaps.max()))
    assert "prototypes hold linear skinning" in kept[1]
    assert any("walk repeats after 9 frames: a vertex jumps by" in note for note in loose)


def test_faces_are_exact_with_their_correctives_keyed(tmp_path):
    rig = rc.faces.example()
    weights = np.random.default_rng(0).uniform(0, 1, (8, rig.num_shapes)).astype(np.float32)
    notes = write_crowd(tmp_path / "heads.usdc", rig, {"talk": weights}, positions=PLACES, fps=FPS, phases=2, frames=4)
    assert "in these clips exactly the model" in notes[1]
    assert not any("repeats" in note for note in notes)
    stage = baked(tmp_path / "heads.usdc")
    for phase in range(2):
        shown = [joined(stage, f"/Crowd/People/Prototypes/talk_{phase}", code) for code in range(1, 5)]
        # Float32 points of a few units.
        np.testing.assert_allclose(shown, rig.evaluate(weights[4 * phase : 4 * phase + 4]), atol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clips": {}}, "clips is empty"),
        ({"clips": {"a": np.zeros((2, 3))}}, "clips"),
        ({"positions": np.zeros((2, 2))}, "positions"),
        ({"turns": np.zeros(3)}, "turns"),
        ({"prototypes": np.full(11, 4)}, "prototypes"),
        ({"path": "crowd.glb"}, "it must be a file that ends in .usd"),
    ],
)
def test_wrong_calls_are_refused(change, message, tmp_path):
    model = hose()
    given = {"path": "crowd.usda", "clips": {"a": swaying(model, 2, 0)}, "positions": PLACES} | change
    with pytest.raises(ValueError, match=message):
        write_crowd(tmp_path / given.pop("path"), model, given.pop("clips"), **given)


def test_a_synthesizer_fills_a_crowd_by_a_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rig = face()
    rig.save("face.safetensors")
    size = {"dimensions": 2, "components": 3, "iterations": 10, "held_out": False}
    clips = {"calm": [wave(48, [0.1, 0.2, 0.1, 0.3, 0.2, 0.1])], "lively": [wave(48, [0.5, 0.4, 0.3, 0.3, 0.2, 0.6])]}
    rc.synthesis.fit(clips, rig=rig, fps=FPS, **size).save("synth.safetensors")
    command = ["synth", "crowd", "synth.safetensors", "--rig", "face.safetensors", "-o", "crowd.usdc"]
    assert main([*command, "--count", "9", "--clips", "2", "--phases", "2", "--seconds", "0.5", "--seed", "3"]) == 0
    synth = rc.synthesis.load("synth.safetensors", rig)
    crowd = synth.crowd(2, seed=3)
    for number, label in enumerate(crowd.labels):
        crowd.idle(label, who=[number])
    controls = crowd.step(24)
    stage = baked("crowd.usdc")
    for number, label in enumerate(crowd.labels):
        for phase in range(2):
            place = f"/Crowd/People/Prototypes/{label}_{number}_{phase}"
            truth = rig.evaluate(controls[number, 12 * phase : 12 * phase + 12])
            shown = [joined(stage, place, code) for code in range(1, 13)]
            np.testing.assert_allclose(shown, truth, atol=SAME * np.abs(truth).max())
