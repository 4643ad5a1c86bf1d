"""The table and picture of levels of detail on a small face whose errors are known; and time by shapes."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.blendshapes import level_of_detail as lod
from benchmarks.blendshapes import prefixes

import rigcast as rc
from tests.support.blendshapes import random_rig

NAMES = ["browDown_L", "eyeBlink_L", "jawOpen", "mouthSmile_L"]
SIZES = (1.0, 2.0, 4.0, 3.0)


@pytest.fixture
def face():
    """Four shapes that move a vertex of their own by ``SIZES`` in one direction; 1 unit is a millimeter."""
    deltas = np.zeros((4, 4, 3), np.float32)
    deltas[range(4), range(4), 2] = SIZES
    corners = np.array([[0, 1, 2, 3]], np.int32)
    neutral = np.float32([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    about = {"name": "small", "meters_per_unit": 0.001}
    rig = rc.BlendshapeRig(neutral, deltas, names=NAMES, faces=corners, metadata=about)
    return lod.Face("small face", rig, np.ones((3, 4), np.float32))


def errors_of(face, orders):
    return {label: rc.crowd.level_of_detail_errors(face.rig, order, face.weights) for label, order in orders.items()}


def cells(text):
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in (r.strip("|").split("|") for r in text)}


def test_the_table_has_the_errors_of_the_shapes_that_are_left_out(face):
    orders = {
        "as in the file": np.arange(4, dtype=np.int32),
        "rms": rc.crowd.importance_order(face.rig, "rms"),
    }
    found = cells(lod.table(face, orders, errors_of(face, orders)).splitlines())

    def rms(*left_out):
        return np.sqrt(np.square(left_out).sum() / 4)

    whole = rms(*SIZES)
    assert found["without any shape"][:3] == [f"{whole:.2f}", "4.0", "100%"]
    in_file = [rms(3.0), rms(4.0, 3.0), rms(2.0, 4.0, 3.0)]
    assert found["as in the file"] == [
        ", ".join(f"{error:.2f}" for error in in_file),
        "3.0, 4.0, 4.0",
        ", ".join(f"{error / whole:.0%}" for error in in_file),
        "2",
        "0",
    ]
    by_rms = [rms(1.0), rms(1.0, 2.0), rms(1.0, 2.0, 3.0)]
    assert found["RMS displacement (`rms`)"][0] == ", ".join(f"{error:.2f}" for error in by_rms)
    assert found["RMS displacement (`rms`)"][3:] == ["3", "1"]


def test_published_ratings_order_the_shapes_that_have_one(face):
    scores = lod.ratings(face)
    np.testing.assert_allclose(scores, [2.22, 5.20, 5.97, 4.18])
    assert [NAMES[k] for k in rc.crowd.importance_order(face.rig, scores)] == [NAMES[k] for k in (2, 1, 3, 0)]


def test_every_order_of_the_table_has_a_line_and_words():
    measures = set(lod.MEASURES) - {"displacement"}
    assert set(lod.LOOKS) == measures | {"as in the file", "ratings", "rms in the clip"}


def test_a_picture_is_drawn(face, tmp_path):
    orders = {"as in the file": np.arange(4, dtype=np.int32), "ratings": np.array([2, 1, 3, 0], np.int32)}
    errors = errors_of(face, orders)
    lod.draw([(face, errors), (face, errors)], tmp_path / "pictures" / "lod.png")
    assert (tmp_path / "pictures" / "lod.png").read_bytes().startswith(b"\x89PNG")


def test_time_by_shapes_counts_shapes_and_offsets():
    model = random_rig(seed=3, num_shapes=8)
    found = prefixes.measure(model, 12, 1)
    assert [row.shapes for row in found] == [2, 4, 6, 8]
    assert [row.offsets for row in found] == sorted(row.offsets for row in found)
    assert found[-1].offsets == 1.0
    assert prefixes.offsets(model, np.array([], int)) == 0.0
    lines = prefixes.table(found, 12).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["2 (25%)", "4 (50%)", "6 (75%)", "8 (100%)"]
    assert {line.count("|") for line in lines} == {8}


def test_sharing_is_checked(monkeypatch):
    model = random_rig(seed=3, num_shapes=8)
    crowd = rc.crowd.Crowd(model, [np.random.default_rng(0).random((12, 8))])
    prefixes.check_sharing(crowd, np.arange(12) % 5, 4)
    shown = rc.crowd.Crowd.instances

    def mixed_up(self, *given, **options):
        made = shown(self, *given, **options)
        return type(made)(made.vertices, np.roll(made.head, 1), made.prefix)

    monkeypatch.setattr(rc.crowd.Crowd, "instances", mixed_up)
    with pytest.raises(AssertionError):
        prefixes.check_sharing(crowd, np.arange(12) % 5, 4)
