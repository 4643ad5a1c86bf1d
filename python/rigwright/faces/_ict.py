"""The ICT FaceKit face: 26,719 vertices, 57 expression shapes, 100 identity modes (MIT licence, USC ICT)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._formats.npz.archive import Member
from rigwright._reading import read_json
from rigwright._validate import bad_argument
from rigwright.faces._packed import Float32, check_folder, finite, read_complete

if TYPE_CHECKING:
    from rigwright import BlendshapeRig

NUM_VERTICES = 26_719

# First and last-plus-one vertex of each part of the mesh, as the data set documents its one topology.
SEGMENTS: dict[str, tuple[int, int]] = {
    "face": (0, 9409),
    "head_and_neck": (9409, 11248),
    "mouth_socket": (11248, 13294),
    "eye_socket_left": (13294, 13678),
    "eye_socket_right": (13678, 14062),
    "gums_and_tongue": (14062, 17039),
    "teeth": (17039, 21451),
    "eyeball_left": (21451, 23021),
    "eyeball_right": (23021, 24591),
    "lacrimal_fluid_left": (24591, 24795),
    "lacrimal_fluid_right": (24795, 24999),
    "eye_blend_left": (24999, 25023),
    "eye_blend_right": (25023, 25047),
    "eye_occlusion_left": (25047, 25199),
    "eye_occlusion_right": (25199, 25351),
    "eyelashes_left": (25351, 26035),
    "eyelashes_right": (26035, 26719),
}

TOPOLOGY = {
    "neutral": Member("f", (NUM_VERTICES, 3)),
    "faces": Member("i", ("F", 4)),
    "uv": Member("f", ("T", 2)),
    "face_uv": Member("i", ("F", 4)),
    "face_material": Member("u", ("F",)),
    "material_names": Member("U", ("M",)),
}
SHAPES = {"names": Member("U", ("K",)), "deltas": Member("f", ("K", NUM_VERTICES, 3))}


def ict(folder: str | os.PathLike[str], *, identity: ArrayLike | None = None) -> BlendshapeRig:
    """Read the ICT FaceKit face.

    Parameters
    ----------
    folder : path
        Holds ``topology_neutral.npz`` and ``expressions.npz``, and ``identities.npz`` where ``identity`` is given.
    identity : (100,) array, optional
        Weights of the identity modes, in standard deviations; the generic face without.

    Returns
    -------
    BlendshapeRig
        V 26,719, K 57 linear shapes with bounds [0, 1], no combinations. Units are centimeters, y is up, +x is the
        figure's left. ``metadata["segments"]`` are the vertex ranges of :data:`SEGMENTS`.

    Raises
    ------
    ValueError
        If a file is missing or not what the data set documents, or ``identity`` is not 100 finite numbers.
    """
    from rigwright import BlendshapeRig

    path = check_folder(folder, "faces.ict")
    neutral, faces = _neutral(path)
    if identity is not None:
        neutral = neutral + _identity(path, identity)
    shapes = read_complete(path / "expressions.npz", SHAPES, "faces.ict")
    deltas = finite(shapes["deltas"], "deltas", path / "expressions.npz", "faces.ict")
    return BlendshapeRig(
        neutral, deltas, names=[str(name) for name in shapes["names"]], faces=faces, metadata=_facts("ICT FaceKit")
    )


def landmarks(folder: str | os.PathLike[str]) -> NDArray[np.int64]:
    """Vertex indices (68,) of the face's landmarks in Multi-PIE order, from ``vertex_indices.json``."""
    path = check_folder(folder, "faces.landmarks") / "vertex_indices.json"
    try:
        indices = read_json(path)["idx_to_landmark_verts"]
        found = np.array(indices, np.int64)
    except (OSError, ValueError, LookupError, TypeError, OverflowError) as error:
        raise bad_argument("faces.landmarks", "folder", f"with {path} unreadable ({error})", "complete") from error
    if found.shape != (68,) or found.min() < 0 or found.max() >= NUM_VERTICES:
        raise bad_argument("faces.landmarks", "folder", f"with landmarks {found.shape} in {path}", "68 vertex indices")
    return found


def _facts(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "meters_per_unit": 0.01,
        "up_axis": "Y",
        "licence": "MIT",
        "origin": "ICT FaceKit, USC Institute for Creative Technologies",
        "segments": {segment: list(ends) for segment, ends in SEGMENTS.items()},
    }


def _neutral(path: Path) -> tuple[Float32, NDArray[np.int32]]:
    arrays = read_complete(path / "topology_neutral.npz", TOPOLOGY, "faces.ict")
    neutral = finite(arrays["neutral"], "neutral", path / "topology_neutral.npz", "faces.ict")
    return neutral, arrays["faces"].astype(np.int32)


def _identity(path: Path, weights: ArrayLike) -> Float32:
    amounts = np.asarray(weights, np.float64)
    modes = read_complete(path / "identities.npz", SHAPES, "faces.ict")["deltas"]
    if amounts.shape != (len(modes),) or not np.isfinite(amounts).all():
        raise bad_argument("faces.ict", "identity", f"of shape {amounts.shape}", f"{len(modes)} finite numbers")
    return np.tensordot(amounts, modes, axes=1).astype(np.float32)
