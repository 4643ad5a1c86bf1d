"""What users hand in by mistake: each is an error that says what is wrong, or a fallback that is said."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from tests.capture.capture import FOCAL, SIZE, acting, film


@pytest.fixture(scope="module")
def rig():
    return rc.faces.example()


@pytest.fixture(scope="module")
def shot(rig):
    return film(rig, acting(rig, frames=20))


def solve(rig, shot, points=None, **changes):
    given = {"size": SIZE, "neutral": 0, "focal": FOCAL, "landmarks": shot.vertices} | changes
    return rc.capture.solve(rig, shot.points if points is None else points, **given)


def shuffled(points):
    return points[:, np.random.default_rng(0).permutation(points.shape[1])]


REFUSED = {
    "points of another detector": (lambda p: {"points": p[:, :50]}, "landmarks is of .* points"),
    "a count that no detector has": (lambda p: {"landmarks": None}, "mediapipe .468 or 478., ibug68 .68."),
    "points in another order": (lambda p: {"points": shuffled(p)}, "points that lie otherwise than on the character"),
    "several faces": (lambda p: {"points": np.stack([p, p], axis=1)}, "points is 2 faces in each of 20 frames"),
    "no face at all": (lambda p: {"points": np.full_like(p, np.nan)}, "without a frame that has a face"),
    "frames of zeros alone": (lambda p: {"points": np.zeros_like(p)}, "without a frame that has a face"),
    "normalized without a size": (lambda p: {"points": p / SIZE, "size": None}, "normalized coordinates, from"),
    "one frame without time": (lambda p: {"points": p[0]}, r"points is float64 .*it must be numbers \(T, P, 2\)"),
    "vertices counted from 1": (
        lambda p: {"landmarks": np.append(np.arange(p.shape[1] - 1), 2536)},
        "from 0 to 2535, counted from 0",
    ),
    "certainty above 1": (lambda p: {"certainty": np.full(p.shape[:2], 2.0)}, "certainty is from 2 to 2"),
    "certainty of other frames": (lambda p: {"certainty": np.ones((3, p.shape[1]))}, "certainty is float64"),
    "a neutral after the end": (lambda p: {"neutral": 99}, "neutral is 99"),
    "a detector of another count": (lambda p: {"landmarks": None, "detector": "ibug68"}, "68 points of ibug68"),
    "an unknown detector": (lambda p: {"detector": "dlib5"}, "one of mediapipe, ibug68, openface"),
    "a pin beyond the bounds": (lambda p: {"fixed": np.full(22, 1.5)}, "fixed is outside the bounds"),
    "no strength": (lambda p: {"strength": np.zeros(22)}, "strength is 0 for one shape"),
    "a rate of zero": (lambda p: {"fps": 0.0}, "fps is 0"),
    "a camera without focal length": (lambda p: {"focal": -1.0}, "focal is -1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(rig, shot, name):
    make, words = REFUSED[name]
    with pytest.raises(rc.errors.ArgumentError, match=words):
        solve(rig, shot, **make(shot.points))


def test_normalized_coordinates_become_pixels_and_it_is_said(rig, shot):
    found = solve(rig, shot, shot.points / SIZE)
    assert any(note.startswith("normalized coordinates were taken as shares of 640 x 480") for note in found.notes)
    assert np.abs(found.weights - solve(rig, shot).weights).max() <= 1e-6


@pytest.mark.parametrize(("axis", "words"), [(0, "left and right exchanged"), (1, "y points up")])
def test_mirrored_points_are_turned_around_and_it_is_said(rig, shot, axis, words):
    flipped = shot.points.copy()
    flipped[:, :, axis] = SIZE[axis] - flipped[:, :, axis]
    found = solve(rig, shot, flipped)
    assert sum(words in note for note in found.notes) == 1
    assert np.abs(found.weights - solve(rig, shot).weights).max() <= 1e-6


def test_a_jump_to_another_face_is_said(rig, shot):
    points = shot.points.copy()
    points[12:] += 180.0
    notes = [note for note in solve(rig, shot, points).notes if "jumps" in note]
    assert notes == ["the face jumps 1 times, first at frame 12: is it another face, or a cut?"]


def test_a_point_with_one_coordinate_is_not_used(rig, shot):
    points = shot.points.copy()
    points[5, 7, 1] = np.inf
    assert np.isnan(solve(rig, shot, points).residual[5, 7])


def test_each_kind_of_note_is_there_once(rig, shot):
    points = shot.points.copy()
    points[3] = points[9] = np.nan
    kinds = [" ".join(note.split()[1:4]) for note in solve(rig, shot, points, focal=None).notes]
    assert len(set(kinds)) == len(kinds)


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


FILES = {
    "no points in a table": ("a.csv", "time,jawOpen\n0,0.1\n", "the columns time, jawOpen"),
    "points from 1": ("a.csv", "x_1,y_1,x_2,y_2\n1,2,3,4\n", "counted from 0"),
    "text in a cell": ("a.csv", "x_0,y_0\n1,abc\n", "'abc' in row 1, column 2"),
    "several faces in a table": (
        "a.csv",
        "frame,face_id,x_0,y_0\n1,0,1,2\n1,1,3,4\n",
        "face is None; it must be one of 2 faces: 0, 1",
    ),
    "times that go back": (
        "a.csv",
        "timestamp," + ",".join(f"x_{i},y_{i}" for i in range(4)) + "".join(f"\n{t},1,2,9,4,5,60,7,8" for t in (1, 0)),
        "times is 0 s after 1 s",
    ),
    "several faces in JSON": (
        "a.json",
        [{"faceLandmarks": [[{"x": 1, "y": 2}], [{"x": 1, "y": 2}]]}],
        "2 faces of frame 0",
    ),
    "frames of different counts": ("a.json", [[[1, 2], [3, 4]], [[1, 2]]], "frames of 1, 2 points"),
    "no frames": ("a.json", {"fps": 3}, "JSON without frames"),
    "another ending": ("a.txt", "1 2", "one that ends in .csv, .npz, .npy, .json"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_refused(tmp_path, name):
    file, content, words = FILES[name]
    with pytest.raises(rc.errors.FileError, match=words) as caught:
        rc.capture.load_tracks(written(tmp_path, file, content))
    assert caught.value.path.endswith(file)


PLACES = {
    "a vertex too many": ([0, 1, 2, 2536], "vertices .P,. from 0 to 2535"),
    "three points": ([0, 1, 2], "3 used points"),
    "no vertices": ({"a": "b"}, "invalid literal"),
    "a text": ("hello", "no JSON"),
    "a point beyond the tracks": ({"0": 1, "1": 2, "2": 3, "9": 4}, "points is named from 0 to 9"),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_map_is_refused(rig, tmp_path, name):
    content, words = PLACES[name]
    with pytest.raises(rc.errors.FileError, match=words):
        rc.capture.load_places(written(tmp_path, "map.json", content), rig, 5 if name.startswith("a point") else None)
