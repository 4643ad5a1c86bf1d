"""Weighted pose space deformation (Lewis et al. 2000; Kurihara and Miyata 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._regression.inputs import fit_inputs
from rigcast._rigs.rotations import compose, invert
from rigcast._validate import Arguments, bad_argument
from rigcast.baselines._linear_blend import linear_blend
from rigcast.baselines._model import model
from rigcast.baselines._samples import BaselineExamples, Data, examples
from rigcast.progress import Progress, ProgressOption, as_callback

Array = NDArray[np.float64]
_WIDTHS = (0.5, 1.0, 2.0, 4.0)  # of the kernels, relative to the mean distance of examples to their nearest neighbor
_RIDGE = 1e-5  # on the kernel matrix: its diagonal is 1
_CHOICE_VERTICES, _CHOICE_POSES = 300, 100  # on which the width is chosen
_VERTICES_AT_ONCE = 256


def pose_space_deformation(
    data: Data,
    count: int = 50,
    influences: int = 4,
    *,
    fit_on: Data | None = None,
    rows: ArrayLike | None = None,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Deformer:
    """Weighted pose space deformation on fitted skin weights (Kurihara and Miyata 2004).

    Offsets in the rest pose are interpolated between example poses by Gaussian kernels of a distance of the vertex's
    own: the distances of the joints' parent-relative matrices, weighted by its skin weights. Skin weights are those of
    :func:`linear_blend`. Without joints the numeric controls are one group (Lewis et al. 2000); with
    joints, numeric controls do not enter the distances. Examples are chosen one by one, the farthest from those so
    far; the width of the kernels by the error on poses that are no examples.

    Parameters
    ----------
    data : Dataset or Samples
        A data set, or samples in memory, with or without joints.
    count : int
        Example poses E.
    influences : int
        Joints per vertex of the fitted weights.
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
        A model of kind ``pose_space``; ``metadata["training"]["rows"]`` are the places of the examples.

    Raises
    ------
    ValueError
        If there are fewer than two poses or than ``count``, no column of the poses varies, or shapes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).random((30, 2)).astype(np.float32)
    >>> rest = np.random.default_rng(1).standard_normal((20, 3)).astype(np.float32)
    >>> faces = np.int32([[0, 1, 2]])
    >>> vertices = rest + x[:, :1, None] * (rest[:, :1] > 0).astype(np.float32)  # one half slides away
    >>> data = rc.baselines.Samples(None, rest, faces, x, vertices)
    >>> model = rc.baselines.pose_space_deformation(data, count=10)
    >>> examples = model.metadata["training"]["rows"]
    >>> bool(np.allclose(model.evaluate(x[examples]), vertices[examples], atol=1e-2))
    True
    """
    check = Arguments("pose_space_deformation")
    threads = check.threads(threads)
    influences = check.whole("influences", influences, least=1)
    report = as_callback(progress)
    fitted = examples("pose_space_deformation", data, rows, fit_on)
    count = check.whole("count", count, least=1, most=len(fitted))
    skin = None
    if data.skeleton is not None:
        skin = linear_blend(data, influences, fit_on=fit_on, rows=rows, threads=threads)
    space = _space(fitted, skin)
    if space is None:
        raise bad_argument("pose_space_deformation", "data", "of constant poses", "poses of which a column varies")
    report(Progress("choosing examples", 0, 2))
    chosen = _farthest(space.scaled, count)
    offsets = _RestOffsets(fitted, skin)
    width, unit = _choose_width(space, chosen, offsets)
    report(Progress("choosing examples", 1, 2))
    weight = space.weight / (width * unit) ** 2
    tensors = {
        "space.offset": space.offset,
        "space.column": space.column,
        "space.scale": space.scale.astype(np.float32),
        "space.example": space.scaled[chosen].astype(np.float32),
        "space.group": space.group,
        "space.weight": weight.astype(np.float32),
        "space.delta": _solve(space, chosen, weight, offsets(chosen, slice(None))).astype(np.float32),
    }
    if skin is not None:
        tensors |= {name: value for name, value in skin.tensors().items() if name.startswith("skin.")}
    report(Progress("choosing examples", 2, 2))
    about = {"method": "pose_space_deformation", "examples": count, "influences": influences, "width": width}
    return model("pose_space", fitted, tensors, {**about, "rows": chosen.tolist()}, threads)


@dataclass(frozen=True)
class _Space:
    """Groups of scaled pose columns, and how they count at each vertex."""

    offset: NDArray[np.int32]  # (G + 1)
    column: NDArray[np.int32]  # (M)
    scale: Array  # (M)
    scaled: Array  # (T, M) of the fitted poses
    group: NDArray[np.int32]  # (V, K)
    weight: Array  # (V, K), of sum 1, or 0 if no group of the vertex varies

    def distances(self, rows: NDArray[np.intp], others: NDArray[np.intp]) -> Array:
        """Squared distances (G, N, E) per group between fitted poses."""
        found = []
        for begin, end in zip(self.offset[:-1], self.offset[1:], strict=True):
            difference = self.scaled[rows, None, begin:end] - self.scaled[None, others, begin:end]
            found.append(np.square(difference).sum(axis=2))
        return np.stack(found)


def _space(fitted: BaselineExamples, skin: Deformer | None) -> _Space | None:
    inputs = fit_inputs(fitted.poses, fitted.num_joints, fitted.extent, most=None)
    if inputs is None:
        return None
    columns = inputs.columns
    if skin is not None:
        columns = columns[columns < 12 * fitted.num_joints]
    if len(columns) == 0:
        return None
    scale = inputs.project.diagonal()[: len(columns)]
    owner = columns // 12 if skin is not None else np.zeros(len(columns), np.intp)
    names, sizes = np.unique(owner, return_counts=True)
    offset = np.append(0, np.cumsum(sizes)).astype(np.int32)
    scaled = fitted.poses[:, columns].astype(np.float64) * scale
    if skin is None:
        group = np.zeros((len(fitted.rest), 1), np.int32)
        weight = np.ones((len(fitted.rest), 1))
    else:
        found: Any = skin.tensors()
        place = np.full(fitted.num_joints, -1)
        place[names] = np.arange(len(names))
        place_of = place[found["skin.joint"]]
        weight = np.where(place_of >= 0, found["skin.weight"], 0.0).astype(np.float64)
        weight /= np.maximum(weight.sum(axis=1), 1e-12)[:, None]
        group = np.maximum(place_of, 0).astype(np.int32)
    return _Space(offset, columns, scale, scaled, group, weight)


def _farthest(points: Array, count: int) -> NDArray[np.intp]:
    """Rows, one by one the farthest from those so far; the first is the nearest to the mean."""
    chosen = [int(np.square(points - points.mean(axis=0)).sum(axis=1).argmin())]
    nearest = np.square(points - points[chosen[0]]).sum(axis=1)
    while len(chosen) < count:
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, np.square(points - points[chosen[-1]]).sum(axis=1))
    return np.array(chosen, np.intp)


class _RestOffsets:
    """Offsets (N, V, 3) in the rest pose that take skinning to the samples; of chosen rows and vertices."""

    def __init__(self, fitted: BaselineExamples, skin: Deformer | None) -> None:
        self.fitted, self.skin = fitted, skin

    def __call__(self, rows: NDArray[np.intp], vertices: slice | NDArray[np.intp]) -> Array:
        target = self.fitted.vertices[rows][:, vertices].astype(np.float64)
        rest = self.fitted.rest[vertices].astype(np.float64)
        if self.skin is None:
            return np.asarray(target - rest)
        skeleton, found = self.skin.skeleton, self.skin.tensors()
        assert skeleton is not None
        inverse = invert(skeleton.rest_globals)
        joint, weight = found["skin.joint"][vertices], found["skin.weight"][vertices].astype(np.float64)
        result = np.empty_like(target)
        for t, row in enumerate(rows):
            moves = compose(skeleton.globals(self.fitted.poses[row : row + 1])[0], inverse)
            blended = np.einsum("vk,vkij->vij", weight, moves[joint])
            moved = target[t] - blended[:, :, 3]
            result[t] = np.einsum("vij,vj->vi", np.linalg.pinv(blended[:, :, :3]), moved) - rest
        return result


def _kernels(space: _Space, weight: Array, vertices: NDArray[np.intp], squares: Array) -> Array:
    """Kernel values (n, N, E) of some vertices, from squared distances (G, N, E)."""
    sums = np.einsum("vk,vkne->vne", weight[vertices], squares[space.group[vertices]])
    return np.asarray(np.exp(-0.5 * sums))


def _solve(space: _Space, chosen: NDArray[np.intp], weight: Array, offsets: Array) -> Array:
    """Coefficients (V, E, 3) that interpolate offsets (E, V, 3)."""
    squares = space.distances(chosen, chosen)
    result = np.empty((len(weight), len(chosen), 3))
    for begin in range(0, len(weight), _VERTICES_AT_ONCE):
        part = np.arange(begin, min(begin + _VERTICES_AT_ONCE, len(weight)))
        system = _kernels(space, weight, part, squares) + _RIDGE * np.eye(len(chosen))
        result[part] = np.linalg.solve(system, offsets[:, part].transpose(1, 0, 2))
    return result


def _choose_width(space: _Space, chosen: NDArray[np.intp], offsets: _RestOffsets) -> tuple[float, float]:
    """The width of least error on poses that are no examples, and the unit of widths; 1 if there are none."""
    between = space.distances(chosen, chosen).mean(axis=0) + np.diag(np.full(len(chosen), np.inf))
    unit = float(np.sqrt(between.min(axis=1)).mean()) if len(chosen) > 1 else 1.0
    unit = unit if unit > 0.0 else 1.0
    others = np.setdiff1d(np.arange(len(space.scaled)), chosen)
    if len(others) == 0:
        return 1.0, unit
    others = others[np.unique(np.linspace(0, len(others) - 1, min(len(others), _CHOICE_POSES)).round().astype(int))]
    count = len(space.weight)
    vertices = np.unique(np.linspace(0, count - 1, min(count, _CHOICE_VERTICES)).round().astype(np.intp))
    few = _Space(space.offset, space.column, space.scale, space.scaled, space.group[vertices], space.weight[vertices])
    known, wanted = offsets(chosen, vertices), offsets(others, vertices).transpose(1, 0, 2)
    squares, every = few.distances(others, chosen), np.arange(len(vertices))
    errors = []
    for width in _WIDTHS:
        weight = few.weight / (width * unit) ** 2
        found = _kernels(few, weight, every, squares) @ _solve(few, chosen, weight, known)
        errors.append(float(np.square(found - wanted).sum()))
    return _WIDTHS[int(np.argmin(errors))], unit
