"""The targets of the networks: coefficients of delta coordinates, and displacements of the anchors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Reconstructor, choose_anchors
from rigcast._regression.components import principal_components
from rigcast._rigs.base_shapes import BaseShapes
from rigcast._validate import Arguments, bad_argument
from rigcast.progress import Progress
from rigcast.training._base import fit_base
from rigcast.training._body.influence import Description
from rigcast.training._budget import Budget
from rigcast.training._differential._inputs import vertex_columns
from rigcast.training._differential._settings import DifferentialSettings
from rigcast.training._differential._transforms import Transforms, displacements, find_transforms

_ROWS = 256  # poses read at a time
_MOST_BASIS_ROWS = 2048  # training rows that the basis comes from at most, drawn by the seed; chosen, not tuned
_SHARE = 0.05  # components, relative to the vertices
_MOST_COMPONENTS = 256  # of "narrow": on a face of 15,755 vertices, 200 leave 0.02 mm in the mean and 0.7 mm at worst


@dataclass(frozen=True)
class Labels:
    """The targets of all rows.

    Attributes
    ----------
    transforms : Transforms
    base : BaseShapes or None
        In rest space.
    reconstructor : Reconstructor
    anchors : (A,) int32
    basis : (3 V, R) float32
        Orthonormal.
    mean : (3 V,) float32
    coefficients : (T, R) float32
        Of the delta coordinates of every row.
    positions : (T, A, 3) float32
        Displacements of the anchors. Both are what the base leaves.
    metric : (R, R) float64
        Lower triangular R with ``|R^T dz|`` the displacement that an error dz of the coefficients causes.
    gains : (A,) float64
        The displacement that a unit error of each anchor causes.
    """

    transforms: Transforms
    base: BaseShapes | None
    reconstructor: Reconstructor
    anchors: NDArray[np.int32]
    basis: NDArray[np.float32]
    mean: NDArray[np.float32]
    coefficients: NDArray[np.float32]
    positions: NDArray[np.float32]
    metric: NDArray[np.float64]
    gains: NDArray[np.float64]


def find_labels(
    ds: Any,
    anchors: Any,
    skin: Any,
    training: NDArray[np.integer[Any]],
    description: Description,
    settings: DifferentialSettings,
    budget: Budget,
) -> tuple[Labels, dict[str, Any]]:
    """Targets of all rows, and what metadata say of the base.

    Transforms, base, anchors and basis come from the training rows alone.
    """
    threads, progress = budget.threads, budget.progress
    chosen = _anchors(ds, anchors, settings, budget)
    faces, count = np.asarray(ds.faces), len(ds.rest_vertices)
    reconstructor = Reconstructor(faces, count, chosen, settings.anchor_weight)
    progress(Progress("finding linear transforms", 0, 1))
    transforms = find_transforms(ds, skin, training, threads)
    base, about = _base(ds, transforms, training, description, settings, budget)
    components = _components(settings, count, len(training))
    drawn = np.random.default_rng([budget.seed, 1]).permutation(training)
    rows = np.sort(drawn[: max(_MOST_BASIS_ROWS, components + 1)])
    progress(Progress("finding the basis", 0, 1))
    seen = np.concatenate([reconstructor.encode(d, threads=threads) for _, d in _moved(ds, transforms, rows, base)])
    found = principal_components(seen.reshape(len(rows), -1), components, threads)
    coefficients = np.zeros((len(ds), components), np.float32)
    positions = np.zeros((len(ds), len(chosen), 3), np.float32)
    for part, d in _moved(ds, transforms, np.arange(len(ds)), base):
        progress(Progress("finding coefficients", int(part[0]), len(ds)))
        delta = reconstructor.encode(d, threads=threads).reshape(len(d), -1) - found.mean
        coefficients[part] = delta @ found.basis
        positions[part] = d[:, chosen]
    metric, gains = _metric(reconstructor, found.basis, len(chosen), threads)
    targets = found.basis, found.mean, coefficients, positions
    return Labels(transforms, base, reconstructor, chosen, *targets, metric, gains), about


def _base(
    ds: Any,
    transforms: Transforms,
    training: NDArray[np.integer[Any]],
    description: Description,
    settings: DifferentialSettings,
    budget: Budget,
) -> tuple[BaseShapes | None, dict[str, Any]]:
    if not settings.base:
        return None, {}

    def offsets(rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        return np.concatenate([moved for _, moved in _moved(ds, transforms, rows, None)])

    influence = vertex_columns(ds, transforms, description, settings)
    return fit_base(ds, training, influence, budget, offsets=offsets)


def _moved(
    ds: Any, transforms: Transforms, rows: NDArray[np.integer[Any]], base: BaseShapes | None
) -> Iterator[tuple[NDArray[np.integer[Any]], NDArray[np.float32]]]:
    """Rows and their displacements in rest space, less those of the base, some at a time."""
    rest = np.asarray(ds.rest_vertices)
    for begin in range(0, len(rows), _ROWS):
        part = rows[begin : begin + _ROWS]
        _, poses, vertices = ds.take(part)

        def name(i: int, part: NDArray[np.integer[Any]] = part) -> str:
            return f"row {part[i]}"

        moved = displacements(transforms, ds.skeleton, poses, vertices, rest, name)
        yield part, moved if base is None else moved - base.offsets(poses)


def _anchors(ds: Any, anchors: Any, settings: DifferentialSettings, budget: Budget) -> NDArray[np.int32]:
    """The anchors given, or chosen."""
    faces, count = np.asarray(ds.faces), len(ds.rest_vertices)
    if anchors is None:
        number = max(round(settings.anchor_share * count), _component_count(faces, count))
    elif isinstance(anchors, int | np.integer) and not isinstance(anchors, bool):
        number = int(anchors)
    else:
        return Arguments("differential").integers("anchors", anchors, "A+", below=count, dtype=np.int32)
    return choose_anchors(faces, count, number, budget.seed, threads=budget.threads)


def _component_count(faces: NDArray[np.int32], count: int) -> int:
    """Connected components of a mesh that uses all vertices."""
    label = np.arange(count)
    corners = np.where(faces < 0, faces[:, :1], faces)
    while True:
        lowest = label.copy()
        np.minimum.at(lowest, corners.ravel(), np.repeat(label[corners].min(axis=1), corners.shape[1]))
        lowest = lowest[lowest]
        if np.array_equal(lowest, label):
            return len(np.unique(label))
        label = lowest


def _components(settings: DifferentialSettings, count: int, rows: int) -> int:
    most = min(rows - 1, 3 * count)
    if settings.components is None:
        wanted = round(_SHARE * count)
        return max(min(wanted if settings.recipe == "paper" else min(wanted, _MOST_COMPONENTS), most), 1)
    if settings.components > most:
        got = f"{settings.components} with {rows} training poses of {count} vertices"
        raise bad_argument("differential", "components", got, f"at most {most}: the poses have no more")
    return settings.components


def responses(
    reconstructor: Reconstructor, basis: NDArray[np.float32], anchors: int, threads: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Displacements that one unit causes after the solve: (R, 3 V) of each coefficient, (A, V) of each anchor."""
    count = basis.shape[1]
    folded = reconstructor.folded(basis, np.zeros(len(basis), np.float32), threads=threads)
    caused = np.empty((count, len(basis)), np.float32)
    for begin in range(0, count, _ROWS):
        z = np.eye(count, dtype=np.float32)[begin : begin + _ROWS]
        moved = folded.solve(z, np.zeros((len(z), anchors, 3), np.float32), threads=threads)
        caused[begin : begin + len(z)] = moved.reshape(len(z), -1)
    anchored = np.empty((anchors, len(basis) // 3), np.float32)
    for begin in range(0, anchors, _ROWS):
        a = np.zeros((min(_ROWS, anchors - begin), anchors, 3), np.float32)
        a[np.arange(len(a)), begin + np.arange(len(a)), 0] = 1.0
        moved = folded.solve(np.zeros((len(a), count), np.float32), a, threads=threads)
        anchored[begin : begin + len(a)] = moved[..., 0]
    return caused, anchored


def _metric(
    reconstructor: Reconstructor, basis: NDArray[np.float32], anchors: int, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sizes of the displacements that errors of coefficients and of anchors cause after the solve."""
    caused, anchored = responses(reconstructor, basis, anchors, threads)
    gram = caused.astype(np.float64) @ caused.T.astype(np.float64)
    floor = 1e-9 * np.trace(gram) / len(gram)
    gains = np.sqrt(np.square(anchored, dtype=np.float64).sum(axis=1))
    return np.linalg.cholesky(gram + floor * np.eye(len(gram))), gains
