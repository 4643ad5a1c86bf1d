"""Latent spaces with the settings of Bailey 2020, chapter 5, beside ours.

    python -m benchmarks.papers.synthesis.published_settings [--data ../shared/data] [--transitions 200] [--write]

The ICT face with combinations, by the curves of compskin_face_anim (``benchmarks/systems/synthesis/face.py``), without
the labels of the eyes, which the paper leaves out, too. Published: three dimensions, components for 85 % of the variance, one scaling per label, points matched in
principal components (equations 5.13 to 5.15), blended transitions, scaled conjugate gradients or L-BFGS. Each row has
the same clips, 200 iterations, seed 0, and the same held-out frames; all changes between the first row and the last are
made one after another. Blocks of 12 frames, every fifth, are held out; distances are root mean squares over the
vertices, in millimeters. Transitions are random ones (seed 0); their limit is the 99th percentile of the clips' own
mesh acceleration.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.synthesis.face import CUTS, ict, labelled_clips
from benchmarks.systems.synthesis.judged import accelerations, transition
from rigcast._timing import load_average, machine

ROOT = Path(__file__).resolve().parents[3]
HEAD = (
    "| settings | components | held-out frames: distance | as many components | nearest frame "
    "| pairs of labels that match | closest pair, median | transitions within the limit, frames above |"
    f"\n|{' --- |' * 8}"
)


@dataclass(frozen=True)
class Recipe:
    """A row of the table."""

    title: str
    dimensions: int | None = 3
    components: float | None = 0.85
    settings: rc.synthesis.FitSettings = rc.synthesis.FitSettings()  # noqa: RUF009 - immutable
    transitions: str = "inertialize"


OURS = Recipe("ours: dimensions and components by held-out frames", None, None)
SHARE = Recipe("three dimensions, 85 % of the variance")
SCALED = replace(SHARE, title="and one scaling per label", settings=rc.synthesis.FitSettings(scaling="label"))
MATCHED = replace(
    SCALED,
    title="and matched in components, blended: as published, by L-BFGS",
    settings=rc.synthesis.FitSettings(scaling="label", matching="components"),
    transitions="blend",
)
PUBLISHED = replace(
    MATCHED,
    title="as published, by scaled conjugate gradients",
    settings=rc.synthesis.FitSettings.published(),
)
RECIPES = (OURS, SHARE, SCALED, MATCHED, PUBLISHED)


def held_out(synth: rc.synthesis.Synthesizer) -> list[float]:
    """Means over all held-out frames: of the latent spaces, of as many components, of the nearest frame."""
    found = [space.held_out for space in synth.spaces.values() if space.held_out is not None]
    frames = [figures.frames for figures in found]
    values = [(figures.latent, figures.principal[figures.dimensions], figures.nearest) for figures in found]
    return np.average(np.array(values), axis=0, weights=frames).tolist()


def judged_transitions(synth: rc.synthesis.Synthesizer, way: str, count: int) -> tuple[float, float]:
    """Shares of transitions with the peak within the limit, and of frames above it."""
    clips = [np.asarray(space.frames[s.begin : s.end]) for space in synth.spaces.values() for s in space.segments]
    limit = float(np.quantile(np.concatenate([accelerations(synth, clip) for clip in clips]), 0.99))
    rng, peaks, above = np.random.default_rng(0), [], []
    for seed in range(count):
        start, end = (synth.labels[i] for i in rng.choice(len(synth.labels), 2, replace=False))
        player = synth.player(seed, label=start, settings=rc.synthesis.PlaySettings(transitions=way, threads=1))
        player.idle(start)
        player.step(int(rng.integers(24, 120)))
        rows = transition(player, end)
        own = accelerations(synth, rows) if rows is not None else np.array([np.inf])
        peaks.append(own.max() <= limit)
        above.extend(own > limit)
    return float(np.mean(peaks)), float(np.mean(above))


def row(recipe: Recipe, clips: dict[str, Any], rig: rc.BlendshapeRig, count: int) -> str:
    """Markdown of one recipe."""
    start = time.process_time()
    synth = rc.synthesis.fit(
        clips,
        rig=rig,
        dimensions=recipe.dimensions,
        components=recipe.components,
        settings=recipe.settings,
        threads=1,
    )
    print(f"{recipe.title}: {time.process_time() - start:.0f} s of one processor", flush=True)
    components = sorted(space.num_components for space in synth.spaces.values())
    pairs = list(combinations(synth.labels, 2))
    within = [pair for pair in pairs if pair in synth.bridges and synth.bridges[pair].within]
    closest = [float(synth.bridges[pair].distances[0]) for pair in within]
    latent, principal, nearest = held_out(synth)
    inside, above = judged_transitions(synth, recipe.transitions, count)
    cells = [
        recipe.title,
        f"{components[0]} to {components[-1]}",
        f"{latent:.3f}",
        f"{principal:.3f}",
        f"{nearest:.3f}",
        f"{len(within)} of {len(pairs)} within {synth.threshold:.2f}",
        f"{np.median(closest):.3f}" if closest else "",
        f"{100 * inside:.0f} % of {count}, {100 * above:.2f} %",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--transitions", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks/experiments/latent_face.md")
    options = parser.parse_args()
    cuts = json.loads(CUTS.read_text())
    lines = [HEAD]
    with ict(options.data, ROOT / "build") as (rig, rows, names, rest):
        clips = labelled_clips(rows, names, rest, cuts)
        clips = {label: own for label, own in clips.items() if label not in cuts["of the eyes"]}
        for recipe in RECIPES:
            lines.append(row(recipe, clips, rig, options.transitions))
            print(lines[-1], load_average(), flush=True)
    frames = sum(len(clip) for own in clips.values() for clip in own)
    text = "\n".join([*lines, "", f"{len(clips)} labels, {frames:,} frames at {cuts['fps']} per second. {machine()}."])
    if options.write:
        write_between_marks("published synthesis", text)


if __name__ == "__main__":
    main()
