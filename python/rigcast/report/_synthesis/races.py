"""Transitions of a synthesizer's players and of other players, measured alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import baselines
from rigcast.progress import Progress, ProgressCallback
from rigcast.synthesis import Synthesizer

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

SIDE = 36  # frames before and after the arrival at a label
PATIENCE = 1500  # frames after which a label counts as not reached
WARM = (24, 120)  # frames of idling before a transition
OURS, GRAPH, MATCHING, FADES = "latent spaces", "motion graph", "motion matching", "cross-fades"


@dataclass(frozen=True, eq=False)
class Arrival:
    """Frames around a transition: controls (2 SIDE, N) with the arrival in the middle."""

    start: str
    end: str
    controls: Float32
    acceleration: Float64  # (2 SIDE - 2,) of the mesh, in millimeters per frame squared

    @property
    def peak(self) -> float:
        """The largest acceleration."""
        return float(self.acceleration.max())


@dataclass(frozen=True, eq=False)
class Runner:
    """One kind of player: the transitions that it made, in the order of the draw; None where it never arrived."""

    name: str
    arrivals: list[Arrival | None]

    @property
    def made(self) -> list[Arrival]:
        """Those that arrived."""
        return [arrival for arrival in self.arrivals if arrival is not None]

    def share_within(self, limit: float) -> float:
        """Of the transitions that arrived, the share whose peak is within a limit."""
        return float(np.mean([arrival.peak <= limit for arrival in self.made])) if self.made else 0.0

    def share_above(self, limit: float) -> float:
        """Of all frames, the share above a limit."""
        return float(np.mean([arrival.acceleration > limit for arrival in self.made])) if self.made else 0.0


@dataclass(frozen=True, eq=False)
class Races:
    """The same random transitions of several players, the synthesizer's first."""

    runners: list[Runner]
    limit: float  # the clips' own 99th percentile, in millimeters per frame squared
    share_pruned: float  # of the clips' frames, by the motion graph

    def typical(self) -> int:
        """The transition whose own peak is the median among those that most players made."""
        made = [sum(runner.arrivals[i] is not None for runner in self.runners) for i in range(self.count)]
        usable = [i for i in range(self.count) if made[i] == max(made) and self.runners[0].arrivals[i] is not None]
        return sorted(usable, key=self._own_peak)[len(usable) // 2]

    @property
    def count(self) -> int:
        """Number of transitions."""
        return len(self.runners[0].arrivals)

    def _own_peak(self, index: int) -> float:
        arrival = self.runners[0].arrivals[index]
        return -1.0 if arrival is None else arrival.peak


def accelerations(synth: Synthesizer, controls: Float32) -> Float64:
    """(T - 2,) accelerations of the linearized mesh in millimeters per frame squared."""
    features = synth.mesh_features(controls)
    return np.asarray(1e3 * synth.meters_per_unit * np.linalg.norm(np.diff(features, 2, axis=0), axis=1))


def clip_limit(synth: Synthesizer) -> float:
    """The 99th percentile of the accelerations of all clips."""
    rows = [space.frames[s.begin : s.end] for space in synth.spaces.values() for s in space.segments]
    found = [accelerations(synth, clip) for clip in rows if len(clip) > 2]
    return float(np.quantile(np.concatenate(found), 0.99)) if found else 0.0


def race(synth: Synthesizer, count: int, progress: ProgressCallback) -> Races | None:
    """Random transitions between labels, the same for each player; None with a single label."""
    if len(synth.labels) < 2 or count < 1:
        return None
    graph = baselines.motion_graph(synth)
    makers = _makers(synth, graph)
    runners = []
    for done, (name, make) in enumerate(makers.items()):
        progress(Progress("comparing transitions", done, len(makers), name))
        runners.append(Runner(name, _arrivals(synth, make, count)))
    progress(Progress("comparing transitions", len(makers), len(makers)))
    return Races(runners, clip_limit(synth), graph.share_pruned) if runners[0].made else None


def _makers(synth: Synthesizer, graph: baselines.MotionGraph) -> dict[str, Callable[[int, str], Any]]:
    """Functions that make a player of a seed that is at a label; None where there can be none."""

    def ours(seed: int, label: str) -> Any:
        player = synth.player(seed, label=label)
        player.idle(label)
        return player

    def walk(seed: int, label: str) -> Any:
        return graph.player(seed, label) if graph.reaches(label, label) else None

    def fade(seed: int, label: str) -> Any:
        return baselines.cross_fade(synth, seed, label=label)

    makers: dict[str, Callable[[int, str], Any]] = {OURS: ours, GRAPH: walk, FADES: fade}
    try:
        matching = baselines.motion_matching(synth)
    except ValueError:  # all clips are shorter than its interval
        return makers
    clips_of = {label: max(len(s) for s in synth.space(label).segments) for label in synth.labels}

    def match(seed: int, label: str) -> Any:
        return matching.player(seed, label) if clips_of[label] > matching.every else None

    return {OURS: ours, GRAPH: walk, MATCHING: match, FADES: fade}


def _arrivals(synth: Synthesizer, make: Callable[[int, str], Any], count: int) -> list[Arrival | None]:
    rng = np.random.default_rng(0)
    found: list[Arrival | None] = []
    for seed in range(count):
        start, end = (synth.labels[i] for i in rng.choice(len(synth.labels), 2, replace=False))
        warm = int(rng.integers(*WARM))
        player = make(seed, start)
        found.append(None if player is None else _arrival(synth, player, start, end, warm))
    return found


def _arrival(synth: Synthesizer, player: Any, start: str, end: str, warm: int) -> Arrival | None:
    rows = [player.step(max(warm, SIDE))]
    player.transition(end)
    for _ in range(PATIENCE):
        rows.append(player.step(1))
        if player.label == end:
            controls = np.concatenate([*rows, player.step(SIDE - 1)])[-2 * SIDE :]
            return Arrival(start, end, controls, accelerations(synth, controls))
    return None
