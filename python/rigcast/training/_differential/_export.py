"""The tensors of a trained differential model that no other kind has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._differential._labels import Labels
from rigcast.training._differential._networks import Layers, SubspaceProblem
from rigcast.training._optimizers import Arrays

Tensors = dict[str, NDArray[Any]]


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
