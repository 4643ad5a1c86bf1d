"""Errors of gaps by hand: lips that never meet, lids that stay shut."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.faces._ict import landmarks

PAIRS = [[0, 1], [2, 3]]


def mouth(*gaps):
    """(T, 4, 3): two pairs, both open by the gap of the frame."""
    frames = np.zeros((len(gaps), 4, 3))
    frames[:, [0, 2], 1] = np.array(gaps)[:, None]
    frames[:, 2:, 0] = 1.0
    return frames


def test_the_figures_of_a_short_clip(tolerance):
    truth, guess = mouth(0.0, 0.0, 0.5, 1.0), mouth(0.0, 0.3, 0.5, 0.05)
    found = rc.perception.aperture_error(truth, guess, PAIRS, closed_below=0.1)
    assert (found.closed, found.missed, found.false) == (2, 1, 1)
    np.testing.assert_allclose(found.per_frame, [0.0, 0.3, 0.0, 0.95], atol=tolerance["float64"])
    assert found.mean == pytest.approx(1.25 / 4)
    assert found.max == pytest.approx(0.95)


def test_a_shift_of_the_head_costs_nothing(tolerance):
    truth = mouth(0.0, 0.4)
    found = rc.perception.aperture_error(truth, np.add(truth, [3.0, 1.0, -2.0]), PAIRS, closed_below=0.1)
    assert found.max < tolerance["float64"]
    assert found.missed == found.false == 0


def test_the_pairs_of_both_regions():
    marks = np.arange(68) * 10
    assert rc.perception.aperture_pairs("lips", marks).tolist() == [[610, 670], [620, 660], [630, 650]]
    assert rc.perception.aperture_pairs("lids", marks).shape == (4, 2)


def test_the_lids_of_the_ict_face_close_when_it_blinks(data_path):
    folder = data_path("ict_facekit")
    rig = rc.faces.ict(folder)
    blink = np.isin(rig.shape_names, ["eyeBlink_L", "eyeBlink_R"]).astype(float)
    truth = rig.evaluate(np.outer([0.0, 1.0], blink))
    pairs = rc.perception.aperture_pairs("lids", landmarks(folder))
    found = rc.perception.aperture_error(truth, truth[[0, 0]], pairs, closed_below=0.35)  # centimeters
    assert (found.closed, found.missed) == (1, 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pairs": [[0, 4]]}, "pairs"),
        ({"pairs": np.zeros((0, 2), int)}, "pairs"),
        ({"closed_below": -1.0}, "closed_below"),
        ({"approximation": mouth(0.0)}, "approximation"),
    ],
)
def test_wrong_input_is_named(change, words):
    given = {"truth": mouth(0.0, 1.0), "approximation": mouth(0.0, 1.0), "pairs": PAIRS, "closed_below": 0.1} | change
    with pytest.raises(ValueError, match=words):
        rc.perception.aperture_error(**given)


def test_a_region_that_is_none_is_named():
    with pytest.raises(ValueError, match="one of: lips, lids"):
        rc.perception.aperture_pairs("ears", np.arange(68))
