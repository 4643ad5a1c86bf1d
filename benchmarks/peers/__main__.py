"""Times a model beside PyTorch, ONNX Runtime and the rig itself.

    python -m benchmarks.peers MODEL [--data SET] [--rig RIG] [--runs N] [--batch N]

It prints what ``rigcast bench`` prints, with a column per peer.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from benchmarks.peers.comparison import compare
from rigcast._timing.reading import weights
from rigcast.cli._commands import bench
from rigcast.cli._console import Console


def print_report(result: dict[str, Any], console: Console) -> None:
    """The table of all jobs, and below it what else was measured."""
    peers = sorted({name for row in result["rows"] for name in row["peers"]})
    rows = []
    for row in result["rows"]:
        beside = [
            f"{1e3 * row['peers'][name]:.3f} ({row['ratios'][name]:.1f} x)" if name in row["peers"] else ""
            for name in peers
        ]
        rows.append([*bench.job_cells(row), *beside])
    console.table(["milliseconds", "rigcast", *peers], rows)
    for found in result["reading"]:
        if found["caps"]:
            caps = ", ".join(f"{cap:.1f} x {name}" for name, cap in found["caps"].items())
            console.line(f"at the full rate of memory one pose ({weights(found)}) would be {caps}")
    bench.print_below_table(result, console)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench.add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    arguments = parser.parse_args(words)
    result = bench.timed(arguments, compare)
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        print_report(result, Console())


if __name__ == "__main__":
    main()
