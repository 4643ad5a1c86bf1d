"""What commands say of a differential model."""

from __future__ import annotations

from typing import Any

from rigcast._core import Deformer, DifferentialModel
from rigcast._rigs.base_shapes import base_words
from rigcast.report._differential.cost import multiply_adds


def differential_facts(model: Deformer) -> dict[str, Any]:
    """Facts of a model of kind "differential" by name; empty for any other."""
    if not isinstance(model, DifferentialModel):
        return {}
    training = model.metadata.get("training", {})
    facts: dict[str, Any] = {
        **({"base": words} if (words := base_words(model.metadata)) else {}),
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
