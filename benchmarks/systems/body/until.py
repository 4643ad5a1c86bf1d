"""Poses that a stated error costs: sampled where the model is least sure, against random sampling; and the error bound.

    python -m benchmarks.systems.body.until [--out FOLDER] [--write]

The rig is the demo character, which is built in Blender if FOLDER (build/until) lacks it. Both ways have the same
networks, steps, rounds and first poses and differ in the poses that rounds add. The models of all rounds are judged by
400 random poses that no run has seen: how many poses does either way need for the smallest error that both reach? The
bound is judged by these poses and by the walk of the character's file; what it costs is the processor time of one
thread, beside that of an evaluation. Twenty minutes of processor time; resumed.
"""

from __future__ import annotations

import argparse
import itertools
import platform
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, StrMethodFormatter

import rigcast as rc
from benchmarks.marks import write_between_marks
from examples.characters.character import build_character
from examples.characters.walk import ACTION
from rigcast._formats.blender import BlenderRig
from rigcast.plot._colors import SERIES
from rigcast.progress import Progress
from rigcast.training._body.settings import BodySettings
from rigcast.training._budget import Budget
from rigcast.training._until import _choose as choose
from rigcast.training._until._goal import Goal
from rigcast.training._until._pipeline import learn_until
from rigcast.training._until._workplace import SampledRig

ROOT = Path(__file__).resolve().parents[3]
STATISTICS: dict[str, Callable[[np.ndarray], Any]] = {
    "mean": np.mean,
    "p99": lambda errors: np.quantile(errors, 0.99),
    "largest of a pose, 99 % of poses": lambda errors: np.quantile(errors.max(axis=1), 0.99),
}
WAYS = {"where it is least sure": choose.least_sure, "at random": choose.at_random}
NETWORKS, STEPS = BodySettings(hidden=64, batch=64, max_components=48), 800
HELD_OUT, HELD_OUT_SEED = 400, 90210
TIMED = 20  # poses


def run_of(folder: Path, way: str, seed: int) -> Path:
    return folder / f"until-{way.split()[-1]}-{seed}"


def train(rig: Any, way: str, folder: Path, goal: Goal, poses: int, seed: int) -> rc.Deformer:
    """One run; goes on where it was interrupted."""

    def say(now: Progress) -> None:
        if "the goal is" in now.stage:
            print(f"  {way}, seed {seed}, {now.stage}", flush=True)

    samples = SampledRig(rig, None, run_of(folder, way, seed), poses, "normal", 1)
    budget = Budget("body_until", steps=STEPS, seed=seed, threads=1, progress=say)
    return learn_until(samples, goal, NETWORKS, budget, WAYS[way])


Curve = dict[str, list[tuple[int, float]]]  # of each statistic: poses learned from, error in millimeters


def curve(folder: Path, rounds: list[dict[str, Any]], held: rc.Dataset) -> Curve:
    """Errors of the models of all rounds on poses that no round has seen."""
    found: Curve = {name: [] for name in STATISTICS}
    for number, entry in enumerate(rounds):
        model = rc.load(folder / f"round-{number:03d}.safetensors")
        errors = 1000 * held.meters_per_unit * np.linalg.norm(model.evaluate(held.poses) - held.vertices, axis=2)
        for name, statistic in STATISTICS.items():
            found[name].append((entry["poses"], float(statistic(errors))))
    return found


def needed(points: list[tuple[int, float]], goal: float) -> float:
    """Poses learned from when the error met the goal, by interpolation of the logarithms; NaN if it never did."""
    for (poses, value), (more, less) in itertools.pairwise(points):
        if value > goal >= less:
            share = np.log(value / goal) / np.log(value / less)
            return float(np.exp((1 - share) * np.log(poses) + share * np.log(more)))
    return float(points[0][0]) if points[0][1] <= goal else float("nan")


def share_of_poses(ours: list[tuple[int, float]], random: list[tuple[int, float]]) -> float:
    """Poses that ours needs as a share of those at random, for the smallest error that both reach."""
    goal = max(min(value for _, value in points) for points in (ours, random))
    return needed(ours, goal) / needed(random, goal)


