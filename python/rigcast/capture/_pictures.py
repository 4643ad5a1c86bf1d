"""Pictures of a shot from a folder or a video, read one by one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._validate import bad_argument, bad_file, missing_file

Picture = NDArray[np.uint8]

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")


class Pictures(Sequence[Picture]):
    """Pictures (H, W, 3) of a folder or a video, each read when it is asked for.

    A folder's files are taken in the order of their names. A video is read forward; going back starts it again.
    Needs the extra ``video``.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    FileError
        If there is no such file or folder, the folder has no pictures, or a picture cannot be read.

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
        self._library = require("imageio.v3", extra="video", purpose="reading pictures")
        self._files: list[Path] = []
        self._frames: Iterator[Any] | None = None
        self._next = 0
        if self.path.is_dir():
            self._files = sorted(p for p in self.path.iterdir() if p.suffix.lower() in ENDINGS)
            if not self._files:
                raise bad_file(self.path, "has no pictures", f"a folder with {', '.join(ENDINGS)}", "Pictures")
            self._count = len(self._files)
        elif self.path.is_file():
            self._count = sum(1 for _ in self._video())
        else:
            raise missing_file("Pictures", "path", self.path, "a folder of pictures, or a video")

    def _video(self) -> Iterator[Any]:
        try:
            yield from self._library.imiter(self.path)
        except Exception as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise bad_file(self.path, f"cannot be read: {reason}", "a video", "Pictures") from error

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

    def _frame(self, at: int) -> Any:
        if self._frames is None or at < self._next:
            self._frames, self._next = self._video(), 0
        frame = None
        while self._next <= at:
            frame = next(self._frames)
            self._next += 1
        return frame

    def _in_color(self, pixels: Any, at: int) -> Picture:
        array = np.asarray(pixels)
        if array.ndim == 2:
            array = np.repeat(array[:, :, None], 3, axis=2)
        if array.ndim != 3 or array.shape[2] not in (3, 4) or array.dtype != np.uint8:
            got = f"{array.dtype} {array.shape} in picture {at}"
            raise bad_argument("Pictures", "path", got, "pictures of 8 bits with three colors")
        return np.ascontiguousarray(array[:, :, :3])
