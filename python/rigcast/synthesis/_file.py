"""Synthesizers in model files: kind ``synthesis`` (docs/reference/file_formats.md)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._validate import RATES, Arguments
from rigcast.synthesis._clips.rotations import Rotations
from rigcast.synthesis._coordinates import Coordinates
from rigcast.synthesis._entries import Entries
from rigcast.synthesis._figures import HeldOut
from rigcast.synthesis._parts import Bridge, SynthesisParts
from rigcast.synthesis._space import Embedding, Segment, Space

Tensors = Mapping[str, NDArray[Any]]
KIND, VERSION = "synthesis", 1


def write(path: str | os.PathLike[str], parts: SynthesisParts) -> None:
    """Write the file, atomically."""
    tensors, metadata = to_tensors(parts)
    _core.TensorFile.write(os.fspath(path), tensors, json.dumps(metadata))


def to_tensors(parts: SynthesisParts) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Tensors by name, and metadata."""
    around = parts.around
    arrays = {"limits": around.limits, "mean": around.mean, "weights": parts.weights, "effects": parts.effects}
    if len(around.rotations):
        arrays["mean_rotations"] = around.mean_rotations
    tensors: dict[str, NDArray[Any]] = {name: np.asarray(value, np.float32) for name, value in arrays.items()}
    if len(around.rotations):
        tensors["rotations"] = around.rotations.columns
    for i, space in enumerate(parts.spaces.values()):
        tensors |= {f"space.{i:03d}.{name}": value for name, value in _space_tensors(space, parts.weights).items()}
    pairs = [pair for pair in parts.bridges if list(parts.spaces).index(pair[0]) < list(parts.spaces).index(pair[1])]
    for i, pair in enumerate(pairs):
        bridge = parts.bridges[pair]
        named = {"from": bridge.from_points, "to": bridge.to_points, "distance": bridge.distances}
        tensors |= {f"bridge.{i:03d}.{name}": np.asarray(value, np.float32) for name, value in named.items()}
    metadata = {
        "kind": KIND,
        "version": VERSION,
        "fps": parts.fps,
        "millimeters": parts.millimeters,
        "threshold": parts.threshold,
        "has_joints": parts.has_joints,
        "control_names": parts.control_names,
        "rotation_orders": around.rotations.orders,
        "dropped": parts.dropped,
        "spaces": [_space_entry(space) for space in parts.spaces.values()],
        "bridges": [{"from": a, "to": b, "within": parts.bridges[a, b].within} for a, b in pairs],
        "about": parts.metadata,
    }
    return tensors, metadata


