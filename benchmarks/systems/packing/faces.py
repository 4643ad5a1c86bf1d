"""The faces that packing is measured on: shapes, another identity with its own true shapes, painted areas."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.transfer.faces import Hm08

PAINT = 0.5  # an area is painted where a shape moves at least so much of its largest displacement
ARKIT_AREAS = ((("browInnerUp", "browOuterUp"), ("eyeBlink",)), (("mouthUpperUp", "noseSneer"), ("mouthLowerDown",)))
UNIT_AREAS = (
    (("eyebrows-left-up", "eyebrows-right-up"), ("eye-left-closure", "eye-right-closure")),
    (("nose-depression",), ("mouth-parling", "mouth-open")),
)
Words = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


@dataclass(frozen=True)
class Face:
    """Neutral (V, 3), shapes (K, V, 3), faces; the same of another identity; which areas to paint; unit length."""

    name: str
    names: list[str]
    neutral: np.ndarray
    shapes: np.ndarray
    faces: np.ndarray
    target: np.ndarray
    truth: np.ndarray
    areas: Words
    millimeters: float
    about: str

    def plan(self, symmetry: bool = False, **options: Any) -> rc.transfer.ExpressionPlan:
        """``pack_expressions`` for the other identity; with symmetry painted areas too."""
        return rc.transfer.pack_expressions(
            self.neutral,
            self.shapes,
            self.faces,
            target_neutral=self.target,
            symmetry=symmetry,
            motion_areas=self.painted() if symmetry else [],
            names=self.names,
            anatomy=False,  # the published program
            **options,
        )

    def painted(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Masks (V,) of brows and lids, of nose and lip above and below the mouth."""
        distance = np.linalg.norm(self.shapes - self.neutral, axis=2)
        strong = distance >= PAINT * distance.max(axis=1, keepdims=True)

        def area(words: tuple[str, ...]) -> np.ndarray:
            return strong[[k for k, name in enumerate(self.names) if name.startswith(words)]].any(axis=0)

        return [(area(above), area(below)) for above, below in self.areas]

    def head(self) -> Face:
        """Only what shapes move and some rings around it: the rest costs time and stays where it is."""
        moved = (self.shapes != self.neutral).any(axis=(0, 2)) | (self.truth != self.target).any(axis=(0, 2))
        low = self.neutral[moved].min(axis=0) - 60.0 / self.millimeters
        inside = self.neutral[:, 1] >= low[1]
        faces = self.faces[inside[self.faces].all(axis=1)]
        kept = np.unique(faces[faces >= 0])
        index = np.append(np.searchsorted(kept, np.arange(len(self.neutral))), -1)
        parts = (self.neutral[kept], self.shapes[:, kept], index[faces].astype(np.int32))
        return Face(
            self.name,
            self.names,
            *parts,
            self.target[kept],
            self.truth[:, kept],
            self.areas,
            self.millimeters,
            self.about,
        )

    def error(self, expressions: Sequence[Sequence[int]]) -> float:
        """RMS distance in mm from the true shapes, where they or the source's move, after examples of expressions."""
        weights = np.zeros((len(expressions), len(self.names)))
        for row, shapes in zip(weights, expressions, strict=True):
            row[list(shapes)] = 1.0
        examples = self.target + np.tensordot(weights, self.truth - self.target, 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rc.errors.UndeterminedShapesWarning)
            made = rc.transfer.example_based(self.neutral, self.shapes, self.target, self.faces, examples, weights)
        moved = ((self.shapes != self.neutral) | (self.truth != self.target)).any(axis=2)
        squared = ((made - self.truth)[moved].astype(np.float64) ** 2).sum(axis=1)
        return self.millimeters * float(np.sqrt(squared.mean()))


