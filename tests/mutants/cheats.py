"""Changes of single lines that would make a result look better than it is, made one at a time.

Works in a copy of the working tree, as ``python -m tests.mutants`` does, with the extension of the development build:
all changes are of Python or JavaScript. A line that is not found is an error: the tables go with the code.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from tests.mutants.__main__ import PLACE, copy_tree, noticed
from tests.mutants.functions import ROOT, Change


@dataclass(frozen=True)
class Cheat:
    """A change of one line, and the test file that must fail by it."""

    name: str
    path: str
    before: str
    after: str
    tests: str


def try_each(cheats: Sequence[Cheat], words: Sequence[str]) -> int:
    """Apply each change alone, or those whose names hold one of ``words``, and say what noticed it; 1 if one is not."""
    copy_tree()
    for built in (ROOT / "python" / "rigcast").glob("*.so*"):
        shutil.copyfile(built, PLACE / "python" / "rigcast" / built.name)
    chosen = [cheat for cheat in cheats if not words or any(word in cheat.name for word in words)]
    survived = 0
    for cheat in chosen:
        path = PLACE / cheat.path
        content = path.read_text(encoding="utf-8")
        assert content.count(cheat.before) == 1, f"{cheat.name}: not once in {cheat.path}"
        path.write_text(content.replace(cheat.before, cheat.after), encoding="utf-8")
        try:
            change = Change("python/rigcast/report/", cheat.name, 0, 0, 0, cheat.before, cheat.after)
            caught = noticed(change, ["-m", "", cheat.tests], wide=False)  # long tests, too
        finally:
            path.write_text(content, encoding="utf-8")
        survived += not caught
        print(f"{cheat.name} | {caught or 'SURVIVED'}", flush=True)
    print(f"{len(chosen) - survived} of {len(chosen)} noticed")
    return int(survived > 0)
