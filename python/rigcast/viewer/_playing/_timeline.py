"""The timeline: a clip, keys over it, and the time at which the view stands."""

from __future__ import annotations

import base64
import bisect
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._shown.picture import png
from rigcast._validate import FPS
from rigcast.viewer._figures._figure import Vertices
from rigcast.viewer._figures._head import PlayedHead, Vector
from rigcast.viewer._figures._posing import Row

DEFAULT_FRAMES = 96
MOST_FRAMES = 100_000
SLOWEST, FASTEST = 0.05, 8.0
WIDEST = 320  # pixels of a picture that stands beside the figures
Rows = NDArray[np.float32]
Pictures = Sequence[NDArray[np.uint8]]


class Timeline:
    """Frames 0 to ``frames - 1`` at ``fps``. Keys hold offsets of channels from the clip, interpolated between them.

    Parameters
    ----------
    rest : (N,) float32 array
        Channels where there is no clip.
    rows : (T, N) float32 array, optional
        The clip as channels.
    poses : (T, C) float32 array, optional
        The clip as poses, which channels may miss.
    fps : float

    Attributes
    ----------
    pictures : sequence of (H, W, 3) uint8 arrays, or None
        What the clip was captured from, one per frame.
    head : PlayedHead or None
        Moves what is shown of each frame.
    """

    def __init__(self, rest: Row, rows: Rows | None = None, poses: Rows | None = None, fps: float = FPS) -> None:
        self.poses, self.rows, self._rest = poses, rows, rest
        self.pictures: Pictures | None = None
        self.head: PlayedHead | None = None
        self._drawn: tuple[int, str] = (-1, "")  # frame, and its picture as an address
        self.frames = DEFAULT_FRAMES if rows is None else len(rows)
        self.fps, self.speed = fps, 1.0
        self.playing = False
        self.at = 0.0
        self.keys: dict[int, Row] = {}
        self._since = 0.0  # seconds of the clock at which `at` was true

    @property
    def is_empty(self) -> bool:
        """True if there is neither a clip nor a key: then time changes nothing."""
        return self.rows is None and not self.keys

    @property
    def frame(self) -> int:
        """The frame that is shown."""
        return min(int(self.at), self.frames - 1)

    def base(self, frame: int) -> Row:
        """Channels of the clip, or those of rest."""
        return self._rest if self.rows is None else self.rows[min(frame, len(self.rows) - 1)]

    def offset(self, frame: int) -> Row:
        """The offset that the keys add, linear between two of them and constant beyond the first and the last."""
        times = sorted(self.keys)
        after = bisect.bisect_right(times, frame)
        if after in (0, len(times)):
            return self.keys[times[min(after, len(times) - 1)]]
        begin, end = times[after - 1], times[after]
        share = np.float32((frame - begin) / (end - begin))
        return np.asarray((1 - share) * self.keys[begin] + share * self.keys[end], np.float32)

    def row(self, frame: int) -> Row:
        """Channels at a frame."""
        return self.base(frame) + self.offset(frame) if self.keys else self.base(frame)

    def pose(self, frame: int) -> Row | None:
        """The recorded pose at a frame; None if there is none, or keys change it."""
        return None if self.poses is None or self.keys else self.poses[min(frame, len(self.poses) - 1)]

    def moved(self, vertices: Vertices) -> Vertices:
        """Vertices (V, 3) where the head of the present frame carries them."""
        return vertices if self.head is None else self.head.moved(vertices, self.frame)

    def placed(self, facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Pins or handles where the head of the present frame carries them."""
        return facts if self.head is None else self.head.placed(facts, self.frame)

    def ray(self, origin: Sequence[float], *directions: Sequence[float]) -> list[Vector]:
        """A point and directions of the page, as they lie to the figure whose head stands still."""
        given = [np.array(numbers, np.float64) for numbers in (origin, *directions)]
        return given if self.head is None else self.head.back(self.frame, given[0], *given[1:])

    def set_key(self, row: Row) -> None:
        """Keep channels at the present frame."""
        self.keys = {**self.keys, self.frame: row - self.base(self.frame)}

    def remove_key(self) -> None:
        """Take the key of the present frame away, if there is one."""
        self.keys = {frame: offset for frame, offset in self.keys.items() if frame != self.frame}

    def resize(self, frames: int) -> None:
        """Another number of frames; a clip keeps its own at least."""
        least = 2 if self.rows is None else len(self.rows)
        self.frames = int(np.clip(frames, least, MOST_FRAMES))
        self.at = min(self.at, self.frames - 1.0)

    def play(self, playing: bool, now: float) -> None:
        """Start or stop at a time of the clock, in seconds."""
        self.playing, self._since = playing, now

    def advance(self, now: float) -> bool:
        """Move to where playing has come; returns whether another frame is shown."""
        before = self.frame
        self.at = (self.at + (now - self._since) * self.fps * self.speed) % self.frames
        self._since = now
        return self.frame != before

    def until_next(self) -> float:
        """Seconds until another frame is shown while playing."""
        return float((1.0 - self.at % 1.0) / (self.fps * self.speed))

    def facts(self) -> dict[str, Any]:
        """The values that the page shows."""
        return {
            "frames": self.frames,
            "fps": self.fps,
            "at": round(self.at, 3),
            "playing": self.playing,
            "speed": self.speed,
            "keys": sorted(self.keys),
            "clip": self.rows is not None,
            "picture": self._picture(),
        }

    def _picture(self) -> str | None:
        """The present frame's picture as a ``data:`` address; None without one."""
        frame = self.frame
        if self.pictures is None or frame >= len(self.pictures):
            return None
        if frame != self._drawn[0]:
            pixels = np.asarray(self.pictures[frame])
            step = -(-pixels.shape[1] // WIDEST)
            text = base64.b64encode(png(np.ascontiguousarray(pixels[::step, ::step]))).decode()
            self._drawn = frame, f"data:image/png;base64,{text}"
        return self._drawn[1]
