"""ICT's shapes on faces of other topologies: MakeHuman's hm08, MediaPipe's canonical face.

For hm08 somebody else sculpted the same ARKit shapes. That truth is one of many (a sneer may be small or large), so
directions say more than distances. What the way there loses by itself shows when the shapes are brought back to ICT.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.systems.transfer.faces import Hm08, Ict, part
from benchmarks.systems.transfer.landmarks import CANONICAL, hm08
from rigcast._formats.obj.mesh import faces_of, read_text, vertices_of
from rigcast.faces._ict import SEGMENTS
from rigcast.faces._makehuman import BODY_VERTICES
from rigcast.transfer import Correspondence

# Parts of ICT's one connected skin. What a target has no counterpart of stays out: the inside of mouth and eyes would
# be drawn onto the lips and lids of the canonical face.
FACE = ("face",)
WITH_INSIDE = ("face", "head_and_neck", "mouth_socket", "eye_socket_left", "eye_socket_right")
HEAD = [
    "ICT's ARKit shapes on",
    "landmarks: distance, cm (largest)",
    "head matched",
    "to the fitted source, cm (95 %)",
    "normals within 30 degrees",
    "cosine with the sculpted shapes: median (lowest)",
    "there and back, cosine: median (lowest)",
]
Row = list[str]


@dataclass(frozen=True)
class Mesh:
    points: np.ndarray
    faces: np.ndarray
    centimeters: float  # of its unit


def plain(name: str) -> str:
    """One spelling for ``eyeBlink_L`` and ``eyeBlinkLeft``."""
    return re.sub(r"(Left|_L)$", " left", re.sub(r"(Right|_R)$", " right", name))


def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(K,) of offsets (K, V, 3)."""
    return (a * b).sum(axis=(1, 2)) / np.linalg.norm(a, axis=(1, 2)) / np.linalg.norm(b, axis=(1, 2))


class Source:
    """Parts of ICT's skin, with the shapes by plain names. None of them turns an eyeball: these are left out."""

    def __init__(self, folder: Path, parts: tuple[str, ...]) -> None:
        face = Ict(folder)
        skin, self.faces = part(face.faces, np.concatenate([np.arange(*SEGMENTS[name]) for name in parts]))
        self.points = face.neutral[skin]
        self.shapes = {plain(name): delta[skin] for name, delta in zip(face.names, face.deltas, strict=True)}
        for whole in ("browInnerUp", "cheekPuff"):
            self.shapes[whole] = self.shapes[f"{whole} left"] + self.shapes[f"{whole} right"]
        indices = json.loads((face.folder / "vertex_indices.json").read_text())["idx_to_landmark_verts"]
        self.landmarks = np.searchsorted(skin, indices)

    def chosen(self, names: list[str]) -> np.ndarray:
        return np.stack([self.shapes[name] for name in names])


