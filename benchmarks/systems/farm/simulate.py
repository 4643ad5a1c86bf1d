"""A farm of up to 10,000 processors, simulated from shard times that this machine measures.

    python -m benchmarks.systems.farm.simulate [--rig FILE] [--shards 6] [--write]

Opens the demo's character (or another .blend) in Blender, measures processor time and bytes of some of its shards, of
Dask's scheduler and of the client, and runs the package's own dispatcher against simulated workers
(``benchmarks/systems/farm/model.py`` says what they are like). ``--write`` puts the tables into
docs/benchmarks.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from benchmarks.marks import ROOT, write_between_marks
from benchmarks.systems.farm import model
from benchmarks.systems.farm.measured import Measured, measure
from benchmarks.systems.farm.model import Outcome, Simulation
from rigcast._timing import machine

POSES = 20_000
SETS = 100
WORKERS = (16, 100, 1_000, 10_000)
HEAVY = 0.1  # seconds per pose of a heavy rig, assumed


def measured_table(found: Measured) -> str:
    """The table of measurements."""
    times = np.array(found.shard_seconds)
    spread = f"{times.min():.2f} to {times.max():.2f} s"
    rows = [
        (f"a shard: {found.rows} poses of {found.vertices:,} vertices in Blender", f"{times.mean():.2f} s ({spread})"),
        ("a worker opens the rig", f"{found.opening_seconds:.1f} s"),
        ("scheduler, per shard", f"{1e3 * found.scheduler_seconds:.2f} ms"),
        ("client, per shard in shared storage", f"{1e3 * found.client_seconds:.2f} ms"),
        ("client, more for a shard that comes back", f"{1e3 * found.storing_seconds:.1f} ms"),
        ("files of a shard", f"{found.stored_bytes / 1e6:.1f} MB"),
        ("a task, through the scheduler", f"{found.task_bytes / 1e3:.1f} KB"),
        ("rig and rest state, once per worker", f"{found.parcel_bytes / 1e6:.2f} MB"),
    ]
    lines = ["| measured | |", "| --- | --- |", *(f"| {what} | {figure} |" for what, figure in rows)]
    load = os.getloadavg()[0]
    return "\n".join([*lines, "", f"Processor times. {machine()}; load {load:.0f}."])


def clock(seconds: float) -> str:
    """A time for people."""
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


def times_row(title: str, workers: int, shards: int, found: Outcome) -> str:
    """One line of the table of times."""
    return (
        f"| {title} | {workers:,} | {shards:,} | {clock(found.seconds)} | {found.ideal / found.seconds:.0%} | "
        f"{found.scheduler:.0%} | {found.client:.0%} | {found.storage:.0%} |"
    )


def bytes_row(title: str, workers: int, found: Outcome, without: Outcome) -> str:
    """One line of the table of bytes and copies."""
    return (
        f"| {title} | {workers:,} | {found.sent / 1e6:,.0f} MB | {found.stored / 1e9:,.0f} GB | {found.copies} | "
        f"{clock(without.seconds)} |"
    )


def runs_tables(found: Measured) -> tuple[str, str]:
    """The tables of simulated farms: times, and bytes and copies."""
    one = -(-POSES // found.rows)
    small = 4
    cases = [(f"one set of {POSES:,} poses", workers, one, found.rows, {}) for workers in WORKERS]
    cases.append((f"the same, shards of {small} poses", 10_000, -(-POSES // small), small, {}))
    cases.append(("the same, shards of 4 come back", 10_000, -(-POSES // small), small, {"comes_back": True}))
    cases += [
        (f"{SETS} such sets, one after another", workers, SETS * one, found.rows, {}) for workers in (1_000, 10_000)
    ]
    cases.append((f"{SETS} such sets, shards come back", 10_000, SETS * one, found.rows, {"comes_back": True}))
    heavy = {"slower": HEAVY * found.rows / np.mean(found.shard_seconds)}
    cases.append((f"{SETS} sets of a rig of {HEAVY:g} s per pose", 10_000, SETS * one, found.rows, heavy))
    times = ["| job | cores | shards | time | efficiency | scheduler busy | client busy | storage or network busy |"]
    moved = ["| job | cores | through the scheduler | stored | copies | time without copies, nobody dying |"]
    for lines in (times, moved):
        lines.append("| --- |" + " --- |" * (lines[0].count("|") - 2))
    dead = model.DEAD_SHARE
    for title, workers, shards, rows, options in cases:
        outcome = Simulation(found, workers, shards, rows, **options).run()
        model.DEAD_SHARE = 0.0  # without copies, a worker that never answers is waited for forever
        without = Simulation(found, workers, shards, rows, copies=False, **options).run()
        model.DEAD_SHARE = dead
        times.append(times_row(title, workers, shards, outcome))
        moved.append(bytes_row(title, workers, outcome, without))
        print(times[-1], f"deciding {1e6 * outcome.deciding:.0f} us per shard", flush=True)
    return "\n".join(times), "\n".join(moved)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rig", type=Path, help="a .blend (default: the demo's character, built first)")
    parser.add_argument("--shards", type=int, default=6, help="to measure")
    parser.add_argument("--tasks", type=int, default=2000, help="empty tasks through the scheduler")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks")
    arguments = parser.parse_args()
    rig = arguments.rig
    if rig is None:
        from examples.characters import build_character

        rig = ROOT / "build" / "farm" / "character.blend"
        rig.parent.mkdir(parents=True, exist_ok=True)
        build_character(rig)
    found = measure(rig, arguments.shards, arguments.tasks)
    times, moved = runs_tables(found)
    tables = {"farm measured": measured_table(found), "farm runs": times, "farm bytes": moved}
    for name, text in tables.items():
        print(text)
        if arguments.write:
            write_between_marks(name, text)


if __name__ == "__main__":
    main()
