"""The motion of the head leaves with the weights, in every format, as other readers see it."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender import run_script
from rigcast.exports import write_blendshape_weights
from tests.support.blender import has_wheel
from tests.support.characters.faces import random_curves, small_face
from tests.support.characters.moving_head import head_turns, moved, turn

FRAMES = 6
TO_Z_UP = turn(0, np.pi / 2)  # as Blender has it


def shown(rig, curves, transforms):
    """What every reader must show, in the rig's frame and unit."""
    return moved(rig.evaluate(curves).astype(np.float64), transforms)


@pytest.fixture(params=["Y", "Z", "X"])
def rig(request):
    return small_face(meters_per_unit=0.01, up_axis=request.param)


@pytest.mark.parametrize("scaled", [False, True])
def test_a_glb_moves_its_node(tmp_path, rig, scaled, tolerance):
    curves, head = random_curves(1, FRAMES), head_turns(FRAMES, 100)
    head[:, :, :3] *= np.linspace(1, 2, FRAMES)[:, None, None] if scaled else 1.0
    write_blendshape_weights(tmp_path / "w.glb", rig, curves, fps=24.0, transforms=head)
    seen = rc.sources.load_shot(tmp_path / "w.glb", fps=24.0)
    placed = seen.placed(0.01, rig.up_axis).vertices
    np.testing.assert_allclose(placed, shown(rig, curves, head), atol=50 * tolerance["float32"])


def test_without_motion_a_glb_has_one_track(tmp_path):
    write_blendshape_weights(tmp_path / "w.glb", small_face(), random_curves(1, FRAMES), fps=24.0)
    assert (tmp_path / "w.glb").read_bytes().count(b'"path"') == 1


