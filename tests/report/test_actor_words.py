"""Names of shapes as an actor reads them."""

from __future__ import annotations

import pytest

from rigcast.report._sheet.contact_sheet import movement


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["browOuterUp_L", "browOuterUp_R"], "Brow outer up, left and right"),
        (["eye-left-closure", "eye-right-closure"], "Eye closure, left and right"),
        (["eyes.closed.R", "eyes.closed.L"], "Eyes closed, left and right"),
        (["cheekSquintLeft", "cheekSquintRight"], "Cheek squint, left and right"),
        (
            ["browInnerUp_L", "browInnerUp_R", "eyeBlink_L", "eyeBlink_R"],
            "Brow inner up, left and right + Eye blink, left and right",
        ),
        (["mouthLeft"], "Mouth left"),
        (["eyeLookOut_L", "eyeLookIn_R", "jawOpen"], "Both eyes look left + Jaw open"),
        (["eyeLookUp_L", "eyeLookUp_R"], "Eye look up, left and right"),
        (["eyeLookIn_L"], "Eye look in, left"),
        (["mouth_parling", "nose_depression"], "Mouth parling + Nose depression"),
        (["smile_L", "smile_L2"], "Smile, left + Smile L2"),
        (["viseme_CH"], "Viseme CH"),
        (["left", "right"], "Left + Right"),
        (["___"], "___"),
        ([""], ""),
    ],
)
def test_movements_in_words(names, words):
    assert movement(names) == words
