"""One step of training a latent space beside NumPy and SciPy: ``python -m benchmarks.systems.synthesis.latent``.

A step is the value and gradient of the negative log posterior. Both sides compute it in double precision, from the same
formulas; the largest difference of value and gradient is printed, relative to the largest entry. Medians of runs that
alternate: processor time for one thread, which a busy machine stretches less, else time on the clock. Goals: exact
2.5 x NumPy's exact step, with 50 inducing points 20 x NumPy's exact step.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy
from tests.support.made.latent import setting, spread_frames

from benchmarks.marks import write_between_marks
from benchmarks.systems.synthesis.latent_peers import Floats, Gradient, connectivity, exact, through
from rigcast import _core

Step = Callable[[], tuple[float, Floats]]


def seconds(call: Step) -> float:
    clock = time.process_time if os.environ.get("OPENBLAS_NUM_THREADS") == "1" else time.perf_counter
    begin = clock()
    call()
    return clock() - begin


def alternate(ours: Step, theirs: Step, runs: int) -> tuple[float, float, float]:
    """Median seconds of both, and the median ratio."""
    ours(), theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(runs)]
    engine, peer = (statistics.median(side) for side in zip(*pairs, strict=True))
    return engine, peer, statistics.median(b / a for a, b in pairs)


class Case:
    """One training set, both sides' steps at one state."""

    def __init__(self, frames: int, outputs: int, inducing: int, priors: bool, threads: int) -> None:
        self.setting = setting(frames, 3, outputs)
        halves = [(0, frames // 2), (frames // 2, frames)]
        self.objective = _core.LatentObjective(
            self.setting.values, 3, halves, inducing=inducing, dynamics=False, connectivity=priors, threads=threads
        )
        self.unknowns = self.objective.start(self.setting.points)
        floor = 1e-6 * float((self.setting.values**2).mean())
        variance, length, noise = np.exp(self.unknowns[-3:]).tolist()
        self.kernel = (variance, length, floor + noise)
        self.noise_share = noise / (floor + noise)
        self.inducing = self.unknowns[frames * 3 : -3].reshape(-1, 3)
        self.vertices = spread_frames(frames, min(frames, 192)) if priors else None

    def ours(self) -> tuple[float, Floats]:
        value, gradient = self.objective.evaluate(self.unknowns)
        return value, gradient

    def theirs(self) -> tuple[float, Floats]:
        s = self.setting
        if len(self.inducing):
            return self.joined(*through(s.points, self.inducing, s.values, self.kernel))
        return self.joined(*exact(s.points, s.values, self.kernel))

    def joined(self, value: float, gradient: Gradient) -> tuple[float, Floats]:
        by_points = gradient.points
        if self.vertices is not None:
            prior, by_prior = connectivity(self.setting.points, self.vertices)
            value, by_points = value + prior, by_points + by_prior
        gradient.kernel[2] *= self.noise_share
        parts = [by_points.ravel(), gradient.kernel]
        if gradient.inducing is not None:
            parts.insert(1, gradient.inducing.ravel())
        return value, np.concatenate(parts)

    def difference(self) -> float:
        (value, gradient), (expected, slope) = self.ours(), self.theirs()
        return max(abs(value / expected - 1), float(np.abs(gradient - slope).max() / np.abs(slope).max()))


Row = tuple[str, str, float, float, float, float]


def rows(frames: int, outputs: int, threads: int, runs: int) -> list[Row]:
    """Operation, threads, milliseconds of both sides, ratio, difference (NaN: two different objectives)."""
    found = []
    for priors in (False, True):
        words = f"{frames:,} frames, {'both' if priors else 'likelihood'}"
        full, sparse = (Case(frames, outputs, inducing, priors, threads) for inducing in (0, 50))
        for name, ours, theirs, difference in [
            ("exact; NumPy exact", full.ours, full.theirs, full.difference()),
            ("50 inducing points; NumPy exact", sparse.ours, full.theirs, float("nan")),
            ("50 inducing points; NumPy 50", sparse.ours, sparse.theirs, sparse.difference()),
        ]:
            engine, peer, ratio = alternate(ours, theirs, runs)
            found.append((f"{words}, {name}", str(threads), engine * 1e3, peer * 1e3, ratio, difference))
    case = Case(20_000, outputs, 100, False, threads)
    engine, peer, ratio = alternate(case.ours, case.theirs, max(runs // 3, 3))
    name = "20,000 frames, likelihood, 100 inducing points; NumPy 100"
    return [*found, (name, str(threads), engine * 1e3, peer * 1e3, ratio, case.difference())]


def table(found: list[Row]) -> str:
    lines = ["| step | threads | engine | NumPy | ratio | difference |", "| --- | --- | --- | --- | --- | --- |"]
    for name, threads, engine, peer, ratio, difference in found:
        same = "other objective" if np.isnan(difference) else f"{difference:.0e}"
        lines.append(f"| {name} | {threads} | {engine:.2f} ms | {peer:.2f} ms | {ratio:.1f} x | {same} |")
    return "\n".join(lines)


def measured(options: argparse.Namespace, threads: int) -> list[Row]:
    """The rows of a process of its own: NumPy's library reads its number of threads when it is loaded."""
    arguments = ["--threads", str(threads), "--runs", str(options.runs), "--frames", str(options.frames)]
    script = [sys.executable, "-m", "benchmarks.systems.synthesis.latent"]
    command = [*script, *arguments, "--outputs", str(options.outputs)]
    one = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads)}
    done = subprocess.run(command, check=True, env=one, capture_output=True, text=True)
    return [tuple(row) for row in json.loads(done.stdout)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--frames", type=int, default=800)
    parser.add_argument("--outputs", type=int, default=20)
    parser.add_argument("--threads", type=int, help="measure here and print JSON")
    parser.add_argument("--all-threads", action="store_true", help="rows with all processors too: on an idle machine")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks/experiments/latent_training.md")
    options = parser.parse_args()
    if options.threads:
        print(json.dumps(rows(options.frames, options.outputs, options.threads, options.runs)))
        return
    counts = {1, len(os.sched_getaffinity(0))} if options.all_threads else {1}
    found = [row for threads in sorted(counts) for row in measured(options, threads)]
    text = f"{table(found)}\n\n{options.outputs} outputs. {about()}"
    print(text)
    if options.write:
        write_between_marks("latent steps", text)


def about() -> str:
    """Machine, versions and load."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = {line.partition(":")[2].strip() for line in lines if line.startswith("model name")}
    versions = f"NumPy {np.__version__}, SciPy {scipy.__version__}"
    return f"{', '.join(names)}, {os.cpu_count()} processors, {versions}; load during the run {os.getloadavg()[0]:.0f}."


if __name__ == "__main__":
    main()
