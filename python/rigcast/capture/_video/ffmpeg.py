"""Frames of a video through ffmpeg, one at a time and at a constant rate, and videos of pictures.

The program is the one that ``imageio-ffmpeg`` brings, or that its environment variable names. It runs in a session of
its own, so that Ctrl-C reaches Python alone.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_write
from rigcast._extras import MissingExtra, require
from rigcast._validate import bad_argument, bad_file

Float64 = NDArray[np.float64]
Picture = NDArray[np.uint8]

LARGEST_SIDE = 8192  # pixels
UNEVEN = (
    0.1  # share of a frame by which times may differ from a constant rate; or WHOLE, which is longer at 50 and more
)
WHOLE = 2e-3  # seconds: files that keep whole milliseconds


@dataclass(frozen=True)
class VideoTiming:
    """Number and rate of the frames that are read of a video.

    Attributes
    ----------
    frames : int
        That :func:`read_frames` gives.
    fps : float
        Of those frames; 30 if the file states no times.
    notes : tuple of str
        Of resampled times, or none at all.
    """

    frames: int
    fps: float
    notes: tuple[str, ...] = field(default=())

    @property
    def resampled(self) -> bool:
        """True if frames are repeated or left out."""
        return any("resampled" in note for note in self.notes)


def _program() -> str:
    library = require("imageio_ffmpeg", extra="capture", purpose="reading a video")
    try:
        return str(library.get_ffmpeg_exe())
    except RuntimeError as error:
        raise MissingExtra(f"reading a video needs ffmpeg: {error}") from None


def _command(path: Path, *output: str) -> list[str]:
    """Only this file is opened: a playlist cannot name others."""
    whole = f"file:{path.absolute()}"
    return [_program(), "-v", "error", "-nostdin", "-protocol_whitelist", "file", "-i", whole, "-map", "0:v:0", *output]


def timing_of(path: Path) -> VideoTiming:
    """Decode a video once for the times of its frames.

    Raises
    ------
    FileError
        If it is no video, or has no frames.
    """
    times = _times(path)
    if not len(times):
        raise bad_file(path, "has no frames", "a video", "Pictures")
    known = times[np.isfinite(times)]
    if len(known) < len(times) or len(times) < 2 or times[-1] <= times[0]:
        notes = ("the video states no rate: 30 frames per second were taken",) if len(times) > 1 else ()
        return VideoTiming(len(times), 30.0, notes)
    mean = (times[-1] - times[0]) / (len(times) - 1)
    away = np.abs(times - times[0] - mean * np.arange(len(times))).max()
    if away <= max(UNEVEN * mean, WHOLE):
        return VideoTiming(len(times), round(1.0 / mean, 3))
    rate = round(1.0 / float(np.median(np.diff(times))), 3)
    count = len(_times(path, rate))
    note = f"frames at uneven times, {len(times)} of them, were resampled to {count} at {rate:g} per second"
    return VideoTiming(count, rate, (note,))


def _times(path: Path, rate: float | None = None) -> Float64:
    """(T,) seconds of the frames, NaN where the file states none."""
    output = ["-fps_mode", "passthrough", "-f", "framecrc", "-c:v", "rawvideo", "-"]
    done = subprocess.run(_command(path, *_filter(rate), *output), capture_output=True, start_new_session=True)
    unit, times = 1.0, []
    for line in done.stdout.decode("ascii", "replace").splitlines():
        if line.startswith("#tb 0:"):
            over, under = line.split(":")[1].split("/")
            unit = int(over) / int(under)
        elif not line.startswith("#"):
            stamp = line.split(",")[2].strip()
            times.append(unit * int(stamp) if stamp.lstrip("-").isdecimal() else np.nan)
    if not times:
        raise bad_file(path, _reason(done.stderr.decode("utf-8", "replace"), path), "a video", "Pictures")
    return np.array(times)


def _reason(words: str, path: Path) -> str:
    """The reason that ffmpeg gives for finding no frames."""
    if "matches no streams" in words:
        return "has no frames: it holds no pictures"
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    return f"cannot be read: {lines[-1].split(str(path.absolute()) + ': ')[-1]}" if lines else "has no frames"


def _filter(rate: float | None) -> list[str]:
    return [] if rate is None else ["-vf", f"fps={rate:g}"]


def read_frames(path: Path, timing: VideoTiming) -> Iterator[Picture]:
    """Frames (H, W, 3) of a video, upright, as its rotation asks.

    Raises
    ------
    FileError
        If a frame is larger than 8192 pixels.
    """
    output = ["-fps_mode", "passthrough", "-f", "image2pipe", "-c:v", "ppm", "-pix_fmt", "rgb24", "-"]
    command = _command(path, *_filter(timing.fps if timing.resampled else None), *output)
    with _running(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        while (frame := _next_frame(running.stdout, path)) is not None:
            yield frame


def _next_frame(stream: IO[bytes], path: Path) -> Picture | None:
    if stream.readline().strip() != b"P6":
        return None
    width, height = (int(word) for word in stream.readline().split())
    if max(width, height) > LARGEST_SIDE:
        raise bad_file(path, f"has frames of {width} x {height} pixels", f"at most {LARGEST_SIDE} a side", "Pictures")
    stream.readline()
    content = stream.read(3 * width * height)
    if len(content) < 3 * width * height:
        return None
    return np.frombuffer(content, np.uint8).reshape(height, width, 3)


@contextlib.contextmanager
def _running(
    command: list[str], stdin: int | None = None, stdout: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A program that does not outlive the block."""
    nowhere = subprocess.DEVNULL
    running = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=nowhere, start_new_session=True)
    try:
        yield running
    finally:
        if running.poll() is None:
            running.kill()
        for pipe in (running.stdin, running.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        running.wait()


def write_video(path: str | os.PathLike[str], pictures: Iterator[Picture], fps: float) -> None:
    """Write pictures of one size as an ``.mp4`` of H.264, which appears when it is whole.

    Raises
    ------
    ValueError
        If there are no pictures, or ffmpeg cannot write them.
    """
    first = next(pictures, None)
    if first is None:
        raise bad_argument("write_video", "pictures", "none", "at least one")
    height, width = first.shape[:2]
    with tempfile.TemporaryDirectory(prefix="rigcast-video-") as folder:
        made = Path(folder) / "video.mp4"
        source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:g}", "-i", "-"]
        coded = ["-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"]
        with _running([_program(), "-v", "error", *source, *coded, str(made)], stdin=subprocess.PIPE) as running:
            assert running.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                running.stdin.write(first.tobytes())
                for picture in pictures:
                    running.stdin.write(np.ascontiguousarray(picture).tobytes())
                running.stdin.close()
            running.wait()
        if running.returncode or not made.is_file():
            raise bad_file(Path(path), "cannot be written by ffmpeg", "a program with libx264", "write_preview")
        atomic_write(path, made.read_bytes())
