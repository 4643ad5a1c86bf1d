"""Body parts, and which channel is the mirror image of which."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._figures._figure import State, mirrored_row
from rigcast.viewer._figures._opening import figure_of
from rigcast.viewer._sliders import body_part, mirror_pairs, mirrored_name, part_order, side


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("upperarm01.L.rotation_x", "upperarm01.R.rotation_x"),
        ("hand_l", "hand_r"),
        ("L_hand", "R_hand"),
        ("l_hand", "r_hand"),
        ("L.hand", "R.hand"),
        ("browDownLeft", "browDownRight"),
        ("eyeLookInRight", "eyeLookInLeft"),
        ("browDown_L", "browDown_R"),
        ("left_wrist.rx", "right_wrist.rx"),
        ("LeftArm.ry", "RightArm.ry"),
        ("jawOpen", None),
        ("spine03.rotation_z", None),
        ("lowerleg", None),
    ],
)
def test_a_name_has_its_partner_on_the_other_side(name, other):
    assert mirrored_name(name) == other
    assert other is None or mirrored_name(other) == name


def test_sides_are_told_and_pairs_found_left_first():
    names = ["eyeBlinkRight", "jawOpen", "eyeBlinkLeft", "cheekPuffLeft"]
    assert [side(name) for name in names] == ["right", None, "left", "left"]
    assert mirror_pairs(names) == [(2, 0)]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("mouthSmileLeft", "Mouth"),
        ("eyeBlinkLeft", "Eyes"),
        ("lowerleg01.L", "Legs"),
        ("upperarm01.R", "Arms"),
        ("finger2-1.L", "Hands"),
        ("spine03", "Torso"),
        ("b_Tail01_012", "Tail"),
        ("Bone.001", "Other"),
        ("slider.location_x", "Other"),
        ("eyelid.L", "Eyes"),
    ],
)
def test_a_joint_or_shape_belongs_to_a_body_part(name, part):
    assert body_part(name) == part


def test_parts_stand_in_one_order_and_unknown_ones_last():
    assert part_order(["Other", "Legs", "Eyes", "Legs"]) == ["Eyes", "Legs", "Other"]


def two_wings() -> rc.LinearBlendSkinning:
    """Two plates that turn about z at a body in the middle, mirror images in x."""
    side_points = np.array([[1, 0, 0], [2, 0, 0], [2, 1, 0], [1, 1, 0.2]], np.float32)
    vertices = np.concatenate([side_points, side_points * [-1, 1, 1]]).astype(np.float32)
    rest = np.tile(np.eye(3, 4), (3, 1, 1))
    rest[1, 0, 3], rest[2, 0, 3] = 1.0, -1.0
    skeleton = rc.Skeleton(["body", "wing.L", "wing.R"], [-1, 0, 0], rest)
    weights = np.repeat(np.eye(3)[1:], 4, axis=0)
    return rc.LinearBlendSkinning(skeleton, vertices, [[0, 1, 2, 3], [7, 6, 5, 4]], weights)


@pytest.mark.parametrize("source", ["left", "right"])
def test_a_mirrored_pose_is_the_mirror_image(source, tolerance):
    figure = figure_of(two_wings())
    names = [slider.name for slider in figure.sliders]
    row = np.zeros(len(names), np.float32)
    wing = "L" if source == "left" else "R"
    row[names.index(f"wing.{wing}.x")], row[names.index(f"wing.{wing}.z")] = 20.0, 35.0
    vertices = figure.vertices(State(mirrored_row(figure, row, source)))
    assert vertices[4:] == pytest.approx(vertices[:4] * [-1, 1, 1], abs=tolerance["float32"])
    assert not np.allclose(vertices, figure.rest_vertices)


def test_a_pose_at_rest_stays():
    figure = figure_of(two_wings())
    row = np.zeros(len(figure.sliders), np.float32)
    assert np.array_equal(mirrored_row(figure, row, "left"), row)
