"""Training a latent space beside GPy: ``python -m benchmarks.systems.synthesis.latent_training --gpy PYTHON``.

PYTHON is the interpreter of an environment with GPy (its releases need NumPy 2). Both sides have the same values, start
and kernel, no priors on the points, and one thread. Processor time, which a busy machine stretches less than time on
the clock.
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
from tests.support.made.latent import setting

from benchmarks.marks import write_between_marks
from rigcast import _core


def peer(python: str, case: dict[str, np.ndarray], folder: Path) -> dict[str, float]:
    """The report of GPy."""
    np.savez(folder / "in.npz", **case)
    script = Path(__file__).with_name("gpy_peer.py")
    one = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ""}
    subprocess.run([python, script, folder / "in.npz", folder / "out.npz"], check=True, env=one)
    with np.load(folder / "out.npz") as found:
        about: dict[str, float] = json.loads(str(found["about"]))
    return about


def compare(python: str, frames: int, outputs: int, iterations: int, inducing: int) -> str:
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
    name = f"{inducing} inducing points" if inducing else "exact"
    versions = f"GPy {gpy['gpy']}, NumPy {gpy['numpy']}"
    row = f"| {frames} frames, {outputs} outputs, {iterations} iterations, {name} | {spent:.2f} s "
    row += f"| {gpy['process']:.2f} s ({versions}) | {gpy['process'] / spent:.1f} x | "
    if inducing:  # GPy's is a variational bound: another objective
        return f"{row}another objective |"
    found = _core.fit_latent_space(values, segments, start, iterations=4 * iterations, tolerance=0.0, **options)
    likelihoods = -found.objective
    there = np.flatnonzero(likelihoods >= gpy["end"])
    reached = f"reached after {there[0]} iterations" if len(there) else "not reached: another local maximum"
    return f"{row}{likelihoods[0]:.3f}, {gpy['start']:.3f} at the start; GPy's end of {gpy['end']:.0f} {reached} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpy", required=True, help="a Python interpreter that can import GPy")
    parser.add_argument("--frames", type=int, nargs="+", default=[400, 800])
    parser.add_argument("--outputs", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks/experiments/latent_training.md")
    options = parser.parse_args()
    lines = ["| training | engine | GPy | ratio | log likelihoods |", "| --- | --- | --- | --- | --- |"]
    for frames in options.frames:
        lines += [compare(options.gpy, frames, options.outputs, options.iterations, inducing) for inducing in (0, 50)]
    text = "\n".join([*lines, "", f"Load during the run {os.getloadavg()[0]:.0f}."])
    print(text)
    if options.write:
        write_between_marks("latent training", text)


if __name__ == "__main__":
    main()
