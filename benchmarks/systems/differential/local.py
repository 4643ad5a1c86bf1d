"""The Local baseline of Song et al. 2020: the differential network on Cartesian offsets; no anchors, no reconstruction.

Inputs, network, optimizer, loss, budget, linear transforms and number of components are those of
``rc.training.differential``; only what is learned differs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rigcast import _core
from rigcast._atomic_files import atomic_npz
from rigcast._regression.components import principal_components
from rigcast._resume.fingerprints import fingerprint
from rigcast.progress import ProgressOption, as_callback
from rigcast.training._budget import Budget
from rigcast.training._descend import train
from rigcast.training._differential._inputs import describe, network_columns
from rigcast.training._differential._labels import _MOST_BASIS_ROWS, Labels, _components, _moved
from rigcast.training._differential._networks import SubspaceProblem
from rigcast.training._differential._settings import DifferentialSettings
from rigcast.training._differential._trainer import SubspaceDescent
from rigcast.training._differential._transforms import Transforms, find_transforms

FRAMES = 64  # evaluated at a time


class Local:
    """A network to principal components of offsets in rest space, then the linear transforms of the vertices.

    Parameters
    ----------
    skeleton : Skeleton or None
    arrays : dict
        As :meth:`save` writes them.
    """

    kind = "local"

    def __init__(self, skeleton: Any, arrays: dict[str, np.ndarray]) -> None:
        self.skeleton, self.arrays = skeleton, arrays
        self.rest_vertices = arrays["rest"]
        self.transforms = Transforms(str(arrays["origin"]), arrays["joint"], arrays["weight"])

    def save(self, path: Path) -> None:
        """Write all arrays, atomically."""
        atomic_npz(path, self.arrays)

    @classmethod
    def load(cls, path: Path, skeleton: Any) -> Local:
        """Read what :meth:`save` wrote."""
        with np.load(path, allow_pickle=False) as file:
            return cls(skeleton, {name: file[name] for name in file.files})

    def evaluate(self, poses: np.ndarray) -> np.ndarray:
        """Vertices (T, V, 3) of poses (T, C)."""
        return np.concatenate([self._some(poses[i : i + FRAMES]) for i in range(0, len(poses), FRAMES)])

    def _some(self, poses: np.ndarray) -> np.ndarray:
        x = poses[:, self.arrays["columns"]]
        last = sum(name.startswith("weight.") for name in self.arrays) - 1
        for i in range(last + 1):
            x = x @ self.arrays[f"weight.{i}"] + self.arrays[f"bias.{i}"]
            x = np.maximum(x, 0.0) if i < last else x
        offsets = (x @ self.arrays["basis"].T + self.arrays["mean"]).reshape(len(poses), -1, 3)
        moved = self.rest_vertices + offsets
        if self.transforms.origin == "identity":
            return moved.astype(np.float32)
        matrix = self.transforms.matrices(self.skeleton, poses)
        turned = np.einsum("tvab,tvb->tva", matrix[..., :3], moved, optimize=True)
        return (turned + matrix[..., 3]).astype(np.float32)


def local(
    ds: Any,
    *,
    minutes: float,
    skin: Any = None,
    seed: int = 0,
    threads: int = 1,
    checkpoint: Path | None = None,
    progress: ProgressOption = None,
    **given: Any,
) -> Local:
    """Learn the baseline; settings as :func:`rigcast.training.differential` takes them."""
    settings = DifferentialSettings(anchor_hidden=1, anchor_layers=1, base=False, **given)
    watched = as_callback(progress)
    budget = Budget("differential", minutes, None, seed, "cpu", threads, checkpoint, False, watched)
    training, _ = ds.split(settings.holdout, seed)
    transforms = find_transforms(ds, skin, training, threads)
    labels = _labels(ds, transforms, training, settings, budget)
    poses = np.asarray(ds.poses)
    learn = np.zeros(len(poses), bool)
    learn[training] = True
    extent = float(np.linalg.norm(np.ptp(ds.rest_vertices, axis=0)))
    columns = network_columns(describe(ds, poses, extent))
    joints = 0 if ds.skeleton is None else ds.skeleton.num_joints
    problem = SubspaceProblem(poses, joints, labels, columns, [columns[:1]], learn, settings)
    with budget.at_work():
        descent = SubspaceDescent(problem, budget, 100.0 * float(ds.meters_per_unit))
        run = fingerprint("local", ds.hash, budget.record(settings), transforms.origin)
        state, _ = train(descent, budget, lambda _: (f"{descent.error:.3g}", descent.error), run=run)
    layers = problem.layers(problem.network, state.best, 0)
    last, bias = layers[-1]
    layers[-1] = last, bias + problem.center
    return Local(
        ds.skeleton,
        {
            "rest": np.asarray(ds.rest_vertices),
            "origin": np.array(transforms.origin),
            "joint": transforms.joint,
            "weight": transforms.weight,
            "columns": columns,
            "basis": labels.basis,
            "mean": labels.mean,
            **{f"weight.{i}": weight.astype(np.float32) for i, (weight, _) in enumerate(layers)},
            **{f"bias.{i}": bias.astype(np.float32) for i, (_, bias) in enumerate(layers)},
        },
    )


def _labels(
    ds: Any, transforms: Transforms, training: np.ndarray, settings: DifferentialSettings, budget: Budget
) -> Labels:
    """Coefficients of the offsets themselves, whose components are orthonormal: an error of one is a displacement."""
    count = _components(settings, len(ds.rest_vertices), len(training))
    drawn = np.random.default_rng([budget.seed, 1]).permutation(training)
    rows = np.sort(drawn[: max(_MOST_BASIS_ROWS, count + 1)])
    seen = np.concatenate([d.reshape(len(d), -1) for _, d in _moved(ds, transforms, rows, None)])
    found = principal_components(seen, count, budget.threads)
    coefficients = np.zeros((len(ds), count), np.float32)
    for part, d in _moved(ds, transforms, np.arange(len(ds)), None):
        coefficients[part] = (d.reshape(len(d), -1) - found.mean) @ found.basis
    return Labels(
        transforms,
        None,
        _core.Reconstructor(np.asarray(ds.faces), len(ds.rest_vertices), np.arange(len(ds.rest_vertices))),
        np.zeros(1, np.int32),
        found.basis,
        found.mean,
        coefficients,
        np.zeros((len(ds), 1, 3), np.float32),
        np.eye(count),
        np.zeros(1),
    )
