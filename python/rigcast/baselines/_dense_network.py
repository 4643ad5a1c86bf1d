"""One plain network per segment of a mesh: pose columns to vertices."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._pose_statistics.columns import varying_columns
from rigcast._regression.inputs import fit_inputs
from rigcast._resume.fingerprints import fingerprint
from rigcast._rigs.segments import segments
from rigcast._validate import Arguments, bad_argument
from rigcast.baselines._model import Tensors, model
from rigcast.baselines._samples import BaselineExamples, Data, examples
from rigcast.progress import ProgressOption
from rigcast.training._body.direct_networks import DirectLayers, DirectNetworks, DirectSegment, reduced_offsets
from rigcast.training._body.influence import Description, changed_columns, influencing_inputs, vertex_movement
from rigcast.training._body.settings import BodySettings
from rigcast.training._budget import Budget, budget_of

_MOST_SEGMENTS = 32  # a mesh of more has the smallest ones in one network; chosen, not tuned
_MOST_INPUTS = 512  # of a network: the optimizer decomposes matrices of this size; not tuned
_RATE = 0.02
_DECAY = 0.5  # of the weights: a thousand poses are far fewer numbers than weights. Without it errors are 1.3 to 2.3 x
_GAIN = 0.3  # of the first layer: networks begin nearly linear. Better held out on a face and two bodies than 1
_STILL = 1e-5  # of the mesh's diagonal: motion below it is none


def dense_network(
    data: Data,
    *,
    by: str | None = None,
    hidden: int = 256,
    seed: int = 0,
    minutes: float | None = None,
    steps: int | None = None,
    holdout: float = 0.1,
    learning_rate: float | None = None,
    fit_on: Data | None = None,
    rows: ArrayLike | None = None,
    device: str = "cpu",
    threads: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
) -> Deformer:
    """Dense networks from the pose to the vertices, one per segment (the baseline of Bailey 2020).

    ``v = m + W3 tanh(W2 tanh(W1 x + b1) + b2)`` for the vertices of a segment, in the space of the rig. Segments are
    the model's named parts, else its materials, else its connected components (:func:`rigcast.segments`); of more
    than 32 the smallest share one network. The inputs x of a segment are the pose columns that move it by more than
    1e-5 of the mesh's diagonal in the data set's influence probe; all varying columns if there is none. Of more than
    512 columns a network is trained on the 512 leading principal components.

    The paper does not state activation and training of this baseline. Here they are tanh and the optimizer (SOAP),
    schedule and early stop of :func:`rigcast.training.body`, with the squared distance of the vertices as loss, and
    weights that decay: networks of this width have far more weights than there are poses, and without it the held-out
    error was 1.3 to 2.3 times as large on a face and two bodies. The last layer is trained in the coordinates of
    principal components, as many as hidden units at most, which is its rank; the file holds it multiplied out.

    Parameters
    ----------
    data : Dataset or Samples
        A data set, or samples in memory, with or without joints.
    by : "parts", "materials" or "components", optional
        What segments are.
    hidden : int
        Width of both hidden layers.
    seed : int
        Decides the held-out rows, the initial weights and the batches. The same data, seed, settings, machine and
        number of threads give the same model, bit for bit, unless ``minutes`` decides when to stop.
    minutes : float, optional
        Time for the whole call.
    steps : int, optional
        Steps of the optimizer; 8000 if neither ``minutes`` nor ``steps`` is given.
    holdout : float
        Share of the rows that is not trained on, between 0 and 1: they choose the weights, and the model's errors are
        those on them.
    learning_rate : float, optional
        The highest one; 0.02 by default.
    fit_on : Dataset or Samples, optional
        Fit to these poses in place of those of ``data`` (the second protocol: the clip that is judged).
    rows : (T,) integers, optional
        Rows of what is fitted to; all by default.
    device : "cpu" or "cuda"
        Where the networks are trained.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    checkpoint : path-like, optional
        File that a killed run continues from; it is removed when the model is finished.
    restart : bool
        Begin anew: remove the ``checkpoint`` that an earlier run left.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`: the held-out error in the rig's unit.

    Returns
    -------
    Deformer
        A model of kind ``dense_network``. Segments that nothing moves have no network.

    Raises
    ------
    ValueError
        If there are fewer than three poses, no column of the poses varies, shapes do not fit, a setting makes no sense,
        or the checkpoint belongs to another run or is written by one.
    NumericalError
        If training diverges.
    MissingExtra
        Without PyTorch.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).random((60, 2)).astype(np.float32)
    >>> rest = np.random.default_rng(1).standard_normal((20, 3)).astype(np.float32)
    >>> faces = np.int32([[i, i + 1, i + 2] for i in range(18)])
    >>> vertices = (rest + (x[:, :1] * x[:, 1:])[..., None] * (rest[:, :1] > 0)).astype(np.float32)
    >>> data = rc.baselines.Samples(None, rest, faces, x, vertices)
    >>> model = rc.baselines.dense_network(data, steps=5, hidden=8)  # thousands for a model worth having
    >>> model.evaluate(x).shape
    (60, 20, 3)
    """
    budget = budget_of("dense_network", minutes, steps, seed, device, threads, checkpoint, restart, progress)
    check = Arguments("dense_network")
    settings = BodySettings(
        hidden=check.whole("hidden", hidden, least=1),
        holdout=check.number("holdout", holdout, above=0.0, below=1.0),
        learning_rate=_RATE if learning_rate is None else check.number("learning_rate", learning_rate, least=0.0),
        weight_decay=_DECAY,
        gain=_GAIN,
    )
    fitted = examples("dense_network", data, rows, fit_on, least=3)
    training = _split(len(fitted), settings.holdout, budget.seed)
    members = _members(data, by)
    found = _segments(fitted, members, training, settings, threads)
    run = "" if budget.checkpoint is None else _fingerprint(fitted, settings, budget, by)
    layers, done = DirectNetworks(fitted.poses, found, training, settings, budget).train(run)
    about = {
        "method": "dense_network",
        "seed": seed,
        "hidden": hidden,
        "segments": len(found),
        "inputs": [0 if s.inputs is None else len(s.inputs.columns) for s in found],
        "influence": "all varying columns: no probe" if getattr(data, "probe", None) is None else "probe",
        "learning_rate": settings.learning_rate,
        "decay": settings.weight_decay,
        "steps_done": done,
    }
    return model(
        "dense_network", fitted, _tensors(fitted, members, found, layers), about, threads, np.flatnonzero(~training)
    )


def _split(count: int, holdout: float, seed: int) -> NDArray[np.bool_]:
    """Choose the rows (T,) to train on: at least two, and not all."""
    order = np.random.default_rng([seed, 5]).permutation(count)
    training = np.ones(count, bool)
    training[order[: min(max(round(holdout * count), 1), count - 2)]] = False
    return training


def _members(data: Data, by: str | None) -> list[NDArray[np.intp]]:
    """The vertices of each network: every vertex once."""
    label = segments(data, by).vertices
    groups = [np.flatnonzero(label == s) for s in np.unique(label)]  # vertices of no segment are one, too
    groups.sort(key=len, reverse=True)
    if len(groups) > _MOST_SEGMENTS:
        groups = [*groups[: _MOST_SEGMENTS - 1], np.sort(np.concatenate(groups[_MOST_SEGMENTS - 1 :]))]
    return groups


def _segments(
    fitted: BaselineExamples,
    members: list[NDArray[np.intp]],
    training: NDArray[np.bool_],
    settings: BodySettings,
    threads: int,
) -> list[DirectSegment]:
    """Inputs and reduced offsets of the segments."""
    varying = varying_columns(fitted.poses, fitted.num_joints, fitted.extent)
    if not varying.any():
        raise bad_argument("dense_network", "data", "of constant poses", "poses of which at least one column varies")
    least = _STILL * fitted.extent
    columns = _columns(fitted, members, varying, least)
    result = []
    for part, among in zip(members, columns, strict=True):
        offsets = fitted.vertices[:, part] - fitted.rest[part]
        inputs = fit_inputs(fitted.poses[training], fitted.num_joints, fitted.extent, _MOST_INPUTS, among)
        result.append(DirectSegment(inputs, reduced_offsets(offsets, training, settings.hidden, least, threads)))
    return result


def _columns(
    fitted: BaselineExamples, members: list[NDArray[np.intp]], varying: NDArray[np.bool_], least: float
) -> list[NDArray[np.int32]]:
    """Pose columns that move each segment."""
    skeleton, probe = fitted.data.skeleton, getattr(fitted.data, "probe", None)
    if probe is None:
        return [np.flatnonzero(varying).astype(np.int32)] * len(members)
    parents = np.zeros(0, np.int32) if skeleton is None else np.asarray(skeleton.parents)
    description = Description(parents, varying, np.zeros(len(parents), bool))
    moves = np.stack([vertex_movement(probe, part) for part in members], axis=1) > least
    changes = changed_columns(probe, len(parents), fitted.extent)
    return [influencing_inputs(moves[:, s], changes, description) for s in range(len(members))]


def _tensors(
    fitted: BaselineExamples, members: list[NDArray[np.intp]], found: list[DirectSegment], layers: list[DirectLayers]
) -> Tensors:
    mean = fitted.rest.astype(np.float64)
    tensors: dict[str, NDArray[Any]] = {}
    used: list[int] = []
    columns = [np.zeros(0, np.int32) if s.inputs is None else s.inputs.columns for s in found]
    for s, (part, layer) in enumerate(zip(members, layers, strict=True)):
        mean[part] += layer.constant.reshape(-1, 3)
        if layer.hidden:
            name = f"network.{len(used):03d}."
            tensors |= {name + key: value for key, value in layer.hidden.items()}
            tensors[name + "layer3.weight"] = layer.last
            used.append(s)
    return tensors | {
        "mean": mean.reshape(-1).astype(np.float32),
        "networks.vertex": _joined([members[s] for s in used]),
        "networks.offset": _offsets([len(members[s]) for s in used]),
        "inputs.column": _joined([columns[s] for s in used]),
        "inputs.offset": _offsets([len(columns[s]) for s in used]),
    }


def _joined(parts: list[Any]) -> NDArray[np.int32]:
    return np.asarray(np.concatenate([np.zeros(0), *parts]), np.int32)


def _offsets(sizes: list[int]) -> NDArray[np.int32]:
    return np.array([0, *np.cumsum(sizes)], np.int32)


def _fingerprint(fitted: BaselineExamples, settings: BodySettings, budget: Budget, by: str | None) -> str:
    """Identifies a run: settings, poses and vertices."""
    return fingerprint("dense_network", by, budget.record(settings), fitted.rest, fitted.poses, fitted.vertices)
