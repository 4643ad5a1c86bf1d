"""Break capture, its actors or its tests in ways that would make a result look better than it is, one at a time.

python -m tests.mutants.capture             # all of them, each with the tests that must notice
python -m tests.mutants.capture exact mean  # those whose names hold one of these words
"""

from __future__ import annotations

import sys

from tests.mutants.cheats import Cheat, try_each

REFINE, REQUEST = "python/rigcast/capture/_refine.py", "python/rigcast/capture/_refine_request.py"
ACTORS, LOOK = "python/rigcast/capture/_actors/cast.py", "python/rigcast/capture/_actors/look.py"
SHOT, FILMED = "python/rigcast/capture/_actors/shot.py", "benchmarks/systems/capture/filmed.py"
IDENTITY = "python/rigcast/capture/_own_rig/identity_fit.py"
SOLVER, PERSONAL = "python/rigcast/capture/_solver.py", "python/rigcast/capture/_own_rig/personal.py"
RESULT = 'weights=np.array([row["weights"] for row in results]),'
POINTS = "self.points = self.exact + self.filming.noise * noise"
OWN = "return np.asarray(strength[:, None, None] * mixed, np.float32)"
FOUND = "weights = np.where(np.isnan(request.fixed), weights, request.fixed)"


CHEATS = (
    Cheat("an albedo that the solver assumes", LOOK, "* (1.0 + _spots(rest, rng))[:, None]",
          "* np.ones((len(rest), 1))", "tests/capture/test_fair_actors.py"),
    Cheat("the character's own shapes in the actor", ACTORS, OWN, "return np.asarray(moved, np.float32)",
          "tests/capture/test_actors.py"),
    Cheat("exact labels as landmarks", FILMED, POINTS, "self.points = self.exact", "tests/capture/test_fair_actors.py"),
    Cheat("the last frame, pictures", REFINE, RESULT, f"weights=np.roll({RESULT[8:-1]}, 1, axis=0),",
          "tests/capture/test_refine.py"),
    Cheat("the mean of the clip, pictures", REFINE, RESULT,
          f"weights=0.0 * {RESULT[8:-1]} + np.mean({RESULT[8:-1]}, axis=0),", "tests/capture/test_refine.py"),
    Cheat("the last frame, points", SOLVER, FOUND, "weights = np.roll(weights, 1, axis=0)",
          "tests/capture/test_solve.py"),
    Cheat("the mean of the clip, points", SOLVER, FOUND, "weights = 0.0 * weights + weights.mean(axis=0)",
          "tests/capture/test_solve.py"),
    Cheat("a target that the solver's light renders", SHOT, "return Lights(directions, colors, sky,",
          "return Lights(directions, 0.0 * colors, sky,", "tests/capture/test_fair_actors.py"),
    Cheat("the mouth's importance ignored", REFINE,
          "self.surface.vertices, self.surface.shares, self.surface.importance, found.strength",
          "self.surface.vertices, self.surface.shares, np.ones(len(self.surface.vertices)), found.strength",
          "tests/capture/test_refine.py"),
    Cheat("covariances ignored", REQUEST, "    if covariance is None:\n        return result",
          "    return result", "tests/capture/test_picture_energy.py"),
    Cheat("the z-buffer ignored", REFINE, "            self.surface.faces,\n", "            self.surface.faces[:1],\n",
          "tests/capture/test_picture_energy.py"),
    Cheat("silhouettes ignored", SOLVER, "if request.settings.silhouettes:", "if False:", "tests/capture/test_lips.py"),
    Cheat("smoothing that returns the frame before, again", "python/rigcast/capture/_again.py",
          'self.rows["weights"][rows] = result["weights"][own][known]',
          'self.rows["weights"][rows] = self.rows["weights"][np.maximum(rows - 1, 0)]', "tests/capture/test_again.py"),
    Cheat("corrected frames as pins alone", PERSONAL, "result[self.shape, self.source] += np.linalg.solve(gram, right)",
          "pass", "tests/capture/test_personal.py"),
    Cheat("the prior of identities ignored", IDENTITY, "np.full(len(self.modes), modes**-2)",
          "np.full(len(self.modes), 1e-9)", "tests/capture/own_rig/test_identity.py"),
    Cheat("a face that is not fitted", IDENTITY, "now, poses, off = tried, moved, left", "poses, off = moved, left",
          "tests/capture/own_rig/test_identity.py"),
    Cheat("the true identity handed in", "benchmarks/systems/capture/own_rig.py",
          "**{name: fit.rig for name, fit in self.fits.items()},",
          "**{name: cast.actor(seed, ActorVariation(strength=0.0, mix=0.0)).rig for name in self.fits},",
          "tests/capture/own_rig/test_fitted_faces.py"),
    Cheat("the actor's own shapes on the fitted face", "benchmarks/systems/capture/own_rig.py",
          "**{name: fit.rig for name, fit in self.fits.items()},",
          "**{name: self.shot.actor.rig for name in self.fits},", "tests/capture/own_rig/test_fitted_faces.py"),
    Cheat("the truth of all frames told by the corrected ones", PERSONAL,
          "frames = np.flatnonzero(~np.isnan(rows).any(axis=1) & ~found.lost)",
          "frames = np.arange(len(rows)); rows = np.nan_to_num(rows)", "tests/capture/test_personal.py"),
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(try_each(CHEATS, sys.argv[1:]))
