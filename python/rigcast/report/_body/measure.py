"""Distances of a model from the truth: arrays in, numbers out. Lengths are in millimeters, angles in degrees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast.metrics import SeamError, enveloping_error, normal_angle, seam_error
from rigcast.report._body.heldout import HeldOutPoses

HISTOGRAM_EDGES = np.logspace(-3, 3, 121)  # millimeters, twenty bins a decade

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Accuracy:
    """One model on one set of poses.

    Attributes
    ----------
    mean, rms, p95, max : float
        Vertex distance over all poses and vertices.
    enveloping : float
        Percent, see :func:`rigcast.metrics.enveloping_error`; NaN for a rig without joints.
    normal_angle : float
        Mean angle between the faces' normals.
    distances : (T, V) float32 array
    seams : SeamError or None
        On the edges between the model's own vertex sets, lengths in millimeters; None where it has no sets.
    """

    mean: float
    rms: float
    p95: float
    max: float
    enveloping: float
    normal_angle: float
    distances: NDArray[np.float32]
    seams: SeamError | None

    def figures(self) -> dict[str, float]:
        """The numbers of a table, by name with unit."""
        return {
            "mean_mm": self.mean,
            "rms_mm": self.rms,
            "p95_mm": self.p95,
            "max_mm": self.max,
            "enveloping_percent": self.enveloping,
            "normal_angle_degrees": self.normal_angle,
        }


def measure(model: Deformer, truth: HeldOutPoses, labels: NDArray[np.int32] | None = None) -> Accuracy:
    """Evaluate a model on held-out poses and measure it.

    Parameters
    ----------
    model : Deformer
    truth : HeldOutPoses
    labels : (V,) int array, optional
        Vertex sets for the seams; default the model's own, if it has any.
    """
    answer = model.evaluate(truth.poses)
    enveloping = np.nan
    if model.joint_names:
        enveloping = enveloping_error(
            truth.vertices, answer, poses=truth.poses, skeleton=model.skeleton, rest_vertices=model.rest_vertices
        )
    predicted, exact = in_millimeters(model, answer), in_millimeters(model, truth.vertices)
    # In the rig's unit, as bounds of errors are: rounded millimeters would put vertices at rest outside of theirs.
    distances = in_millimeters(model, _core.vertex_distances(answer, truth.vertices))
    sets = vertex_sets(model) if labels is None else labels
    return Accuracy(
        mean=float(distances.mean(dtype=np.float64)),
        rms=float(np.sqrt(np.square(distances, dtype=np.float64).mean())),
        p95=float(np.percentile(distances, 95)),
        max=float(distances.max()),
        enveloping=enveloping,
        normal_angle=normal_angle(exact, predicted, model.faces).mean,
        distances=distances,
        seams=None if sets is None else seam_error(exact, predicted, model.faces, labels=sets),
    )


def in_millimeters(model: Deformer, vertices: NDArray[np.float32]) -> NDArray[np.float32]:
    """Lengths in the rig's unit as millimeters."""
    return np.asarray(vertices * np.float32(1000.0 * model.meters_per_unit), np.float32)


def histogram(distances: NDArray[np.float32]) -> Array:
    """Share of all distances below the first of ``HISTOGRAM_EDGES``, between edges, and above the last."""
    bins = np.searchsorted(HISTOGRAM_EDGES, distances.ravel())
    return np.bincount(bins, minlength=len(HISTOGRAM_EDGES) + 1) / distances.size


def set_weights(model: Deformer) -> NDArray[np.float32] | None:
    """The weight of each vertex in each vertex set, (V, S), rows of sum 1; None for a model without sets."""
    if model.kind != "body":
        return None
    tensors = model.tensors()
    sizes = np.diff(tensors["sets.offset"])
    weights = np.zeros((len(model.rest_vertices), len(sizes)), np.float32)
    weights[tensors["sets.vertex"], np.repeat(np.arange(len(sizes)), sizes)] = tensors["sets.weight"]
    return weights


def vertex_sets(model: Deformer) -> NDArray[np.int32] | None:
    """The set that each vertex belongs to most, (V,)."""
    weights = set_weights(model)
    return None if weights is None else weights.argmax(axis=1).astype(np.int32)
