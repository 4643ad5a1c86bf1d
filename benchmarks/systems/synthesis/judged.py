"""Measures of players: transitions compared with motion graphs and their kin, idling, limits and speed."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast import _core
from rigcast.synthesis import Synthesizer

Rows = NDArray[np.float32]
Figures = dict[str, Any]
AFTER = 36  # frames after a command in which a transition is judged, beside those before it ends
PATIENCE = 1500  # frames
HOLD = 0.3  # seconds at each pose where coverage is measured
RUNS = 10


def accelerations(synth: Synthesizer, controls: Rows) -> NDArray[np.float64]:
    """(T - 2,) mesh accelerations in units per frame squared."""
    return np.asarray(np.linalg.norm(np.diff(synth.mesh_features(controls), 2, axis=0), axis=1))


def players(synth: Synthesizer, graph: rc.baselines.MotionGraph) -> dict[str, Callable[[int, str], Any]]:
    """Makers of players by name; those of a graph only for labels that it kept, else None."""
    matching = rc.baselines.motion_matching(synth)

    def ours(way: str) -> Callable[[int, str], Any]:
        def made(seed: int, label: str) -> Any:
            player = synth.player(seed, label=label, settings=rc.synthesis.PlaySettings(transitions=way))
            player.idle(label)
            return player

        return made

    def walk(seed: int, label: str) -> Any:
        return graph.player(seed, label) if graph.reaches(label, label) else None

    def fade(seed: int, label: str) -> Any:
        return rc.baselines.cross_fade(synth, seed, label=label)

    return {
        "latent spaces, inertialized": ours("inertialize"),
        "latent spaces, blended": ours("blend"),
        "motion graph": walk,
        "motion matching": matching.player,
        "cross-fades": fade,
    }


def transition(player: Any, end: str) -> Rows | None:
    """Frames around the arrival at a label; None if it is never reached."""
    player.transition(end)
    rows = [player.step(1)]
    for _ in range(PATIENCE):
        if player.label == end:
            rows.append(player.step(AFTER))
            return np.concatenate(rows)[-2 * AFTER :]
        rows.append(player.step(1))
    return None


def judge_transitions(synth: Synthesizer, count: int) -> Figures:
    """Random transitions of each player: share with the peak within the clips' 99th percentile, frames above it."""
    clips = [space.frames[s.begin : s.end] for space in synth.spaces.values() for s in space.segments]
    limit = float(np.quantile(np.concatenate([accelerations(synth, np.asarray(clip)) for clip in clips]), 0.99))
    graph = rc.baselines.motion_graph(synth)
    pairs = list(permutations(synth.labels, 2))
    found: Figures = {
        "pairs": len(pairs),
        "through others": sum(len(synth.route(a, b)) > 2 for a, b in pairs),
        "pairs of the graph": sum(graph.reaches(a, b) for a, b in pairs),
        "pruned": graph.share_pruned,
        "players": {},
    }
    for name, make in players(synth, graph).items():
        rng = np.random.default_rng(0)
        within = made = above = frames = 0
        for seed in range(count):
            start, end = (synth.labels[i] for i in rng.choice(len(synth.labels), 2, replace=False))
            player, warm = make(seed, start), int(rng.integers(24, 120))
            if player is None:
                continue
            player.step(warm)
            rows = transition(player, end)
            if rows is None:
                continue
            own = accelerations(synth, rows)
            made, within, above = made + 1, within + bool(own.max() <= limit), above + int((own > limit).sum())
            frames += len(own)
        found["players"][name] = {"made": made, "within": within, "above": above / max(frames, 1)}
    return found


def judge_idling(synth: Synthesizer, minutes: float) -> dict[str, Figures]:
    """Idling at each label: coverage, speed, autocorrelation, numbers outside the limits."""
    found = {}
    for label in synth.labels:
        space = synth.space(label)
        frames = synth.mesh_features(space.frames)
        moves = [np.linalg.norm(np.diff(frames[s.begin : s.end], axis=0), axis=1) for s in space.segments]
        step = float(np.median(np.concatenate(moves)))
        player = synth.player(1, label=label)
        player.idle(label, hold=HOLD)
        controls = player.render(60.0 * minutes)
        own = synth.mesh_features(controls)
        usual = synth.player(2, label=label)
        usual.idle(label)
        speed = np.linalg.norm(np.diff(synth.mesh_features(usual.render(60.0)), axis=0), axis=1)
        rebuilt = synth.mesh_features(space.controls(space.points))
        density = np.array([event.variance for event in player.events if event.kind == "second"])
        found[label] = {
            "met": float((_nearest(frames, own) <= step).mean()),
            "met as rebuilt": float((_nearest(rebuilt, own) <= step).mean()),
            "rebuilt within a step": float((np.linalg.norm(rebuilt - frames, axis=1) <= step).mean()),
            "step": 1e3 * synth.meters_per_unit * step,
            "speed": float(np.median(speed)) / step,
            "late": _autocorrelation(own),
            "outside": int(((controls < synth.limits[:, 0]) | (controls > synth.limits[:, 1])).sum()),
            "variance": [float(np.median(density)), float(density.max())],
        }
    return found


def _nearest(rows: NDArray[np.float64], played: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance of each row to the nearest that was played."""
    square = (played**2).sum(axis=1)
    return np.sqrt([max(float((square - 2.0 * (played @ row)).min() + row @ row), 0.0) for row in rows])


def _autocorrelation(features: NDArray[np.float64]) -> float:
    """Largest beyond 2 seconds (48 frames)."""
    centered = features - features.mean(axis=0)
    power = float((centered**2).sum())
    return max(abs(float((centered[lag:] * centered[:-lag]).sum())) / power for lag in range(48, 2400, 5))


def processor_seconds(work: Callable[[], object]) -> float:
    """Median of RUNS calls."""
    found = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return float(np.median(found))


def _slow_step(synth: Synthesizer) -> float:
    """99th percentile of a minute's single steps, with another label every two seconds."""
    player, rng, found = synth.player(3), np.random.default_rng(3), []
    for frame in range(round(60 * synth.fps)):
        start = time.process_time()
        if frame % max(round(2 * synth.fps), 1) == 0:
            player.idle(synth.labels[int(rng.integers(len(synth.labels)))])
        player.step(1)
        found.append(time.process_time() - start)
    return float(np.quantile(found, 0.99))


def judge_speed(synth: Synthesizer, characters: int) -> Figures:
    """Processor seconds of one thread: a frame of one player, a second of a crowd, a point of the density."""
    player = synth.player(1)
    player.idle(synth.labels[0])
    player.step(240)
    crowd = synth.crowd(characters, seed=1, settings=rc.synthesis.PlaySettings(threads=1))
    for place, label in enumerate(synth.labels):
        crowd.idle(label, who=np.arange(place, characters, len(synth.labels)))
    second = max(round(synth.fps), 1)
    crowd.step(2 * second)
    space = max(synth.spaces.values(), key=len)
    latent = space.latent
    field = _core.DensityField(latent.points, latent.variance, latent.length, latent.noise)
    x = np.repeat(np.asarray(space.points), 8, axis=0)[:4000]
    return {
        "frame": processor_seconds(lambda: player.step(24)) / 24,
        "slow step": _slow_step(synth),
        "characters": characters,
        "second": processor_seconds(lambda: crowd.step(second)),
        "point": processor_seconds(lambda: field.evaluate(x, 1)) / len(x),
        "centers": [field.num_centers, len(space)],
    }
