"""How far simple methods come on a benchmark: what a learned model must beat before its figure counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright import _core
from rigwright._core import Skeleton
from rigwright._regression.inputs import MOST_INPUTS, Inputs, fit_inputs
from rigwright._regression.ridge import Features, choose_ridge, combinations, spaced
from rigwright._validate import Arguments, bad_argument

MARGIN = 2.0  # a model has learned if the best simple method misses by this many times what the model does
MOST_ROWS = 3000
MOST_CHOICE_VERTICES = 128  # on which the ridge is chosen
FRAMES_AT_ONCE = 128

Pair = tuple[ArrayLike, ArrayLike]


class PosedVertices(Protocol):
    """Poses with their vertices: a :class:`rigwright.Dataset`, or :class:`rigwright.baselines.Samples`."""

    @property
    def skeleton(self) -> Skeleton | None: ...
    @property
    def poses(self) -> NDArray[np.float32]: ...


@dataclass(frozen=True)
class SimpleMethod:
    """What one simple method reaches, in the vertices' unit.

    Attributes
    ----------
    name : str
    mean, max : float
        Distance over all judged frames and vertices.
    ridge : float or None
        Chosen by cross-validation inside the training poses, relative to the mean of the kernel's diagonal.
    """

    name: str
    mean: float
    max: float
    ridge: float | None


@dataclass(frozen=True)
class Difficulty:
    """What simple methods reach on a benchmark: the gate. Printed, it is a table.

    Attributes
    ----------
    methods : list of SimpleMethod
        Linear regression, quadratic ridge regression, nearest training pose.
    motion : float
        Mean distance of the judged vertices from the mean training shape: what no method at all reaches.
    training_poses, judged_poses, inputs : int
    meters_per_unit : float or None
        None: figures have no unit of length.
    unseen : int
        Columns that vary in the judged poses and are constant in training, so that nothing can be learned of them.
    """

    methods: list[SimpleMethod]
    motion: float
    training_poses: int
    judged_poses: int
    inputs: int
    meters_per_unit: float | None
    unseen: int = 0

    @property
    def best(self) -> SimpleMethod:
        """The method with the lowest mean."""
        return min(self.methods, key=lambda method: method.mean)

    def is_learning(self, model_error: float) -> bool:
        """Whether the best simple method misses by at least twice ``model_error``, a mean in the vertices' unit.

        Never where simple methods are exact.
        """
        return self.best.mean > 0.0 and self.best.mean >= MARGIN * model_error

    def verdict(self, model_error: float) -> str:
        """One line for the head of a table: whether a model's mean error counts as learning.

        Parameters
        ----------
        model_error : float
            The model's mean distance on the same judged poses, in the vertices' unit.

        Raises
        ------
        ValueError
            If ``model_error`` is negative or not finite.
        """
        error = Arguments("verdict").number("model_error", model_error, least=0.0)
        best = self.best
        if best.mean == 0.0:
            return f"TOO EASY, no test of learning: the best simple method, {best.name}, misses by 0."
        ratio = f"{best.mean / error:.2g} x" if error > 0.0 else "any multiple of"
        figures = f"{best.name}, misses by {self._length(best.mean)}, {ratio} the model's {self._length(error)}"
        if self.is_learning(error):
            return f"Gate passed: the best simple method, {figures}."
        return f"TOO EASY, no test of learning: the best simple method, {figures}; it must be at least {MARGIN:g} x."

    def _length(self, value: float) -> str:
        return f"{value:.4g}" if self.meters_per_unit is None else f"{1e3 * self.meters_per_unit * value:.3g} mm"

    def __str__(self) -> str:
        unit = "" if self.meters_per_unit is None else ", mm"
        scale = 1.0 if self.meters_per_unit is None else 1e3 * self.meters_per_unit
        best = self.best
        unseen = f", {self.unseen} more that varies in the judged poses alone" if self.unseen else ""
        lines = [
            f"Gate: the best simple method is {best.name}, {self._length(best.mean)} mean and "
            f"{self._length(best.max)} max ({self.training_poses:,} training poses, {self.inputs} inputs{unseen}, "
            f"{self.judged_poses:,} judged poses; motion {self._length(self.motion)})",
            f"{'simple method':32}{'mean' + unit:>12}{'max' + unit:>12}{'ridge':>10}",
        ]
        for method in self.methods:
            ridge = "" if method.ridge is None else f"{method.ridge:.0e}"
            lines.append(f"{method.name:32}{scale * method.mean:12.4g}{scale * method.max:12.4g}{ridge:>10}")
        return "\n".join(lines)


def difficulty(
    train: PosedVertices | Pair, test: PosedVertices | Pair, *, most_rows: int = MOST_ROWS, threads: int = 0
) -> Difficulty:
    """The gate of a benchmark: what PCA + linear regression, quadratic ridge and the nearest training pose reach.

    A learned model shows learning only if the best of them misses by at least twice what the model does
    (:meth:`Difficulty.verdict`). All three use the same inputs: the varying columns of the poses, scaled (joints by
    their matrices, numeric controls by their deviations). Linear regression is what PCA + linear regression is with all
    components: no truncation holds it back. Quadratic ridge takes squares and products of all inputs (of more than 160
    columns, of their 160 leading principal components) in dual form. Ridges are chosen by cross-validation inside
    the training poses, on consecutive quarters of at most 1,000 poses and on at most 128 vertices.

    Parameters
    ----------
    train, test : Dataset, Samples, or a pair of inputs (T, C) and vertices (T, V, 3)
        Poses to learn from and judged poses, of the same rig. All columns of a pair are numeric controls.
    most_rows : int
        Training poses used at most, evenly spaced.
    threads : int
        Number of threads; 0 means all processors that this process may use. The result has the same bytes for any.

    Returns
    -------
    Difficulty

    Raises
    ------
    ValueError
        If either is no data, a shape is wrong or a number not finite, ``train`` has fewer than two poses, ``test``
        none, or no column varies in ``train``.

    Examples
    --------
    >>> import numpy as np
    >>> def bent(x):
    ...     return np.stack([x, x**2, 0 * x], axis=2)  # one vertex on a parabola
    >>> x, new = np.linspace(-1, 1, 40)[:, None], np.linspace(-0.9, 0.9, 7)[:, None]
    >>> gate = rw.metrics.difficulty((x, bent(x)), (new, bent(new)))
    >>> gate.best.name
    'quadratic ridge'
    """
    check = Arguments("difficulty")
    threads = check.threads(threads)
    most_rows = check.whole("most_rows", most_rows, least=2)
    poses, offsets, num_joints, unit = _rows(check, "train", train, most_rows)
    judged, truth, judged_joints, _ = _rows(check, "test", test, None)
    if judged_joints != num_joints:
        raise bad_argument("difficulty", "test", f"with {judged_joints} joints", f"with {num_joints}, as train")
    rest = offsets.mean(axis=0, dtype=np.float64).astype(np.float32)
    extent = float(np.linalg.norm(np.ptp(rest, axis=0)))
    inputs = fit_inputs(poses, num_joints, extent, most=None)
    few = fit_inputs(poses, num_joints, extent, MOST_INPUTS)
    if inputs is None or few is None:
        raise bad_argument("difficulty", "train", "with constant inputs", "poses of which at least one column varies")
    offsets -= rest
    offsets = offsets.reshape(len(poses), -1)
    truth -= rest

    sampled = 3 * spaced(truth.shape[1], MOST_CHOICE_VERTICES)
    targets = offsets[:, (sampled[:, None] + np.arange(3)).ravel()].astype(np.float64)
    methods = []
    kinds: list[tuple[str, Features, Inputs]] = [
        ("PCA + linear regression", "linear", inputs),
        ("quadratic ridge", "quadratic", few),
    ]
    for name, features, chosen in kinds:
        z, new = chosen(poses), chosen(judged)
        ridge = choose_ridge(z, targets, features, threads).ridge
        weights = combinations(z, new, features, ridge, threads).astype(np.float32)
        errors = _errors(truth, partial(_combined, weights, offsets, threads), threads)
        methods.append(SimpleMethod(name, *errors, ridge))
    near = _nearest(inputs(poses), inputs(judged), threads)
    errors = _errors(truth, lambda rows: offsets[near[rows]], threads)
    methods.append(SimpleMethod("nearest training pose", *errors, None))
    motion = float(np.sqrt(np.square(truth, dtype=np.float64).sum(axis=2)).mean())
    changing = np.ptp(judged, axis=0) > 0.0
    changing[inputs.columns] = False
    return Difficulty(methods, motion, len(poses), len(judged), len(inputs.columns), unit, int(changing.sum()))


def _rows(
    check: Arguments, name: str, data: PosedVertices | Pair, most: int | None
) -> tuple[NDArray[np.float32], NDArray[np.float32], int, float | None]:
    """Poses (T, C), a copy of the vertices (T, V, 3), the number of joints, and meters per unit."""
    if isinstance(data, tuple):
        if len(data) != 2:
            raise check.wrong(name, f"a tuple of {len(data)}", "a data set, or a pair of inputs and vertices")
        poses = check.numbers(f"{name}[0]", data[0], f"{name}+ C", dtype=np.float32)
        rows = spaced(len(poses), most or len(poses))
        vertices = check.numbers(f"{name}[1]", data[1], f"{name} V 3", dtype=np.float32)[rows]
        num_joints, unit = 0, None
    elif not hasattr(data, "poses"):
        raise check.wrong(name, f"a {type(data).__name__}", "a data set, or a pair of inputs and vertices")
    else:
        poses = check.numbers(f"{name}.poses", data.poses, f"{name}+ C", dtype=np.float32)
        rows = spaced(len(poses), most or len(poses))
        taken = data.take(rows)[2] if hasattr(data, "take") else np.asarray(getattr(data, "vertices", None))[rows]
        vertices = check.numbers(f"{name}.vertices", taken, "T V 3", dtype=np.float32).copy()
        check.sizes.pop("T")
        num_joints = data.skeleton.num_joints if data.skeleton is not None else 0
        unit = getattr(data, "meters_per_unit", None)
    if name == "train" and len(rows) < 2:
        raise check.wrong(name, f"{len(rows)} pose", "at least two poses")
    return poses[rows], vertices, num_joints, unit


def _nearest(train: NDArray[np.float64], test: NDArray[np.float64], threads: int) -> NDArray[np.intp]:
    """The nearest training row of each judged row (N,); the first of equals."""
    product = _core.matrix_product(test, np.ascontiguousarray(train.T), threads=threads)
    return np.asarray(np.argmin(np.square(train).sum(axis=1) - 2.0 * product, axis=1))


def _combined(
    weights: NDArray[np.float32], offsets: NDArray[np.float32], threads: int, rows: slice
) -> NDArray[np.float32]:
    """Combinations of the offsets (T, 3 V) for some rows of the weights (N, T)."""
    return np.asarray(_core.matrix_product(weights[rows], offsets, threads=threads))


def _errors(
    truth: NDArray[np.float32], predict: Callable[[slice], NDArray[np.float32]], threads: int
) -> tuple[float, float]:
    """Mean and largest distance of predicted offsets (n, 3 V) of rows from the truth (N, V, 3)."""
    total, largest = 0.0, 0.0
    for begin in range(0, len(truth), FRAMES_AT_ONCE):
        rows = slice(begin, begin + FRAMES_AT_ONCE)
        distances = _core.vertex_distances(truth[rows], predict(rows).reshape(truth[rows].shape), threads)
        total += float(distances.sum(dtype=np.float64))
        largest = max(largest, float(distances.max()))
    return total / (len(truth) * truth.shape[1]), largest
