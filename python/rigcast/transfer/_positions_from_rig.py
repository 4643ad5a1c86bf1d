"""Rigs as full expressions, which can be transferred, and back: combination and in-between shapes too."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._blendshapes import Tent
from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments
from rigcast.transfer._positions import check_positions

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Factors = tuple[int | Tent, ...]

#: What holds for the target as for the source.
_KEPT = ("name", "meters_per_unit", "up_axis", "licence", "origin", "constructed", "combination_names")


def positions_from_rig(rig: BlendshapeRig) -> Float32:
    """The vertices (N, V, 3) of every shape and combination of a rig at full effect: what is transferred.

    Its weights are 1 for every plain factor and ``x2`` for every tent, and the columns that count are its own, the
    linear shapes, and the combinations before it, by ascending number of factors and then in the rig's order.

    Parameters
    ----------
    rig : BlendshapeRig

    Returns
    -------
    (N, V, 3) float32
        The K shapes first, then the combinations.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> rc.transfer.positions_from_rig(rig).shape
    (30, 2536, 3)
    """
    order, mixing = _mixing(rig)
    offsets = (mixing @ rig.columns()[order].reshape(len(order), -1)).reshape(len(order), -1, 3)
    result = np.empty(offsets.shape, np.float32)
    result[order] = rig.rest_vertices + offsets
    return result


def rig_from_positions(
    rig: BlendshapeRig,
    neutral: ArrayLike,
    shapes: ArrayLike,
    *,
    faces: ArrayLike | None = None,
    linear: ArrayLike | None = None,
    metadata: Mapping[str, object] | None = None,
) -> BlendshapeRig:
    """Make a rig from such vertices: the inverse of :func:`positions_from_rig`. Names and bounds are those of ``rig``.

    Parameters
    ----------
    rig : BlendshapeRig
    neutral : array_like, shape (V, 3)
        Of the new rig, in any topology.
    shapes : array_like, shape (N, V, 3)
        Positions: one expression per column of ``rig``.
    faces : array_like, shape (F, 3) or (F, 4), optional
        By default the rig's.
    linear : array_like, shape (K, V, 3), optional
        Positions of the linear shapes that replace those of ``shapes`` after combinations were found: shapes corrected
        by examples keep the combinations of the transfer.
    metadata : dict, optional
        Added to what is known of ``rig``, or in its place.

    Returns
    -------
    BlendshapeRig

    Raises
    ------
    ValueError
        If sizes differ, values are not finite, or the shapes are offsets.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> again = rc.transfer.rig_from_positions(rig, rig.rest_vertices, rc.transfer.positions_from_rig(rig))
    >>> bool(np.allclose(again.columns(), rig.columns(), atol=1e-4))
    True
    """
    order, mixing = _mixing(rig)
    check_positions("rig_from_positions", neutral, shapes, "shapes")
    check = Arguments("rig_from_positions", N=len(order), K=rig.num_shapes)
    rest = check.numbers("neutral", neutral, "V 3", dtype=np.float32)
    offsets: Float64 = check.numbers("shapes", shapes, "N V 3", dtype=np.float32) - rest.astype(np.float64)
    columns = np.empty_like(offsets)
    # Forward substitution: the mixing matrix has ones on its diagonal.
    columns[order] = np.linalg.solve(mixing, offsets[order].reshape(len(order), -1)).reshape(offsets.shape)
    if linear is not None:
        columns[: rig.num_shapes] = check.numbers("linear", linear, "K V 3", dtype=np.float32) - rest.astype(np.float64)
    about = {key: rig.metadata[key] for key in _KEPT if key in rig.metadata} | dict(metadata or {})
    return BlendshapeRig(
        rest,
        columns[: rig.num_shapes],
        combinations=list(zip(_combinations(rig), columns[rig.num_shapes :], strict=True)),
        names=rig.shape_names,
        bounds=rig.bounds,
        faces=rig.faces if faces is None else np.asarray(faces),
        metadata=about,
    )


def _combinations(rig: BlendshapeRig) -> list[Factors]:
    return [tuple(factors) for factors in rig.combinations]


def _mixing(rig: BlendshapeRig) -> tuple[NDArray[np.int64], Float64]:
    """Columns by ascending number of factors, and how much of each (N, N) stands in each one's expression."""
    combinations = _combinations(rig)
    order = np.argsort([0] * rig.num_shapes + [len(factors) for factors in combinations], kind="stable")
    active = rig.activations(_poses(combinations, rig.num_shapes))
    return order, np.tril(active[np.ix_(order, order)].astype(np.float64))


def _poses(combinations: list[Factors], num_shapes: int) -> Float64:
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
