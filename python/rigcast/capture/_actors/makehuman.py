"""Actors of another topology than the ICT face: MakeHuman's head with ARKit's shapes."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._formats.mpfb.files import either
from rigcast._formats.mpfb.skeleton import vertex_groups
from rigcast.capture._actors.cast import EYES, MOUTH, Cast
from rigcast.faces._makehuman import FACE_GROUPS, makehuman, makehuman_folder, modelling_targets

FUNCTION = "capture.makehuman_cast"
CENTIMETERS = 10.0  # in the unit of the files
NECK = 0.2  # decimeters below the lowest vertex that a shape moves
OF_EYES, OF_MOUTH = ("helper-l-eye", "helper-r-eye"), ("helper-upper-teeth", "helper-lower-teeth", "helper-tongue")
DEVIATION = 0.25  # of a pair of targets, one against the other, at one standard deviation
# The 68 landmarks in Multi-PIE order: rc.capture.fit_places on ICT's, outline and missing ones by an affine map.
LANDMARKS = (
    *(5237, 269, 270, 736, 737, 3698, 5294, 5221, 5225, 11831, 11900, 10366, 7457, 7456, 7039, 7038, 11846),
    *(5262, 225, 224, 205, 208, 6983, 6980, 6998, 6999, 11870, 132, 135, 5063, 291, 286, 299, 307, 7065, 7055),
    *(25, 4850, 3, 100, 1070, 6778, 6884, 6787, 11468, 6809, 6817, 7762),
    *(425, 410, 456, 362, 7215, 7170, 7185, 7233, 7235, 496, 480, 478, 433, 453, 468, 7213, 7193, 7236, 493, 481),
)


def makehuman_cast(folder: str | os.PathLike[str]) -> Cast:
    """Actors made of MakeHuman's head (hm08), whose shapes have ARKit's names: no topology of theirs is ICT's.

    Parameters
    ----------
    folder : path-like
        As :func:`rigcast.faces.makehuman` takes it.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    """
    whole = makehuman(folder, "arkit", whole=True)
    path = makehuman_folder(folder, FUNCTION)
    metadata = path / "mesh_metadata" if (path / "mesh_metadata").is_dir() else path
    groups = vertex_groups(either(metadata / "basemesh_vertex_groups.json"), FUNCTION)
    kept = _head(whole, groups)
    character = _character(whole, kept)
    place = np.full(whole.num_vertices, -1)
    place[kept] = np.arange(len(kept))
    parts = np.zeros(whole.num_vertices, np.int64)
    for names, part in ((OF_EYES, EYES), (OF_MOUTH, MOUTH)):
        parts[np.concatenate([groups[name] for name in names])] = part
    modes = CENTIMETERS * _modes(*modelling_targets(path, FUNCTION))[:, kept]
    note = "MakeHuman's head with ARKit's shapes (CC0, MIT); identities, albedo, light and motion constructed"
    landmarks = place[np.array(LANDMARKS)]
    return Cast(character, modes.astype(np.float32), landmarks, parts[kept], character.faces, note)


def _head(whole: BlendshapeRig, groups: dict[str, NDArray[np.int64]]) -> NDArray[np.int64]:
    """Vertices of head, eyes, teeth and tongue."""
    rest = whole.rest_vertices
    moved = np.any([whole.column(k).any(axis=1) for k in range(whole.num_shapes)], axis=0)
    inside = np.zeros(len(rest), np.bool_)
    inside[groups["body"]] = rest[groups["body"], 1] > rest[moved, 1].min() - NECK
    for name in (*OF_EYES, *OF_MOUTH):
        inside[groups[name]] = True
    return np.flatnonzero(inside)


def _character(whole: BlendshapeRig, kept: NDArray[np.int64]) -> BlendshapeRig:
    """The head in centimeters, with ARKit's shapes that move it."""
    place = np.full(whole.num_vertices + 1, -1, np.int64)  # the last one: corners that triangles lack
    place[kept] = np.arange(len(kept))
    corners = place[whole.faces]
    faces = corners[((corners >= 0) | (whole.faces < 0)).all(axis=1)].astype(np.int32)
    shapes = [k for k, name in enumerate(whole.shape_names) if not name.startswith("viseme")]
    deltas = np.stack([whole.column(k)[kept] for k in shapes])
    used = np.flatnonzero(np.abs(deltas).max(axis=(1, 2)) > 0.0)
    names = [whole.shape_names[shapes[k]] for k in used]
    facts = {**whole.metadata, "meters_per_unit": 0.01}
    rest = CENTIMETERS * whole.rest_vertices[kept]
    return BlendshapeRig(rest, CENTIMETERS * deltas[used], names=names, faces=faces, metadata=facts)


def _modes(names: list[str], deltas: NDArray[np.float32]) -> NDArray[np.float64]:
    """(M, V, 3) symmetric identity modes: half of one target of a pair less half of the other, both sides together."""
    pairs: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        group, _, own = name.partition("/")
        if group in FACE_GROUPS:
            stem = own.rsplit("-", 1)[0]
            pairs.setdefault(f"{group}/{stem[2:] if stem[:2] in ('l-', 'r-') else stem}", []).append(k)
    modes = []
    for members in pairs.values():
        ends = [names[k].rsplit("-", 1)[1] for k in members]
        sign = np.where([end == ends[0] for end in ends], -1.0, 1.0)
        modes.append(0.5 * DEVIATION * np.tensordot(sign, deltas[members].astype(np.float64), axes=1))
    return np.stack(modes)
