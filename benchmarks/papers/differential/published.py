"""The recipe of Song et al. 2020 trained for all of its epochs on a small face, beside what their tables compare it to.

    python -m benchmarks.papers.differential.published [--data ../shared/data] [--kept build/papers_differential]
        [--poses 1280] [--hidden 512] [--write]

What is learned is the recipe "paper" of ``rc.training.differential``, 10,000 epochs without an early stop, on one
thread. The paper's own poses and layers are ``--poses 9800 --hidden 2048``: about 15 hours of one core. Ctrl-C and a
kill lose some seconds: the same command goes on. Data sets, models and figures are kept, and ``--write`` writes
docs/benchmarks/experiments/faces/published_differential.md from them.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import rigcast as rc
from benchmarks.papers.differential.small_face import Sets, sets
from rigcast._resume.fingerprints import fingerprint

ROOT = Path(__file__).resolve().parents[3]
EPOCHS = 10_000  # of the paper
NO_STOP = 1000  # evaluations, more than there are


def trained(found: Sets, out: Path, settings: rc.training.DifferentialSettings, epochs: int = EPOCHS) -> rc.Deformer:
    """The model of some settings, which an earlier run has finished or begun, or a new one."""
    training = len(found.training) - round(settings.holdout * len(found.training))
    steps = epochs * (training // settings.batch)
    mark = fingerprint(found.training.hash, asdict(settings), steps)[:12]
    path = out / f"{settings.recipe}-{settings.hidden}-{mark}.safetensors"
    if not path.exists():
        print(f"{path.name}: {steps:,} steps on {training:,} poses", flush=True)
        rc.training.differential(
            found.training, settings, steps=steps, threads=1, checkpoint=Path(f"{path}.checkpoint"), progress=say
        ).save(path)
    model: rc.Deformer = rc.load(path)
    return model


def published(hidden: int, **others: Any) -> rc.training.DifferentialSettings:
    """The recipe "paper" without an early stop, with layers of another width."""
    return rc.training.DifferentialSettings(recipe="paper", hidden=hidden, patience=NO_STOP, **others)


def say(progress: rc.progress.Progress) -> None:
    """Print what a training says."""
    if progress.message:
        print(f"  {progress.stage} {progress.done:.0%}: {progress.message}", flush=True)


def main() -> None:
    """Train, or go on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "papers_differential")
    parser.add_argument("--poses", type=int, default=1280, help="learned from (default 1280)")
    parser.add_argument("--hidden", type=int, default=512, help="width of the five layers (default 512)")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found = sets(given.data, given.kept, given.poses)
    trained(found, given.kept, published(given.hidden))


if __name__ == "__main__":
    main()
