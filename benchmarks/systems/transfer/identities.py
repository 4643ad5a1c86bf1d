"""Judged transfers: MakeHuman's units sculpted for two identities, and random identities of ICT's model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sparse

import rigcast as rc
from benchmarks.systems.transfer.faces import Hm08, Ict
from benchmarks.systems.transfer.peers import rotated_copy

RACES = ("caucasian", "african")  # MakeHuman's units were sculpted for these two
WAYS = ("transfer", "transfer with contacts", "plain copy", "frame-rotated copy")
Row = list[str]


class Pair:
    """Units sculpted for a source and for a target identity, and the ways to get from one to the other."""

    def __init__(self, head: Hm08, source: str, target: str, scale: float = 1.0) -> None:
        given, truth = (head.targets(race) for race in (source, target))
        self.given, self.truth = (np.stack([units[name] for name in sorted(given)]) for units in (given, truth))
        self.truth = (scale * self.truth).astype(np.float32)
        self.source, self.target = head.identity(source), (scale * head.identity(target)).astype(np.float32)
        self.faces = head.faces
        self.contacts = rc.transfer.find_contacts(self.source, self.source + self.given, self.faces)
        self.moved = np.any([self.given, self.truth], axis=0).any(axis=2)  # (K, V)
        self.differs = (self.given != self.truth).any(axis=2)

    def results(self) -> dict[str, np.ndarray]:
        shapes = self.source + self.given
        free = rc.transfer.deformation_transfer(self.source, shapes, self.target, self.faces, contacts=None)
        held = rc.transfer.deformation_transfer(self.source, shapes, self.target, self.faces, contacts=self.contacts)
        turned = rotated_copy(self.source, self.target, self.given, self.faces)
        return dict(zip(WAYS, (free - self.target, held - self.target, self.given, turned), strict=True))

    def readings(self) -> dict[str, np.ndarray]:
        """The groups of offsets (K, V) to judge."""
        size = np.linalg.norm(self.truth, axis=2)
        far = np.linalg.norm(self.given - self.truth, axis=2) > 0.25 * size
        return {
            "all offsets that move": self.moved,
            "units that differ": self.moved & self.differs.any(axis=1)[:, None],
            "offsets that differ": self.differs,
            "offsets that differ by a quarter": self.moved & far,
        }

    def crossings(self, points: np.ndarray, deltas: np.ndarray) -> int:
        return sum(int(rc.transfer.count_crossings(points + d, self.faces, self.contacts, depth=0.0)) for d in deltas)


def centimeters(deltas: np.ndarray, where: np.ndarray) -> str:
    """Mean length; MakeHuman's unit is the decimeter."""
    return f"{10 * np.linalg.norm(deltas, axis=2)[where].mean():.3f}"


def units(folder: Path) -> tuple[list[str], list[Row], str]:
    """Mean error against the sculpted units, by way and by what is looked at."""
    head = Hm08(folder)
    rows, facts = [], []
    for source, target in (RACES, RACES[::-1]):
        pair = Pair(head, source, target)
        results = pair.results()
        for reading, where in pair.readings().items():
            errors = [centimeters(deltas - pair.truth, where) for deltas in results.values()]
            rows.append([f"{source} to {target}, {reading} ({where.sum():,})", centimeters(pair.truth, where), *errors])
        crossed = [pair.crossings(pair.target, deltas) for deltas in results.values()]
        rows.append(
            [f"{source} to {target}, crossings of lips and lids", str(pair.crossings(pair.target, pair.truth))]
            + [str(count) for count in crossed]
        )
        equal = int((~pair.differs.any(axis=1)).sum())
        same = 100 * (1 - pair.differs.sum() / pair.moved.sum())
        facts.append(f"{equal} of {len(pair.truth)} units are equal offsets, {same:.0f} % of all offsets that move")
    pair = Pair(head, *RACES, scale=1.25)
    errors = [centimeters(deltas - pair.truth, pair.moved) for deltas in pair.results().values()]
    job = "constructed: the african head and its units 1.25 times as large, all offsets that move"
    rows.append([job, centimeters(pair.truth, pair.moved), *errors])
    return ["MakeHuman's units, cm", "sculpted", *WAYS], rows, facts[0]


def roughness(deltas: np.ndarray, faces: np.ndarray, where: np.ndarray) -> float:
    """Mean distance of vertices' offsets (K, V, 3) from the mean of their neighbors'."""
    rows, columns, values = rc._core.graph_laplacian(faces, deltas.shape[1])
    laplacian = sparse.csr_matrix((values, (rows, columns)))
    flat = deltas.transpose(1, 0, 2).reshape(deltas.shape[1], -1).astype(np.float64)
    apart = (laplacian @ flat) / np.maximum(laplacian.diagonal(), 1)[:, None]
    lengths = np.linalg.norm(apart.reshape(deltas.shape[1], -1, 3), axis=2).T
    return float(lengths[where].mean())


def identities(folder: Path, count: int) -> tuple[list[str], list[Row]]:
    """ICT is linear: the model's own shapes of an identity have the offsets of the neutral's, a plain copy is exact."""
    face = Ict(folder)
    rng = np.random.default_rng(3)
    contacts = rc.transfer.find_contacts(face.neutral, face.shapes, face.faces)
    moved = np.linalg.norm(face.deltas, axis=2) > 0
    size, own = np.linalg.norm(face.deltas, axis=2)[moved].mean(), roughness(face.deltas, face.faces, moved)
    rows = []
    for i in range(count):
        target = face.identity(rng)
        for name, pairs in (("", None), (", with contacts", contacts)):
            result = rc.transfer.deformation_transfer(face.neutral, face.shapes, target, face.faces, contacts=pairs)
            error = np.linalg.norm(result - target - face.deltas, axis=2)[moved]
            doubt = rc.transfer.quality(
                face.neutral,
                face.shapes,
                target,
                target_shapes=result,
                faces=face.faces,
                contacts=contacts,
                depth=0.0,
            )
            model = sum(
                int(rc.transfer.count_crossings(target + d, face.faces, contacts, depth=0.0)) for d in face.deltas
            )
            rows.append(
                [
                    f"identity {i + 1}{name}",
                    f"{error.mean():.3f} of {size:.3f}",
                    f"{roughness(result - target, face.faces, moved) / own:.3f}",
                    f"{int(doubt.flipped.sum())} of {doubt.flipped.size:,}",
                    f"{int(doubt.new_crossings.sum())} ({int(doubt.source_crossings.sum())}, {model})",
                ]
            )
    head = [
        "ICT, random identities, all 100 modes",
        "mean error against the model's own shapes, cm of mean size",
        "roughness, 1 is the model's own",
        "flipped triangles",
        "new crossings (the source's own, the model's)",
    ]
    return head, rows
