"""Train the method of Bailey 2020, chapter 3, on the production face, to the end of both levels.

    python -m benchmarks.papers.maps.published [--data ../shared/data] [--kept build/papers_maps] [--poses 8000]
        [--steps 60000] [--dense]

The recipe "paper" of ``rc.training.face_maps``, one thread, half of the steps per level and a third of these per learning
rate: about two hours of one core. ``--dense`` trains the dense network per segment instead. Ctrl-C and a kill lose some seconds: the same command goes on. Data sets (those of
``benchmarks.systems.face_maps.sets``), the model and the held-out errors of its evaluations are kept;
``benchmarks.papers.maps.tables`` writes the tables.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import rigcast as rc
from benchmarks.marks import ROOT
from benchmarks.systems.face_maps.accuracy import kept
from benchmarks.systems.face_maps.sets import POSES, TRAINING, production_face
from rigcast._resume.fingerprints import fingerprint

KEPT = ROOT / "build" / "papers_maps"
STEPS = 60_000
FEW_STEPS = 6  # of networks whose size and time are measured: neither depends on the training
SETTINGS = rc.training.FaceMapsSettings(method="paper")
PAPER_POSES = 50_000
DENSE_STEPS, DENSE_EVERY = 8000, 2  # row that the dense network learns from: it keeps all of them in memory


class Published:
    """The model of some data and a number of steps, which an earlier run has finished or begun.

    Parameters
    ----------
    training : Dataset
    kept : Path
    steps : int
    seed : int
    """

    def __init__(self, training: rc.Dataset, kept: Path, steps: int, seed: int = 0) -> None:
        self.training, self.steps, self.seed = training, steps, seed
        mark = fingerprint(training.hash, asdict(SETTINGS), steps, seed)[:12]
        self.path = kept / f"published-{steps}-{mark}.safetensors"
        self._curve = self.path.with_suffix(".curve.jsonl")

    def trained(self) -> rc.Deformer:
        """The model; trains it, or goes on."""
        if not self.path.exists():
            rc.training.face_maps(
                self.training,
                SETTINGS,
                steps=self.steps,
                seed=self.seed,
                threads=1,
                checkpoint=Path(f"{self.path}.checkpoint"),
                progress=self._note,
            ).save(self.path)
        return rc.load(self.path)

    def curve(self) -> dict[str, list[dict[str, float]]]:
        """The evaluations of each stage: part of its steps, held-out error in mm, the time of day in seconds."""
        found: dict[str, dict[float, dict[str, float]]] = {}
        if not self._curve.exists():
            return {}
        for line in self._curve.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            found.setdefault(entry.pop("stage"), {})[entry["part"]] = entry
        return {stage: [own[part] for part in sorted(own)] for stage, own in found.items()}

    def _note(self, progress: rc.progress.Progress) -> None:
        """Keep what a stage says of its error; print it."""
        if not progress.message:
            return
        print(f"{progress.stage} {progress.done:.1%}: {progress.message}", flush=True)
        if "held-out error" in progress.message:
            error = float(progress.message.split("held-out error ")[1].split()[0])
            entry = {"stage": progress.stage, "part": progress.done, "mm": error, "at": time.time()}
            with open(self._curve, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")


def dense_path(folder: Path, steps: int = DENSE_STEPS) -> Path:
    """The file of the dense network."""
    return folder / f"dense-{steps}.safetensors"


def train_dense(training: rc.Dataset, folder: Path, steps: int = DENSE_STEPS) -> rc.Deformer:
    """Two hidden layers of 256 per segment; a killed training goes on."""
    path = dense_path(folder, steps)

    def train() -> rc.Deformer:
        rows = np.arange(0, len(training), DENSE_EVERY)
        file = Path(f"{path}.checkpoint")
        return rc.baselines.dense_network(training, steps=steps, rows=rows, threads=1, checkpoint=file)

    return kept(path, train)


def arguments(text: str | None) -> argparse.ArgumentParser:
    """The options of the scripts of this folder."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--kept", type=Path, default=KEPT)
    parser.add_argument("--poses", type=int, default=POSES, help=f"to learn from; the paper has {PAPER_POSES:,}")
    parser.add_argument("--steps", type=int, default=STEPS, help="of both levels together")
    return parser


def main() -> None:
    """Train, or go on."""
    parser = arguments(__doc__)
    parser.add_argument("--dense", action="store_true")
    given = parser.parse_args()
    training = production_face(given.data, given.kept, given.poses).training[TRAINING]
    if given.dense:
        train_dense(training, given.kept)
    else:
        Published(training, given.kept, given.steps).trained()


if __name__ == "__main__":
    main()
