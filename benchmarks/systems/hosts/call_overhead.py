"""Microseconds of a call: directly in C++, through the C library, and from Python by rigcast and by rigcast_runtime.

    python -m benchmarks.systems.hosts.call_overhead build/main/install

The folder is that of an installed rigcast (``cmake --install build/main --prefix build/main/install``). The model is a
blendshape rig of two vertices and one shape: nearly all of the time is the call's. Each figure is the best of several
rounds, in which the ways alternate; ways in the same row of C++ and of Python may be compared.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rigcast as rc
import rigcast_runtime as rr

CALLS, ROUNDS = 2000, 25


def build(prefix: Path, folder: Path) -> Path:
    """Compile the C++ program against an installed library."""
    words = ["cmake", "-S", Path(__file__).parent, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"]
    subprocess.run([*words, f"-DCMAKE_PREFIX_PATH={prefix.resolve()}"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder], check=True, stdout=subprocess.DEVNULL)
    return folder / "call_overhead"


def best_of(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Microseconds per call of two functions."""
    times = [(timeit.timeit(one, number=CALLS), timeit.timeit(other, number=CALLS)) for _ in range(ROUNDS)]
    first, second = (1e6 * min(column) / CALLS for column in zip(*times, strict=True))
    return first, second


def python_rows(path: Path) -> dict[str, tuple[float, float]]:
    """Microseconds of rigcast and of rigcast_runtime, by call."""
    model, own = rc.load(path), rr.load(path)
    pose, out = np.full(1, 0.5, np.float32), np.empty((2, 3), np.float32)
    session, own_session = model.session(), own.session()
    return {
        "confidence": best_of(lambda: model.confidence(pose), lambda: own.confidence(pose)),
        "evaluate": best_of(
            lambda: model.evaluate(pose, threads=1, out=out), lambda: own.evaluate(pose, threads=1, out=out)
        ),
        "session": best_of(lambda: session.evaluate(pose, out), lambda: own_session.evaluate(pose, out)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("prefix", type=Path)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "rig.safetensors"
        rc.BlendshapeRig(np.zeros((2, 3)), np.ones((1, 2, 3))).save(path)
        program = build(parser.parse_args().prefix, folder / "build")
        printed = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
        rows = {words[0]: (float(words[1]), float(words[2])) for words in map(str.split, printed.splitlines())}
        python = python_rows(path)
    print(f"{'microseconds':12} {'C++':>8} {'C':>8} {'rigcast':>8} {'rigcast_runtime':>16}")
    for call, (direct, through_c) in rows.items():
        print(f"{call:12} {direct:8.2f} {through_c:8.2f} {python[call][0]:8.2f} {python[call][1]:16.2f}")


if __name__ == "__main__":
    main()
