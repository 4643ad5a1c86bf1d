"""Tables 6.1 and 6.2 of Bailey 2020 on synthetic actors.

    python -m benchmarks.papers.capture.style_transfer DATA --out OUT

DATA is a folder with ``ict_facekit`` and ``compskin_face_anim``; OUT keeps shots, networks and pictures, so that a
killed run goes on. Every picture is rendered, every albedo constructed.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.papers.capture.character_landmarks import HeatMapLandmarks, Landmarks, RidgeLandmarks
from benchmarks.papers.capture.gaze import drawn_gaze, gaze_errors
from benchmarks.papers.capture.helmet import (
    CHARACTER,
    HelmetShot,
    character_shot,
    kept,
    rendered_poses,
    test_shot,
    training_shots,
)
from benchmarks.papers.capture.judged import (
    Bytes,
    Float64,
    picture_errors,
    pose_errors,
    reconstructed,
    simple_methods,
    solved_pictures,
    transferred,
)
from benchmarks.papers.capture.style_pictures import contact_sheet
from rigcast.capture import Cast
from rigcast.training import StyleSettings, StyleTransfer

TRAINING, UNSEEN = range(1000, 1014), 2  # seeds of training actors; how many of the tests show other actors
TESTS = (900, 901, 1000, 1001)
JUDGED = slice(1, None, 4)  # frames of training recordings that are reconstructed
STEPS, SEED = 1500, 7  # of every network: 6,000 pairs
NEUTRAL, TRUTH = "the neutral frame returned", "the character's own renders"
RIDGE, HEAT_MAPS = "", ", landmarks by heat maps"

OURS = StyleSettings(batch=4, learning_rate=1.5e-3)
BARE = {"distance": 0.0, "background": 0.0, "regularization": 0.0}
VARIANTS = {
    "the paper's method": OURS,
    "no segmentation": replace(OURS, regions="whole"),
    "without the three losses": replace(OURS, **BARE),
    "first-order motion model": replace(OURS, regions="whole", **BARE),
}
DRAWN = ("the paper's method", TRUTH)  # also with landmarks by heat maps
PRINTED = {  # table 6.1: RMSE and LPIPS on tests and training actors; 6.2: cm of front and landmarks, tests' mean
    "the paper's method": ("10.9 / .277", "6.8 / .176", ".265 / .285"),
    "no segmentation": ("11.8 / .269", "7.2 / .182", ""),
    "without the three losses": ("11.4 / .279", "7.1 / .181", ""),
    "first-order motion model": ("11.6 / .273", "7.5 / .180", ".27 / .29"),
}


@dataclass(frozen=True, eq=False)
class Shots:
    """Shots that are trained on and judged."""

    training: list[HelmetShot]  # a recording of each training actor
    renders: HelmetShot  # of the character
    tests: list[HelmetShot]  # the dense performance by unseen actors, then by training actors
    truth: HelmetShot  # by the character


def shots_of(cast: Cast, data: Path, out: Path) -> Shots:
    """Rendered, or read from OUT."""
    curves = data / "compskin_face_anim"
    training = kept(out / "actors.npz", lambda: training_shots(cast, curves, TRAINING))
    poses = rendered_poses(cast, curves)
    renders = kept(out / "renders.npz", lambda: [character_shot(cast, poses, drawn_gaze(len(poses), CHARACTER))])
    tests = kept(out / "tests.npz", lambda: [test_shot(cast, curves, seed) for seed in TESTS])
    truth = kept(out / "truth.npz", lambda: [character_shot(cast, tests[0].weights, tests[0].gaze)])
    return Shots(training, renders[0], tests, truth[0])


def trained(name: str, shots: Shots, out: Path, steps: int) -> StyleTransfer:
    """The networks of a variant, trained or read from OUT."""
    file = out / f"{name.replace(' ', '_').replace(chr(39), '')}_{steps}.safetensors"
    if not file.exists():
        recordings = [shot.recording for shot in shots.training]
        begun = time.process_time()
        model = rc.training.style_transfer(
            recordings,
            shots.renders.recording,
            VARIANTS[name],
            steps=steps,
            seed=SEED,
            threads=1,
            checkpoint=out / f"{file.stem}.journal",
            progress=lambda now: print(name, now.stage, f"{now.done:.2f}", now.message, flush=True),
        )
        model.save(file)
        print(f"{name}: {time.process_time() - begun:.0f} s of the processor", flush=True)
    return StyleTransfer.load(file)


def table_pictures(models: dict[str, StyleTransfer], shots: Shots) -> tuple[str, str]:
    """Table 6.1, and a sentence: whether the paper's order holds."""
    rows = [
        "| | unseen actors: RMSE | 1 - SSIM | FLIP | training actors: RMSE | 1 - SSIM | FLIP "
        "| paper: RMSE / LPIPS, test; train |",
        "|---|---|---|---|---|---|---|---|",
    ]
    found: dict[str, Float64] = {}
    for name, model in {NEUTRAL: None, **models}.items():
        parts = []
        for judged, frames in ((shots.tests[:UNSEEN], slice(1, None)), (shots.training[:UNSEEN], JUDGED)):
            errors = [picture_errors(*reconstructed(model, shot, frames)) for shot in judged]
            parts.append(np.mean(errors, axis=0))
        found[name] = np.concatenate(parts)
        cells = [f"{value:.3f}" if i % 3 else f"{value:.1f}" for i, value in enumerate(found[name])]
        rows.append(f"| {name} | " + " | ".join([*cells, "; ".join(PRINTED.get(name, ())[:2])]) + " |")
        print(rows[-1], flush=True)
    return "\n".join(rows), _order({name: row[[0, 3]] for name, row in found.items()})


