"""Poses that a stated error costs: sampled where the model is least sure, against random sampling; and the error bound.

    python -m benchmarks.body.until [--demo FOLDER] [--write]

The rig is the demo character, which is built in Blender if FOLDER (demo) lacks it. Both runs have the same networks,
steps, rounds and first poses, are judged alike, and differ in the poses that rounds add. The poses that a run needed
are those sampled when the 99th percentile of the errors of fresh poses, interpolated between rounds, met the tolerance.
The bound is judged by 300 random poses of another seed and by the walk of the character's file; what it costs is the
processor time of one thread, beside that of an evaluation.
"""

from __future__ import annotations

import argparse
import itertools
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np

import rigwright as rw
from benchmarks.marks import write_between_marks
from rigwright._demo.character import build_character
from rigwright._demo.walk import ACTION
from rigwright._formats.blender import BlenderRig
from rigwright.progress import Progress
from rigwright.training._settings import settings_for
from rigwright.training._until import _choose as choose
from rigwright.training._until._goal import Goal
from rigwright.training._until._pipeline import Samples, learn_until

ROOT = Path(__file__).resolve().parents[2]
WAYS = {"where it is least sure": choose.least_sure, "at random": choose.at_random}
NETWORKS = {"hidden": 32, "batch": 64, "steps": 400, "max_components": 48}
HELD_OUT, HELD_OUT_SEED = 300, 90210
TIMED = 20  # poses


def train(rig: Any, way: str, folder: Path, goal: Goal, poses: int, seed: int) -> rw.Deformer:
    """One run; goes on where it was interrupted."""

    def say(now: Progress) -> None:
        if "the goal is" in now.stage:
            print(f"  {way}, seed {seed}, {now.stage}", flush=True)

    name = f"until-{way.split()[-1]}-{seed}"
    samples = Samples(rig, None, folder / name, poses, "normal", 1)
    settings = settings_for("blended", seed=seed, **NETWORKS)
    return learn_until(samples, goal, settings, "cpu", 1, False, say, WAYS[way])


def needed(until: dict[str, Any]) -> float:
    """Poses learned from when the error met the tolerance, by interpolation of the logarithms; NaN if it never did."""
    rounds, goal = until["rounds"], until["tolerance"]
    for before, after in itertools.pairwise(rounds):
        if before["value"] > goal >= after["value"]:
            share = np.log(before["value"] / goal) / np.log(before["value"] / after["value"])
            return float(np.exp((1 - share) * np.log(before["poses"]) + share * np.log(after["poses"])))
    return float(rounds[0]["poses"]) if rounds[0]["value"] <= goal else float("nan")


def curve_rows(found: dict[tuple[str, int], dict[str, Any]]) -> list[str]:
    """The table of rounds, and of poses needed."""
    lines = ["| sampled | seed | poses: p99 of fresh poses, mm | poses to the tolerance |", "| --- | --- | --- | --- |"]
    for (way, seed), until in found.items():
        rounds = "; ".join(f"{entry['poses']:,}: {1000 * entry['value']:.3f}" for entry in until["rounds"])
        count = needed(until)
        lines.append(f"| {way} | {seed} | {rounds} | {'not reached' if np.isnan(count) else f'{count:,.0f}'} |")
    return lines


def bound_rows(model: rw.Deformer, sets: dict[str, rw.Dataset]) -> list[str]:
    """Coverage and width on poses that calibration has not seen, beside constants."""
    stated, lines = model.metadata["bound"], []
    lines += ["| poses | within the bound | mean width, mm | constants per vertex, equal coverage | one constant |"]
    lines += ["| --- " * 5 + "|"]
    for title, ds in sets.items():
        inside = ~model.out_of_range(ds.poses)
        poses, vertices = ds.poses[inside], ds.vertices[inside]
        errors = 1000 * np.linalg.norm(model.evaluate(poses) - vertices, axis=2)
        bounds = 1000 * model.error_bound(poses)
        covered = float((errors <= bounds).mean())
        constant, one = np.quantile(errors, covered, axis=0).mean(), np.quantile(errors, covered)
        lines.append(
            f"| {title}: {inside.sum()} of {len(ds)} in range | {covered:.1%} | {bounds.mean():.4f} "
            f"| {constant:.4f} ({bounds.mean() / constant:.2f} x) | {one:.4f} ({bounds.mean() / one:.2f} x) |"
        )
    lines += ["", ideal(model, next(iter(sets.values())))]
    missed = "not known" if stated["miss"] is None else f"{stated['miss']:.1%}"
    lines += ["", f"Out of range: false alarms {stated['false_alarm']:.1%}, misses {missed}. {cost(model, sets)}"]
    return lines


