"""Learns five kinds of body motion on the figure Antonia, and writes the model and its report.

    python -m benchmarks.synthesis.body [--data ../shared/data] [--out build/synthesis]

Motion capture is retargeted onto Antonia (``benchmarks/body/antonia.py``): one label per clip, and one of two clips.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import rigwright as rw
from benchmarks.body.antonia import antonia
from benchmarks.synthesis.keep import keep
from rigwright._bench.timing import load_average, machine

LABELS = {
    "zombie": ["zombie"],
    "dab": ["dab"],
    "walk": ["01_01"],
    "jump": ["jumping", "jumping_jacks"],
    "wave": ["wave_hello"],
}


def main() -> None:
    """Fit, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parents[2]
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=root / "build" / "synthesis")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    rig = antonia(arguments.data / "antonia_body")
    folder = arguments.data / "body_motion_bvh"
    clips = {
        label: [clip for name in names for clip in rw.synthesis.read_clips(folder / f"{name}.bvh.gz", rig)]
        for label, names in LABELS.items()
    }
    print(machine(), load_average())
    start = time.perf_counter()
    synth = rw.synthesis.fit(clips, rig=rig)
    keep(synth, time.perf_counter() - start, arguments.out / "body", "Motion capture on Antonia")


if __name__ == "__main__":
    main()
