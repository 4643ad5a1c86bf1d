"""SSDR and KPSA given the truth, as the papers do: ``python -m benchmarks.papers.baselines.given_truth``.

Bailey 2020, section 3.4, takes skin weights from samples and the bones' motions from the judged frames. Song et al.
2020, section 4.4, take the key points from the original rig. Neither maps controls to vertices. Here they stand beside
the same methods with a regression from the controls, on vertices of the ICT face with combinations.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.papers.inverse.mismatched.kept import table
from benchmarks.papers.inverse.mismatched.scene import face_scene

ROOT = Path(__file__).resolve().parents[3]
BONES, INFLUENCES, ROUNDS = (16, 24, 32), 8, 30
POINTS, VECTORS = 274, 200
SAMPLES, DECOMPOSED, JUDGED = 600, 250, slice(0, 200, 4)


def bones_of(found: rc.baselines.SkinningDecomposition, frames: np.ndarray) -> np.ndarray:
    """The vertices (T, V, 3) of the rigid motions that bring the bones' weights nearest to frames.

    One bone after another, each in closed form (Le and Deng 2012, section 4.2), with the weights held.
    """
    rest = found.rest_vertices.astype(np.float64)
    weight = np.zeros((len(rest), int(found.bone.max()) + 1))
    np.add.at(weight, (np.arange(len(rest))[:, None], found.bone), found.weight)
    motions = np.tile(np.eye(3, 4), (len(frames), weight.shape[1], 1, 1))
    left = frames - rest * weight.sum(axis=1)[:, None]
    for _ in range(ROUNDS):
        for b in range(weight.shape[1]):
            own = np.flatnonzero(weight[:, b] > 0)
            w, p = weight[own, b], rest[own]
            if len(own) < 3:
                continue
            old = p @ motions[:, b, :, :3].transpose(0, 2, 1) + motions[:, b, None, :, 3]
            wanted = left[:, own] + w[:, None] * old
            total = float(w @ w)
            center, goal = (w**2) @ p / total, np.einsum("v,tvi->ti", w, wanted) / total
            moment = np.einsum("vi,tvj->tij", w[:, None] * (p - center), wanted - w[:, None] * goal[:, None])
            u, _, vt = np.linalg.svd(moment)
            sign = np.sign(np.linalg.det(u @ vt))
            u[:, :, 2] *= sign[:, None]
            turn = (u @ vt).transpose(0, 2, 1)
            motions[:, b, :, :3], motions[:, b, :, 3] = turn, goal - turn @ center
            new = p @ turn.transpose(0, 2, 1) + motions[:, b, None, :, 3]
            left[:, own] = wanted - w[:, None] * new
    return frames - left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "mismatch")
    parser.add_argument("--vertices", type=int, default=2000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    scene = face_scene(given.data, given.kept, 2000, given.vertices)
    rng = np.random.default_rng(0)
    rows = rng.integers(300, 2000, SAMPLES)
    controls = np.clip(scene.judged[rows] * rng.uniform(0.25, 3.0, (SAMPLES, 1)), 0.0, 1.0).astype(np.float32)
    samples, judged = scene.posed(controls), scene.posed(scene.judged[JUDGED]).astype(np.float64)
    rest = np.asarray(scene.judge.rest_vertices, np.float32)
    unit = 1e3 * float(scene.judge.meters_per_unit)

    def row(name: str, driven: str, vertices: np.ndarray) -> list[str]:
        apart = unit * np.linalg.norm(vertices - judged, axis=2)
        return [name, driven, f"{apart.mean():.4f}", f"{apart.max():.2f}"]

    lines = [row("rest", "", np.broadcast_to(rest, judged.shape))]
    data = rc.baselines.Samples(None, rest, np.int32([[0, 1, 2]]), controls, samples)
    asked = scene.judged[JUDGED].astype(np.float32)
    regressed = rc.baselines.ssdr(data, bones=BONES[-1], influences=INFLUENCES)
    lines.append(row(f"SSDR, {BONES[-1]} bones", "regression from the controls", regressed.evaluate(asked)))
    for bones in BONES:
        found = rc.baselines.skinning_decomposition(rest, samples[:DECOMPOSED], bones, INFLUENCES)
        how = "weights of the samples, bones of the judged frames"
        lines.append(row(f"SSDR, {bones} bones", how, bones_of(found, judged)))
    subspace = rc.baselines.key_point_subspace(samples, POINTS, VECTORS)
    driven = rc.baselines.kpsa(data, points=POINTS, vectors=VECTORS).evaluate(asked)
    lines.append(row(f"KPSA, {POINTS} points", "regression from the controls", driven))
    lines.append(
        row(f"KPSA, {POINTS} points", "key points of the rig", subspace.reconstruct(judged[:, subspace.points]))
    )
    text = table(["method", "driven by", "mean, mm", "max, mm"], lines)
    print(text)
    if given.write:
        write_between_marks("given the truth", text)


if __name__ == "__main__":
    main()
