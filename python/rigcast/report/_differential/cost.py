"""The cost of one pose of a differential model."""

from __future__ import annotations

import numpy as np

from rigcast._core import DifferentialModel


def multiply_adds(model: DifferentialModel) -> int:
    """Multiply-adds of one pose: networks as if nothing were zero, the last step folded, and the transforms."""
    tensors = model.tensors()
    sizes = {name: array.size for name, array in tensors.items()}
    networks = sum(size for name, size in sizes.items() if ".layer" in name and name.endswith(".weight"))
    vertices, anchors = len(model.rest_vertices), model.num_anchors
    tail = 3 * vertices * model.num_components + 3 * vertices * anchors
    influences = np.shape(tensors.get("skin.joint", np.zeros((0, 0))))[1]
    return int(networks + tail + vertices * (12 * influences + 9 * bool(influences)))
