"""The ICT FaceKit face: 26,719 vertices, 57 expression shapes, 100 identity modes (MIT licence, USC ICT)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._atomic_files import atomic_write
from rigcast._formats.npz.archive import Member
from rigcast._validate import bad_argument, missing_file
from rigcast.faces import _ict_files as files
from rigcast.faces._packed import Float32, check_folder, finite, inside, read_complete, write_arrays
from rigcast.progress import ProgressCallback, silent

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

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

PLACES = ("", "FaceXModel")  # where the published files lie below the folder that a user names
PACKED = "topology_neutral.npz"
TOPOLOGY = {"neutral": Member("f", (NUM_VERTICES, 3)), "faces": Member("i", ("F", 4))}
SHAPES = {"names": Member("U", ("K",)), "deltas": Member("f", ("K", NUM_VERTICES, 3))}


def ict(folder: str | os.PathLike[str], *, identity: ArrayLike | None = None) -> BlendshapeRig:
    """Read the ICT FaceKit face.

    Parameters
    ----------
    folder : path-like
        A copy of github.com/ICT-VGL/ICT-FaceKit, or its folder ``FaceXModel``: OBJ files and ``vertex_indices.json``.
        Reading them takes some seconds; ``rigcast faces convert`` packs them into a folder that is read at once.
    identity : (100,) array, optional
        Weights of the identity modes, in standard deviations; the generic face without.

    Returns
    -------
    BlendshapeRig
        V 26,719, K 57 linear shapes with bounds [0, 1], no combinations. Units are centimeters, y is up, +x is the
        figure's left. ``metadata["segments"]`` are the vertex ranges of the parts: face, teeth, eyes, lashes.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If a file is not what the data set documents, or ``identity`` is not 100 finite numbers.
    """
    from rigcast._core import BlendshapeRig

    path = ict_folder(folder, "faces.ict")
    neutral, faces = _neutral(path)
    names, deltas = _expressions(path)
    if identity is not None:
        neutral = neutral + _identity(path, identity)
    return BlendshapeRig(neutral, deltas, names=names, faces=faces, metadata=_facts("ICT FaceKit"))


def ict_folder(folder: str | os.PathLike[str], function: str) -> Path:
    """The folder of the files, packed or as published.

    Raises
    ------
    FileNotFoundError
        If there is no such folder, or it holds neither.
    """
    path = check_folder(folder, function)
    if (path / PACKED).is_file():
        return path
    found = inside(path, PLACES, files.NEUTRAL)
    if found is None:
        raise missing_file(function, "folder", path / files.NEUTRAL, "a copy of ICT-FaceKit or its FaceXModel")
    return found


def landmarks(folder: str | os.PathLike[str]) -> NDArray[np.int64]:
    """Vertex indices (68,) of the face's landmarks in Multi-PIE order, from ``vertex_indices.json``."""
    path = ict_folder(folder, "faces.landmarks")
    try:
        found = np.array(files.indices(path, "faces.landmarks")["idx_to_landmark_verts"], np.int64)
    except (LookupError, TypeError, OverflowError) as error:
        got = f"with {path / files.INDICES} of other content ({error!r})"
        raise bad_argument("faces.landmarks", "folder", got, "complete") from error
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
    if not (path / PACKED).is_file():
        vertices, faces = files.read_neutral(path, NUM_VERTICES, "faces.ict")
        return vertices.astype(np.float32), faces
    arrays = read_complete(path / PACKED, TOPOLOGY, "faces.ict")
    return finite(arrays["neutral"], "neutral", path / PACKED, "faces.ict"), arrays["faces"].astype(np.int32)


def _expressions(path: Path, progress: ProgressCallback = silent) -> tuple[list[str], Float32]:
    return _shapes(path, "expressions.npz", lambda: files.expression_names(path, "faces.ict"), progress)


def _identity(path: Path, weights: ArrayLike) -> Float32:
    amounts = np.asarray(weights, np.float64)
    _, modes = _modes(path)
    if amounts.shape != (len(modes),) or not np.isfinite(amounts).all():
        raise bad_argument("faces.ict", "identity", f"of shape {amounts.shape}", f"{len(modes)} finite numbers")
    return np.tensordot(amounts, modes, axes=1).astype(np.float32)


def _modes(path: Path, progress: ProgressCallback = silent) -> tuple[list[str], Float32]:
    return _shapes(path, "identities.npz", lambda: files.mode_names(path), progress)


def _shapes(
    path: Path, archive: str, published: Callable[[], list[str]], progress: ProgressCallback
) -> tuple[list[str], Float32]:
    if not (path / PACKED).is_file():
        neutral, _ = files.read_neutral(path, NUM_VERTICES, "faces.ict")
        names = published()
        return names, files.read_deltas(path, names, neutral, "faces.ict", progress)
    shapes = read_complete(path / archive, SHAPES, "faces.ict")
    deltas = finite(shapes["deltas"], "deltas", path / archive, "faces.ict")
    return [str(name) for name in shapes["names"]], deltas


def pack_ict(folder: Path, output: Path, progress: ProgressCallback) -> None:
    """Write the published files into the archives that :func:`ict` reads at once; ``output`` exists."""
    path = ict_folder(folder, "faces.convert_data_set")
    neutral, faces = _neutral(path)
    write_arrays(output / PACKED, neutral=neutral, faces=faces)
    for archive, read in (("expressions.npz", _expressions), ("identities.npz", _modes)):
        names, deltas = read(path, progress)
        write_arrays(output / archive, names=np.array(names, np.str_), deltas=deltas)
    atomic_write(output / files.INDICES, (path / files.INDICES).read_bytes())
