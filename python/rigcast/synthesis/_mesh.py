"""The effects of controls on a mesh: a rig of any kind behind one interface, and its linear effects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig, Deformer
from rigcast._rigs.rig import Rig
from rigcast._validate import bad_argument
from rigcast.sources._model_channels import ModelChannels
from rigcast.synthesis._clips.rotations import Rotations
from rigcast.synthesis._coordinates import Coordinates

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

MOST_VERTICES = 5000  # that distances are measured on: every n-th of larger meshes
FRAMES_AT_ONCE = 256
STEPS = (-2, -1, 1, 2)  # standard deviations at which a control's effect is probed (Bailey 2020, equation 5.3)
SMALL = 1e-7  # of the largest effect, and of a coordinate: what is below has no effect, or does not move


class ControlledMesh:
    """Vertices of controls, of a rig, of a learned model by its channels, or of a blendshape rig by its weights.

    Parameters
    ----------
    rig : Rig or Deformer
    function : str
        Public name, for errors.

    Attributes
    ----------
    control_names : list of N str
    limits : (N, 2) float64
    rotations : Rotations
    has_joints : bool
        Whether controls are channels of a skeleton, and not the rows of poses themselves.
    millimeters : float
        Of one unit of the rig.

    Raises
    ------
    ValueError
        If the object is no rig, or a model whose joints no channel turns.
    """

    def __init__(self, rig: Any, function: str) -> None:
        self.rig = rig
        self.rotations = Rotations(np.zeros((0, 3), np.int32), [])
        if isinstance(rig, Deformer):
            self._read_model(rig, function)
        elif isinstance(rig, Rig):
            self.control_names = list(rig.channel_names)
            self.limits = np.asarray(rig.channel_ranges, np.float64).reshape(-1, 2)
            self.rotations = Rotations.of_channels(getattr(rig, "rotation_channels", []))
            self.has_joints = rig.skeleton is not None
        else:
            expected = "a rig, a model or a blendshape rig"
            raise bad_argument(function, "rig", f"a {type(rig).__name__}", expected)
        count = len(rig.rest_vertices)
        self._vertices = np.arange(0, count, -(-count // MOST_VERTICES), dtype=np.int32)
        model = isinstance(rig, Deformer)
        self._measured = rig.restricted(self._vertices) if model and len(self._vertices) < count else rig
        self.millimeters = 1e3 * float(getattr(rig, "meters_per_unit", 1.0))

    def _read_model(self, model: Deformer, function: str) -> None:
        self.has_joints = bool(model.joint_names)
        if isinstance(model, BlendshapeRig):
            self.control_names = list(model.shape_names)
            self.limits = np.asarray(model.bounds, np.float64).reshape(-1, 2)
        elif self.has_joints:
            channels = ModelChannels(model, function)
            self.control_names, self.limits = channels.channel_names, channels.channel_ranges
            self.rotations = Rotations.of_channels(channels.rotation_channels)
        else:
            self.control_names = list(model.control_names)
            self.limits = np.asarray(model.control_ranges, np.float64)

    def poses(self, controls: NDArray[np.floating[Any]]) -> Float32:
        """(T, C) pose rows of controls (T, N)."""
        given = np.ascontiguousarray(controls, np.float32)
        if not isinstance(self.rig, Deformer):
            return np.asarray(self.rig.sample(given)[0])
        return np.asarray(self.rig.poses_from_channels(given)) if self.has_joints else given

    def vertices(self, controls: NDArray[np.floating[Any]]) -> Float64:
        """(T, 3 S) positions of the S vertices that are measured, so scaled that distances are root mean squares.

        The Euclidean distance between two rows is the root mean square distance of the vertices, in the rig's unit.
        """
        return np.concatenate([*self._parts(controls), np.zeros((0, 3 * len(self._vertices)))])

    def _parts(self, controls: NDArray[np.floating[Any]]) -> Iterator[Float64]:
        scale = 1.0 / np.sqrt(len(self._vertices))
        for begin in range(0, len(controls), FRAMES_AT_ONCE):
            given = np.ascontiguousarray(controls[begin : begin + FRAMES_AT_ONCE], np.float32)
            if isinstance(self.rig, Deformer):
                moved = self._measured.evaluate(self.poses(given))
            else:
                moved = np.asarray(self.rig.sample(given)[1])[:, self._vertices]
            yield scale * moved.reshape(len(given), -1).astype(np.float64)

    def distances(self, first: NDArray[np.floating[Any]], second: NDArray[np.floating[Any]]) -> Float64:
        """(T,) root mean square distances of the meshes of controls (T, N), in the rig's unit."""
        result = np.empty(len(first))
        for begin in range(0, len(first), FRAMES_AT_ONCE):
            rows = slice(begin, begin + FRAMES_AT_ONCE)
            result[rows] = np.linalg.norm(self.vertices(first[rows]) - self.vertices(second[rows]), axis=1)
        return result


def effects_of(
    mesh: ControlledMesh, around: Coordinates, deviation: Float64, mean: Float64 | None = None
) -> tuple[Float64, Float64]:
    """The effect of each coordinate on the mesh.

    With e the vertices, s_i the standard deviation of a coordinate and d the step that remains inside the limits of
    ``n s_i``, n = -2, -1, 1, 2 (Bailey 2020, equation 5.3):

        w_i = argmin_w sum_n (|e(mean + d_n) - e(mean)| - w |d_n|)^2
        E_i = sum_n d_n (e(mean + d_n) - e(mean)) / sum_n d_n^2

    Parameters
    ----------
    mesh : ControlledMesh
    around : Coordinates
    deviation : (N,) array
        Coordinates of deviation 0 are not probed: their effect is 0.
    mean : (N,) array, optional
        Coordinates around which is probed; default: 0, the mean of all clips.

    Returns
    -------
    weights : (N,) array
        Root mean square displacement of the vertices per unit of the coordinate.
    effects : (N, R) array
        Of which the Euclidean length of ``(q_a - q_b) @ effects`` is that of ``(q_a - q_b) @ E``.
    """
    width = len(deviation)
    probed = np.flatnonzero(deviation > 0)
    base = np.zeros(width) if mean is None else mean
    center = mesh.vertices(around.controls(base[None]))[0]
    weights, linear = np.zeros(width), np.zeros((width, len(center)))
    for i in probed:
        steps = np.tile(base, (len(STEPS), 1))
        steps[:, i] += np.array(STEPS) * deviation[i]
        controls = around.controls(steps)
        moved = around.of(controls)[:, i] - base[i]
        apart = mesh.vertices(controls) - center
        square = float(moved @ moved)
        if square > 0.0:
            weights[i] = float(np.abs(moved) @ np.linalg.norm(apart, axis=1)) / square
            linear[i] = moved @ apart / square
    return weights, _factor(linear @ linear.T)


def _factor(gram: Float64) -> Float64:
    """(N, R) with ``factor @ factor.T`` equal to a Gram matrix, as few columns as it has rank."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-12 * max(float(values.max(initial=0.0)), 1e-300)
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
