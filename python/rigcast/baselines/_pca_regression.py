"""Principal components of the vertices, regressed from the controls."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rigcast._core import Deformer
from rigcast._regression.components import principal_components
from rigcast._regression.ridge import Features
from rigcast._validate import Arguments, bad_argument
from rigcast.baselines._feature_map import check_features, fit_map
from rigcast.baselines._model import model
from rigcast.baselines._samples import Data, examples
from rigcast.progress import Progress, ProgressOption, as_callback

_DEFAULT_COMPONENTS = 128


def pca_regression(
    data: Data,
    components: int | None = None,
    *,
    features: Features | None = "linear",
    fit_on: Data | None = None,
    rows: ArrayLike | None = None,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Deformer:
    """Principal components of the vertices, whose coefficients are regressed from the controls.

    ``v = U y(x) + m``: U are principal components of the vertices, y(x) is ridge regression from the varying columns of
    the pose, whose ridge is chosen by cross-validation on the fitted poses. Linear features are "PCA + linear
    regression"; quadratic features add squares and products of all inputs (of the 160 leading principal components of
    more columns).

    Parameters
    ----------
    data : Dataset or Samples
        A data set, or samples in memory, with or without joints.
    components : int, optional
        Components kept; by default 128, or as many as the poses have if these are fewer.
    features : "linear", "quadratic" or None
        None: whichever is better in cross-validation.
    fit_on : Dataset or Samples, optional
        Fit to these poses in place of those of ``data`` (the second protocol: the clip that is judged).
    rows : (T,) integers, optional
        Rows of what is fitted to; all by default. The regression uses 3,000 of them at most, evenly spaced.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    Deformer
        A model of kind ``regression``. ``metadata["training"]`` says what was chosen, ``metadata["error"]`` are errors
        on the fitted poses.

    Raises
    ------
    ValueError
        If there are fewer than two poses, ``components`` is not below their number or above 3 V, no column of the poses
        varies, or shapes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.float32([[0.0], [0.5], [1.0]])
    >>> rest = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    >>> vertices = rest + x[:, :, None] * np.float32([0, 0, 2])
    >>> data = rc.baselines.Samples(None, rest, np.int32([[0, 1, 2]]), x, vertices)
    >>> model = rc.baselines.pca_regression(data, components=1)
    >>> bool(np.allclose(model.evaluate([[0.25]]), rest + np.float32([0, 0, 0.5]), atol=1e-4))
    True
    """
    check = Arguments("pca_regression")
    threads = check.threads(threads)
    check_features("pca_regression", features)
    report = as_callback(progress)
    fitted = examples("pca_regression", data, rows, fit_on)
    most = min(len(fitted) - 1, 3 * len(fitted.rest))
    if components is None:
        components = min(_DEFAULT_COMPONENTS, most)
    elif not 1 <= check.whole("components", components, least=1) <= most:
        raise bad_argument(
            "pca_regression", "components", str(components), f"at most {most}: {len(fitted)} poses have no more"
        )
    report(Progress("fitting components", 0, 2))
    basis = principal_components(fitted.vertices.reshape(len(fitted), -1), components, threads)
    report(Progress("fitting components", 1, 2))
    found = fit_map("pca_regression", fitted, basis.coefficients, features, threads)
    report(Progress("fitting components", 2, 2))
    tensors = {**found.tensors, "basis": basis.basis, "mean": np.ascontiguousarray(basis.mean)}
    about = {"method": "pca_regression", "components": components, **found.about}
    return model("regression", fitted, tensors, about, threads)
