"""How far simple methods come on a benchmark: what a learned model must beat before its figure counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._regression.bind_pose import BindPose, bind_pose
from rigcast._regression.inputs import Inputs, fit_inputs, signed_controls, with_positive_parts
from rigcast._regression.ridge import MOST_CHOICE_ROWS, Features, choose_ridge, combinations, spaced
from rigcast._validate import Arguments, bad_argument
from rigcast.metrics._posed_rows import Pair, PosedRows, PosedVertices, posed_rows

MARGIN = 2.0  # a model has learned if the best simple method misses by this many times what the model does
NEGLIGIBLE = 1e-4  # of the motion: smaller differences are rounding
MOST_ROWS = 3000
MOST_CHOICE_VERTICES = 64  # on which the ridge is chosen
FRAMES_AT_ONCE = 128
NAMES: dict[Features, str] = {"linear": "PCA + linear regression", "quadratic": "quadratic ridge"}
KINKED = "ridge on x and max(x, 0)"  # of signed dials, which act otherwise on either side of 0
NEAREST = "nearest training pose"


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
        Linear regression, quadratic ridge regression, linear regression on x and max(x, 0) if any dial x has both
        signs, nearest training pose.
    motion : float
        Mean distance of the judged vertices from the mean training shape: what no method at all reaches.
    training_poses, judged_poses, inputs : int
    meters_per_unit : float or None
        None: figures have no unit of length.
    unseen : int
        Columns that vary in the judged poses and are constant in training, so that nothing can be learned of them.
    space : str
        What the methods predict: offsets in the "bind pose", where every vertex has followed its joint; "rig" without
        joints.
    """

    methods: list[SimpleMethod]
    motion: float
    training_poses: int
    judged_poses: int
    inputs: int
    meters_per_unit: float | None
    unseen: int = 0
    space: str = "rig"

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
        """One sentence about a model: whether it loses to the best simple method, wins by little, or has learned.

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
        name = f"{best.name}{self._where}"
        if best.mean == 0.0:
            return f"The data are easy, no test of learning: {name} misses by 0."
        ratio = f"{best.mean / error:.2g} x" if error > 0.0 else "any multiple of"
        figures = f"it misses by {self._length(error)}, {best.name} by {self._length(best.mean)}"
        if abs(error - best.mean) <= NEGLIGIBLE * self.motion:
            return f"As good as {name}: on average {figures}. The data are easy: no test of learning."
        if error > best.mean:
            return f"Loses to {name}: train longer. On average {figures}."
        if self.is_learning(error):
            return f"Beats {name}: on average {figures}, {ratio} as much."
        return (
            f"Beats {name} by little: on average {figures}, {ratio} as much. The data may be easy: no test of learning."
        )

    def lines(self) -> list[str]:
        """``quadratic ridge: mean 0.094 mm, max 1.96 mm``, one line per regression."""
        return [
            f"{method.name}: mean {self._length(method.mean)}, max {self._length(method.max)}"
            for method in self.methods
            if method.name != NEAREST
        ]

    @property
    def _where(self) -> str:
        return " in the bind pose" if self.space == "bind pose" else ""

    def _length(self, value: float) -> str:
        return f"{value:.4g}" if self.meters_per_unit is None else f"{1e3 * self.meters_per_unit * value:.3g} mm"

    def __str__(self) -> str:
        unit = "" if self.meters_per_unit is None else ", mm"
        scale = 1.0 if self.meters_per_unit is None else 1e3 * self.meters_per_unit
        best = self.best
        unseen = f", {self.unseen} more that varies in the judged poses alone" if self.unseen else ""
        lines = [
            f"Gate: the best simple method is {best.name}{self._where}, {self._length(best.mean)} mean and "
            f"{self._length(best.max)} max ({self.training_poses:,} training poses, {self.inputs} inputs{unseen}, "
            f"{self.judged_poses:,} judged poses; motion {self._length(self.motion)})",
            f"{'simple method':32}{'mean' + unit:>12}{'max' + unit:>12}{'ridge':>10}",
        ]
        for method in self.methods:
            ridge = "" if method.ridge is None else f"{method.ridge:.0e}"
            lines.append(f"{method.name:32}{scale * method.mean:12.4g}{scale * method.max:12.4g}{ridge:>10}")
        return "\n".join(lines)


def stated_difficulty(metadata: Mapping[str, Any]) -> Difficulty | None:
    """What a model's file states of simple methods on the held-out rows of its training; None if it does not."""
    entry = metadata.get("simple_methods")
    if entry is None:
        return None
    return Difficulty(**{**entry, "methods": [SimpleMethod(**method) for method in entry["methods"]]})