def _space_tensors(space: Space, weights: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    arrays = {
        "points": space.latent.points,
        "values": space.latent.values,
        "frames": space.frames,
        "basis": space.embedding.basis,
        "center": space.embedding.center,
    }
    if space.latent.inducing is not None and len(space.latent.inducing):
        arrays["inducing"] = space.latent.inducing
    if not np.array_equal(space.embedding.scale, weights):
        arrays["weights"] = space.embedding.scale
    tensors: dict[str, NDArray[Any]] = {name: np.asarray(value, np.float32) for name, value in arrays.items()}
    tensors["segments"] = np.array([(s.begin, s.end) for s in space.segments], np.int32)
    return tensors


def _space_entry(space: Space) -> dict[str, Any]:
    clips = [{"name": s.name, "origin": s.origin, "licence": s.licence, "fps": s.fps} for s in space.segments]
    return {
        "label": space.label,
        "variance": float(space.latent.variance),
        "length": float(space.latent.length),
        "noise": float(space.latent.noise),
        "explained": space.explained,
        "clips": clips,
        "held_out": None if space.held_out is None else space.held_out.as_dict(),
    }


def engine_of(parts: SynthesisParts) -> _core.Synthesizer:
    """The engine's part of a synthesizer that is in no file yet."""
    tensors, metadata = to_tensors(parts)
    return _core.Synthesizer(tensors, json.dumps(metadata))


def from_tensors(tensors: Tensors, metadata: Any) -> SynthesisParts:
    """The parts of a file. The engine checks what it plays, and here is checked what describes it.

    Raises
    ------
    ValueError
        Naming the tensor or the entry that is wrong.
    """
    engine = _core.Synthesizer(dict(tensors), json.dumps(metadata))
    about = Entries("load", "metadata", metadata)
    around = _coordinates(tensors, about)
    effects = np.asarray(tensors["effects"], np.float64)
    weights = _weights(tensors, "weights", len(about.texts("control_names")))
    spaces = {}
    for i, entry in enumerate(about.objects("spaces")):
        latent = engine.latent(entry.text("label"))
        spaces[entry.text("label")] = _space(tensors, f"space.{i:03d}.", entry, latent, around, effects, weights)
    bridges: dict[tuple[str, str], Bridge] = {}
    for i, entry in enumerate(about.objects("bridges")):
        names = (f"bridge.{i:03d}.{name}" for name in ("from", "to", "distance"))
        here, there, distances = (np.asarray(tensors[name], np.float64) for name in names)
        bridges[entry.text("from"), entry.text("to")] = Bridge(here, there, distances, entry.truth("within"))
    back = {(b, a): Bridge(k.to_points, k.from_points, k.distances, k.within) for (a, b), k in bridges.items()}
    return SynthesisParts(
        fps=about.number("fps", **RATES),
        control_names=about.texts("control_names"),
        around=around,
        weights=weights,
        effects=effects,
        dropped=about.words("dropped"),
        spaces=spaces,
        bridges={**bridges, **back},
        threshold=about.number("threshold", least=0.0),
        millimeters=about.number("millimeters", above=0.0),
        has_joints=about.truth("has_joints"),
        metadata=about.plain("about"),
        engine=engine,
    )


def _weights(tensors: Tensors, name: str, count: int) -> NDArray[np.float64]:
    check = Arguments("load", N=count)
    if name not in tensors:
        raise check.wrong(name, "missing", f"numbers {check.form('N')}")
    return np.asarray(check.numbers(name, tensors[name], "N"), np.float64)


def _coordinates(tensors: Tensors, about: Entries) -> Coordinates:
    limits, mean = (np.asarray(tensors[name], np.float64) for name in ("limits", "mean"))
    orders = about.texts("rotation_orders")
    columns, rotations = np.zeros((0, 3), np.int32), np.zeros((0, 3, 3))
    if orders:
        columns, rotations = tensors["rotations"], np.asarray(tensors["mean_rotations"], np.float64)
    return Coordinates(Rotations(columns, orders), mean, rotations, limits)


def _space(
    tensors: Tensors,
    place: str,
    entry: Entries,
    latent: _core.LatentSpace,
    around: Coordinates,
    effects: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> Space:
    basis, center = (np.asarray(tensors[f"{place}{name}"], np.float64) for name in ("basis", "center"))
    frames, ends = np.array(tensors[f"{place}frames"], np.float32), tensors[f"{place}segments"].tolist()
    segments = [_segment(clip, a, b) for clip, (a, b) in zip(entry.objects("clips"), ends, strict=True)]
    own = f"{place}weights"
    scale = _weights(tensors, own, len(weights)) if own in tensors else weights
    embedding = Embedding(basis, center, entry.number("explained", least=0.0, most=1.0 + 1e-6), scale)
    held_out = entry.optional("held_out")
    figures = None if held_out is None else _held_out(held_out)
    return Space(
        entry.text("label"),
        latent,
        frames,
        segments=segments,
        embedding=embedding,
        around=around,
        effects=effects,
        held_out=figures,
    )


def _segment(clip: Entries, begin: int, end: int) -> Segment:
    origin, licence = clip.text("origin"), clip.text("licence")
    return Segment(clip.text("name"), begin, end, origin, licence, clip.number("fps", least=0.0))


def _held_out(entry: Entries) -> HeldOut:
    principal = entry.object("principal")
    return HeldOut(
        entry.whole("frames"),
        entry.whole("dimensions"),
        entry.whole("components"),
        entry.number("latent", least=0.0),
        {int(count): principal.number(count, least=0.0) for count in principal if count.isdecimal()},
        entry.number("nearest", least=0.0),
    )
