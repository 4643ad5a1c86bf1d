"""Models of every kind, and sessions."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Float32, encoded_path, integers, numbers, output, threads_of
from ._description import Described
from ._library import Handle, call
from ._structures import CDescription, filled
from ._structures import numbers as pair


class Deformer(Described):
    """A forward model: maps poses (T, C) to vertices (T, V, 3). Immutable and thread-safe.

    ``load`` reads one from a file. A pose is one row of C = 12 J + K numbers: the parent-relative 3x4 transforms of
    the J joints (row-major, column vectors), then the K numeric controls. One pose (C,) gives one mesh (V, 3).

    Results do not depend on the number of threads nor on the other poses of a batch, to the last bit.

    Examples
    --------
    >>> model = rr.load("face.safetensors")
    >>> model.kind, model.num_vertices
    ('blendshape', 2536)
    >>> model.evaluate(model.rest_pose).shape
    (2536, 3)
    """

    _handle: Handle
    _width: int  # C
    _classes: ClassVar[dict[str, type[Deformer]]] = {}

    def __init__(self) -> None:
        raise TypeError(f"a {type(self).__name__} is read from a file: rigcast_runtime.load(path)")

    def __init_subclass__(cls, *, kind: str) -> None:
        Deformer._classes[kind] = cls

    def __repr__(self) -> str:
        return f"<rigcast_runtime.{type(self).__name__}: {self.kind}, {self.num_vertices} vertices>"

    def _adopt(self, handle: Handle) -> None:
        """Take an object of the library as this model."""
        self._handle = handle
        self._facts = filled(CDescription, {})
        call("describe", self._handle.pointer, ctypes.byref(self._facts))
        self._width = int(self._facts.columns)

    def _rows(self, function: str, poses: ArrayLike) -> tuple[Float32, int, bool]:
        """Poses as an array, their number, and True for a single one."""
        given = numbers(function, "poses", poses, (self._width,), ("T", self._width))
        return (given, 1, True) if given.ndim == 1 else (given, len(given), False)

    def evaluate(self, poses: ArrayLike, *, threads: int = 0, out: Float32 | None = None) -> Float32:
        """Vertices of poses.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)
        threads : int
            0: all processors. The result does not depend on it.
        out : ndarray of float32, optional
            Where the vertices are written.

        Returns
        -------
        ndarray of float32, shape (T, V, 3), or (V, 3) of one pose
            In the model's unit.

        Raises
        ------
        ValueError
            If the width is wrong, or a value is not finite or too large.
        """
        given, frames, single = self._rows("evaluate", poses)
        count = threads_of("evaluate", threads)
        result = output("evaluate", out, _shape(frames, single, self.num_vertices, 3), given)
        call("evaluate", self._handle.pointer, frames, *pair(given), *pair(result), count)
        return result

    def vjp(self, poses: ArrayLike, cotangents: ArrayLike, *, threads: int = 0) -> Float32:
        """Vector-Jacobian product: the gradient of ``sum(vertices * cotangents)`` by the poses.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)
        cotangents : array_like, shape (T, V, 3), or (V, 3) with one pose
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        ndarray of float32, shape (T, C), or (C,) of one pose
            At a kink (the corner of a tent) a one-sided derivative.

        Raises
        ------
        ValueError
            If a shape is wrong, a value is not finite or too large, or a gradient overflows float32.
        """
        given, frames, single = self._rows("vjp", poses)
        seeds = numbers("vjp", "cotangents", cotangents, _shape(frames, single, self.num_vertices, 3))
        count, result = threads_of("vjp", threads), np.empty(given.shape, np.float32)
        call("vjp", self._handle.pointer, frames, *pair(given), *pair(seeds), *pair(result), count)
        return result

    def jvp(self, poses: ArrayLike, tangents: ArrayLike, *, threads: int = 0) -> Float32:
        """J tangents: the derivative of the vertices along one direction per frame.

        Parameters
        ----------
        poses : (T, C) or (C,)
        tangents : (T, C), or (C,) with one pose
            One direction per frame, in the units of the pose's columns.
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        (T, V, 3), or (V, 3) of one pose
            In units of length per unit of the direction. At a kink (the corner of a tent) the same one-sided derivative
            as in ``vjp``.

        Raises
        ------
        ValueError
            If a shape is wrong, a value is not finite or too large, or a derivative overflows float32.
        """
        given, frames, single = self._rows("jvp", poses)
        along = numbers("jvp", "tangents", tangents, given.shape)
        count = threads_of("jvp", threads)
        result = np.empty(_shape(frames, single, self.num_vertices, 3), np.float32)
        call("jvp", self._handle.pointer, frames, *pair(given), *pair(along), *pair(result), count)
        return result

    def confidence(self, poses: ArrayLike) -> Float32:
        """Trust in the model at poses: whether they lie among the training poses, and what error is expected there.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)

        Returns
        -------
        ndarray of float32, shape (T,)
            In [0, 1]; 1 among the training poses, and for formulas (skinning, blendshapes).

        Raises
        ------
        ValueError
            If the width is wrong or a value is not finite.
        """
        given, frames, _ = self._rows("confidence", poses)
        result = np.empty(frames, np.float32)
        call("confidence", self._handle.pointer, frames, *pair(given), *pair(result))
        return result

    def error_bound(self, poses: ArrayLike, *, threads: int = 0) -> Float32:
        """A bound on the error of each vertex that holds for 95 % of them on new poses.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        ndarray of float32, shape (T, V), or (V,) of one pose
            In the model's unit.

        Raises
        ------
        ValueError
            If the width is wrong, a value is not finite, or the model states no bound: formulas, and models learned
            from too few poses to hold 25 of them out.
        """
        given, frames, single = self._rows("error_bound", poses)
        count = threads_of("error_bound", threads)
        result = np.empty(_shape(frames, single, self.num_vertices), np.float32)
        call("error_bound", self._handle.pointer, frames, *pair(given), *pair(result), count)
        return result

    def restricted(self, vertices: ArrayLike) -> Deformer:
        """A model of some vertices only, in the given order.

        It has the same pose columns, gives the same bytes for these vertices, and computes only what they need. Its
        faces are those whose corners are all among the vertices.

        Parameters
        ----------
        vertices : (M,) integers
            Indices of vertices; repeats are allowed.

        Returns
        -------
        Deformer
            Of the same kind, with M vertices.

        Raises
        ------
        ValueError
            If an index is negative or out of range, or there is none.
        """
        chosen = integers("restricted", "vertices", vertices, ("M",))
        return model_of(Handle("model_free", "restrict", self._handle.pointer, *pair(chosen)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file; whatever happens, the path is the old file or all of the new one.

        Parameters
        ----------
        path : path-like
            ``.safetensors``

        Raises
        ------
        ValueError
            If the path is a folder or read-only, or its folder does not exist.
        """
        call("save", self._handle.pointer, encoded_path("save", path))

    def session(self) -> Session:
        """A session: evaluates one pose after another and recomputes only what changed."""
        return Session(self)

    def poses_from_channels(self, channels: ArrayLike) -> Float32:
        """Poses (T, C) float32 of channels (T, N), or (C,) of (N,), by plain kinematics, or by the mechanism of the rig
        (constraints, drivers, inverse kinematics) if the model keeps it. ValueError if something unknown decides a
        pose, with the names of its channels, or if the model file has no channels.
        """
        count = self._facts.channels
        given = numbers("poses_from_channels", "channels", channels, ("T", count), (count,), dtype=np.float64)
        frames = 1 if given.ndim == 1 else len(given)
        result = np.empty(_shape(frames, given.ndim == 1, self._facts.columns), np.float32)
        call("poses", self._handle.pointer, frames, *pair(given), *pair(result))
        return result

    def channels_from_poses(self, poses: ArrayLike) -> tuple[Float32, Float32 | float]:
        """Channels (T, N) float32 of poses (T, C), and residuals (T,): the largest absolute difference between the
        given pose and the pose of the channels found. Angles are inside their ranges if possible, and continuous from
        frame to frame. With a mechanism: least squares inside the ranges; channels without effect stay at rest. One
        pose (C,) gives (N,) and a number. ValueError as for poses_from_channels.
        """
        given, frames, single = self._rows("channels_from_poses", poses)
        found = np.empty(_shape(frames, single, self._facts.channels), np.float64)
        residuals = np.empty(frames, np.float32)
        call("channels", self._handle.pointer, frames, *pair(given), *pair(found), *pair(residuals))
        return found.astype(np.float32), float(residuals[0]) if single else residuals


