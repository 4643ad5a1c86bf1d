"""Tables 6.1 and 6.2 of Bailey 2020 on synthetic actors: ``python -m benchmarks.papers.capture.style_transfer DATA --out OUT``.

DATA is a folder with ``ict_facekit`` and ``compskin_face_anim``; OUT keeps shots, networks and pictures, so that a
killed run goes on. Every picture is rendered, every albedo constructed. About an hour on one core.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import rigcast as rc
from benchmarks.papers.capture.helmet import HelmetShot, character_shot, kept, rendered_poses, test_shot, training_shots
from rigcast.capture import Cast
from rigcast.training import StyleSettings, StyleTransfer

TRAINING, TESTS, KNOWN = range(1000, 1014), (900, 901), (0, 1)  # seeds; places of the training actors that are judged
STEP = 4  # frames of the dense performance from one test frame to the next
STEPS, SEED = 2000, 7  # of every network: 16,000 pairs

OURS = StyleSettings()
BARE = {"distance": 0.0, "background": 0.0, "regularization": 0.0}
VARIANTS = {
    "the paper's method": OURS,
    "no segmentation": replace(OURS, regions="whole"),
    "without the three losses": replace(OURS, **BARE),
    "first-order motion model": replace(OURS, regions="whole", **BARE),
}


@dataclass(frozen=True, eq=False)
class Shots:
    """What is trained on and judged: recordings of actors, renders of the character; the clip on each test actor."""

    training: list[HelmetShot]
    renders: HelmetShot
    tests: list[HelmetShot]
    truth: HelmetShot  # the character in the test actors' expressions


def shots_of(cast: Cast, data: Path, out: Path) -> Shots:
    """Rendered, or read from OUT."""
    curves = data / "compskin_face_anim"
    training = kept(out / "actors.npz", lambda: training_shots(cast, curves, TRAINING))
    renders = kept(out / "renders.npz", lambda: [character_shot(cast, rendered_poses(cast, curves))])
    tests = kept(out / "tests.npz", lambda: [test_shot(cast, curves, seed, STEP) for seed in TESTS])
    truth = kept(out / "truth.npz", lambda: [character_shot(cast, tests[0].weights)])
    return Shots(training, renders[0], tests, truth[0])


def trained(name: str, shots: Shots, out: Path, steps: int = STEPS) -> StyleTransfer:
    """The networks of a variant, trained or read from OUT."""
    file = out / f"{name.replace(' ', '_')}.safetensors"
    if not file.exists():
        recordings = [shot.recording for shot in shots.training]
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
    return StyleTransfer.load(file)


def main() -> None:
    """Train what is not trained yet, measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    cast = rc.capture.ict_cast(options.data / "ict_facekit")
    shots = shots_of(cast, options.data, options.out)
    models = {name: trained(name, shots, options.out) for name in VARIANTS}
    print(models)


if __name__ == "__main__":
    main()
