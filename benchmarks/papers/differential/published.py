"""The recipe of Song et al. 2020 trained for all of its epochs on a small face, beside what their tables compare it to.

    python -m benchmarks.papers.differential.published [--data ../shared/data] [--kept build/papers_differential]
        [--poses 1280] [--hidden 512] [--small] [--write]

What is learned is the recipe "paper" of ``rc.training.differential``, 10,000 epochs without an early stop, on one
thread: 100,000 steps, an hour of a core that nobody shares. The paper's own poses and layers are ``--poses 9800
--hidden 2048``: 760,000 steps, more than a day. Ctrl-C and a kill lose some seconds: the same command goes on. Data
sets and models are kept. ``--write`` writes the tables into docs/benchmarks/experiments/faces.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.papers.differential import tables
from benchmarks.papers.differential.small_face import Sets, sets
from rigcast._resume.fingerprints import fingerprint
from rigcast._timing import machine

ROOT = Path(__file__).resolve().parents[3]
EPOCHS = 10_000  # of the paper
OURS_EPOCHS, SMALL_EPOCHS = 1000, 2
FIGURE_EPOCHS, FIGURE_HIDDEN = 500, 256  # of figure 5, whose models differ in the number of components alone
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


def pages(found: Sets, given: argparse.Namespace) -> str:
    """All tables, as they stand on the page."""
    epochs = SMALL_EPOCHS if given.small else EPOCHS
    model = trained(found, given.kept, published(given.hidden), epochs)
    ours = trained(found, given.kept, rc.training.DifferentialSettings(), SMALL_EPOCHS if given.small else OURS_EPOCHS)
    height = 100.0 * float(found.rig.meters_per_unit) * float(np.ptp(np.asarray(found.rig.rest_vertices)[:, 1]))
    methods = {
        f"their recipe, {given.hidden} units": tables.errors_of(lambda x, truth: model.evaluate(x), found),
        "our recipe": tables.errors_of(lambda x, truth: ours.evaluate(x), found),
        **{name: tables.errors_of(answer, found) for name, answer in tables.rivals(found).items()},
    }
    told = model.metadata["training"]
    made = f"{given.poses:,} poses, layers of {given.hidden} units, {told['components']} components"
    parts = [f"{tables.sizes(found)} {made}, {told['anchors']} anchors, {told['steps_done']:,} steps."]
    parts += [tables.on_clips(next(iter(methods.values())), height), tables.beside(methods)]
    parts.append(tables.distribution(methods))

    def narrower(components: int) -> rc.Deformer:
        settings = published(min(given.hidden, FIGURE_HIDDEN), components=components)
        return trained(found, given.kept, settings, SMALL_EPOCHS if given.small else FIGURE_EPOCHS)

    parts.append(tables.by_components(narrower, found))
    return "\n\n".join(parts)


def main() -> None:
    """Train, or go on, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "papers_differential")
    parser.add_argument("--poses", type=int, default=1280, help="learned from (default 1280)")
    parser.add_argument("--hidden", type=int, default=512, help="width of the five layers (default 512)")
    parser.add_argument("--small", action="store_true", help="two epochs, to see that it works")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/benchmarks")
    given = parser.parse_args()
    if given.small and given.write:
        parser.error("--small writes no tables")
    text = pages(sets(given.data, given.kept, given.poses), given) + f"\n\n{machine()}; rigcast {rc.__version__}."
    print(text)
    if given.write:
        write_between_marks("the published differential subspace", text)


if __name__ == "__main__":
    main()
