"""A trained differential model as tensors and metadata."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._hashing import padded_faces, topology_hash
from rigcast._pose_statistics.confidence import confidence_of
from rigcast._rigs.model_surface import surface_tensors
from rigcast._rigs.surface import surface_of
from rigcast.training._differential._labels import Labels
from rigcast.training._differential._networks import Layers, SubspaceProblem
from rigcast.training._optimizers import Arrays

Tensors = dict[str, NDArray[Any]]


def common_tensors(ds: Any, poses: NDArray[np.float32], extent: float, read: NDArray[np.bool_]) -> Tensors:
    """The tensors that every kind of model has, from training poses; with or without joints.

    Parameters
    ----------
    read : (C,) bool
        Columns that a network reads: the others take part in no confidence.
    """
    joints = 0 if ds.skeleton is None else ds.skeleton.num_joints
    skeleton = {} if not joints else {"skeleton.parents": ds.skeleton.parents, "skeleton.rest": ds.skeleton.rest}
    return {
        **skeleton,
        "rest_vertices": np.asarray(ds.rest_vertices, np.float32),
        "faces": padded_faces(ds.faces, "differential", len(ds.rest_vertices), "ds.faces"),
        "control_ranges": np.stack([poses.min(axis=0), poses.max(axis=0)], axis=1).astype(np.float32),
        **surface_tensors(surface_of(ds)),
        **confidence_of(poses, joints, ~read, extent),
    }


def common_metadata(ds: Any, training: dict[str, Any]) -> dict[str, Any]:
    """Metadata of a model learned from a data set."""
    return {
        "kind": "differential",
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
        "laplacian": "D - A",
        **surface_of(ds).names(),
        **({"resting": ds.resting} if getattr(ds, "resting", None) else {}),
        **({"notes": ds.notes} if getattr(ds, "notes", None) else {}),
        "training": training,
        "channels": ds.channel_entry,
    }


def learned_tensors(problem: SubspaceProblem, weights: Arrays) -> Tensors:
    """Networks, basis, anchors and skinning."""
    labels = problem.labels
    return {
        "delta.basis": labels.basis,
        "delta.mean": labels.mean,
        "anchors.vertex": labels.anchors,
        "anchors.weight": np.full(len(labels.anchors), problem.settings.anchor_weight, np.float32),
        **labels.transforms.tensors(),
        **_network(problem, weights, labels),
        **_anchor_networks(problem, weights),
        **({} if labels.base is None else labels.base.tensors()),
    }


def _network(problem: SubspaceProblem, weights: Arrays, labels: Labels) -> Tensors:
    layers = problem.layers(problem.network, weights, 0)
    last, bias = layers[-1]
    if problem.settings.loss == "displacement":  # y = z metric
        back = np.linalg.inv(labels.metric)
        last, bias = last @ back, bias @ back
    layers[-1] = last, bias + problem.center
    result: Tensors = {"inputs.column": problem.network.columns[0]}
    for i, (weight, offset) in enumerate(layers, 1):
        result[f"network.layer{i}.weight"] = np.ascontiguousarray(weight.T, np.float32)
        result[f"network.layer{i}.bias"] = offset.astype(np.float32)
    return result


def _anchor_networks(problem: SubspaceProblem, weights: Arrays) -> Tensors:
    groups, count = problem.anchors, len(problem.anchor_columns)
    hidden, last = max(group.hidden for group in groups), groups[0].layers + 1
    layers = {
        s: _widened(problem.layers(group, weights, i), hidden)
        for group, members in zip(groups, problem.trained, strict=True)
        for i, s in enumerate(members)
    }
    outputs = groups[0].targets.shape[2]
    resting = [(np.zeros((0, hidden)), np.zeros(hidden))]  # a network without inputs: its mean alone
    resting += [(np.zeros((hidden, hidden)), np.zeros(hidden))] * (last - 2)
    resting += [(np.zeros((hidden, outputs)), np.zeros(outputs))]
    networks = [layers.get(s, resting) for s in range(count)]
    columns = problem.anchor_columns
    result: Tensors = {
        "anchors.offset": (outputs // 3 * np.arange(count + 1)).astype(np.int32),
        "anchors.input.offset": np.array([0, *np.cumsum([len(c) for c in columns])], np.int32),
        "anchors.column": np.concatenate(columns).astype(np.int32),
        "anchors.layer1.weight": np.concatenate([network[0][0] for network in networks]).astype(np.float32),
    }
    for i in range(1, last):
        if i > 1:
            stacked = np.stack([network[i - 1][0].T for network in networks])
            result[f"anchors.layer{i}.weight"] = np.ascontiguousarray(stacked, np.float32)
        result[f"anchors.layer{i}.bias"] = np.stack([network[i - 1][1] for network in networks]).astype(np.float32)
    centers = [network[-1][1] + problem.anchor_center[s] for s, network in enumerate(networks)]
    result[f"anchors.layer{last}.weight"] = np.concatenate([n[-1][0].T for n in networks]).astype(np.float32)
    result[f"anchors.layer{last}.bias"] = np.concatenate(centers).astype(np.float32)
    return result


def _widened(layers: Layers, hidden: int) -> Layers:
    """The layers with so many hidden units: the others are 0, and read by none."""
    result = []
    for i, (weight, bias) in enumerate(layers, 1):
        ends = (0 if i == 1 else hidden - len(weight)), (0 if i == len(layers) else hidden - len(bias))
        result.append((np.pad(weight, ((0, ends[0]), (0, ends[1]))), np.pad(bias, (0, ends[1]))))
    return result
