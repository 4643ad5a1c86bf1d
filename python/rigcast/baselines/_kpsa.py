"""Key point subspaces as models of new poses: the key points are regressed from the controls."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rigcast import _core
from rigcast._core import Deformer
from rigcast._regression.ridge import Features
from rigcast._validate import Arguments
from rigcast.baselines._feature_map import check_features, fit_map
from rigcast.baselines._key_points import key_point_subspace
from rigcast.baselines._model import model
from rigcast.baselines._samples import Data, examples
from rigcast.progress import Progress, ProgressOption, as_callback


def kpsa(
    data: Data,
    points: int = 274,
    vectors: int = 200,
    *,
    features: Features | None = None,
    fit_on: Data | None = None,
    rows: ArrayLike | None = None,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Deformer:
    """Key point subspace (KPSA; Meyer and Anderson 2007), driven by the controls.

    The published method takes the positions of the key points from the rig itself and reconstructs the others
    (:func:`key_point_subspace`); its error on the fitted poses is ``metadata["training"]["key_points_given"]``. To be a
    model of new poses, the key points are regressed from the controls: ridge regression is linear in its targets, so
    the coefficients that the key points determine are regressed.

    Parameters
    ----------
    data : Dataset or Samples
        A data set, or samples in memory, with or without joints.
    points, vectors : int
        Key points and basis vectors, as :func:`key_point_subspace` takes them.
    features : "linear", "quadratic" or None
        Of the regression, as :func:`pca_regression`; by default whichever is better in cross-validation.
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
        A model of kind ``regression``; ``metadata["training"]["points"]`` are the key points.

    Raises
    ------
    ValueError
        If there are not more poses than vectors, more points than vertices, fewer than a third as many points as
        vectors, no column of the poses varies, or shapes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).random((30, 2)).astype(np.float32)
    >>> rest = np.random.default_rng(1).standard_normal((20, 3)).astype(np.float32)
    >>> faces = np.int32([[0, 1, 2]])
    >>> vertices = rest + x[:, :1, None] * (rest[:, :1] > 0).astype(np.float32)  # one half slides away
    >>> data = rc.baselines.Samples(None, rest, faces, x, vertices)
    >>> model = rc.baselines.kpsa(data, points=2, vectors=1)
    >>> bool(np.allclose(model.evaluate(x), vertices, atol=1e-3))
    True
    """
    check = Arguments("kpsa")
    threads = check.threads(threads)
    check_features("kpsa", features)
    report = as_callback(progress)
    fitted = examples("kpsa", data, rows, fit_on)
    vectors = check.whole("vectors", vectors, least=1, most=min(len(fitted) - 1, 3 * len(fitted.rest)))
    points = check.whole("points", points, least=-(-vectors // 3), most=len(fitted.rest))
    report(Progress("choosing key points", 0, 2))
    subspace = key_point_subspace(fitted.vertices, points, vectors, threads=threads)
    report(Progress("choosing key points", 1, 2))
    key_points = fitted.vertices[:, subspace.points]
    fit = fit_map("kpsa", fitted, subspace.coefficients(key_points, threads=threads), features, threads)
    report(Progress("choosing key points", 2, 2))
    given = _core.vertex_distances(fitted.vertices, subspace.reconstruct(key_points, threads=threads), threads)
    about = {
        "method": "kpsa",
        "vectors": vectors,
        "points": subspace.points.tolist(),
        "key_points_given": {"mean": float(given.mean(dtype=np.float64)), "max": float(given.max())},
        **fit.about,
    }
    tensors = {**fit.tensors, "basis": subspace.basis, "mean": np.ascontiguousarray(subspace.mean)}
    return model("regression", fitted, tensors, about, threads)
