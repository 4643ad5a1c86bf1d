"""What a model says of itself in one line."""

from __future__ import annotations

import rigcast as rc
from tests.support.characters.faces import small_face
from tests.support.made.models import linear_blend


def test_a_blendshape_rig_in_one_line():
    rig = small_face(constructed=["jawOpen"])
    line = repr(rig)
    assert line.startswith("<rigcast.BlendshapeRig 'small face': 6 shapes, 3 combinations, 1 of them constructed, ")
    assert line.endswith(f"30 vertices, {rig.nbytes / 1e3:.3g} kB as float32>")
    assert "combination" not in repr(small_face(combinations=False))


def test_a_skinned_model_and_its_skeleton_in_one_line():
    model = linear_blend(num_joints=5, num_vertices=1234)
    name = model.metadata["name"]
    assert repr(model) == f"<rigcast.LinearBlendSkinning {name!r}: 5 joints, 1,234 vertices>"
    assert repr(model.skeleton) == "<rigcast.Skeleton: 5 joints>"


def test_a_model_without_a_name():
    rig = rc.BlendshapeRig([[0.0, 0.0, 0.0]], [[[1.0, 0.0, 0.0]]])
    assert repr(rig).startswith("<rigcast.BlendshapeRig: 1 shape, 1 vertex, ")
