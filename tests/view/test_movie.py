"""Pictures of a page become an .mp4 where ffmpeg is installed, and a sentence where it is not."""

from __future__ import annotations

import base64
import json
import shutil
import struct
import subprocess
import zlib

import numpy as np
import pytest

from rigcast.viewer._playing._movie import Movie
from tests.support.characters.plain_face import plain_face

FRAMES = 5
needs_ffmpeg = pytest.mark.skipif(shutil.which("ffprobe") is None, reason="ffmpeg is not on the PATH")


def png(gray, width=33, height=17):
    """A picture of one shade, of odd size."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + bytes([gray]) * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def kept(movie, data):
    """A picture, sent in two parts."""
    upload = movie.upload(len(data))
    upload.add(data[:50])
    if data[50:]:
        upload.add(data[50:])
    movie.keep()


def program(folder, monkeypatch, lines):
    """A stand-in for ffmpeg, alone on the PATH."""
    (folder / "ffmpeg").write_text("#!/bin/sh\n" + lines)
    (folder / "ffmpeg").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def shades(path):
    """Mean shade of each frame of a movie."""
    command = ["ffmpeg", "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "gray", "-"]
    data = subprocess.run(command, capture_output=True, check=True).stdout
    probe = ["ffprobe", "-v", "error", "-show_entries", "stream=width,height,r_frame_rate", "-of", "json", str(path)]
    (stream,) = json.loads(subprocess.run(probe, capture_output=True, check=True).stdout)["streams"]
    frames = np.frombuffer(data, np.uint8).reshape(-1, stream["height"], stream["width"])
    return frames[:, :17, :33].mean(axis=(1, 2)), stream


@needs_ffmpeg
def test_a_movie_shows_the_pictures_in_order_at_its_rate(tmp_path):
    movie = Movie()
    for k in range(FRAMES):
        data = png(40 + 40 * k)
        kept(movie, data)
    (tmp_path / "movie.mp4").write_bytes(movie.encoded(25.0).tobytes())
    movie.close()
    found, stream = shades(tmp_path / "movie.mp4")
    assert found == pytest.approx([40 + 40 * k for k in range(FRAMES)], abs=6)  # lossy
    assert (stream["width"], stream["height"], stream["r_frame_rate"]) == (34, 18, "25/1")


@needs_ffmpeg
def test_the_page_records_its_timeline(pose, tmp_path):
    posed = pose(plain_face())
    posed.page.evaluate("view.link.send('frames', { frames: 4 })")
    posed.page.until("view.frame.timeline.frames === 4")
    posed.page.evaluate(
        "window.files = []; URL.createObjectURL = blob => { files.push(blob); return 'blob:none'; };"
        "HTMLAnchorElement.prototype.click = () => {}; document.getElementById('movie').click()"
    )
    posed.page.until("files.length === 1")
    letters = "Array.from(new Uint8Array(await files[0].arrayBuffer()), x => String.fromCharCode(x)).join('')"
    data = posed.page.evaluate(f"(async () => btoa({letters}))()")
    (tmp_path / "movie.mp4").write_bytes(base64.b64decode(data))
    found, stream = shades(tmp_path / "movie.mp4")
    assert (len(found), stream["r_frame_rate"]) == (4, "24/1")


def test_without_ffmpeg_a_sentence_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="needs ffmpeg on the PATH"):
        Movie()


def test_the_last_line_of_an_ffmpeg_that_fails_is_said(monkeypatch, tmp_path):
    program(tmp_path, monkeypatch, "echo first >&2; echo no space left >&2; exit 1\n")
    movie = Movie()
    kept(movie, png(9))
    with pytest.raises(ValueError, match="ffmpeg failed: no space left"):
        movie.encoded(24.0)
    movie.close()


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"GIF89a", "no PNG"), (png(1)[:-4], "no PNG"), (b"", "empty")],
)
def test_what_is_no_picture_is_refused(monkeypatch, tmp_path, data, message):
    program(tmp_path, monkeypatch, "exit 0\n")
    movie = Movie()
    with pytest.raises(ValueError, match=message):
        kept(movie, data)
    assert movie.pictures == 0
    movie.close()


def test_a_movie_has_a_largest_picture(monkeypatch, tmp_path):
    program(tmp_path, monkeypatch, "exit 0\n")
    movie = Movie()
    with pytest.raises(ValueError, match="at most 8 GB of pictures of 64 MB"):
        movie.upload(64 * 2**20 + 1)
    movie.close()


def test_a_movie_of_nothing_is_refused(monkeypatch, tmp_path):
    program(tmp_path, monkeypatch, "exit 0\n")
    movie = Movie()
    with pytest.raises(ValueError, match="no picture"):
        movie.encoded(24.0)
    movie.close()
