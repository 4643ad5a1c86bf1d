"""Times a learned body beside PyTorch and ONNX Runtime: ``python -m benchmarks.systems.body.engine model.safetensors``.

``--targets`` does so with each instruction set of this processor and prints tables; ``--write`` puts that of batches
into docs/benchmarks/experiments/bodies/learned_body_speed.md.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.peers import compare
from benchmarks.systems.body import instruction_sets


def print_report(report: dict[str, Any]) -> None:
    """Sizes, and each job beside the peers."""
    sizes, versions = report["model"], report["versions"]
    print(report["machine"])
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    print(
        f"{sizes['sets']} sets, {sizes['vertices']} vertices, {sizes['bytes'] / 1e6:.1f} MB; load {report['load']:.1f}"
    )
    for row in report["rows"]:
        peers = "; ".join(
            f"{name} {1e3 * seconds:.2f} ms ({row['ratios'][name]:.1f} x)" for name, seconds in row["peers"].items()
        )
        narrower = "; ".join(f"{name} {1e3 * seconds:.3f} ms" for name, seconds in row["variants"].items())
        print(f"{row['job']}, {row['threads']} threads: {1e3 * row['seconds']:.3f} ms; {narrower}; {peers}")
        print(f"  largest difference {row['difference']:.1e}")
    for row in report["reading"]:
        caps = ", ".join(f"{name} {cap:.1f} x" for name, cap in row["caps"].items())
        print(
            f"{row['variant']}, {row['threads']} threads: {row['bytes'] / 1e6:.2f} MB, {row['share']:.0%} of "
            f"{row['bytes_per_second'] / 1e9:.1f} GB/s; caps: {caps or 'not measured'}"
        )
    for row in report["storages"]:
        print(f"{row['storage']}: mean {row['mean']:.2e}, {row['share_of_own_error']} of the model's own error")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a model file of kind body")
    parser.add_argument(
        "--data", help="a data set: poses to evaluate, and the rig's vertices for the model's own error"
    )
    parser.add_argument("--runs", type=int, default=30, help="rounds of each figure, at least 10")
    parser.add_argument("--batch", type=int, default=256, help="poses of the row for batches")
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    parser.add_argument("--targets", action="store_true", help="tables of all instruction sets of this processor")
    parser.add_argument("--write", action="store_true", help="with --targets: put that of batches into docs/benchmarks")
    arguments = parser.parse_args()
    if arguments.targets:
        more = ["--runs", str(arguments.runs), "--batch", str(arguments.batch)]
        more += ["--data", arguments.data] if arguments.data else []
        single, batches = instruction_sets.tables(arguments.model, more)
        print(f"{single}\n\n{batches}")
        if arguments.write:
            write_between_marks("batches by instruction set", batches)
        return
    poses, truth = None, None
    if arguments.data:
        dataset = rc.Dataset(arguments.data)
        poses, truth = dataset.poses[: arguments.batch], dataset.vertices[: arguments.batch]
    report = compare(arguments.model, poses, truth, runs=arguments.runs, batch=arguments.batch)
    if arguments.json:
        print(json.dumps(report, indent=2))
    else:
        print_report(report)


if __name__ == "__main__":
    main()
