"""The networks of a body: their problem, their training within a budget, and the model that they make."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast._pose_statistics.columns import noise
from rigcast._pose_statistics.combinations import DOUBTED, INSIDE
from rigcast._pose_statistics.confidence import confidence_of
from rigcast._regression.skin_weights import gains
from rigcast._resume.fingerprints import fingerprint
from rigcast.training._body.basis import Basis, empty_basis
from rigcast.training._body.error_bound import row_errors
from rigcast.training._body.linear_part import INFLUENCES, Skinnings, skinned_sets
from rigcast.training._body.networks import Normalization, layers, make_problem, normalize
from rigcast.training._body.partition import VertexSets
from rigcast.training._body.preparation import BodyPreparation
from rigcast.training._body.settings import BodySettings
from rigcast.training._body.trainer import PosedMotion, Trainer
from rigcast.training._budget import Budget
from rigcast.training._checkpoint import TrainingState
from rigcast.training._descend import train
from rigcast.training._export import (
    LearnedSet,
    Tensors,
    common_metadata,
    common_tensors,
    errors_of,
    rest_pose,
    set_tensors,
)
from rigcast.training._optimizers import Arrays
from rigcast.training._pace import seconds_of_ending

# Deviations of inputs count as at least so many times what is rounding. 700 steps on a generated human, error on
# held-out poses: .354 mm with 0, .321 with 1, .208 with 10; a character of plain bones does not change.
SMALLEST = 10.0
WATCHED = 32  # held-out poses whose error is reported while training


class Networks:
    """The networks of the sets that have inputs and components: their problem, their training, their layers.

    ``before``: tensors of a model with the same sets, whose networks the training goes on from.
    """

    def __init__(
        self, ds: Any, ready: BodyPreparation, settings: BodySettings, budget: Budget, before: Tensors | None = None
    ) -> None:
        self.ds, self.ready, self.settings, self.budget, self.before = ds, ready, settings, budget, before
        self.active = [i for i, basis in enumerate(ready.bases) if len(ready.columns[i]) and basis.components.shape[1]]
        self.inputs = [ready.poses[:, ready.columns[i]] for i in self.active]
        self.targets = [ready.bases[i].coefficients for i in self.active]
        rows = ready.training
        smallest = SMALLEST * noise(ready.poses.shape[1], len(ready.description.parents), ready.extent)
        self.maps = [
            normalize(x[rows], c[rows], smallest[ready.columns[i]])
            for i, x, c in zip(self.active, self.inputs, self.targets, strict=True)
        ]

    def learned(self, weights: Arrays) -> list[LearnedSet]:
        """All sets, with the layers that these weights make."""
        parts = [LearnedSet(c, basis, {}) for c, basis in zip(self.ready.columns, self.ready.bases, strict=True)]
        for s, i in enumerate(self.active):
            parts[i] = replace(parts[i], layers=layers(weights, s, self.maps[s]))
        return parts

    def train(
        self, *, seconds: float | None = None, finish: Callable[[list[LearnedSet], float], object] | None = None
    ) -> tuple[list[LearnedSet], dict[str, Any]]:
        """Train; the sets with the best weights, and metadata: the steps that were done, and whether they are too few.

        Parameters
        ----------
        seconds : float, optional
            Since the budget began, after which the steps end; by default its minutes decide.
        finish : callable, optional
            Makes the model of some sets and measures it on a share of the rows: how long that takes shortens the steps.
        """
        if not self.active:
            return self.learned({}), {"steps_done": 0}
        budget, trainer, ending = self.budget, self._trainer(), 0.0
        if finish is not None:
            begin = self.learned(trainer.start().best)
            ending = seconds_of_ending(budget.minutes, lambda share: finish(begin, share), budget.elapsed())
        run = fingerprint(self.ds.hash, budget.record(self.settings))
        begun = self._start(trainer)
        state, done = train(trainer, budget, self._watch(), run=run, ending=ending, seconds=seconds, begin=begun)
        return self.learned(state.best), done

    def _trainer(self) -> Trainer:
        training = np.isin(np.arange(len(self.ready.poses)), self.ready.training)
        problem = make_problem(self.inputs, self.targets, self.maps, training)
        widths = [m.whiten.shape[1] for m in self.maps], [len(m.scale) for m in self.maps]
        motion = None
        if self.settings.motion_weight > 0.0:
            motion = PosedMotion(self.ds, self.ready, self.active, self.maps, training, self.budget.device)
        return Trainer(problem, *widths, self.settings, self.budget, motion)

    def _watch(self) -> Callable[[Arrays], tuple[str, float]]:
        """Return the function that measures weights on a few held-out rows, in words and in millimeters."""
        _, poses, truth = self.ds.take(self.ready.held_out[:WATCHED])
        unit = 1000.0 * self.ds.meters_per_unit

        def said(weights: Arrays) -> tuple[str, float]:
            model = model_of(self.ds, self.ready, self.learned(weights))
            distance = np.linalg.norm(model.evaluate(poses) - truth, axis=2) * unit
            return f"{distance.mean():.3g} mm, at most {distance.max():.3g} mm", float(distance.mean())

        return said

    def _start(self, trainer: Trainer) -> TrainingState:
        state = trainer.start()
        if self.before is not None:
            known = self.active, self.ready.sets, self.ready.bases, self.maps
            state.parameters = continued(state.parameters, *known, self.before)
            state.best = state.parameters
        return state


def model_of(ds: Any, ready: BodyPreparation, learned: list[LearnedSet]) -> Deformer:
    """The model of some sets, without what it states of itself."""
    tensors = common_tensors(ds, ready.poses) | set_tensors(ready.sets, learned)
    return _core.model_from_tensors(tensors, json.dumps(common_metadata(ds, "body", {})))


def model_tensors(ds: Any, ready: BodyPreparation, learned: list[LearnedSet]) -> dict[str, NDArray[Any]]:
    """All tensors of the model but its errors.

    The rest pose counts as a training pose if no vertex errs there by more than five times the 99th percentile of the
    held-out errors.
    """
    poses: NDArray[np.float32] = ready.poses[ready.training]
    tensors = common_tensors(ds, poses) | set_tensors(ready.sets, learned)
    model, rest = _core.model_from_tensors(tensors, json.dumps(common_metadata(ds, "body", {}))), rest_pose(ds)
    most = DOUBTED * np.quantile(row_errors(model, ds, ready.held_out), INSIDE)
    at_rest = np.linalg.norm(model.evaluate(rest) - ds.rest_vertices, axis=1).max()
    return tensors | confidence_of(
        poses,
        len(ready.description.parents),
        ready.unread(),
        ready.extent,
        carried=None if tensors["inputs.column"].size else ready.carried(),
        rest=rest if at_rest <= most else None,
    )


@dataclass(frozen=True)
class LinearReference:
    """Linear skinning of the same samples, with which the networks are compared.

    Attributes
    ----------
    tensors : dict of arrays
        ``reference.joint`` and ``reference.weight`` (V, K) of a model file.
    about : dict
        The metadata entry ``linear_skinning``: its errors on the held-out rows.
    """

    tensors: Tensors
    about: dict[str, Any]


def measured_reference(linear: Deformer, ds: Any, rows: NDArray[np.integer[Any]]) -> LinearReference:
    """Linear skinning with its errors on rows that it was not fitted to."""
    skin, (_, reached) = linear.tensors(), errors_of(linear, ds, rows)
    about = {"influences": INFLUENCES, **{key: reached[key] for key in ("mean", "rms", "p95", "max")}}
    return LinearReference({"beside.joint": skin["skin.joint"], "beside.weight": skin["skin.weight"]}, about)


def better_sets(
    ds: Any, ready: BodyPreparation, learned: list[LearnedSet], skinnings: Skinnings
) -> tuple[BodyPreparation, list[LearnedSet], LinearReference]:
    """The sets of the better of networks and linear skinning of the same samples, and the errors of the latter.

    Networks that are no better than skinning alone, in mean, are left out: the model is then the skinning.
    """
    reference = measured_reference(skinnings.model(), ds, ready.held_out)
    _, own = errors_of(model_of(ds, ready, learned), ds, ready.held_out)
    if gains(own["mean"], reference.about["mean"]):
        return ready, learned, reference
    sets, none = (
        skinned_sets(reference.tensors["beside.joint"], reference.tensors["beside.weight"])[0],
        np.zeros(0, np.int32),
    )
    bases = [empty_basis(int(size), len(ready.poses)) for size in np.diff(sets.offset)]
    plain = replace(ready, sets=sets, columns=[none] * len(sets), bases=bases)
    reference.about["networks"] = f"left out: with them the mean error was {own['mean']:.3g}"
    return plain, [LearnedSet(none, basis, {}) for basis in bases], reference


def metadata(
    ds: Any, ready: BodyPreparation, settings: BodySettings, budget: Budget, used: dict[str, Any]
) -> dict[str, Any]:
    """Metadata of the model: what is needed to repeat the training, and what came of it."""
    record = budget.record(settings) | {
        "influence": "probe" if ds.probe is not None else "all varying columns: the data set has no influence probe",
        "loss": "squared vertex distance in bone space" + ", motion on the screen" * (settings.motion_weight > 0.0),
        "weight_decay": settings.decay(len(ready.training)),
        "sets": len(ready.sets),
        "members": len(ready.sets.vertex),
        "inputs": [len(c) for c in ready.columns],
        "components": [basis.components.shape[1] for basis in ready.bases],
        "training_poses": len(ready.training),
        "held_out_poses": len(ready.held_out),
    }
    return common_metadata(ds, "body", record | used)


def continued(
    parameters: Arrays, active: list[int], sets: VertexSets, bases: list[Basis], maps: list[Normalization], old: Tensors
) -> Arrays:
    """Initial parameters with the networks of a model's tensors in place of those that are random.

    With the layers L of a set as they stand in a model file, its new normalization z = (x - mean) W and c = y scale,
    and the old and the new orthonormal basis B, B' with means m, m'::

        W1' = W^-1 L1^T,  b1' = l1 + L1 mean,  W3' = (B'^T B L3)^T / scale,  b3' = B'^T (B l3 + m - m') / scale

    The hidden layer stays. What the new basis cannot show is lost; everything else is the function that the model had.

    Parameters
    ----------
    parameters : dict of arrays
        As :func:`rigcast.training._body.networks.initial_parameters` gives them, for the active sets.
    active : list of int
        The sets that have a network.
    sets : VertexSets
        Those of the model, too.
    bases : list of Basis
        Of all sets.
    maps : list of Normalization
        Of the active sets.
    old : dict of arrays
        The model's tensors; a set without layers there keeps its random network.
    """
    result = {name: value.copy() for name, value in parameters.items()}
    for s, i in enumerate(active):
        name = f"set.{i:03d}."
        if f"{name}layer1.weight" not in old:
            continue
        layer = {key: old[f"{name}layer{key}"].astype(np.float64) for key in _LAYERS}
        root = np.repeat(np.sqrt(sets.weight[sets.members(i)].astype(np.float64)), 3)
        turn = bases[i].components.T @ (old[f"{name}basis"] * root[:, None])
        shift = bases[i].components.T @ (old[f"{name}mean"] * root - bases[i].mean)
        n, r = len(maps[s].mean), len(maps[s].scale)
        result["weight1"][s, :n] = np.linalg.solve(maps[s].whiten, layer["1.weight"].T)
        result["bias1"][s, 0] = layer["1.bias"] + layer["1.weight"] @ maps[s].mean
        result["weight2"][s], result["bias2"][s, 0] = layer["2.weight"].T, layer["2.bias"]
        result["weight3"][s, :, :r] = (turn @ layer["3.weight"]).T / maps[s].scale
        result["bias3"][s, 0, :r] = (turn @ layer["3.bias"] + shift) / maps[s].scale
    return result


_LAYERS = ("1.weight", "1.bias", "2.weight", "2.bias", "3.weight", "3.bias")
