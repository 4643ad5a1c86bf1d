"""Accuracy of deformation maps on the production face: each figure beside its goal, the gate and the floor.

    python -m benchmarks.systems.face_maps.accuracy [--minutes 10] [--poses 32000] [--seed 0] [--out build/face_maps]
        [--set NAME=VALUE ...] [--without-peers] [--write]

Trainings are kept and resumed. Judged on rows 0 to 199 of compskin_face_anim and on two constructed clips that are held
out; goals are half of what the best simple method leaves (mean and max), normals below 1 degree, coarse maps within
1.5 x their floor + .1 mm, refined maps below the coarse floor. Floors are the best maps for the judged frames
themselves, over the vertices that move in them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tests.support.trainings import train_with

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.baselines.gate import gates
from benchmarks.systems.baselines.sets import ROOT
from benchmarks.systems.face_maps.figures import (
    Judged,
    coarse_only,
    false_links,
    floors,
    judged,
    rigid_errors,
    vertex_links,
)
from benchmarks.systems.face_maps.sets import POSES, TRAINING, production_face
from rigcast._resume.fingerprints import fingerprint

PEER_MINUTES = 4.0
DENSE_EVERY = 3  # row that the dense network is trained on: it takes 24 GB with all of them
BONES = 32
HEAD = (
    "| clip | model | mean, mm | of moving vertices | max, mm | normals, degrees | goal: mean / max / normals "
    "| floor: mean / max |",
    "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |",
)
MOST_LINK = 0.02  # mm that a control may move a region that it does not move in the rig


def kept(path: Path, make: Callable[[], rc.Deformer]) -> rc.Deformer:
    """A model that is trained once."""
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        make().save(path)
    return rc.load(path)


def main() -> None:
    """Train, or go on, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "face_maps")
    parser.add_argument("--poses", type=int, default=POSES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="settings of face_maps")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks")
    parser.add_argument("--without-peers", action="store_true", help="no dense network, no SSDR")
    given = parser.parse_args()
    found = production_face(given.data, given.out, given.poses, given.seed)
    training = found.training[TRAINING]
    settings = dict(entry.split("=", 1) for entry in given.set)
    options = {name: _value(text) for name, text in settings.items()}
    mark = fingerprint(training.hash, given.minutes, sorted(settings.items()))[:12]
    path = given.out / "models" / f"maps-{mark}.safetensors"

    def train() -> rc.Deformer:
        file = Path(f"{path}.checkpoint")
        budget = {"minutes": given.minutes} if "steps" not in options else {}
        words = budget | options
        return train_with("face_maps", training, threads=1, checkpoint=file, progress=_say, **words)

    model = kept(path, train)
    peers = {} if given.without_peers else _peers(training, given.out / "models")
    about = f"Trained for {given.minutes:g} minutes on one thread; settings: {settings or 'defaults'}."
    work = f"{model.multiply_adds() / 1e6:.0f} M multiply-adds per pose"
    size = f"File {path.stat().st_size / 1e6:.1f} MB, {work}. Load {os.getloadavg()[0]:.0f}."
    gate = gates(found, given.out)[TRAINING]
    clips = [line for clip, data in found.judged.items() for line in _clip(clip, data, gate[clip], model, peers)]
    links, rigid = _links(model, next(iter(found.judged.values())), training), _rigid(model, found.judged)
    texts = {
        "accuracy of deformation maps": "\n".join([*HEAD, *clips, "", f"{about} {size}"]),
        "details of deformation maps": "\n\n".join(
            [links, rigid, "\n".join(f"- {note}" for note in model.metadata["face_maps"]["notes"])]
        ),
    }
    print("\n\n".join(texts.values()))
    if given.write:
        for name, text in texts.items():
            write_between_marks(name, text)


def _clip(clip: str, data: rc.Dataset, gate: Any, model: rc.Deformer, peers: dict[str, rc.Deformer]) -> list[str]:
    """The rows of a judged clip."""
    unit, best = 1e3 * data.meters_per_unit, gate.best
    most = unit * min(method.max for method in gate.methods)
    floor, below = floors(model, data)
    goal = f"{unit * best.mean / 2:.3f}, and of moving below {floor[0]:.3f} / {most / 2:.2f} / 1.00"
    lines = [
        _row(clip, "refined maps", judged(model, data), goal, below),
        _row(clip, "coarse maps", judged(coarse_only(model), data), f"{1.5 * floor[0] + 0.1:.3f} of moving", floor),
        f"| {clip} | gate: {best.name} | {unit * best.mean:.3f} | – | {most:.2f} | – | | |",
    ]
    return lines + [_row(clip, name, judged(peer, data)) for name, peer in peers.items()]


def _row(clip: str, name: str, found: Judged, goal: str = "", floor: tuple[float, float] | None = None) -> str:
    figures = f"{found.mean:.3f} | {found.moving_mean:.3f} | {found.most:.2f} | {found.normals:.2f}"
    return f"| {clip} | {name} | {figures} | {goal} | {'' if floor is None else f'{floor[0]:.3f} / {floor[1]:.2f}'} |"


def _links(model: rc.Deformer, clip: rc.Dataset, training: rc.Dataset) -> str:
    """Table of false links."""
    links = false_links(model, clip, training)
    lines = [
        "| region | moved by controls that do not move it in the rig, all at once, mm | goal |",
        "| --- | ---: | --- |",
    ]
    lines += [f"| {name} | {most:.4f} | {MOST_LINK} |" for name, most in links.items()]
    mean, high, most = vertex_links(model, clip, training)
    others = f"{mean:.3f} mm mean, 99 % below {high:.3f}, max {most:.3f}"
    lines.append(f"\nEach vertex by all controls that do not move it itself: {others}.")
    return "\n".join(lines)


def _rigid(model: rc.Deformer, clips: dict[str, rc.Dataset]) -> str:
    """Table of rigid parts."""
    lines = ["| rigid part | clip | RMS, mm | goal |", "| --- | --- | ---: | --- |"]
    for clip, data in clips.items():
        lines += [f"| {name} | {clip} | {error:.3f} | 0.3 |" for name, error in rigid_errors(model, data).items()]
    return "\n".join(lines)


def _peers(training: rc.Dataset, folder: Path) -> dict[str, rc.Deformer]:
    """The dense network per segment, and SSDR moved by regression."""
    return {
        "dense network per segment": kept(
            folder / "dense.safetensors",
            lambda: rc.baselines.dense_network(
                training, minutes=PEER_MINUTES, threads=1, rows=np.arange(0, len(training), DENSE_EVERY)
            ),
        ),
        f"SSDR, {BONES} bones, driven by regression": kept(
            folder / "ssdr.safetensors",
            lambda: rc.baselines.ssdr(training, bones=BONES, influences=8, rows=np.arange(0, len(training), 6)),
        ),
    }


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _say(progress: rc.progress.Progress) -> None:
    if progress.message:
        print(f"{progress.stage} {progress.done:.0%}: {progress.message}", flush=True)


if __name__ == "__main__":
    main()
