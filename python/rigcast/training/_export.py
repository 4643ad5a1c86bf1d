"""A trained model as tensors and metadata, and its errors on poses it has not seen."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast._hashing import topology_hash
from rigcast._rigs.model_surface import surface_tensors
from rigcast._rigs.surface import surface_of
from rigcast.training._body.basis import Basis
from rigcast.training._body.partition import VertexSets

Tensors = dict[str, NDArray[Any]]
LARGEST_SAMPLE = 20_000_000  # distances that the percentile is taken from at most


@dataclass(frozen=True)
class LearnedSet:
    """The columns, basis and layers of one vertex set.

    Attributes
    ----------
    columns : (n,) int32 array
    basis : Basis
    layers : dict of arrays
        ``layer1.weight`` ... ``layer3.bias``; empty for a set without a network.
    """

    columns: NDArray[np.int32]
    basis: Basis
    layers: dict[str, NDArray[np.float32]]


def set_tensors(sets: VertexSets, learned: list[LearnedSet]) -> Tensors:
    """The tensors ``sets.*``, ``inputs.*`` and ``set.NNN.*``; the square roots of the weights leave the bases."""
    columns = [part.columns if part.layers else part.columns[:0] for part in learned]
    tensors: Tensors = {
        "sets.joint": sets.joint,
        "sets.offset": sets.offset,
        "sets.vertex": sets.vertex,
        "sets.weight": sets.weight,
        "inputs.offset": np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int32),
        "inputs.column": np.concatenate(columns).astype(np.int32),
    }
    for i, part in enumerate(learned):
        root = np.repeat(np.sqrt(sets.weight[sets.members(i)].astype(np.float64)), 3)
        tensors[f"set.{i:03d}.mean"] = (part.basis.mean / root).astype(np.float32)
        components = part.basis.components if part.layers else part.basis.components[:, :0]
        tensors[f"set.{i:03d}.basis"] = (components / root[:, None]).astype(np.float32)
        tensors.update({f"set.{i:03d}.{name}": value for name, value in part.layers.items()})
    return tensors


def common_tensors(ds: Any, poses: NDArray[np.float32]) -> Tensors:
    """The tensors that every kind of model has; the control ranges come from the training poses."""
    skeleton = (
        {}
        if ds.skeleton is None
        else {
            "skeleton.parents": np.asarray(ds.skeleton.parents, np.int32),
            "skeleton.rest": np.asarray(ds.skeleton.rest, np.float32),
        }
    )
    return {
        **skeleton,
        "rest_vertices": np.asarray(ds.rest_vertices, np.float32),
        "faces": np.asarray(ds.faces, np.int32),
        "control_ranges": np.stack([poses.min(axis=0), poses.max(axis=0)], axis=1).astype(np.float32),
        **surface_tensors(surface_of(ds)),
    }


def common_metadata(ds: Any, kind: str, training: dict[str, Any]) -> dict[str, Any]:
    """Metadata of a model learned from a data set."""
    return {
        "kind": kind,
        "version": 1,
        "name": ds.name,
        "joint_names": [] if ds.skeleton is None else list(ds.skeleton.names),
        "numeric_controls": list(ds.dial_names),
        "topology_hash": topology_hash(ds.faces, len(ds.rest_vertices)),
        "meters_per_unit": ds.meters_per_unit,
        "up_axis": ds.up_axis,
        "licence": ds.licence,
        "origin": ds.origin,
        "data_hash": ds.hash,
        **surface_of(ds).names(),
        **({"resting": ds.resting} if getattr(ds, "resting", None) else {}),
        **({"notes": ds.notes} if getattr(ds, "notes", None) else {}),
        "training": training,
        "channels": ds.channel_entry,
    }


def rest_pose(ds: Any) -> NDArray[np.float32]:
    """The pose (C,) in which a character has its rest vertices: joints at rest, dials as the rig has them then."""
    entry = getattr(ds, "channel_entry", None) or {"list": []}
    dials = {channel["name"]: channel["rest"] for channel in entry["list"] if channel["kind"] == "dial"}
    joints = np.zeros(0) if ds.skeleton is None else np.asarray(ds.skeleton.rest).reshape(-1)
    return np.array([*joints, *(dials.get(name, 0.0) for name in ds.dial_names)], np.float32)


def measured(tensors: Tensors, metadata: dict[str, Any], ds: Any, rows: NDArray[np.integer[Any]]) -> Deformer:
    """The model with its errors on held-out rows: tensors ``error.*`` (V,) and the summary in the metadata."""
    model = _core.model_from_tensors(tensors, json.dumps(metadata))
    errors, summary = errors_of(model, ds, rows)
    added = mechanism_error(model, ds, rows)
    stated = {"error": summary} | ({} if added is None else {"mechanism_error": added})
    return _core.model_from_tensors(tensors | errors, json.dumps(metadata | stated))


def mechanism_error(model: Deformer, ds: Any, rows: NDArray[np.integer[Any]]) -> dict[str, Any] | None:
    """The distances of vertices that arise because a mechanism makes the poses of rows from their channels, in units
    of the rig.

    None if the rig states no mechanism, or it does not decide the poses.
    """
    entry = model.metadata["channels"]
    undecided = entry.get("joints") or any(channel["reason"] for channel in entry["list"])
    if "mechanism" not in entry or undecided:
        return None
    total, largest = 0.0, 0.0
    for begin in range(0, len(rows), 32):
        channels, poses, _ = ds.take(rows[begin : begin + 32])
        made = model.evaluate(model.poses_from_channels(channels))
        distance = np.linalg.norm(made - model.evaluate(poses), axis=2)
        total += float(distance.mean(axis=1).sum())
        largest = max(largest, float(distance.max(initial=0.0)))
    return {"mean": total / max(len(rows), 1), "max": largest, "poses": len(rows)}


def errors_of(model: Deformer, ds: Any, rows: NDArray[np.integer[Any]]) -> tuple[Tensors, dict[str, Any]]:
    """The tensors ``error.*`` (V,) of a model on rows of a data set, and their summary."""
    count = len(ds.rest_vertices)
    total, squares, largest = np.zeros(count), 0.0, np.zeros(count)
    sample: list[NDArray[np.float32]] = []
    stride = max(1, -(-len(rows) * count // LARGEST_SAMPLE))
    for begin in range(0, len(rows), 32):
        _, poses, truth = ds.take(rows[begin : begin + 32])
        distance = np.linalg.norm(model.evaluate(poses) - truth, axis=2)
        total += distance.sum(axis=0)
        squares += float(np.square(distance, dtype=np.float64).sum())
        largest = np.maximum(largest, distance.max(axis=0))
        sample.append(distance.ravel()[::stride])
    summary = {
        "mean": float(total.mean() / len(rows)),
        "rms": float(np.sqrt(squares / (len(rows) * count))),
        "p95": float(np.percentile(np.concatenate(sample), 95)),
        "max": float(largest.max()),
        "poses": len(rows),
        "unit": f"{ds.meters_per_unit:g} m",
    }
    return {"error.mean": (total / len(rows)).astype(np.float32), "error.max": largest.astype(np.float32)}, summary
