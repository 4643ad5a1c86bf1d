"""Learns Antonia from random poses and judges it on motion capture that it never saw.

    python -m benchmarks.systems.body.antonia_body [--data ../shared/data] [--out build/antonia] [--minutes 4]

Antonia (65 joints, 41 sculpted correctives; ``benchmarks/systems/body/antonia.py`` says what is transferred and what is
original) is sampled at random within her joint limits; the motion capture in ``body_motion_bvh`` is retargeted onto
her by joint names. Stages that are done are re-used. Writes ``antonia.json`` into the folder.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.systems.body.antonia import antonia
from rigcast import report
from rigcast._atomic_files import atomic_write
from rigcast._rigs.skinned import SkinnedRig
from rigcast.progress import silent
from rigcast.report._body.heldout import held_out
from rigcast.report._body.measure import measure
from rigcast.sampling import Animation, sample
from rigcast.sources import joint_map, load_bvh, retarget, save_npz_rig

MOTIONS = {"01_01": 20, "jumping_jacks": 2, "dab": 8, "zombie": 16, "jumping": 12, "wave_hello": 16}  # every n-th frame


def motion_rows(rig: SkinnedRig, folder: Path) -> np.ndarray:
    """Channel rows of all clips, one after another, clipped to the joint limits."""
    clips = []
    for name, every in MOTIONS.items():
        motion = load_bvh(folder / f"{name}.bvh.gz").motion()[::every]
        result = retarget(motion, rig, joint_map(motion.joint_names, rig.joints.names))
        clips.append(np.clip(result.channels, *rig.channel_ranges.T))
        print(f"{name}: {len(result.channels)} frames, joints miss their rotations by {result.miss.mean():.1f} degrees")
    return np.concatenate(clips)


def train(training: rc.Dataset, out: Path, method: str, minutes: float) -> rc.Deformer:
    path = out / f"{method}-{minutes:g}.safetensors"
    if not path.exists() or rc.load(path).metadata.get("data_hash") != training.hash:
        rc.training.body(training, method=method, minutes=minutes, checkpoint=path.with_suffix(".checkpoint")).save(
            path
        )
    return rc.load(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parents[3]
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=root / "build" / "antonia")
    parser.add_argument("--count", type=int, default=5000, help="poses to learn from")
    parser.add_argument("--minutes", type=float, default=4.0, help="training time of either method")
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    save_npz_rig(out / "antonia.npz", antonia(arguments.data / "antonia_body"))
    rig = rc.sources.load(out / "antonia.npz")
    learned = sample(rig, out / f"training-{arguments.count}.rwdata", arguments.count, seed=0, workers=2)
    judged = sample(rig, out / "random.rwdata", 200, seed=1, workers=2, probe=0)
    rows = motion_rows(rig, arguments.data / "body_motion_bvh")
    moved = sample(rig, out / "motion.rwdata", sampler=Animation(rows), probe=0, workers=2)
    models = {"learned model": train(learned, out, "blended", arguments.minutes)}
    models["paper's variant"] = train(learned, out, "paper", arguments.minutes)
    for path in report.fit_skinning_baselines(learned, out, silent):
        models[path.stem.replace("skinning-", "linear skinning, K = ")] = rc.load(path)
    figures = {}
    for title, dataset in (("motion capture", moved), ("random poses", judged)):
        truth = held_out(dataset, title, at_most=1000)
        figures[title] = {name: measure(model, truth).figures() for name, model in models.items()}
        print(f"\n{title}, {len(truth.poses)} poses: mean mm, max mm, enveloping error %")
        for name, values in figures[title].items():
            row = (values["mean_mm"], values["max_mm"], values["enveloping_percent"])
            print(f"  {name:26}", *(f"{value:9.3f}" for value in row))
    atomic_write(out / "antonia.json", json.dumps(figures, indent=1).encode())


if __name__ == "__main__":
    main()
