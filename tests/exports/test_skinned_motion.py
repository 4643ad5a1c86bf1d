"""Characters with joints leave as skeleton, weights and clip, and come back as they were, right side out."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.motions.moving_mesh import turn_between
from rigcast._rigs.rotations import euler_to_matrix
from rigcast.exports import Playback, write_motion, write_vertices
from rigcast.sources import Facts, Joints, RigChannel, Skin, SkinnedRig
from tests.support.characters.surfaces import two_parts
from tests.support.made.skinning import bent, bumpy_tube, tube

FPS = 24.0
SAME = 1e-5  # of the size: files hold float32
PRINTED = 0.01  # three digits of a note
FORMATS = ("glb", "usda", "usdc")
STRETCH = np.diag([0.01, 0.01, 0.01])
MIRROR = np.diag([-1.0, 1.0, 1.0])


def character(meters=1.0, up="Y", rest=None, parents=(-1, 0, 1)):
    """The tube as a rig whose joints all turn and whose root walks, in another unit and other axes."""
    skeleton, vertices, faces, weights = tube()
    turn = turn_between("Y", up) / meters
    local = np.array(skeleton.rest, np.float64)
    local[1:, 1, 3] = 1.0
    if rest is not None:  # joints that rest in axes of their own, with the same places
        world = np.tile(np.eye(3, 4), (3, 1, 1))
        world[:, :, :3], world[:, 1, 3] = rest, [0, 1, 2]
        local = relative(world, np.array(parents))
    elif parents != (-1, 0, 1):
        local[:, 1, 3] = [0, 1, 2]
    roots = np.array(parents) < 0
    local[..., 3] /= meters
    local[roots] = turn_between("Y", up) @ local[roots]
    kinds = [(letter, kind) for letter, kind in (("r", "rotate"), ("t", "translate")) for _ in "x"]
    channels = [
        RigChannel(f"{name}.{letter}{axis}", f"{kind}_{axis}", joint, -90.0, 90.0)
        for joint, name in enumerate(("hip", "my knee", "足"))
        for letter, kind in kinds
        for axis in "xyz"
    ]
    skin = Skin(np.tile(np.arange(3), (len(vertices), 1)), weights)
    joints = Joints(["hip", "my knee", "足"], np.array(parents, np.int32), local)
    return SkinnedRig(
        vertices @ turn.T,
        faces,
        joints,
        skin=skin,
        channels=channels,
        morphs=[],
        facts=Facts("a tube", meters, up, "CC0"),
    )


def relative(world, parents):
    from rigcast._rigs.rotations import compose, invert

    return np.array([w if p < 0 else compose(invert(world[p]), w) for w, p in zip(world, parents, strict=True)])


def walk(rig, frames=7):
    rows = np.zeros((frames, len(rig.channel_names)))
    turned = [place for place, name in enumerate(rig.channel_names) if ".r" in name]
    rows[:, turned] = np.random.default_rng(2).uniform(-60, 60, (frames, len(turned)))
    rows[:, rig.channel_names.index("hip.tx")] = np.linspace(0, 3, frames)
    return rows


TURNED = euler_to_matrix([[20, 40, -60], [10, 0, 0], [0, -90, 30]], "XYZ")
CHARACTERS = {
    "plain": character,
    "centimeters, z up": lambda: character(0.01, "Z"),
    "x up": lambda: character(up="X"),
    "askew": lambda: character(rest=TURNED),
    "stretched at rest": lambda: character(rest=TURNED @ STRETCH),
    "mirrored at rest": lambda: character(rest=TURNED @ MIRROR),
    "two roots": lambda: character(parents=(-1, 0, -1)),
    "morphs": rc.sources.example_body,
}


def rows_of(rig):
    random = np.random.default_rng(3)
    return walk(rig) if rig.name == "a tube" else random.uniform(*rig.channel_ranges.T, (7, len(rig.channel_names)))


def in_axes_of_the_file(rig, vertices, form):
    """Vertices as a shot of the file has them: glTF in meters with y up, USD as it is, with x up turned to y."""
    axis = "Y" if form == "glb" or rig.up_axis == "X" else rig.up_axis
    unit = 1.0 if form == "glb" else rig.meters_per_unit
    return rig.meters_per_unit / unit * np.asarray(vertices, np.float64) @ turn_between(rig.up_axis, axis).T


def volume(vertices, faces):
    """Six times the signed volume under triangles and quads."""
    found = 0.0
    for corners in ([0, 1, 2], [0, 2, 3]):
        chosen = faces[faces[:, corners[-1]] >= 0] if faces.shape[1] == 4 or corners[-1] == 2 else faces[:0]
        found += np.linalg.det(vertices[chosen[:, corners]]).sum() if len(chosen) else 0.0
    return found


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", CHARACTERS)
def test_a_clip_comes_back(name, form, tmp_path):
    if form != "glb":
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    rig = CHARACTERS[name]()
    rows = rows_of(rig)
    poses, vertices = rig.sample(rows)
    path = tmp_path / f"walk.{form}"
    assert write_motion(path, rig, rows, fps=FPS) == []
    expected = in_axes_of_the_file(rig, vertices, form)
    shot = rc.sources.load_shot(path)
    assert shot.fps == FPS
    size = np.linalg.norm(np.ptp(expected[0], axis=0))
    np.testing.assert_allclose(shot.vertices, expected, atol=SAME * size)
    enclosed = volume(expected[0], rig.faces)
    assert volume(shot.vertices[0].astype(float), shot.faces) == pytest.approx(enclosed, rel=10 * SAME)
    motion = rc.sources.load_motion(path)
    assert (sorted(motion.joint_names), motion.fps) == (sorted(rig.joints.names), FPS)
    own = [motion.joint_names.index(joint) for joint in rig.joints.names]
    places = in_axes_of_the_file(rig, rc.Skeleton.globals(rig.skeleton, poses[:, :36])[..., 3], form)
    np.testing.assert_allclose(motion.globals()[:, own][..., 3], places, atol=SAME * size)


def test_a_glb_of_a_character_is_one_with_its_clip(tmp_path):
    rig = character()
    rows = walk(rig)
    write_motion(tmp_path / "walk.glb", rig, rows, fps=FPS)
    back = rc.sources.load(tmp_path / "walk.glb")
    assert (list(back.clips), back.licence, list(back.morphs)) == (["motion"], "CC0", [])
    poses, _ = back.sample_clip("motion")
    np.testing.assert_allclose(poses, rig.sample(rows)[0], atol=SAME)


def test_what_rests_has_no_keys_and_what_stays_away_from_rest_has_two(tmp_path):
    rig = character()
    rows = np.zeros((50, len(rig.channel_names)))
    rows[:, rig.channel_names.index("my knee.rx")] = 30.0
    write_motion(tmp_path / "still.glb", rig, rows, fps=FPS)
    blob = (tmp_path / "still.glb").read_bytes()
    content = json.loads(blob[20 : 20 + int.from_bytes(blob[12:16], "little")])
    (clip,) = content["animations"]
    counts = {
        (channel["target"]["node"], channel["target"]["path"]): content["accessors"][
            clip["samplers"][channel["sampler"]]["input"]
        ]["count"]
        for channel in clip["channels"]
    }
    assert counts == {(0, "rotation"): 50, (1, "rotation"): 2}
    assert len(rc.sources.load_motion(tmp_path / "still.glb")) == 50


@pytest.mark.parametrize("form", FORMATS)
def test_parts_are_meshes_of_one_skin(form, tmp_path):
    if form != "glb":
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    from tests.support.characters.surfaces import FACES

    joints = Joints(["a", "b"], np.array([-1, 0]), np.tile(np.eye(3, 4), (2, 1, 1)))
    skin = Skin(np.tile([0, 1], (10, 1)), np.random.default_rng(0).dirichlet([1, 1], 10))
    rest = np.random.default_rng(1).normal(size=(10, 3))
    channels = [RigChannel("b.rx", "rotate_x", 1, -90.0, 90.0)]
    rig = SkinnedRig(
        rest, FACES, joints, skin=skin, channels=channels, morphs=[], facts=Facts("creature"), surface=two_parts()
    )
    rows = np.linspace(0, 80, 5)[:, None]
    notes = write_motion(tmp_path / f"parts.{form}", rig, rows, fps=FPS)
    assert all("texture coordinates" in note for note in notes)
    truth = rig.sample(rows)[1]
    if form == "glb":
        found = rc.sources.load(tmp_path / "parts.glb")
        assert found.surface.parts == ["the body", "eyes"]
        kept = [found.surface.vertices_of(part)[:5] for part in found.surface.parts]
        moved = found.sample_clip("motion")[1]
        np.testing.assert_allclose(moved[:, np.concatenate(kept)], truth, atol=SAME * 5)
        return
    for prim, own in (("the_body", slice(0, 5)), ("eyes", slice(5, 10))):
        shot = rc.sources.load_shot(tmp_path / f"parts.{form}", mesh=prim)
        np.testing.assert_allclose(shot.vertices, truth[:, own], atol=SAME * 5)


MODELS = {
    "linear": (rc.LinearBlendSkinning, True),
    "dual quaternions": (rc.DualQuaternionSkinning, False),
    "delta mush": (rc.DeltaMush, False),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_a_model_adds_to_linear_skinning_is_left_out_and_said(name, tmp_path):
    make, exact = MODELS[name]
    model = bumpy_tube(make, metadata={"meters_per_unit": 0.01, "up_axis": "Z", "name": "hose"})
    poses = bent(model)
    notes = write_vertices(
        tmp_path / "hose.glb", Playback(model, poses), model.faces, fps=FPS, meters_per_unit=0.01, up_axis="Z"
    )
    shot = rc.sources.load_shot(tmp_path / "hose.glb")
    truth = 0.01 * model.evaluate(poses)[..., [0, 2, 1]] * [1, 1, -1]
    miss = np.linalg.norm(shot.vertices - truth, axis=2)
    if exact:
        assert notes == []
        assert miss.max() < 1e-7
        return
    (note,) = notes
    words = note.split()
    assert float(words[words.index("average,") + 1]) == pytest.approx(miss.max(), rel=PRINTED)
    assert float(words[words.index("by") + 1]) == pytest.approx(miss.mean(), rel=PRINTED)
    assert "units of 1 m" in note


@pytest.mark.parametrize(
    ("options", "kind"), [({}, "skins"), ({"as_vertices": True}, "targets"), ({"max_error": 1e-6}, "targets")]
)
def test_vertices_are_written_if_asked_for_or_if_joints_miss_too_much(options, kind, tmp_path):
    model = bumpy_tube(rc.DeltaMush)
    notes = write_vertices(tmp_path / "a.glb", Playback(model, bent(model)), model.faces, fps=FPS, **options)
    content = (tmp_path / "a.glb").read_bytes()
    assert (b'"skins"' in content, b'"targets"' in content) == (kind == "skins", kind == "targets")
    assert any("holds no joints" in note for note in notes) == ("max_error" in options)


@pytest.mark.parametrize(
    ("name", "thing", "message"),
    [
        ("a.obj", character, "it must be a file that ends in .bvh, .glb"),
        ("a.glb", rc.faces.example, "BlendshapeRig without skeleton"),
    ],
)
def test_wrong_calls_are_refused(name, thing, message, tmp_path):
    made = thing()
    with pytest.raises(ValueError, match=message):
        write_motion(tmp_path / name, made, np.zeros((2, 27)), fps=FPS)
