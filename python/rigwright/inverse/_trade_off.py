"""Sparsity against accuracy: what each alpha costs, and which one to take."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright import _core
from rigwright._extras import require
from rigwright._files import atomic_file
from rigwright._validate import Arguments, bad_argument
from rigwright.inverse._solve import METHODS, Solver

Float64 = NDArray[np.float64]

PRESENT = 1e-3  # a weight above this counts
ALPHAS = (0, 0.001, 0.01, 0.1, 1, 10, 100)  # of Rackovic et al. 2022, whose heads are in centimeters
EXPLAINED = 0.9  # part of the motion that any alpha explains which an elbow has to keep
FEWEST = 8  # training frames that a short shot gives, though they are closer together then


@dataclass(frozen=True)
class TradeOff:
    """Means over the training frames for M methods and A values of alpha.

    Attributes
    ----------
    methods : tuple of str
    alphas : (A,) float64
        Ascending.
    frames : (n,) int64
        The training frames.
    rmse : (M, A) float64
        Root mean square distance of the vertices, in the rig's unit.
    rest : float
        The same where every weight is 0 (or the nearest bound).
    cardinality : (M, A) float64
        Weights above 1e-3 in size: what an interior point method leaves beside 0 does not count.
    l1 : (M, A) float64
        ``sum_k |w_k|``.
    seconds : (M, A) float64
        A frame's time.
    """

    methods: tuple[str, ...]
    alphas: Float64
    frames: NDArray[np.int64]
    rmse: Float64
    cardinality: Float64
    l1: Float64
    seconds: Float64
    rest: float

    @property
    def elbows(self) -> dict[str, float]:
        """The alpha of each method at the elbow of its curve of RMSE against cardinality.

        Only points count that keep 90% of what the best one takes off the RMSE at rest: few weights that explain little
        are no bargain. With both scaled to 0 ... 1 over these, the elbow is the point farthest below the straight line
        from (0, 1) to (1, 0): the one with the smallest sum. Among equals the smallest alpha.
        """
        return {name: float(self.alphas[self._elbow(m)]) for m, name in enumerate(self.methods)}

    def _elbow(self, method: int) -> int:
        best = self.rmse[method].min()
        kept = np.flatnonzero(self.rmse[method] <= best + (1.0 - EXPLAINED) * max(self.rest - best, 0.0))
        total = _scaled(self.rmse[method, kept][None]) + _scaled(self.cardinality[method, kept][None])
        return int(kept[total[0].argmin()])

    @property
    def alpha(self) -> float:
        """The elbow of the first method."""
        return self.elbows[self.methods[0]]

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw RMSE against cardinality and against L1, a curve a method, a ring at its elbow, to a PNG file.

        Raises
        ------
        rigwright._extras.MissingExtra
            Without Matplotlib.
        """
        figures = require("matplotlib.figure", extra="report", purpose="drawing a trade-off")
        figure = figures.Figure(figsize=(10, 4.5), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for axes, across, label in (
            (panels[0], self.cardinality, f"weights above {PRESENT:g} a frame"),
            (panels[1], self.l1, "sum of weights a frame"),
        ):
            for name, x, y in zip(self.methods, across, self.rmse, strict=True):
                (line,) = axes.plot(x, y, "o-", markersize=4, label=name)
                best = int(np.flatnonzero(self.alphas == self.elbows[name])[0])
                axes.plot(x[best], y[best], "o", markersize=12, markerfacecolor="none", color=line.get_color())
            for a in _legible(across[0], self.rmse[0]):
                at = (across[0, a], self.rmse[0, a])
                axes.annotate(f"{self.alphas[a]:g}", at, xytext=(5, 6), textcoords="offset points", fontsize=8)
            axes.set_xlabel(label)
            axes.set_ylim(bottom=0)
            axes.grid(alpha=0.3)
        panels[0].set_ylabel("RMSE (unit of the rig)")
        panels[0].legend()
        figure.suptitle(f"alpha from {self.alphas[0]:g} to {self.alphas[-1]:g}; rings: elbows", fontsize=10)
        with atomic_file(path) as stream:
            figure.savefig(stream, format="png", dpi=150)


def trade_off(
    rig: Any,
    targets: ArrayLike,
    methods: Sequence[str] = ("descent",),
    alphas: Sequence[float] | None = None,
    count: int = 80,
    gap: int | None = None,
    *,
    vertices: ArrayLike | None = None,
    vertex_weights: ArrayLike | None = None,
    **options: Any,
) -> TradeOff:
    """Solve training frames of a shot for several alphas (Rackovic et al. 2022, section 5.3).

    Parameters
    ----------
    rig, targets, vertices, vertex_weights, **options
        As in :func:`rigwright.inverse.solve`; what belongs to single frames (``init``, ``fixed``, ``priors``) must not
        have a frame axis. Training frames are apart, so there is no ``smoothness``.
    methods : sequence of str
        Names of ``METHODS``.
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
    >>> curve = rw.inverse.trade_off(rig, shot, methods=("descent", "mm"))  # doctest: +SKIP
    >>> curve.plot("alpha.png")  # doctest: +SKIP
    >>> solved = rw.inverse.solve(rig, shot, alpha=curve.alpha)  # doctest: +SKIP
    """
    for name, value in (("count", count), ("gap", gap)):
        if value is not None and (not isinstance(value, (int, np.integer)) or value < 1):
            raise bad_argument("trade_off", name, repr(value), "a whole number >= 1")
    names = _names(methods)
    if not isinstance(rig, _core.BlendshapeRig):
        raise bad_argument("trade_off", "rig", f"a {type(rig).__name__}", "a rigwright.BlendshapeRig")
    strengths = _strengths(rig, alphas)
    if options.get("smoothness"):
        raise bad_argument("trade_off", "smoothness", repr(options["smoothness"]), "0: training frames are apart")
    shot = _shot(targets)
    frames = training_frames(len(shot), count, gap)
    solver = Solver(rig, vertices=vertices, vertex_weights=vertex_weights)
    table = np.empty((4, len(names), len(strengths)))
    for m, method in enumerate(names):
        for a, alpha in enumerate(strengths):
            solved = solver.solve(shot[frames], method, float(alpha), **options)
            size = np.abs(solved.weights)
            table[:, m, a] = (
                solved.rmse.mean(),
                (size > PRESENT).sum(axis=1).mean(),
                size.sum(axis=1).mean(),
                solved.seconds / len(frames),
            )
    low, high = np.broadcast_to(rig.bounds if options.get("bounds") is None else options["bounds"], rig.bounds.shape).T
    pinned = options | {"fixed": np.clip(0.0, low, high)}
    rest = solver.solve(shot[frames], "descent", **pinned).rmse.mean()
    rmse, cardinality, l1, seconds = table
    return TradeOff(names, strengths, frames, rmse, cardinality, l1, seconds, float(rest))


def _names(methods: Sequence[str]) -> tuple[str, ...]:
    names = () if isinstance(methods, str) or not isinstance(methods, Iterable) else tuple(methods)
    if not names or len(set(names)) != len(names):
        raise bad_argument("trade_off", "methods", repr(methods), "one name or more, each once")
    if not set(names) <= set(METHODS):
        raise bad_argument("trade_off", "methods", repr(methods), "of these: " + ", ".join(METHODS))
    return names


def _strengths(rig: Any, alphas: Sequence[float] | None) -> Float64:
    """(A,) ascending."""
    if alphas is None:
        unit = Arguments("trade_off").unit("rig.meters_per_unit", float(rig.meters_per_unit))
        return np.array(ALPHAS, np.float64) * (0.01 / unit) ** 2
    strengths = np.sort(np.atleast_1d(Arguments("trade_off").numbers("alphas", alphas, "", "A")))
    if len(strengths) == 0 or len(np.unique(strengths)) != len(strengths):
        raise bad_argument("trade_off", "alphas", repr(alphas), "one number or more, each once")
    return strengths


def _shot(targets: ArrayLike) -> NDArray[Any]:
    return Arguments("trade_off").numbers("targets", targets, "T+ V 3", dtype=None, finite=False)


def training_frames(num_frames: int, count: int, gap: int | None = None) -> NDArray[np.int64]:
    """At most ``count`` frames, from the first to the last, at least ``gap`` apart."""
    if gap is None:
        gap = min(10, max((num_frames - 1) // (FEWEST - 1), 1))
    count = min(count, (num_frames - 1) // gap + 1)
    return np.arange(count) * (num_frames - 1) // max(count - 1, 1)


def _scaled(values: Float64) -> Float64:
    """Each row to 0 ... 1; a row of values that are equal up to rounding to 0."""
    low, high = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
    return np.where(high - low > 1e-9 * high, (values - low) / np.where(high > low, high - low, 1.0), 0.0)


def _legible(x: Float64, y: Float64) -> list[int]:
    """Points far enough from the last labelled one for a label of their own."""
    place = np.column_stack([_scaled(x[None])[0], _scaled(y[None])[0]])
    labelled = [0]
    for a in range(1, len(place)):
        if np.linalg.norm(place[a] - place[labelled[-1]]) > 0.05:
            labelled.append(a)
    return labelled
