"""Trained maps as the tensors of a model file, and the errors of each quality step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast.training._export import Tensors
from rigcast.training._face_maps._layout.segments import COARSE, Layout, MapSegment
from rigcast.training._face_maps._rows import Rows
from rigcast.training._face_maps._train.shapes import MapShape, Scaling
from rigcast.training._optimizers import Arrays

FRAMES_AT_ONCE = 32
MOST_MEASURED = 400  # held-out rows per quality step, evenly spaced


@dataclass(frozen=True)
class LearnedMap:
    """The network of one segment; ``scaling`` in the unit of the rig.

    Attributes
    ----------
    segment : MapSegment
    shape : MapShape
    scaling : Scaling
    weights : dict of arrays
        As the layers of the shape.
    """

    segment: MapSegment
    shape: MapShape
    scaling: Scaling
    weights: Arrays


def map_tensors(learned: list[LearnedMap], layout: Layout) -> Tensors:
    """The tensors ``segments.*``, ``inputs.*``, ``segment.NNN.*`` and ``parts.*``."""
    segments = [item.segment for item in learned]
    followers = [part.followers for part in layout.parts]
    tensors: Tensors = {
        "segments.offset": _offsets([len(segment.vertices) for segment in segments]),
        "segments.vertex": _joined([segment.vertices for segment in segments], np.int32),
        "segments.uv": _joined([segment.uvs for segment in segments], np.float32).reshape(-1, 2),
        "segments.weight": _joined([segment.weights for segment in segments], np.float32),
        "segments.level": np.array([segment.level for segment in segments], np.int32),
        "inputs.offset": _offsets([len(segment.columns) for segment in segments]),
        "inputs.column": _joined([segment.columns for segment in segments], np.int32),
        "parts.offset": _offsets([len(part.vertices) for part in layout.parts]),
        "parts.vertex": _joined([part.vertices for part in layout.parts], np.int32),
        "parts.follower": np.array(followers, np.int32).reshape(len(followers), -1 if followers else 3),
    }
    for number, item in enumerate(learned):
        layers = item.shape.file_layers(item.weights, item.scaling)
        tensors |= {f"segment.{number:03d}.{name}": value for name, value in layers.items()}
    return tensors


def quality_steps(
    tensors: Tensors, metadata: dict[str, Any], learned: list[LearnedMap], layout: Layout, ds: Any, rows: Rows
) -> dict[str, dict[str, float]]:
    """Held-out errors of each step of quality, by its name: millimeters and degrees."""
    text = json.dumps(metadata)
    coarse = [item for item in learned if item.segment.level == COARSE]
    whole = {name: value for name, value in tensors.items() if not name.startswith(("segment", "inputs.", "parts."))}
    steps = {"coarse": (whole | map_tensors(coarse, layout), text), "refined": (tensors, text)}
    if len(coarse) == len(learned):
        del steps["refined"]
    steps["16-bit"] = (tensors, json.dumps(metadata | {"network_storage": "16-bit"}))
    some = rows[:: -(-len(rows) // MOST_MEASURED)]
    return {name: errors(_core.model_from_tensors(*given), ds, some) for name, given in steps.items()}


def errors(model: Deformer, ds: Any, rows: Rows) -> dict[str, float]:
    """Mean and largest distance in millimeters, and the mean angle of face normals in degrees, on some rows."""
    total, most = 0.0, 0.0
    angles: list[float] = []
    for begin in range(0, len(rows), FRAMES_AT_ONCE):
        _, poses, truth = ds.take(rows[begin : begin + FRAMES_AT_ONCE])
        found = model.evaluate(poses)
        distance = np.linalg.norm(found.astype(np.float64) - truth, axis=2)
        total += float(distance.mean(axis=1).sum())
        most = max(most, float(distance.max()))
        angle = _core.face_normal_angles(truth, found, np.asarray(ds.faces), 0)
        angles.append(float(np.nanmean(angle)) * len(poses) if np.isfinite(angle).any() else 0.0)
    scale = 1e3 * ds.meters_per_unit
    return {
        "mean_mm": scale * total / len(rows),
        "max_mm": scale * most,
        "normals_degrees": sum(angles) / len(rows),
        "poses": len(rows),
    }


def _offsets(sizes: list[int]) -> NDArray[np.int32]:
    return np.array([0, *np.cumsum(sizes)], np.int32)


def _joined(parts: list[Any], dtype: Any) -> NDArray[Any]:
    flat = [np.asarray(part).reshape(-1) for part in parts]
    return np.ascontiguousarray(np.concatenate([np.zeros(0), *flat]), dtype)
