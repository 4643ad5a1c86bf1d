"""The preview of a capture, and the command from a video to weights."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture._sides import mirror_image
from rigcast.capture._video.preview import MESH, PreviewScene, preview_frame, solved_points
from rigcast.cli import _dispatch as dispatch
from tests.capture.capture import FOCAL, SIZE, acting, film
from tests.capture.videos.video import acted, folder, needs_detector, needs_ffmpeg

EXACT = 1e-3  # pixels: vertices of float32


@pytest.fixture(scope="module")
def solved():
    rig = rc.faces.example()
    shot = film(rig, acting(rig, frames=6))
    given = {"size": SIZE, "neutral": 0, "focal": FOCAL}
    points = rc.capture.Tracks(shot.points, np.ones(shot.points.shape[:2]), 30.0, SIZE)
    return rig, shot, points, rc.capture.solve(rig, points, shot.vertices, **given)


@pytest.mark.parametrize("box", [1, 2])
def test_drawn_points_are_as_far_from_tracked_ones_as_the_capture_says(solved, box):
    rig, _, tracks, found = solved
    scene = PreviewScene(rig, found, tracks, box)
    for t in (0, 5):
        drawn = solved_points(scene, t)
        away = np.linalg.norm(box * drawn - tracks.points[t, found.places.used], axis=1)
        assert np.abs(away - found.residual[t, found.places.used]).max() <= EXACT


def test_points_of_a_mirrored_video_are_drawn_where_they_are_in_it(solved):
    rig, shot, tracks, _ = solved
    points = tracks.points * [-1, 1] + [SIZE[0], 0]
    found = rc.capture.solve(
        rig, points, _other_side(rig, shot.vertices), size=SIZE, neutral=0, focal=FOCAL, mirrored=True
    )
    drawn = solved_points(PreviewScene(rig, mirror_image(rig, found), tracks, 1), 5)
    away = np.linalg.norm(drawn - points[5, found.places.used], axis=1)
    assert np.abs(away - found.residual[5, found.places.used]).max() <= EXACT


def _other_side(rig, vertices):
    """The vertex nearest to where each one lies in a mirror."""
    mirrored = rig.rest_vertices[vertices] * np.array([-1, 1, 1])
    return np.argmin(np.linalg.norm(rig.rest_vertices[None] - mirrored[:, None], axis=2), axis=1)


def test_the_mesh_lies_on_the_face_and_nowhere_else(solved):
    rig, _, _, found = solved
    black = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    frame = preview_frame(PreviewScene(rig, found, None, 1), black, 5)
    assert frame.shape == (480, 1920, 3)
    lit, drawn = frame[:, 640:1280].any(axis=2), (frame[:, 1280:] > 60).all(axis=2)
    assert lit.sum() > 1000
    assert drawn[lit].mean() > 0.95  # of the character's picture: its rim is dark
    assert (frame[:, 640:1280].max(axis=(0, 1)) <= MESH).all()


@needs_ffmpeg
def test_a_preview_has_all_frames_at_the_rate_of_the_shot(solved, tmp_path):
    rig, _, tracks, found = solved
    pictures = np.zeros((6, SIZE[1], SIZE[0], 3), np.uint8)
    seen = []
    rc.capture.write_preview(
        tmp_path / "p.mp4",
        rig,
        found,
        pictures=pictures,
        tracks=tracks,
        height=240,
        progress=lambda one: seen.append(one.done),
    )
    assert seen == [1, 2, 3, 4, 5, 6]
    shown = rc.capture.Pictures(tmp_path / "p.mp4")
    assert (len(shown), shown.fps, shown[0].shape) == (6, 30.0, (240, 960, 3))


@needs_ffmpeg
def test_a_preview_needs_a_picture_for_each_frame(solved, tmp_path):
    rig, _, tracks, found = solved
    with pytest.raises(rc.errors.ArgumentError, match="pictures is 2; it must be one for each of the 6 frames"):
        rc.capture.write_preview(
            tmp_path / "p.mp4", rig, found, pictures=np.zeros((2, 8, 8, 3), np.uint8), tracks=tracks
        )


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command on pictures of an actor in a new folder; gives its JSON object, or code and error."""
    monkeypatch.chdir(tmp_path)
    rc.faces.example().save("face.safetensors")
    folder(tmp_path / "shot", list(acted()))

    def call(*more, shot="shot"):
        code = dispatch.main(["capture", "solve", shot, "face.safetensors", *more, "--json"])
        shown = capsys.readouterr()
        return json.loads(shown.out) if code == 0 else (code, shown.err)

    return call


@needs_ffmpeg
@needs_detector
def test_a_folder_becomes_weights_a_preview_and_points(run, tmp_path):
    result = run("-o", "w.npz", "--fps", "24", "--preview", "p.mp4", "--refine")
    assert (result["frames"], result["fps"], result["outputs"]) == (12, 24, ["w.npz", "p.mp4"])
    assert result["samples"] > 0
    assert len(rc.capture.Pictures("p.mp4")) == 12
    assert rc.capture.load_tracks("w.points.npz").points.shape == (12, 468, 2)
    assert any("mirror image" in note for note in result["notes"])


@needs_detector
def test_another_solve_takes_the_points_of_the_first(run, tmp_path, monkeypatch):
    first = run("-o", "w.npz", "--keep-points", "mine.npz")
    monkeypatch.setattr("rigcast.capture._video.detect.FaceNetworks", None)
    again = run("-o", "again.npz", "--keep-points", "mine.npz", "--smoothness", "0")
    assert again["frames"] == first["frames"]
    assert not (tmp_path / "w.points.npz").exists()


@pytest.mark.parametrize(
    ("options", "shot", "words"),
    [
        (["--refine"], "points.npz", "--refine is about a video, which points.npz is not"),
        (["--keep-points", "k.npz"], "points.npz", "--keep-points is about a video"),
        (["--preview", "p.mp4"], "points.npz", "--preview needs a video, or the --pictures of the points"),
        (["--image-size", "4", "4"], "shot", "--image-size is about a file of points, which shot is not"),
        (["--refine", "--pictures", "shot"], "shot", "--refine and --pictures are two ways"),
        (["--passes", "2"], "shot", "--passes is about the pictures"),
    ],
)
def test_options_for_other_input_are_refused(run, tmp_path, options, shot, words):
    np.savez("points.npz", points=np.zeros((1, 68, 2)))
    code, shown = run("-o", "w.npz", *options, shot=shot)
    assert code == 2
    assert words in shown
