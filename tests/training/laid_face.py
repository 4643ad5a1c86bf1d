"""A small face to lay out on maps: skin with a mouth, a rigid tooth, a resting tooth, beads; its motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast._rigs.surface import Surface

SIDE = 14
CONTROLS = 4  # jaw, brow, tooth's tilt, idle


def sheet(side: int = SIDE, size: float = 100.0) -> tuple[np.ndarray, np.ndarray]:
    """Vertices of a square sheet in millimeters, and quads."""
    x, y = np.meshgrid(np.linspace(0.0, size, side), np.linspace(0.0, size, side))
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    quads = np.stack([corner, corner + 1, corner + side + 1, corner + side], axis=1)
    return np.stack([x.ravel(), y.ravel(), 4.0 * np.sin(x.ravel() / 20.0)], axis=1), quads


def block(center: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and quads of a closed box of 4 x 4 x 4 cells, without inner vertices: 98 vertices."""
    steps = np.arange(5)
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    outer = grid[((grid == 0) | (grid == 4)).any(axis=1)]
    place = {tuple(point): number for number, point in enumerate(outer)}
    quads = []
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, 4):
            for i in range(4):
                for j in range(4):
                    corners = []
                    for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        point = [0, 0, 0]
                        point[axis], point[a], point[b] = side, i + di, j + dj
                        corners.append(place[tuple(point)])
                    quads.append(corners)
    return np.array(center) + 1.5 * (outer - 2.0), np.array(quads)


def turned(points: np.ndarray, degrees: float, center: np.ndarray) -> np.ndarray:
    """Points turned about the x axis through a center."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return (points - center) @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]]) + center


class LaidFace:
    """Rest (V, 3) in millimeters, faces (F, 4), surface, offsets (T, V, 3), masks (V, C), vertices by name."""

    def __init__(self, samples: int = 24, seed: int = 0, uvs: bool = True) -> None:
        skin, quads = sheet()
        tooth, box = block((50.0, 20.0, -10.0))
        upper, _ = block((50.0, 80.0, -10.0))
        beads = np.array([[0.0, 0.0, 50.0], [1.0, 0.0, 50.0], [90.0, 90.0, 50.0]])
        parts = {"skin": skin, "tooth": tooth, "upper tooth": upper, "beads": beads}
        starts = np.cumsum([0, *(len(points) for points in parts.values())])
        self.rest = np.concatenate(list(parts.values()))
        self.faces = np.concatenate([quads, box + starts[1], box + starts[2]]).astype(np.int32)
        self.of = {name: np.arange(a, b) for name, a, b in zip(parts, starts, starts[1:], strict=False)}
        labels = np.repeat(np.arange(4), np.diff(starts))
        given = {}
        if uvs:
            coordinates = np.concatenate([skin[:, :2] / 101.0, tooth[:, [0, 2]] / 200.0 + [1.2, 0.4]])
            corners = np.where(self.faces < starts[2], self.faces, -1)
            corners[(corners < 0).any(axis=1)] = -1
            given = {"uvs": coordinates, "uv_faces": corners}
        self.surface = Surface(list(parts), labels, **given)
        self.offsets, self.controls = self.moved(np.random.default_rng(seed).random((samples, CONTROLS)))
        self.masks = np.zeros((len(self.rest), CONTROLS), bool)
        for control in range(CONTROLS - 1):
            one = self.moved(np.eye(CONTROLS)[[control]])[0][0]
            self.masks[:, control] = np.abs(one).max(axis=1) > 1e-9

    def moved(self, controls: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        moved = np.repeat(self.rest[None], len(controls), axis=0)
        y = self.rest[:, 1]
        for frame, (jaw, brow, tilt, _) in zip(moved, controls, strict=True):
            skin = self.of["skin"]
            lower = np.clip((45.0 - y[skin]) / 10.0, 0.0, 1.0)
            frame[skin, 1] -= 12.0 * jaw * lower
            frame[skin, 2] += 5.0 * brow * np.exp(-(((y[skin] - 90.0) / 8.0) ** 2)) * (y[skin] > 70.0)
            tooth = self.of["tooth"]
            frame[tooth] = turned(frame[tooth], 25.0 * jaw + 10.0 * tilt, np.array([50.0, 60.0, 20.0]))
            frame[self.of["beads"][:2], 2] += 3.0 * jaw
        return (moved - self.rest).astype(np.float32), controls


class LaidData:
    """What a layout reads of a data set, in meters."""

    meters_per_unit = 1.0
    skeleton = None

    def __init__(self, probe: bool = True, **options: Any) -> None:
        face = LaidFace(**options)
        self.pose_names = ["jaw", "brow", "tilt", "idle"]
        self.face, self.faces, self.surface = face, face.faces, face.surface
        self.rest_vertices = (1e-3 * face.rest).astype(np.float32)
        self.poses = face.controls.astype(np.float32)
        self.probe = _Probe(face) if probe else None

    def __len__(self) -> int:
        return len(self.poses)

    def take(self, rows: np.ndarray) -> tuple[None, np.ndarray, np.ndarray]:
        vertices = self.rest_vertices + 1e-3 * self.face.offsets[rows]
        return None, self.poses[rows], vertices.astype(np.float32)


class _Probe:
    """One base pose at rest, and each control at 1."""

    def __init__(self, face: LaidFace) -> None:
        self.base = np.zeros(CONTROLS + 1, np.int32)
        self.channel = np.arange(-1, CONTROLS)
        self.poses = np.concatenate([np.zeros((1, CONTROLS)), np.eye(CONTROLS)]).astype(np.float32)
        moved = face.moved(np.asarray(self.poses, np.float64))[0]
        self.vertices = (1e-3 * (face.rest + moved)).astype(np.float32)