def curve_rows(found: dict[tuple[str, int], Curve]) -> list[str]:
    """The table of rounds, and that of poses for the same error."""
    lines = [f"| sampled | seed | poses | {' | '.join(f'{name}, mm' for name in STATISTICS)} |"]
    lines += ["| --- " * 2 + "| ---: " * (1 + len(STATISTICS)) + "|"]
    for (way, seed), curves in found.items():
        for at in zip(*curves.values(), strict=True):
            lines.append(f"| {way} | {seed} | {at[0][0]:,} | {' | '.join(f'{value:.3g}' for _, value in at)} |")
    ours, random = WAYS
    lines += [
        "",
        "| for the same | poses where it is least sure, of those at random: each seed | mean |",
        "| --- " * 3 + "|",
    ]
    for name in STATISTICS:
        seeds = sorted({seed for _, seed in found})
        shares = [share_of_poses(found[ours, seed][name], found[random, seed][name]) for seed in seeds]
        lines.append(f"| {name} | {', '.join(f'{share:.2f}' for share in shares)} | {np.mean(shares):.2f} |")
    return lines


def draw(found: dict[tuple[str, int], Curve], path: Path) -> None:
    """The curves of all runs, one panel per statistic."""
    figure = Figure(figsize=(9.0, 3.2), layout="constrained", facecolor="white")
    for axes, name in zip(figure.subplots(1, len(STATISTICS)), STATISTICS, strict=True):
        for (way, seed), curves in found.items():
            poses, values = zip(*curves[name], strict=True)
            label = way if seed == 1 else None
            axes.plot(poses, values, "o-", color=SERIES[list(WAYS).index(way)], markersize=3, linewidth=1, label=label)
        ticks = sorted({poses for curves in found.values() for poses, _ in curves[name]})
        axes.set(xscale="log", yscale="log", xlabel="poses", title=name, xticks=ticks, xticklabels=map(str, ticks))
        axes.minorticks_off()
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set(ylabel="error on 400 random poses, mm")
    figure.axes[0].legend(frameon=False)
    with mpl.rc_context({"svg.hashsalt": "rigcast", "svg.fonttype": "path", "font.size": 9}):
        figure.savefig(path, metadata={"Date": None})


def bound_rows(model: rc.Deformer, sets: dict[str, rc.Dataset]) -> list[str]:
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


def ideal(model: rc.Deformer, ds: rc.Dataset) -> str:
    """The saving by a bound that knew the scale of the error of each vertex set in each pose."""
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


def cost(model: rc.Deformer, sets: dict[str, rc.Dataset]) -> str:
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


def measured(folder: Path, goal: Goal, poses: int, seeds: int) -> dict[str, str]:
    """The texts of the pages, by the names of their places."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "demo-character.blend"
    rig = BlenderRig.open(build_character(path))
    try:
        models = {
            (way, seed): train(rig, way, folder, goal, poses, seed) for seed in range(1, seeds + 1) for way in WAYS
        }
        held = rc.sampling.sample(rig, folder / "until-judged.rwdata", HELD_OUT, seed=HELD_OUT_SEED, probe=0)
        walk = rc.sampling.sample_actions(rig, folder / "until-walk.rwdata", [ACTION])
    finally:
        rig.close()
    found = {
        (way, seed): curve(run_of(folder, way, seed), model.metadata["until"]["rounds"], held)
        for (way, seed), model in models.items()
    }
    draw(found, folder / "stated_error.svg")
    of_ours = {name: getattr(NETWORKS, name) for name in ("hidden", "batch", "max_components")} | {"steps": STEPS}
    sizes = ", ".join(f"{name} {value}" for name, value in of_ours.items())
    about = (
        f"Demo character, p99 {1000 * goal.tolerance:g} mm, networks: {sizes}; at most {poses:,} poses. Errors of "
        f"{HELD_OUT} random poses that no run has seen."
    )
    where = f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}."
    bound = bound_rows(models[next(iter(WAYS)), 1], {"random poses": held, "walk": walk})
    return {
        "stated error": "\n".join([*bound, "", where]),
        "poses to a stated error": "\n".join([about, "", *curve_rows(found), "", where]),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "until", help="folder of rigs, samples and models")
    parser.add_argument("--millimeters", type=float, default=1.5, help="of the 99th percentile (default 1.5)")
    parser.add_argument("--poses", type=int, default=2400, help="most poses of a run (default 2400)")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each way (default 3)")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/stated_error.md and its experiment")
    given = parser.parse_args()
    texts = measured(given.out, Goal("p99", given.millimeters / 1000.0), given.poses, given.seeds)
    print("\n\n".join(texts.values()))
    if given.write:
        for name, text in texts.items():
            write_between_marks(name, text)
        shutil.copy(given.out / "stated_error.svg", ROOT / "docs" / "figures")
