"""Measures the figures of learned bodies: ``./run bench``, after ``./run demo --full``.

Reads the demo's folder for the accuracy, trains the paper's variant on its poses (``paper_variant.py``), times the
demo's model beside PyTorch and ONNX Runtime in one run, and prints the tables; ``--write`` puts them into
docs/benchmarks between their marks.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.peers import compare
from benchmarks.systems.body import paper_variant, published, seams

ROOT = Path(__file__).resolve().parents[3]
NAMES = ("learned model", paper_variant.NAME, "linear skinning, K = 4", "linear skinning, all joints")


def accuracy_rows(numbers: dict[str, Any]) -> list[str]:
    """Mean and largest error of every contender on the held-out poses of the demo character."""
    rows = ["| demo character, held-out poses | random: mean, max | walk: mean, max |", "| --- | --- | --- |"]
    random, walk = numbers["accuracy"]["random poses"], numbers["accuracy"]["animation"]
    for name in NAMES:
        cells = " | ".join(f"{part[name]['mean_mm']:.3f}, {part[name]['max_mm']:.1f} mm" for part in (random, walk))
        rows.append(f"| {name} | {cells} |")
    return rows


def speed_rows(report: dict[str, Any], numbers: dict[str, Any]) -> list[str]:
    """Time of the engine and its peers for the same answer."""
    rows = ["| the same model, evaluated by | time | against the engine |", "| --- | --- | --- |"]
    for row in report["rows"]:
        what = f"{row['job']}, {row['threads']} thread{'s' if row['threads'] > 1 else ''}"
        rows.append(f"| rigcast: {what} | {1e3 * row['seconds']:.3f} ms | largest difference {row['difference']:.0e} |")
        for name, seconds in row["peers"].items():
            rows.append(f"| {name}: {what} | {1e3 * seconds:.2f} ms | {row['ratios'][name]:.1f} x |")
    host = numbers["host"]
    single = 1e3 * report["rows"][0]["seconds"]
    ratio = host["milliseconds"] / single
    rows.append(f"| the rig itself in {host['name']} | {host['milliseconds']:.2f} ms | {ratio:.0f} x |")
    return [*rows, published.speed_row()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", type=Path, default=ROOT / "demo", help="the folder that ./run demo made")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks")
    arguments = parser.parse_args()
    numbers = json.loads((arguments.demo / "report.json").read_text())["numbers"]
    paper = paper_variant.accuracy(arguments.demo, paper_variant.trained(arguments.demo))
    for title, errors in paper.items():
        numbers["accuracy"][title][paper_variant.NAME] = errors
    report = compare(arguments.demo / "model.safetensors", runs=arguments.runs)
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    size = numbers["model_bytes"]["learned model"] / 1e6
    files = {"learned model": "model.safetensors", paper_variant.NAME: paper_variant.FILE}
    trained = [
        f"{name} {rc.load(arguments.demo / file).metadata['training']['minutes']:g}" for name, file in files.items()
    ]
    parts = {
        "accuracy": [accuracy_rows(numbers)],
        "published figures of bodies": [published.accuracy_rows(), published.compared_rows()],
        "seams of bodies": [seams.rows(arguments.demo)],
        "speed of bodies": [
            speed_rows(report, numbers),
            [
                f"Model file {size:.1f} MB, float32. {report['machine']}; {versions}.",
                f"Medians of {arguments.runs} interleaved runs."
                f" Minutes of training on the demo character: {', '.join(trained)}.",
            ],
        ],
    }
    for name, tables in parts.items():
        text = "\n\n".join("\n".join(rows) for rows in tables)
        print(text + "\n")
        if arguments.write:
            write_between_marks(name, text)


if __name__ == "__main__":
    main()
