"""Files of the weights at which examples were posed."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast.sources._weights import read_weights
from rigcast.transfer._packing import ExpressionPlan

Float64 = NDArray[np.float64]


def load_example_weights(path: str | os.PathLike[str], rig: BlendshapeRig, count: int) -> Float64:
    """Read the weights of examples, the argument ``example_weights`` of :func:`example_based`.

    Parameters
    ----------
    path : path-like
        ``.npy`` (J, K); what :func:`rigcast.sources.load_blendshape_weights` reads; or a saved
        :class:`ExpressionPlan` (``.json``), whose first expressions are taken.
    rig : BlendshapeRig
    count : int
        J, the number of examples.

    Returns
    -------
    (J, K) float64

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is none of these, of another rig, or of another number of examples.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"load_example_weights: there is no file {file}")
    is_plan = file.suffix.lower() == ".json"
    weights = _planned(ExpressionPlan.load(file), rig, file)[:count] if is_plan else read_weights(file, rig)
    if weights.shape != (count, rig.num_shapes):
        got = f"load_example_weights: {file}: weights of shape {weights.shape}"
        raise ValueError(f"{got}; {count} examples of {rig.num_shapes} shapes need ({count}, {rig.num_shapes})")
    return weights


def _planned(plan: ExpressionPlan, rig: BlendshapeRig, path: Path) -> Float64:
    index = {name: k for k, name in enumerate(rig.shape_names)}
    unknown = [name for name in plan.names if name not in index]
    if unknown:
        got = f"load_example_weights: {path}: a plan for another rig"
        raise ValueError(f"{got}; {unknown[0]!r} is no shape of this one")
    weights = np.zeros((len(plan.expressions), rig.num_shapes))
    weights[:, [index[name] for name in plan.names]] = plan.weights()
    return weights
