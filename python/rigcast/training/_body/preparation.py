"""Everything before the networks: the vertex sets of a data set, what each reads, and the basis of its residuals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._pose_statistics.columns import moving_joints, rigid_joints, varying_columns, without_equal
from rigcast._validate import bad_argument
from rigcast.progress import Progress
from rigcast.training._body.basis import Allowed, Basis, empty_basis, reduce_residuals
from rigcast.training._body.influence import Description, all_inputs, changed_columns, influencing_inputs, movement
from rigcast.training._body.linear_part import LinearPart, Skinnings, skinned_part, skinning_rows
from rigcast.training._body.outline import KnownPoses, Outline, bone_space, parted
from rigcast.training._body.partition import VertexSets, blended_sets
from rigcast.training._body.settings import BodySettings
from rigcast.training._budget import Budget

EACH = 5.0  # times the threshold of output bases: the mean error that any one vertex may keep
FAR = 5.0  # times the threshold of influence: what a joint far from a set must explain


@dataclass(frozen=True)
class BodyPreparation:
    """The data that networks are trained on.

    Attributes
    ----------
    poses : (T, C) float32 array
    training, held_out : arrays of int
        Row numbers, ascending.
    extent : float
        Length of the diagonal of the rest mesh, rig unit.
    sets : VertexSets
    columns : list of int32 arrays
        Pose columns that each set reads.
    bases : list of Basis
    description : Description
    linear : LinearPart or None
        The skinning under the networks; None where vertices follow single joints.
    """

    poses: NDArray[np.float32]
    training: NDArray[np.integer[Any]]
    held_out: NDArray[np.integer[Any]]
    extent: float
    sets: VertexSets
    columns: list[NDArray[np.int32]]
    bases: list[Basis]
    description: Description
    linear: LinearPart | None = None

    def unread(self) -> NDArray[np.bool_]:
        """Columns (C,) of joints and controls that no set reads although they vary, or that are a single root's.

        A single root takes the whole character along exactly, whether it moved in the data or not.
        """
        width = 12 * len(self.description.parents)
        varying, read = self.description.varying | self.carried(), np.zeros(self.poses.shape[1], bool)
        read[np.concatenate(self.columns)] = True
        free = [(v & ~r) for v, r in zip(_units(varying, width), _units(read, width), strict=True)]
        return np.repeat(np.array(free, bool), [12] * (width // 12) + [1] * (len(varying) - width))

    def carried(self) -> NDArray[np.bool_]:
        """Columns (C,) of a single root."""
        roots = self.description.parents == -1
        joints = np.repeat(roots & (roots.sum() == 1), 12)
        return np.concatenate([joints, np.zeros(self.poses.shape[1] - len(joints), bool)])


def _units(columns: NDArray[np.bool_], width: int) -> list[bool]:
    """Return True if any column is set, for every joint and then for every numeric control."""
    joints: NDArray[np.bool_] = np.asarray(np.any(columns[:width].reshape(-1, 12), axis=1))
    return [*joints, *columns[width:]]


def prepare(
    ds: Any,
    settings: BodySettings,
    budget: Budget,
    outline: Outline | None = None,
    skinnings: Skinnings | None = None,
) -> BodyPreparation:
    """Find sets, inputs and bases.

    Parameters
    ----------
    ds : Dataset
    settings : BodySettings
    budget : Budget
        Its seed and progress.
    outline : Outline, optional
        Sets and inputs that are known already, from fewer samples of the rig.
    skinnings : Skinnings, optional
        Linear skinning that is fitted already.

    Raises
    ------
    ValueError
        If the data set has no skeleton, too few rows, or a pose whose used joints cannot be inverted.
    """
    training, held_out = parted(ds, settings, budget.seed)
    poses, extent = np.asarray(ds.poses), _extent(ds)
    outline = outline or outlined(ds, settings, budget, skinnings=skinnings)
    bases = _find_bases(ds, poses, training, outline, settings, budget)
    found = outline.sets, outline.columns, bases, outline.description, outline.linear
    return BodyPreparation(poses, training, held_out, extent, *found)


def outlined(
    ds: Any,
    settings: BodySettings,
    budget: Budget,
    known: tuple[VertexSets, LinearPart | None] | None = None,
    skinnings: Skinnings | None = None,
) -> Outline:
    """Find sets, if they are not known, and inputs; raises as :func:`prepare`."""
    poses, extent, parents = np.asarray(ds.poses), _extent(ds), np.asarray(ds.skeleton.parents)
    budget.progress(Progress("assigning vertices to joints", 0, 1))
    sets, linear = known or _find_sets(ds, settings, budget.seed, skinnings)
    compact = rigid_joints(poses, len(parents)) & settings.compact_rotations
    description = Description(parents, varying_columns(poses, len(parents), extent), compact)
    budget.progress(Progress("finding influences", 0, 1))
    outline = Outline(sets, [], description, linear)
    training, _ = parted(ds, settings, budget.seed)
    columns = [without_equal(poses[training], found) for found in _find_inputs(ds, outline, settings, budget.seed)]
    return replace(outline, columns=columns)


def _extent(ds: Any) -> float:
    return float(np.linalg.norm(np.ptp(ds.rest_vertices, axis=0)))


def _find_sets(
    ds: Any, settings: BodySettings, seed: int, skinnings: Skinnings | None
) -> tuple[VertexSets, LinearPart | None]:
    training, _ = parted(ds, settings, seed)
    if settings.linear != "rigid":
        known = skinnings or Skinnings(ds, skinning_rows(training, seed))
        own = known.own() if settings.linear == "own" else known.model(settings.influences)
        if own is None:
            expected = "another linear part: the data set has no skin weights of its rig's own"
            raise bad_argument("body", "linear", '"own"', expected)
        return skinned_part(own)
    poses, extent = np.asarray(ds.poses), _extent(ds)
    candidates = candidate_joints(poses, np.asarray(ds.skeleton.parents), extent)
    chosen = np.random.default_rng([seed, 4]).permutation(training)[: settings.assignment_poses]
    errors: Any = 0.0
    for begin in range(0, len(chosen), 64):
        _, some_poses, vertices = ds.take(np.sort(chosen)[begin : begin + 64])
        errors = errors + _core.rigid_errors(ds.skeleton, ds.rest_vertices, some_poses, vertices)
    return blended_sets(assign(errors, candidates, settings.tau), ds.faces, settings.border), None


def _find_inputs(ds: Any, outline: Outline, settings: BodySettings, seed: int) -> list[NDArray[np.int32]]:
    sets, description = outline.sets, outline.description
    probe = ds.probe
    none = np.zeros(0, np.int32)
    if probe is None:
        return [all_inputs(description) if learns else none for learns in sets.learns]
    space = bone_space(ds, np.asarray(probe.poses), probe.vertices, outline)
    threshold = settings.influence_threshold / ds.meters_per_unit
    moves = movement(probe, sets, space) > threshold
    known = KnownPoses(ds, outline, settings, seed)
    moves |= known.missed_channels(moves, threshold)
    changes = changed_columns(probe, len(description.parents), _extent(ds))
    columns = [
        influencing_inputs(moves[:, i], changes, description) if sets.learns[i] else none for i in range(len(sets))
    ]
    return columns if outline.linear is None else known.nearest(columns, FAR * threshold)


def _find_bases(
    ds: Any,
    poses: NDArray[np.float32],
    training: NDArray[np.integer[Any]],
    outline: Outline,
    settings: BodySettings,
    budget: Budget,
) -> list[Basis]:
    sets = outline.sets
    space = bone_space(ds, poses, ds.vertex_rows if hasattr(ds, "vertex_rows") else ds.vertices, outline)
    learn = np.zeros(len(poses), bool)
    learn[training] = True
    mean = settings.pca_threshold / ds.meters_per_unit
    allowed = Allowed(mean) if settings.method == "paper" else Allowed(mean, EACH * mean)
    learning = np.flatnonzero(sets.learns).tolist()
    parts = [(int(sets.joint[i]), sets.vertex[sets.members(i)]) for i in learning]
    bases = [empty_basis(int(size), len(poses)) for size in np.diff(sets.offset)]
    for i, residuals in zip(learning, space.residuals_of(parts), strict=True):
        budget.progress(Progress("finding output bases", i, len(learning)))
        weight, seed = sets.weight[sets.members(i)], budget.seed + i
        bases[i] = reduce_residuals(residuals, weight, learn, allowed, settings.max_components, seed)
    return bases


def candidate_joints(poses: NDArray[np.float32], parents: NDArray[np.int32], extent: float) -> NDArray[np.intp]:
    """The joints that move relative to their parent, and the roots.

    A joint that never moves relative to its parent explains every vertex exactly as well as the parent does; of such
    a family only the topmost joint is a candidate, so that rounding decides nothing.
    """
    moving = moving_joints(poses, len(parents), extent)
    return np.flatnonzero(moving | (parents < 0))


def assign(errors: NDArray[np.floating[Any]], candidates: NDArray[np.intp], tau: float) -> NDArray[np.intp]:
    """Assign every vertex to a joint.

    Starts from the best candidate of every vertex, total error e_0. Then removes the joint with the fewest vertices
    (the last one on a tie) as long as the error of the new assignment is at most ``tau`` e_0 (Bailey et al. 2018,
    sections 3.1.1 and 3.3.3, equation 7).

    Parameters
    ----------
    errors : (V, J) array
        Squared error of vertex v when it moves rigidly with joint j.
    candidates : array of int
        Joints that may be used, at least one.
    tau : float
        At least 1.

    Returns
    -------
    (V,) array of int
        Joint of each vertex.
    """
    cost = np.asarray(errors, np.float64)[:, candidates]
    active = np.arange(len(candidates))
    best = cost.argmin(axis=1)
    limit = tau * cost.min(axis=1).sum()
    while len(active) > 1:
        counts = np.bincount(best, minlength=len(candidates))[active]
        smallest = len(active) - 1 - int(counts[::-1].argmin())
        rest = np.delete(active, smallest)
        reduced = cost[:, rest]
        if counts[smallest] > 0 and reduced.min(axis=1).sum() > limit:
            break
        active, best = rest, rest[reduced.argmin(axis=1)]
    return np.asarray(candidates[best])
