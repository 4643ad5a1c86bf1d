"""Judges latent spaces of real motion by frames that they never saw, beside principal components and training frames.

    python -m benchmarks.synthesis.held_out [--data ../shared/data] [--clips zombie,dab] [--components 0]

Motion capture is retargeted onto Antonia (``benchmarks/body/antonia.py``) at 24 frames per second, a label per clip.
Blocks of 12 frames, every fifth, are held out; figures are root mean square distances of the mesh, in millimeters.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import rigwright as rw
from benchmarks.body.antonia import antonia
from rigwright._bench.timing import load_average, machine

GOAL = 0.7  # times three principal components


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parents[2]
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data")
    parser.add_argument("--clips", default="zombie,dab", help="names of files in body_motion_bvh, by comma")
    parser.add_argument("--dimensions", type=int, default=3, help="0: chosen by the held-out frames")
    parser.add_argument("--components", type=int, default=0, help="0: chosen by the held-out frames")
    parser.add_argument("--iterations", type=int, default=200)
    arguments = parser.parse_args()
    rig = antonia(arguments.data / "antonia_body")
    names = arguments.clips.split(",")
    clips = {
        name: rw.synthesis.read_clips(arguments.data / "body_motion_bvh" / f"{name}.bvh.gz", rig) for name in names
    }
    for own in clips.values():
        print(f"{own[0].origin}: {len(own[0])} frames; {own[0].note}")
    print(machine(), load_average())
    for name, own in clips.items():
        start = time.perf_counter()
        synth = rw.synthesis.fit(
            {name: own},
            rig=rig,
            dimensions=arguments.dimensions or None,
            components=arguments.components or None,
            iterations=arguments.iterations,
        )
        space = synth.space(name)
        figures = space.held_out
        if figures is None:
            print(f"{name}: {len(space)} frames, too few to hold any out")
            continue
        print(f"{name}: {figures.frames} of {len(space)} frames held out, {len(synth.dropped)} controls dropped, "
              f"{space.num_dimensions} dimensions, {space.num_components} components "
              f"({100 * space.explained:.1f} % of the variance), {time.perf_counter() - start:.0f} s")  # fmt: skip
        print(f"  {figures.summary()}")
        share = figures.latent / figures.principal[3]
        met = share <= GOAL and figures.latent < figures.nearest
        print(f"  {share:.2f} x three components, {figures.latent / figures.nearest:.2f} x the nearest frame: "
              f"{'met' if met else 'not met'} (goal {GOAL} x, below 1 x)")  # fmt: skip


if __name__ == "__main__":
    main()
