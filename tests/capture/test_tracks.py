"""Files of points, as detectors and people write them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc

POINTS = np.random.default_rng(0).uniform(10, 400, (5, 6, 2)).round(2)


def table(points, lead=None, more=None):
    """CSV with leading columns and columns after the points, in OpenFace's spelling with blanks."""
    columns = dict(lead or {})
    for axis, name in enumerate("xyz"[: points.shape[2]]):
        columns |= {f"{name}_{i}": points[:, i, axis] for i in range(points.shape[1])}
    columns |= more or {}
    rows = [", ".join(columns)]
    rows += [", ".join(str(values[t]) for values in columns.values()) for t in range(len(points))]
    return "\n".join(rows) + "\n"


def test_openface(tmp_path):
    lead = {
        "frame": range(1, 6),
        "face_id": [0] * 5,
        "timestamp": (np.arange(5) / 60).round(3),
        "confidence": [0.98, 0.98, 0.2, 0.98, 0.98],
        "success": [1, 1, 0, 1, 1],
    }
    more = {"X_0": [1.0] * 5, "AU01_r": [0.3] * 5}
    (tmp_path / "a.csv").write_text(table(POINTS, lead, more))
    tracks = rc.capture.load_tracks(tmp_path / "a.csv")
    assert np.array_equal(tracks.points, POINTS)
    assert tracks.certainty.min(axis=1).tolist() == [1, 1, 0, 1, 1]
    assert tracks.fps == pytest.approx(60, rel=0.05)  # times have three decimals


def test_one_face_of_several(tmp_path):
    both = np.repeat(POINTS, 2, axis=0)
    both[1::2] += 100
    (tmp_path / "a.csv").write_text(table(both, {"face_id": [3, 7] * 5}))
    tracks = rc.capture.load_tracks(tmp_path / "a.csv", face=7, fps=30)
    assert np.array_equal(tracks.points, POINTS + 100)
    assert "face 7 of 2 was taken" in tracks.notes


def test_a_table_with_certainties(tmp_path):
    (tmp_path / "a.csv").write_text(table(POINTS, more={"c_2": [0.5, 1, 0, 1, 1]}))
    assert rc.capture.load_tracks(tmp_path / "a.csv", fps=30).certainty[:, 2].tolist() == [0.5, 1, 0, 1, 1]


def test_uneven_times_are_resampled_and_said(tmp_path):
    """A ramp stays a ramp."""
    times = np.array([0.0, 0.04, 0.08, 0.15, 0.2, 0.24, 0.28])
    ramp = np.tile(100 + 1000 * times[:, None, None], (1, 6, 2)) + POINTS[0]
    (tmp_path / "a.csv").write_text(table(ramp, {"timestamp": times}))
    tracks = rc.capture.load_tracks(tmp_path / "a.csv")
    assert tracks.fps == 25
    assert np.abs(np.diff(tracks.points, axis=0) - 40).max() <= 1e-6
    assert any("uneven times, 7 of them, were resampled to 8 at 25" in note for note in tracks.notes)


def test_mediapipe_json(tmp_path):
    frames = [{"faceLandmarks": [[{"x": x / 640, "y": y / 480, "z": 0.1} for x, y in frame]]} for frame in POINTS]
    frames[2] = {"faceLandmarks": []}
    (tmp_path / "a.json").write_text(json.dumps({"frames": frames, "fps": 50, "size": [640, 480]}))
    tracks = rc.capture.load_tracks(tmp_path / "a.json")
    assert np.abs(tracks.points[[0, 1, 3, 4]] - POINTS[[0, 1, 3, 4]]).max() <= 1e-9
    assert not tracks.certainty[2].any()
    assert (tracks.fps, tracks.size) == (50, (640, 480))


def test_npz(tmp_path):
    certainty = np.full(POINTS.shape[:2], 0.5)
    np.savez(tmp_path / "a.npz", points=POINTS, certainty=certainty, fps=24, size=[640, 480])
    tracks = rc.capture.load_tracks(tmp_path / "a.npz")
    assert np.array_equal(tracks.points, POINTS)
    assert np.array_equal(tracks.certainty, certainty)
    assert (tracks.fps, tracks.size, tracks.notes) == (24, (640, 480), ())


def test_a_rate_that_no_one_states_is_said(tmp_path):
    np.save(tmp_path / "a.npy", POINTS)
    tracks = rc.capture.load_tracks(tmp_path / "a.npy")
    assert (tracks.fps, tracks.notes) == (30.0, ("the file states no rate: 30 frames per second were taken",))
