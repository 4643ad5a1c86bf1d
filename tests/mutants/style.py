"""Break style transfer or its benchmark in ways that would make a result look better than it is, one at a time.

python -m tests.mutants.style                # all of them, each with the tests that must notice
python -m tests.mutants.style masks mean     # those whose names hold one of these words
"""

from __future__ import annotations

import sys

from tests.mutants.cheats import Cheat, try_each

ROOM = "python/rigcast/training/_style"
MODEL, DESCENT = f"{ROOM}/model.py", f"{ROOM}/descent.py"
HELMET = "benchmarks/papers/capture/helmet.py"
TESTS = "tests/training/style"
BYTES = "return np.asarray(np.clip(255.0 * result + 0.5, 0.0, 255.0), np.uint8)"
JACOBIANS = "now.jacobians @ inverse(torch, rest.jacobians) @ start.jacobians"
MADE = "made = model.reconstruct(source.expand(len(some), -1, -1, -1), _repeated(start, len(some)), wanted)"


CHEATS = (
    Cheat("the mean of the clip", MODEL, BYTES, f"result = 0.0 * result + result.mean(axis=0)\n    {BYTES}",
          f"{TESTS}/test_style_model.py"),
    Cheat("the neutral frame", MODEL, MADE, "made = source.expand(len(some), -1, -1, -1)",
          f"{TESTS}/test_style_training.py"),
    Cheat("the driving frame", MODEL, MADE, "made = some", f"{TESTS}/test_style_model.py"),
    Cheat("masks swapped", MODEL, "masks[:, REGIONS.index(region), :, :, None]",
          "masks[:, len(REGIONS) - REGIONS.index(region), :, :, None]", f"{TESTS}/test_style_model.py"),
    Cheat("no region pasted", MODEL, 'if region != "face":', "if False:", f"{TESTS}/test_style_model.py"),
    Cheat("the order of Jacobians", MODEL, JACOBIANS,
          "start.jacobians @ inverse(torch, rest.jacobians) @ now.jacobians", f"{TESTS}/test_style_losses.py"),
    Cheat("absolute key points", MODEL, "places = start.places + now.places - rest.places", "places = now.places",
          f"{TESTS}/test_style_losses.py"),
    Cheat("every neutral believed", MODEL, "if offset > OFFSET:", "if False:", f"{TESTS}/test_style_model.py"),
    Cheat("squares of distances forgotten", DESCENT,
          "squares = (places[:, first] - places[:, second]).square().sum(dim=2)",
          "squares = (places[:, first] - places[:, second]).abs().sum(dim=2)", f"{TESTS}/test_style_losses.py"),
    Cheat("pictures not masked in the loss", DESCENT, "made, wanted = made * mask, wanted * mask", "pass",
          f"{TESTS}/test_style_losses.py"),
    Cheat("the face taken for the background", DESCENT, "for one in (whole, ~masks[:, 0])]",
          "for one in (whole, masks[:, 0])]", f"{TESTS}/test_style_training.py"),
    Cheat("masks of the source", DESCENT, "self.sets[place].masks[frame] for place, _, frame in pairs",
          "self.sets[place].masks[frame] for place, frame, _ in pairs",
          f"{TESTS}/test_style_training.py"),
    Cheat("judged frames trained on", DESCENT, "if not _kept_back(t)])", "if True])",
          f"{TESTS}/test_style_training.py"),
    Cheat("the test's curves trained on", HELMET, "curves = dense_weights(folder, names, slice(DENSE, None))",
          "curves = dense_weights(folder, names)", f"{TESTS}/test_style_benchmark.py"),
    Cheat("exact labels as landmarks", HELMET,
          "spread = NOISE * np.random.default_rng([actor.seed, 51]).normal(size=exact.shape)",
          "spread = 0.0 * exact", f"{TESTS}/test_style_benchmark.py"),
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(try_each(CHEATS, sys.argv[1:]))
