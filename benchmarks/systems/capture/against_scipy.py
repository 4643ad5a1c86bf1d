"""A frame's energy at equal end: the engine and SciPy: ``python -m benchmarks.systems.capture.against_scipy DATA``.

DATA is a folder with ``ict_facekit`` and ``compskin_face_anim``. The same energy, start and light for both; processor
time of one thread. SciPy's best: turns in units of .3 radians, shifts in units of the face's radius, a long memory.
"""

from __future__ import annotations

import contextlib
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from tests.capture.pictures import blurred

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.capture.filmed import FilmedShot, dense_weights
from benchmarks.systems.capture.picture_peer import NumpyEnergy
from benchmarks.systems.capture.refinement import SEEDS, UNKNOWNS, wider_rig
from rigcast.capture import RefineSettings
from rigcast.capture._refine import ShotRefinement, checked_refinement
from rigcast.capture._refine_request import picture_terms

FRAMES = (10, 20, 30, 40)
TURN = 0.3  # radians: the unit of turns
EQUAL = 1e-6  # share of E: the same end
SETTINGS = RefineSettings(offsets=False, fit_light=False, debias=False)  # ends as every shot's frames do


class _Reached(Exception):
    """The engine's end is reached."""


@dataclass
class Race:
    """Seconds of both to the same end, evaluations of SciPy, and the share by which it ended above."""

    ours: float
    theirs: float
    evaluations: int
    above: float


def main() -> None:
    """Measure, and write the line."""
    folder = Path(sys.argv[1])
    cast = rc.capture.ict_cast(folder / "ict_facekit")
    shot = FilmedShot(cast, SEEDS[0], dense_weights(folder / "compskin_face_anim", cast.character.shape_names)[:60])
    rig = wider_rig(shot.actor.rig, UNKNOWNS - 6)
    found = shot.solve(shot.points, shot.filming.noise, rig=rig)
    refinement = ShotRefinement(
        checked_refinement(rig, found, shot.color, shot.points, None, None, None, None, SETTINGS)
    )
    refinement.solver.calibrate(shot.color[0], refinement.rest, refinement.neutral_pose)
    rows = ["| start | SciPy | engine, ms | SciPy on NumPy, ms | ratio | evaluations |", "|---|---|---|---|---|---|"]
    for words, is_cold in (("landmarks' solution", False), ("neutral", True)):
        for setting, scale, memory in (("as it is", False, 10), ("scaled unknowns, 40 corrections", True, 40)):
            races = [_race(refinement, shot, t, is_cold, scale, memory) for t in FRAMES]
            ours, theirs = (1e3 * np.mean([getattr(race, name) for race in races]) for name in ("ours", "theirs"))
            calls, ended = np.mean([race.evaluations for race in races]), max(race.above for race in races)
            assert ended <= 2.0 * EQUAL, ended
            rows.append(f"| {words} | {setting} | {ours:.1f} | {theirs:,.0f} | {theirs / ours:.0f} | {calls:.0f} |")
            print(rows[-1], flush=True)
    write_between_marks("pictures against SciPy", "\n".join(rows))


def _race(refinement: ShotRefinement, shot: FilmedShot, t: int, is_cold: bool, is_scaled: bool, memory: int) -> Race:
    request, solver = refinement.request, refinement.solver
    rig, found = request.rig, request.found
    shapes, used = rig.num_shapes, refinement.used
    begin = (np.zeros(shapes), refinement.pose[t]) if is_cold else (found.weights[t], refinement.pose[t])
    target, strength = np.zeros(shapes), np.full(shapes, 1e-3)
    rows = (shot.points[t][used], np.full(len(used), SETTINGS.landmarks), request.whitening[t, used])
    bounds = rig.bounds.T.astype(np.float64)
    times = []
    for _ in range(3):
        solver.open(shot.color[t], *begin)
        start = time.process_time()
        result = solver.solve(*rows, target, strength, *bounds, *begin)
        times.append(time.process_time() - start)
        solver.close()
    terms = picture_terms(SETTINGS, found.focal * refinement.points.radius / refinement.neutral_pose[2, 3])
    image = blurred(shot.color[t], terms.fine)
    energy = NumpyEnergy(refinement, image, result["used"], t, target, strength, result["light"])
    base = begin[1]
    x = np.concatenate([result["weights"], np.zeros(6)])
    same, _ = energy(x, result["pose"])
    assert abs(same - result["energy"]) <= 1e-4 * same, (same, result["energy"])  # pictures of float32 and of float64
    best = [np.inf]
    energy.evaluations = 0

    scale = np.ones(shapes + 6)
    if is_scaled:
        scale[shapes:] = [TURN] * 3 + [refinement.points.radius] * 3

    def watched(unknowns):
        value, gradient = energy(scale * unknowns, base)
        best[0] = min(best[0], value)
        if value <= same * (1.0 + EQUAL):
            raise _Reached
        return value, scale * gradient

    start = time.process_time()
    with contextlib.suppress(_Reached):
        minimize(
            watched,
            np.concatenate([begin[0], np.zeros(6)]),
            jac=True,
            method="L-BFGS-B",
            bounds=[*rig.bounds.tolist(), *[(None, None)] * 6],
            options={"maxiter": 2000, "maxfun": 3000, "maxcor": memory, "ftol": 0.0, "gtol": 1e-10},
        )
    seconds = time.process_time() - start
    return Race(min(times), seconds, energy.evaluations, max(best[0] / same - 1.0, 0.0))


if __name__ == "__main__":
    main()
