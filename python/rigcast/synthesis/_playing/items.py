"""Stretches of at most a second, in which nothing is decided: what characters are simulated by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.synthesis._playing.transitions import Decay

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


@dataclass(eq=False)
class ItemTrack:
    """A particle on its path, and once it is simulated, where it went.

    Attributes
    ----------
    label : str
    path : (n + 1, D) float64
    radii : (n + 1,) float64
    x, v : (D,) float64
        State at the first row.
    seed : int
        Of its random force.
    positions, velocities : (n + 1, D) float64
    controls : (n + 1, N) float32
    """

    label: str
    path: Float64
    radii: Float64
    x: Float64
    v: Float64
    seed: int
    positions: Float64 = field(default_factory=lambda: np.zeros((0, 0)))
    velocities: Float64 = field(default_factory=lambda: np.zeros((0, 0)))
    controls: Float32 = field(default_factory=lambda: np.zeros((0, 0), np.float32))


@dataclass(eq=False)
class Item:
    """n frames of a character: frames ``first + 1`` to ``first + n``.

    Attributes
    ----------
    kind : str
        "follow" (one track), "blend" (from the first track to the second), "clip" (rows of frames as they are), or
        "join" (from the track to rows of frames).
    label : str
        Whose space the character is in.
    first, count : int
    command : int
        Index of the command among the events.
    tracks : list of ItemTrack
    rows : (n,) int64
        Training frames of "clip" and "join".
    decays : list of Decay
        What is left of earlier jumps.
    jump : int
        Frames over which the jump from ``previous`` to this item decays; 0: there is none.
    previous : (2, N) float32
        The two frames before, as shown but for layers.
    controls : (n, N) float32
        Once it is simulated.
    after : list of Decay
        What is left of jumps after it, once it is simulated.
    """

    kind: str
    label: str
    first: int
    count: int
    command: int
    tracks: list[ItemTrack]
    rows: NDArray[np.int64]
    decays: list[Decay]
    jump: int
    previous: Float32
    controls: Float32 = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    after: list[Decay] = field(default_factory=list)

    def as_plain(self) -> dict[str, Any]:
        """The argument of :meth:`of_plain`, in JSON's values."""
        tracks = [
            {"label": t.label, "seed": t.seed, **{k: getattr(t, k).tolist() for k in ("path", "radii", "x", "v")}}
            for t in self.tracks
        ]
        return {
            "kind": self.kind, "label": self.label, "first": self.first, "count": self.count, "command": self.command,
            "tracks": tracks, "rows": self.rows.tolist(), "decays": [plain_decay(d) for d in self.decays],
            "jump": self.jump, "previous": self.previous.tolist(),
        }  # fmt: skip

    @classmethod
    def of_plain(cls, plain: dict[str, Any]) -> Item:
        """The item of :meth:`as_plain`, not yet simulated."""
        tracks = []
        for t in plain["tracks"]:
            path, radii, x, v = (np.array(t[key], np.float64) for key in ("path", "radii", "x", "v"))
            tracks.append(ItemTrack(t["label"], path, radii, x, v, t["seed"]))
        return cls(
            kind=plain["kind"],
            label=plain["label"],
            first=plain["first"],
            count=plain["count"],
            command=plain["command"],
            tracks=tracks,
            rows=np.array(plain["rows"], np.int64),
            decays=[decay_of(decay) for decay in plain["decays"]],
            jump=plain["jump"],
            previous=np.array(plain["previous"], np.float32),
        )


def plain_decay(decay: Decay) -> dict[str, Any]:
    """A decay in JSON's values."""
    return {
        "begin": decay.begin, "frames": decay.frames, "offset": decay.offset.tolist(), "rate": decay.rate.tolist()
    }  # fmt: skip


def decay_of(plain: dict[str, Any]) -> Decay:
    """The decay of :func:`plain_decay`."""
    offset, rate = (np.array(plain[key], np.float64) for key in ("offset", "rate"))
    return Decay(plain["begin"], offset, rate, plain["frames"])
