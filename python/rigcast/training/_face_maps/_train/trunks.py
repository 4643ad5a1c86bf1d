"""Hidden layers that the networks of several segments share while coefficients are learned.

All regions of a face answer to the same controls in much the same ways, so one network for all of them learns more in
the same time than one for each. Afterwards each segment gets its own: the shared hidden layers, and its own rows of the
last one. With the inputs z = (x, y), x those that move the segment and y the others, y is set to the values ``still``,
where most rows have them:

    W [x, y] + b  becomes  W_x x + (b + W_y still).

So a control that does not move a segment in the rig cannot move it in the model.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast.training._face_maps._train.basis_networks import DENSE, BasisShape
from rigcast.training._face_maps._train.problem import LevelProblem
from rigcast.training._optimizers import Arrays


@dataclass(frozen=True)
class Trunk:
    """One network whose last layer gives the coefficients of several segments, one segment after another.

    Attributes
    ----------
    members : list of int
        Numbers of the segments.
    components : list of int
        Of each member.
    shape : BasisShape
        With the components of all members; no map is made of them.
    inputs : (T, n) float32
        Normalized: the columns of all members.
    places : list of int64 arrays
        Of the columns of each member among those of the trunk.
    still : (n,) float32
        Medians of the inputs.
    """

    members: list[int]
    components: list[int]
    shape: BasisShape
    inputs: NDArray[np.float32]
    places: list[NDArray[np.int64]]
    still: NDArray[np.float32]

    def initial_weights(self, problem: LevelProblem, seed: list[int]) -> Arrays:
        """Random layers; coefficients begin near the means of the members' own."""
        weights, bias = self.shape.initial_weights(seed), f"{DENSE[-1]}.bias"
        for number, rows in zip(self.members, self._rows(), strict=True):
            weights[bias][0, 0, rows] = problem.fitted[number][bias][0, 0]
        return weights

    def parted(self, weights: Arrays) -> list[Arrays]:
        """The dense layers of each member."""
        result = []
        for places, rows in zip(self.places, self._rows(), strict=True):
            others = np.setdiff1d(np.arange(self.shape.inputs), places)
            layers = dict(weights)
            first, last = (f"{name}.weight" for name in (DENSE[0], DENSE[-1]))
            layers[first] = np.ascontiguousarray(weights[first][:, :, places])
            still = weights[first][:, :, others] @ self.still[others]
            layers[f"{DENSE[0]}.bias"] = weights[f"{DENSE[0]}.bias"] + still
            layers[last] = np.ascontiguousarray(weights[last][:, rows])
            layers[f"{DENSE[-1]}.bias"] = np.ascontiguousarray(weights[f"{DENSE[-1]}.bias"][:, :, rows])
            result.append(layers)
        return result

    def _rows(self) -> list[slice]:
        """Of the last layer, of each member."""
        ends = np.cumsum([0, *self.components])
        return [slice(begin, end) for begin, end in itertools.pairwise(ends)]


def trunks_of(problem: LevelProblem, most_hidden: int) -> list[Trunk]:
    """Segments with the most hidden units share them; a smaller network costs little, and stays by itself."""
    shapes = [shape for shape in problem.shapes if isinstance(shape, BasisShape)]
    shared = [number for number, shape in enumerate(shapes) if shape.hidden == most_hidden]
    alone = [[number] for number, shape in enumerate(shapes) if shape.hidden < most_hidden]
    return [_trunk(problem, shapes, members) for members in ([shared] if shared else []) + alone]


def _trunk(problem: LevelProblem, shapes: Sequence[BasisShape], members: list[int]) -> Trunk:
    segments = [problem.level.segments[number] for number in members]
    columns = np.unique(np.concatenate([segment.columns for segment in segments]))
    places = [np.searchsorted(columns, segment.columns) for segment in segments]
    inputs = np.empty((len(problem.truth), len(columns)), np.float32)
    for number, own in zip(members, places, strict=True):
        inputs[:, own] = problem.inputs[number]
    learned = np.sort(np.concatenate(problem.bins))
    components = [shapes[number].components for number in members]
    shape = BasisShape(len(columns), shapes[members[0]].hidden, sum(components), 0)
    return Trunk(members, components, shape, inputs, places, np.median(inputs[learned], axis=0))
