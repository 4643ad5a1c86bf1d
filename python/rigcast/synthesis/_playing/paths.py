"""Paths through a latent space: straight, along the data, at constant speed, and away from where little is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.synthesis._playing.playable import PlayedSpace
from rigcast.synthesis._playing.settings import PlaySettings

Float64 = NDArray[np.float64]
STRAIGHTENING = np.convolve(np.full(3, 1 / 3), np.full(3, 1 / 3))  # weights of successive half steps
ROUNDED = (2, 5)  # frames: widths of the two moving averages that round a path, least and most
FARTHEST = 0.3  # of the length scale: radius beyond which a process runs away from its training points
SLOWEST = 0.35  # of the speed, and of the radius, where the density is that of the least dense training point

BETWEEN = 3  # half steps of a path between places whose density is evaluated
BLUR = 3e-3  # of the variance: noise of the frames, at least, in the density
MET = 0.35  # steps: the ball around a pose that idling meets
CACHED_BYTES = 32 << 20  # of shortest paths per label


class Ground:
    """A label's space as paths see it: its step, its predictive density, and shortest paths through its points.

    Attributes
    ----------
    step : float
        Median distance between successive training points.
    ball : float
        Usual radius around a path.
    rounding : (n,) float64
        Weights of successive frames, by which paths set out, arrive and turn.
    field : _core.DensityField
    slow, least : float
        Log densities at the quantiles of the settings, one step from the training points.
    """

    def __init__(self, space: PlayedSpace, settings: PlaySettings, width: int = ROUNDED[1]) -> None:
        self.space, self.settings = space, settings
        self.points = np.ascontiguousarray(space.points, np.float64)
        moves = [np.diff(self.points[s.begin : s.end], axis=0) for s in space.segments]
        lengths = np.linalg.norm(np.concatenate([*moves, np.zeros((0, self.points.shape[1]))]), axis=1)
        extent = float(np.linalg.norm(np.ptp(self.points, axis=0)))
        median = float(np.median(lengths)) if len(lengths) else 0.0
        self.step = max(median, 1e-3 * extent, 1e-9)
        self.ball = min(settings.radius * self.step, FARTHEST * float(space.latent.length))
        self.rounding = np.convolve(np.full(width, 1.0 / width), np.full(width, 1.0 / width))
        self.field = density_field(space.latent)
        axis = np.arange(len(self.points)) % self.points.shape[1]
        near = self.points + self.step * np.eye(self.points.shape[1])[axis]
        density = self.field.evaluate(near, 1)[0]
        self.least, self.slow = np.quantile(density, [settings.least, max(settings.slow, settings.least)])
        self.level = float(np.median(density))
        self._trees: dict[int, tuple[Float64, NDArray[np.int32]]] = {}

    def density(self, x: Float64) -> Float64:
        """(T,) log predictive densities of points (T, D)."""
        return np.asarray(self.field.evaluate(np.ascontiguousarray(x), 1)[0])

    def nearest(self, x: Float64) -> int:
        """Training point nearest to a point (D,)."""
        return int(((self.points - x) ** 2).sum(axis=1).argmin())

    def along_data(self, start: Float64, target: Float64) -> Float64:
        """Shortest path (M, D) in the complete graph of training points, start and target.

        An edge costs ``|x_i - x_j|^p``: short edges, along the clips, are cheaper than one long one (Bailey 2020,
        section 5.5, whose weight ``|x_i - x_j|^-p`` is the closeness that this cost inverts).
        """
        index = self.nearest(target)
        at_point = bool((self.points[index] == target).all())
        tree = self._trees.get(index) if at_point else None
        if tree is None:
            tree = _core.shortest_paths(self.points, target, self.settings.power)
            if at_point:
                self._cache(index, tree)
        cost, following = tree
        edges = (((self.points - start) ** 2).sum(axis=1)) ** (0.5 * self.settings.power)
        first = int((edges + cost).argmin())
        straight = float(((target - start) ** 2).sum()) ** (0.5 * self.settings.power)
        nodes = [start]
        if straight > edges[first] + cost[first]:
            while first >= 0:
                nodes.append(self.points[first])
                first = int(following[first])
        nodes.append(target)
        return np.array(nodes)

    def _cache(self, index: int, tree: tuple[Float64, NDArray[np.int32]]) -> None:
        """Keep the paths to a training point in place of the oldest: of all points, they grow with N^2."""
        most = max(CACHED_BYTES // sum(part.nbytes for part in tree), 1)
        while len(self._trees) >= most:
            self._trees.pop(next(iter(self._trees)))
        self._trees[index] = tree

    def path(self, start: Float64, target: Float64, along: str) -> tuple[Float64, Float64, str]:
        """Points (n + 1, D) per frame, radii (n + 1,), and what the density made of it ("" if nothing)."""
        return self.plan_path(start, [target], along)

    def plan_path(self, start: Float64, targets: Sequence[Float64], along: str) -> tuple[Float64, Float64, str]:
        """As :meth:`path`, through several targets in turn, without a rest at any but the last."""
        nodes, notes = [start[None]], []
        for target in targets:
            way, note = self._way(nodes[-1][-1], target, along)
            nodes.append(way[1:])
            notes.append(note)
        rows, eases = self._timed(np.concatenate(nodes))
        return rows, self.ball * eases, next(filter(None, notes), "")

    def _way(self, start: Float64, target: Float64, along: str) -> tuple[Float64, str]:
        """Nodes (M, D) of a polyline, and what the density made of it."""
        note = ""
        if self.density(target[None])[0] < self.least:
            target, note = self.points[self.nearest(target)], "target moved to the nearest training frame"
        if along == "data":
            return self.along_data(start, target), note
        nodes = np.array([start, target])
        rows = self._timed(nodes)[0]
        inside = np.flatnonzero(self.density(rows[1:-1]) < self.least)
        if not len(inside):
            return nodes, note
        turned = np.concatenate([start[None], self.along_data(rows[int(inside[0])], target)])
        return turned, note or "turned back where the density falls below the data's"

    def radii(self, rows: Float64) -> Float64:
        """(n,) radii of the ball: smaller where the density is low."""
        return self.ball * self._ease(rows)

    def narrowed(self, radii: Float64, share: float) -> Float64:
        """Radii (n,) that end in a ball in which the target is met, and shrink by ``share`` per frame until then."""
        return np.asarray(np.minimum(radii, MET * self.step / share ** np.arange(len(radii))[::-1]))

    def _ease(self, rows: Float64) -> Float64:
        """From 1 where the density is at least that of ``slow`` to SLOWEST at ``least`` and below."""
        width = max(float(self.slow - self.least), 1e-9)
        return np.asarray(np.clip((self.density(rows) - self.least) / width, SLOWEST, 1.0))

    def _timed(self, nodes: Float64) -> tuple[Float64, Float64]:
        """A polyline as one point per frame, and the ease there: constant speed, less where the density is low."""
        lengths = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
        total = float(lengths.sum())
        pace = self.settings.speed * self.step
        if total <= 1e-9 * self.step:
            rows = np.array([nodes[0], nodes[-1]])
            return rows, self._ease(rows)
        halves = max(int(np.ceil(2 * total / pace)), 2)
        ends = np.concatenate([[0.0], np.cumsum(lengths)])
        rows = _straightened(_at(nodes, ends, np.linspace(0.0, total, halves + 1)))
        place = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rows, axis=0), axis=1))])
        known = np.append(np.arange(0, halves, BETWEEN), halves)
        eases = np.interp(np.arange(halves + 1), known, self._ease(rows[known]))
        time = np.concatenate([[0.0], np.cumsum(np.diff(place) / (0.5 * pace * (eases[1:] + eases[:-1])))])
        frames = max(int(np.ceil(time[-1])), 1)
        chosen = np.interp(np.linspace(0.0, time[-1], frames + 1), time, place)
        shown = _rounded(np.column_stack([_at(rows, place, chosen), np.interp(chosen, place, eases)]), self.rounding)
        return shown[:, :-1], shown[:, -1]


def _straightened(rows: Float64) -> Float64:
    """Half steps of a polyline without the zigzag of its nodes, which would cost speed when corners are rounded."""
    count = len(STRAIGHTENING) // 2  # there are more rows, and ends stay where they are
    before, after = 2.0 * rows[0] - rows[count:0:-1], 2.0 * rows[-1] - rows[-2 : -2 - count : -1]
    longer = np.concatenate([before, rows, after])
    return np.stack([np.convolve(column, STRAIGHTENING, mode="valid") for column in longer.T], axis=1)


def rounding_width(features: Sequence[Float64]) -> int:
    """Frames of the two moving averages that let a path turn about half as suddenly as clips do.

    Going back the same way changes the velocity by 2 steps per frame, which the averages of n frames spread so that it
    accelerates by 2 / n. Clips of quick moves turn in a few frames: with wide averages they are played in slow motion.

    Parameters
    ----------
    features : list of (T, R) arrays
        Meshes of each clip (``Synthesizer.mesh_features``).
    """
    moves = [np.diff(rows, axis=0) for rows in features]
    steps = np.concatenate([np.zeros(0), *(np.linalg.norm(move, axis=1) for move in moves)])
    turns = np.concatenate([np.zeros(0), *(np.linalg.norm(np.diff(move, axis=0), axis=1) for move in moves)])
    fastest = float(np.quantile(turns, 0.99)) if len(turns) else 0.0
    if not fastest > 0.0:
        return ROUNDED[1]
    return int(np.clip(np.ceil(4.0 * np.median(steps) / fastest), *ROUNDED))


def _rounded(rows: Float64, weights: Float64) -> Float64:
    """A path that sets out and arrives gently, and takes corners in an arc: a moving average, ends in place."""
    count = len(weights) - 1
    longer = np.concatenate([np.repeat(rows[:1], count, axis=0), rows, np.repeat(rows[-1:], count, axis=0)])
    result = np.stack([np.convolve(column, weights, mode="valid") for column in longer.T], axis=1)
    result[0], result[-1] = rows[0], rows[-1]
    return result


def _at(nodes: Float64, ends: Float64, place: Float64) -> Float64:
    """Points (T, D) of a polyline at arc lengths (T,)."""
    return np.stack([np.interp(place, ends, column) for column in nodes.T], axis=1)


def density_field(latent: object) -> _core.DensityField:
    """The predictive density of a latent space, exact or with inducing points (Snelson & Ghahramani 2006).

    As if frames had a noise of a twentieth of the deviation: what lies beyond that, between a frame and the path near
    it, moves no particle, and the field needs half as many centers, a fourth of the time.
    """
    points, inducing = (getattr(latent, name) for name in ("points", "inducing"))
    variance, length, noise = (float(getattr(latent, name)) for name in ("variance", "length", "noise"))
    if inducing is None or not len(inducing):
        return _core.DensityField(points, variance, length, max(noise, BLUR * variance), BLUR / 3.0)

    def kernel(a: Float64, b: Float64) -> Float64:
        square = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * a @ b.T
        return np.asarray(variance * np.exp(-0.5 * np.maximum(square, 0.0) / length**2))

    own = kernel(inducing, inducing) + 1e-9 * variance * np.eye(len(inducing))
    cross = kernel(inducing, points)
    left = variance + noise - np.einsum("mn,mn->n", cross, np.linalg.solve(own, cross))
    posterior = own + (cross / np.maximum(left, 1e-12 * variance)) @ cross.T
    return _core.DensityField.from_centers(inducing, np.linalg.inv(own) - np.linalg.inv(posterior), variance, length)
