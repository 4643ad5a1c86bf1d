"""The production face for deformation maps: more poses than the baselines use, and an influence probe.

python -m benchmarks.face_maps.sets [--data ../shared/data] [--out build/face_maps] [--poses 10000]

Half of the poses are curves x U(.25, 3) as they are drawn (training balances its minibatches itself), half are a few
dials each, anywhere in their ranges: the training curves move most dials alone, the judged performance 19 at a time.
The judged clips are those of ``benchmarks/baselines/sets.py``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import rigwright as rw
from benchmarks.baselines.sets import ROOT, Subject
from rigwright._demo.production_face import build_production_face
from rigwright._demo.production_face.clips import ASSUMPTION, NOISE
from rigwright.sampling import Animation, Mixture, clipped_share, sample, sample_actions

PROBE = 8  # base poses of the influence probe: sticky lips act only while the jaw is open a little, and 3 miss it
JUDGED = {"performance": "performance", "constructed clips, held out": "held out"}
TRAINING = "curves x U(.25, 3), and a few dials each"
MOST_DIALS = 32  # that a pose of ``FewDials`` moves


class FewDials:
    """Each pose moves 1 to 32 dials, chosen at random, anywhere in their ranges; the others rest."""

    def draw(self, ranges: np.ndarray, rest: np.ndarray, count: int, stream: Any) -> np.ndarray:
        """Channel rows (count, N)."""
        low, high = ranges.T
        places = np.argsort(stream.child(0).uniform(count, len(ranges)), axis=1).argsort(axis=1)
        moved = places < 1 + (MOST_DIALS * stream.child(1).uniform(count)).astype(int)[:, None]
        return np.where(moved, low + (high - low) * stream.child(2).uniform(count, len(ranges)), rest)

    def settings(self) -> dict[str, object]:
        """As it stands in a manifest."""
        return {"kind": "few dials", "most": MOST_DIALS}


def production_face(data: Path, out: Path, poses: int, seed: int = 0) -> Subject:
    """The face by its 154 dials. Finished sets are opened again, an interrupted one goes on."""
    out.mkdir(parents=True, exist_ok=True)
    path, judged = out / f"mixed-{poses}-{seed}-{PROBE}.rwdata", [out / f"{name}.rwdata" for name in JUDGED.values()]
    notes = [f"{ASSUMPTION}.", "Inputs: dials only. The constructed clips are ours, held out of training."]
    if all((folder / "manifest.json").exists() for folder in (path, *judged)):
        sets = [rw.Dataset(folder) for folder in judged]
        return Subject("Production face", {TRAINING: rw.Dataset(path)}, dict(zip(JUDGED, sets, strict=True)), notes)
    with rw.sources.load(build_production_face(out / "face.blend", data / "compskin_face_anim")) as bones:
        rig = rw.sources.dials_only(bones)
        names = list(rig.actions)
        held_out = [name for name in names if name.endswith("held out")]
        for folder, actions in zip(judged, (["performance"], held_out), strict=True):
            if not (folder / "manifest.json").exists():
                sample_actions(rig, folder, actions)
        known = [rig.action(name) for name in names if name not in ("performance", *held_out)]
        noisy = Animation.of(known, NOISE)
        print(f"{clipped_share(rig, noisy, poses):.1%} of all values lie on a bound of their range", flush=True)
        sample(rig, path, poses, sampler=Mixture([(1.0, noisy), (1.0, FewDials())]), seed=seed, probe=PROBE)
    return production_face(data, out, poses, seed)


def main() -> None:
    """Make the sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "face_maps")
    parser.add_argument("--poses", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = production_face(given.data, given.out, given.poses, given.seed)
    for title, dataset in {**found.training, **found.judged}.items():
        print(f"{title}: {len(dataset)} poses of {len(dataset.rest_vertices):,} vertices")


if __name__ == "__main__":
    main()
