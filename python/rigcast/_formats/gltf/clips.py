"""Animation clips (glTF 2.0, section 3.11 and appendix C): key frames, stepped, linear or cubic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.accessors import Accessors
from rigcast._formats.gltf.document import integer, records, refuse, text, unique_names
from rigcast._formats.gltf.nodes import DEFAULTS, Animated, Nodes

KINDS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}
# Above this cosine two quaternions are so close that a straight line is exact to rounding and a sine is not.
ALMOST_ONE = 1 - 1e-12


@dataclass(frozen=True)
class GltfTrack:
    """One animated property of one node.

    Attributes
    ----------
    node : int
    path : str
        translation, rotation, scale or weights.
    mode : str
        STEP, LINEAR or CUBICSPLINE.
    times : (n,) float64 array, seconds, not falling
    values : (n, width) float64 array; (n, 3, width) of in-tangent, value, out-tangent for CUBICSPLINE
    """

    node: int
    path: str
    mode: str
    times: NDArray[np.float64]
    values: NDArray[np.float64]

    def at(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values (T, width) at ``times``, held before the first key and after the last."""
        t = np.clip(times, self.times[0], self.times[-1])
        left = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 1)
        right = np.minimum(left + 1, len(self.times) - 1)
        span = self.times[right] - self.times[left]
        u = np.where(span > 0, (t - self.times[left]) / np.where(span > 0, span, 1.0), 0.0)[:, None]
        if self.mode == "STEP":
            result = self.values[left]
        elif self.mode == "CUBICSPLINE":
            result = self._cubic(left, right, u, span[:, None])
        elif self.path == "rotation":
            result = _slerp(self.values[left], self.values[right], u)
        else:
            result = (1 - u) * self.values[left] + u * self.values[right]
        return result / np.linalg.norm(result, axis=1, keepdims=True) if self.path == "rotation" else result

    def _cubic(
        self, left: NDArray[np.intp], right: NDArray[np.intp], u: NDArray[np.float64], span: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Hermite spline (appendix C.5): tangents are per second."""
        start, leave = self.values[left, 1], span * self.values[left, 2]
        end, arrive = self.values[right, 1], span * self.values[right, 0]
        square, cube = u * u, u * u * u
        return np.asarray(
            (2 * cube - 3 * square + 1) * start
            + (cube - 2 * square + u) * leave
            + (3 * square - 2 * cube) * end
            + (cube - square) * arrive
        )


@dataclass(frozen=True)
class GltfClip:
    """A named animation."""

    name: str
    tracks: tuple[GltfTrack, ...]

    @property
    def duration(self) -> float:
        """Seconds from 0 to the last key."""
        return max((float(track.times[-1]) for track in self.tracks), default=0.0)

    def at(self, times: NDArray[np.float64]) -> Animated:
        """Animated values (T, width) by (node, path)."""
        return {(track.node, track.path): track.at(times) for track in self.tracks}


def read_clips(gltf: Any, accessors: Accessors, nodes: Nodes, morph_counts: dict[int, int]) -> list[GltfClip]:
    """All animations; ``morph_counts`` gives the number of weights of each node that has them."""
    animations = records(gltf.animations, "animations")
    names = unique_names(text(record.name) or f"clip {i}" for i, record in enumerate(animations))
    clips = []
    for index, record in enumerate(animations):
        what = f"animations[{index}]"
        samplers = records(record.samplers, f"{what}.samplers")
        tracks = {}
        for channel in records(record.channels, f"{what}.channels"):
            track = _track(channel, samplers, accessors, nodes, morph_counts, what)
            if track is not None:
                tracks[track.node, track.path] = track
        clips.append(GltfClip(names[index], tuple(tracks.values())))
    return clips


def _track(
    channel: Any, samplers: list[Any], accessors: Accessors, nodes: Nodes, morph_counts: dict[int, int], what: str
) -> GltfTrack | None:
    path, number = text(getattr(channel.target, "path", None)), getattr(channel.target, "node", None)
    if path not in KINDS or number is None:
        return None  # "When undefined, the animated object MAY be defined by an extension": nothing of ours
    node = integer(number, 0, len(nodes), f"{what}: target.node")
    if path == "weights" and node not in morph_counts:
        return None
    if path != "weights" and node in nodes.matrices:
        raise refuse(
            f"{what}: nodes[{node}]", "animated and placed by a matrix", "placed by translation, rotation, scale"
        )
    sampler = samplers[integer(channel.sampler, 0, len(samplers), f"{what}: sampler")]
    mode = text(sampler.interpolation) or "LINEAR"
    if mode not in ("STEP", "LINEAR", "CUBICSPLINE"):
        raise refuse(f"{what}: interpolation", repr(mode[:30]), "STEP, LINEAR or CUBICSPLINE")
    times = accessors.floats(sampler.input, "SCALAR", f"{what}: input")[:, 0]
    if (np.diff(times) < 0).any():
        raise refuse(f"{what}: input", "falling times", "rising times")
    values = accessors.floats(sampler.output, KINDS[path], f"{what}: output")
    width = morph_counts[node] if path == "weights" else len(DEFAULTS[path])
    shape = (len(times), 3, width) if mode == "CUBICSPLINE" else (len(times), width)
    if values.size != np.prod(shape):
        raise refuse(f"{what}: output", f"{values.size} numbers", f"{int(np.prod(shape))} for {len(times)} keys")
    values = values.reshape(shape)
    if path == "rotation" and not (np.linalg.norm(values[:, 1] if values.ndim == 3 else values, axis=-1) > 0).all():
        raise refuse(f"{what}: output", "a quaternion of length zero", "quaternions")
    return GltfTrack(node, path, mode, times, values)


def _slerp(a: NDArray[np.float64], b: NDArray[np.float64], u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spherical interpolation along the shorter arc (appendix C.4)."""
    a, b = (q / np.linalg.norm(q, axis=1, keepdims=True) for q in (a, b))
    cosine = (a * b).sum(axis=1, keepdims=True)
    b, cosine = np.where(cosine < 0, -b, b), np.abs(cosine)
    angle = np.arccos(np.minimum(cosine, 1.0))
    close = cosine > ALMOST_ONE
    sine = np.where(close, 1.0, np.sin(angle))
    first = np.where(close, 1 - u, np.sin((1 - u) * angle) / sine)
    second = np.where(close, u, np.sin(u * angle) / sine)
    return np.asarray(first * a + second * b)
