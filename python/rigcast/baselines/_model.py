"""A fitted baseline as a model: the tensors and metadata that all kinds share, and its errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast._hashing import padded_faces, topology_hash
from rigcast._pose_statistics.confidence import confidence_of
from rigcast.baselines._samples import BaselineExamples

Tensors = dict[str, NDArray[Any]]
_FRAMES_AT_ONCE = 64
_LARGEST_SAMPLE = 20_000_000  # distances that the percentile is taken from at most


def model(
    kind: str,
    examples: BaselineExamples,
    tensors: Tensors,
    training: Mapping[str, Any],
    threads: int,
    held_out: NDArray[np.intp] | None = None,
) -> Deformer:
    """The model of a kind with its own tensors, and its errors on the poses that it was fitted to.

    Parameters
    ----------
    training : mapping
        The method and its options: the metadata entry ``training``, with the number of samples and the protocol.
    held_out : (N,) integers, optional
        Examples that were not fitted to: errors are those on them.
    """
    all_tensors = {**_common_tensors(examples), **tensors}
    metadata = _metadata(kind, examples, training)
    fitted = _core.model_from_tensors(all_tensors, json.dumps(metadata))
    errors, summary = _errors(fitted, examples, threads, held_out)
    return _core.model_from_tensors(all_tensors | errors, json.dumps(metadata | {"error": summary}))


def numeric_controls(examples: BaselineExamples) -> list[str]:
    """Names of the pose columns after the joints'."""
    count = examples.poses.shape[1] - 12 * examples.num_joints
    names = list(getattr(examples.data, "dial_names", []))
    return names if len(names) == count else [f"control{i}" for i in range(count)]


def _common_tensors(examples: BaselineExamples) -> Tensors:
    skeleton, poses = examples.data.skeleton, examples.poses
    joints = {} if skeleton is None else {"skeleton.parents": skeleton.parents, "skeleton.rest": skeleton.rest}
    still = np.ptp(poses, axis=0) == 0.0
    return {
        **joints,
        "rest_vertices": examples.rest,
        "faces": padded_faces(examples.data.faces, "baselines", len(examples.rest), "data.faces"),
        "control_ranges": np.ascontiguousarray(examples.ranges),
        **confidence_of(poses, examples.num_joints, still, examples.extent),
    }


def _metadata(kind: str, examples: BaselineExamples, training: Mapping[str, Any]) -> dict[str, Any]:
    data, skeleton = examples.data, examples.data.skeleton
    defaults = {"name": "", "meters_per_unit": 1.0, "up_axis": "Y", "licence": "", "origin": ""}
    channels, notes = getattr(data, "channel_entry", None), getattr(data, "notes", None)
    return {
        "kind": kind,
        "version": 1,
        **{key: getattr(data, key, value) for key, value in defaults.items()},
        "joint_names": [] if skeleton is None else list(skeleton.names),
        "numeric_controls": numeric_controls(examples),
        "topology_hash": topology_hash(data.faces, len(examples.rest)),
        "data_hash": examples.hash,
        "training": {**training, "samples": len(examples), "fitted_on": examples.protocol},
        **({"notes": notes} if notes else {}),
        **({"channels": channels} if channels else {}),
    }


def _errors(
    fitted: Deformer, examples: BaselineExamples, threads: int, held_out: NDArray[np.intp] | None
) -> tuple[Tensors, dict[str, Any]]:
    """Tensors ``error.*`` (V,) and the summary, on held-out poses or on those that the model was fitted to."""
    judged = np.arange(len(examples)) if held_out is None else held_out
    count = len(examples.rest)
    total, largest, squares = np.zeros(count), np.zeros(count), 0.0
    sample: list[NDArray[np.float32]] = []
    stride = max(1, -(-len(judged) * count // _LARGEST_SAMPLE))
    for begin in range(0, len(judged), _FRAMES_AT_ONCE):
        rows = judged[begin : begin + _FRAMES_AT_ONCE]
        approximation = fitted.evaluate(examples.poses[rows], threads=threads)
        distance = _core.vertex_distances(examples.vertices[rows], approximation, threads)
        total += distance.sum(axis=0, dtype=np.float64)
        squares += float(np.square(distance, dtype=np.float64).sum())
        largest = np.maximum(largest, distance.max(axis=0))
        sample.append(distance.ravel()[::stride])
    summary = {
        "mean": float(total.mean() / len(judged)),
        "rms": float(np.sqrt(squares / (len(judged) * count))),
        "p95": float(np.percentile(np.concatenate(sample), 95)),
        "max": float(largest.max()),
        "poses": len(judged),
        "on": examples.protocol if held_out is None else f"held-out part of the {examples.protocol}",
        "unit": f"{float(getattr(examples.data, 'meters_per_unit', 1.0)):g} m",
    }
    errors = {"error.mean": (total / len(judged)).astype(np.float32), "error.max": largest.astype(np.float32)}
    return errors, summary
