"""Training a latent space beside GPy: ``python -m benchmarks.synthesis.latent_training --gpy PYTHON``.

PYTHON is the interpreter of an environment with GPy (its releases need NumPy 2). Both sides have the same values, start
and kernel, no priors on the points, and one thread. Processor time, which a busy machine stretches less than time on the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from tests.support.latent import setting

from rigwright import _core


def peer(python: str, case: dict[str, np.ndarray], folder: Path) -> dict[str, float]:
    """What GPy reports."""
    np.savez(folder / "in.npz", **case)
    script = Path(__file__).with_name("gpy_peer.py")
    one = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ""}
    subprocess.run([python, script, folder / "in.npz", folder / "out.npz"], check=True, env=one)
    with np.load(folder / "out.npz") as found:
        about: dict[str, float] = json.loads(str(found["about"]))
    return about


def compare(python: str, frames: int, outputs: int, iterations: int, inducing: int) -> None:
    values = setting(frames, 3, outputs).values
    values = values - values.mean(0)
    left, scale, _ = np.linalg.svd(values, full_matrices=False)
    start = left[:, :3] * scale[:3]
    start /= np.sqrt((start**2).mean())
    segments = [(0, frames)]
    options = {"dynamics": False, "connectivity": False, "threads": 1, "inducing": inducing}
    first = _core.fit_latent_space(values, segments, start, iterations=0, **options).space
    kernel = np.array([first.variance, first.length, first.noise])
    case = {"values": values, "start": start, "kernel": kernel, "iterations": iterations, "inducing": inducing}
    with tempfile.TemporaryDirectory() as folder:
        gpy = peer(python, case, Path(folder))
    begin = time.process_time()
    _core.fit_latent_space(values, segments, start, iterations=iterations, tolerance=0.0, **options)
    spent = time.process_time() - begin
    about = f"{inducing} inducing points" if inducing else "exact"
    print(f"{frames} frames, {outputs} outputs, {about}, {iterations} iterations, load {os.getloadavg()[0]:.1f}")
    print(f"  GPy {gpy['gpy']}, NumPy {gpy['numpy']}: {gpy['process']:.2f} s, the engine {spent:.2f} s: ", end="")
    print(f"{gpy['process'] / spent:.1f} x (goal 10)")
    if inducing:  # GPy's is a variational bound: another objective
        return
    found = _core.fit_latent_space(values, segments, start, iterations=4 * iterations, tolerance=0.0, **options)
    likelihoods = -found.objective
    there = np.flatnonzero(likelihoods >= gpy["end"])
    reached = f"reached after {there[0]} iterations" if len(there) else "not reached (another local maximum)"
    print(f"  log likelihood at the start {likelihoods[0]:.6f}, GPy {gpy['start']:.6f}")
    print(f"  GPy's end {gpy['end']:.1f}: {reached}; the engine's end after {found.iterations}: {likelihoods[-1]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpy", required=True, help="a Python interpreter that can import GPy")
    parser.add_argument("--frames", type=int, default=800)
    parser.add_argument("--outputs", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()
    for inducing in (0, 50):
        compare(options.gpy, options.frames, options.outputs, options.iterations, inducing)


if __name__ == "__main__":
    main()
