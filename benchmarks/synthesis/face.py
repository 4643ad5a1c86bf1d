"""Learns a face's expressions from compskin_face_anim on the ICT face, and writes the model and its report.

    python -m benchmarks.synthesis.face [--data ../shared/data] [--out build/synthesis]

The curves are cut into labels by ``compskin_cuts.json`` beside this file. The data set states no frame rate: 60 per
second is our assumption. The eyes' directions are a label of their own; Bailey (2020) leaves them out.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigwright as rw
from benchmarks.synthesis.keep import keep
from rigwright._bench.timing import load_average, machine
from rigwright.progress import silent

CUTS = Path(__file__).with_name("compskin_cuts.json")


def labelled_clips(weights: NDArray[np.float32], cuts: dict[str, Any]) -> dict[str, list[rw.synthesis.Clip]]:
    """Clips of each label."""
    found = {}
    for label, ranges in cuts["labels"].items():
        found[label] = [
            rw.synthesis.Clip(weights[a:b], cuts["fps"], f"rows {a}-{b}", "compskin_face_anim", "Apache-2.0")
            for a, b in ranges
        ]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parents[2]
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=root / "build" / "synthesis")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    face, weights = rw.faces.ict_with_combinations(
        arguments.data / "ict_facekit", arguments.data / "compskin_face_anim"
    )
    cuts = json.loads(CUTS.read_text())
    print(f"{cuts['about']}\n{machine()} {load_average()}")
    start = time.perf_counter()
    synth = rw.synthesis.fit(labelled_clips(weights, cuts), rig=face, progress=silent)
    keep(synth, time.perf_counter() - start, arguments.out / "face", "ICT face with compskin's curves")


if __name__ == "__main__":
    main()
