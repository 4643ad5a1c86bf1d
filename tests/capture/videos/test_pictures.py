"""Videos and folders as input: frames, times, what is refused and what is said of the rest."""

from __future__ import annotations

import os
import subprocess

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture._video.crops import Square, averaged, cut
from rigcast.capture._video.ffmpeg import timing_of
from tests.capture.videos.video import acted, blank, folder, needs_detector, needs_ffmpeg, video

CODED = 12.0  # mean difference of 8-bit values that H.264 leaves of noisy pictures
ROUND = 1e-3  # of a pixel's value: float32 sums
UNEVEN = ["-vf", "setpts='if(lt(N,8),N/30,8/30+(N-8)/10)/TB'", "-fps_mode", "passthrough"]


def _text(place):
    (place / "shot.mp4").write_text("no video")
    return place / "shot.mp4"


def _sound(place):
    import imageio_ffmpeg

    path = place / "shot.mp4"
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-f", "lavfi", "-i", "sine=duration=0.2", str(path)]
    subprocess.run(command, check=True)
    return path


def _empty(place):
    (place / "shot.mp4").touch()
    return place / "shot.mp4"


def _cut_off(place):
    whole = video(place / "shot.mp4", acted()).read_bytes()
    (place / "shot.mp4").write_bytes(whole[: len(whole) // 2])
    return place / "shot.mp4"


def _no_pictures(place):
    (place / "shot").mkdir()
    return place / "shot"


REFUSED = {
    "no video": (_text, "Invalid data found when processing input"),
    "an empty file": (_empty, "cannot be read"),
    "sound alone": (_sound, "has no frames"),
    "a file that was cut off": (_cut_off, "cannot be read"),
    "no face": (lambda place: video(place / "shot.mp4", blank(5)), "shows no face in its 5 frames"),
    "a folder without pictures": (_no_pictures, "has no pictures"),
    "pictures of several sizes": (
        lambda place: folder(place / "shot", [*acted()[:2], blank(size=64)[0]]),
        "pictures of 160 x 160 and 64 x 64 pixels, at 2",
    ),
    "a huge picture": (
        lambda place: folder(place / "shot", [np.zeros((8, 8200, 3), np.uint8)]),
        "8200 x 8 pixels in picture 0; it must be at most 8192 a side",
    ),
    "nothing at all": (lambda place: place / "shot.mp4", "shot.mp4"),
}


@needs_ffmpeg
@needs_detector
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_shot_of_a_face_is_refused(name, tmp_path):
    make, words = REFUSED[name]
    path = make(tmp_path)
    with pytest.raises((ValueError, OSError)) as caught:
        rc.capture.detect(path, keep=tmp_path / "points.npz")
    assert words in str(caught.value)
    assert isinstance(caught.value, rc.errors.ArgumentError | rc.errors.FileError | FileNotFoundError)
    assert not (tmp_path / "points.npz").exists()


def _beside(place):
    small = np.repeat(np.repeat(blank(12), 1, axis=1), 1, axis=2)
    small[:, 40:120, 40:120] = acted()[:, ::2, ::2]
    return video(place / "shot.mp4", np.concatenate([small, acted()], axis=2))


STATED = {
    "uneven times": (
        lambda place: video(place / "shot.mp4", acted(), *UNEVEN),
        "12 of them, were resampled to 18 at 30",
    ),
    "several faces": (_beside, "searches saw several faces: the largest was followed"),
    "gray": (lambda place: folder(place / "shot", list(acted()[:3, :, :, 1])), "a folder states no rate"),
    "16 bits": (
        lambda place: folder(place / "shot", [257 * one.astype(np.uint16) for one in acted()[:3, :, :, 1]]),
        "a folder states no rate",
    ),
    "transparent": (
        lambda place: folder(place / "shot", [np.concatenate([one, one[:, :, :1]], axis=2) for one in acted()[:3]]),
        "a folder states no rate",
    ),
}


@needs_ffmpeg
@needs_detector
@pytest.mark.parametrize("name", STATED)
def test_what_was_decided_about_a_shot_is_said(name, tmp_path):
    make, words = STATED[name]
    tracks = rc.capture.detect(make(tmp_path))
    assert any(words in note for note in tracks.notes)
    assert (tracks.certainty.max(axis=1) > 0).all()


@needs_ffmpeg
@needs_detector
def test_the_largest_of_several_faces_is_followed(tmp_path):
    tracks = rc.capture.detect(_beside(tmp_path))
    assert (tracks.points[:, :, 0].mean(axis=1) > 160).all()


@needs_ffmpeg
@needs_detector
def test_a_face_that_leaves_is_found_again(tmp_path):
    shot = np.concatenate([acted()[:4], blank(3), acted()[4:8]])
    tracks = rc.capture.detect(video(tmp_path / "shot.mp4", shot))
    lost = tracks.certainty.max(axis=1) == 0
    assert lost.tolist() == [False] * 4 + [True] * 3 + [False] * 4
    assert np.isnan(tracks.points[lost]).all()


@needs_ffmpeg
def test_frames_of_a_video_come_in_their_order_and_at_its_rate(tmp_path):
    pictures = rc.capture.Pictures(video(tmp_path / "shot.mp4", acted(), fps=24))
    assert (len(pictures), pictures.fps, pictures.notes) == (12, 24.0, ())
    for t in (0, 5, 11, 3):  # back, too
        away = [np.abs(pictures[t].astype(float) - one).mean() for one in acted()]
        assert int(np.argmin(away)) == t
        assert min(away) <= CODED


@needs_ffmpeg
def test_a_rotated_video_is_upright(tmp_path):
    path = video(tmp_path / "shot.mp4", acted()[:3, :, :96], "-display_rotation", "90", "-i", "-c", "copy")
    turned = rc.capture.Pictures(path)[0]
    assert turned.shape == (96, 160, 3)
    assert np.abs(turned.astype(float) - np.rot90(acted()[0, :, :96])).mean() <= CODED


@needs_ffmpeg
def test_times_in_whole_milliseconds_are_even(tmp_path):
    timing = timing_of(video(tmp_path / "shot.mkv", np.tile(acted(), (5, 1, 1, 1))))
    assert (timing.frames, timing.resampled) == (60, False)
    assert timing.fps == pytest.approx(30.0, rel=1e-3)  # the last time is off by a millisecond at most


def test_a_folder_counts_as_people_do(tmp_path):
    pytest.importorskip("imageio", reason="imageio is not installed")
    shots = [np.full((8, 8, 3), t, np.uint8) for t in range(12)]
    pictures = rc.capture.Pictures(folder(tmp_path / "shot", shots))
    assert [int(one[0, 0, 0]) for one in pictures] == list(range(12))


@pytest.mark.parametrize("angle", [0.0, 0.4, -2.0])
def test_a_square_of_a_ramp_has_the_values_of_its_places(angle):
    rows, columns = np.mgrid[0:120, 0:160]
    ramp = np.stack([columns, rows, columns + rows], axis=2).astype(np.uint8)
    square = Square(80.0, 60.0, 40.0, angle)
    axis = (np.arange(32) + 0.5) / 32
    places = square.placed(np.stack(np.meshgrid(axis, axis), axis=-1)) - 0.5
    found = cut(ramp, square, 32)
    assert np.abs(found - np.concatenate([places, places.sum(axis=2, keepdims=True)], axis=2)).max() <= ROUND


def test_a_square_outside_of_the_picture_is_black():
    assert not cut(np.full((40, 40, 3), 255, np.uint8), Square(200.0, 20.0, 30.0), 16).any()


def test_boxes_are_averaged():
    picture = np.random.default_rng(0).integers(0, 256, (10, 11, 3), dtype=np.uint8)
    small = averaged(picture, 3)
    assert small.shape == (4, 4, 3)
    assert np.abs(small[1, 2] - picture[3:6, 6:9].astype(float).mean(axis=(0, 1))).max() <= ROUND


def test_a_name_that_ffmpeg_would_take_for_a_list_is_only_a_file(tmp_path):
    pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
    video(tmp_path / "other.mp4", acted()[:2])
    playlist = tmp_path / "shot.m3u8"
    playlist.write_text(f"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/{os.path.basename(tmp_path)}.ts\n#EXT-X-ENDLIST\n")
    with pytest.raises(rc.errors.FileError):
        rc.capture.Pictures(playlist)
