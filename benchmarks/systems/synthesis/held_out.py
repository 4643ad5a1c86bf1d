"""Judges latent spaces of real motion by frames that they never saw, beside principal components and training frames.

    python -m benchmarks.systems.synthesis.held_out [--data ../shared/data] [--clips zombie,dab] [--components
        0] [--write]

Motion capture is retargeted onto Antonia (``benchmarks/systems/body/antonia.py``) at 24 frames per second, a label
per clip, and then all of it as one label, whose single space is sparse (inducing points) beyond 800 frames. Blocks of
12 frames, every fifth, are held out, the same ones in both; figures are root mean square distances of the mesh, in
millimeters.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.body.antonia import antonia
from rigcast._timing import load_average, machine

GOAL = 0.7  # times three principal components
BESIDE = (3, 6, 10, 20)
HEAD = (
    "| clip: held-out frames | latent space | 3 components | 6 | 10 | 20 | nearest frame "
    "| of 3 components, of the nearest frame |"
    f"\n|{' --- |' * 8}"
)


def row(title: str, clips: list[rc.synthesis.Clip], rig: Any, options: argparse.Namespace) -> tuple[str, float, int]:
    """Markdown of one label's figures, the mean distance of its held-out frames, and how many these are."""
    start = time.process_time()
    synth = rc.synthesis.fit(
        {"x": clips},
        rig=rig,
        dimensions=options.dimensions or None,
        components=options.components or None,
        iterations=options.iterations,
    )
    space = synth.space("x")
    found = space.held_out
    if found is None:
        return f"| {title}: none of {len(space)}, too short |  |  |  |  |  |  |  |", 0.0, 0
    size = f"{space.num_dimensions} dimensions of {space.num_components} components"
    share = f"{100 * space.explained:.1f} % of the variance"
    print(
        f"{title}: {len(synth.dropped)} controls dropped, {size} ({share}); {found.summary()}; "
        f"{time.process_time() - start:.0f} processor seconds",
        flush=True,
    )
    ratio, nearest = found.latent / found.principal[3], found.latent / found.nearest
    met = "met" if ratio <= GOAL and nearest < 1.0 else "not met"
    cells = [
        f"{title}: {found.frames} of {len(space)}",
        f"{found.latent:.1f}",
        *(f"{found.principal[count]:.1f}" for count in BESIDE),
        f"{found.nearest:.1f}",
        f"{ratio:.2f}, {nearest:.2f}: {met}",
    ]
    return f"| {' | '.join(cells)} |", found.latent, found.frames


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parents[3]
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data")
    parser.add_argument("--clips", default="zombie,dab", help="names of files in body_motion_bvh, by comma")
    parser.add_argument("--dimensions", type=int, default=3, help="0: chosen by the held-out frames")
    parser.add_argument("--components", type=int, default=0, help="0: chosen by the held-out frames")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks/latent_spaces.md")
    options = parser.parse_args()
    rig = antonia(options.data / "antonia_body")
    names = options.clips.split(",")
    clips = {name: rc.synthesis.read_clips(options.data / "body_motion_bvh" / f"{name}.bvh.gz", rig) for name in names}
    print(machine(), load_average())
    found = [row(name, own, rig, options) for name, own in clips.items()]
    whole = [clip for own in clips.values() for clip in own]
    one, error, count = row(f"one sparse space of {', '.join(names)}", whole, rig, options)
    apart = sum(mean * own for _, mean, own in found) / max(sum(own for _, _, own in found), 1)
    beside = (
        f"On the same {count} held-out frames, spaces per label are {apart:.1f} mm off, the single one {error:.1f}."
    )
    text = "\n".join([HEAD, *(line for line, _, _ in found), one, "", beside])
    print(text)
    if options.write:
        write_between_marks("held out", text)


if __name__ == "__main__":
    main()
