"""Facts of data sets and of models: learned ones, analytic ones, and blendshape rigs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rigcast import sampling
from rigcast._core import BlendshapeRig, Channel, Deformer, DifferentialModel
from rigcast._load_model import load
from rigcast._pages.facts import combination_counts
from rigcast._posing import num_dials
from rigcast._rigs.base_shapes import base_words
from rigcast._rigs.surface import surface_facts, surface_of
from rigcast.cli._described.controls import controls_of_data, controls_of_model
from rigcast.cli._described.error_bound import bound_facts
from rigcast.cli._described.face_maps import face_maps_facts
from rigcast.cli._described.motion import size_facts
from rigcast.cli._described.rigs import ranges_by_name
from rigcast.report._differential.cost import multiply_adds
from rigcast.sampling import Dataset


def describe_dataset(dataset: Dataset) -> dict[str, Any]:
    """Facts of a data set."""
    lost = controls_of_data(dataset)
    manifest = dataset.manifest
    return {
        "type": "data set",
        "name": dataset.name,
        "poses": len(dataset),
        "sampler": manifest["sampler"],
        "seed": manifest["seed"],
        "probe_bases": manifest["probe"],
        "vertices": len(dataset.rest_vertices),
        "faces": len(dataset.faces),
        "joints": len(dataset.joint_names),
        "dials": len(dataset.dial_names),
        "meters_per_unit": dataset.meters_per_unit,
        "up_axis": dataset.up_axis,
        **size_facts(dataset.rest_vertices, dataset.meters_per_unit),
        "licence": dataset.licence,
        "origin": dataset.origin,
        **surface_facts(dataset.surface),
        "sampled_clips": [f"{clip.name} ({count} poses{_rate(clip.fps)})" for clip, count in _clip_counts(dataset)],
        "topology_hash": manifest["topology_hash"],
        "hash": dataset.hash,
        **({"rig_controls": lost} if lost else {}),
        "resting": dataset.resting,
        "channels": ranges_by_name(dataset.channel_names, dataset.channel_ranges),
    }


def _clip_counts(dataset: Dataset) -> list[tuple[sampling.Clip, int]]:
    """The clips of a data set, with the number of their rows."""
    return [(clip, int((dataset.clip == number).sum())) for number, clip in enumerate(dataset.clips)]


def _rate(fps: float | None) -> str:
    return "" if fps is None else f", {fps:g} per second"


def describe_model(path: Path) -> dict[str, Any]:
    """Facts of a model file, the small ones."""
    model = load(path)
    if isinstance(model, BlendshapeRig):
        return describe_blendshapes(model, path)
    metadata, controls = model.metadata, controls_of_model(model)
    return {
        "type": "model",
        "kind": model.kind,
        "name": metadata.get("name", ""),
        "joints": len(model.joint_names),
        "dials": num_dials(len(model.control_names), len(model.joint_names)),
        "pose_columns": len(model.control_names),
        "vertices": len(model.rest_vertices),
        "faces": len(model.faces),
        "bytes": path.stat().st_size,
        "meters_per_unit": model.meters_per_unit,
        "up_axis": model.up_axis,
        **size_facts(model.rest_vertices, model.meters_per_unit),
        "licence": metadata.get("licence", ""),
        "origin": metadata.get("origin", ""),
        **surface_facts(surface_of(model)),
        "data_hash": metadata.get("data_hash", ""),
        "topology_hash": metadata.get("topology_hash", ""),
        "error": metadata.get("error", {}),
        **({"linear_skinning": metadata["linear_skinning"]} if "linear_skinning" in metadata else {}),
        **bound_facts(model),
        **({"rig_controls": controls} if controls else {}),
        **face_maps_facts(model),
        **differential_facts(model),
        "training": metadata.get("training", {}),
        "resting": metadata.get("resting", {}),
        "channels": {channel.name: (channel.low, channel.high) for channel in model.channels},
        "channel_rest": [channel.rest for channel in model.channels],
        "channel_details": [described(channel) for channel in model.channels],
    }


def described(channel: Channel) -> dict[str, Any]:
    """Everything that a model states about one of its channels."""
    keys = ("name", "kind", "joint", "place", "low", "high", "rest", "unit", "whole", "follows_kinematics", "reason")
    return {key: getattr(channel, key) for key in keys}


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


def describe_blendshapes(rig: BlendshapeRig, path: Path) -> dict[str, Any]:
    """Facts of a blendshape rig."""
    metadata = rig.metadata
    return {
        "type": "model",
        "kind": rig.kind,
        "name": metadata.get("name", ""),
        "vertices": len(rig.rest_vertices),
        "faces": len(rig.faces),
        "shapes": rig.num_shapes,
        "combinations": combination_counts(rig),
        "combination_names": rig.column_names[rig.num_shapes :],
        "constructed": list(rig.constructed),
        "storage": rig.storage,
        "storage_error": float(rig.storage_error),
        "bytes": path.stat().st_size,
        "bytes_in_memory": rig.nbytes,
        "meters_per_unit": rig.meters_per_unit,
        "up_axis": rig.up_axis,
        **size_facts(rig.rest_vertices, rig.meters_per_unit),
        "licence": metadata.get("licence", ""),
        "origin": metadata.get("origin", ""),
        "topology_hash": metadata.get("topology_hash", ""),
        "channels": ranges_by_name(rig.shape_names, rig.bounds),
    }
