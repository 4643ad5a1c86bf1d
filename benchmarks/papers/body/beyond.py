"""Error beyond the range of training against the model's confidence: ``python -m benchmarks.papers.body.beyond [--write]``.

A body learned from random poses inside its limits is judged on poses drawn alike but from ranges 1.25, 1.5 and 2 times
as wide, and on Antonia's motion as captured, most frames of which go beyond a limit. Poses are put together by their
confidence, which the model gives without knowing the rig. Models and sets are kept.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np

from tests.support import trainings
import rigcast as rc
from benchmarks.systems.baselines.sets import ROOT, subject
from benchmarks.systems.body.antonia import antonia
from benchmarks.systems.differential.contenders import Contender, kept
from benchmarks.marks import write_between_marks
from rigcast._timing import machine
from rigcast.sampling import Animation, sample

POSES, STEPS = 3000, 4000
WIDER = (1.0, 1.25, 1.5, 2.0)
COUNT = 200  # poses of each width
BINS = (1.0, 0.99, 0.5, 0.1, 0.0)  # of the confidence, from above; the first one alone
CAPTURED = "motion capture, as captured"


def wide_poses(rig: rc.sources.Rig, factor: float, seed: int) -> np.ndarray:
    """Channel rows of the sampler "normal" for ranges that are wider about their middle."""
    ranges = np.asarray(rig.channel_ranges, np.float64)
    middle, half = ranges.mean(axis=1), 0.5 * factor * np.ptp(ranges, axis=1)
    rng = np.random.default_rng(seed)
    rows = np.clip(rng.normal(size=(COUNT, len(ranges))) / 1.5, -1.0, 1.0)  # a range is 1.5 deviations to each side
    return middle + half * rows


def judged(data: Path, out: Path) -> dict[str, rc.Dataset]:
    """Sets by what they are."""
    sets = {CAPTURED: subject("antonia", data, out, POSES).judged[CAPTURED]}
    rig = antonia(data / "antonia_body")
    for factor in WIDER:
        rows = Animation(wide_poses(rig, factor, seed=int(100 * factor)))
        sets[f"{factor:g} x the ranges"] = sample(rig, out / f"wide-{factor:g}.rwdata", sampler=rows, probe=0)
    return sets


def lines_of(model: rc.Deformer, sets: dict[str, rc.Dataset]) -> list[str]:
    """Two tables: by set, and by confidence over all sets."""
    errors, confidence = {}, {}
    for title, ds in sets.items():
        distance = np.linalg.norm(model.evaluate(ds.poses) - ds.vertices, axis=2)
        errors[title], confidence[title] = 1e3 * ds.meters_per_unit * distance, model.confidence(ds.poses)
    lines = ["| poses | median confidence | mean, p99, max, mm |", "| --- | --- | --- |"]
    for title, own in errors.items():
        lines.append(f"| {title} | {np.median(confidence[title]):.3f} | {cells(own)} |")
    lines += ["", "| confidence | poses | mean, p99, max, mm |", "| --- | --- | --- |"]
    every, sure = np.concatenate(list(errors.values())), np.concatenate(list(confidence.values()))
    for high, low in [(1.0, 1.0), *itertools.pairwise(BINS)]:
        inside = sure >= 1.0 if low == 1.0 else (sure < high) & (sure >= low)
        title = "1" if low == 1.0 else f"{low:g} to {high:g}"
        lines.append(f"| {title} | {inside.sum()} | {cells(every[inside]) if inside.any() else ''} |")
    ranks = [np.argsort(np.argsort(values)) for values in (-sure, every.mean(axis=1))]
    return [*lines, "", f"Rank correlation of 1 - confidence and mean error: {np.corrcoef(ranks)[0, 1]:.2f}."]


def cells(errors: np.ndarray) -> str:
    return f"{errors.mean():.3f}, {np.quantile(errors, 0.99):.2f}, {errors.max():.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "body", help="folder of sets and models")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/benchmarks")
    given = parser.parse_args()
    training = subject("antonia", given.data, given.out, POSES).training["random poses"]
    options = {"steps": STEPS, "patience": 1_000_000}
    model = kept(Contender("learned body", trainings.body, options, {}), training, given.out).model
    about = f"Antonia, learned from {POSES:,} random poses in {STEPS:,} steps; {machine()}."
    text = "\n".join([*lines_of(model, judged(given.data, given.out)), "", about])
    print(text)
    if given.write:
        write_between_marks("bodies beyond their range", text)


if __name__ == "__main__":
    main()
