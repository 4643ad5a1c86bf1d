"""Motion graphs (Kovar, Gleicher & Pighin 2002)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from rigcast._core import smooth_shares
from rigcast._shown import one_line
from rigcast._validate import Arguments
from rigcast.baselines._motion.clips import ClipFrames, ClipPlayer
from rigcast.synthesis import Synthesizer

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
JUMPS = 0.15  # chance of a transition where the clip would go on as well


@one_line
class MotionGraph:
    """Frames of clips, joined where the meshes of successive frames are alike; made by :func:`motion_graph`.

    Attributes
    ----------
    transitions : dict from int to list of int
        From the frame that was shown last to the frames that a blend may end at, those of the largest strongly
        connected part alone.
    kept : (T,) bool
        Frames of that part.
    share_pruned : float
        Share of the frames that are not in it.
    threshold : float
        In the rig's unit.
    blend : int
        Frames of a transition.
    """

    def __init__(self, clips: ClipFrames, threshold: float, blend: int) -> None:
        self._clips, self.threshold, self.blend = clips, threshold, blend
        every = _transitions(clips, threshold, blend)
        forward = self._edges(every)
        self.kept = _largest_component(forward)
        self.transitions = {
            i: ends for i, all_ends in every.items() if self.kept[i] and (ends := [j for j in all_ends if self.kept[j]])
        }
        self.share_pruned = float(1.0 - self.kept.mean())

    def _edges(self, transitions: Mapping[int, list[int]]) -> list[list[int]]:
        """Frames that may follow each frame."""
        clip = self._clips.clip
        return [
            ([i + 1] if i + 1 < len(clip) and clip[i + 1] == clip[i] else []) + transitions.get(i, [])
            for i in range(len(clip))
        ]

    def reaches(self, start: str, end: str) -> bool:
        """True if the part that is kept has frames of both labels: then each is reached from the other."""
        labels = self._clips.label[self.kept]
        return all(
            bool((labels == self._clips.label_index("MotionGraph.reaches", name)).any()) for name in (start, end)
        )

    def player(self, seed: int = 0, label: str | None = None) -> GraphPlayer:
        """A random walk.

        Raises
        ------
        ValueError
            If the label has no frame in the graph, or the seed is no whole number of at least 0.
        """
        rows, expected = np.flatnonzero(self.kept), "a label with frames that are kept"
        start, number = self._clips.drawn_row("MotionGraph.player", rows, label, seed, expected)
        return GraphPlayer(self._clips, self, number, start)

    def __repr__(self) -> str:
        count = sum(map(len, self.transitions.values()))
        return (
            f"<rigcast.baselines.MotionGraph: {int(self.kept.sum()):,} of {len(self.kept):,} frames, "
            f"{count:,} transitions, {self.share_pruned:.0%} pruned>"
        )


class GraphPlayer(ClipPlayer):
    """A walk through a motion graph."""

    def __init__(self, clips: ClipFrames, graph: MotionGraph, seed: int, row: int) -> None:
        super().__init__("GraphPlayer", clips, seed, row)
        self._graph = graph
        self._way: deque[int] = deque()

    def idle(self, label: str) -> None:
        """Take the shortest way to a label, and stay there as long as the graph allows."""
        super().idle(label)
        self._way.clear()

    def _advance(self) -> Iterable[Float32]:
        clips, graph, here = self._clips, self._graph, self.row
        if not self._way and clips.label[here] != self._wanted:
            self._way.extend(self._shortest())
        following = self._way.popleft() if self._way else self._choice()
        self.row = following
        if following == here + 1 and clips.clip[following] == clips.clip[here]:
            return [clips.frames[following]]
        before = clips.frames[here + 1 : here + 1 + graph.blend]
        after = clips.frames[following - graph.blend + 1 : following + 1]
        mixed = clips.mixer.clipped(clips.mixer.blended(before, after, smooth_shares(graph.blend)))
        return list(mixed)

    def _choice(self) -> int:
        """The clip's next frame, or a transition, in the wanted label where there is one."""
        here, graph = self.row, self._graph
        ends = graph.transitions.get(here, [])
        inside = [j for j in ends if self._clips.label[j] == self._wanted]
        goes_on = (
            here + 1 < len(graph.kept) and graph.kept[here + 1] and self._clips.clip[here + 1] == self._clips.clip[here]
        )
        if goes_on and (not inside or self._rng.random() > JUMPS):
            return here + 1
        chosen = inside or ends
        return int(chosen[int(self._rng.integers(len(chosen)))])

    def _shortest(self) -> list[int]:
        """Frames of the way with the fewest edges to the wanted label; empty if it was pruned."""
        graph, clips = self._graph, self._clips
        before: dict[int, int] = {self.row: -1}
        queue = deque([self.row])
        while queue:
            here = queue.popleft()
            if clips.label[here] == self._wanted:
                way = []
                while before[here] >= 0:
                    way.append(here)
                    here = before[here]
                return way[::-1]
            on = [here + 1] if here + 1 < len(clips) and clips.clip[here + 1] == clips.clip[here] else []
            for there in [*on, *graph.transitions.get(here, [])]:
                if graph.kept[there] and there not in before:
                    before[there] = here
                    queue.append(there)
        return []


