"""Every table of docs/benchmarks/gpu.md by one command, in at most ten minutes.

    python -m benchmarks.cuda_all

Runs the scripts of ``benchmarks/systems/cuda``, each in a process of its own with a time limit, and writes the page:
goals, floors and predictions of the GPU, and what was measured. A part that fails, takes too long or is absent (no
PyTorch with CUDA) is named in its place, its rows say "not run", and the others go on. Figures are kept as parts
finish: after an interruption the same command goes on, on the same device with the same build. ``--figures
$OUT/gpu.json`` keeps them elsewhere; ``--tables`` writes the page from kept figures and needs no GPU: without figures,
floors and predictions are those of an H100.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import subprocess
import sys
import time
from pathlib import Path

import rigcast as rc
from benchmarks.marks import ROOT, write_between_marks
from benchmarks.systems.cuda.page import (
    Figures,
    Part,
    before_table,
    gpu_measured,
    kernel_table,
    overview,
    section,
    shown,
)
from benchmarks.systems.cuda.script import ABSENT
from rigcast._atomic_files import atomic_write
from rigcast._device_report import cuda_report
from rigcast._timing import machine

FIGURES = ROOT / "build" / "cuda" / "figures.json"
MINUTES = 10.0  # of all parts together
PARTS = [
    Part("GPU rates", "benchmarks.systems.cuda.rates", 45, "-"),
    Part("GPU blendshapes", "benchmarks.systems.cuda.blendshapes", 75, "20 x one per head, 80 % of the copy rate"),
    Part("GPU crowds", "benchmarks.systems.cuda.crowd", 60, "-"),
    Part("GPU inverse rig", "benchmarks.systems.cuda.inverse", 85, "200,000 frames/s, targets on the device"),
    Part("GPU bodies", "benchmarks.systems.cuda.body", 80, "70 % of the floor, one pose in 2 x its launches"),
    Part("GPU face maps", "benchmarks.systems.cuda.face_maps", 80, "70 % of the floor, one pose in 2 x its launches"),
    Part(
        "GPU differential",
        "benchmarks.systems.cuda.differential",
        70,
        "70 % of the floor, one pose in 2 x its launches",
    ),
    Part("GPU libraries", "benchmarks.systems.cuda.libraries", 50, "ahead of cuBLAS in every row"),
    Part("GPU arrays", "benchmarks.systems.cuda.arrays", 35, "same bytes, no copy to the host"),
    Part("GPU encoding", "benchmarks.systems.cuda.encoding", 20, "-"),
]


def run_part(part: Part, seconds: float) -> Figures:
    """``state`` "measured" with what was ``found``, or "absent", "failed" or "stopped" with a ``reason``."""
    command = [sys.executable, "-m", part.module, "--json"]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"state": "stopped", "reason": f"stopped after {seconds:.0f} s"}
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    if done.returncode == ABSENT:
        return {"state": "absent", "reason": last}
    if done.returncode != 0:
        return {"state": "failed", "reason": f"failed with status {done.returncode}: {last}"}
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return {"state": "failed", "reason": "failed: its figures are no JSON"}
    return {"state": "measured", "found": found, "seconds": round(time.monotonic() - begin, 1)}


def setting(device: str) -> dict[str, str]:
    """The conditions that decide figures: kept ones of another device or build are measured again."""
    file = importlib.import_module("rigcast._cuda").__file__
    build = hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
    return {"device": device, "machine": machine(), "version": rc.__version__, "build": build}


def kept(path: Path, about: dict[str, str]) -> Figures:
    """Figures of this setting from an earlier run, or none."""
    try:
        figures: Figures = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        figures = {}
    return figures if figures.get("setting") == about else {"setting": about, "parts": {}}


def measure(path: Path, about: dict[str, str], minutes: float, again: bool) -> Figures:
    """Run the parts that are not yet measured or absent; write the figures after each."""
    figures = {"setting": about, "parts": {}} if again else kept(path, about)
    path.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * minutes
    for part in PARTS:
        if figures["parts"].get(part.name, {}).get("state") in ("measured", "absent"):
            print(f"{part.name}: kept from an earlier run", flush=True)
            continue
        left = end - time.monotonic()
        print(f"{part.name} ...", flush=True)
        none_left = {"state": "stopped", "reason": f"not begun: the {minutes:g} minutes of all parts were over"}
        figures["parts"][part.name] = run_part(part, min(part.seconds, left)) if left > 1 else none_left
        atomic_write(path, json.dumps(figures, indent=1).encode("utf-8"))
        entry = figures["parts"][part.name]
        print(f"{part.name}: {entry.get('reason', 'measured')}", flush=True)
    return figures


def write_page(figures: Figures) -> None:
    """Fill all places of the page."""
    gpu, parts = gpu_measured(figures), [shown(part, figures) for part in PARTS]
    write_between_marks("GPU parts", "\n".join(overview(figures, parts, gpu)))
    write_between_marks("GPU before", "\n".join(before_table()))
    write_between_marks("GPU kernels", "\n".join(kernel_table(parts, gpu)))
    for each in parts:
        write_between_marks(each.part.name, "\n".join(section(each, gpu)))


def main(argv: list[str] | None = None) -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=FIGURES, help="where figures are kept (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="limit of all parts (default: %(default)s)")
    parser.add_argument("--again", action="store_true", help="measure everything again")
    parser.add_argument("--tables", action="store_true", help="measure nothing, write the page from kept figures")
    given = parser.parse_args(argv)
    if given.tables:
        found = given.figures.is_file()
        write_page(json.loads(given.figures.read_text(encoding="utf-8")) if found else {"parts": {}})
        return 0
    report = cuda_report()
    if not report.works:
        print(f"no GPU to measure: {report.detail}", file=sys.stderr)
        return 1
    figures = measure(given.figures, setting(report.detail), given.minutes, given.again)
    write_page(figures)
    parts = [shown(part, figures) for part in PARTS]
    print("\n".join(overview(figures, parts, gpu_measured(figures))))
    return 0 if all(entry["state"] in ("measured", "absent") for entry in figures["parts"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
