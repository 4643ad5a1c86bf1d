"""The linear part of a learned body: skinning with K influences per vertex, fitted to samples, under the networks.

With skin weights w the model is::

    v_k = sum_j w_kj [X_j rest_jk + t_j]  +  sum_i a_ki X_i n_ik

where the joints i of the second sum are at most two of the influences of vertex k, and a_ki = w_ki: as a partition of
unity, each joint has a set of the vertices that its network corrects, and one of those that only follow it. Without
networks it is linear blend skinning.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer, LinearBlendFit, LinearBlendSkinning
from rigcast._regression.skin_weights import gathered
from rigcast.training._body.partition import VertexSets

INFLUENCES = 4
BATCH = 256  # poses that are read at a time
FITTED = 1500  # poses that weights are fitted to
CORRECTED = 1  # joints per vertex whose networks correct it
HOLDS = 0.05  # weight from which a joint holds a vertex
REACH = 2  # bones between a joint and the vertices that its motion bends
COVERED = 0.25  # of a vertex's weights that joints with networks have at least, where joints are left without one


@dataclass(frozen=True)
class LinearPart:
    """Linear skinning under the networks.

    Attributes
    ----------
    model : Deformer
        Linear blend skinning.
    joint, weight : (V, K) arrays
        Its influences.
    share : (V,) float32 array
        Of a vertex's weights, the part that the sets with networks hold: their offsets are divided by it.
    """

    model: Deformer
    joint: NDArray[np.int32]
    weight: NDArray[np.float32]
    share: NDArray[np.float32]


def skinning_rows(training: NDArray[np.integer[Any]], seed: int) -> NDArray[np.integer[Any]]:
    """The training rows that weights are fitted to, at most :data:`FITTED`, ascending."""
    return np.sort(np.random.default_rng([seed, 4]).permutation(training)[:FITTED])


class Skinnings:
    """Linear blend skinning fitted to rows of a data set, with any number of joints per vertex.

    Parameters
    ----------
    ds : Dataset
    rows : array of int
    threads : int
    """

    def __init__(self, ds: Any, rows: NDArray[np.integer[Any]], threads: int = 0) -> None:
        self._ds, self._rows, self._threads = ds, rows, threads
        self._solved = dict[int, Deformer]()

    @cached_property
    def _fit(self) -> LinearBlendFit:
        ds, rows = self._ds, self._rows
        batches = (ds.take(rows[begin : begin + BATCH])[1:] for begin in range(0, len(rows), BATCH))
        return gathered(ds.skeleton, self._rest, np.asarray(ds.poses)[rows], batches, self._threads)

    @property
    def _rest(self) -> NDArray[np.float32]:
        return np.asarray(self._ds.rest_vertices, np.float32)

    def model(self, influences: int = INFLUENCES) -> Deformer:
        """The skinning with a number of joints per vertex."""
        if influences not in self._solved:
            ds, (joint, weight, _) = self._ds, self._fit.solve(influences, self._threads)
            dials = list(ds.dial_names)
            self._solved[influences] = LinearBlendSkinning(
                ds.skeleton, self._rest, ds.faces, (joint, weight), dials=dials
            )
        return self._solved[influences]

    def own(self) -> Deformer | None:
        """The skinning by the rig's own weights; None if the data set has none."""
        skin = getattr(self._ds, "skin", None)
        if skin is None:
            return None
        return LinearBlendSkinning(self._ds.skeleton, self._rest, self._ds.faces, skin, dials=list(self._ds.dial_names))


def skinned_part(skinning: Deformer) -> tuple[VertexSets, LinearPart]:
    """The sets of linear skinning, and what their networks correct."""
    tensors = skinning.tensors()
    joint, weight = tensors["skin.joint"], tensors["skin.weight"]
    sets, share = skinned_sets(joint, weight)
    return sets, LinearPart(skinning, joint, weight, share)


def skinned_sets(joint: NDArray[np.int32], weight: NDArray[np.float32]) -> tuple[VertexSets, NDArray[np.float32]]:
    """The sets of linear skinning, those with networks first, and what these hold of each vertex.

    Parameters
    ----------
    joint, weight : (V, K) arrays
        Influences of each vertex; weights sum to 1, those of unused entries are 0.

    Returns
    -------
    sets : VertexSets
    share : (V,) float32 array
        Above 0.
    """
    used = np.unique(joint[weight > 0.0])
    dense = np.zeros((len(joint), len(used)), np.float32)
    rows = np.broadcast_to(np.arange(len(joint))[:, None], joint.shape)
    place = np.searchsorted(used, joint).clip(0, len(used) - 1)
    np.add.at(dense, (rows[weight > 0.0], place[weight > 0.0]), weight[weight > 0.0])
    learning = _with_networks(dense)
    strongest = np.sort(np.where(learning, dense, 0.0), axis=1)[:, -min(CORRECTED, len(used))]
    corrected = learning & (dense > 0.0) & (dense >= strongest[:, None])
    first, second = np.where(corrected, dense, 0.0), np.where(corrected, 0.0, dense)
    parts = [(int(used[i]), table[:, i]) for table in (first, second) for i in range(len(used)) if table[:, i].any()]
    members = [np.flatnonzero(column) for _, column in parts]
    sets = VertexSets(
        joint=np.array([j for j, _ in parts], np.int32),
        offset=np.concatenate([[0], np.cumsum([len(part) for part in members])]).astype(np.int32),
        vertex=np.concatenate(members).astype(np.int32),
        weight=np.concatenate([column[part] for (_, column), part in zip(parts, members, strict=True)]),
        learns=np.arange(len(parts)) < np.count_nonzero(first.any(axis=0)),
    )
    return sets, first.sum(axis=1)


def _with_networks(dense: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Joints (J,) that get a network: those with the fewest vertices go while every vertex stays covered."""
    kept = np.ones(dense.shape[1], bool)
    counts = np.bincount(dense.argmax(axis=1), minlength=dense.shape[1])
    held = dense.sum(axis=1)
    for joint in np.lexsort((np.arange(len(kept)), counts)).tolist():
        after = held - dense[:, joint]
        mine = dense[:, joint] > 0.0
        if (after[mine] >= COVERED).all():
            kept[joint], held = False, after
    return kept


def near_joints(
    sets: VertexSets, joint: NDArray[np.int32], weight: NDArray[np.float32], parents: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """Joints (S, J) that hold vertices of a set, and those at most :data:`REACH` bones away from one that holds much.

    What skinning leaves is local: it depends on how the joints nearby bend the mesh.

    Parameters
    ----------
    joint, weight : (V, K) arrays
        Influences of each vertex.
    parents : (J,) array of int
    """
    linked = np.eye(len(parents), dtype=bool)
    children = np.flatnonzero(np.asarray(parents) >= 0)
    linked[children, parents[children]] = linked[parents[children], children] = True
    reached = np.linalg.matrix_power(linked.astype(np.int64), REACH) > 0
    result = np.zeros((len(sets), len(parents)), bool)
    for i in range(len(sets)):
        members = sets.vertex[sets.members(i)]
        held = np.unique(joint[members][weight[members] > HOLDS])
        result[i] = reached[held].any(axis=0)
        result[i, np.unique(joint[members][weight[members] > 0.0])] = True
    return result
