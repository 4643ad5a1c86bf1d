"""Direct delta mush (Le and Lewis 2019): delta mush whose smoothing is precomputed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast._hashing import padded_faces
from rigcast._validate import Arguments, bad_argument
from rigcast.baselines._linear_blend import linear_blend
from rigcast.baselines._model import model
from rigcast.baselines._samples import Data, examples
from rigcast.progress import ProgressOption

Array = NDArray[np.float64]
_LEAST_MASS = 1e-4  # joints that move a vertex by less are left out; chosen, not tuned
_UPPER = np.triu_indices(4)


def direct_delta_mush(
    data: Data,
    influences: int = 4,
    *,
    iterations: int = 10,
    step: float = 0.5,
    fit_on: Data | None = None,
    rows: ArrayLike | None = None,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Deformer:
    """Direct delta mush (Le and Lewis 2019) on skin weights that are fitted to samples.

    The weights are those of :func:`linear_blend`. Smoothing and rest detail are folded into one symmetric matrix per
    vertex and joint, ``sum_i B_ki w_ij u_i u_i^T`` with the smoothing matrix B, so that a pose costs one small rotation
    per vertex and no smoothing. Joints whose share of a vertex is below 1e-4 are left out.

    Parameters
    ----------
    data : Dataset or Samples
        A data set, or samples in memory, with joints.
    influences : int
        Joints per vertex of the fitted weights.
    iterations : int
        Rounds of Laplacian smoothing, 0 to 1000.
    step : float
        How far a round moves a vertex towards the mean of its neighbors: above 0, at most 1.
    fit_on : Dataset or Samples, optional
        Fit to these poses in place of those of ``data`` (the second protocol: the clip that is judged).
    rows : (T,) integers, optional
        Rows of what is fitted to; all by default.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    Deformer
        A model of kind ``direct_delta_mush``.

    Raises
    ------
    ValueError
        If the data has no skeleton, there are fewer than two poses, an option is out of range, or shapes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).random((30, 2)).astype(np.float32)
    >>> rest = np.random.default_rng(1).standard_normal((20, 3)).astype(np.float32)
    >>> faces = np.int32([[0, 1, 2]])
    >>> vertices = rest + x[:, :1, None] * (rest[:, :1] > 0).astype(np.float32)  # one half slides away
    >>> data = rc.baselines.Samples(None, rest, faces, x, vertices)
    >>> rc.baselines.direct_delta_mush(data)
    Traceback (most recent call last):
    rigcast.errors.ArgumentError: direct_delta_mush: data is without a skeleton; it must be a rig with joints
    """
    check = Arguments("direct_delta_mush")
    threads = check.threads(threads)
    influences = check.whole("influences", influences, least=1)
    iterations = check.whole("iterations", iterations, most=1000)
    step = check.number("step", step, above=0.0, most=1.0)
    if data.skeleton is None:
        raise bad_argument("direct_delta_mush", "data", "without a skeleton", "a rig with joints")
    fitted = examples("direct_delta_mush", data, rows, fit_on)
    skin: Any = linear_blend(data, influences, fit_on=fit_on, rows=rows, threads=threads, progress=progress).tensors()
    weights = np.zeros((len(fitted.rest), data.skeleton.num_joints))
    np.add.at(weights, (np.arange(len(weights))[:, None], skin["skin.joint"]), skin["skin.weight"])
    tensors = mush_tensors(fitted.rest, padded_faces(data.faces), weights, iterations, step)
    about = {"method": "direct_delta_mush", "influences": influences, "iterations": iterations, "step": step}
    return model("direct_delta_mush", fitted, tensors, about, threads)


def mush_tensors(
    rest: NDArray[np.float32],
    faces: NDArray[np.int32],
    weights: Array,
    iterations: int,
    step: float,
    least_mass: float = _LEAST_MASS,
) -> dict[str, NDArray[Any]]:
    """The tensors ``mush.*`` of weights (V, J), without joints whose share of a vertex is at most ``least_mass``."""
    smooth = _Smoothing(faces, len(rest), iterations, step)
    points = np.append(rest.astype(np.float64), np.ones((len(rest), 1)), axis=1)
    products = (points[:, :, None] * points[:, None, :])[:, _UPPER[0], _UPPER[1]]
    kept: list[tuple[int, NDArray[np.intp], Array]] = []
    for j in np.flatnonzero(weights.any(axis=0)):
        sums = smooth(weights[:, j : j + 1] * products)
        near = np.flatnonzero(sums[:, 9] > least_mass)
        kept.append((int(j), near, sums[near]))
    count = np.zeros(len(rest), np.intp)
    most = int(np.bincount(np.concatenate([near for _, near, _ in kept]), minlength=len(rest)).max())
    joint = np.zeros((len(rest), most), np.int32)
    matrix = np.zeros((len(rest), most, 10))
    for number, near, mass in kept:
        joint[near, count[near]] = number
        matrix[near, count[near]] = mass
        count[near] += 1
    matrix /= matrix[:, :, 9].sum(axis=1)[:, None, None]
    center = matrix[:, :, [3, 6, 8]].sum(axis=1)
    return {
        "mush.joint": joint,
        "mush.matrix": _about(matrix, center).astype(np.float32),
        "mush.center": center.astype(np.float32),
    }


def _about(matrix: Array, center: Array) -> Array:
    """Second moments (V, K, 10) of points about ``center`` (V, 3) from those about the origin."""
    full = np.zeros((*matrix.shape[:2], 4, 4))
    full[..., _UPPER[0], _UPPER[1]] = matrix
    full[..., _UPPER[1], _UPPER[0]] = matrix
    shift = np.tile(np.eye(4), (len(center), 1, 1))
    shift[:, :3, 3] = -center
    moved = shift[:, None] @ full @ shift[:, None].transpose(0, 1, 3, 2)
    return np.asarray(moved[..., _UPPER[0], _UPPER[1]])


class _Smoothing:
    """Rounds ``x <- (1 - step) x + step mean over neighbors`` of values (V, N); loose vertices stay."""

    def __init__(self, faces: NDArray[np.int32], num_vertices: int, iterations: int, step: float) -> None:
        edges = np.asarray(_core.edges(faces, num_vertices), np.intp).reshape(-1, 2)
        ends = np.concatenate([edges, edges[:, ::-1]])
        ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
        self.source = ends[:, 1]
        self.degree = np.bincount(ends[:, 0], minlength=num_vertices)
        self.joined = np.flatnonzero(self.degree)
        self.begin = np.append(0, np.cumsum(self.degree))[self.joined]
        self.iterations, self.step = iterations, step

    def __call__(self, values: Array) -> Array:
        result: Array = values.copy()
        if len(self.joined) == 0:
            return result
        for _ in range(self.iterations):
            mean = np.add.reduceat(result[self.source], self.begin) / self.degree[self.joined, None]
            result[self.joined] += self.step * (mean - result[self.joined])
        return result
