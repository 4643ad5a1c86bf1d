"""The table of ``python -m tests.mutants.capture`` goes with the code: each line that it breaks is there once."""

from __future__ import annotations

import pytest

from tests.mutants.capture import CHEATS
from tests.mutants.functions import ROOT


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_the_line_is_there_once(cheat):
    assert (ROOT / cheat.path).read_text(encoding="utf-8").count(cheat.before) == 1
    assert (ROOT / cheat.tests).is_file()
