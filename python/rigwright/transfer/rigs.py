"""Whole rigs: combination and in-between shapes too."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._core import BlendshapeRig, DeformationTransfer
from rigwright.blendshapes import Tent
from rigwright.errors import bad_argument

Factors = tuple[int | Tent, ...]

#: What holds for the target as for the source.
_KEPT = ("name", "meters_per_unit", "up_axis", "licence", "origin", "constructed")


def transfer_rig(
    rig: BlendshapeRig,
    target_neutral: ArrayLike,
    faces: ArrayLike | None = None,
    *,
    fixed: ArrayLike | None = None,
    contacts: ArrayLike | None = None,
    threads: int = 0,
) -> BlendshapeRig:
    """Give all shapes of a rig to a target of the same topology: linear, combination and in-between shapes.

    A combination's offsets correct what its factors' shapes give together, and have no meaning as a shape of their
    own. What is transferred is a full expression: the weights are 1 for every plain factor and ``x2`` for every tent,
    and the columns that count are the combination, the linear shapes, and the combinations before it, by ascending
    number of factors and then in the rig's order. The target's combination is what its expression has beyond the same
    columns of the target. With the source as target every column comes back as it is.

    Parameters
    ----------
    rig : BlendshapeRig
        The source, with faces.
    target_neutral : (V, 3)
    faces : (F, 3) or (F, 4), optional
        By default the rig's.
    fixed, contacts, threads
        As in :func:`deformation_transfer`.

    Returns
    -------
    BlendshapeRig
        Names, bounds, combinations and metadata are the source's.

    Raises
    ------
    ValueError
        If there are no faces, and as :func:`deformation_transfer`.
    """
    corners = rig.faces if faces is None else np.asarray(faces)
    if not len(corners):
        raise bad_argument("transfer_rig", "faces", "empty", "given, as the rig has none")
    neutral = np.asarray(target_neutral, np.float32)
    solver = DeformationTransfer(rig.rest_vertices, neutral, corners, fixed, contacts=contacts)
    combinations: list[Factors] = [tuple(factors) for factors in rig.combinations]
    order = np.argsort([0] * rig.num_shapes + [len(factors) for factors in combinations], kind="stable")
    mixing = np.tril(rig.activations(_poses(combinations, rig.num_shapes))[np.ix_(order, order)].astype(np.float64))
    source = rig.columns()[order].reshape(len(order), -1)
    expressions = rig.rest_vertices + (mixing @ source).reshape(len(order), -1, 3)
    offsets = solver.transfer(expressions, threads=threads) - neutral.astype(np.float64)
    columns = np.empty_like(offsets)
    # Forward substitution: the mixing matrix has ones on its diagonal.
    columns[order] = np.linalg.solve(mixing, offsets.reshape(len(order), -1)).reshape(offsets.shape)
    return BlendshapeRig(
        neutral,
        columns[: rig.num_shapes],
        combinations=list(zip(combinations, columns[rig.num_shapes :], strict=True)),
        names=rig.shape_names,
        bounds=rig.bounds,
        faces=corners,
        metadata={key: rig.metadata[key] for key in _KEPT if key in rig.metadata},
    )


def _poses(combinations: list[Factors], num_shapes: int) -> NDArray[np.float64]:
    """(N, K): weights at which each column is in full effect."""
    poses = np.zeros((num_shapes + len(combinations), num_shapes))
    poses[:num_shapes] = np.eye(num_shapes)
    for row, factors in zip(poses[num_shapes:], combinations, strict=True):
        for factor in factors:
            if isinstance(factor, Tent):
                row[factor.shape] = factor.x2
            else:
                row[factor] = 1.0
    return poses
