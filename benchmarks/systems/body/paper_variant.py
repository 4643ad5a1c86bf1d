"""Trains the method after Bailey et al. 2018 on the demo's poses.

    python -m benchmarks.systems.body.paper_variant

After ``./run demo --full``: it learns from the same random poses as the demo's model, and its errors on the held-out
poses and on the walk stand beside that model's in ``benchmarks/systems/body/readme.py``. What is trained already is
re-used.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import rigcast as rc
from rigcast import training
from rigcast.cli._console import Console

ROOT = Path(__file__).resolve().parents[3]
PAPER = training.BodySettings(method="paper")
NAME, FILE, MINUTES = "paper's variant", "paper-variant.safetensors", 1.5


def trained(demo: Path, minutes: float = MINUTES) -> rc.Deformer:
    """The model, trained on the demo's training set unless the file is that already."""
    path, learned = demo / FILE, rc.Dataset(min(demo.glob("training-*.rwdata")))
    if path.exists():
        metadata = rc.load(path).metadata
        if (metadata["data_hash"], metadata["training"]["minutes"]) == (learned.hash, minutes):
            return rc.load(path)
    with Console().progress() as progress:
        model = training.body(learned, PAPER, minutes=minutes, progress=progress)
    model.save(path)
    return rc.load(path)


def accuracy(demo: Path, model: rc.Deformer) -> dict[str, dict[str, float]]:
    """Mean and largest error in millimeters on the held-out random poses and on the walk, as the report has them."""
    figures = {}
    for title, pattern in (("random poses", "held-out-*.rwdata"), ("animation", "walk-*.rwdata")):
        data = rc.Dataset(min(demo.glob(pattern)))
        error = rc.metrics.vertex_error(data.vertices, model.evaluate(data.poses))
        unit = 1000.0 * model.meters_per_unit
        figures[title] = {"mean_mm": unit * error.mean, "max_mm": unit * error.max}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", type=Path, default=ROOT / "demo", help="the folder that ./run demo made")
    parser.add_argument("--minutes", type=float, default=MINUTES)
    arguments = parser.parse_args()
    for title, errors in accuracy(arguments.demo, trained(arguments.demo, arguments.minutes)).items():
        print(f"{NAME}, {title}: mean {errors['mean_mm']:.3f} mm, largest {errors['max_mm']:.1f} mm")


if __name__ == "__main__":
    main()
