"""``rigcast evaluate``: a model over motions of every kind, into files that other tests read with second readers."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.rotations import compose, globals_of, invert
from rigcast.cli import _dispatch as dispatch
from rigcast.cli._inputs.model_motion import MotionMapping, motion_of, own_poses
from rigcast.exports import write_bvh
from rigcast.sources import Motion
from tests.sources.retargeting.test_retarget import NAMES, PARENTS, character, random_channels
from tests.support import glb
from tests.support.characters.faces import random_curves, small_face

FRAMES = 9
WAVE = """HIERARCHY
ROOT a
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT b
  {
    OFFSET 0 1 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT c
    {
      OFFSET 0 1 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 0.5 0
      }
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
0 0 0  0 0 0  0 0 0  0 0 0
1 0 0  20 0 0  0 40 0  0 10 0
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model with channels, and a motion of it as channels."""
    place = tmp_path_factory.mktemp("evaluate")
    data = rc.sampling.sample(rc.sources.example_body(), place / "arm.rwdata", 40, seed=0)
    rc.baselines.linear_blend(data, 4).save(place / "arm.safetensors")
    return place


@pytest.fixture
def model(folder):
    return rc.load(folder / "arm.safetensors")


@pytest.fixture
def channels(model):
    low, high = np.array([(channel.low, channel.high) for channel in model.channels]).T
    smooth = 0.5 + 0.5 * np.sin(0.3 * np.arange(FRAMES)[:, None] + np.arange(len(low)))
    return low + (high - low) * smooth


@pytest.fixture
def evaluate(folder, tmp_path, monkeypatch, capsys):
    """Runs the command in a folder of its own; gives exit code, JSON (or what was said), and the folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, shown=False):
        options = [] if shown else ["--json"]
        code = dispatch.main(["evaluate", str(folder / "arm.safetensors"), *map(str, arguments), *options])
        said = capsys.readouterr()
        return code, said.out + said.err if shown or code else json.loads(said.out)

    return run


def test_channels_of_an_archive_are_played_at_its_rate(evaluate, model, channels):
    np.savez("walk.npz", channels=channels, fps=48.0)
    assert evaluate("walk.npz", "-o", "out.npz")[1]["fps"] == 48.0
    stored = np.load("out.npz")
    np.testing.assert_array_equal(stored["vertices"], model.evaluate(model.poses_from_channels(channels)))
    assert (stored["fps"], stored["meters_per_unit"], stored["up_axis"]) == (48.0, model.meters_per_unit, model.up_axis)
    np.testing.assert_array_equal(stored["faces"], model.faces)


def test_channels_by_name_leave_the_others_at_rest(evaluate, model, channels):
    picked = [2, 0]
    np.savez("walk.npz", channels=channels[:, picked], names=np.array([model.channels[i].name for i in picked]))
    evaluate("walk.npz", "-o", "out.npy")
    whole = np.tile([channel.rest for channel in model.channels], (FRAMES, 1))
    whole[:, picked] = channels[:, picked]
    np.testing.assert_array_equal(np.load("out.npy"), model.evaluate(model.poses_from_channels(whole)))


def test_arrays_as_wide_as_the_channels_are_channels(evaluate, model, channels):
    np.save("channels.npy", channels)
    np.save("poses.npy", model.poses_from_channels(channels))
    for name in ("channels", "poses"):
        assert evaluate(f"{name}.npy", "-o", f"{name}.pc2", "--fps", "25")[0] == 0
    a, b = (rc.sources.load_shot(f"{name}.pc2").vertices for name in ("channels", "poses"))
    np.testing.assert_array_equal(a, b)


def test_another_rate_is_resampled_and_said(evaluate, model, channels, tolerance):
    np.savez("walk.npz", channels=channels, fps=48.0)
    notes = evaluate("walk.npz", "-o", "out.mdd", "--fps", "24")[1]["notes"]
    assert notes[0] == "9 frames at 48 per second were resampled to 5 at 24 per second"
    shot = rc.sources.load_shot("out.mdd")
    assert shot.fps == 24.0
    every_other = model.evaluate(model.poses_from_channels(channels[::2]))
    np.testing.assert_allclose(shot.vertices, every_other, atol=tolerance["float64_converged"])


def test_a_motion_without_a_rate_needs_one(evaluate, channels, tmp_path):
    np.save("channels.npy", channels)
    code, said = evaluate("channels.npy", "-o", "out.mdd")
    assert code == 2
    assert "channels.npy states no frames per second; out.mdd must have some: --fps" in said
    assert not (tmp_path / "out.mdd").exists()


