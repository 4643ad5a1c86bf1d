"""Do the seams between vertex sets show? ``python -m benchmarks.systems.body.seams`` after ``./run demo``.

The error of the angle at an edge, averaged over the edges at which vertex sets meet and over all others. Sets meet at
joints, where nearly all bending is, so the ratio of the two is far above one for a method without seams, too. Two
comparisons on the very same edges tell the place from the seam: linear skinning, which has no sets, and the learned
model with each of these edges and its surroundings left to one network (the sets overlap, so either of the two that
meet can take it): what is above that is due to the seam.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast import _core
from rigcast.metrics import seam_error
from rigcast.report._body.measure import vertex_sets

ROOT = Path(__file__).resolve().parents[3]
POSES = 60


def members(model: rc.Deformer) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Each set's index and vertices."""
    tensors = model.tensors()
    offset = tensors["sets.offset"]
    for i in range(len(offset) - 1):
        yield i, tensors["sets.vertex"][offset[i] : offset[i + 1]]


def claimed(model: rc.Deformer, last: bool) -> NDArray[np.intp]:
    """The first or the last set that each vertex belongs to (V,)."""
    owner = np.full(len(model.rest_vertices), -1)
    for i, vertices in members(model):
        free = np.ones(len(vertices), bool) if last else owner[vertices] < 0
        owner[vertices[free]] = i
    return owner


def left_to(model: rc.Deformer, owner: NDArray[np.intp]) -> rc.Deformer:
    """The model with every vertex predicted by the one set that owns it."""
    tensors, kept = model.tensors(), []
    for i, vertices in members(model):
        keep = owner[vertices] == i
        kept.append(vertices[keep])
        for name in (f"set.{i:03d}.basis", f"set.{i:03d}.mean"):
            if name in tensors:
                tensors[name] = np.ascontiguousarray(tensors[name][np.repeat(keep, 3)])
    tensors["sets.vertex"] = np.concatenate(kept)
    tensors["sets.offset"] = np.concatenate([[0], np.cumsum([len(k) for k in kept])]).astype(np.int32)
    tensors["sets.weight"] = np.ones(len(tensors["sets.vertex"]), np.float32)
    return _core.model_from_tensors(tensors, json.dumps(model.metadata))


def bridging(labels: NDArray[np.intp], faces: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Faces (F,) whose vertices have different labels."""
    corners = np.where(faces >= 0, faces, faces[:, :1])
    return np.asarray((labels[corners] != labels[corners[:, :1]]).any(axis=1))


def one_network(model: rc.Deformer, poses: NDArray[np.float32], vertices: NDArray[np.float32]) -> tuple[float, float]:
    """Mean angle error, in degrees, on the edges across sets: blended, and with one network in charge.

    Averaged over both choices of network; edges at which the moved border itself would run are left out.
    """
    blended = _core.hinge_errors(vertices, model.evaluate(poses), model.faces)
    sides, across = blended[1], bridging(vertex_sets(model), model.faces)
    sums = np.zeros(3)
    for last in (False, True):
        owner = claimed(model, last)
        alone = _core.hinge_errors(vertices, left_to(model, owner).evaluate(poses), model.faces)[2]
        edges = across[sides].any(axis=1) & ~bridging(owner, model.faces)[sides].any(axis=1)
        sums += blended[2][edges].sum(), alone[edges].sum(), edges.sum()
    return sums[0] / sums[2], sums[1] / sums[2]


def rows(demo: Path) -> list[str]:
    """The table, as lines of Markdown."""
    ours, paper = (rc.load(demo / f"{name}.safetensors") for name in ("model", "paper-variant"))
    contenders = {
        "learned model": (ours, ours),
        "linear skinning, K = 4 (has no seams), same edges": (rc.load(demo / "skinning-4.safetensors"), ours),
        "paper's variant, its own sets": (paper, paper),
    }
    lines = ["| seams of the demo character: error of edge angles | across sets | inside | ratio |", "| --- " * 4 + "|"]
    for title, pattern in (("random", "held-out-*.rwdata"), ("walk", "walk-*.rwdata")):
        data = rc.Dataset(min(demo.glob(pattern)))
        _, poses, vertices = data.take(np.arange(min(POSES, len(data))))
        for name, (model, sets) in contenders.items():
            seams = seam_error(vertices, model.evaluate(poses), model.faces, labels=vertex_sets(sets))
            across, inside = seams.across.normal, seams.inside.normal
            lines.append(f"| {title}: {name} | {across:.3f}° | {inside:.3f}° | {across / inside:.1f} |")
        both, alone = one_network(ours, poses, vertices)
        lines.append(
            f"| {title}: the same edges, one network instead of two | {alone:.3f}° (blended {both:.3f}°) | | |"
        )
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", type=Path, default=ROOT / "demo", help="the folder that ./run demo made")
    print("\n".join(rows(parser.parse_args().demo)))
