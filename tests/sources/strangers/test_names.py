"""One matching of names for every reader and writer: spellings, prefixes, case, sides; ambiguous ones are refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.matching import match_names, plain_name
from rigcast.errors import InputWarning

SHAPES = ["eyeBlink_L", "eyeBlink_R", "jawOpen", "browInnerUp"]
SPELLINGS = [
    ["eyeBlink_L", "eyeBlink_R", "jawOpen", "browInnerUp"],
    ["eyeBlinkLeft", "eyeBlinkRight", "jawOpen", "browInnerUp"],
    ["EyeBlinkLeft", "EyeBlinkRight", "JawOpen", "BrowInnerUp"],
    ["EYE_BLINK_LEFT", "EYE_BLINK_RIGHT", "JAW_OPEN", "BROW_INNER_UP"],
    ["L_eyeBlink", "R_eyeBlink", "jaw open", "brow-inner-up"],
    ["eyeBlink.L", "eyeBlink.R", "jawOpen", "browInnerUp"],
    ["eyeBlinkL", "eyeBlinkR", "jawOpen", "browInnerUp"],
    ["BS_node.eyeBlinkLeft", "BS_node.eyeBlinkRight", "BS_node.jawOpen", "BS_node.browInnerUp"],
    ["face:eyeBlink_L", "face:eyeBlink_R", "face:jawOpen", "face:browInnerUp"],
    ["A14_Eye_Blink_Left", "A15_Eye_Blink_Right", "A25_Jaw_Open", "A01_Brow_Inner_Up"],
    ["ARKit_eyeBlinkLeft", "ARKit_eyeBlinkRight", "ARKit_jawOpen", "ARKit_browInnerUp"],
    ["LeftEyeBlink", "RightEyeBlink", "JawOpen", "BrowInnerUp"],
    ["eye_L_Blink", "eye_R_Blink", "jaw_open", "brow_inner_up"],
    ["EyeBlink_Lt", "EyeBlink_Rt", "JawOpen", "BrowInnerUp"],
    ["EyeBlink (L)", "EyeBlink (R)", "Jaw Open", "Brow Inner Up"],
    ["EyeBlinkLeft_Mesh", "EyeBlinkRight_Mesh", "JawOpen_Mesh", "BrowInnerUp_Mesh"],
    ["eyeBlinkLeft_0", "eyeBlinkRight_1", "jawOpen_2", "browInnerUp_3"],
    ["Face/EyeBlinkLeft", "Face/EyeBlinkRight", "Face/JawOpen", "Face/BrowInnerUp"],
    [
        "head_blendShape_eyeBlink_L",
        "head_blendShape_eyeBlink_R",
        "head_blendShape_jawOpen",
        "head_blendShape_browInnerUp",
    ],
]


@pytest.mark.parametrize("names", SPELLINGS, ids=lambda names: names[0])
def test_spellings_are_one(names):
    order = [2, 0, 3, 1]
    shuffled = [names[i] for i in order]
    assert match_names(shuffled, SHAPES, "f") == {k: order.index(k) for k in range(4)}
    assert match_names(SHAPES, shuffled, "f") == {order.index(k): k for k in range(4)}


@pytest.mark.parametrize(
    ("names", "shapes"),
    [
        (["EyeBlinkLeft", "eyeblinkleft"], ["eyeBlink_L"]),
        (["jawOpen"], ["JawOpen", "jaw_open"]),
        (["a:jawOpen", "b:jawOpen"], ["c:jawOpen"]),
    ],
)
def test_ambiguous_names_are_refused(names, shapes):
    with pytest.raises(ValueError, match="fit more than one"):
        match_names(names, shapes, "f")


@pytest.mark.parametrize("pattern", ["{}_L", "L_{}", "left_{}", "{}Left"])
def test_a_side_that_all_names_have_is_no_ending(pattern):
    names = [pattern.format(name) for name in ("eyeBlink", "eyeWide", "mouthSmile")]
    with pytest.raises(StopIteration):
        next(iter(match_names(names, [name + "_R" for name in ("eyeBlink", "eyeWide", "mouthSmile")], "f")))


def test_a_name_spelled_alike_comes_first():
    assert match_names(["JawOpen", "jawOpen"], ["jawOpen"], "f") == {0: 1}


def test_a_curve_without_a_side_moves_both():
    assert match_names(["browInnerUp"], ["browInnerUp_L", "browInnerUp_R"], "f") == {0: 0, 1: 0}


def test_names_beyond_ascii_are_kept_apart():
    assert match_names(["口", "目"], ["目", "口"], "f") == {0: 1, 1: 0}
    assert len({plain_name(name) for name in ("口", "目", "été", "ete")}) == 4


def rig(names):
    return rc.BlendshapeRig(
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "f4"),
        np.random.default_rng(0).normal(size=(len(names), 3, 3)).astype("f4"),
        names=names,
        faces=np.array([[0, 1, 2]], "i4"),
    )


@pytest.mark.parametrize("ending", [".npz", ".csv", ".usda", ".glb"])
@pytest.mark.parametrize("names", SPELLINGS[:10], ids=lambda names: names[0])
def test_every_reader_of_curves_matches_them(names, ending, tmp_path):
    if ending == ".usda":
        pytest.importorskip("pxr", reason="usd-core is not installed")
    weights = np.random.default_rng(1).uniform(0.1, 1, (31, 4)).astype("f4")
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        rc.exports.write_blendshape_weights(tmp_path / f"w{ending}", rig(names), weights, fps=30.0)
        got, _ = rc.sources.load_blendshape_weights(tmp_path / f"w{ending}", rig(SHAPES))
    np.testing.assert_allclose(got, weights, atol=1e-6)  # float32 in text


def test_what_fits_nothing_is_named(tmp_path):
    weights = np.ones((2, 2), "f4")
    rc.exports.write_blendshape_weights(tmp_path / "w.npz", rig(["jawOpen", "sneer"]), weights, fps=30.0)
    with pytest.warns(InputWarning) as told:
        rc.sources.load_blendshape_weights(tmp_path / "w.npz", rig(["JawOpen", "puff"]))
    assert [str(warning.message) for warning in told] == [
        "1 of 2 curves move no shape of the rig: sneer",
        "1 of 2 shapes stay at 0, since no curve names them: puff",
    ]
