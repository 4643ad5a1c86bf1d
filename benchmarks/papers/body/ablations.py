"""Sources of a learned body's accuracy: five changes from the paper's recipe to ours, and more and more poses.

    python -m benchmarks.papers.body.ablations [--data ../shared/data] [--out build/body] [--only TABLE ...] [--write]

Each row changes one thing of the row above it; all have the same poses and steps, so that the load of the machine does
not matter. The paper's recipe stands here a second time with ten times the steps, since a constant rate of learning
needs more of them (Bailey et al. 2018 train for two to three hours, most of which is the rig), and a third time with
10,000 poses, the fewest that they take. The second table learns from the first 500, 1,000, 3,000 and 10,000 of the same
random poses. Models and rows are kept: an interrupted run goes on. Two hours of processor time; minutes with
``--small``.
"""

from __future__ import annotations

from dataclasses import asdict

import argparse
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tests.support import trainings
import rigcast as rc
from benchmarks.systems.baselines.sets import ROOT, SUBJECTS, subject
from benchmarks.systems.differential.contenders import Contender, kept
from benchmarks.marks import write_between_marks
from rigcast._timing import machine
from rigcast.training._body.settings import BodySettings

POSES = 3000
STEPS = 4000
MORE_STEPS = 10  # times: of the paper's recipe on its own
COUNTS = (500, 1000, 3000, 10000)
PAPER = "the paper's recipe, its own settings"
# What each step changes: settings of the paper's method that become ours.
STEPS_TO_OURS = {
    "+ SOAP, falling rate": ("optimizer", "learning_rate", "schedule"),
    "+ finer output basis (the paper's networks as we set them)": ("pca_threshold",),
    "+ compact rotations": ("compact_rotations",),
    "+ partition of unity": ("border",),
    "+ weight decay, nearly linear start": ("weight_decay", "gain"),
}
TABLES = ("ablation", "poses")


def ours(poses: int) -> dict[str, object]:
    """Our method's settings, with the weight decay that it takes for a number of poses."""
    settings = BodySettings()
    return asdict(settings) | {"weight_decay": settings.decay(poses - round(settings.holdout * poses))}


@dataclass
class Bench:
    """One character.

    Attributes
    ----------
    name : str
        Of ``benchmarks.systems.baselines.sets.SUBJECTS``.
    data, out : Path
    small : bool
        Few poses and steps, to see that it works.
    """

    name: str
    data: Path
    out: Path
    small: bool = False

    @property
    def steps(self) -> int:
        return 20 if self.small else STEPS

    @property
    def counts(self) -> tuple[int, ...]:
        return (40, 60) if self.small else COUNTS

    @cached_property
    def judged(self) -> dict[str, rc.Dataset]:
        """Clips and random poses that nobody learns from."""
        return subject(self.name, self.data, self.out, self.counts[0]).judged

    def learned(self, count: int) -> rc.Dataset:
        """The first of the random poses: those of fewer are among those of more."""
        return subject(self.name, self.data, self.out, count).training["random poses"]

    def row(self, title: str, training: rc.Dataset, **settings: Any) -> list[str]:
        """Cells: size of the model, then mean, 99th percentile and largest error in millimeters on each judged set."""
        options = {"steps": self.steps, "patience": 1_000_000, **settings}
        options |= {"hidden": 8, "max_components": 8} if self.small else {}
        entry = kept(Contender(f"{title}, {len(training):,} poses", trainings.body, options, {}), training, self.out)
        told = entry.model.metadata["training"]
        sizes = f"{told['sets']} / {np.mean(told['components']):.1f} / {np.mean(told['inputs']):.0f}"
        cells = [title, f"{entry.megabytes:.1f}", sizes]
        for ds in self.judged.values():
            errors = 1e3 * ds.meters_per_unit * np.linalg.norm(entry.model.evaluate(ds.poses) - ds.vertices, axis=2)
            cells.append(f"{errors.mean():.3f}, {np.quantile(errors, 0.99):.2f}, {errors.max():.1f}")
        print(" | ".join(cells), flush=True)
        return cells

    def ablation(self) -> str:
        """From the paper's recipe to ours, one change at a time."""
        training = self.learned(60 if self.small else POSES)
        more = self.row(f"{PAPER}, {MORE_STEPS} x the steps", training, method="paper", steps=MORE_STEPS * self.steps)
        most = self.learned(self.counts[-1])
        rows = [more, self.row(f"{PAPER}, {len(most):,} poses", most, method="paper")]
        rows.append(self.row(PAPER, training, method="paper"))
        wanted, changed = ours(len(training)), dict[str, Any]()
        for title, names in STEPS_TO_OURS.items():
            changed |= {name: wanted[name] for name in names}
            rows.append(self.row(title, training, method="paper", **changed))
        said = f"{len(training):,} poses, {self.steps:,} steps."
        return f"{said}\n\n{self.table('each with what stands above', rows)}"

    def poses(self) -> str:
        """Error against the number of poses."""
        rows = [self.row(f"{count:,}", self.learned(count)) for count in self.counts]
        return f"{self.steps:,} steps.\n\n{self.table('random poses learned from', rows)}"

    def table(self, first: str, rows: list[list[str]]) -> str:
        """Markdown."""
        head = [first, "MB", "networks / components / inputs", *(f"{t}: mean, p99, max, mm" for t in self.judged)]
        lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
        return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in rows])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "body", help="folder of sets and models")
    parser.add_argument("--character", choices=[name for name in SUBJECTS if name != "face"], default="body")
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--small", action="store_true", help="few poses and steps, to see that it works")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/benchmarks")
    given = parser.parse_args(arguments)
    if given.small and given.write:
        parser.error("--small writes no tables")
    bench = Bench(given.character, given.data, given.out, given.small)
    names = {"ablation": "ablation of bodies", "poses": "poses of bodies"}
    for table in given.only:
        text = f"{getattr(bench, table)()}\n\n{machine()}; rigcast {rc.__version__}."
        print(f"\n{text}\n", flush=True)
        if given.write:
            write_between_marks(names[table], text)


if __name__ == "__main__":
    main()
