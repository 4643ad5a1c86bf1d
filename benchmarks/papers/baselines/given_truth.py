"""SSDR and KPSA given the truth, as the papers do: ``python -m benchmarks.papers.baselines.given_truth``.

Bailey 2020, section 3.4, takes skin weights from samples and the bones' motions from the judged frames. Song et al.
2020, section 4.4, take the key points from the original rig. Neither maps controls to vertices. Here they stand beside
the same methods with a regression from the controls, on vertices of the ICT face with combinations and of the
production face.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.papers.inverse.mismatched.kept import table
from benchmarks.papers.inverse.mismatched.scene import face_scene
from benchmarks.systems.face_maps.sets import POSES
from benchmarks.systems.face_maps.sets import production_face as subject

ROOT = Path(__file__).resolve().parents[3]
BONES, INFLUENCES, ROUNDS = (16, 24, 32), 8, 30
POINTS, VECTORS = 274, 200
SAMPLES, DECOMPOSED, JUDGED = 600, 250, slice(0, 200, 4)
EVERY, FRAMES, LEARNED = 5, 50, 2000  # of the production face: vertices, judged frames of each clip, samples


@dataclass(frozen=True)
class Judged:
    """Samples that are fitted, and clips that judge, in the rig's unit.

    Attributes
    ----------
    samples : Samples
    clips : dict
        Controls (T, K) and true vertices (T, V, 3) by clip.
    millimeters : float
        Per unit.
    """

    samples: rc.baselines.Samples
    clips: dict[str, tuple[np.ndarray, np.ndarray]]
    millimeters: float


def rows_of(judged: Judged) -> list[list[str]]:
    """The table: each method by regression and given the truth, on every clip."""
    data, clips = judged.samples, judged.clips
    rest, shapes = np.asarray(data.rest_vertices), np.asarray(data.vertices)
    lines: dict[str, list[list[str]]] = {clip: [] for clip in clips}

    def add(name: str, driven: str, answer: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
        for clip, (controls, truth) in clips.items():
            apart = judged.millimeters * np.linalg.norm(answer(controls, truth) - truth, axis=2)
            lines[clip].append([clip, name, driven, f"{apart.mean():.4f}", f"{apart.max():.2f}"])

    add("rest", "", lambda controls, truth: np.broadcast_to(rest, truth.shape))
    ssdr = rc.baselines.ssdr(data, bones=BONES[-1], influences=INFLUENCES, most_frames=DECOMPOSED)
    add(f"SSDR, {BONES[-1]} bones", "regression from the controls", lambda controls, truth: ssdr.evaluate(controls))
    for bones in BONES:
        found = rc.baselines.skinning_decomposition(rest, shapes[:DECOMPOSED], bones, influences=INFLUENCES)
        given: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda controls, truth, found=found: (  # noqa: E731
            found.bones_of(truth, rounds=ROUNDS).evaluate()
        )
        add(f"SSDR, {bones} bones", "weights of the samples, bones of the judged frames", given)
    driven = rc.baselines.kpsa(data, points=POINTS, vectors=VECTORS)
    add(f"KPSA, {POINTS} points", "regression from the controls", lambda controls, truth: driven.evaluate(controls))
    space = rc.baselines.key_point_subspace(shapes, POINTS, VECTORS)
    name = f"KPSA, {POINTS} points"
    add(name, "key points of the rig", lambda controls, truth: space.reconstruct(truth[:, space.points]))
    return [line for clip in clips for line in lines[clip]]


def ict_face(given: argparse.Namespace) -> Judged:
    """Some vertices of the ICT face with combinations, judged on its performance."""
    scene = face_scene(given.data, given.kept, 2000, given.vertices)
    rng = np.random.default_rng(0)
    rows = rng.integers(300, 2000, SAMPLES)
    controls = np.clip(scene.judged[rows] * rng.uniform(0.25, 3.0, (SAMPLES, 1)), 0.0, 1.0).astype(np.float32)
    rest = np.asarray(scene.judge.rest_vertices, np.float32)
    data = rc.baselines.Samples(None, rest, np.int32([[0, 1, 2]]), controls, scene.posed(controls))
    asked = scene.judged[JUDGED].astype(np.float32)
    clips = {"performance": (asked, scene.posed(asked).astype(np.float64))}
    return Judged(data, clips, 1e3 * float(scene.judge.meters_per_unit))


def production_face(given: argparse.Namespace) -> Judged:
    """Every fifth vertex of the production face, on the sets of ``benchmarks/systems/face_maps/sets.py``."""
    found = subject(given.data, given.sets, given.poses)
    training = next(iter(found.training.values()))
    chosen = np.arange(0, len(training.rest_vertices), EVERY)

    def part(data: rc.Dataset, count: int) -> tuple[np.ndarray, np.ndarray]:
        rows = np.unique(np.linspace(0, len(data) - 1, min(len(data), count)).round().astype(int))
        _, poses, vertices = data.take(rows)
        return np.asarray(poses), np.ascontiguousarray(np.asarray(vertices)[:, chosen])

    controls, shapes = part(training, LEARNED)
    rest = np.ascontiguousarray(np.asarray(training.rest_vertices)[chosen])
    samples = rc.baselines.Samples(None, rest, np.int32([[0, 1, 2]]), controls, shapes)
    clips = {name: part(data, FRAMES) for name, data in found.judged.items()}
    return Judged(samples, clips, 1e3 * float(training.meters_per_unit))


FACES = {"given the truth": ict_face, "given the truth on the production face": production_face}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "mismatch")
    parser.add_argument("--sets", type=Path, default=ROOT / "build" / "face_maps", help="of the production face")
    parser.add_argument("--poses", type=int, default=POSES, help="that the sets of the production face have")
    parser.add_argument("--vertices", type=int, default=2000, help="of the ICT face")
    parser.add_argument("--only", nargs="+", choices=list(FACES), default=list(FACES))
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for name in given.only:
        text = table(["clip", "method", "driven by", "mean, mm", "max, mm"], rows_of(FACES[name](given)))
        print(f"{name}\n{text}", flush=True)
        if given.write:
            write_between_marks(name, text)


if __name__ == "__main__":
    main()
