"""The errors of simple methods on a benchmark: a learned model must beat them before its figure counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._regression.bind_pose import BindPose, bind_pose
from rigcast._regression.inputs import Inputs, fit_inputs, signed_controls, with_positive_parts
from rigcast._regression.ridge import MOST_CHOICE_ROWS, Features, choose_ridge, combinations, spaced
from rigcast._validate import Arguments, bad_argument
from rigcast.metrics._gate import NEAREST, Difficulty, SimpleMethod
from rigcast.metrics._posed_rows import Pair, PosedRows, PosedVertices, posed_rows

MOST_ROWS = 3000
MOST_CHOICE_VERTICES = 64  # on which the ridge is chosen
FRAMES_AT_ONCE = 128
NAMES: dict[Features, str] = {"linear": "PCA + linear regression", "quadratic": "quadratic ridge"}
KINKED = "ridge on x and max(x, 0)"  # of signed dials, which act otherwise on either side of 0


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
    Ridges, and the weight of products relative to the inputs, are chosen by cross-validation inside the training poses,
    on whole clips if there are two or more, else on consecutive quarters, of at most 1,000 poses and on at most 64
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
    """Count the columns that vary in the judged poses alone."""
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
    """The errors of the methods on each judged set, and the mean length of its offsets."""
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
