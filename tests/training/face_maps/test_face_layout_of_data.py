"""The layout of a data set: masks from its probe, notes, refinement squares, the picture."""

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._face_maps._layout.influence import moved_by
from tests.training.laid_face import CONTROLS, LaidData


@pytest.fixture(scope="module")
def data():
    return LaidData()


@pytest.fixture(scope="module")
def layout(data):
    return rc.training.face_layout(data, resolution=6, fields=1)


def test_masks_are_what_the_probe_shows(data):
    masks, _ = moved_by(data)
    expected = data.face.masks.copy()
    expected[expected.any(axis=1), CONTROLS - 1] = True  # varies, and moves nothing in the probe: see the next test
    np.testing.assert_array_equal(masks, expected)


def test_a_control_that_the_probe_does_not_show_is_said(data):
    _, notes = moved_by(data)
    assert notes[0].startswith("1 controls vary, but move nothing from the probe's base poses")
    assert notes[0].endswith("idle.")


def test_a_control_that_never_varies_is_no_input(data):
    still = LaidData()
    still.poses[:, 1] = 0.5
    masks, _ = moved_by(still)
    assert not masks[:, 1].any()


def test_without_a_probe_every_varying_control_is_an_input():
    masks, notes = moved_by(LaidData(probe=False))
    assert masks.all()
    assert notes == ["The data set has no influence probe: every control that varies is an input of every segment."]


def test_a_layout_has_squares_and_notes(layout):
    assert any(segment.level == 1 for segment in layout.segments)
    assert any("move nothing from the probe's base poses" in note for note in layout.notes)


def test_squares_may_be_left_out(data):
    assert all(segment.level == 0 for segment in rc.training.face_layout(data, refine=False, fields=0).segments)


def test_the_same_seed_gives_the_same_layout(data, layout):
    again = rc.training.face_layout(data, resolution=6, fields=1)
    for one, other in zip(layout.segments, again.segments, strict=True):
        np.testing.assert_array_equal(one.uvs, other.uvs)
        np.testing.assert_array_equal(one.weights, other.weights)


def test_one_row_is_too_little():
    with pytest.raises(ValueError, match="face_layout: data is of 1 rows; it must be of at least two"):
        rc.training.face_layout(LaidData(samples=1))


def test_what_is_no_data_set_is_refused():
    with pytest.raises(ValueError, match="face_layout: data is a str; it must be a data set"):
        rc.training.face_layout("face.rwdata")


def test_the_picture_shows_squares_before_and_after(data, layout):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from matplotlib.patches import Rectangle
    from matplotlib.pyplot import close

    before, after = rc.plot.map_layout(layout, "skin", faces=data.faces, error=np.ones(len(data.rest_vertices)))
    squares = [segment for segment in layout.segments if segment.name.startswith("skin, detail")]
    assert before.get_title(loc="left") == "skin, before"
    assert sum(isinstance(patch, Rectangle) for patch in after.patches) == len(squares) > 0
    close(after.figure)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"segment": "nose"},
            "map_layout: segment is 'nose'; it must be one of 'skin', 'tooth', 'beads', or its number",
        ),
        ({"segment": 7}, "map_layout: segment is 7"),
        ({"error": np.zeros(3)}, "map_layout: error is 3 numbers; it must be of all vertices"),
    ],
)
def test_the_picture_refuses_what_is_not_there(layout, change, message):
    with pytest.raises(ValueError, match=message):
        rc.plot.map_layout(layout, **change)
