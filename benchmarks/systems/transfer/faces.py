"""The faces that transfers are measured on: ICT identities, and MakeHuman's head as two of its races."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import rigcast as rc

NOT_ARKIT = ("cheekRaiser_L", "cheekRaiser_R", "PupilDilate_L", "PupilDilate_R")  # the other 53 are


class Ict:
    """ICT's neutral, faces, and the deltas of its 53 ARKit-style shapes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "ict_facekit"
        rig = rc.faces.ict(self.folder)
        self.neutral, self.faces = rig.rest_vertices, rig.faces
        chosen = [k for k, name in enumerate(rig.shape_names) if name not in NOT_ARKIT]
        self.names, self.deltas = [rig.shape_names[k] for k in chosen], rig.columns()[chosen]
        self.shapes = self.neutral + self.deltas

    def identity(self, rng: np.random.Generator) -> np.ndarray:
        """Another face, drawn as the model's authors do."""
        return rc.faces.ict(self.folder, identity=rng.standard_normal(100)).rest_vertices


class Hm08:
    """The MakeHuman head: identities from macro targets, and the shapes sculpted for it."""

    def __init__(self, folder: Path, helpers: bool = False) -> None:
        self.folder, self.helpers = folder / "makehuman_hm08", helpers
        self.faces = rc.faces.makehuman(self.folder, whole=helpers).faces

    def targets(self, kind: str) -> dict[str, np.ndarray]:
        """Deltas by name: of the units "caucasian" or "african", or "arkit"."""
        rig = rc.faces.makehuman(self.folder, kind, whole=self.helpers)
        return dict(zip(rig.shape_names, rig.columns(), strict=True))

    def identity(self, race: str) -> np.ndarray:
        """The face that a race's units were sculpted for."""
        return rc.faces.makehuman(self.folder, race, whole=self.helpers, identity=True).rest_vertices


def part(faces: np.ndarray, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The vertices of a part, ascending, and its faces among them."""
    chosen = np.unique(vertices)
    inside = np.isin(faces, np.append(chosen, -1)).all(axis=1)
    return chosen, np.where(faces[inside] < 0, -1, np.searchsorted(chosen, faces[inside])).astype(np.int32)


def connected(neutral: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest component alone: peers know nothing of components."""
    solver = rc.transfer.DeformationTransfer(neutral, neutral, faces)
    keep = solver.components == np.bincount(solver.components).argmax()
    index = np.append(np.cumsum(keep) - 1, -1)
    inside = keep[faces[:, 0]]
    return np.flatnonzero(keep), index[faces[inside]].astype(np.int32)
