"""Break studies and their statistics in ways that would make a result look better than it is, one at a time.

python -m tests.mutants.perception          # all of them, each with the tests that must notice
python -m tests.mutants.perception epsilon  # those whose names hold one of these words
"""

from __future__ import annotations

import sys

from tests.mutants.cheats import Cheat, try_each

STUDY, PERCEPTION = "python/rigcast/study/", "python/rigcast/perception/"
CHEATS = (
    Cheat("acknowledged before it is stored", STUDY + "_desk.py",
          "first = self.store.keep(sent.study, sent.build, sent.session, sent.trial, sent.content)",
          "first = sent.content['id']; import threading; kept = (sent.study, sent.build, sent.session, sent.trial, "
          "sent.content); threading.Timer(0.05, self.store.keep, kept).start()", "tests/study/test_kills.py"),
    Cheat("an id that the server makes", STUDY + "_store.py", 'row = (str(content["id"]), study,',
          "row = (os.urandom(8).hex(), study,", "tests/study/test_store.py"),
    Cheat("balanced over the study, not in each block", STUDY + "_order.py",
          "starts = random.permutation((np.arange(len(block)) + turn) % max(len(methods), 1))",
          "starts = np.full(len(block), index % max(len(methods), 1))", "tests/study/test_order.py"),
    Cheat("the epsilon of another term", PERCEPTION + "_anova.py", "    gg, hf = _epsilons(apart, df)\n    chosen",
          "    gg, hf = _epsilons(apart[:, :1], 1)\n    chosen", "tests/perception/test_anova.py"),
    Cheat("a step that is clipped, not halved", PERCEPTION + "_glm.py",
          "        if family.valid(mu) and link.valid(matrix @ beta):",
          "        mu = np.maximum(mu, 1e-6)\n        if True:", "tests/perception/test_glm.py"),
    Cheat("labels of the brows exchanged in silence", PERCEPTION + "_published.py",
          "return Predicted(np.asarray(line.intercept + line.slope * x), other, np.asarray(outside), CAVEATS)",
          "return Predicted(np.asarray(line.intercept + line.slope * x) if other is None else other, other, "
          "np.asarray(outside), CAVEATS)", "tests/perception/test_rankings.py"),
    Cheat("training trials stored", STUDY + "_desk.py",
          'return 200, {"stored": sent.content["id"], "training": True}',
          'return 200, {"stored": sent.content["id"], "first": self.store.keep(sent.study, sent.build, sent.session, '
          'sent.trial, sent.content)}', "tests/study/test_server.py"),
    Cheat("a second answer in place of the first", STUDY + "_store.py",
          'base.execute(f"insert or ignore into answers {names}',
          'base.execute(f"insert or replace into answers {names}', "tests/study/test_store.py"),
    Cheat("names of pictures that tell the method", STUDY + "_writer.py",
          'name = f"{int(self.random.integers(2**40)):010x}{suffix}"', 'name = f"{len(self.pictures):010x}{suffix}"',
          "tests/study/test_make.py"),
    Cheat("live figures in another light", STUDY + "page/figure.js", "mix(ground, sky, above)",
          "mix(sky, ground, above)", "tests/study/test_live_figures.py"),
    Cheat("people as if they were independent answers", PERCEPTION + "_anova.py",
          "error_df = df * (people - 1)", "error_df = df * (people - 1) * 4", "tests/perception/test_anova.py"),
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(try_each(CHEATS, sys.argv[1:]))
