"""Transfer and example-based transfer beside what else one would do: ``python -m benchmarks.systems.transfer.tables``.

Four tables: seconds beside libraries at the same result; MakeHuman's units sculpted for two identities; random
identities of ICT's model; other topologies, with ``--pictures`` of the fit. Seconds are processor time of one thread,
so that other work on the machine counts little. ``--write`` puts the tables into docs/benchmarks. scikit-sparse
and libigl are peers where they are installed (``pip install scikit-sparse libigl``). The whole takes about five minutes
on a quiet machine, ``--quick`` one and a half.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.transfer.identities import identities, units
from benchmarks.systems.transfer.speed import HEAD as SPEED
from benchmarks.systems.transfer.speed import speed
from benchmarks.systems.transfer.topologies import HEAD as TOPOLOGIES
from benchmarks.systems.transfer.topologies import topologies
from rigcast._timing import load_average, machine

ROOT = Path(__file__).resolve().parents[3]
PARTS = {  # part: place in the docs
    "speed": "transfer figures",
    "units": "transfer of sculpted units",
    "identities": "transfer to identities",
    "topologies": "transfer across topologies",
}
Table = tuple[list[str], list[list[str]], str]


def measure(arguments: argparse.Namespace) -> Iterator[Table]:
    """Head, rows and a remark, part by part."""
    wanted = arguments.only or list(PARTS)
    if "speed" in wanted:
        yield SPEED, speed(arguments.data, arguments.runs, 53 if arguments.quick else 265), ""
    if "units" in wanted:
        head, rows, fact = units(arguments.data)
        yield head, rows, f"In the sculpted units {fact}: whoever copies offsets repeats what the artist did."
    if "identities" in wanted:
        head, rows = identities(arguments.data, 1 if arguments.quick else 3)
        yield head, rows, "The model is linear: its own shapes are plain copies, by construction."
    if "topologies" in wanted:
        rows, about, journeys = topologies(arguments.data)
        if arguments.pictures:
            from transfer_pictures import draw

            for name in ("hm08", "mediapipe"):
                draw(journeys[name], arguments.pictures / f"fit-{name}.png")
        yield TOPOLOGIES, rows, about


def markdown(head: list[str], rows: list[list[str]], remark: str) -> str:
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    lines.insert(1, "|" + " --- |" * len(head))
    return "\n".join(lines) + (f"\n\n{remark}" if remark else "")


def about(runs: int) -> str:
    return (
        f"{machine()}; rigcast {rc.__version__} with {rc._core.build_info()['cholesky']}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}. Processor time of one thread, medians of {runs} runs of each side in turn "
        f"({max(1, runs // 3)} beside libraries), after one that is not counted."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    folder = ROOT.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=folder, help="with ict_facekit, makehuman_hm08 and so on")
    parser.add_argument("--runs", type=int, default=10, help="timed runs of the first table")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="one part of the tables; can be repeated")
    parser.add_argument("--quick", action="store_true", help="fewer shapes, runs and identities: does it all run?")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the fit across topologies")
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks")
    arguments = parser.parse_args()
    arguments.runs = 1 if arguments.quick else arguments.runs
    if arguments.write and arguments.only:
        parser.error("--write needs all parts")
    tables = []
    for head, rows, remark in measure(arguments):
        tables.append({"rows": [dict(zip(head, cells, strict=True)) for cells in rows], "remark": remark})
        tables[-1]["text"] = markdown(head, rows, remark)
        if not arguments.json:
            print(tables[-1]["text"] + "\n", flush=True)
    if arguments.json:
        print(json.dumps({"machine": machine(), "load": load_average(), "tables": tables}, indent=2))
    else:
        print(f"load average {load_average():.1f}\n{about(arguments.runs)}")
    if arguments.write:
        for place, made in zip(PARTS.values(), tables, strict=True):
            write_between_marks(place, f"{made['text']}\n\n{about(arguments.runs)}")


if __name__ == "__main__":
    main()
