"""Accuracy of deformation maps on the production face: each figure beside its goal, the gate and the floor.

    python -m benchmarks.face_maps.accuracy [--minutes 10] [--poses 10000] [--seed 0] [--out build/face_maps]
        [--set NAME=VALUE ...] [--without-peers]

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

import numpy as np

import rigwright as rw
from benchmarks.baselines.gate import gates
from benchmarks.baselines.sets import ROOT
from benchmarks.face_maps.figures import Judged, coarse_only, false_links, floors, judged, rigid_errors, vertex_links
from benchmarks.face_maps.sets import TRAINING, production_face
from rigwright._resume.fingerprints import fingerprint

PEER_MINUTES = 4.0
BONES = 32
MOST_LINK = 0.02  # mm that a control may move a region that it does not move in the rig


def kept(path: Path, make: Callable[[], rw.Deformer]) -> rw.Deformer:
    """A model that is trained once."""
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        make().save(path)
    return rw.load(path)


def main() -> None:
    """Train, or go on, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "face_maps")
    parser.add_argument("--poses", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="settings of face_maps")
    parser.add_argument("--without-peers", action="store_true", help="no dense network, no SSDR")
    given = parser.parse_args()
    found = production_face(given.data, given.out, given.poses, given.seed)
    training = found.training[TRAINING]
    settings = dict(entry.split("=", 1) for entry in given.set)
    options = {name: _value(text) for name, text in settings.items()}
    mark = fingerprint(training.hash, given.minutes, sorted(settings.items()))[:12]
    path = given.out / "models" / f"maps-{mark}.safetensors"

    def train() -> rw.Deformer:
        file = Path(f"{path}.checkpoint")
        budget = {"minutes": given.minutes} if "steps" not in options else {}
        return rw.training.face_maps(training, threads=1, checkpoint=file, progress=_say, **budget, **options)

    model = kept(path, train)
    gate = gates(found, given.out)[TRAINING]
    print(*model.metadata["face_maps"]["notes"], sep="\n")
    print(f"{path.stat().st_size / 1e6:.1f} MB, load {os.getloadavg()[0]:.0f}; {given.minutes:g} minutes; {settings}")
    peers = {} if given.without_peers else _peers(training, given.out / "models")
    for clip, data in found.judged.items():
        best = gate[clip].best
        unit = 1e3 * data.meters_per_unit
        gate_most = min(method.max for method in gate[clip].methods) * unit
        floor, below = floors(model, data)
        coarse, refined = judged(coarse_only(model), data), judged(model, data)
        print(
            f"\n{clip}: {len(data)} frames; gate: {best.name} {unit * best.mean:.3f} mm, least max {gate_most:.2f} mm"
        )
        _row("coarse maps", coarse, f"goal {1.5 * floor[0] + 0.1:.3f}; floor {floor[0]:.3f} / {floor[1]:.2f}", True)
        goal = f"goal {unit * best.mean / 2:.3f} / {gate_most / 2:.2f} / 1.00, below {floor[0]:.3f}"
        _row("refined maps", refined, f"{goal}; floor {below[0]:.3f} / {below[1]:.2f}", True)
        for name, peer in peers.items():
            _row(name, judged(peer, data))
    clip = next(iter(found.judged.values()))
    links = false_links(model, clip, training)
    for name, most in links.items():
        print(f"false links of {name}: {most:.4f} mm (goal {MOST_LINK} mm)")
    print(
        "links of each vertex by itself: mean {:.4f}, 99 % {:.3f}, max {:.3f} mm".format(
            *vertex_links(model, clip, training)
        )
    )
    for clip, data in found.judged.items():
        for name, error in rigid_errors(model, data).items():
            print(f"rigid: {name} in {clip}: RMS {error:.3f} mm (goal 0.3 mm)")


def _peers(training: rw.Dataset, folder: Path) -> dict[str, rw.Deformer]:
    """The dense network per segment, and SSDR moved by regression."""
    return {
        "dense network per segment": kept(
            folder / "dense.safetensors",
            lambda: rw.baselines.dense_network(training, minutes=PEER_MINUTES, threads=1),
        ),
        f"SSDR, {BONES} bones": kept(
            folder / "ssdr.safetensors",
            lambda: rw.baselines.ssdr(training, bones=BONES, influences=8, rows=np.arange(0, len(training), 6)),
        ),
    }


def _row(name: str, figures: Judged, beside: str = "", moving: bool = False) -> None:
    own = f" (moving vertices {figures.moving_mean:.3f})" if moving else ""
    print(
        f"  {name:26} {figures.mean:.3f} mm mean{own}, {figures.most:.2f} max, normals {figures.normals:.2f}  {beside}"
    )


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _say(progress: rw.progress.Progress) -> None:
    if progress.message:
        print(f"{progress.stage} {progress.done:.0%}: {progress.message}", flush=True)


if __name__ == "__main__":
    main()
