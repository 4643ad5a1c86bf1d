"""Errors of a differential model on held-out poses: by quality step, by source of error, by control."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._rigs.base_shapes import read_base
from rigcast.report._body.heldout import HeldOutPoses
from rigcast.report._body.measure import in_millimeters
from rigcast.report._body.places import PlaceErrors, by_channel, by_control
from rigcast.report._body.quality import QualityStep, StepMeasurer, mean_and_largest
from rigcast.training._differential._transforms import Transforms, displacements

SOURCE_POSES = 64  # that the sources of the error are told apart on, evenly spaced
SHARES = (2, 4)  # reduced models have a half and a quarter of the components
SHOWN = 6  # components

Floats = NDArray[np.float32]
Tensors = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Source:
    """The error that remains if only one source errs, in millimeters."""

    name: str
    mean: float
    max: float


@dataclass(frozen=True)
class MeasuredDifferential:
    """The numbers of the section.

    Attributes
    ----------
    steps : list of QualityStep
        All components first.
    sources : list of Source
        What the components leave out, the differential network alone, the anchor networks alone, everything.
    controls : list of PlaceErrors
        Controls or channels that the poses turn far from rest, the largest mean error first.
    anchors : (A,) int32 array
    gain : (V,) float64 array
        How far white noise of 1 in the delta coordinates moves each vertex.
    components : (K, V, 3) float32 array
        Displacements of the leading components at one standard deviation over the held-out poses, in the rig's unit.
    """

    steps: list[QualityStep]
    sources: list[Source]
    controls: list[PlaceErrors]
    anchors: NDArray[np.int32]
    gain: NDArray[np.float64]
    components: Floats

    def figures(self) -> dict[str, Any]:
        """All numbers that only this kind has, by name, for machines."""
        return {
            "sources": {source.name: {"mean_mm": source.mean, "max_mm": source.max} for source in self.sources},
            "largest_gain": float(self.gain.max()),
        }


def measure_subspace(model: _core.DifferentialModel, truth: HeldOutPoses, distances: Floats) -> MeasuredDifferential:
    """Measure a model whose distances (T, V) to the truth are known, in millimeters."""
    tensors = model.tensors()
    solver = _core.Reconstructor(
        model.faces, len(model.rest_vertices), tensors["anchors.vertex"], tensors["anchors.weight"]
    )
    folded = solver.folded(tensors["delta.basis"], tensors["delta.mean"])
    by = by_channel(truth, distances) if model.joint_names else by_control(model, truth, distances)
    return MeasuredDifferential(
        _steps(model, truth),
        _sources(model, truth, solver, folded),
        by,
        np.asarray(tensors["anchors.vertex"]),
        solver.gain(),
        _components(tensors, truth, folded),
    )


def _steps(model: _core.DifferentialModel, truth: HeldOutPoses) -> list[QualityStep]:
    measurer = StepMeasurer(model, truth)
    found = [measurer.step(f"{model.num_components} components", "evaluate(poses)", model.evaluate)]
    for share in SHARES:
        count = model.num_components // share
        if count:
            found.append(measurer.step(f"{count} components", f"reduced({count})", model.reduced(count).evaluate))
    if model.storage == "float32":
        found.append(measurer.step("16-bit weights", 'stored("16-bit")', model.stored("16-bit").evaluate))
    return found


def _sources(
    model: _core.DifferentialModel, truth: HeldOutPoses, solver: _core.Reconstructor, folded: _core.FoldedReconstructor
) -> list[Source]:
    """Each network's part, the other's outputs being the true ones."""
    tensors = model.tensors()
    some = np.unique(np.linspace(0, len(truth.poses) - 1, min(len(truth.poses), SOURCE_POSES)).round().astype(int))
    poses, vertices = truth.poses[some], truth.vertices[some]
    exact = in_millimeters(model, vertices)
    true = true_displacements(model, tensors, poses, vertices)
    delta = solver.encode(true).reshape(len(true), -1) - tensors["delta.mean"]
    pairs = {
        "components": (delta @ tensors["delta.basis"], true[:, tensors["anchors.vertex"]]),
        "networks": (coefficients(tensors, poses), anchor_displacements(tensors, poses)),
    }
    kinds = {
        "the components leave out": ("components", "components"),
        "the differential network alone": ("networks", "components"),
        "the anchor networks alone": ("components", "networks"),
        "all together": ("networks", "networks"),
    }
    found = []
    for name, (first, second) in kinds.items():
        moved = folded.solve(np.ascontiguousarray(pairs[first][0]), np.ascontiguousarray(pairs[second][1]))
        at = in_millimeters(model, placed(model, tensors, poses, moved))
        found.append(Source(name, *mean_and_largest(_core.vertex_distances(at, exact))))
    return found


def _components(
    tensors: dict[str, NDArray[np.float32]], truth: HeldOutPoses, folded: _core.FoldedReconstructor
) -> Floats:
    """The leading components on the mesh, anchors at rest, at one standard deviation."""
    spread = coefficients(tensors, truth.poses).std(axis=0)
    units = np.diag(spread)[: min(SHOWN, len(spread))].astype(np.float32)
    still = np.zeros((len(units) + 1, len(tensors["anchors.vertex"]), 3), np.float32)
    moved = folded.solve(np.concatenate([units, np.zeros((1, units.shape[1]), np.float32)]), still)
    return np.asarray(moved[:-1] - moved[-1], np.float32)


def coefficients(tensors: Tensors, poses: Floats) -> Floats:
    """Of the basis of delta coordinates, (T, R)."""
    x = poses[:, tensors["inputs.column"]]
    count = _count(tensors, "network")
    for i in range(1, count + 1):
        x = x @ tensors[f"network.layer{i}.weight"].T + tensors[f"network.layer{i}.bias"]
        x = np.maximum(x, 0.0) if i < count else x
    return np.asarray(x, np.float32)


def anchor_displacements(tensors: Tensors, poses: Floats) -> Floats:
    """Of the anchors in rest space, (T, A, 3)."""
    count, found = _count(tensors, "anchors"), []
    outputs = itertools.pairwise(tensors["anchors.offset"])
    inputs = itertools.pairwise(tensors["anchors.input.offset"])
    for s, ((first, last), (begin, end)) in enumerate(zip(outputs, inputs, strict=True)):
        x = poses[:, tensors["anchors.column"][begin:end]] @ tensors["anchors.layer1.weight"][begin:end]
        x = np.maximum(x + tensors["anchors.layer1.bias"][s], 0.0)
        for i in range(2, count):
            x = np.maximum(x @ tensors[f"anchors.layer{i}.weight"][s].T + tensors[f"anchors.layer{i}.bias"][s], 0.0)
        rows = slice(3 * first, 3 * last)
        found.append(x @ tensors[f"anchors.layer{count}.weight"][rows].T + tensors[f"anchors.layer{count}.bias"][rows])
    return np.asarray(np.concatenate(found, axis=1).reshape(len(poses), -1, 3), np.float32)


def true_displacements(model: _core.DifferentialModel, tensors: Tensors, poses: Floats, vertices: Floats) -> Floats:
    """``T^-1 v - v0 - o`` of vertices, (T, V, 3)."""
    transforms, base = transforms_of(model, tensors), read_base(tensors)
    moved = displacements(transforms, model.skeleton, poses, vertices, model.rest_vertices, str)
    return moved if base is None else moved - base.offsets(poses)


def placed(model: _core.DifferentialModel, tensors: Tensors, poses: Floats, moved: Floats) -> Floats:
    """``T (v0 + o + d)`` of displacements, (T, V, 3)."""
    base = read_base(tensors)
    points = model.rest_vertices + moved + (0.0 if base is None else base.offsets(poses))
    transforms = transforms_of(model, tensors)
    if transforms.origin == "identity":
        return points
    matrix = transforms.matrices(model.skeleton, poses)
    turned = (matrix[..., :3] @ points[..., None])[..., 0]
    return np.asarray(turned + matrix[..., 3], np.float32)


def transforms_of(model: _core.DifferentialModel, tensors: Tensors) -> Transforms:
    """The linear transforms in a model's file."""
    if "skin.joint" not in tensors:
        none = np.zeros((len(model.rest_vertices), 0))
        return Transforms("identity", none.astype(np.int32), none.astype(np.float32))
    return Transforms(model.transforms, tensors["skin.joint"], tensors["skin.weight"])


def _count(tensors: Tensors, name: str) -> int:
    return sum(key.startswith(f"{name}.layer") for key in tensors) // 2
