"""Smooth skinning decomposition with rigid bones (Le and Deng 2012)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._shown import one_line
from rigcast._validate import Arguments
from rigcast.progress import Progress, ProgressOption, as_callback

_CONVERGED = 1e-3  # relative change of the objective per round at which the decomposition ends; chosen, not tuned


@one_line
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

    def bones_of(self, vertices: ArrayLike, *, rounds: int = 30) -> SkinningDecomposition:
        """The same weights with the rigid motions of the bones that are nearest to other frames.

        Skinning that is given the truth, as Bailey 2020, chapter 3, compares with it: it maps no controls to vertices.
        From rest, one bone after another moves to where it is best given the others (Le and Deng 2012, equations 9 to
        11).

        Parameters
        ----------
        vertices : (T, V, 3)
        rounds : int
            Over all bones; the objective never rises.

        Raises
        ------
        ValueError
            If the shape is wrong, a number not finite, or there is no frame.

        Examples
        --------
        >>> import numpy as np
        >>> rest = np.random.default_rng(0).standard_normal((40, 3))
        >>> frames = rest + np.linspace(0, 1, 5)[:, None, None] * (rest[:, :1] > 0)  # one half slides away
        >>> found = rc.baselines.skinning_decomposition(rest, frames, bones=2, influences=1)
        >>> found.bones_of(2 * frames - rest).rms < 1e-6  # twice as far
        True
        """
        check = Arguments("bones_of", V=len(self.rest_vertices))
        frames = check.numbers("vertices", vertices, "T+ V 3")
        rounds = check.whole("rounds", rounds)
        rest = self.rest_vertices.astype(np.float64)
        weight = np.zeros((len(rest), self.motions.shape[1]))
        np.add.at(weight, (np.arange(len(rest))[:, None], self.bone), self.weight)
        motions = np.tile(np.eye(3, 4), (len(frames), weight.shape[1], 1, 1))
        left = frames - rest * weight.sum(axis=1)[:, None]
        objective = [float(np.square(left).sum())]
        for _ in range(rounds):
            for b in np.flatnonzero(weight.any(axis=0)):
                own = np.flatnonzero(weight[:, b])
                w, p = weight[own, b, None], rest[own]
                wanted = left[:, own] + w * _moved(motions[:, b], p)
                motions[:, b] = _nearest_motions(w, p, wanted)
                left[:, own] = wanted - w * _moved(motions[:, b], p)
            objective.append(float(np.square(left).sum()))
        return SkinningDecomposition(self.rest_vertices, motions, self.bone, self.weight, objective)


def _moved(motions: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (n, 3) by motions (T, 3, 4): (T, n, 3)."""
    return np.asarray(points @ motions[:, :, :3].transpose(0, 2, 1) + motions[:, None, :, 3])


def _nearest_motions(
    weight: NDArray[np.float64], points: NDArray[np.float64], wanted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The rigid motions S (T, 3, 4) for which weight (n, 1) times S of points (n, 3) is nearest to wanted (T, n, 3)."""
    total = float(np.square(weight).sum())
    center, goal = np.square(weight[:, 0]) @ points / total, np.einsum("v,tvi->ti", weight[:, 0], wanted) / total
    moment = np.einsum("vi,tvj->tij", weight * (points - center), wanted - weight * goal[:, None])
    u, _, vt = np.linalg.svd(moment)
    u[:, :, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]
    turn = (u @ vt).transpose(0, 2, 1)
    return np.concatenate([turn, (goal - turn @ center)[:, :, None]], axis=2)


def skinning_decomposition(
    rest_vertices: ArrayLike,
    vertices: ArrayLike,
    bones: int = 24,
    *,
    influences: int = 8,
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