def ideal(model: rw.Deformer, ds: rw.Dataset) -> str:
    """What a bound could save that knew the scale of the error of each vertex set in each pose."""
    tensors = model.tensors()
    errors = np.linalg.norm(model.evaluate(ds.poses) - ds.vertices, axis=2).astype(np.float64)
    constant, best = np.quantile(errors, 0.95, axis=0), np.zeros(errors.shape)
    for i in range(len(tensors["sets.joint"])):
        mine = tensors["sets.vertex"][tensors["sets.offset"][i] : tensors["sets.offset"][i + 1]]
        part = errors[:, mine]
        scale = np.sqrt(np.square(part / np.maximum(part.mean(axis=0), 1e-30)).mean(axis=1))[:, None]
        best[:, mine] = scale * np.quantile(part / scale, 0.95, axis=0)
    return (
        f"On the random poses, constants per vertex of 95 % are {constant.mean() / errors.mean():.2f} times the mean "
        "error; a bound that knew the root mean square error of each vertex set in each pose, which none can, would be "
        f"{best.mean() / constant.mean():.2f} times as wide as they."
    )


def cost(model: rw.Deformer, sets: dict[str, rw.Dataset]) -> str:
    """Processor time of bounds and of vertices, one thread."""
    poses = next(iter(sets.values())).poses[:TIMED]
    times = []
    for work in (model.error_bound, model.evaluate):
        work(poses, threads=1)
        begun = time.process_time()
        for pose in poses:
            work(pose, threads=1)
        times.append(1000 * (time.process_time() - begun) / len(poses))
    size = sum(value.nbytes for name, value in model.tensors().items() if name.startswith("bound."))
    return f"A pose's bounds take {times[0]:.2f} ms, its vertices {times[1]:.2f} ms; they add {size / 1e6:.1f} MB."


def measured(folder: Path, goal: Goal, poses: int, seeds: int) -> list[str]:
    """The text of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "demo-character.blend"
    rig = BlenderRig.open(build_character(path))
    try:
        models = {(way, seed): train(rig, way, folder, goal, poses, seed) for seed in range(seeds) for way in WAYS}
        held = rw.sampling.sample(rig, folder / "until-judged.rwdata", HELD_OUT, seed=HELD_OUT_SEED, probe=0)
        walk = rw.sampling.sample_actions(rig, folder / "until-walk.rwdata", [ACTION])
    finally:
        rig.close()
    found = {key: model.metadata["until"] for key, model in models.items()}
    sizes = ", ".join(f"{name} {value}" for name, value in NETWORKS.items())
    return [
        f"Demo character, p99 {1000 * goal.tolerance:g} mm, networks: {sizes}; at most {poses:,} poses.",
        "",
        *curve_rows(found),
        "",
        "The bound of the first model:",
        "",
        *bound_rows(models[next(iter(WAYS)), 0], {"random poses": held, "walk": walk}),
        "",
        f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}.",
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--demo", type=Path, default=ROOT / "demo", help="the folder that ./run demo made (default demo)"
    )
    parser.add_argument("--millimeters", type=float, default=1.0, help="of the 99th percentile (default 1)")
    parser.add_argument("--poses", type=int, default=3000, help="most poses of a run (default 3000)")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each way (default 1)")
    parser.add_argument("--write", action="store_true", help="write the page docs/benchmarks/stated_error.md")
    given = parser.parse_args()
    text = "\n".join(measured(given.demo, Goal("p99", given.millimeters / 1000.0), given.poses, given.seeds))
    print(text)
    if given.write:
        write_between_marks("stated error", text)
