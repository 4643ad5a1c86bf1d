"""Pictures that a page sends, as an .mp4: ffmpeg makes it, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast.viewer._protocol import Refused
from rigcast.viewer._received._upload import Upload

PROGRAM = "ffmpeg"
MISSING = "a movie needs ffmpeg on the PATH; Sequence saves the pictures without it"
SIGNATURE, TRAILER = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
LARGEST_PICTURE = 64 * 2**20  # bytes
LARGEST_MOVIE = 8 * 2**30  # bytes of pictures
PATIENCE = 1800.0  # seconds that ffmpeg may take
# Encoders from the best one; an ffmpeg without H.264 still has MPEG-4.
ENCODERS = {"libx264": ["-crf", "18", "-preset", "medium"], "mpeg4": ["-q:v", "2"]}
EVEN = "pad=ceil(iw/2)*2:ceil(ih/2)*2"  # what halved color channels need


def can_make_movies() -> bool:
    """True if ffmpeg is on the PATH."""
    return shutil.which(PROGRAM) is not None


class Movie:
    """Collects pictures in a folder of its own, which is gone after ``close``.

    Raises
    ------
    ValueError
        Without ffmpeg.
    """

    def __init__(self) -> None:
        if not can_make_movies():
            raise Refused(MISSING)
        self._folder = tempfile.TemporaryDirectory(prefix="rigcast-movie-")
        self._bytes = 0
        self.pictures = 0

    def upload(self, size: int) -> Upload:
        """The upload of the next picture; :meth:`keep` is called when it is complete.

        Raises
        ------
        ValueError
            If there is more than a movie may have.
        """
        self._bytes += size
        if size > LARGEST_PICTURE or self._bytes > LARGEST_MOVIE:
            raise Refused("a movie has at most 8 GB of pictures of 64 MB")
        return Upload(self._path(), size)

    def keep(self) -> None:
        """Count the picture that is complete.

        Raises
        ------
        ValueError
            If it is no PNG.
        """
        picture = self._path().read_bytes()
        if not picture.startswith(SIGNATURE) or not picture.endswith(TRAILER):
            self._path().unlink()
            raise Refused("a picture is no PNG")
        self.pictures += 1

    def _path(self) -> Path:
        return Path(self._folder.name) / f"{self.pictures:06d}.png"

    def encoded(self, fps: float) -> NDArray[np.uint8]:
        """The bytes of the .mp4.

        Raises
        ------
        ValueError
            If there is no picture, or ffmpeg fails; the message is its last line.
        """
        if not self.pictures:
            raise Refused("there is no picture to make a movie of")
        result = Path(self._folder.name) / "movie.mp4"
        name = self._encoder()
        source = ["-framerate", f"{fps:g}", "-i", str(Path(self._folder.name) / "%06d.png")]
        shape = ["-vf", EVEN, "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
        self._run("-y", *source, "-c:v", name, *ENCODERS[name], *shape, str(result))
        return np.frombuffer(result.read_bytes(), np.uint8)

    def _encoder(self) -> str:
        available = self._run("-encoders")
        return next((name for name in ENCODERS if f" {name} " in available), "mpeg4")

    def _run(self, *arguments: str) -> str:
        command = [PROGRAM, "-hide_banner", "-loglevel", "error", "-nostdin", *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Refused(f"ffmpeg did not run: {error}") from None
        if done.returncode:
            raise Refused(f"ffmpeg failed: {(done.stderr.strip().splitlines() or ['without a word'])[-1]}")
        return done.stdout

    def close(self) -> None:
        """Throw the pictures away."""
        self._folder.cleanup()