class Journey:
    """ICT's shapes on another mesh, and the correspondence that brought them there."""

    def __init__(self, source: Source, target: Mesh, landmarks: dict[int, int], names: list[str]) -> None:
        self.source, self.target = source, target
        self.pairs = np.array([[source.landmarks[k], vertex] for k, vertex in landmarks.items()])
        self.there = rc.transfer.correspond(
            source.points, source.faces, target.points, target.faces, landmarks=self.pairs
        )
        self.deltas = carried(self.there, source.points, source.chosen(names), target.points, target.faces)
        back = rc.transfer.correspond(
            target.points, target.faces, source.points, source.faces, landmarks=self.pairs[:, ::-1]
        )
        self.returned = carried(back, target.points, self.deltas, source.points, source.faces)
        self.kept = cosines(self.returned, source.chosen(names))

    def row(self, job: str, sculpted: np.ndarray | None) -> Row:
        found, unit = self.there, self.target.centimeters
        chin = self.target.points[self.pairs[:, 1], 1].min()
        head = self.target.points[:, 1] >= chin  # from the lowest landmark upwards
        distance = unit * found.distance[found.matched & head]
        cosine = cosines(self.deltas, sculpted) if sculpted is not None else None
        return [
            f"{job}, {len(self.pairs)} landmarks",
            f"{unit * found.landmark_error.mean():.3f} ({unit * found.landmark_error.max():.3f})",
            f"{100 * found.matched[head].mean():.0f} %",
            f"{distance.mean():.3f} ({np.percentile(distance, 95):.3f})",
            f"{100 * (self.facing()[found.matched & head] > np.cos(np.pi / 6)).mean():.0f} %",
            "" if cosine is None else f"{np.median(cosine):.2f} ({cosine.min():.2f})",
            f"{np.median(self.kept):.2f} ({self.kept.min():.2f})",
        ]

    def facing(self) -> np.ndarray:
        """(V,) cosine between the target's normal and that of the fitted source there."""
        fitted = rc._core.vertex_normals(self.there.fitted, self.source.faces)
        there = np.einsum("vca,vc->va", fitted[np.maximum(self.there.corners, 0)], self.there.weights)
        own = rc._core.vertex_normals(self.target.points, self.target.faces)
        return (there * own).sum(axis=1) / np.maximum(np.linalg.norm(there, axis=1), 1e-12)


def carried(
    found: Correspondence, points: np.ndarray, deltas: np.ndarray, target: np.ndarray, faces: np.ndarray
) -> np.ndarray:
    """Offsets of the target for offsets of the source."""
    return rc.transfer.deformation_transfer(*found.resample(points, points + deltas), target, faces) - target


def best_mixtures(ours: np.ndarray, sculpted: np.ndarray) -> np.ndarray:
    """(K,) cosine of each sculpted shape with the nearest mixture of all of ours."""
    a, b = ours.reshape(len(ours), -1).T.astype(np.float64), sculpted.reshape(len(sculpted), -1).T.astype(np.float64)
    nearest = a @ np.linalg.lstsq(a, b, rcond=None)[0]
    return np.linalg.norm(nearest, axis=0) / np.linalg.norm(b, axis=0)


def canonical(folder: Path) -> Mesh:
    file = folder / "mediapipe_canonical_face" / "canonical_face_model.obj"
    content = read_text(file, "canonical")
    points = vertices_of(content, file, "canonical").astype(np.float32)
    return Mesh(points, faces_of(content, len(points), file, "canonical"), 1.0)


def topologies(folder: Path) -> tuple[list[Row], str, dict[str, Journey]]:
    """Rows, what to say of them, and the journeys."""
    source, head = Source(folder, WITH_INSIDE), Hm08(folder)
    body = Mesh(head.identity("caucasian"), head.faces, 10.0)
    made = {plain(name): deltas for name, deltas in head.targets("arkit").items()}
    names = sorted(made.keys() & source.shapes.keys())
    sculpted = np.stack([made[name] for name in names])
    table = hm08(body.points)
    assert len(body.points) == BODY_VERTICES
    corners = {k: table[k] for k in (30, 48, 54)}  # tip of the nose, corners of the mouth
    few, full = Journey(source, body, corners, names), Journey(source, body, table, names)
    face = Journey(Source(folder, FACE), canonical(folder), CANONICAL, names)
    job = f"hm08, {len(names)} shapes"
    rows = [few.row(job, sculpted), full.row(job, sculpted), face.row(f"MediaPipe, {len(names)} shapes", None)]
    cosine, mixed = cosines(full.deltas, sculpted), best_mixtures(full.deltas, sculpted)
    ends = ", ".join(f"`{names[k]}` {cosine[k]:.2f}" for k in np.argsort(cosine)[:6])
    about = (
        f"Lowest on hm08: {ends}. The nearest mixture of all {len(names)} transferred shapes has a median cosine of "
        f"{np.median(mixed):.2f} with a sculpted one, and the way there and back {np.median(full.kept):.2f}: most of "
        f"the difference is what two artists mean by a name."
    )
    return rows, about, {"few": few, "hm08": full, "mediapipe": face}
