"""Deformation maps trained with and without the loss of motion on the screen, judged on curves of a real performance.

    python -m benchmarks.systems.perception.motion_loss [--steps 300] [--poses 400] [--weights 0 1 3]
        [--seeds 3] [--out build/motion_loss] [--jod] [--write]

The face is ICT's with the controls and curves of compskin_face_anim and constructed combinations. Coarse networks
alone, without regressed shapes under them: what those leave is too little to tell losses apart. Trained on one thread
with the same steps and rows, once per seed; rows 0 to 199 of the curves are judged. A row is the mean over the seeds
and their standard deviation. Trainings are kept and resumed.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast.sampling import Animation, Clip, Mixture, Sparse, sample

ROOT = Path(__file__).resolve().parents[3]
JUDGED = 200  # first rows of the curves
NOISE = 0.05
HEAD = (
    "| weight of the motion loss | mean, mm | max, mm | screen, mean px | screen, max px | JOD lost |",
    "| ---: | ---: | ---: | ---: | ---: | ---: |",
)


class DialRig:
    """A blendshape rig as a rig of dials, which data sets are sampled from."""

    skeleton = None
    meters_per_unit, up_axis, licence, origin = 0.01, "Y", "MIT", "ICT FaceKit, compskin_face_anim"
    name = "ICT face"

    def __init__(self, face: rc.BlendshapeRig) -> None:
        self._face = face
        self.rest_vertices, self.faces = face.rest_vertices, face.faces
        self.dial_names = self.channel_names = list(face.shape_names)
        self.channel_ranges = np.tile([0.0, 1.0], (face.num_shapes, 1))

    def sample(self, channels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and vertices."""
        rows = np.asarray(channels, np.float32)
        return rows, self._face.evaluate(rows)


def main() -> None:
    """Train, or go on, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "motion_loss")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--poses", type=int, default=400)
    parser.add_argument("--weights", type=float, nargs="+", default=[0.0, 1.0, 3.0])
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each row")
    parser.add_argument("--jod", action="store_true", help="with ColorVideoVDP")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    compskin = given.data / "compskin_face_anim"
    face, curves = rc.faces.ict_with_combinations(given.data / "ict_facekit", compskin)
    data = _sampled(face, curves[JUDGED:].astype(np.float64), given.out, given.poses)
    truth = face.evaluate(curves[:JUDGED])
    lines = [*HEAD]
    for weight in given.weights:
        figures = []
        for seed in range(given.seeds):
            path = given.out / f"maps-{data.hash[:8]}-{given.steps}-{weight:g}-{seed}.safetensors"
            model = _trained(data, path, given.steps, weight, seed)
            figures.append(_figures(face, truth, curves[:JUDGED], model, given.jod))
            print(f"weight {weight:g}, seed {seed}:", figures[-1], flush=True)
        lines.append(_row(weight, np.array(figures)))
        print(lines[-1], flush=True)
    about = f"{given.steps:,} steps on {given.poses:,} poses, one thread, {given.seeds} seeds (mean and deviation); "
    about += f"{JUDGED} judged frames at 2 m, 1,080 pixels, "
    text = "\n".join([*lines, "", f"{about}40 degrees: a pixel is 1.35 mm. Load {os.getloadavg()[0]:.0f}."])
    print(text)
    if given.write:
        write_between_marks("what the motion loss buys", text)


def _sampled(face: rc.BlendshapeRig, curves: np.ndarray, out: Path, poses: int) -> rc.Dataset:
    path = out / f"poses-{poses}.rwdata"
    if not (path / "manifest.json").exists():
        known = Animation(curves, NOISE, [Clip("curves", 30.0)], np.zeros(len(curves), int))
        sample(DialRig(face), path, poses, sampler=Mixture([(1.0, known), (1.0, Sparse())]), seed=0, probe=2)
    return rc.Dataset(path)


def _trained(data: rc.Dataset, path: Path, steps: int, weight: float, seed: int) -> rc.Deformer:
    if not path.exists():
        began = time.monotonic()
        settings = rc.training.FaceMapsSettings(motion_weight=weight, base=False, refinement=0.0)
        rc.training.face_maps(
            data, settings=settings, steps=steps, seed=seed, threads=1, checkpoint=Path(f"{path}.checkpoint")
        ).save(path)
        print(f"weight {weight:g}: {time.monotonic() - began:.0f} s", flush=True)
    return rc.load(path)


def _figures(
    face: rc.BlendshapeRig, truth: np.ndarray, weights: np.ndarray, model: rc.Deformer, jod: bool
) -> list[float]:
    """Mean and largest error in mm, on the screen in pixels, and the JOD lost (NaN where not asked for)."""
    found = model.evaluate(weights)
    error = rc.metrics.vertex_error(truth, found)
    viewing = rc.perception.Viewing()
    camera = viewing.camera(face.rest_vertices, face.meters_per_unit, face.up_axis)
    motion = rc.perception.screen_motion(truth, found, face.faces, camera=camera)
    lost = np.nan
    if jod:
        budget = rc.perception.VisualBudget(1.0, "jod", viewing)
        own = {"meters_per_unit": face.meters_per_unit, "up_axis": face.up_axis}
        lost = rc.perception.seen_difference(truth, found, face.faces, budget=budget, **own).amount
    unit = 1e3 * face.meters_per_unit
    return [unit * error.mean, unit * error.max, motion.mean, motion.max, lost]


def _row(weight: float, figures: np.ndarray) -> str:
    """One row of the table from the figures of every seed, (seeds, 5)."""
    cells = [f"{weight:g}"]
    for values, digits in zip(figures.T, (4, 2, 4, 2, 3), strict=True):
        mean, spread = values.mean(), values.std(ddof=1) if len(values) > 1 else 0.0
        cells.append("–" if np.isnan(mean) else f"{mean:.{digits}f} ± {spread:.{digits}f}")
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
