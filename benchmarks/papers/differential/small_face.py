"""A small face: a coarse mesh of the ICT face's skin with the 72 dials and 215 combinations of compskin_face_anim.

Its vertices are some of the face's, so that its rig is the face's, restricted; its faces are the dual of the regions
that are nearest to them along the surface. Random poses are drawn as Song et al. 2020, section 3.2.1, draw them: every
dial on its own from a truncated normal distribution, here around its rest, which is one end of its range.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import rigcast as rc
from benchmarks.papers.inverse.mismatched.scene import whole_face
from rigcast.sampling import sample
from rigcast.sampling._drawing.stream import Stream, normal_quantile

VERTICES = 1500
TEST_POSES = 200  # of the paper
PROBED = 100  # example poses in which every dial is perturbed, of the paper
SKIN = "face"  # the segment of the ICT face
INSIDE = 0.99865 - 0.5  # of a normal distribution between its mean and three standard deviations, the end of a range
JUDGED = {"performance": slice(0, 200), "range of motion": slice(300, 1000, 2)}  # rows of the curves


@dataclass(frozen=True)
class AroundRest:
    """Every channel on its own: the normal distribution around its rest, a third of the range wide, within the range.

    The ranges of faces begin or end at rest, so that half of the distribution is cut off.
    """

    def draw(self, ranges: np.ndarray, rest: np.ndarray, count: int, stream: Stream) -> np.ndarray:
        """Channel rows (count, N)."""
        low, high = ranges.T
        assert np.all((rest == low) | (rest == high)), "a channel rests inside of its range"
        away = normal_quantile(INSIDE * stream.uniform(count, len(ranges))) / 3.0
        return np.asarray(np.clip(rest + np.where(rest == low, 1.0, -1.0) * (high - low) * away, low, high))

    def settings(self) -> dict[str, object]:
        return {"kind": "around rest"}


def coarse(rest: np.ndarray, faces: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (count,), each the one that lies farthest from those before it, and the triangles (F, 3) between them.

    Distances run along the edges. Three regions of nearest vertices that meet in a triangle make a triangle.
    """
    corners = np.concatenate([faces[:, :3], faces[faces[:, 3] >= 0][:, [0, 2, 3]]])
    a, b = np.concatenate([corners[:, :2], corners[:, 1:], corners[:, ::2]]).T
    a, b = np.unique(np.sort(np.stack([a, b]), axis=0), axis=1)
    length = np.linalg.norm(rest[a] - rest[b], axis=1)
    graph = coo_array((length, (a, b)), shape=(len(rest), len(rest))).tocsr()
    chosen = [0]
    distance = dijkstra(graph, directed=False, indices=0)
    while len(chosen) < count:
        chosen.append(int(distance.argmax()))
        near = dijkstra(graph, directed=False, indices=chosen[-1], limit=float(distance.max()))
        distance = np.minimum(distance, near)
    _, _, nearest = dijkstra(graph, directed=False, indices=chosen, min_only=True, return_predecessors=True)
    region = np.searchsorted(np.sort(chosen), nearest)[corners]
    apart = (region[:, 0] != region[:, 1]) & (region[:, 1] != region[:, 2]) & (region[:, 2] != region[:, 0])
    _, first = np.unique(np.sort(region[apart], axis=1), axis=0, return_index=True)
    return np.sort(chosen), region[apart][np.sort(first)].astype(np.int32)


def small_face(data: Path, kept: Path) -> tuple[Any, np.ndarray]:
    """The rig, and the curves (T, 72)."""
    whole, curves, _ = whole_face(data, kept)
    path = kept / f"small-{VERTICES}.safetensors"
    if not path.exists():
        begin, end = whole.metadata["segments"][SKIN]
        faces = np.asarray(whole.faces)
        skin = faces[np.all((faces < end) & ((faces >= begin) | (faces < 0)), axis=1)]
        chosen, triangles = coarse(np.asarray(whole.rest_vertices, np.float64)[:end], skin, VERTICES)
        columns, count = np.asarray(whole.columns())[:, chosen], whole.num_shapes
        rc.BlendshapeRig(
            np.asarray(whole.rest_vertices)[chosen],
            columns[:count],
            list(zip(whole.combinations, columns[count:], strict=True)),
            names=whole.shape_names,
            bounds=whole.bounds,
            faces=triangles,
            metadata={"meters_per_unit": float(whole.meters_per_unit), "name": "small ICT face"},
        ).save(path)
    return rc.load(path), curves


@dataclass(frozen=True)
class Sets:
    """Poses to learn from, and to be judged by.

    Attributes
    ----------
    rig : BlendshapeRig
    training : Dataset
    test : Dataset
        Random poses of another seed.
    clips : dict
        Rows (T, 72) of the curves, by clip.
    """

    rig: Any
    training: rc.Dataset
    test: rc.Dataset
    clips: dict[str, np.ndarray]

    def judged(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Poses and true vertices by what is judged."""
        found = {f"{TEST_POSES} random poses": np.asarray(self.test.poses)} | self.clips
        return {name: (poses, np.asarray(self.rig.evaluate(poses, threads=1))) for name, poses in found.items()}


def sets(data: Path, kept: Path, poses: int) -> Sets:
    """Sampled once, then opened again. ``poses`` are learned from, and a ninth more are held out."""
    rig, curves = small_face(data, kept)
    source = rc.sources.load(kept / f"small-{VERTICES}.safetensors")
    around = AroundRest()
    folder = kept / f"poses-{poses}.rwdata"
    training = sample(source, folder, poses + poses // 9, sampler=around, seed=0, probe=PROBED)
    test = sample(source, kept / "test.rwdata", TEST_POSES, sampler=around, seed=1, probe=0)
    return Sets(rig, training, test, {name: curves[rows].astype(np.float32) for name, rows in JUDGED.items()})
