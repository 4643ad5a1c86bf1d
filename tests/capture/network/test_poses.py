"""Expressions to train on are possible ones, of both sides, with the gestures that detectors lose."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast._formats.live_link.read import BLENDSHAPES
from rigcast.training._capture.poses import CLOSED, GESTURES, TONGUE, solved_shapes, training_poses

NAMES = [name[0].lower() + name[1:] for name in BLENDSHAPES[:52] if name != "CheekPuff"]
NAMES += ["cheekPuffLeft", "cheekPuffRight"]  # as the ICT face has them
PLAIN = [name.lower() for name in NAMES]
COUNT = 6000
ROUNDING = 1e-12
OFTEN = 0.004  # of 25 gestures in a quarter of the rows, the rarest
EVEN = 5.0  # standard deviations of the difference of two counts


def recorded(rows=300):
    """A recording whose left side alone acts: what is on the right must be mirrored."""
    rng = np.random.default_rng(3)
    motion = rng.uniform(0, 1, (rows, len(NAMES))) * (rng.random((rows, len(NAMES))) < 0.3)
    motion[:, [name.endswith("right") for name in PLAIN]] = 0.0
    return motion


@pytest.fixture(scope="module", params=["drawn", "recorded"])
def rows(request):
    motion = recorded() if request.param == "recorded" else None
    return training_poses(NAMES, COUNT, np.random.default_rng(0), motion)


def column(rows, name):
    return rows[:, PLAIN.index(name)]


def test_they_are_weights(rows):
    assert rows.shape == (COUNT, len(NAMES))
    assert rows.min() == 0.0
    assert rows.max() <= 1.0


def test_lips_do_not_tear(rows):
    """mouthClose brings lips of an open jaw together; beyond, they pass through each other."""
    assert (column(rows, "mouthclose") <= CLOSED * column(rows, "jawopen") + ROUNDING).all()
    assert (column(rows, "mouthclose") > 0.2).any()


def test_a_tongue_comes_out_of_an_open_mouth(rows):
    out = column(rows, "tongueout") > 0.05
    assert out.sum() > OFTEN * COUNT
    assert column(rows, "jawopen")[out].min() >= TONGUE - ROUNDING


def test_gaze_rests(rows):
    assert (rows[:, ~solved_shapes(NAMES)] == 0.0).all()
    assert sum(~solved_shapes(NAMES)) == 8


@pytest.mark.parametrize("gesture", GESTURES, ids="+".join)
def test_every_gesture_occurs(rows, gesture):
    on = np.all([column(rows, name) >= 0.3 for name in gesture], axis=0)
    assert on.sum() > OFTEN * COUNT


def test_winks_occur_without_the_other_eye(rows):
    for one, other in (("left", "right"), ("right", "left")):
        wink = (column(rows, f"eyeblink{one}") > 0.5) & (column(rows, f"eyeblink{other}") < 0.1)
        assert wink.sum() > OFTEN * COUNT


@pytest.mark.parametrize("name", [name for name in PLAIN if name.endswith("left") and "look" not in name])
def test_both_sides_occur_equally_often(rows, name):
    """Whichever side a recording has, and however many gestures each side has."""
    other = name.removesuffix("left") + "right"
    left, right = (float((column(rows, one) > 0.3).sum()) for one in (name, other))
    assert left + right > 0
    assert abs(left - right) <= EVEN * np.sqrt(left + right)


def test_a_recording_is_what_most_rows_are_made_of():
    """Shapes that no recording moves come from sparse expressions and gestures alone."""
    still = np.zeros((5, len(NAMES)))
    moving = still.copy()
    moving[:, PLAIN.index("mouthshruglower")] = 1.0
    shares = [
        (column(training_poses(NAMES, COUNT, np.random.default_rng(1), motion), "mouthshruglower") > 0.3).mean()
        for motion in (still, moving)
    ]
    assert shares[1] - shares[0] == pytest.approx(0.55, abs=0.05)  # the share of recorded halves


def test_they_depend_on_the_generator_alone():
    same = [training_poses(NAMES, 50, np.random.default_rng(7), recorded()) for _ in range(2)]
    assert same[0].tobytes() == same[1].tobytes()
    assert not np.array_equal(same[0], training_poses(NAMES, 50, np.random.default_rng(8), recorded()))


def test_a_face_without_a_jaw_is_no_error():
    rows = training_poses(["browDownLeft", "browDownRight"], 40, np.random.default_rng(0))
    assert rows.max() > 0.0
