"""The lines that commands print about a model of deformation maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast._core import Deformer, FaceMaps
from rigcast._rigs.base_shapes import base_words
from rigcast.training import MapSegment, model_layout

LEAST = 1e-4  # millimeters: less is rounding


def face_maps_facts(model: Deformer) -> dict[str, Any]:
    """Facts of a model of kind "face_maps" by name; empty for any other."""
    if not isinstance(model, FaceMaps):
        return {}
    layout = model_layout(model)
    stated = model.metadata.get("face_maps", {})
    coarse, fine = layout.coarse, [segment for segment in layout.segments if segment.level > 0]
    needed, total = model.multiply_adds(), model.multiply_adds(all_texels=True)
    parts = [f"{part.name} ({len(part.vertices):,} vertices{_fit(part.error)})" for part in layout.parts]
    floors = [
        f"{floor.name} {length(floor.after[0])} mean, {length(floor.after[1])} max"
        for floor in layout.floors
        if np.isfinite(floor.after[0])
    ]
    facts: dict[str, Any] = {
        **({"base": words} if (words := base_words(model.metadata)) else {}),
        "map_segments": "; ".join(map(_segment, coarse)),
        "refinement_maps": "; ".join(map(_segment, fine)),
        "rigid_parts": "; ".join(parts),
        "multiply_adds_per_pose": needed,
        "multiply_adds_of_all_texels": total,
        "bytes_read_per_pose": model.num_bytes,
        "network_storage": model.storage,
    }
    if stated:
        facts |= {
            "trained_for_minutes": round(stated.get("seconds", 0.0) / 60.0, 1),
            "judged_by": stated.get("judged_by", ""),
            "map_floors_mm": "; ".join(floors),
            "quality": "; ".join(f"{name}: {quality_words(step)}" for name, step in stated.get("quality", {}).items()),
        }
    return facts


def _segment(segment: MapSegment) -> str:
    size = f"{segment.resolution} x {segment.resolution}"
    return f"{segment.name} ({len(segment.vertices):,} vertices, {len(segment.columns)} inputs, {size})"


def _fit(error: float) -> str:
    return f", rigid to {length(error)} mm" if np.isfinite(error) else ""


def length(millimeters: float) -> str:
    """Three digits; less than a tenth of a micrometer is rounding."""
    return f"{millimeters:.3g}" if millimeters >= LEAST else "0"


def quality_words(step: dict[str, float]) -> str:
    """``0.31 mm mean, 4.2 mm max, normals 0.8 degrees``."""
    mean, most, normals = step["mean_mm"], step["max_mm"], step["normals_degrees"]
    return f"{mean:.3g} mm mean, {most:.3g} mm max, normals {normals:.2g} degrees"


def face_maps_lines(model: Deformer) -> list[str]:
    """Sentences for a person after training."""
    found = model.metadata.get("face_maps", {})
    lines = [f"note: {note}" for note in found.get("notes", [])]
    return lines + [f"{name}: {quality_words(step)}" for name, step in found.get("quality", {}).items()]
