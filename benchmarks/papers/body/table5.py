"""Table 5 of Bailey et al. 2018: one pose of a body, of pose space deformation and of skinning alone, in milliseconds.

    python -m benchmarks.papers.body.table5 [--data ../shared/data] [--out build/body] [--poses 300] [--write]

Networks after the paper and ours, weighted pose space deformation with 10, 50 and 100 examples, linear skinning with
four joints, each one pose at a time, on one thread and on all. Times depend on sizes and not on accuracy, so that few
poses and one step make the models. The paper puts pose space deformation in the place of each network, ours is a model
of its own on the same joints. Calls take turns, so that other work on the machine disturbs all of them alike.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np
from tests.support import trainings

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.papers.inverse.mismatched.kept import table
from benchmarks.systems.baselines.sets import ROOT, subject
from benchmarks.systems.differential.contenders import Contender, kept
from rigcast import _core
from rigcast._timing import interleaved, load_average, machine

POSES, RUNS = 300, 30
EXAMPLES = (100, 50, 10)
NETWORKS = {"the paper's recipe": {"method": "paper"}, "ours": {"linear": "rigid"}}
OURS = "networks, the paper's recipe"
# The paper's parallel row of each, for Tigress, Shifu, Astrid and Po.
PRINTED = {
    OURS: (2.7, 1.5, 7.7, 2.2),
    "pose space, 100 examples": (1.5, 1.5, 9.0, 1.4),
    "pose space, 50 examples": (1.0, 1.0, 7.6, 0.9),
    "pose space, 10 examples": (0.7, 0.6, 6.7, 0.6),
    "linear skinning, K = 4": (0.5, 0.4, 3.2, 0.4),
}


def models_of(training: rc.Dataset, out: Path) -> dict[str, rc.Deformer]:
    """All models of one character."""
    made = [
        Contender(f"networks, {name}", trainings.body, {"steps": 1, **own}, {}) for name, own in NETWORKS.items()
    ]
    made += [
        Contender(f"pose space, {count} examples", rc.baselines.pose_space_deformation, {"count": count}, {})
        for count in EXAMPLES
    ]
    made.append(Contender("linear skinning, K = 4", rc.baselines.linear_blend, {"influences": 4}, {}))
    return {one.name: kept(one, training, out).model for one in made}


def timed(models: dict[str, rc.Deformer], pose: np.ndarray, threads: int, runs: int) -> dict[str, float]:
    """Median seconds of one pose of each model, in turns."""
    out = np.empty((1, *next(iter(models.values())).rest_vertices.shape), np.float32)
    calls = {name: partial(model.evaluate, pose, threads=threads, out=out) for name, model in models.items()}
    return interleaved(calls, runs, in_a_row=5)


def rows_of(models: dict[str, rc.Deformer], pose: np.ndarray, runs: int) -> list[list[str]]:
    """Milliseconds and their ratio to the networks after the paper, beside the printed ratios."""
    serial, parallel = (timed(models, pose, threads, runs) for threads in (1, _core.num_processors()))
    lines = []
    for name in models:
        cells = [f"{1e3 * times[name]:.3f} ({times[name] / times[OURS]:.2f})" for times in (serial, parallel)]
        ratios = [a / b for a, b in zip(PRINTED.get(name, ()), PRINTED[OURS], strict=False)]
        lines.append([name, *cells, f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else ""])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "body", help="folder of sets and models")
    parser.add_argument("--poses", type=int, default=POSES)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found = subject("antonia", given.data, given.out, given.poses)
    training = found.training["random poses"]
    load = load_average()
    lines = rows_of(models_of(training, given.out / "antonia"), np.asarray(training.poses[:1]), given.runs)
    head = [f"one pose of {found.title}, ms (ratio)", "1 thread", f"{_core.num_processors()} threads", "printed ratio"]
    text = f"{table(head, lines)}\n\n{machine()}; load {load:.0f} to {load_average():.0f}; rigcast {rc.__version__}."
    print(text)
    if given.write:
        write_between_marks("table 5 of bodies", text)


if __name__ == "__main__":
    main()