def difficulty(
    train: PosedVertices | Pair, test: PosedVertices | Pair, *, most_rows: int = MOST_ROWS, threads: int = 0
) -> Difficulty:
    """The gate of a benchmark: what linear regression, quadratic ridge and the nearest training pose reach.

    A learned model shows learning only if the best of them misses by at least twice what the model does
    (:meth:`Difficulty.verdict`). With joints, the methods predict what learned bodies do: offsets in the bind pose,
    after every vertex has followed the joint that explains it best; distances are those in the pose. All use the
    same inputs: the varying columns of the poses, scaled (joints by their matrices, all by their deviations, but at
    least by that of uniform values in their range, so that a rarely turned control has no undue weight). Linear
    regression is what PCA + linear regression is with all components: no truncation holds it back. Quadratic ridge
    takes squares and products of all inputs in dual form. If any numeric control x has both signs in training, linear
    regression on x and max(x, 0) is one more method: a signed dial drives other shapes on either side of 0.
    Ridges, and how much products count beside the inputs, are chosen by cross-validation inside the training poses, on
    whole clips if there are two or more, else on consecutive quarters, of at most 1,000 poses and on at most 64
    vertices.

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
    >>> gate = rc.metrics.difficulty((x, bent(x)), (new, bent(new)))
    >>> gate.best.name
    'quadratic ridge'
    """
    return difficulties(train, [test], most_rows=most_rows, threads=threads)[0]


def difficulties(
    train: PosedVertices | Pair,
    tests: Sequence[PosedVertices | Pair],
    *,
    most_rows: int = MOST_ROWS,
    threads: int = 0,
    most_choice_rows: int = MOST_CHOICE_ROWS,
) -> list[Difficulty]:
    """The gates of several judged sets: as :func:`difficulty`, with methods that are fitted once.

    ``most_choice_rows`` is the number of rows at most on which the ridge is chosen.
    """
    check = Arguments("difficulty")
    threads = check.threads(threads)
    most_rows = check.whole("most_rows", most_rows, least=2)
    train_rows = posed_rows(check, "train", train, most_rows)
    names = ["test"] if len(tests) == 1 else [f"test{i}" for i in range(len(tests))]
    judged = [posed_rows(check, name, test, None) for name, test in zip(names, tests, strict=True)]
    for name, rows in zip(names, judged, strict=True):
        if rows.num_joints != train_rows.num_joints:
            expected = f"with {train_rows.num_joints}, as train"
            raise bad_argument("difficulty", name, f"with {rows.num_joints} joints", expected)
    mean_shape = train_rows.vertices.mean(axis=0, dtype=np.float64).astype(np.float32)
    extent = float(np.linalg.norm(np.ptp(mean_shape, axis=0)))
    inputs = fit_inputs(train_rows.poses, train_rows.num_joints, extent, most=None)
    if inputs is None:
        raise bad_argument("difficulty", "train", "with constant inputs", "poses of which at least one column varies")
    space = _unposed(train_rows, judged, mean_shape, threads)
    reached = _reached(
        space, train_rows, judged, _regressions(train_rows, judged, inputs, extent), threads, most_choice_rows
    )
    where = "rig" if space.skeleton is None else "bind pose"
    return [
        Difficulty(
            methods,
            motion,
            len(train_rows.poses),
            len(rows.poses),
            len(inputs.columns),
            train_rows.meters_per_unit,
            _unseen(rows, inputs),
            where,
        )
        for rows, (methods, motion) in zip(judged, reached, strict=True)
    ]


def _unseen(judged: PosedRows, inputs: Inputs) -> int:
    """How many columns vary in the judged poses alone."""
    changing = np.ptp(judged.poses, axis=0) > 0.0
    changing[inputs.columns] = False
    return int(changing.sum())


def _unposed(train: PosedRows, judged: list[PosedRows], mean_shape: NDArray[np.float32], threads: int) -> BindPose:
    """Replace vertices by their offsets in the bind pose, from the mean training offset."""
    rest = mean_shape if train.rest is None else train.rest
    judged_poses = np.concatenate([rows.poses for rows in judged])
    space = bind_pose(train.skeleton, rest, train.poses, train.vertices, judged_poses, threads)
    space.offsets(train.poses, train.vertices)
    mean = train.vertices.mean(axis=0, dtype=np.float64).astype(np.float32)
    train.vertices[...] -= mean
    for rows in judged:
        space.offsets(rows.poses, rows.vertices)
        rows.vertices[...] -= mean
    return space


