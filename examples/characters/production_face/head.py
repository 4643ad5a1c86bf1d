"""The head as one mesh with parts: the assets' head with a finer face; constructed eyeballs, teeth and gums."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from examples.characters.assets import BODY_VERTICES, FUNCTION, METERS_PER_UNIT, groups_of, load_base, turned
from examples.characters.face import BUST, PARTS
from examples.characters.production_face.parts import Part, eyeball, gum, teeth
from examples.characters.production_face.refine import Refinement
from rigcast._formats.mpfb.targets import read_target, target_files
from rigcast._formats.obj.mesh import lines_of, read_text

Array = NDArray[np.float64]
FINE = 0.0011  # meters: faces whose corners some shape moves further are subdivided
MARGIN = 0.004  # of a tile, around its UVs
BEHIND = 0.0042  # meters that the teeth stand behind the helper's strip, clear of the lips
SHORTER = np.array([0.82, 0.86, 0.85])  # of the tongue's width, length and height
SMALLEST = 2e-5  # meters; the files hold micrometers of noise far from what a shape moves


@dataclass
class Head:
    """The mesh in its neutral, with the assets' shapes.

    Attributes
    ----------
    vertices : (V, 3) array, meters, z up, facing -y
    faces : (F, 4) int32 array; triangles end in -1
    uvs : (F, 4, 2) array; the integer part of u is the part's tile
    part_names : list of str
    face_parts : (F,) int32 array
    shapes : dict of name to (V, 3) array
    eyes : dict of "Left" and "Right" to the eyeball's center
    """

    vertices: Array
    faces: NDArray[np.int32]
    uvs: Array
    shapes: dict[str, Array]
    eyes: dict[str, Array]
    part_names: list[str] = field(default_factory=list)
    face_parts: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))

    def part(self, name: str) -> NDArray[np.int64]:
        """Vertices of a part, or of all parts whose names begin so."""
        chosen = [k for k, part in enumerate(self.part_names) if part.startswith(name)]
        corners = self.faces[np.isin(self.face_parts, chosen)]
        return np.asarray(np.unique(corners[corners >= 0]), np.int64)

    def add(self, name: str, tile: int, vertices: Array, faces: NDArray[np.int32], uvs: Array) -> None:
        """Append a part."""
        moved = np.where(faces < 0, faces, faces + len(self.vertices)).astype(np.int32)
        self.face_parts = np.concatenate([self.face_parts, np.full(len(faces), len(self.part_names), np.int32)])
        self.part_names.append(name)
        self.faces = np.concatenate([self.faces, moved])
        self.uvs = np.concatenate([self.uvs, MARGIN + (1 - 2 * MARGIN) * uvs + np.array([tile, 0.0])])
        self.vertices = np.concatenate([self.vertices, vertices])


def load_head(folder: Path) -> Head:
    """The head of the demo character from the assets' folder."""
    everything, _ = load_base(folder)
    groups = groups_of(folder)
    faces, uvs = _faces_with_uvs(folder)
    deltas = _shapes(folder, len(everything))
    eyes = {side: _middle(everything[groups[f"helper-{side[0].lower()}-eye"]]) for side in ("Left", "Right")}
    head = Head(np.zeros((0, 3)), np.zeros((0, 4), np.int32), np.zeros((0, 4, 2)), {}, eyes)
    blocks: list[Array] = []
    for number, name in enumerate(("skin", "tongue")):
        kept = _skin(everything, groups) if name == "skin" else _only(groups["helper-tongue"], len(everything))
        blocks.append(_add_refined(head, name, number, everything, deltas, faces, uvs, kept))
    for tile, side in ((2, "Left"), (3, "Right")):
        _add_part(head, f"eye{side}", tile, [eyeball(eyes[side])])
    _add_teeth(head, everything, groups)
    missing = np.zeros((len(head.vertices) - sum(map(len, blocks)), len(deltas), 3))
    moved = np.concatenate([*blocks, missing])
    head.shapes = {name: moved[:, k] for k, name in enumerate(deltas)}
    return head


