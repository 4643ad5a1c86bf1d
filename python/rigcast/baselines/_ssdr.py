"""Skinning by free rigid bones whose motions are regressed from the controls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._regression.ridge import Features
from rigcast._regression.skinning_decomposition import SkinningDecomposition, skinning_decomposition
from rigcast._rigs.rotations import compose, invert
from rigcast._validate import Arguments
from rigcast.baselines._feature_map import check_features, fit_map
from rigcast.baselines._model import model
from rigcast.baselines._samples import BaselineExamples, Data, examples
from rigcast.progress import ProgressOption

Array = NDArray[np.float64]


def ssdr(
    data: Data,
    bones: int = 24,
    influences: int = 8,
    *,
    features: Features | None = None,
    most_frames: int = 500,
    rounds: int = 30,
    fit_on: Data | None = None,
    rows: ArrayLike | None = None,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Deformer:
    """Linear blend skinning by free rigid bones (SSDR; Le and Deng 2012), driven by the controls.

    :func:`skinning_decomposition` gives weights and, for each frame, the bones' motions. The published method stops
    there: it compresses a clip, and its error with the bones' own motions is
    ``metadata["training"]["decomposition"]``. To be a model of new poses, the motions are regressed: each bone is
    attached to the joint in whose frame it moves least (to none without joints), and its twelve numbers in that frame,
    rotation matrix and translation of the bone's center, are ridge regressions of the controls, followed by the nearest
    rotation.

    Parameters
    ----------
    data : Dataset or Samples
        A data set, or samples in memory, with or without joints.
    bones, influences : int
        Bones, from 1 to V, and bones per vertex at most.
    features : "linear", "quadratic" or None
        Of the regression, as :func:`pca_regression`; by default whichever is better in cross-validation.
    most_frames : int
        Poses that are decomposed and fitted, evenly spaced.
    rounds : int
        Most rounds of the decomposition.
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
        A model of kind ``regressed_skinning``.

    Raises
    ------
    ValueError
        If there are fewer than two poses, more bones than vertices or influences than bones, no column of the poses
        varies, or shapes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).random((30, 2)).astype(np.float32)
    >>> rest = np.random.default_rng(1).standard_normal((20, 3)).astype(np.float32)
    >>> faces = np.int32([[0, 1, 2]])
    >>> vertices = rest + x[:, :1, None] * (rest[:, :1] > 0).astype(np.float32)  # one half slides away
    >>> data = rc.baselines.Samples(None, rest, faces, x, vertices)
    >>> model = rc.baselines.ssdr(data, bones=2, influences=1)
    >>> bool(np.allclose(model.evaluate(x), vertices, atol=1e-3))
    True
    """
    check = Arguments("ssdr")
    threads = check.threads(threads)
    check_features("ssdr", features)
    fitted = examples("ssdr", data, rows, fit_on, most=check.whole("most_frames", most_frames, least=2))
    bones = check.whole("bones", bones, least=1, most=len(fitted.rest))
    influences = check.whole("influences", influences, least=1, most=bones)
    rounds = check.whole("rounds", rounds)
    found = skinning_decomposition(
        fitted.rest, fitted.vertices, bones, influences=influences, rounds=rounds, threads=threads, progress=progress
    )
    center, radius = _places(found)
    joint, local = _attached(fitted, found.motions, center, radius)
    numbers = local.copy()
    numbers[..., 3] = np.einsum("tbij,bj->tbi", local[..., :3], center) + local[..., 3] - center
    scale = np.ones((bones, 3, 4))  # lengths: so that the cross-validation weighs rotations by what they move
    scale[..., :3] = radius[:, None, None]
    fit = fit_map("ssdr", fitted, (numbers * scale).reshape(len(fitted), -1), features, threads)
    tensors = {
        **fit.tensors,
        "map.weight": (fit.tensors["map.weight"] / scale.reshape(-1, 1)).astype(np.float32),
        "map.bias": (fit.tensors["map.bias"] / scale.reshape(-1)).astype(np.float32),
        "bone.center": center.astype(np.float32),
        "bone.joint": joint,
        "skin.joint": found.bone,
        "skin.weight": found.weight.astype(np.float32),
    }
    about = {"method": "ssdr", "bones": bones, "influences": influences, **fit.about}
    decomposition = {"rms": found.rms, "rounds": len(found.objective) - 1}
    return model("regressed_skinning", fitted, tensors, {**about, "decomposition": decomposition}, threads)


def _places(found: SkinningDecomposition) -> tuple[Array, Array]:
    """Centers (B, 3) of the bones' vertices at rest and their root mean square distances from them (B,)."""
    count = found.motions.shape[1]
    rest = found.rest_vertices.astype(np.float64)
    weight = np.zeros((len(rest), count))
    np.add.at(weight, (np.arange(len(rest))[:, None], found.bone), found.weight)
    total = np.maximum(weight.sum(axis=0), 1e-12)
    center = (weight.T @ rest) / total[:, None]
    squares = np.einsum("vb,vbi->b", weight, np.square(rest[:, None] - center))
    extent = float(np.linalg.norm(np.ptp(rest, axis=0)))
    return center, np.maximum(np.sqrt(squares / total), 1e-3 * max(extent, 1e-12))


def _attached(
    fitted: BaselineExamples, motions: Array, center: Array, radius: Array
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The joint (B,) in whose frame a bone moves least, -1 for none, and the bone's motions (T, B, 3, 4) in it."""
    joint = np.full(len(center), -1, np.int32)
    local = motions.copy()
    skeleton: Any = fitted.data.skeleton
    if skeleton is None:
        return joint, local
    corners = np.append(np.zeros((1, 3)), np.eye(3), axis=0)  # the center and a radius along each axis
    points = center[:, None] + radius[:, None, None] * corners
    moved = np.einsum("tbij,bpj->tbpi", motions[..., :3], points) + motions[:, :, None, :, 3]
    least = moved.var(axis=0).sum(axis=(1, 2))
    rest_inverse = invert(skeleton.rest_globals)
    globals_ = skeleton.globals(fitted.poses)
    for j in range(skeleton.num_joints):
        skinning = compose(globals_[:, j], rest_inverse[j])
        if (np.abs(np.linalg.det(skinning[:, :3, :3])) < 1e-6).any():
            continue
        inverse = invert(skinning)
        seen = np.einsum("tij,tbpj->tbpi", inverse[..., :3], moved) + inverse[:, None, None, :, 3]
        variance = seen.var(axis=0).sum(axis=(1, 2))
        better = np.flatnonzero(variance < least)
        joint[better] = j
        least[better] = variance[better]
        local[:, better] = compose(inverse[:, None], motions[:, better])
    return joint, local
