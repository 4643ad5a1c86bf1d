"""What was posed, read back from the files that the view writes."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._export import Snapshot, written
from rigcast.viewer._staging import stage_of
from tests.support.blender import has_blender
from tests.support.characters.plain_face import plain_face
from tests.view.page_messages import page_messages
from tests.view.stage.posed import skinned_arm

FRAMES, FPS = 4, 30.0
PLAY = Path(__file__).with_name("play_blend.py")


def keyed(model):
    """A stage whose channels go from rest to a pose, its vertices (T, V, 3) and its pose rows."""
    stage = stage_of(model, fps=FPS)
    stage.step(
        page_messages({"type": "frames", "frames": FRAMES}, {"type": "key"}, {"type": "seek", "at": FRAMES - 1}), 0.0
    )
    for channel, slider in enumerate(stage.figure.sliders[:3]):
        stage.step(page_messages({"type": "set", "channel": channel, "value": 0.3 * slider.high, "done": True}), 0.0)
    stage.step(page_messages({"type": "key"}), 0.0)
    states = Snapshot.of(stage).states
    return stage, np.array([stage.figure.vertices(s) for s in states]), np.array([stage.figure.pose(s) for s in states])


def exported(stage, form, folder):
    """The file, or the first one of an archive, in a folder."""
    name, content = written(Snapshot.of(stage), form)
    folder.mkdir(exist_ok=True)
    if not name.endswith(".zip"):
        (folder / name).write_bytes(content.tobytes())
        return folder / name
    with zipfile.ZipFile(io.BytesIO(content.tobytes())) as archive:
        archive.extractall(folder)
        return folder / next(inside for inside in archive.namelist() if inside.endswith(form))


@pytest.mark.parametrize("make", [skinned_arm, plain_face])
def test_npz_has_poses_and_channels_of_every_frame(make, tmp_path):
    stage, vertices, poses = keyed(make())
    with np.load(exported(stage, "npz", tmp_path)) as archive:
        assert np.array_equal(archive["poses"], poses)
        assert archive["names"].tolist() == [slider.name for slider in stage.figure.sliders]
        assert archive["fps"] == FPS
        assert np.array_equal(stage.figure.model.evaluate(archive["poses"]), vertices)


def test_bvh_moves_the_joints_as_the_poses_do(tmp_path, tolerance):
    stage, _, poses = keyed(skinned_arm())
    motion = rc.sources.load_bvh(exported(stage, "bvh", tmp_path)).motion()
    model = stage.figure.model
    found = motion.globals()[..., 3][:, [motion.joint_names.index(name) for name in model.joint_names]]
    expected = model.skeleton.globals(poses)[..., 3]
    assert np.ptp(expected[:, -1], axis=0).max() > 0.01
    assert found == pytest.approx(expected, abs=tolerance["printed"])
    assert motion.frame_time == pytest.approx(1 / FPS)


@pytest.mark.parametrize("make", [skinned_arm, plain_face])
def test_glb_moves_the_mesh_alike(make, tmp_path, tolerance):
    stage, vertices, _ = keyed(make())
    path = exported(stage, "glb", tmp_path)
    shot = rc.sources.load_shot(path, fps=FPS)
    assert np.asarray(shot.vertices) == pytest.approx(vertices, abs=tolerance["printed"] * stage.colors.size)


def test_blend_plays_in_blender_as_it_did_in_the_view(tmp_path, tolerance):
    if not has_blender():
        pytest.skip("neither the bpy wheel nor a blender executable is installed")
    from rigcast._formats.blender import run_script

    expected = {}
    for make in (skinned_arm, plain_face):
        stage, vertices, _ = keyed(make())
        stage.figure.name = make.__name__
        exported(stage, "blend", tmp_path)
        expected[make.__name__] = vertices, stage
    run_script(PLAY, [str(tmp_path), str(FRAMES)])
    with np.load(tmp_path / "seen.npz") as seen:
        for name, (vertices, stage) in expected.items():
            upright = vertices[..., [0, 2, 1]] * [1, -1, 1]  # y up becomes z up
            scale = np.linalg.norm(np.ptp(seen[name][0], axis=0)) / stage.colors.size
            assert seen[name] == pytest.approx(scale * upright, abs=tolerance["printed"] * stage.colors.size)
            assert seen[f"{name} fps"] == pytest.approx(FPS)


def test_without_keys_the_pose_that_stands_is_written(tmp_path):
    stage = stage_of(plain_face())
    stage.step(page_messages({"type": "set", "channel": 0, "value": 0.5, "done": True}), 0.0)
    with np.load(exported(stage, "npz", tmp_path)) as archive:
        assert archive["channels"][:, 0].tolist() == [0.5]
