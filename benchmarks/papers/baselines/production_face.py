"""The share of the production face that simple methods explain: is it worth learning?

    python -m benchmarks.papers.baselines.production_face [--poses 1000] [--data ../shared/data] [--out build/baselines]

Trained on curves x U(.25, 3) in balanced samples, and on uniform samples beside it; judged on rows 0 to 199 of
compskin_face_anim and on two constructed clips that are held out (``sets.py``). The methods are those of
``rc.metrics.difficulty``; all data is kept and resumed. The face is worth learning if the best method misses every
judged clip by 0.3 mm on average, over all vertices, and by 5 mm at worst. ``table.py`` has all baselines.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.systems.baselines.gate import Gates, gates
from benchmarks.systems.baselines.layout import simple_methods
from benchmarks.systems.baselines.sets import ROOT, subject

LEAST_MEAN, LEAST_MAX = 0.3, 5.0  # millimeters that the best simple method must leave
TIMED = 50  # poses


def worth_learning(gate: Gates) -> list[str]:
    """One line per judged clip: what the best method leaves, whichever set it was trained on."""
    lines = []
    for clip in next(iter(gate.values())):
        found = [(title, by_clip[clip]) for title, by_clip in gate.items()]
        title, best = min(found, key=lambda entry: entry[1].best.mean)
        scale = 1e3 * (best.meters_per_unit or 1.0)
        mean, most = scale * best.best.mean, scale * best.best.max
        verdict = "worth learning" if mean >= LEAST_MEAN and most >= LEAST_MAX else "TOO EASY"
        reached = f"{best.best.name} ({title}) misses by {mean:.3f} mm mean, {most:.1f} mm max"
        lines.append(f"{clip}: {verdict}: {reached}; asked for: {LEAST_MEAN:g} and {LEAST_MAX:g} mm at least")
    return lines


def milliseconds(blend: Path, rows: np.ndarray) -> float:
    """Median time of a pose in Blender."""
    with rc.sources.load(blend) as rig:
        return float(1e3 * np.median(rig.time_pose(rows)))


def main() -> None:
    """Print verdicts, notes and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "baselines")
    parser.add_argument("--poses", type=int, default=1000, help="to learn from")
    given = parser.parse_args()
    found = subject("face", given.data, given.out, given.poses)
    gate = gates(found, given.out / "face")
    print(*worth_learning(gate), sep="\n")
    print("", *found.notes, sep="\n")
    training = next(iter(found.training.values()))
    spent = milliseconds(given.out / "face" / "face.blend", training.channels[:TIMED])
    print(
        f"{given.poses:,} poses of {len(training.rest_vertices):,} vertices; {spent:.1f} ms per pose in Blender, ",
        end="",
    )
    print(f"load {os.getloadavg()[0]:.0f}\n")
    print(*simple_methods(gate), sep="\n")


if __name__ == "__main__":
    main()
