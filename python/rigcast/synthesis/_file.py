"""Synthesizers in model files: kind ``synthesis`` (docs/reference/file_formats.md)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._rigs.rotations import nearest_rotation
from rigcast._validate import RATES, Arguments
from rigcast.synthesis._clips.rotations import Rotations
from rigcast.synthesis._coordinates import Coordinates
from rigcast.synthesis._entries import Entries
from rigcast.synthesis._figures import HeldOut
from rigcast.synthesis._parts import Bridge, SynthesisParts
from rigcast.synthesis._space import Embedding, Segment, Space

Tensors = Mapping[str, NDArray[Any]]
KIND, VERSION = "synthesis", 1
MOST_EXACT, MOST_INDUCING, MOST_DIMENSIONS = 4000, 2000, 16  # a kernel matrix is factorized when a file is read
MOST_COVARIANCES = 1 << 27  # between training and inducing points: a gigabyte of float64
SKEW = 1e-3  # of a stored rotation from the nearest true one


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
        tensors |= {f"space.{i:03d}.{name}": value for name, value in _space_tensors(space).items()}
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


def _space_tensors(space: Space) -> dict[str, NDArray[Any]]:
    arrays = {
        "points": space.latent.points,
        "values": space.latent.values,
        "frames": space.frames,
        "basis": space.embedding.basis,
        "center": space.embedding.center,
    }
    if space.latent.inducing is not None and len(space.latent.inducing):
        arrays["inducing"] = space.latent.inducing
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


def from_tensors(tensors: Tensors, metadata: Any) -> SynthesisParts:
    """The parts of a file, every size and number checked.

    Raises
    ------
    ValueError
        Naming the tensor or the entry that is wrong.
    """
    about = Entries("load", "metadata", metadata)
    if about.text("kind") != KIND or about.whole("version") != VERSION:
        got = f"kind {about.text('kind')!r}, version {about.whole('version')}"
        raise about.wrong("", got, f"of kind {KIND!r}, version {VERSION}: models are opened by rigcast.load")
    check = Arguments("load")
    names = check.names("metadata.control_names", about.texts("control_names"))
    check.sizes["N"] = len(names)
    around = _coordinates(check, tensors, about)
    weights, effects = (_floats(check, tensors, name, shape) for name, shape in (("weights", "N"), ("effects", "N R")))
    spaces: dict[str, Space] = {}
    for i, entry in enumerate(about.objects("spaces")):
        label = entry.text("label")
        if not label or label in spaces:
            raise entry.wrong("label", repr(label), "a name, and no other space's")
        spaces[label] = _space(check, tensors, f"space.{i:03d}.", entry, around, effects)
    if not spaces:
        raise about.wrong("spaces", "empty", "one per label, at least one")
    bridges = {}
    for i, entry in enumerate(about.objects("bridges")):
        a, b = entry.text("from"), entry.text("to")
        if a not in spaces or b not in spaces or a == b or (a, b) in bridges:
            raise entry.wrong("", f"from {a!r} to {b!r}", "between two labels that no other bridge joins")
        bridges[a, b] = _bridge(check, tensors, f"bridge.{i:03d}.", (spaces[a], spaces[b]), entry.truth("within"))
    back = {(b, a): Bridge(k.to_points, k.from_points, k.distances, k.within) for (a, b), k in bridges.items()}
    return SynthesisParts(
        fps=about.number("fps", **RATES),
        control_names=names,
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
    )


def _floats(check: Arguments, tensors: Tensors, name: str, shape: str) -> NDArray[np.float64]:
    if name not in tensors:
        raise check.wrong(name, "missing", f"numbers {check.form(shape)}")
    if tensors[name].dtype != np.float32:
        raise check.wrong(name, str(tensors[name].dtype), "float32")
    return np.asarray(check.numbers(name, tensors[name], shape))


def _coordinates(check: Arguments, tensors: Tensors, about: Entries) -> Coordinates:
    limits = _floats(check, tensors, "limits", "N 2")
    if (limits[:, 0] > limits[:, 1]).any():
        raise check.wrong("limits", "with a lowest value above the highest", "pairs (lowest, highest)")
    orders = about.texts("rotation_orders")
    columns, rotations = np.zeros((0, 3), np.int32), np.zeros((0, 3, 3))
    if orders:
        check.sizes["J"] = len(orders)
        given = tensors.get("rotations", np.zeros((0, 3), np.int32))
        columns = check.integers("rotations", given, "J 3", below=check.sizes["N"], dtype=np.int32)
        rotations = _floats(check, tensors, "mean_rotations", "J 3 3")
        if any(sorted(order) != ["X", "Y", "Z"] for order in orders):
            raise about.wrong("rotation_orders", repr(orders)[:100], "permutations of XYZ")
        if len(np.unique(columns)) != columns.size:
            raise check.wrong("rotations", "with a control twice", "different controls")
        if np.abs(rotations).max() > 2.0 or np.abs(nearest_rotation(rotations) - rotations).max() > SKEW:
            raise check.wrong("mean_rotations", "no rotations", "rotation matrices")
    return Coordinates(Rotations(columns, orders), _floats(check, tensors, "mean", "N"), rotations, limits)


def _space(
    outer: Arguments, tensors: Tensors, place: str, entry: Entries, around: Coordinates, effects: NDArray[np.float64]
) -> Space:
    check = Arguments("load", N=outer.sizes["N"])
    points = _floats(check, tensors, f"{place}points", "T+ D+")
    values = _floats(check, tensors, f"{place}values", "T P+")
    inducing = _floats(check, tensors, f"{place}inducing", "M+ D") if f"{place}inducing" in tensors else None
    if points.shape[1] > MOST_DIMENSIONS:
        raise check.wrong(f"{place}points", f"of {points.shape[1]} dimensions", f"of at most {MOST_DIMENSIONS}")
    factorized, most = (len(points), MOST_EXACT) if inducing is None else (len(inducing), MOST_INDUCING)
    if factorized > most:
        raise check.wrong(f"{place}points", f"{factorized} long", f"at most {most} long, or with fewer inducing points")
    room = MOST_COVARIANCES // (1 if inducing is None else len(inducing))
    if len(points) > room:
        raise check.wrong(f"{place}points", f"{len(points)} long", f"at most {room} long beside its inducing points")
    frames = _floats(check, tensors, f"{place}frames", "T N").astype(np.float32)
    basis, center = (_floats(check, tensors, f"{place}{n}", s) for n, s in (("basis", "P N"), ("center", "N")))
    clips = entry.objects("clips")
    if f"{place}segments" not in tensors:
        raise check.wrong(f"{place}segments", "missing", "integers (S, 2)")
    ends = check.integers(f"{place}segments", tensors[f"{place}segments"], "S 2", below=len(points) + 1)
    if len(ends) != len(clips) or not _follow(ends, len(points)):
        raise check.wrong(f"{place}segments", "with gaps", f"one per clip, one after another, {len(points)} rows")
    process = (entry.number("variance", above=0.0), entry.number("length", above=0.0), entry.number("noise", above=0.0))
    latent = _core.LatentSpace(points, values, *process, inducing)
    segments = [_segment(clip, int(a), int(b)) for clip, (a, b) in zip(clips, ends, strict=True)]
    embedding = Embedding(basis, center, entry.number("explained", least=0.0, most=1.0 + 1e-6))
    held_out = entry.optional("held_out")
    figures = None if held_out is None else _held_out(held_out)
    return Space(entry.text("label"), latent, frames, segments, embedding, around, effects, figures)


def _follow(ends: NDArray[Any], count: int) -> bool:
    """Return True if segments cover all rows, in their order."""
    begins = [0, *ends[:-1, 1].tolist()] if len(ends) else []
    return bool(
        len(ends) and ends[:, 0].tolist() == begins and (ends[:, 1] > ends[:, 0]).all() and ends[-1, 1] == count
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


def _bridge(outer: Arguments, tensors: Tensors, place: str, ends: tuple[Space, Space], within: bool) -> Bridge:
    check = Arguments("load", A=ends[0].num_dimensions, B=ends[1].num_dimensions)
    points = [_floats(check, tensors, f"{place}{name}", shape) for name, shape in (("from", "K+ A"), ("to", "K B"))]
    distances = _floats(check, tensors, f"{place}distance", "K")
    if (distances < 0).any() or (np.diff(distances) < 0).any():
        raise check.wrong(f"{place}distance", "negative or not sorted", "distances, the smallest first")
    return Bridge(points[0], points[1], distances, within)