def motion_graph(synth: Synthesizer, *, threshold: float | None = None, blend: int = 12) -> MotionGraph:
    """Motion graph of the clips of a synthesizer (Kovar, Gleicher & Pighin 2002).

    Frames i and j are joined if the meshes of the ``blend`` frames after i and of those up to j are alike: local minima
    of their root mean square distance below the threshold. What does not belong to the largest strongly connected part
    is pruned. Poses are compared as they are: no rigid motion on the floor is fitted, as the source does for walks.

    Parameters
    ----------
    synth : Synthesizer
    threshold : float, optional
        In the rig's unit. Default: the distance that clips move in the frames of a blend, that of the bridges.
    blend : int
        Frames of a transition.

    Returns
    -------
    MotionGraph

    Raises
    ------
    ValueError
        If an argument is not as it must be.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> t = np.linspace(0.0, 12.0, 96)[:, None]
    >>> clip = 0.3 + 0.3 * np.sin(t * np.linspace(0.5, 2.0, face.num_shapes))
    >>> size = {"dimensions": 3, "components": 6, "iterations": 20, "held_out": False}
    >>> synth = rc.synthesis.fit({"happy": [clip]}, rig=face, **size)
    >>> graph = rc.baselines.motion_graph(synth, threshold=1.0)
    >>> 0.0 <= graph.share_pruned < 1.0, graph.player(seed=1).step(24).shape
    (True, (24, 22))
    """
    check = Arguments("motion_graph")
    clips = ClipFrames("motion_graph", synth)
    below = clips.threshold() if threshold is None else check.number("threshold", threshold, above=0.0)
    return MotionGraph(clips, below, check.whole("blend", blend, least=2, most=1000))


def _transitions(clips: ClipFrames, threshold: float, blend: int) -> dict[int, list[int]]:
    """From the frame before a blend to the last frame of a blend."""
    count = len(clips)
    if count <= blend:
        return {}
    distance = window_distances(clips.features, blend)
    i, j = np.arange(count - blend), np.arange(count - blend + 1)
    outside = (clips.clip[i] != clips.clip[i + blend])[:, None] | (clips.clip[j] != clips.clip[j + blend - 1])
    same = clips.clip[i][:, None] == clips.clip[j]
    trivial = same & (np.abs(j - i[:, None] - 1) < blend)
    distance[outside | trivial] = np.inf
    found: dict[int, list[int]] = {}
    for row, column in zip(*np.nonzero((distance < threshold) & _local_minima(distance)), strict=True):
        found.setdefault(int(row), []).append(int(column) + blend - 1)
    return found


def window_distances(features: Float64, window: int) -> Float64:
    """(T - window, T - window + 1) distances of windows of frames: those after frame i, and those from frame j on.

    Root mean square over the frames of the windows, of features (T, R).
    """
    count = len(features)
    square = (features**2).sum(axis=1)
    apart = np.maximum(square[:, None] + square - 2.0 * features @ features.T, 0.0)
    total = np.zeros((count - window, count - window + 1))
    for k in range(window):
        total += apart[1 + k : count - window + 1 + k, k : count - window + 1 + k]
    return np.asarray(np.sqrt(total / window))


def _local_minima(values: Float64) -> NDArray[np.bool_]:
    """Entries that none of their eight neighbors is below."""
    padded = np.pad(values, 1, constant_values=np.inf)
    result = np.isfinite(values)
    for down in (0, 1, 2):
        for right in (0, 1, 2):
            result &= values <= padded[down : down + values.shape[0], right : right + values.shape[1]]
    return result


def _largest_component(forward: list[list[int]]) -> NDArray[np.bool_]:
    """Nodes of the largest strongly connected part with an edge (Tarjan 1972); of equals the first."""
    count = len(forward)
    order, low = np.full(count, -1), np.zeros(count, np.int64)
    waiting: list[int] = []
    best: list[int] = []
    is_waiting, clock = np.zeros(count, bool), 0
    for root in range(count):
        if order[root] >= 0:
            continue
        calls = [(root, 0)]
        while calls:
            node, edge = calls.pop()
            if edge == 0:
                order[node] = low[node] = clock
                clock += 1
                waiting.append(node)
                is_waiting[node] = True
            elif is_waiting[forward[node][edge - 1]]:
                low[node] = min(low[node], low[forward[node][edge - 1]])
            while edge < len(forward[node]) and order[forward[node][edge]] >= 0:
                if is_waiting[forward[node][edge]]:
                    low[node] = min(low[node], order[forward[node][edge]])
                edge += 1
            if edge < len(forward[node]):
                calls += [(node, edge + 1), (forward[node][edge], 0)]
                continue
            if low[node] == order[node]:
                part = _cut(waiting, node)
                del waiting[len(waiting) - len(part) :]
                is_waiting[part] = False
                if len(part) > max(len(best), 1):
                    best = part
    result = np.zeros(count, bool)
    result[best] = True
    return result


def _cut(waiting: list[int], node: int) -> list[int]:
    """The part of the stack from a node up."""
    place = len(waiting) - 1
    while waiting[place] != node:
        place -= 1
    return waiting[place:]