def _order(errors: dict[str, Float64]) -> str:
    ours, neutral = errors["the paper's method"], errors[NEUTRAL]
    words = []
    for i, group in enumerate(("unseen actors", "training actors")):
        signs = {name: float(row[i] - ours[i]) for name, row in errors.items() if name in VARIANTS}
        wrong = [f"{name} is {-sign:.2f} lower" for name, sign in signs.items() if sign < 0.0]
        holds = "the paper's order holds" if not wrong else f"the paper's order does not hold ({', '.join(wrong)})"
        below = 1.0 - ours[i] / neutral[i]
        words.append(f"on {group} {holds}; the paper's method is {below:.0%} below the neutral frame")
    return "RMSE: " + "; ".join(words) + "."


def table_poses(
    cast: Cast, models: dict[str, StyleTransfer], shots: Shots, landmarks: dict[str, Landmarks]
) -> tuple[str, dict[str, list[Bytes]]]:
    """Table 6.2, and the transferred pictures of each test by method; landmarks by each of several ways."""
    rows = [
        "| | unseen actors: front, cm | landmarks | training actors, other clip: front | landmarks "
        "| paper, test: front / landmarks |",
        "|---|---|---|---|---|---|",
    ]

    def add(name: str, weights: list[Float64]) -> None:
        errors = np.array([pose_errors(cast, w, shot) for w, shot in zip(weights, shots.tests, strict=True)])
        groups = np.concatenate([errors[:UNSEEN].mean(axis=0), errors[UNSEEN:].mean(axis=0)])
        rows.append(f"| {name} | " + " | ".join(f"{value:.3f}" for value in groups))
        rows[-1] += f" | {PRINTED.get(name, ('', '', ''))[2]} |"
        print(rows[-1], flush=True)

    for name, method in simple_methods(cast, shots.training, shots.truth).items():
        add(name, [method(shot) for shot in shots.tests])
    pictures: dict[str, list[Bytes]] = {}
    neutral = shots.truth.recording.pictures[0]
    for name, model in models.items():
        pictures[name] = [transferred(model, shot, neutral) for shot in shots.tests]
    shown = {**pictures, TRUTH: [shots.truth.recording.pictures]}
    for way, marks in landmarks.items():
        for name, tests in shown.items():
            if way == RIDGE or name in DRAWN:
                found = [solved_pictures(cast, marks, one, shots.truth).weights for one in tests]
                add(f"{name}{way}", (len(shots.tests) // len(found)) * found)
    return "\n".join(rows), pictures


def eyes(cast: Cast, landmarks: HeatMapLandmarks, pictures: dict[str, list[Bytes]], shots: Shots) -> str:
    """A sentence: how far gaze is off that pupils by heat maps give."""
    own, names = {TRUTH: [shots.truth.recording.pictures], "the paper's method": pictures["the paper's method"]}, []
    blinks = [k for k, name in enumerate(cast.character.shape_names) if name.startswith("eyeBlink")]
    for name, tests in own.items():
        found = []
        for one, shot in list(zip(tests, shots.tests, strict=False))[:UNSEEN]:
            seen = landmarks.of(one)
            head = solved_pictures(cast, landmarks, one, shots.truth)
            blink = shot.weights[:, blinks].max(axis=1)
            found.append(gaze_errors(cast, head, seen[:, len(cast.landmarks) :], shot.gaze, blink))
        turned, ahead = np.mean(found, axis=0)
        names.append(f"{name} {turned:.1f}")
    text = f"Degrees by which gaze is off: {', '.join(names)}, straight ahead {ahead:.1f}."
    return f"{text} The heat maps are {landmarks.error:.2f} pixels off on renders that they were not trained on."


def costs(models: dict[str, StyleTransfer], shots: Shots, steps: int) -> str:
    """Milliseconds of one frame on one core, by variant."""
    words = []
    for name, model in models.items():
        begun = time.process_time()
        transferred(model, shots.tests[0], shots.truth.recording.pictures[0])
        seconds = (time.process_time() - begun) / len(shots.tests[0].weights)
        words.append(f"{name} {1e3 * seconds:.0f}")
    pairs = steps * OURS.batch
    return f"{pairs:,} pairs of each network. Milliseconds per frame on one core: {', '.join(words)}."


def main() -> None:
    """Train what is not trained yet, measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=STEPS, help="of every network")
    parser.add_argument("--only", nargs="+", choices=list(VARIANTS), help="train these and stop")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    cast = rc.capture.ict_cast(options.data / "ict_facekit")
    shots = shots_of(cast, options.data, options.out)
    models = {name: trained(name, shots, options.out, options.steps) for name in options.only or VARIANTS}
    if options.only:
        return
    small = HeatMapLandmarks(cast, shots.renders, options.out / "landmarks.npz")
    table, order = table_pictures(models, shots)
    ways: dict[str, Landmarks] = {RIDGE: RidgeLandmarks(shots.renders), HEAT_MAPS: small}
    poses, pictures = table_poses(cast, models, shots, ways)
    contact_sheet(shots.tests[0], shots.truth, {name: found[0] for name, found in pictures.items()})
    write_between_marks("reconstructed pictures of faces", f"{table}\n\n{order}")
    write_between_marks("poses by style transfer", poses)
    write_between_marks("eyes by style transfer", eyes(cast, small, pictures, shots))
    write_between_marks("cost of style transfer", costs(models, shots, options.steps))


if __name__ == "__main__":
    main()
