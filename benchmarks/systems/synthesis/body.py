"""Learns five kinds of body motion on a figure, and writes the model and its report.

    python -m benchmarks.systems.synthesis.body [--character antonia|demo] [--data ../shared/data] [--out
        build/synthesis]

Motion capture is retargeted onto Antonia (``benchmarks/systems/body/antonia.py``) or onto the character of ``./run
demo``, which Blender evaluates: one label per clip, and one of two clips.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import rigcast as rc
from benchmarks.systems.body.antonia import antonia
from benchmarks.systems.synthesis.keep import keep
from examples.characters.character import build_character
from rigcast._timing import load_average, machine

LABELS = {
    "zombie": ["zombie"],
    "dab": ["dab"],
    "walk": ["01_01"],
    "jump": ["jumping", "jumping_jacks"],
    "wave": ["wave_hello"],
}
NAMES = {"antonia": "Motion capture on Antonia", "demo": "Motion capture on the demo's character"}


@contextmanager
def character(name: str, data: Path, out: Path) -> Iterator[rc.sources.Rig]:
    """The rig that moves."""
    if name == "antonia":
        yield antonia(data / "antonia_body")
        return
    with rc.sources.load(build_character(out / "character.blend")) as rig:
        yield rig


def main() -> None:
    """Fit, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parents[3]
    parser.add_argument("--character", choices=list(NAMES), default="antonia")
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=root / "build" / "synthesis")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    folder = arguments.data / "body_motion_bvh"
    print(machine(), load_average())
    place = arguments.out / arguments.character
    with character(arguments.character, arguments.data, arguments.out) as rig:
        clips = {
            label: [clip for name in names for clip in rc.synthesis.read_clips(folder / f"{name}.bvh.gz", rig)]
            for label, names in LABELS.items()
        }
        for own in clips.values():
            print(*(f"{clip.origin}: {clip.note or 'nothing was cut off'}" for clip in own), sep="\n")
        start = time.perf_counter()
        synth = rc.synthesis.fit(clips, rig=rig, folder=place.with_suffix(".kept"))
        keep(synth, time.perf_counter() - start, place, NAMES[arguments.character])


if __name__ == "__main__":
    main()
