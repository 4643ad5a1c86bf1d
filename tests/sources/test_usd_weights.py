"""Blend shape animation of USD files as weights."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.exports import write_blendshape_weights
from tests.support.characters.moving_head import face_curves, head_turns, moving_face

pytest.importorskip("pxr.Usd", reason="usd-core is not installed")


@pytest.mark.parametrize("ending", ["usd", "usda", "usdc"])
def test_written_weights_are_read_back(tmp_path, ending):
    face, weights, path = moving_face(), face_curves(7).astype(np.float32), tmp_path / f"w.{ending}"
    write_blendshape_weights(path, face, weights, fps=48.0, transforms=head_turns(7))
    found, rate = rc.sources.load_blendshape_weights(path, face)
    assert rate == 48.0
    np.testing.assert_array_equal(found, weights)


def two_animations(path, rig):
    from pxr import Usd, UsdSkel

    stage = Usd.Stage.CreateNew(str(path))
    for name, value in (("smile", 0.25), ("frown", 0.75)):
        animation = UsdSkel.Animation.Define(stage, f"/{name}")
        animation.CreateBlendShapesAttr(list(rig.shape_names))
        animation.CreateBlendShapeWeightsAttr([value] * rig.num_shapes)
    stage.GetRootLayer().Save()


def test_one_of_several_animations_is_named(tmp_path):
    face = moving_face()
    two_animations(tmp_path / "two.usda", face)
    found, _ = rc.sources.load_blendshape_weights(tmp_path / "two.usda", face, clip="frown")
    np.testing.assert_array_equal(found, np.full((1, face.num_shapes), 0.75, np.float32))


def test_several_animations_need_a_name(tmp_path):
    two_animations(tmp_path / "two.usda", moving_face())
    with pytest.raises(ValueError, match=r"clip is not given for .*two\.usda; it must be one of /smile, /frown"):
        rc.sources.load_blendshape_weights(tmp_path / "two.usda", moving_face())


def test_a_stage_without_blend_shapes_is_refused(tmp_path):
    (tmp_path / "empty.usda").write_text("#usda 1.0\n")
    with pytest.raises(ValueError, match="no animation of the file moves blend shapes"):
        rc.sources.load_blendshape_weights(tmp_path / "empty.usda", moving_face())