def test_a_data_set_is_played(evaluate, folder, model):
    data = rc.Dataset(folder / "arm.rwdata")
    assert evaluate(folder / "arm.rwdata", "-o", "out.npy")[1]["shape"] == [40, *model.rest_vertices.shape]
    np.testing.assert_array_equal(np.load("out.npy"), model.evaluate(data.poses))


def test_a_unit_and_an_up_axis(evaluate, model, channels, tolerance):
    np.savez("walk.npz", channels=channels, fps=48.0)
    said = evaluate("walk.npz", "-o", "out.pc2", "--unit", "cm", "--up-axis", "Z")[1]
    assert said["notes"] == ["out.pc2 states no rate, unit or up axis: 48 frames per second, units of 0.01 m, z up"]
    points = model.evaluate(model.poses_from_channels(channels))
    expected = 100 * np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=2)
    np.testing.assert_allclose(rc.sources.load_shot("out.pc2").vertices, expected, atol=tolerance["float32_character"])


def test_the_error_of_a_glb_is_in_millimeters(evaluate, channels):
    np.savez("walk.npz", channels=channels, fps=48.0)
    targets = []
    for most in (20, 0.5):
        (note,) = evaluate("walk.npz", "-o", "out.glb", "--vertices", "--max-error", most, "--overwrite")[1]["notes"]
        assert float(note.partition("at most ")[2].split()[0]) <= most
        targets.append(int(note.split()[0]))
    assert targets[0] < targets[1]


@pytest.mark.parametrize("ending", ["glb", "usdc"])
def test_a_character_that_was_written_is_read_as_the_models_own_motion(evaluate, model, channels, ending, tolerance):
    if ending == "usdc":
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    dial = [channel.kind for channel in model.channels].index("dial")
    channels[:, dial] = 0.0  # no joint shows it
    np.savez("walk.npz", channels=channels, fps=48.0)
    assert evaluate("walk.npz", "-o", f"walk.{ending}")[1]["notes"] == []
    assert evaluate(f"walk.{ending}", "-o", "back.npz")[0] == 0
    found = np.load("back.npz")
    assert found["fps"] == 48.0
    expected = model.evaluate(model.poses_from_channels(channels))
    np.testing.assert_allclose(found["vertices"], expected, atol=tolerance["float64_converged"])


def test_a_bvh_of_the_models_own_skeleton_is_played_as_it_is(evaluate, model, channels, tolerance):
    dial = [channel.kind for channel in model.channels].index("dial")
    channels[:, dial] = 0.0  # which no BVH holds
    write_bvh("walk.bvh", model, channels, fps=48)
    said = evaluate("walk.bvh", "-o", "out.npz", shown=True)[1]
    assert "note: dials that walk.bvh does not move rest: tension" in said
    assert np.load("out.npz")["fps"] == 48.0
    found = np.load("out.npz")["vertices"]
    np.testing.assert_allclose(
        found, model.evaluate(model.poses_from_channels(channels)), atol=tolerance["float64_converged"]
    )


def test_the_joints_are_written_as_bvh(evaluate, model, channels, tolerance):
    np.savez("walk.npz", channels=channels, fps=48.0)
    assert evaluate("walk.npz", "-o", "out.bvh", "--unit", "cm")[0] == 0
    assert evaluate("out.bvh", "-o", "again.bvh", "--unit", "cm")[0] == 0
    write_bvh("library.bvh", model, channels, fps=48)
    (found, again, expected) = (rc.sources.load_bvh(f"{name}.bvh") for name in ("out", "again", "library"))
    np.testing.assert_allclose(
        found.motion().globals()[..., 3], 100 * expected.motion().globals()[..., 3], atol=tolerance["float32_character"]
    )
    np.testing.assert_allclose(again.values, found.values, atol=tolerance["printed"])


def test_a_foreign_bvh_is_retargeted_and_what_is_left_out_is_said(evaluate, tmp_path):
    (tmp_path / "map.json").write_text('{"a": "shoulder", "b": "elbow", "c": "wrist"}')
    (tmp_path / "wave.bvh").write_text(WAVE)
    code, said = evaluate("wave.bvh", "--joint-map", "map.json", "-o", "out.npy", shown=True)
    assert code == 0
    assert "2 frames, 3 joints mapped" in said
    assert "note: the path of shoulder is left out: the rig has no translation_channels of shoulder" in said
    bent = np.linalg.norm(np.diff(np.load("out.npy"), axis=0), axis=2)
    assert bent.max() > 0.05


