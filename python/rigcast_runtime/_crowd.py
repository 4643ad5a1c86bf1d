"""Heads of one blendshape rig that play clips."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Float32, Float64, integers, numbers, output, threads_of
from ._blendshapes import BlendshapeRig, check_rig
from ._library import Handle, bad_argument, call
from ._structures import numbers as pair

Integers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Instances:
    """Distinct heads of a crowd, each once, for a renderer that draws instances.

    Attributes
    ----------
    vertices : (U, V, 3) float32
        Distinct heads, those of one prefix length next to each other.
    head : (H,) int32
        Head h looks like ``vertices[head[h]]``.
    prefix : (U,) int32
        How many shapes each distinct head was made of.
    """

    vertices: Float32
    head: Integers
    prefix: Integers


class Crowd:
    """Heads of one blendshape rig that play clips.

    Each head has a clip index, a frame index and a prefix length. Heads that share all three are computed once
    (Carrigan 2020, section 4.1.1), those of one prefix length next to each other, so that they are multiplied by the
    same shapes.

    Parameters
    ----------
    rig : BlendshapeRig
    clips : sequence of (T_i, K) arrays, or one
        Weights of the rig's shapes, one row per frame; T_i at least 1. They are copied.
    order : array_like of int, shape (K,), optional
        Shapes, most important first: what prefixes are prefixes of. By default as they are.

    Raises
    ------
    ValueError
        If there is no clip, a clip has another number of columns, no frame or a value that is not finite, or the
        order is no permutation of the shapes.
    """

    def __init__(self, rig: BlendshapeRig, clips: Sequence[ArrayLike], order: ArrayLike | None = None) -> None:
        self._rig = check_rig("Crowd", rig)
        shapes = rig.num_shapes
        curves = _clips(clips, shapes)
        self._num_frames = np.array([len(clip) for clip in curves], np.int64)
        by = np.arange(shapes, dtype=np.int32) if order is None else integers("Crowd", "order", order, (shapes,))
        self._order = by
        weights = np.concatenate(curves) if curves else np.zeros((0, shapes), np.float32)
        self._handle = Handle(
            "crowd_free",
            "crowd_new",
            rig._handle.pointer,
            *pair(weights),
            *pair(self._num_frames),
            *pair(by),
        )

    def __repr__(self) -> str:
        clips, frames = len(self._num_frames), self._num_frames.sum()
        return f"<rigcast_runtime.Crowd: {clips} clips of {frames} frames, {self._rig.num_shapes} shapes>"

    @property
    def rig(self) -> BlendshapeRig:
        """The rig of all heads."""
        return self._rig

    @property
    def order(self) -> Integers:
        """(K,) shapes, most important first; a copy."""
        return np.array(self._order)

    @property
    def num_frames(self) -> NDArray[np.int64]:
        """Number of frames of each clip; a copy."""
        return np.array(self._num_frames)

    def evaluate(
        self,
        clip: ArrayLike,
        frame: ArrayLike,
        prefix: ArrayLike | None = None,
        *,
        out: Float32 | None = None,
        threads: int = 0,
    ) -> Float32:
        """Vertices of all heads.

        Parameters
        ----------
        clip : (H,) integers, or one for all
            Index of the clip that a head plays.
        frame : (H,) numbers, or one for all
            From 0 to T_i - 1. Between two whole frames their weights are interpolated linearly, which is how
            animation curves of weights are stored (glTF's LINEAR); nothing wraps around.
        prefix : (H,) integers from 0 to K, or one for all, optional
            How many shapes of the order a head uses; combinations are used if all their shapes are. Default: all.
        out : (H, V, 3) float32, optional
            Receives the result; contiguous.
        threads : int
            Number of threads; 0 means all processors.

        Returns
        -------
        (H, V, 3) float32
            ``out`` if it was given. H is 1 if all three are single numbers.

        Raises
        ------
        ValueError
            If a clip, frame or prefix is out of range, not a number or of another length than the others, or ``out``
            does not fit.
        """
        return self._vertices(self._heads("evaluate", clip, frame, prefix), out, threads_of("evaluate", threads))

    def instances(
        self, clip: ArrayLike, frame: ArrayLike, prefix: ArrayLike | None = None, *, threads: int = 0
    ) -> Instances:
        """Each distinct head once, and which of them each head is; parameters are those of :meth:`evaluate`."""
        clips, frames, prefixes = self._heads("instances", clip, frame, prefix)
        count = len(clips)
        distinct, first, head = ctypes.c_int64(), np.empty(count, np.int32), np.empty(count, np.int32)
        given = (clips.ctypes.data, frames.ctypes.data, prefixes.ctypes.data)
        written = (ctypes.byref(distinct), first.ctypes.data, head.ctypes.data)
        call("crowd_distinct", self._handle.pointer, count, *given, *written)
        shown = first[: distinct.value]
        own = (clips[shown], frames[shown], prefixes[shown])
        return Instances(self._vertices(own, None, threads_of("instances", threads)), head, own[2])

    def _vertices(self, heads: tuple[Integers, Float64, Integers], out: Float32 | None, threads: int) -> Float32:
        result = output("evaluate", out, (len(heads[0]), self._rig.num_vertices, 3), *heads)
        given = (values.ctypes.data for values in heads)
        call("crowd_evaluate", self._handle.pointer, len(heads[0]), *given, *pair(result), threads)
        return result

    def _heads(
        self, function: str, clip: ArrayLike, frame: ArrayLike, prefix: ArrayLike | None
    ) -> tuple[Integers, Float64, Integers]:
        """Clip, frame and prefix of every head, each (H,)."""
        given = {
            "clip": integers(function, "clip", clip, (), ("H",)),
            "frame": numbers(function, "frame", frame, (), ("H",), dtype=np.float64),
            "prefix": integers(function, "prefix", self._rig.num_shapes if prefix is None else prefix, (), ("H",)),
        }
        lengths = {name: len(values) for name, values in given.items() if values.ndim}
        heads = next(iter(lengths.values()), 1)
        for name, length in lengths.items():
            if length != heads:
                raise bad_argument(function, name, f"{length} long", f"{heads} long, one per head")
        clips, frames, prefixes = (np.ascontiguousarray(np.broadcast_to(values, (heads,))) for values in given.values())
        return clips, frames, prefixes


def _clips(clips: Sequence[ArrayLike], shapes: int) -> list[Float32]:
    """Each clip as (T, K) float32; a clip by itself is as good as a list of one."""
    if not hasattr(clips, "__len__") or isinstance(clips, str):
        raise bad_argument("Crowd", "clips", f"a {type(clips).__name__}", f"a sequence of clips (T, {shapes})")
    listed: Sequence[ArrayLike] = [np.asarray(clips)] if getattr(clips, "ndim", 0) == 2 else clips
    return [numbers("Crowd", f"clips[{i}]", clip, ("T", shapes)) for i, clip in enumerate(listed)]
