"""Smooth skinning decomposition with rigid bones (Le and Deng 2012)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._validate import Arguments
from rigcast.progress import Progress, ProgressOption, as_callback

_CONVERGED = 1e-3  # relative change of the objective per round at which the decomposition ends; chosen, not tuned


@dataclass(frozen=True)
class SkinningDecomposition:
    """Vertices as linear blend skinning by free rigid bones: ``v_tk = sum_b w_kb S_tb v_k^0``.

    Attributes
    ----------
    rest_vertices : (V, 3) float32
    motions : (T, B, 3, 4) float64
        Rigid motions S of the bones from rest.
    bone : (V, K) int32
    weight : (V, K) float64
        Not negative, of sum 1; 0 where a vertex has fewer bones.
    objective : list of float
        The sum of squared distances at the start and after each round; it never rises.
    """

    rest_vertices: NDArray[np.float32]
    motions: NDArray[np.float64]
    bone: NDArray[np.int32]
    weight: NDArray[np.float64]
    objective: list[float]

    @property
    def rms(self) -> float:
        """Root mean square distance over all frames and vertices."""
        return float(np.sqrt(self.objective[-1] / (len(self.motions) * len(self.rest_vertices))))

    def evaluate(self) -> NDArray[np.float32]:
        """The vertices (T, V, 3) of the bones' own motions: what the published method is judged by."""
        points = np.append(self.rest_vertices.astype(np.float64), np.ones((len(self.rest_vertices), 1)), axis=1)
        vertices = np.zeros((len(self.motions), len(points), 3), np.float32)
        for t, motions in enumerate(self.motions):
            blended = np.einsum("vk,vkij->vij", self.weight, motions[self.bone])
            vertices[t] = np.einsum("vij,vj->vi", blended, points)
        return vertices


def skinning_decomposition(
    rest_vertices: ArrayLike,
    vertices: ArrayLike,
    bones: int = 24,
    influences: int = 8,
    *,
    rounds: int = 30,
    threads: int = 0,
    progress: ProgressOption = None,
) -> SkinningDecomposition:
    """Decompose moving vertices into skin weights and the motions of free rigid bones (SSDR; Le and Deng 2012).

    Minimizes ``sum_tk |sum_b w_kb S_tb v_k^0 - v_tk|^2`` over rigid motions S and weights w >= 0 of sum 1, at most
    ``influences`` per vertex. It begins with clusters that move rigidly; then weights (exact least squares on the
    simplex; a sparse one by dropping the smallest weights, kept only if it is better) and bones (each in closed form)
    take turns, so that the objective never rises. It ends when a round gains less than 0.1 %.

    Parameters
    ----------
    rest_vertices : (V, 3)
    vertices : (T, V, 3)
    bones, influences : int
        B, from 1 to V, and K, from 1 to B.
    rounds : int
        Most rounds.
    threads : int
        Number of threads; 0 means all processors that this process may use. The result has the same bytes for any.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Raises
    ------
    ValueError
        If a shape is wrong, a number not finite, there is no frame, or more bones than vertices or more influences than
        bones are asked for.

    Examples
    --------
    >>> import numpy as np
    >>> rest = np.random.default_rng(0).standard_normal((40, 3))
    >>> frames = rest + np.linspace(0, 1, 5)[:, None, None] * (rest[:, :1] > 0)  # one half slides away
    >>> found = rc.baselines.skinning_decomposition(rest, frames, bones=2, influences=1)
    >>> found.motions.shape, found.rms < 1e-6
    ((5, 2, 3, 4), True)
    """
    check = Arguments("skinning_decomposition")
    rest = check.numbers("rest_vertices", rest_vertices, "V+ 3", dtype=np.float32)
    frames = check.numbers("vertices", vertices, "T+ V 3", dtype=np.float32)
    bones = check.whole("bones", bones, least=1, most=len(rest))
    influences = check.whole("influences", influences, least=1, most=bones)
    rounds = check.whole("rounds", rounds)
    threads = check.threads(threads)
    report = as_callback(progress)
    report(Progress("clustering vertices", 0, rounds))
    fit = _core.SkinningDecomposition(rest, frames, bones, influences, threads)
    objective = [fit.objective(threads)]
    for done in range(1, rounds + 1):
        fit.update_weights(threads)
        fit.update_bones(threads)
        objective.append(fit.objective(threads))
        report(Progress("decomposing", done, rounds))
        if objective[-1] >= (1.0 - _CONVERGED) * objective[-2]:
            break
    bone, weight = fit.weights
    return SkinningDecomposition(rest, fit.motions, bone, weight, objective)