def ict(folder: Path) -> Face:
    """The 53 ARKit-style shapes; another identity's shapes have the same offsets, the model is linear."""
    rig = rc.faces.ict(folder / "ict_facekit")
    identity = [3.0 * (-1) ** mode for mode in range(10)] + [0.0] * 90
    target = rc.faces.ict(folder / "ict_facekit", identity=identity).rest_vertices
    keep = [k for k, name in enumerate(rig.shape_names) if not name.startswith(("cheekRaiser", "PupilDilate"))]
    deltas = rig.columns()[keep]
    return Face(
        "ICT",
        [rig.shape_names[k] for k in keep],
        rig.rest_vertices,
        rig.rest_vertices + deltas,
        rig.faces,
        target,
        target + deltas,
        ARKIT_AREAS,
        10.0,
        "ICT: 3 standard deviations along the first ten identity modes, the model's own shapes",
    )


def units(folder: Path) -> Face:
    """The 34 expression units, sculpted for both identities."""
    head = Hm08(folder)
    given, truth = (head.targets(race) for race in ("caucasian", "african"))
    names = sorted(given)
    source, target = head.identity("caucasian"), head.identity("african")
    return Face(
        "hm08 units",
        names,
        source,
        source + np.stack([given[name] for name in names]),
        head.faces,
        target,
        target + np.stack([truth[name] for name in names]),
        UNIT_AREAS,
        100.0,
        "hm08 units: caucasian to african, sculpted for both",
    )


def arkit(folder: Path) -> Face:
    """ARKit shapes and visemes; the other identity is the same face, stretched, with larger eyes and mouth."""
    rig = rc.faces.makehuman(folder / "makehuman_hm08", "arkit")
    deltas = rig.columns()
    keep = np.flatnonzero((deltas != 0).any(axis=(1, 2)))  # the silent viseme moves nothing
    neutral, shapes = rig.rest_vertices, rig.rest_vertices + deltas[keep]
    middle = neutral[(deltas[keep] != 0).any(axis=(0, 2))].mean(axis=0)

    def warped(points: np.ndarray) -> np.ndarray:
        away = (points - middle).astype(np.float64)
        near = np.exp(-((np.linalg.norm(away, axis=-1, keepdims=True) / 0.5) ** 2))
        return (middle + away * [1.25, 1.0, 1.1] * (1.0 + 0.4 * near)).astype(np.float32)

    return Face(
        "hm08 ARKit",
        [rig.shape_names[k] for k in keep],
        neutral,
        shapes,
        rig.faces,
        warped(neutral),
        warped(shapes),
        ARKIT_AREAS,
        100.0,
        "hm08 ARKit: the same face stretched by 1.25 across, its middle enlarged by up to 1.4, shapes and all",
    )


def modelling(folder: Path, parts: Sequence[str] = ()) -> Face:
    """MakeHuman's modelling targets, those of some parts or all 270: as many shapes as the largest published rigs.

    They shape identities and are no expressions; what is packed is their areas. The other identity has the same
    offsets.
    """
    neutral = rc.faces.makehuman(folder / "makehuman_hm08").rest_vertices
    with np.load(folder / "makehuman_hm08" / "face_modelling_targets.npz", allow_pickle=False) as file:
        names, bounds, index = file["names"].tolist(), file["ptr"], file["index"]
        values = file["delta_thousandths"].astype(np.float32) / 1000.0
    chosen = [k for k, name in enumerate(names) if not parts or name.startswith(tuple(parts))]
    deltas = np.zeros((len(chosen), 1 + int(index.max()), 3), np.float32)
    for delta, k in zip(deltas, chosen, strict=True):
        delta[index[bounds[k] : bounds[k + 1]]] = values[bounds[k] : bounds[k + 1]]
    deltas = deltas[:, : len(neutral)]
    keep = [n for n, delta in enumerate(deltas) if delta.any()]
    head = Hm08(folder)
    target = head.identity("african")
    told = "hm08 modelling: caucasian to african, the same targets on both"
    return Face(
        f"hm08 modelling, {', '.join(parts) or 'all parts'}",
        [names[chosen[n]] for n in keep],
        neutral,
        neutral + deltas[keep],
        head.faces,
        target,
        target + deltas[keep],
        (),
        100.0,
        told,
    )
