"""Times a learned body beside PyTorch and ONNX Runtime: ``python -m benchmarks.body.engine model.safetensors``."""

from __future__ import annotations

import argparse
import json

from rigwright import _bench as bench


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a model file of kind body")
    parser.add_argument("--runs", type=int, default=30, help="rounds of each figure, at least 10")
    parser.add_argument("--batch", type=int, default=256, help="poses of the row for batches")
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    arguments = parser.parse_args()
    report = bench.body(arguments.model, runs=arguments.runs, batch=arguments.batch)
    if arguments.json:
        print(json.dumps(report, indent=2))
        return
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
        print(f"{row['job']}, {row['threads']} threads: {1e3 * row['seconds']:.3f} ms; {peers}")
        print(f"  largest difference {row['difference']:.1e}")


if __name__ == "__main__":
    main()
