"""One step of training a latent space beside NumPy and SciPy: ``python -m benchmarks.synthesis.latent``.

A step is the value and gradient of the negative log posterior. Both sides compute it in double precision, from the same
formulas; the largest difference of value and gradient is printed, relative to the largest entry. Medians of runs that
alternate: processor time for one thread, which a busy machine stretches less, else time on the clock. Goals: exact
2.5 x NumPy's exact step, with 50 inducing points 20 x NumPy's exact step.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import scipy
from tests.support.latent import setting, spread_frames

from benchmarks.synthesis.latent_peers import Floats, Gradient, connectivity, exact, through
from rigwright import _core

Step = Callable[[], tuple[float, Floats]]


def seconds(call: Step) -> float:
    clock = time.process_time if os.environ["OPENBLAS_NUM_THREADS"] == "1" else time.perf_counter
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


def compare(frames: int, outputs: int, threads: int, runs: int) -> None:
    for priors in (False, True):
        words = "likelihood and connectivity prior" if priors else "likelihood"
        full, sparse = (Case(frames, outputs, inducing, priors, threads) for inducing in (0, 50))
        print(f"{frames:,} frames, {outputs} outputs, {threads} threads, {words}")
        for name, ours, theirs, same in [
            ("exact / NumPy exact (goal 2.5)", full.ours, full.theirs, full.difference()),
            ("50 inducing / NumPy exact (goal 20)", sparse.ours, full.theirs, None),
            ("50 inducing / NumPy 50 inducing", sparse.ours, sparse.theirs, sparse.difference()),
        ]:
            engine, peer, ratio = alternate(ours, theirs, runs)
            difference = "" if same is None else f", difference {same:.1e}"
            print(f"  {name:36} {engine * 1e3:8.2f} ms, NumPy {peer * 1e3:8.2f} ms: {ratio:6.1f} x{difference}")


def compare_long(frames: int, outputs: int, inducing: int, threads: int, runs: int) -> None:
    case = Case(frames, outputs, inducing, False, threads)
    engine, peer, ratio = alternate(case.ours, case.theirs, runs)
    print(f"{frames:,} frames, {outputs} outputs, {inducing} inducing points, {threads} threads, likelihood")
    print(f"  {engine * 1e3:8.2f} ms, NumPy {peer * 1e3:8.2f} ms: {ratio:6.1f} x, difference {case.difference():.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--frames", type=int, default=800)
    parser.add_argument("--outputs", type=int, default=20)
    parser.add_argument("--threads", type=int, help="of both sides; default: 1, then all processors")
    options = parser.parse_args()
    if options.threads is None or os.environ.get("OPENBLAS_NUM_THREADS") != str(options.threads):
        given = [options.threads] if options.threads else sorted({1, len(os.sched_getaffinity(0))})
        for threads in given:  # NumPy's library reads its number of threads when it is loaded
            arguments = [sys.executable, "-m", "benchmarks.synthesis.latent", *sys.argv[1:]]
            if options.threads is None:
                arguments += ["--threads", str(threads)]
            subprocess.run(arguments, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": str(threads)})
        return
    print(f"NumPy {np.__version__}, SciPy {scipy.__version__}, {platform.machine()}, load {os.getloadavg()[0]:.1f}")
    compare(options.frames, options.outputs, options.threads, options.runs)
    compare_long(20_000, options.outputs, 100, options.threads, max(options.runs // 3, 3))


if __name__ == "__main__":
    main()