def test_live_link_has_the_turns_in_radians(tmp_path, tolerance):
    rig, curves = small_face(up_axis="Y"), random_curves(1, FRAMES)
    angles = np.radians([[40, -20, 10], [35, -10, 5], [0, 0, 0], [-5, 3, 2], [1, 2, 3], [170, 0, 0]])
    head = np.zeros((FRAMES, 3, 4))
    head[:, :, :3] = [turn(1, yaw) @ turn(0, pitch) @ turn(2, roll) for yaw, pitch, roll in angles]
    notes = write_blendshape_weights(tmp_path / "w.csv", rig, curves, fps=60.0, transforms=head)
    assert any("none for its place" in note for note in notes)
    with (tmp_path / "w.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream))
    read = [[float(row[name]) for name in ("HeadYaw", "HeadPitch", "HeadRoll")] for row in table]
    np.testing.assert_allclose(read, angles, atol=tolerance["float64_converged"])
    np.testing.assert_array_equal(rc.sources.load_blendshape_weights(tmp_path / "w.csv", rig)[0], curves)


@pytest.mark.parametrize(("axis", "up", "left"), [("Y", 1, (0, 1)), ("Z", 2, (0, 1)), ("X", 0, (1, -1))])
def test_a_head_that_turns_left_has_positive_yaw(axis, up, left, tolerance):
    """Whatever the rig's axes: the face's own left is the way from its middle to a positive turn about up."""
    head = np.zeros((2, 3, 4))
    head[0, :, :3], head[1, :, :3] = np.eye(3), turn(up, 0.3)
    np.testing.assert_allclose(
        np.radians(rc.inverse.head_angles(head, axis)), [[0, 0, 0], [0.3, 0, 0]], atol=tolerance["float64"]
    )
    column, sign = left
    nod = np.stack([np.eye(3, 4), np.hstack([turn(column, 0.2 * sign), np.zeros((3, 1))])])
    assert np.radians(rc.inverse.head_angles(nod, axis))[1, 1] == pytest.approx(0.2)


def test_an_archive_keeps_the_transforms(tmp_path):
    head = head_turns(FRAMES)
    write_blendshape_weights(tmp_path / "w.npz", small_face(), random_curves(1, FRAMES), fps=24.0, transforms=head)
    np.testing.assert_array_equal(np.load(tmp_path / "w.npz")["transforms"], head)


@pytest.mark.parametrize("wrong", [np.zeros((FRAMES, 3, 4)), head_turns(FRAMES) * [1, 2, 1, 1], head_turns(3)])
def test_what_is_no_motion_is_refused(tmp_path, wrong):
    with pytest.raises(ValueError, match="write_blendshape_weights: transforms is"):
        write_blendshape_weights(tmp_path / "w.glb", small_face(), random_curves(1, FRAMES), fps=24.0, transforms=wrong)


@pytest.mark.parametrize("ending", [".usd", ".usda", ".usdc"])
def test_usd_readers_see_shapes_under_a_moving_root(tmp_path, rig, ending, tolerance):
    """By usd-core: neutral plus weighted offsets, put where the root's transform takes them."""
    usd, geometry, skel = (
        pytest.importorskip(f"pxr.{name}", reason="usd-core is not installed") for name in ("Usd", "UsdGeom", "UsdSkel")
    )
    curves, head = random_curves(1, FRAMES), head_turns(FRAMES, 100)
    write_blendshape_weights(tmp_path / f"w{ending}", rig, curves, fps=25.0, transforms=head)
    stage = usd.Stage.Open(str(tmp_path / f"w{ending}"))
    assert stage.GetTimeCodesPerSecond() == 25.0
    assert geometry.GetStageMetersPerUnit(stage) == 0.01
    mesh = geometry.Mesh.Get(stage, "/Head/Face")
    binding = skel.BindingAPI(mesh.GetPrim())
    animation = skel.Animation.Get(stage, "/Head/Animation")
    names = list(animation.GetBlendShapesAttr().Get())
    assert names == list(binding.GetBlendShapesAttr().Get()) == rig.column_names
    targets = [skel.BlendShape.Get(stage, path) for path in binding.GetBlendShapeTargetsRel().GetTargets()]
    frames = []
    for frame in range(FRAMES):
        points = np.array(mesh.GetPointsAttr().Get(), np.float64)
        for weight, target in zip(animation.GetBlendShapeWeightsAttr().Get(frame + 1), targets, strict=True):
            points[np.array(target.GetPointIndicesAttr().Get(), int)] += weight * np.array(
                target.GetOffsetsAttr().Get()
            )
        matrix = np.array(geometry.XformCache(frame + 1).GetLocalToWorldTransform(mesh.GetPrim()))
        frames.append(points @ matrix[:3, :3] + matrix[3, :3])
    expected = shown(rig, curves, head)
    if rig.up_axis == "X":
        expected = expected @ turn(2, np.pi / 2).T
    np.testing.assert_allclose(frames, expected, atol=50 * tolerance["float32"])
    assert skel.Cache().Populate(skel.Root.Get(stage, "/Head"), usd.PrimDefaultPredicate)
    assert str(geometry.GetStageUpAxis(stage)) == ("Z" if rig.up_axis == "Z" else "Y")


def test_a_usd_file_is_read_as_a_shot(tmp_path, tolerance):
    pytest.importorskip("pxr.UsdSkel", reason="usd-core is not installed")
    rig, curves, head = small_face(meters_per_unit=0.01, up_axis="Z"), random_curves(1, FRAMES), head_turns(FRAMES)
    write_blendshape_weights(tmp_path / "w.usda", rig, curves, fps=25.0, transforms=head)
    shot = rc.sources.load_shot(tmp_path / "w.usda")
    np.testing.assert_allclose(shot.vertices, shown(rig, curves, head), atol=50 * tolerance["float32"])
    assert (shot.fps, shot.meters_per_unit, shot.up_axis) == (25.0, 0.01, "Z")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    if not has_wheel():
        pytest.skip("the bpy wheel is not installed; the glTF importer of Debian's Blender 3.4 fails under its NumPy")
    pytest.importorskip("pxr.UsdSkel", reason="usd-core is not installed")
    folder = tmp_path_factory.mktemp("head")
    rig, curves, head = small_face(meters_per_unit=0.01, up_axis="Y"), random_curves(1, FRAMES), head_turns(FRAMES, 100)
    for name in ("face.blend", "face.glb", "face.usda"):
        write_blendshape_weights(folder / name, rig, curves, fps=25.0, transforms=head)
    plain = small_face(combinations=False, meters_per_unit=0.01)  # of shapes alone, as an artist's glb has them
    write_blendshape_weights(folder / "keys.py", plain, curves, fps=25.0, transforms=head)
    rc.exports.write_rig(folder / "rest.glb", plain)
    run_script(Path(__file__).with_name("play_head.py"), [str(folder)])
    expected = {"whole": shown(rig, curves, head) @ TO_Z_UP.T, "plain": shown(plain, curves, head) @ TO_Z_UP.T}
    return dict(np.load(folder / "played.npz")), expected


def test_a_blend_stands_upright_and_moves_its_object(played, tolerance):
    seen, expected = played
    np.testing.assert_allclose(seen["blend"], expected["whole"], atol=tolerance["float32_character"])
    assert seen["fps"] == 25.0


def test_blender_plays_the_glb(played, tolerance):
    seen, expected = played
    np.testing.assert_allclose(seen["glb"], 0.01 * expected["whole"], atol=tolerance["float64_converged"])


def test_blender_plays_the_usd(played, tolerance):
    seen, expected = played
    scale = np.ptp(seen["usd"][0], axis=0).max() / np.ptp(expected["whole"][0], axis=0).max()
    assert scale == pytest.approx(0.01, rel=tolerance["printed"]) or scale == pytest.approx(
        1.0, rel=tolerance["printed"]
    )  # Blender's versions differ
    np.testing.assert_allclose(seen["usd"], scale * expected["whole"], atol=2e-4 * scale)
    assert set(small_face().shape_names) <= set(seen["usd_keys"])


def test_the_script_moves_an_artists_face_wherever_it_stands(played, tolerance):
    seen, expected = played
    np.testing.assert_allclose(
        seen["script"] - [0.5, -0.25, 2.0], 0.01 * expected["plain"], atol=tolerance["float32_scaled"]
    )
