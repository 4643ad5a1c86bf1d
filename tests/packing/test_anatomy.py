"""Shapes that a person cannot do together stand apart, and eyes look in one direction."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.transfer._packing.anatomy import gaze_pairs, opposed_pairs
from tests.cli.command import json_of

PARTED, OPPOSED, SHARED = "the eyes would part", "opposite motions", "they need the same lips or lids"
APART = [
    ("eyeLookOut_L", "eyeLookOut_R", PARTED),
    ("eyeLookInLeft", "eyeLookInRight", PARTED),
    ("EyeLookUpLeft", "EyeLookDownRight", PARTED),
    ("eye_look_up_l", "eye_look_out_r", PARTED),
    ("eyeLookLeftL", "eyeLookRightR", PARTED),
    ("eyesLookLeft", "eyeLookUp_R", PARTED),
    ("eyeLookUp_L", "eyeLookDown_L", OPPOSED),
    ("eyeLookOut_L", "eyeLookIn_L", OPPOSED),
    ("jawLeft", "jawRight", OPPOSED),
    ("jaw-drive-left", "jaw-drive-right", OPPOSED),
    ("mouthLeft", "mouthRight", OPPOSED),
    ("jawForward", "jawBack", OPPOSED),
    ("eyeBlink_L", "eyeWide_L", OPPOSED),
    ("browOuterUp_L", "browOuterDown_L", OPPOSED),
    ("mouthSmileLeft", "mouthFrownLeft", OPPOSED),
    ("mouthPucker", "mouthStretch_R", OPPOSED),
    ("cheekPuff", "cheekSuck", OPPOSED),
    ("cheekPuff_L", "jawOpen", SHARED),
    ("eyeBlink_R", "eyeLookDown_R", SHARED),
]
TOGETHER = [
    ("eyeLookOut_L", "eyeLookIn_R"),
    ("eyeLookUp_L", "eyeLookUp_R"),
    ("eyeLookLeftL", "eyeLookLeftR"),
    ("eyesLookUp", "eyeLookUp_L"),
    ("browDown_L", "browDown_R"),
    ("eye-left-closure", "eye-right-closure"),
    ("left_smile", "right_frown"),
    ("browInnerUp", "browDown_L"),
    ("mouthUpperUp_L", "mouthLowerDown_L"),
    ("mouthRollUpper", "mouthRollLower"),
    ("jawOpen", "jawLeft"),
    ("eyeBlink_L", "eyeWide_R"),
    ("shape0", "shape1"),
    ("", "___"),
]


@pytest.mark.parametrize(("one", "other", "reason"), APART)
def test_what_a_person_cannot_do_together_is_told_by_names(one, other, reason):
    assert opposed_pairs([one, other]) == opposed_pairs([other, one]) == [(0, 1, reason)]


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_what_a_person_can_do_together_is_not(one, other):
    assert opposed_pairs([one, other]) == []


NAMES = ["eyeLookOut_L", "eyeLookOut_R", "eyeLookIn_L", "eyeLookIn_R", "eyeLookUp_L", "jawOpen"]


def test_both_eyes_look_in_one_direction():
    assert [(NAMES[p.first], NAMES[p.second]) for p in gaze_pairs(NAMES)] == [
        ("eyeLookOut_L", "eyeLookIn_R"),
        ("eyeLookOut_R", "eyeLookIn_L"),
    ]


@pytest.fixture(scope="module")
def eyes():
    """Two plates, mirrored, that move out and in; a third one between them goes left, right and up."""
    square = np.float32([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.2]])
    aside = np.float32([2, 0, 0])
    left, right = square + aside, square * [-1, 1, 1] - aside
    neutral = np.concatenate([left, right, (square - [0.5, 0, 0]) * [1, 1, 0] - [0, 4, 0]]).astype(np.float32)
    faces = [[0, 1, 2, 3], [4, 7, 6, 5], [8, 9, 10, 11]]
    moves = {
        "eyeLookOut_L": (0, [1, 0, 0]),
        "eyeLookIn_L": (0, [-1, 0, 0]),
        "eyeLookOut_R": (4, [-1, 0, 0]),
        "eyeLookIn_R": (4, [1, 0, 0]),
    }
    deltas = np.zeros((len(moves) + 2, 12, 3), np.float32)
    for row, (start, way) in zip(deltas, moves.values(), strict=False):
        row[start : start + 4] = way
    deltas[4, 8:10, 0], deltas[5, 10:, 0] = 1, -1  # by vertices alone they could stand together
    return rc.BlendshapeRig(neutral, deltas, names=[*moves, "jawLeft", "jawRight"], faces=faces)


def planned(rig, **options):
    shapes = rig.evaluate(np.eye(rig.num_shapes, dtype=np.float32))
    plan = rc.transfer.pack_expressions(rig.rest_vertices, shapes, rig.faces, names=rig.shape_names, **options)
    return {frozenset(plan.names[k] for k in shapes) for shapes in plan.expressions}


def test_a_plan_asks_for_coherent_gazes(eyes):
    for expression in planned(eyes):
        looks = sorted(name for name in expression if name.startswith("eye"))
        assert looks in (["eyeLookIn_L", "eyeLookOut_R"], ["eyeLookIn_R", "eyeLookOut_L"], [])
        assert not expression >= {"jawLeft", "jawRight"}


def test_without_anatomy_shapes_are_vertices(eyes):
    found = planned(eyes, anatomy=False)
    assert any(expression >= {"eyeLookOut_L", "eyeLookOut_R", "jawLeft", "jawRight"} for expression in found)


def test_the_command_names_what_it_keeps_apart(eyes, tmp_path):
    eyes.save(tmp_path / "eyes.safetensors")
    told = json_of("pack", "eyes.safetensors", "-o", "plan.json", folder=tmp_path)
    assert ["jawLeft", "jawRight", OPPOSED] in told["kept_apart"]
    free = json_of("pack", "eyes.safetensors", "-o", "free.json", "--no-anatomy", folder=tmp_path)
    assert free["kept_apart"] == []
