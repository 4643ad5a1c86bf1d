"""The subjects and peers of a race, for each kind of model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import onnx_body, onnx_maps, torch_body, torch_differential, torch_maps
from benchmarks.peers.body_arrays import layout
from benchmarks.peers.race import Contest, Forms
from rigcast import _core
from rigcast._timing.engine import TimedModels

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Kind:
    """The peers of a kind of models.

    Attributes
    ----------
    packages : tuple of str
        Modules whose versions are stated.
    forms : tuple of functions
        See `race.race`.
    sizes : function
        From a model to what a report says of its size.
    """

    packages: tuple[str, ...]
    forms: tuple[Forms, ...]
    sizes: Callable[[Any], dict[str, Any]]


def _body(subject: TimedModels, poses: Floats, threads: int) -> Contest:
    arrays = layout(subject.model)
    peers = {
        "PyTorch": torch_body.forms(arrays, poses),
        "ONNX Runtime": {"one graph": onnx_body.form(arrays, poses, threads)},
    }
    return Contest(subject.calls(poses, threads), peers)


def _body_sizes(model: _core.BodyModel) -> dict[str, Any]:
    tensors = model.tensors()
    return {
        "vertices": len(model.rest_vertices),
        "memberships": len(tensors["sets.vertex"]),
        "sets": len(tensors["sets.joint"]),
        "joints": model.skeleton.num_joints,
        "bytes": sum(value.nbytes for value in tensors.values()),
    }


def _face_maps(subject: TimedModels, poses: Floats, threads: int) -> Contest:
    """Rigid parts are left out by the peers."""
    model = subject.model
    peers = {"PyTorch": torch_maps.forms(model, poses), "ONNX Runtime": onnx_maps.forms(model, poses, threads)}
    kept = np.setdiff1d(np.arange(len(model.rest_vertices)), model.tensors()["parts.vertex"])
    return Contest(subject.calls(poses, threads), peers, kept)


def _face_maps_sizes(model: _core.FaceMaps) -> dict[str, Any]:
    return {
        "vertices": len(model.rest_vertices),
        "segments": model.num_segments,
        "refinements": model.num_refinements,
        "rigid_parts": model.num_parts,
        "multiply_adds": model.multiply_adds(),
        "bytes": model.num_bytes,
    }


def _differential(subject: TimedModels, poses: Floats, threads: int) -> Contest:
    """PyTorch with basis and solve folded into one dense product, and with the solve of each frame, as published.

    The other last step is one more variant of ours.
    """
    model: Any = subject.model
    other = model.with_tail("factorized" if model.tail == "folded" else "folded")
    out = np.empty((len(poses), *model.rest_vertices.shape), np.float32)
    ours = subject.calls(poses, threads) | {other.tail: lambda: other.evaluate(poses, threads=threads, out=out)}
    folded, solved = torch_differential.forms(model, poses)
    return Contest(ours, {"PyTorch": folded, "PyTorch, solve": solved})


def _reconstruction(subject: TimedModels, poses: Floats, threads: int) -> Contest:
    """Random coefficients and anchors to displacements, beside a product with the basis by PyTorch and a solve."""
    import torch

    model: Any = subject.model
    arrays = model.tensors()
    solver = torch_differential.reconstructor_of(model, arrays)
    basis, mean = arrays["delta.basis"], arrays["delta.mean"]
    folded = solver.folded(basis, mean)
    rng = np.random.default_rng(0)
    z = rng.standard_normal((len(poses), model.num_components)).astype(np.float32)
    anchors = rng.standard_normal((len(poses), model.num_anchors, 3)).astype(np.float32)
    shape = len(poses), len(model.rest_vertices), 3
    columns, offset = torch.from_numpy(np.ascontiguousarray(basis.T)), torch.from_numpy(mean)

    def solve() -> Any:
        delta = torch.addmm(offset, torch.from_numpy(z), columns).numpy().reshape(shape)
        return solver.solve(delta, anchors, threads=threads)

    ours = {"rigcast": lambda: folded.solve(z, anchors, threads=threads)}
    return Contest(ours, {"basis and solve": {"one form": solve}}, job="reconstruction")


def _differential_sizes(model: _core.DifferentialModel) -> dict[str, Any]:
    return {
        "vertices": len(model.rest_vertices),
        "components": model.num_components,
        "anchors": model.num_anchors,
        "tail": model.tail,
        "bytes": model.num_bytes,
    }


KINDS = {
    "body": Kind(("torch", "onnxruntime"), (_body,), _body_sizes),
    "face_maps": Kind(("torch", "onnxruntime"), (_face_maps,), _face_maps_sizes),
    "differential": Kind(("torch",), (_differential, _reconstruction), _differential_sizes),
}
