"""From frames to a latent space: principal components of scaled coordinates, then the Gaussian process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.progress import Progress, ProgressCallback
from rigcast.synthesis._coordinates import Coordinates
from rigcast.synthesis._figures import HeldOut
from rigcast.synthesis._space import Embedding, Segment, Space

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Recall = Callable[[object, Callable[[], _core.LatentSpace]], _core.LatentSpace]

EXACT = 800  # frames up to which all are in the process; beyond, it is summed up by inducing points
INDUCING = 200
SHOWN = 0.9  # of the frames
STILL_NOISE = 1e-2  # of a process without motion


@dataclass(frozen=True, kw_only=True)
class LatentSettings:
    """The settings with which each label's latent space is fitted.

    Attributes
    ----------
    dimensions, components : int
        Of the latent space, and principal components that it maps to.
    iterations : int
        At most.
    tolerance : float
        Relative change of the objective at which the fit stops.
    seed, threads : int
    minimizer : {"lbfgs", "scg"}
    """

    dimensions: int = 3
    components: int = 1
    iterations: int = 200
    tolerance: float = 1e-5
    seed: int = 0
    threads: int = 0
    minimizer: str = "lbfgs"


def principal_components(coordinates: Float64, scale: Float64, count: int) -> tuple[Float64, Float64, float]:
    """Basis (P, N) and center (N,) of coordinates, and the share of the scaled variance that they hold.

    The components are those of ``z = scale * q`` (Bailey 2020, section 5.4), expressed in q; coordinates of scale 0 do
    not move. P is ``count`` or the rank, if that is less.
    """
    moving = np.flatnonzero(scale > 0)
    center = coordinates.mean(axis=0)
    scaled = (coordinates[:, moving] - center[moving]) * scale[moving]
    center = np.where(scale > 0, center, 0.0)
    _, values, rows = np.linalg.svd(scaled, full_matrices=False)
    rank = int((values > 1e-9 * max(float(values.max(initial=0.0)), 1e-300)).sum())
    basis = np.zeros((min(count, rank), len(scale)))
    signs = np.sign(rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)]) if len(rows) else np.zeros(0)
    basis[:, moving] = (rows * signs[:, None])[: len(basis)] / scale[moving]
    total = float((values**2).sum())
    return basis, center, float((values[: len(basis)] ** 2).sum()) / total if total > 0 else 1.0


def components_for(coordinates: Float64, scale: Float64, share: float) -> int:
    """The fewest principal components that hold a share of the scaled variance."""
    moving = scale > 0
    scaled = (coordinates[:, moving] - coordinates[:, moving].mean(axis=0)) * scale[moving]
    variance = np.linalg.svd(scaled, compute_uv=False) ** 2
    if not variance.size or variance.sum() <= 0:
        return 1
    return int(np.searchsorted(np.cumsum(variance) / variance.sum(), share - 1e-12) + 1)


def components_that_show(coordinates: Float64, scale: Float64, effects: Float64, distance: float) -> int:
    """The fewest principal components that bring the mesh of nine frames of ten within a distance."""
    basis, center, _ = principal_components(coordinates, scale, len(scale))
    moved = np.where(scale > 0, coordinates - center, 0.0) * scale
    amounts = moved @ (basis * scale).T
    left = (coordinates - center) * (scale > 0) @ effects
    for count in range(1, len(basis)):
        left = left - amounts[:, count - 1 : count] * (basis[count - 1] @ effects)
        if np.quantile(np.linalg.norm(left, axis=1), SHOWN) <= distance:
            return count
    return max(len(basis), 1)


def fit_space(
    label: str,
    frames: Float32,
    segments: Sequence[Segment],
    around: Coordinates,
    scale: Float64,
    effects: Float64,
    settings: LatentSettings,
    progress: ProgressCallback,
    held_out: HeldOut | None = None,
    recall: Recall | None = None,
) -> Space:
    """Fit one latent space.

    Values of the process have a mean square of 1, and its points are float32 numbers: a file holds them whole.
    ``recall`` may give a process that was fitted before, by what decides it.
    """
    coordinates = around.of(frames)
    basis, center, explained = principal_components(coordinates, scale, settings.components)
    moved = (coordinates - center)[:, scale > 0]
    values = (moved * scale[scale > 0]) @ (basis[:, scale > 0] * scale[scale > 0]).T
    size = float(np.sqrt((values**2).mean())) if values.size else 0.0
    if size > 0.0:
        given = rounded(values / size)
        decides = [label, given, [(s.begin, s.end) for s in segments], replace(settings, threads=0)]
        make = partial(_fitted, given, segments, settings, progress)
        latent = make() if recall is None else recall(decides, make)
    else:  # one pose: a process of one value that is 0 everywhere
        basis, size = np.zeros((1, len(scale))), 1.0
        latent = _core.LatentSpace(
            np.zeros((len(frames), settings.dimensions)), np.zeros((len(frames), 1)), 1.0, 1.0, STILL_NOISE
        )
    embedding = Embedding(rounded(basis * size), rounded(center), explained, scale)
    return Space(
        label, latent, frames, segments=segments, embedding=embedding, around=around, effects=effects, held_out=held_out
    )


def _fitted(
    values: Float64, segments: Sequence[Segment], settings: LatentSettings, progress: ProgressCallback
) -> _core.LatentSpace:
    """The process of values (n, P), from their first components."""
    width = settings.dimensions
    start = np.zeros((len(values), width))
    first = values[:, :width]
    start[:, : first.shape[1]] = first / np.maximum(first.std(axis=0), 1e-6)

    def report(iteration: int, objective: float) -> None:
        progress(Progress("fitting", iteration, settings.iterations, f"objective {objective:.1f}"))

    fitted = _core.fit_latent_space(
        values,
        np.array([(s.begin, s.end) for s in segments], np.int64).reshape(-1, 2),
        start,
        method=settings.minimizer,
        inducing=0 if len(values) <= EXACT else INDUCING,
        iterations=settings.iterations,
        tolerance=settings.tolerance,
        seed=settings.seed,
        threads=settings.threads,
        progress=report,
    )
    return rounded_space(fitted.space)


def rounded(array: NDArray[np.floating[Any]]) -> Float64:
    """Numbers that float32 holds."""
    return np.asarray(array, np.float32).astype(np.float64)


def rounded_space(space: _core.LatentSpace) -> _core.LatentSpace:
    """The same process over points that float32 holds: what is saved is what was judged."""
    inducing = None if space.inducing is None or not len(space.inducing) else rounded(space.inducing)
    return _core.LatentSpace(
        rounded(space.points), rounded(space.values), space.variance, space.length, space.noise, inducing
    )
