"""Shape-key actions, made by Blender and read back from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender import run_script
from rigcast.exports import write_blendshape_weights
from tests.support.blender import has_blender
from tests.support.characters.faces import random_curves, small_face

RUN_KEYS = Path(__file__).with_name("run_keys.py")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    if not has_blender():
        pytest.skip("neither the bpy wheel nor a blender executable is installed")
    folder = tmp_path_factory.mktemp("blend")
    names = ["fix.lips", "a name that Blender has no room for: " + "é" * 20, "raised"]
    rig, curves = small_face(meters_per_unit=0.01, combination_names=names), random_curves(1, 6)
    write_blendshape_weights(folder / "face.blend", rig, curves, fps=25.0)
    return folder, rig, curves


def test_a_blend_holds_shapes_combinations_and_action(written, tolerance):
    folder, rig, curves = written
    again = rc.sources.load_blendshapes(folder / "face.blend")
    assert again.shape_names == rig.shape_names
    assert again.column_names == [*rig.shape_names, "fix.lips", "combination 1", "raised"]
    assert again.metadata["meters_per_unit"] == pytest.approx(0.01)
    np.testing.assert_allclose(again.bounds, rig.bounds)
    np.testing.assert_allclose(again.activations(curves), rig.activations(curves), atol=tolerance["float32"])
    upright = rig.evaluate(curves)[..., [0, 2, 1]] * [1, -1, 1]  # y up becomes z up
    np.testing.assert_allclose(again.evaluate(curves), upright, atol=10 * tolerance["float32"])
    assert {tuple(face) for face in again.faces.tolist()} == {tuple(face) for face in rig.faces.tolist()}
    keys, rate = rc.sources.load_blendshape_weights(folder / "face.blend", rig)
    np.testing.assert_allclose(keys, curves, atol=tolerance["float32"])
    assert rate == pytest.approx(25.0)


def test_the_script_keys_an_artists_own_file(written, tolerance):
    folder, rig, _ = written
    other = random_curves(2, 4)
    write_blendshape_weights(folder / "keys.py", rig, other, fps=48.0)
    run_script(RUN_KEYS, [str(folder)])
    keys, rate = rc.sources.load_blendshape_weights(folder / "keyed.blend", rig)
    np.testing.assert_allclose(keys, other, atol=tolerance["float32"])
    assert rate == pytest.approx(48.0)
    with pytest.raises(ValueError, match="action"):
        rc.sources.load_blendshape_weights(folder / "keyed.blend", rig, action="nothing of that name")


def test_a_rig_is_written_without_keys(written, tolerance):
    folder, rig, curves = written
    rc.exports.write_rig(folder / "rig.blend", rig)
    again = rc.sources.load_blendshapes(folder / "rig.blend")
    upright = rig.evaluate(curves)[..., [0, 2, 1]] * [1, -1, 1]
    np.testing.assert_allclose(again.evaluate(curves), upright, atol=10 * tolerance["float32"])
    with pytest.raises(ValueError, match="action"):
        rc.sources.load_blendshape_weights(folder / "rig.blend", rig)
