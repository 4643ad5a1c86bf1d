"""What commands say of a model of deformation maps."""

from __future__ import annotations

from typing import Any

from rigwright._core import Deformer

BYTES_PER_WEIGHT = {"float32": 4, "16-bit": 2}


def face_maps_facts(model: Deformer) -> dict[str, Any]:
    """Facts of a model of kind "face_maps" by name; empty for any other."""
    if model.kind != "face_maps":
        return {}
    found = model.metadata.get("face_maps", {})
    segments = found.get("segments", [])
    weights = sum(segment["parameters"] for segment in segments)
    storage = model.metadata.get("network_storage", "float32")
    floors = {
        floor["name"]: f"{floor['after_mm'][0]:.3g} mean, {floor['after_mm'][1]:.3g} max"
        for floor in found.get("floors", [])
        if floor["after_mm"][1] > 0.0
    }
    return {
        "map_segments": [
            f"{s['name']} ({s['vertices']:,} vertices, {s['resolution']} x {s['resolution']})" for s in segments
        ],
        "rigid_parts": [f"{part['name']} ({part['vertices']:,} vertices)" for part in found.get("rigid_parts", [])],
        "multiply_adds_per_pose": sum(segment["multiply_adds"] for segment in segments),
        "bytes_read_per_pose": weights * BYTES_PER_WEIGHT.get(storage, 4),
        "trained_for_minutes": round(found.get("seconds", 0.0) / 60.0, 1),
        "judged_by": found.get("judged_by", ""),
        "map_floors_mm": floors,
        "quality": {name: quality_words(step) for name, step in found.get("quality", {}).items()},
    }


def quality_words(step: dict[str, float]) -> str:
    """``0.31 mm mean, 4.2 mm max, normals 0.8 degrees``."""
    mean, most, normals = step["mean_mm"], step["max_mm"], step["normals_degrees"]
    return f"{mean:.3g} mm mean, {most:.3g} mm max, normals {normals:.2g} degrees"


def face_maps_lines(model: Deformer) -> list[str]:
    """Sentences for a person after training."""
    found = model.metadata.get("face_maps", {})
    lines = [f"note: {note}" for note in found.get("notes", [])]
    return lines + [f"{name}: {quality_words(step)}" for name, step in found.get("quality", {}).items()]
