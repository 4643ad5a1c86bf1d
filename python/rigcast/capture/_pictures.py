"""Pictures of a shot from a folder or a video, read one by one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._shown import counted, no_pickle, one_line
from rigcast._validate import bad_argument, bad_file, missing_file
from rigcast.capture._video.ffmpeg import LARGEST_SIDE, VideoTiming, read_frames, timing_of

Picture = NDArray[np.uint8]

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")


@no_pickle("it reads a file that is open; pickle its path")
@one_line
class Pictures(Sequence[Picture]):
    """Pictures (H, W, 3) of a folder or a video, each read when it is asked for.

    A folder's files are taken in the order of their names, in which 2 comes before 10. A video is read forward; going
    back starts it again. Its rotation is applied; frames at uneven times are resampled to a constant rate, as ``notes``
    say. Gray pictures get three colors, 16 bits become 8, transparency is left out. Needs the extra ``video``.

    Parameters
    ----------
    path : path-like

    Attributes
    ----------
    path : Path
    fps : float or None
        Frames per second of a video; None for a folder.
    notes : tuple of str

    Raises
    ------
    FileError
        If there is no such file or folder, the folder has no pictures, a picture cannot be read, or the file is no
        video or has no frames.

    Examples
    --------
    >>> from pathlib import Path
    >>> Path("frames").mkdir()
    >>> shot = rc.capture.film(rc.capture.example_cast().actor(3), rc.capture.ShotPlan(frames=2, size=32))
    >>> import imageio.v3
    >>> for t, picture in enumerate(shot.color):
    ...     imageio.v3.imwrite(f"frames/{t:03}.png", picture)
    >>> pictures = rc.capture.Pictures("frames")
    >>> len(pictures), bool((pictures[1] == shot.color[1]).all())
    (2, True)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._files: list[Path] = []
        self._frames: Iterator[Picture] | None = None
        self._next = 0
        self._timing: VideoTiming | None = None
        if self.path.is_dir():
            self._library = require("imageio.v3", extra="video", purpose="reading pictures")
            self._files = sorted((p for p in self.path.iterdir() if p.suffix.lower() in ENDINGS), key=_order)
            if not self._files:
                raise bad_file(self.path, "has no pictures", f"a folder with {', '.join(ENDINGS)}", "Pictures")
            self._count = len(self._files)
        elif self.path.is_file():
            self._timing = timing_of(self.path)
            self._count = self._timing.frames
        else:
            raise missing_file("Pictures", "path", self.path, "a folder of pictures, or a video")
        self.fps = None if self._timing is None else self._timing.fps
        self.notes = () if self._timing is None else self._timing.notes

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Picture: ...
    @overload
    def __getitem__(self, index: slice) -> list[Picture]: ...
    def __getitem__(self, index: int | slice) -> Picture | list[Picture]:
        if isinstance(index, slice):
            return [self[t] for t in range(*index.indices(self._count))]
        at = index + self._count if index < 0 else index
        if not 0 <= at < self._count:
            raise IndexError(f"picture {index} of {self._count}")
        return self._in_color(self._file(at) if self._files else self._frame(at), at)

    def _file(self, at: int) -> Any:
        try:
            return self._library.imread(self._files[at].read_bytes(), extension=self._files[at].suffix.lower())
        except Exception as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise bad_file(self._files[at], f"cannot be read: {reason}", "a picture", "Pictures") from error

    def _frame(self, at: int) -> Picture:
        assert self._timing is not None
        if self._frames is None or at < self._next:
            self._frames, self._next = read_frames(self.path, self._timing), 0
        while True:
            frame = next(self._frames, None)
            if frame is None:
                raise bad_file(self.path, f"breaks off at frame {self._next}", f"{self._count} frames", "Pictures")
            self._next += 1
            if self._next > at:
                return frame

    def _in_color(self, pixels: Any, at: int) -> Picture:
        array = np.asarray(pixels)
        if array.dtype == np.uint16:
            array = (array // 257).astype(np.uint8)
        if array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (1, 2)):
            array = np.repeat(array.reshape(*array.shape[:2], -1)[:, :, :1], 3, axis=2)
        if array.ndim != 3 or array.shape[2] not in (3, 4) or array.dtype != np.uint8:
            got = f"{array.dtype} {array.shape} in picture {at}"
            raise bad_argument("Pictures", "path", got, "pictures of 8 or 16 bits with one or three colors")
        if max(array.shape[:2]) > LARGEST_SIDE:
            got = f"{array.shape[1]} x {array.shape[0]} pixels in picture {at}"
            raise bad_argument("Pictures", "path", got, f"at most {LARGEST_SIDE} a side")
        return np.ascontiguousarray(array[:, :, :3])

    def _facts(self) -> list[str]:
        rate = "" if self.fps is None else f"{self.fps:g} per second"
        return [counted(self._count, "picture", "pictures"), rate, f"of {self.path.name!r}"]


def _order(path: Path) -> list[str]:
    """The name with its numbers filled up, so that 2 comes before 10; then the name itself."""
    return [re.sub(r"\d+", lambda found: found[0].zfill(20), path.name), path.name]
