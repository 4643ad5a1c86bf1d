"""Initial weights of a training that goes on from a model: its layers, on new inputs' scales and new output bases.

With the layers L of a set as they stand in a model file, its new normalization z = (x - mean) W and c = y scale, and
the old and the new orthonormal basis B, B' with means m, m':
  W1' = W^-1 L1^T,  b1' = l1 + L1 mean,  W3' = (B'^T B L3)^T / scale,  b3' = B'^T (B l3 + m - m') / scale.
The hidden layer stays. What the new basis cannot show is lost; everything else is the function that the model had.
"""

from __future__ import annotations

import numpy as np

from rigcast.training._basis import Basis
from rigcast.training._export import Tensors
from rigcast.training._networks import Normalization
from rigcast.training._optimizers import Arrays
from rigcast.training._partition import VertexSets


def continued(
    parameters: Arrays, active: list[int], sets: VertexSets, bases: list[Basis], maps: list[Normalization], old: Tensors
) -> Arrays:
    """Initial parameters with the networks of a model's tensors in place of those that are random.

    Parameters
    ----------
    parameters : dict of arrays
        As :func:`rigcast.training._networks.initial_parameters` gives them, for the active sets.
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
