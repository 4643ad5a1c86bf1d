"""The production face for deformation maps: more poses than the baselines use, and an influence probe.

python -m benchmarks.systems.face_maps.sets [--data ../shared/data] [--out build/face_maps] [--poses 32000]

A third of the poses are curves x U(.25, 3) as they are drawn (training balances its minibatches itself), two thirds
are those of ``rigcast.sampling.Sparse``: the training curves move most dials alone, the judged performance 19 at a
time. The judged clips are those of ``benchmarks/systems/baselines/sets.py``. The kind of the training poses was
chosen by trials on them, so two more clips are judged, constructed with another seed, which no choice has seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import rigcast as rc
from benchmarks.systems.baselines.sets import ROOT, Subject
from examples.characters.production_face import build_production_face
from examples.characters.production_face.clips import ASSUMPTION, NOISE, constructed_clips
from rigcast.sampling import Animation, Mixture, Sparse, clipped_share, sample, sample_actions

POSES = 32000
PROBE = 16  # base poses of the influence probe: sticky lips act only while the jaw is open a little, and 8 can miss it
UNSEEN_SEED = 20261126  # of the clips that no choice has seen
JUDGED = {
    "performance": "performance",
    "constructed clips, held out": "held out",
    "constructed clips, seen by no choice": "unseen",
}
TRAINING = "curves x U(.25, 3), and sparse poses"


def production_face(data: Path, out: Path, poses: int, seed: int = 0) -> Subject:
    """The face by its 154 dials. Finished sets are opened again, an interrupted one goes on."""
    out.mkdir(parents=True, exist_ok=True)
    path, judged = out / f"mixed-{poses}-{seed}-{PROBE}.rwdata", [out / f"{name}.rwdata" for name in JUDGED.values()]
    notes = [f"{ASSUMPTION}.", "Inputs: dials only. The constructed clips are ours, held out of training."]
    if all((folder / "manifest.json").exists() for folder in (path, *judged)):
        sets = [rc.Dataset(folder) for folder in judged]
        return Subject("Production face", {TRAINING: rc.Dataset(path)}, dict(zip(JUDGED, sets, strict=True)), notes)
    with rc.sources.load(build_production_face(out / "face.blend", data / "compskin_face_anim")) as bones:
        rig = rc.sources.dials_only(bones)
        names = list(rig.actions)
        held_out = [name for name in names if name.endswith("held out")]
        for folder, actions in zip(judged, (["performance"], held_out, unseen_clips()), strict=True):
            if not (folder / "manifest.json").exists():
                sample_actions(rig, folder, actions)
        known = [rig.action(name) for name in names if name not in ("performance", *held_out)]
        noisy = Animation.of(known, NOISE)
        print(f"{clipped_share(rig, noisy, poses):.1%} of all values lie on a bound of their range", flush=True)
        mixed = Mixture([(1.0, noisy), (2.0, Sparse())])
        sample(rig, path, poses, sampler=mixed, seed=seed, probe=PROBE, workers=0)
    return production_face(data, out, poses, seed)


def unseen_clips() -> Sequence[Any]:
    """Rows (T, N) of the dials in two constructed clips."""
    return [clip.rows for clip in constructed_clips(UNSEEN_SEED) if clip.judged]


def main() -> None:
    """Make the sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "face_maps")
    parser.add_argument("--poses", type=int, default=POSES)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = production_face(given.data, given.out, given.poses, given.seed)
    for title, dataset in {**found.training, **found.judged}.items():
        print(f"{title}: {len(dataset)} poses of {len(dataset.rest_vertices):,} vertices")


if __name__ == "__main__":
    main()
