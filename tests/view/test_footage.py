"""The pictures that a clip was captured from, in a corner of the view."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from rigcast.viewer._staging import stage_of
from tests.support.characters.plain_face import plain_face
from tests.view.frames import header_of
from tests.view.page_messages import page_messages

COUNT = 5


@pytest.fixture
def clip():
    face = plain_face()
    pictures = [np.full((12, 700, 3), 40 * t, np.uint8) for t in range(COUNT)]
    return face, np.linspace(0, 1, COUNT)[:, None] * (np.arange(face.num_shapes) == 0), pictures


def pixels(address):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    prefix = "data:image/png;base64,"
    assert address.startswith(prefix)
    return np.asarray(image.open(io.BytesIO(base64.b64decode(address[len(prefix) :]))))


@pytest.mark.parametrize("frame", [0, 3, 1])
def test_each_frame_has_its_picture(clip, frame):
    """Reduced to at most 320 pixels across."""
    face, poses, pictures = clip
    stage = stage_of(face, poses=poses, pictures=pictures)
    shown = header_of(stage.step(page_messages({"type": "seek", "at": frame}), 0.0))["timeline"]
    picture = pixels(shown["picture"])
    assert picture.shape == (4, 234, 3)
    assert (picture == 40 * frame).all()


def test_frames_beyond_the_clip_have_none(clip):
    face, poses, pictures = clip
    stage = stage_of(face, poses=poses, pictures=pictures)
    asked = page_messages({"type": "frames", "frames": 9}, {"type": "seek", "at": 7})
    assert header_of(stage.step(asked, 0.0))["timeline"]["picture"] is None


def test_without_pictures_there_is_none(clip):
    face, poses, _ = clip
    assert header_of(stage_of(face, poses=poses).step([], 0.0))["timeline"]["picture"] is None


def test_a_saved_page_shows_them(browser, clip, tmp_path):
    face, poses, pictures = clip
    rc.viewer.record(face, poses=poses, fps=30, pictures=pictures).save(tmp_path / "clip.html")
    page = browser.page()
    page.open((tmp_path / "clip.html").as_uri())
    page.until("window.view && view.frame")
    page.evaluate("view.link.send('seek', { at: 4 })")
    page.until("view.frame.timeline.at === 4 && document.getElementById('footage').src === view.frame.timeline.picture")
    page.until("document.getElementById('footage').naturalWidth === 234")
    page.evaluate("document.getElementById('video').click()")
    assert page.evaluate("document.getElementById('footage').hidden")
    assert page.complaints == []
    page.close()


@pytest.mark.parametrize("change", ["too few", "no clip"])
def test_pictures_of_another_clip_are_refused(clip, change):
    face, poses, pictures = clip
    given = {"pictures": pictures[:-1], "poses": poses} if change == "too few" else {"pictures": pictures}
    with pytest.raises(rc.errors.ArgumentError, match="pictures"):
        stage_of(face, **given)


def test_the_command_refuses_a_folder_of_another_length(clip, tmp_path, capsys):
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    pytest.importorskip("imageio", reason="imageio is not installed (extra video)")
    face, poses, pictures = clip
    face.save(tmp_path / "face.safetensors")
    np.save(tmp_path / "poses.npy", poses)
    (tmp_path / "frames").mkdir()
    for t, picture in enumerate(pictures):
        rc.plot.Image(picture).save(tmp_path / "frames" / f"{t}.png")
    files = [str(tmp_path / name) for name in ("face.safetensors", "poses.npy", "frames")]
    command = ["view", files[0], "--motion", files[1], "--pictures", files[2], "--seconds", "0.01"]
    assert main(command) == 0
    (tmp_path / "frames" / "4.png").unlink()
    assert main(command) == 2
    assert "pictures is 4 of them; it must be 5" in capsys.readouterr().err
