"""Judges what synthesizers play: transitions, idling, limits, and speed, beside motion graphs and their kin.

    python -m benchmarks.synthesis.playing SYNTH.safetensors [...] [--transitions 200] [--minutes 10]

Figures are printed beside their goals. Accelerations are those of the linearized mesh; the limit is the clips' 99th
percentile. Seconds are processor seconds of one thread, medians of ten runs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigwright as rw
from rigwright import _core
from rigwright._bench.timing import load_average, machine

Rows = NDArray[np.float32]
AFTER = 36  # frames after a command in which a transition is judged, beside those before it ends
RUNS = 10


def accelerations(synth: rw.synthesis.Synthesizer, controls: Rows) -> NDArray[np.float64]:
    """(T - 2,) mesh accelerations in units per frame squared."""
    return np.asarray(np.linalg.norm(np.diff(synth.mesh_features(controls), 2, axis=0), axis=1))


def clips_of(synth: rw.synthesis.Synthesizer) -> list[Rows]:
    """Frames of each clip."""
    spaces = synth.spaces.values()
    return [np.asarray(space.frames[s.begin : s.end]) for space in spaces for s in space.segments]


def ours(synth: rw.synthesis.Synthesizer, way: str) -> Callable[[int, str], Any]:
    """Players that idle at a label."""

    def made(seed: int, label: str) -> Any:
        player = synth.player(seed, label=label, transitions=way)
        player.idle(label)
        return player

    return made


def players(synth: rw.synthesis.Synthesizer) -> dict[str, Callable[[int, str], Any]]:
    """Makers of players by name; those of a graph only for labels that it kept."""
    graph, matching = rw.baselines.motion_graph(synth), rw.baselines.motion_matching(synth)
    print(f"  {graph}\n  {matching}")
    reached = [(a, b) for a in synth.labels for b in synth.labels if a != b and graph.reaches(a, b)]
    count = len(synth.labels) * (len(synth.labels) - 1)
    ways = [synth.route(a, b) for a in synth.labels for b in synth.labels if a != b]
    print(f"  ordered pairs reached: ours {len(ways)} of {count}, {sum(len(w) > 2 for w in ways)} through others; "
          f"graph {len(reached)} of {count}")  # fmt: skip
    kept = {label for pair in reached for label in pair}

    def walk(seed: int, label: str) -> Any:
        return graph.player(seed, label) if label in kept else None

    return {
        "inertialized": ours(synth, "inertialize"),
        "blended": ours(synth, "blend"),
        "motion graph": walk,
        "motion matching": matching.player,
        "cross-fades": lambda seed, label: rw.baselines.cross_fade(synth, seed, label=label),
    }


def transition(player: Any, end: str) -> Rows | None:
    """Frames around the arrival at a label; None if it is never reached."""
    player.transition(end)
    rows = [player.step(1)]
    for _ in range(1500):
        if player.label == end:
            rows.append(player.step(AFTER))
            return np.concatenate(rows)[-2 * AFTER :]
        rows.append(player.step(1))
    return None


def compare_transitions(synth: rw.synthesis.Synthesizer, count: int) -> None:
    """Random transitions of each player."""
    limit = float(np.quantile(np.concatenate([accelerations(synth, clip) for clip in clips_of(synth)]), 0.99))
    for name, make in players(synth).items():
        rng = np.random.default_rng(0)
        within, missed, violations, frames = 0, 0, 0, 0
        for seed in range(count):
            start, end = (synth.labels[i] for i in rng.choice(len(synth.labels), 2, replace=False))
            player = make(seed, start)
            rows = None
            if player is not None:
                player.step(int(rng.integers(24, 120)))
                rows = transition(player, end)
            if rows is None:
                missed += 1
                continue
            own = accelerations(synth, rows)
            within += bool(own.max() <= limit)
            violations, frames = violations + int((own > limit).sum()), frames + len(own)
        made = count - missed
        if not made:
            print(f"  {name}: none of {count} transitions arrived")
            continue
        goal = " (goal: 95 %, and fewer violations than the graph)" if name == "inertialized" else ""
        print(f"  {name}: peak within the limit in {100 * within / made:.1f} % of {made} transitions, "
              f"{100 * violations / max(frames, 1):.2f} % of frames above, {missed} never arrived{goal}")  # fmt: skip


def compare_idling(synth: rw.synthesis.Synthesizer, minutes: float) -> None:
    """Ten minutes of idling at each label, by each control."""
    for label in synth.labels:
        player = synth.player(1, label=label)
        player.idle(label, hold=0.3)
        controls = player.render(60.0 * minutes)
        space = synth.space(label)
        own, frames = synth.mesh_features(controls), synth.mesh_features(space.frames)
        steps = np.concatenate(
            [np.linalg.norm(np.diff(frames[s.begin : s.end], axis=0), axis=1) for s in space.segments]
        )
        rebuilt = synth.mesh_features(space.controls(space.points))
        nearest = np.array([np.linalg.norm(own - row, axis=1).min() for row in frames])
        again = np.array([np.linalg.norm(own - row, axis=1).min() for row in rebuilt])
        centered = own - own.mean(axis=0)
        power = float((centered**2).sum())
        late = max(abs(float((centered[lag:] * centered[:-lag]).sum())) / power for lag in range(48, 2400, 5))
        outside = int(((controls < synth.limits[:, 0]) | (controls > synth.limits[:, 1])).sum())
        density = np.array([e.variance for e in player.events if e.kind == "second"])
        step = float(np.median(steps))
        print(f"  {label}: {100 * (nearest <= step).mean():.0f} % of the clips' frames met within the median step "
              f"(goal 90 %), {100 * (again <= step).mean():.0f} % of them as the space rebuilds them; autocorrelation "
              f"beyond 2 s {late:.2f} (goal .5); {outside} numbers outside the limits; median variance "
              f"{np.median(density):.2g}, worst {density.max():.2g}")  # fmt: skip


def processor_seconds(work: Callable[[], object]) -> float:
    """Median of RUNS calls."""
    found = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return float(np.median(found))


def measure_speed(synth: rw.synthesis.Synthesizer, characters: int) -> None:
    """One player, a crowd, and one particle."""
    player = synth.player(1)
    player.idle(synth.labels[0])
    player.step(240)
    frame = processor_seconds(lambda: player.step(24)) / 24
    crowd = synth.crowd(characters, seed=1, threads=1)
    for place, label in enumerate(synth.labels):
        crowd.idle(label, who=np.arange(place, characters, len(synth.labels)))
    count = max(round(synth.fps), 1)
    crowd.step(2 * count)
    second = processor_seconds(lambda: crowd.step(count))
    print(f"  one player: {1e6 * frame:.0f} microseconds per frame")
    print(f"  {characters} characters: {second:.2f} processor seconds per second of all (goal 2.00 on two processors)")
    space = max(synth.spaces.values(), key=len)
    latent = space.latent
    field = _core.DensityField(latent.points, latent.variance, latent.length, latent.noise)
    x = np.repeat(np.asarray(space.points), 8, axis=0)[:4000]
    fast = processor_seconds(lambda: field.evaluate(x, 1)) / len(x)
    exact = processor_seconds(lambda: (latent.predictive_variance(x), latent.variance_gradient(x))) / len(x)
    print(f"  variance and gradient of a point among {len(space)}: {1e6 * fast:.2f} microseconds "
          f"by {field.num_centers} centers, {1e6 * exact:.2f} by all points")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("synths", nargs="+", type=Path)
    parser.add_argument("--transitions", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--characters", type=int, default=1000)
    arguments = parser.parse_args()
    print(machine(), load_average())
    for path in arguments.synths:
        synth = rw.synthesis.load(path)
        print(f"{path.name}: {synth}")
        compare_transitions(synth, arguments.transitions)
        compare_idling(synth, arguments.minutes)
        measure_speed(synth, arguments.characters)


if __name__ == "__main__":
    main()