@dataclass(frozen=True)
class _Regression:
    """A regression's name, features, inputs (T, D) of the training rows, and those of each judged set."""

    name: str
    features: Features
    known: NDArray[np.float64]
    new: list[NDArray[np.float64]]


def _regressions(train: PosedRows, judged: list[PosedRows], inputs: Inputs, extent: float) -> list[_Regression]:
    """Linear and quadratic regression on the inputs first, then on x and max(x, 0) if there are signed controls."""
    known, new = inputs(train.poses), [inputs(rows.poses) for rows in judged]
    result = [_Regression(name, features, known, new) for features, name in NAMES.items()]
    signed = signed_controls(train.poses, train.num_joints)
    if len(signed):
        poses = with_positive_parts(train.poses, signed)
        parted = fit_inputs(poses, train.num_joints, extent, most=None)
        assert parted is not None
        later = [parted(with_positive_parts(rows.poses, signed)) for rows in judged]
        result.append(_Regression(KINKED, "linear", parted(poses), later))
    return result


def _reached(
    space: BindPose, train: PosedRows, judged: list[PosedRows], regressions: list[_Regression], threads: int, most: int
) -> list[tuple[list[SimpleMethod], float]]:
    """What the methods reach on each judged set, and the mean length of its offsets."""
    offsets = train.vertices.reshape(len(train.poses), -1)
    sampled = 3 * spaced(train.vertices.shape[1], MOST_CHOICE_VERTICES)
    targets = offsets[:, (sampled[:, None] + np.arange(3)).ravel()].astype(np.float64)
    z, new = regressions[0].known, regressions[0].new
    starts = np.cumsum([len(rows) for rows in new])[:-1]
    methods: list[list[SimpleMethod]] = [[] for _ in judged]
    for one in regressions:
        choice = choose_ridge(one.known, targets, one.features, train.clip, threads, most)
        weights = combinations(one.known, np.concatenate(one.new), choice, threads).astype(np.float32)
        for rows, part, found in zip(judged, np.split(weights, starts), methods, strict=True):
            errors = _errors(space, rows, partial(_combined, part, offsets, threads))
            found.append(SimpleMethod(one.name, *errors, choice.ridge))
    nothing = np.zeros((1, offsets.shape[1]), np.float32)
    reached = []
    for rows, some, found in zip(judged, new, methods, strict=True):
        errors = _errors(space, rows, partial(_rows_of, offsets, _nearest(z, some, threads)))
        found.append(SimpleMethod(NEAREST, *errors, None))
        reached.append((found, _errors(space, rows, lambda _: nothing)[0]))
    return reached


def _rows_of(offsets: NDArray[np.float32], near: NDArray[np.intp], rows: slice) -> NDArray[np.float32]:
    """The offsets (n, 3 V) of the nearest training rows."""
    return np.asarray(offsets[near[rows]])


def _nearest(train: NDArray[np.float64], test: NDArray[np.float64], threads: int) -> NDArray[np.intp]:
    """The nearest training row of each judged row (N,); the first of equals."""
    product = _core.matrix_product(test, np.ascontiguousarray(train.T), threads=threads)
    return np.asarray(np.argmin(np.square(train).sum(axis=1) - 2.0 * product, axis=1))


def _combined(
    weights: NDArray[np.float32], offsets: NDArray[np.float32], threads: int, rows: slice
) -> NDArray[np.float32]:
    """Combinations of the offsets (T, 3 V) for some rows of the weights (N, T)."""
    return np.asarray(_core.matrix_product(weights[rows], offsets, threads=threads))


def _errors(space: BindPose, judged: PosedRows, predict: Callable[[slice], NDArray[np.float32]]) -> tuple[float, float]:
    """Mean and largest distance of predicted offsets (n, 3 V) of rows from the judged ones."""
    truth = judged.vertices
    total, largest = 0.0, 0.0
    for begin in range(0, len(truth), FRAMES_AT_ONCE):
        rows = slice(begin, begin + FRAMES_AT_ONCE)
        difference = predict(rows).reshape(-1, *truth.shape[1:]) - truth[rows]
        distances = space.lengths(judged.poses[rows], difference)
        total += float(distances.sum())
        largest = max(largest, float(distances.max()))
    return total / (len(truth) * truth.shape[1]), largest
