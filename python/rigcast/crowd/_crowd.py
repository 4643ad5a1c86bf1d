"""A crowd: heads of one rig that play clips, evaluated once for each state that occurs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import BlendshapeRig
from rigcast._shown import one_line, read_only
from rigcast._validate import Arguments, bad_argument, check_threads
from rigcast.crowd import _on_device as on_device
from rigcast.crowd._arguments import (
    checked_clips,
    checked_order,
    checked_rig,
    numbers_per_head,
    whole_per_head,
)
from rigcast.crowd._instances import DeviceInstances, Instances

if TYPE_CHECKING:
    from rigcast._cuda import DeviceArray, ResidentCrowd

Float32 = NDArray[np.float32]


@one_line
class Crowd:
    """Heads of one blendshape rig that play clips.

    Each head has a clip index, a frame index and a prefix length. Heads that share all three are computed once
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
        self._engine = _core.Crowd(rig, np.concatenate(checked), self._num_frames, self._order)

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
        """(K,) shapes, most important first; read-only."""
        return read_only(self._order)

    @property
    def num_frames(self) -> NDArray[np.int64]:
        """Number of frames of each clip; read-only."""
        return read_only(self._num_frames)

    def weights(self, clip: ArrayLike, frame: ArrayLike) -> Float32:
        """(H, K) weights of the heads; parameters and errors are those of :meth:`evaluate`."""
        return self._engine.weights(*self._heads("weights", clip, frame, None))

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
        heads = self._heads("evaluate", clip, frame, prefix)
        result = self._output(out, len(heads[0]))
        self._evaluate("evaluate", heads, device, threads, result)
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
        prefixes = whole_per_head("evaluate_weights", "prefix", most if prefix is None else prefix, last=most)
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
        once, head = self._states("instances", self._heads("instances", clip, frame, prefix))
        vertices = self._output(None, len(once[0]))
        self._evaluate("instances", once, device, threads, vertices)
        return Instances(vertices, head, once[2])

    def instances_on_device(
        self, clip: ArrayLike, frame: ArrayLike, prefix: ArrayLike | None = None, *, device: str
    ) -> DeviceInstances:
        """:meth:`instances` whose vertices stay on a device; parameters are those of :meth:`evaluate_on_device`."""
        function = "instances_on_device"
        once, head = self._states(function, self._heads(function, clip, frame, prefix))
        resident = self._resident(function, device)
        return DeviceInstances(on_device.evaluate_on_device(resident, once, None), head, once[2])

    def _heads(self, function: str, clip: ArrayLike, frame: ArrayLike, prefix: ArrayLike | None) -> on_device.Heads:
        """Clip, frame and prefix of every head, each (H,); the engine checks their values."""
        clips = whole_per_head(function, "clip", clip)
        prefixes = whole_per_head(function, "prefix", self._rig.num_shapes if prefix is None else prefix)
        frames = numbers_per_head(function, "frame", frame)
        sizes = {"clip": clips.shape, "frame": frames.shape, "prefix": prefixes.shape}
        lengths = {name: shape[0] for name, shape in sizes.items() if shape}
        heads = next(iter(lengths.values()), 1)
        for name, length in lengths.items():
            if length != heads:
                raise bad_argument(function, name, f"{length} long", f"{heads} long, one per head")
        return np.broadcast_to(clips, heads), np.broadcast_to(frames, heads), np.broadcast_to(prefixes, heads)

    def _states(self, function: str, heads: on_device.Heads) -> tuple[on_device.Heads, NDArray[np.int32]]:
        """Each state that occurs, and that of each head (H,)."""
        first, of_head = self._engine.states(function, *heads)
        clips, frames, prefixes = heads
        return (clips[first], frames[first], prefixes[first]), of_head

    def _evaluate(self, function: str, heads: on_device.Heads, device: str, threads: int, out: Float32) -> None:
        """Write the vertices (H, V, 3) of heads; those that are alike are computed once."""
        if device == "cpu":
            self._engine.evaluate(*heads, out, threads)
        else:
            self._resident(function, device).evaluate(*heads, out)

    def _resident(self, function: str, device: str) -> ResidentCrowd:
        """The crowd on a device, copied by the first call."""
        return on_device.resident_crowd(function, self._rig, self._engine, device)

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

    def __reduce__(self) -> tuple[type[Crowd], tuple[BlendshapeRig, list[Float32], NDArray[np.int32]]]:
        """For pickle and copy: rig, clips and order."""
        clips = [self.weights(clip, np.arange(count)) for clip, count in enumerate(self._num_frames)]
        return Crowd, (self._rig, clips, self._order)
