"""Times kernels of one or two builds, which take turns, and describes the result.

A run is a pair of processes, one per build. Where a process lies in memory changes the time of a kernel by several
percent, in all samples of that process alike: bounds over the samples of a single pair would miss this.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from benchmarks.kernels.worker import Worker
from rigcast._atomic_files import atomic_write
from rigcast._timing import machine

SAMPLES = 3  # per run
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)  # 97.5 % points for 2, 3, ... runs


@dataclass(frozen=True)
class Row:
    """Times of one kernel.

    Attributes
    ----------
    old, new : float or None
        Median seconds per call; None without an old build, or if the build cannot run the kernel.
    ratio, low, high : float or None
        Mean of new / old over the runs, and its 95 % bounds.
    error : str
        Why a build cannot run the kernel.
    """

    name: str
    old: float | None = None
    new: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    error: str = ""

    def line(self) -> str:
        """A line of the table."""
        columns = f"{self.name:<36}{shown(self.old):>12}{shown(self.new):>12}"
        if self.ratio is None:
            return f"{columns}  {self.error}".rstrip()
        between = f"{self.low:.3f} to {self.high:.3f}" if self.low is not None else ""
        return f"{columns}{self.ratio:>12.3f}  {between}".rstrip()


HEAD = f"{'kernel':<36}{'OLD':>12}{'NEW':>12}{'NEW / OLD':>12}  95 %"


def shown(seconds: float | None) -> str:
    """A time with a unit that suits it."""
    if seconds is None:
        return "-"
    return f"{1e3 * seconds:.3f} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.2f} us"


def summary(ratios: np.ndarray) -> tuple[float, float | None, float | None]:
    """The geometric mean of a ratio over runs (R,), and its 95 % bounds (Student); None with a single run."""
    logs = np.log(ratios)
    if len(logs) < 2:
        return float(ratios[0]), None, None
    reach = STUDENT[min(len(logs) - 2, len(STUDENT) - 1)] * logs.std(ddof=1) / np.sqrt(len(logs))
    return float(np.exp(logs.mean())), float(np.exp(logs.mean() - reach)), float(np.exp(logs.mean() + reach))


def samples(workers: Mapping[str, Sequence[Worker]]) -> dict[str, np.ndarray]:
    """Seconds per call (R, S) of each side. The two workers of a run take turns, and so do those who begin."""
    runs = len(workers["new"])
    seconds = {side: np.empty((runs, SAMPLES)) for side in workers}
    for sample in range(SAMPLES):
        for run in range(runs):
            for side in workers if (sample + run) % 2 else reversed(workers):
                workers[side][run].send("")
                seconds[side][run, sample] = workers[side][run].receive()["seconds"]
    return seconds


def measure(name: str, workers: Mapping[str, Sequence[Worker]]) -> Row:
    """Time one kernel.

    Parameters
    ----------
    name : str
    workers : mapping
        "new", and "old" if there is such a build: one worker per run.
    """
    every = [(side, worker) for side, own in workers.items() for worker in own]
    for _, worker in every:
        worker.send(name)
    errors = {side: text for side, worker in every if (text := worker.receive().get("error"))}
    error = "; ".join(f"{side.upper()}: {text}" for side, text in errors.items())
    if "new" in errors:
        return Row(name, error=error)
    seconds = samples({side: own for side, own in workers.items() if side not in errors})
    new = float(np.median(seconds["new"]))
    if "old" not in seconds:
        return Row(name, new=new, error=error)
    ratios = np.median(seconds["new"] / seconds["old"], axis=1)
    return Row(name, float(np.median(seconds["old"])), new, *summary(ratios))


def store(path: Path, rows: Sequence[Row], workers: Mapping[str, Sequence[Worker]], about: dict[str, object]) -> None:
    """Write the result as JSON, with the machine, the builds and the date."""
    builds = {side: {"folder": str(own[0].folder), "version": own[0].version} for side, own in workers.items()}
    result = {
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": machine(),
        **builds,
        **about,
        "unit": "seconds per call",
        "kernels": [asdict(row) for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, (json.dumps(result, indent=1) + "\n").encode("utf-8"))
