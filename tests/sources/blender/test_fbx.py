"""FBX, through Blender's importer: character, face, motion and shot are those of the .blend that it came from."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from rigcast.errors import InputWarning

CLOSE = 1e-5  # of a tube of height 3: FBX has float64, Blender's scale of 0.01 and back float32


@pytest.fixture
def files(host):
    if not (host.folder / "tube.fbx").is_file():
        pytest.skip("this Blender was built without FBX")
    return host


@pytest.fixture
def played(files):
    with files.open("fbx", ranges="actions") as rig:
        return rig.played("wag")[1]


def load(host, name, **options):
    return rc.sources.load(host.folder / name, blender=host.blender, **options)


def test_a_character_is_read(files, played):
    with load(files, "tube.fbx", ranges="actions") as rig:
        action = next(name for name in rig.actions if not name.startswith("Key"))  # some importers key shapes apart
        assert rig.channel_names == ["bone1.rotation_x", "shape.wide"]
        assert rig.origin == "tube.fbx"
        assert any("knows no constraints of the file" in note for note in rig.notes)
        np.testing.assert_allclose(rig.played(action)[1], played, atol=CLOSE)


def test_a_face_and_a_mesh_are_read(files):
    options = {"blender": files.blender}
    face = rc.sources.load_blendshapes(files.folder / "tube.fbx", **options)
    same = rc.sources.load_blendshapes(files.folder / "fbx.blend", **options)
    assert face.shape_names == same.shape_names == ["wide"]
    np.testing.assert_allclose(face.columns(), same.columns(), atol=CLOSE)
    if files.blender is None:
        assert len(rc.sources.load_mesh(files.folder / "tube.fbx").faces) == len(same.faces)


def test_a_shot_is_read(files, played):
    with load(files, "tube.fbx", ranges="actions") as rig:
        clip = next(name for name in rig.actions if not name.startswith("Key"))
    with pytest.warns(InputWarning, match="polygons became triangles"):
        shot = rc.sources.load_shot(files.folder / "tube.fbx", blender=files.blender, clip=clip)
    assert (shot.fps, shot.up_axis) == (24.0, "Y")
    np.testing.assert_allclose(shot.placed(1.0, "Z").vertices, played, atol=CLOSE)


def test_motion_without_a_mesh_is_retargeted(files, played, tmp_path, capsys):
    if files.blender is not None:
        pytest.skip("the command would look for the wheel")
    motion = load(files, "motion.fbx").motion()
    assert (motion.joint_names, len(motion)) == (["bone0", "bone1", "bone2"], 25)
    arguments = [
        "sample",
        str(files.folder / "fbx.blend"),
        "--ranges",
        "60",
        "--motion",
        str(files.folder / "motion.fbx"),
    ]
    assert main([*arguments, "-o", str(tmp_path / "set.rwdata"), "--probe", "0"]) == 0
    assert "3 joints mapped" in capsys.readouterr().out
    found = rc.Dataset(tmp_path / "set.rwdata")
    np.testing.assert_allclose(np.asarray(found.vertices[:25]), played, atol=100 * CLOSE)  # angles of float32


@pytest.mark.parametrize("content", [b"", b"; FBX 7.4.0 project file", b"Kaydara FBX Binary  \0"])
def test_what_is_none_is_refused_with_its_name(files, content, tmp_path):
    (tmp_path / "bad.fbx").write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.fbx"):
        rc.sources.load(tmp_path / "bad.fbx", blender=files.blender)