@pytest.mark.parametrize(("clip", "fps"), [("wave", 30.0), ("steps", 24.0)])
def test_a_clip_of_the_models_own_file_is_played_with_its_dials(tmp_path, monkeypatch, clip, fps, tolerance):
    monkeypatch.chdir(tmp_path)
    rig = rc.sources.load(glb.character().write(tmp_path / "hero.glb"))
    joints = np.tile([[0, 1, 2]], (len(rig.rest_vertices), 1)), np.full((len(rig.rest_vertices), 3), 1 / 3)
    model = rc.LinearBlendSkinning(rig.skeleton, rig.rest_vertices, rig.faces, joints, dials=rig.dial_names)
    model.save("hero.safetensors")
    arguments = ["evaluate", "hero.safetensors", "hero.glb", "--clip", clip, "-o", "out.npz", "--fps", str(fps)]
    assert dispatch.main(arguments) == 0
    stored = np.load("out.npz")
    assert stored["fps"] == fps
    glb.close(stored["vertices"], model.evaluate(rig.sample_clip(clip, fps)[0]), tolerance)


def test_weights_of_a_face_are_played_at_their_rate(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    face, curves = small_face(), random_curves(1, 7)
    face.save("face.safetensors")
    rc.exports.write_blendshape_weights("w.npz", face, curves, fps=48.0)
    assert dispatch.main(["evaluate", "face.safetensors", "w.npz", "-o", "out.mdd"]) == 0
    shot = rc.sources.load_shot("out.mdd")
    np.testing.assert_array_equal(shot.vertices, face.evaluate(curves))
    assert shot.fps == 48.0
    assert dispatch.main(["evaluate", "face.safetensors", "w.npz", "-o", "out.bvh"]) == 2


def model_of(rig):
    """A skinning model with a rig's skeleton."""
    weights = np.eye(len(rig.skeleton.names), dtype=np.float32)
    return rc.LinearBlendSkinning(
        rig.skeleton, rig.rest_vertices, rig.faces, weights, dials=["smile"], metadata={"up_axis": rig.up_axis}
    )


@pytest.mark.parametrize(("names", "left_out"), [(NAMES, False), (NAMES[:6], True)])
def test_the_path_of_the_root_is_followed_where_legs_give_its_scale(tmp_path, names, left_out):
    rig = character()
    channels = random_channels(rig)
    data = rc.sampling.sample(rig, tmp_path / "c.rwdata", 20, seed=0, probe=0)
    model = rc.LinearBlendSkinning(
        rig.skeleton,
        rig.rest_vertices,
        rig.faces,
        np.eye(len(NAMES)),
        metadata={"channels": data.channel_entry},
    )
    write_bvh(tmp_path / "walk.bvh", rig, channels)
    (tmp_path / "map.json").write_text(json.dumps({name: name for name in names}))
    played = motion_of(model, tmp_path / "walk.bvh", MotionMapping(tmp_path / "map.json"))
    assert any("the path of waist is left out: without a mapped leg" in note for note in played.notes) is left_out
    travelled = np.ptp(played.poses[:, [3, 7, 11]], axis=0).max()
    assert (travelled == 0.0) == left_out


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_the_models_own_skeleton_is_known_in_other_axes_and_units(up, tolerance):
    """A y-up file in centimeters whose joints have world axes at rest."""
    rig = character(up=up)
    rig.up_axis = up
    model, channels = model_of(rig), random_channels(rig)
    world = globals_of(PARENTS, rig.local_transforms(channels))
    rest = np.asarray(rig.skeleton.rest_globals, np.float64)
    turn = np.eye(3) if up == "Y" else np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    away = compose(world, invert(rest))
    file_rest = np.concatenate([np.tile(np.eye(3), (len(rest), 1, 1)), 100 * rest[:, :, 3:]], axis=2)
    file_rest[..., 3] = file_rest[..., 3] @ turn.T
    moved = np.concatenate([turn @ away[..., :3] @ turn.T, (100 * away[..., 3] @ turn.T)[..., None]], axis=-1)
    in_file = compose(moved, file_rest)
    below = PARENTS >= 0
    local, local_rest = in_file.copy(), file_rest.copy()
    local[:, below] = compose(invert(in_file[:, PARENTS[below]]), in_file[:, below])
    local_rest[below] = compose(invert(file_rest[PARENTS[below]]), file_rest[below])
    motion = Motion(list(rig.skeleton.names), PARENTS, local_rest, local, 0.02)
    poses = own_poses(model, motion, {"smile": np.full(len(local), 0.5)})
    expected = rig.sample(channels)[0]
    np.testing.assert_allclose(poses[:, :-1], expected, atol=50 * tolerance["float32"])
    assert (poses[:, -1] == 0.5).all()
    other = local_rest.copy()
    other[3, :, 3] *= 1.5
    assert own_poses(model, replace(motion, rest=other), {}) is None
    assert own_poses(model, replace(motion, joint_names=[f"{name}2" for name in motion.joint_names]), {}) is None