class Session:
    """Evaluates one pose of a model after another and recomputes only what changed since the previous one. Made by
    ``Deformer.session()``.
    """

    def __init__(self, model: Deformer) -> None:
        self._model = model
        self._handle = Handle("session_free", "session_new", model._handle.pointer)
        self._lock = threading.Lock()

    def evaluate(self, pose: ArrayLike, out: Float32 | None = None) -> Float32:
        """Vertices of a pose, with the bytes of ``Deformer.evaluate``.

        Calls from several threads wait for each other.

        Parameters
        ----------
        pose : (C,)
        out : (V, 3) float32, optional
            An array to write into.

        Returns
        -------
        (V, 3)
            ``out`` if it is given, else a new array. Later calls do not change it.

        Raises
        ------
        ValueError
            If the width is wrong, a value is not finite or too large, or ``out`` has a wrong shape or type. The session
            stays usable.
        """
        given = numbers("evaluate", "pose", pose, (self._model._width,))
        result = output("evaluate", out, (self._model.num_vertices, 3), given)
        with self._lock:
            call("session_evaluate", self._handle.pointer, *pair(given), *pair(result))
        return result

    def set_detail(self, detail: ArrayLike) -> None:
        """Sets the detail of the evaluations that follow, for a face on deformation maps.

        It is 1 at first. A change costs no map that is drawn already.

        Parameters
        ----------
        detail : (R,)
            For each refinement segment a number in [0, 1]; 0 leaves it out.

        Raises
        ------
        ValueError
            If the shape is wrong, a value is outside of [0, 1], or the kind of model has no detail. The session stays
            as it is.
        """
        given = numbers("set_detail", "detail", detail, ("R",))
        with self._lock:
            call("session_set_detail", self._handle.pointer, *pair(given))

    @property
    def model(self) -> Deformer:
        """The model that it evaluates."""
        return self._model


def model_of(handle: Handle) -> Deformer:
    """An object of the library as a model of the class of its kind."""
    model = object.__new__(Deformer)
    model._adopt(handle)
    model.__class__ = Deformer._classes.get(model.kind, Deformer)
    return model


def _shape(frames: int, single: bool, *row: int) -> tuple[int, ...]:
    return row if single else (frames, *row)
