"""Table 4 of Bailey et al. 2018 on clips of many different poses: a learned body beside what is fitted to the clip.

    python -m benchmarks.papers.body.fitted_to_clips [--data ../shared/data] [--out build/body] [--only NAME ...]
        [--fitted] [--write]

The walk of the demo character is 40 nearly equal poses, which favors skinning and rotational regression that are fitted
to it. Here stand Antonia's motion capture, clipped to her joint limits and as captured, and a dance of the demo
character: jumping jacks, a dab and a zombie's walk, retargeted and clipped to its ranges. Every row says what it was
fitted to. Sets, models and rows are kept: an interrupted run goes on. Half an hour of processor time; ``--small`` shows
that it works.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from tests.support import trainings

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.papers.inverse.mismatched.kept import Kept, table
from benchmarks.systems.baselines.sets import ROOT, Subject, subject
from benchmarks.systems.baselines.table import SMALL, Method, judged, linear_blend, rotational
from benchmarks.systems.differential.contenders import Contender, kept
from examples.characters.character import build_character
from rigcast._timing import machine
from rigcast.sampling import Animation, sample

POSES, STEPS = 3000, 4000
DANCE = {"jumping_jacks": 2, "dab": 4, "zombie": 8}  # every n-th frame
FITTED = [linear_blend(4), linear_blend(None), rotational(2), rotational(15)]
LEARNED = {"the paper's recipe": {"method": "paper"}, "ours": {}}
CLIPS = {"antonia": ["motion capture, clipped", "motion capture, as captured"], "body": ["dance, clipped"]}


def dance(data: Path, out: Path) -> rc.Dataset:
    """The demo character dances within its ranges; sampled once."""
    folder = out / "body" / "dance.rwdata"
    if not (folder / "manifest.json").exists():
        with rc.sources.load(build_character(out / "body" / "character.blend")) as rig:
            moved = []
            for name, every in DANCE.items():
                motion = rc.sources.load_bvh(data / "body_motion_bvh" / f"{name}.bvh.gz").motion()[::every]
                joints = rc.sources.joint_map(motion.joint_names, rig.skeleton.names)
                moved.append(rc.sources.retarget(motion, rig, joints).channels)
            sample(rig, folder, sampler=Animation(np.concatenate(moved)), probe=0)
    return rc.Dataset(folder)


def fitted(method: Method, training: rc.Dataset, clip: rc.Dataset, small: bool) -> dict[str, float]:
    """The errors of a method that is fitted to the clip that judges it."""
    options = {name: min(value, SMALL[name]) if small and value else value for name, value in method.options.items()}
    return judged(method.fit(training, fit_on=clip, **options), clip)


def learned(training: rc.Dataset, out: Path, small: bool) -> dict[str, rc.Deformer]:
    """Bodies that learn from random poses, with as many steps each."""
    options: dict[str, Any] = {"steps": 20 if small else STEPS, "patience": 1_000_000}
    options |= {"hidden": 8, "max_components": 8} if small else {}
    made = {name: Contender(name, trainings.body, options | own, {}) for name, own in LEARNED.items()}
    return {name: kept(one, training, out).model for name, one in made.items()}


def rows_of(name: str, found: Subject, out: Path, small: bool, networks: bool) -> list[list[str]]:
    """All methods on all clips of a character."""
    training, lines = found.training["random poses"], []
    models = learned(training, out / name, small) if networks else {}
    for title in CLIPS[name]:
        clip = found.judged[title]
        hashes = [found.judged[clip].hash for clip in CLIPS[name]]
        rows = Kept(out / name / "table 4", {"clips": hashes, "small": small})
        judging = f"{found.title}, {title}, {len(clip)} frames"
        for method, model in models.items():
            row = judged(model, clip)
            lines.append([judging, method, f"{len(training):,} random poses", *figures(row)])
        for method in FITTED:
            row = rows.row(f"{title} {method.name}", lambda m=method, c=clip: fitted(m, training, c, small))
            lines.append([judging, method.name, "this clip", *figures(row)])
    return lines


def figures(row: dict[str, float]) -> list[str]:
    """Mean, largest and enveloping error."""
    return [f"{row['mean']:.3f}", f"{row['max']:.1f}", f"{row['enveloping']:.1f}"]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "body", help="folder of sets and models")
    parser.add_argument("--only", nargs="+", choices=list(CLIPS), default=list(CLIPS))
    parser.add_argument("--poses", type=int, default=POSES, help=f"to learn from (default {POSES})")
    parser.add_argument("--fitted", action="store_true", help="only what is fitted to the clips")
    parser.add_argument("--small", action="store_true", help="few poses and steps, to see that it works")
    parser.add_argument("--write", action="store_true", help="write the table into docs/benchmarks")
    given = parser.parse_args(arguments)
    if given.small and given.write:
        parser.error("--small writes no table")
    lines = []
    for name in given.only:
        found = subject(name, given.data, given.out, 60 if given.small else given.poses)
        if name == "body":
            found.judged["dance, clipped"] = dance(given.data, given.out)
        lines += rows_of(name, found, given.out, given.small, not given.fitted)
    text = table(["judged on", "method", "fitted to", "mean, mm", "max, mm", "EE, %"], lines)
    steps = "" if given.fitted else f"Learned bodies: {STEPS:,} steps. "
    text += f"\n\n{steps}{machine()}; rigcast {rc.__version__}."
    print(text)
    if given.write:
        write_between_marks("table 4 on other clips", text)


if __name__ == "__main__":
    main()
