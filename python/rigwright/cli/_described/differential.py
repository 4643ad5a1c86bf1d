"""What commands say of a differential model."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigwright._core import Deformer, DifferentialModel


def differential_facts(model: Deformer) -> dict[str, Any]:
    """Facts of a model of kind "differential" by name; empty for any other."""
    if not isinstance(model, DifferentialModel):
        return {}
    training = model.metadata.get("training", {})
    facts: dict[str, Any] = {
        "components": model.num_components,
        "anchors": model.num_anchors,
        "linear_transforms": model.transforms,
        "last_step": model.tail,
        "multiply_adds_per_pose": multiply_adds(model),
        "bytes_read_per_pose": model.num_bytes,
        "network_storage": model.storage,
    }
    if "seconds" in training:
        facts["trained_for_minutes"] = round(training["seconds"] / 60.0, 1)
    return facts


def multiply_adds(model: DifferentialModel) -> int:
    """Multiply-adds of one pose: networks as if nothing were zero, the last step folded, and the transforms."""
    tensors = model.tensors()
    sizes = {name: array.size for name, array in tensors.items()}
    networks = sum(size for name, size in sizes.items() if ".layer" in name and name.endswith(".weight"))
    vertices, anchors = len(model.rest_vertices), model.num_anchors
    tail = 3 * vertices * model.num_components + 3 * vertices * anchors
    influences = np.shape(tensors.get("skin.joint", np.zeros((0, 0))))[1]
    return int(networks + tail + vertices * (12 * influences + 9 * bool(influences)))