def _add_refined(
    head: Head,
    name: str,
    tile: int,
    everything: Array,
    deltas: dict[str, Array],
    faces: NDArray[np.int32],
    uvs: Array,
    kept: NDArray[np.bool_],
) -> Array:
    """Add a part of the base mesh, refined where shapes move it; gives its displacements (V, K, 3)."""
    inside = kept[faces].all(axis=1)
    used = np.unique(faces[inside])
    place = np.full(len(everything), -1)
    place[used] = np.arange(len(used))
    own, own_uvs = place[faces[inside]].astype(np.int32), uvs[inside]
    moved = np.stack([delta[used] for delta in deltas.values()], axis=1)
    reach = np.linalg.norm(moved, axis=2).max(axis=1)
    step = Refinement(own, (reach[own] > FINE).all(axis=1), len(used))
    low = own_uvs.reshape(-1, 2).min(axis=0)
    size = own_uvs.reshape(-1, 2).max(axis=0) - low
    points = step.values(everything[used])
    if name == "tongue":  # clear of the constructed teeth
        root = np.array([0.0, points[:, 1].max(), points[:, 2].mean()])
        points = root + SHORTER * (points - root)
    head.add(name, tile, points, step.faces, step.uvs((own_uvs - low) / size))
    return step.values(moved)


def _add_part(head: Head, name: str, tile: int, pieces: list[Part]) -> None:
    for number, piece in enumerate(pieces):
        own = name if len(pieces) == 1 else f"{name}{number + 1:02d}"
        uvs = (piece.uvs + np.array([number, 0.0])) / np.array([len(pieces), 1.0])  # side by side in one tile
        head.add(own, tile, piece.vertices, piece.faces, uvs)


def _add_teeth(head: Head, everything: Array, groups: dict[str, NDArray[np.int64]]) -> None:
    for name, tile, tip, root in (("Upper", 4, 0.0, 0.0115), ("Lower", 5, 1.0, -0.0085)):
        strip = everything[groups[f"helper-{name.lower()}-teeth"]]
        front = _front(strip) + np.array([BEHIND, 0.0, 0.0])
        edge = strip[:, 2].max() - 0.0048 if tip else strip[:, 2].min() - 0.0010
        _add_part(head, f"teeth{name}", tile, teeth(name == "Upper", front, edge, edge + root))
        _add_part(head, f"gum{name}", tile + 2, [gum(front, edge + 1.05 * root, 0.0042)])


def _front(strip: Array) -> Array:
    """Coefficients (a, b, c) of the arch y = a + b x^2 + c x^4 that runs through a helper strip, at mid thickness."""
    x = strip[:, 0]
    terms = np.stack([np.ones_like(x), x**2, x**4], axis=1)
    return np.asarray(np.linalg.lstsq(terms, strip[:, 1], rcond=None)[0])


def _faces_with_uvs(folder: Path) -> tuple[NDArray[np.int32], Array]:
    """Quads (F, 4) of the base mesh and the UVs (F, 4, 2) of their corners."""
    content = read_text(folder / "3dobjs" / "base.obj", FUNCTION)
    table = np.array([line.split()[1:3] for line in content.splitlines() if line.startswith(b"vt ")], np.float64)
    rows = [[word.split(b"/")[:2] for word in line.split()[1:]] for _, line in lines_of(content, b"f")]
    pairs = np.array([row if len(row) == 4 else [*row, row[-1]] for row in rows]).astype(np.int64) - 1
    return pairs[..., 0].astype(np.int32), table[pairs[..., 1]]


def _shapes(folder: Path, count: int) -> dict[str, Array]:
    result = {}
    for name, file in target_files(folder.parent / "faceunits01" / "targets" / "faceunits").items():
        indices, moved = read_target(file, count, FUNCTION)
        delta = np.zeros((count, 3))
        delta[indices] = METERS_PER_UNIT * turned(moved)
        delta[np.linalg.norm(delta, axis=1) < SMALLEST] = 0.0
        result[name] = delta
    return result


def _skin(everything: Array, groups: dict[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
    middle = everything[np.concatenate([groups[part] for part in PARTS])].mean(axis=0) * [0.0, 0.0, 1.0]
    kept = np.linalg.norm(everything - middle, axis=1) < BUST
    kept[BODY_VERTICES:] = False
    return np.asarray(kept)


def _only(indices: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    kept = np.zeros(count, bool)
    kept[indices] = True
    return kept


def _middle(points: Array) -> Array:
    return np.asarray(0.5 * (points.min(axis=0) + points.max(axis=0)))
