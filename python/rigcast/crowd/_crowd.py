"""A crowd: heads of one rig that play clips, evaluated once for each state that occurs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments, bad_argument, check_threads
from rigcast.crowd import _on_device as on_device
from rigcast.crowd._arguments import (
    checked_clips,
    checked_order,
    checked_rig,
    numbers_per_head,
    refuse,
    whole_per_head,
)
from rigcast.crowd._instances import DeviceInstances, Instances, distinct

if TYPE_CHECKING:
    from rigcast._cuda import DeviceArray, ResidentCrowd

Float32 = NDArray[np.float32]
BYTES_AT_ONCE = 1 << 25  # that are copied before Ctrl-C is looked for


class Crowd:
    """Heads of one blendshape rig that play clips.

    A frame takes a clip index, a frame index and a prefix length a head. Heads that share all three are computed once
    (Carrigan 2020, section 4.1.1: what a compute shader gains over a vertex shader), those of one prefix length next
    to each other, so that they are multiplied by the same shapes.

    Parameters
    ----------
    rig : BlendshapeRig
    clips : sequence of (T_i, K) arrays, or one
        Weights of the rig's shapes, one row per frame; T_i at least 1. They are copied.
    order : array_like of int, shape (K,), optional
        Shapes, most important first (:func:`importance_order`): what prefixes are prefixes of. By default as they are.

    Raises
    ------
    ValueError
        If there is no clip, a clip has another number of columns, no frame or a value that is not finite, or the
        order is no permutation of the shapes.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> talking, listening = np.zeros((24, rig.num_shapes)), np.ones((12, rig.num_shapes))
    >>> crowd = rc.crowd.Crowd(rig, [talking, listening], rc.crowd.importance_order(rig))
    >>> crowd
    <rigcast.crowd.Crowd of 'example face': 2 clips of 36 frames, 22 shapes>
    >>> crowd.evaluate(clip=[0, 1, 1], frame=[12, 3, 3], prefix=[22, 10, 10]).shape
    (3, 2536, 3)
    """

    def __init__(self, rig: BlendshapeRig, clips: Sequence[ArrayLike], order: ArrayLike | None = None) -> None:
        self._rig = checked_rig("Crowd", rig)
        checked = checked_clips("Crowd", "clips", clips, rig)
        self._order = checked_order("Crowd", order, rig.num_shapes)
        self._num_frames = np.array([len(clip) for clip in checked], np.int64)
        self._first = np.concatenate([[0], np.cumsum(self._num_frames)[:-1]])
        self._weights = np.concatenate(checked)

    def __repr__(self) -> str:
        name = self._rig.metadata.get("name") or "a rig"
        count = len(self._num_frames)
        clips = f"{count} clip{'s' if count > 1 else ''} of {self._num_frames.sum():,} frames"
        return f"<rigcast.crowd.Crowd of {name!r}: {clips}, {self._rig.num_shapes} shapes>"

    @property
    def rig(self) -> BlendshapeRig:
        """The rig of all heads."""
        return self._rig

    @property
    def order(self) -> NDArray[np.int32]:
        """(K,) shapes, most important first; a copy."""
        return np.array(self._order)

    @property
    def num_frames(self) -> NDArray[np.int64]:
        """Number of frames of each clip; a copy."""
        return np.array(self._num_frames)

    def weights(self, clip: ArrayLike, frame: ArrayLike) -> Float32:
        """(H, K) weights of the heads; parameters and errors are those of :meth:`evaluate`."""
        clips, frames, _ = self._heads("weights", clip, frame, None)
        return self._rows(clips, frames)

    def evaluate(
        self,
        clip: ArrayLike,
        frame: ArrayLike,
        prefix: ArrayLike | None = None,
        *,
        out: Float32 | None = None,
        device: str = "cpu",
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
        device : str
            ``"cpu"`` or ``"cuda"``, never replaced by the other. The first call copies shapes and clips to the device;
            every call then sends the clip, frame and prefix of each head, 16 bytes, and no weights.
        threads : int
            Number of threads; 0 means all processors that this process may use.

        Returns
        -------
        (H, V, 3) float32
            ``out`` if it was given. H is 1 if all three are single numbers.

        Raises
        ------
        ValueError
            If a clip, frame or prefix is out of range, not a number or of another length than the others, ``out``
            does not fit, or the device does not work here or does not evaluate this rig.
        """
        check_threads("evaluate", threads)
        clips, frames, prefixes = self._heads("evaluate", clip, frame, prefix)
        result = self._output(out, len(clips))
        state, head = distinct(clips, frames, prefixes)
        if len(state) == len(clips):  # nothing is shared: sorting by prefix would gain no more than its copy costs
            self._evaluate("evaluate", (clips, frames, prefixes), device, threads, result)
            return result
        once = np.empty((len(state), *result.shape[1:]), np.float32)
        self._evaluate("evaluate", (clips[state], frames[state], prefixes[state]), device, threads, once)
        step = max(1, BYTES_AT_ONCE // max(1, once[:1].nbytes))
        for begin in range(0, len(head), step):
            # mode "clip" writes into `result` without a buffer of its size; the indices are in range
            once.take(head[begin : begin + step], axis=0, out=result[begin : begin + step], mode="clip")
        return result

    def evaluate_on_device(
        self,
        clip: ArrayLike,
        frame: ArrayLike,
        prefix: ArrayLike | None = None,
        *,
        device: str,
        out: DeviceArray | None = None,
    ) -> DeviceArray:
        """Vertices of all heads that stay on a device.

        Each head is evaluated by itself; :meth:`instances_on_device` computes heads that are alike once.

        Parameters
        ----------
        clip, frame, prefix
            As those of :meth:`evaluate`.
        device : str
            ``"cuda"``.
        out : DeviceArray, optional
            An earlier result of that shape, which is written again: a renderer then allocates nothing per frame.

        Returns
        -------
        DeviceArray of shape (H, V, 3)
            ``out`` if it was given; with DLPack and ``__cuda_array_interface__``, complete.

        Raises
        ------
        ValueError
            As :meth:`evaluate`, and if the device is the CPU.
        """
        heads = self._heads("evaluate_on_device", clip, frame, prefix)
        return on_device.evaluate_on_device(self._resident("evaluate_on_device", device), heads, out)

    def evaluate_weights(
        self,
        weights: ArrayLike,
        prefix: ArrayLike | None = None,
        *,
        out: Float32 | None = None,
        device: str = "cpu",
        threads: int = 0,
    ) -> Float32:
        """Vertices of heads whose weights are given, as those of :meth:`rigcast.synthesis.PlayerCrowd.step`.

        Parameters
        ----------
        weights : (H, K)
            Weights of all shapes.
        prefix : (H,) integers from 0 to K, or one for all, optional
            How many shapes of the order a head uses. Default: all.
        out : (H, V, 3) float32, optional
            Receives the result; contiguous.
        device : str
            ``"cpu"`` or ``"cuda"``.
        threads : int
            Number of threads; 0 means all processors that this process may use.

        Returns
        -------
        (H, V, 3) float32
            ``out`` if it was given.

        Raises
        ------
        ValueError
            If a shape is wrong, a weight is not finite, a prefix is out of range, or the device does not work here.
        """
        check_threads("evaluate_weights", threads)
        check = Arguments("evaluate_weights", K=self._rig.num_shapes)
        given = check.numbers("weights", weights, "H K", dtype=np.float32)
        most = self._rig.num_shapes
        prefixes = whole_per_head("evaluate_weights", "prefix", most if prefix is None else prefix, most)
        if prefixes.shape not in ((), (len(given),)):
            raise bad_argument(
                "evaluate_weights", "prefix", f"{len(prefixes)} long", f"{len(given)} long, one per head"
            )
        result = self._output(out, len(given))
        whole = bool((prefixes == most).all())
        detail = {} if whole else {"order": self._order, "prefix": np.broadcast_to(prefixes, len(given))}
        self._rig.evaluate(given, device, threads=threads, out=result, **detail)
        return result

    def instances(
        self,
        clip: ArrayLike,
        frame: ArrayLike,
        prefix: ArrayLike | None = None,
        *,
        device: str = "cpu",
        threads: int = 0,
    ) -> Instances:
        """Each distinct head once, and which of them each head is; parameters are those of :meth:`evaluate`."""
        check_threads("instances", threads)
        once, head = self._distinct("instances", clip, frame, prefix)
        vertices = self._output(None, len(once[0]))
        self._evaluate("instances", once, device, threads, vertices)
        return Instances(vertices, head, once[2])

    def instances_on_device(
        self, clip: ArrayLike, frame: ArrayLike, prefix: ArrayLike | None = None, *, device: str
    ) -> DeviceInstances:
        """:meth:`instances` whose vertices stay on a device; parameters are those of :meth:`evaluate_on_device`."""
        once, head = self._distinct("instances_on_device", clip, frame, prefix)
        resident = self._resident("instances_on_device", device)
        return DeviceInstances(on_device.evaluate_on_device(resident, once, None), head, once[2])

    def _heads(self, function: str, clip: ArrayLike, frame: ArrayLike, prefix: ArrayLike | None) -> on_device.Heads:
        """Clip, frame and prefix of every head, checked, each (H,)."""
        shapes = self._rig.num_shapes
        clips = whole_per_head(function, "clip", clip, len(self._num_frames) - 1)
        prefixes = whole_per_head(function, "prefix", shapes if prefix is None else prefix, shapes)
        frames = numbers_per_head(function, "frame", frame)
        sizes = {"clip": clips.shape, "frame": frames.shape, "prefix": prefixes.shape}
        lengths = {name: shape[0] for name, shape in sizes.items() if shape}
        heads = next(iter(lengths.values()), 1)
        for name, length in lengths.items():
            if length != heads:
                raise bad_argument(function, name, f"{length} long", f"{heads} long, one per head")
        clips, prefixes = np.broadcast_to(clips, heads), np.broadcast_to(prefixes, heads)
        frames = np.broadcast_to(frames, heads)
        last = self._num_frames[clips] - 1
        wrong = (frames < 0) | (frames > last)
        if wrong.any():
            h = int(np.flatnonzero(wrong)[0])
            refuse(function, "frame", frames, wrong, f"from 0 to {last[h]}, the last frame of clip {clips[h]}")
        return clips, frames, prefixes

    def _rows(self, clips: NDArray[np.int32], frames: NDArray[np.float64]) -> Float32:
        """(H, K) weights."""
        before = np.floor(frames).astype(np.int64)
        part = (frames - before).astype(np.float32)
        row = self._first[clips] + before
        weights: Float32 = self._weights[row]
        between = np.flatnonzero(part)
        weights[between] += part[between, None] * (self._weights[row[between] + 1] - weights[between])
        return weights

    def _distinct(
        self, function: str, clip: ArrayLike, frame: ArrayLike, prefix: ArrayLike | None
    ) -> tuple[on_device.Heads, NDArray[np.int32]]:
        """The distinct heads, checked, and which of them (H,) each head is."""
        clips, frames, prefixes = self._heads(function, clip, frame, prefix)
        state, head = distinct(clips, frames, prefixes)
        return (clips[state], frames[state], prefixes[state]), head

    def _evaluate(self, function: str, heads: on_device.Heads, device: str, threads: int, out: Float32) -> None:
        """Write the vertices (H, V, 3) of checked heads; errors of the device name the function."""
        if device != "cpu":
            self._resident(function, device).evaluate(*heads, out)
            return
        clips, frames, prefixes = heads
        whole = bool((prefixes == self._rig.num_shapes).all())
        detail = {} if whole else {"order": self._order, "prefix": prefixes}
        self._rig.evaluate(self._rows(clips, frames), device, threads=threads, out=out, **detail)

    def _resident(self, function: str, device: str) -> ResidentCrowd:
        """The crowd on a device, copied by the first call."""
        curves = on_device.Curves(self._rig, np.split(self._weights, self._first[1:]), self._order)
        return on_device.resident_crowd(function, self, curves, device)

    def _output(self, out: Any, heads: int) -> Float32:
        shape = (heads, *self._rig.rest_vertices.shape)
        if out is None:
            return np.empty(shape, np.float32)
        if not isinstance(out, np.ndarray):
            raise bad_argument("evaluate", "out", f"a {type(out).__name__}", f"a float32 array {shape}")
        if out.dtype != np.float32 or out.shape != shape:
            raise bad_argument("evaluate", "out", f"{out.dtype} {out.shape}", f"a float32 array {shape}")
        if not (out.flags.c_contiguous and out.flags.writeable):
            raise bad_argument("evaluate", "out", "not contiguous or read-only", "contiguous and writable")
        return out
