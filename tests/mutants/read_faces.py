"""Break networks that read faces, or their training, in ways that would make a result look better than it is.

python -m tests.mutants.read_faces                # all of them, each with the tests that must notice
python -m tests.mutants.read_faces frame sides    # those whose names hold one of these words
"""

from __future__ import annotations

import sys

from tests.mutants.cheats import Cheat, try_each

ROOM = "python/rigcast/training/_capture"
FILMED, DESCENT, PIPELINE = f"{ROOM}/examples.py", f"{ROOM}/descent.py", f"{ROOM}/pipeline.py"
READER = "python/rigcast/capture/_network/network.py"
SOLVED = "python/rigcast/capture/_network/solve_read.py"
TESTS = "tests/capture/network"
READ = "weights[:, self._read] = np.clip(found[0], 0.0, 1.0)"
CHAIN = "benchmarks/systems/capture/chain.py"


CHEATS = (
    Cheat("training seeds in the test", FILMED,
          "held_out=shown[shown >= (settings.actors - judged) * count]", "held_out=shown[shown < judged * count]",
          f"{TESTS}/test_training.py"),
    Cheat("the benchmark's actors trained on", CHAIN, "SEEDS = (900, 901)", "SEEDS = (1000, 1001)",
          f"{TESTS}/test_files.py"),
    Cheat("the error of the training stated", PIPELINE, "wrong = descent.read(weights, rows.held_out) - truth",
          "wrong = 0.5 * (descent.read(weights, rows.held_out) - truth)", f"{TESTS}/test_training.py"),
    Cheat("the character's own shapes in the actors", FILMED, "shot = film(cast.actor(seed, variation), plan",
          "shot = film(cast.actor(seed, ActorVariation(strength=0.0, mix=0.0)), plan", f"{TESTS}/test_training.py"),
    Cheat("exact labels in place of a detector", FILMED, "    seen = exact + unit", "    seen = exact + 0.0 * unit",
          f"{TESTS}/test_training.py"),
    Cheat("the same camera for a frame and its neutral", DESCENT, "self._shades(crops[0], gain * flicker, power)",
          "self._shades(crops[0], gain, power)", f"{TESTS}/test_descent.py"),
    Cheat("mirrored pictures with the sides as they were", DESCENT,
          "weights[flipped] = weights[flipped][:, self.mirrored.shapes]", "pass", f"{TESTS}/test_descent.py"),
    Cheat("mirrored landmarks with the sides as they were", DESCENT,
          "turned = points[flipped][:, other] *", "turned = points[flipped] *", f"{TESTS}/test_descent.py"),
    Cheat("a detector's points in mirrored pictures", DESCENT, "known &= ~flipped", "pass", f"{TESTS}/test_descent.py"),
    Cheat("certainty without the heat map", DESCENT, "(square - middle) * scale[:, None] + ", "",
          f"{TESTS}/test_engine.py"),
    Cheat("the mean of the clip", READER, READ, READ.replace("found[0]", "found[0].mean(axis=0)"),
          f"{TESTS}/test_reading.py"),
    Cheat("the frame before", READER, READ, READ.replace("found[0]", "np.roll(found[0], 1, axis=0)"),
          f"{TESTS}/test_reading.py"),
    Cheat("the sides of a mirror image", READER, "others[0][:, self._other_shapes]", "others[0]",
          f"{TESTS}/test_reading.py"),
    Cheat("frames without a face read", READER, "weights[lost] = 0.0", "pass", f"{TESTS}/test_reading.py"),
    Cheat("every weight as sure as the surest", SOLVED, "prior / error**2, 0.0)", "prior / error.min() ** 2, 0.0)",
          f"{TESTS}/test_solve_read.py"),
    Cheat("priors of frames without a face", SOLVED, " * ~reading.lost[:, None]", " * np.ones((len(reading.lost), 1))",
          f"{TESTS}/test_solve_read.py"),
    Cheat("a mirrored video with the sides as they were", SOLVED,
          "exchanged(rig) if mirrored", "exchanged(rig) if None", f"{TESTS}/test_solve_read.py"),
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(try_each(CHEATS, sys.argv[1:]))
