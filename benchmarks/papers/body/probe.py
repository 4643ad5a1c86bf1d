"""Does the influence probe miss channels that move a vertex set? ``python -m benchmarks.papers.body.probe [--write]``.

For each body of the baselines, the channels that the probe found are compared with what the training poses show
(``rigcast.training._body.missed``): a channel that goes with what the found ones leave unexplained was missed, and
training reads it, too. The check is judged on channels that are known to act: each set forgets one of the channels that
move it by a millimeter or more, in turn, and the table says how many of these come back.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.baselines.sets import ROOT, subject
from benchmarks.marks import write_between_marks
from rigcast._timing import machine
from rigcast.training._body.influence import movement
from rigcast.training._body.outline import KnownPoses, bone_space
from rigcast.training._body.preparation import outlined
from rigcast.training._budget import Budget
from rigcast.training._body.settings import BodySettings

CLEAR = 1e-3  # meters that a forgotten channel moves a vertex of the set in the probe
TURNS = 4  # in each of which a set forgets another one


def row(name: str, ds: rc.Dataset, settings: BodySettings) -> list[str]:
    """Cells: pairs that the probe found and missed, with names; forgotten pairs that come back."""
    outline = outlined(ds, settings, Budget("body"))
    sets, poses = outline.sets, KnownPoses(ds, outline, settings, 0)
    probe: Any = ds.probe
    space = bone_space(ds, np.asarray(probe.poses), probe.vertices, outline)
    moved, threshold = movement(probe, sets, space), settings.influence_threshold / ds.meters_per_unit
    known = moved > threshold
    missed = poses.missed_channels(known, threshold)
    names = sorted({f"{ds.channel_names[n]} on {ds.joint_names[sets.joint[s]]}" for n, s in np.argwhere(missed)})
    returned, forgotten = _forgotten(poses, known, moved * ds.meters_per_unit > CLEAR, threshold)
    return [
        name,
        f"{len(sets)} sets, {len(known)} channels, {len(set(probe.base))} base poses",
        f"{known.sum():,} of {known.size:,}",
        f"{missed.sum()}" + (f": {', '.join(names[:6])}{', ...' if len(names) > 6 else ''}" if names else ""),
        f"{returned} of {forgotten}",
    ]


def _forgotten(poses: KnownPoses, known: Any, clear: Any, threshold: float) -> tuple[int, int]:
    """Of the pairs of a channel and a set that clearly move, each set forgets one at a time; how many are found."""
    lists = [np.flatnonzero(clear[:, s]) for s in range(known.shape[1])]
    returned = forgotten = 0
    for turn in range(min(max(map(len, lists)), TURNS)):
        less, gone = known.copy(), []
        for s, channels in enumerate(lists):
            if turn < len(channels):
                n = channels[np.random.default_rng([s, 1]).permutation(len(channels))[turn]]
                less[n, s] = False
                gone.append((n, s))
        found = poses.missed_channels(less, threshold)
        returned += sum(bool(found[pair]) for pair in gone)
        forgotten += len(gone)
    return returned, forgotten


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "baselines", help="folder of the sets")
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--only", nargs="+", choices=["body", "antonia", "glb"], default=["body", "antonia", "glb"])
    parser.add_argument("--write", action="store_true", help="write the table into docs/benchmarks")
    given = parser.parse_args()
    head = ["character", "", "pairs of channel and set found", "missed by the probe", "forgotten pairs that come back"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for name in given.only:
        found = subject(name, given.data, given.out, given.poses)
        cells = row(found.title, next(iter(found.training.values())), BodySettings())
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    text = "\n".join(lines) + f"\n\n{given.poses:,} random poses. {machine()}; rigcast {rc.__version__}."
    if given.write:
        write_between_marks("influence probe", text)


if __name__ == "__main__":
    main()
