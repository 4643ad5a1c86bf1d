"""Learns six kinds of body motion on the figure Antonia, and writes the model and its report.

    python -m benchmarks.synthesis.body [--data ../shared/data] [--out build/synthesis]

Motion capture is retargeted onto Antonia (``benchmarks/body/antonia.py``), four labels of one clip
and one of two.
"""

from __future__ import annotations

import argparse
import time
from itertools import permutations
from pathlib import Path

import rigwright as rw
from benchmarks.body.antonia import antonia
from rigwright._bench.timing import load_average, machine

LABELS = {
    "zombie": ["zombie"],
    "dab": ["dab"],
    "walk": ["01_01"],
    "jump": ["jumping", "jumping_jacks"],
    "wave": ["wave_hello"],
}


def main() -> None:
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
    print(f"{synth} in {time.perf_counter() - start:.0f} s, {len(synth.dropped)} controls dropped")
    for label, space in synth.spaces.items():
        figures = "too short to hold frames out" if space.held_out is None else space.held_out.summary()
        print(f"  {label}: {len(space)} frames, {space.num_dimensions} dimensions of {space.num_components}; {figures}")
    within = sum(bridge.within for bridge in synth.bridges.values())
    longest = max((synth.route(a, b) for a, b in permutations(synth.labels, 2)), key=len)
    print(f"bridges within {synth.threshold:.3g} mm: {within} of {len(synth.labels) * (len(synth.labels) - 1)} ordered "
          f"pairs; the longest route: {' - '.join(longest)}")  # fmt: skip
    synth.save(arguments.out / "body.safetensors")
    rw.report.write_synthesis(arguments.out / "body.html", synth, name="Motion capture on Antonia")


if __name__ == "__main__":
    main()
