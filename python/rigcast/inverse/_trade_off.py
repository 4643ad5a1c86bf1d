"""Sparsity against accuracy: what each alpha costs, and which one to take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, check_blendshape_rig
from rigcast.inverse._choices.elbow import PRESENT, default_alphas, elbow, means, scaled, training_frames
from rigcast.inverse._distances import rmse_p95
from rigcast.inverse._gram import Gram
from rigcast.inverse._request import METHODS, Request, Rigid, checked
from rigcast.inverse._steps import solve_request
from rigcast.plot._colors import INK, SERIES
from rigcast.plot._drawing import new_axes
from rigcast.progress import Progress, ProgressCallback, ProgressOption, as_callback

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True)
class TradeOff:
    """The result of :func:`trade_off`: means over the training frames for M methods and A values of alpha.

    Attributes
    ----------
    methods : tuple of str
    alphas : (A,) float64
        Ascending.
    frames : (n,) int64
        The training frames.
    rmse : (M, A) float64
        Root mean square distance of the vertices, in the rig's unit.
    rmse_p95 : (M, A) float64
        95th percentile of the distance over the vertices, which the paper calls RMSE; the elbow is that of this one.
    rest : float
        ``rmse_p95`` where every weight is 0 (or the nearest bound).
    cardinality : (M, A) float64
        Weights above 1e-3 in size: what an interior point method keeps near 0 does not count.
    l1 : (M, A) float64
        ``sum_k |w_k|``.
    seconds : (M, A) float64
        A frame's time.
    """

    methods: tuple[str, ...]
    alphas: Float64
    frames: NDArray[np.int64]
    rmse: Float64
    rmse_p95: Float64
    cardinality: Float64
    l1: Float64
    seconds: Float64
    rest: float

    @property
    def elbows(self) -> dict[str, float]:
        """The alpha of each method at the elbow of its curve of ``rmse_p95`` against cardinality.

        Only points count that keep 90% of what the best one takes off the error at rest: few weights that explain
        little are no bargain. With both scaled to 0 ... 1 over these, the elbow is the point farthest below the
        straight line from (0, 1) to (1, 0): the one with the smallest sum. Among equals the smallest alpha.
        """
        return {name: float(self.alphas[self._elbow(m)]) for m, name in enumerate(self.methods)}

    def _elbow(self, method: int) -> int:
        return elbow(self.rmse_p95[method], self.cardinality[method], self.rest)

    @property
    def alpha(self) -> float:
        """The elbow of the first method."""
        return self.elbows[self.methods[0]]

    def plot(self, axes: Sequence[Axes] | None = None) -> NDArray[np.object_]:
        """Draw ``rmse_p95`` against cardinality and against L1, one curve per method, a ring at its elbow.

        Parameters
        ----------
        axes : two matplotlib axes, optional
            Default: those of a new pyplot figure.

        Returns
        -------
        (2,) array of matplotlib axes

        Raises
        ------
        rigcast._extras.MissingExtra
            Without matplotlib.
        """
        panels = new_axes(1, 2, (9.0, 3.6), sharey=True) if axes is None else np.array(list(axes), object)
        for axis, across, label in (
            (panels[0], self.cardinality, f"weights above {PRESENT:g} per frame"),
            (panels[1], self.l1, "sum of weights per frame"),
        ):
            for m, (name, x, y) in enumerate(zip(self.methods, across, self.rmse_p95, strict=True)):
                color = SERIES[m % len(SERIES)]
                axis.plot(x, y, "o-", color=color, markersize=4, linewidth=2.2 if m == 0 else 1.3, label=name)
                best = int(np.flatnonzero(self.alphas == self.elbows[name])[0])
                axis.plot(x[best], y[best], "o", markersize=12, markerfacecolor="none", color=color)
            for a in _legible(across[0], self.rmse_p95[0]):
                at = (across[0, a], self.rmse_p95[0, a])
                text = f"{self.alphas[a]:g}"
                axis.annotate(text, at, xytext=(5, 6), textcoords="offset points", fontsize=8, color=INK)
            axis.set_xlabel(label)
            axis.set_ylim(bottom=0)
        panels[0].set_ylabel("95 % of the vertices are nearer, unit of the rig")
        panels[0].legend(title="at the points: alpha", title_fontsize=8, fontsize=9)
        return panels


def trade_off(
    rig: BlendshapeRig,
    targets: ArrayLike,
    methods: Sequence[str] = ("descent",),
    *,
    alphas: Sequence[float] | None = None,
    count: int = 80,
    gap: int | None = None,
    vertices: ArrayLike | None = None,
    vertex_weights: ArrayLike | None = None,
    init: ArrayLike | None = None,
    device: str = "cpu",
    bounds: ArrayLike | None = None,
    fixed: ArrayLike | None = None,
    priors: tuple[ArrayLike, ArrayLike] | None = None,
    symmetric: Sequence[tuple[int | str, int | str]] | None = None,
    rigid: Rigid = None,
    tolerance: float = 1e-9,
    max_iterations: int | None = None,
    threads: int = 0,
    progress: ProgressOption = None,
) -> TradeOff:
    """Compare the error and the number of active weights over several alphas (Rackovic et al. 2022, section 5.3).

    Parameters
    ----------
    rig, targets
        As in :func:`rigcast.inverse.solve`.
    vertices, vertex_weights, init, device, bounds, fixed, priors, symmetric, rigid, tolerance, max_iterations
        As in :func:`rigcast.inverse.solve`; what belongs to single frames (``init``, ``fixed``, ``priors``) must not
        have a frame axis. Training frames are apart, so there is no ``smoothness``.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.
    methods : sequence of str
        As :func:`solve` names them.
    alphas : sequence of float, optional
        Each once, >= 0, in squared units of the rig. By default 0, .001, .01, .1, 1, 10, 100 square centimeters, by the
        rig's ``meters_per_unit``.
    count, gap : int
        At most ``count`` training frames, spread evenly over the shot and at least ``gap`` frames apart: by default 10,
        or fewer in a shot that is too short for 8 frames so far apart.

    Returns
    -------
    TradeOff
        ``alpha`` is the choice, ``plot`` draws it.

    Raises
    ------
    ValueError
        Naming the argument; those of ``solve``.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> shot = rig.evaluate(0.5 * np.eye(rig.num_shapes)[:3])
    >>> curve = rc.inverse.trade_off(rig, shot, methods=("descent",))
    >>> solved = rc.inverse.solve(rig, shot, alpha=curve.alpha)
    >>> solved.weights.shape
    (3, 22)
    """
    for name, value in (("count", count), ("gap", gap)):
        if value is not None and (not isinstance(value, (int, np.integer)) or value < 1):
            raise bad_argument("trade_off", name, repr(value), "a whole number >= 1")
    Arguments("trade_off").threads(threads)
    names = _names(methods)
    check_blendshape_rig("trade_off", rig)
    strengths = _strengths(rig, alphas)
    shot = _shot(targets)
    frames = training_frames(len(shot), count, gap)
    gram = Gram(rig, vertices=vertices, vertex_weights=vertex_weights)
    request = Request(
        gram,
        shot[frames],
        device=device,
        bounds=bounds,
        priors=priors,
        symmetric=symmetric,
        rigid=rigid,
        tolerance=tolerance,
        max_iterations=max_iterations,
        threads=threads,
    )
    stages = _Stages(as_callback(progress), len(names) * len(strengths) + 1)
    table = np.empty((5, len(names), len(strengths)))
    for m, method in enumerate(names):
        for a, alpha in enumerate(strengths):
            show = stages.next(f"{method}, alpha {alpha:g}")
            own = replace(request, method=method, alpha=float(alpha), init=init, fixed=fixed, progress=show)
            solved, problem = solve_request(checked(own))
            error = rmse_p95(problem, solved.weights, threads)
            table[:, m, a] = solved.rmse.mean(), *means(solved.weights, error), solved.seconds / len(frames)
    low, high = np.broadcast_to(rig.bounds if bounds is None else bounds, rig.bounds.shape).T
    pinned = replace(request, alpha=0.0, fixed=np.clip(0.0, low, high), progress=stages.next("at rest"))
    resting, problem = solve_request(checked(pinned))
    rest = rmse_p95(problem, resting.weights, threads).mean()
    rms, p95, cardinality, l1, seconds = table
    return TradeOff(names, strengths, frames, rms, p95, cardinality, l1, seconds, float(rest))


class _Stages:
    """One bar over many solves."""

    def __init__(self, show: ProgressCallback, count: int) -> None:
        self.show, self.count, self.begun = show, count, 0

    def next(self, message: str) -> ProgressCallback:
        """The callback of the next solve."""
        before = self.begun
        self.begun += 1

        def show(record: Progress) -> None:
            part = record.done / record.total if record.total > 0 else 0.0
            self.show(Progress("comparing alphas", before + part, self.count, message))

        return show


def _names(methods: Sequence[str]) -> tuple[str, ...]:
    names = () if isinstance(methods, str) or not isinstance(methods, Iterable) else tuple(methods)
    if not names or len(set(names)) != len(names):
        raise bad_argument("trade_off", "methods", repr(methods), "one name or more, each once")
    if not set(names) <= set(METHODS):
        raise bad_argument("trade_off", "methods", repr(methods), "of these: " + ", ".join(METHODS))
    return names


def _strengths(rig: BlendshapeRig, alphas: Sequence[float] | None) -> Float64:
    """Return (A,) alphas, ascending."""
    if alphas is None:
        Arguments("trade_off").unit("rig.meters_per_unit", float(rig.meters_per_unit))
        return default_alphas(rig)
    strengths = np.sort(np.atleast_1d(Arguments("trade_off").numbers("alphas", alphas, "", "A")))
    if len(strengths) == 0 or len(np.unique(strengths)) != len(strengths):
        raise bad_argument("trade_off", "alphas", repr(alphas), "one number or more, each once")
    return strengths


def _shot(targets: ArrayLike) -> NDArray[Any]:
    return Arguments("trade_off").numbers("targets", targets, "T+ V 3", dtype=None, finite=False)


def _legible(x: Float64, y: Float64) -> list[int]:
    """Return points far enough from the last labeled one for a label of their own."""
    place = np.column_stack([scaled(x[None])[0], scaled(y[None])[0]])
    labeled = [0]
    for a in range(1, len(place)):
        if np.linalg.norm(place[a] - place[labeled[-1]]) > 0.05:
            labeled.append(a)
    return labeled
