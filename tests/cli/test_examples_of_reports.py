"""The examples of ``rigcast report``."""

from __future__ import annotations

import pytest

from tests.cli.examples import run_examples, told_if_left_out


@pytest.mark.slow
def test_other_methods_stand_beside_the_models(tmp_path):
    """Fitted skinning beside the body, other methods beside the solution."""
    left_out = run_examples("report", tmp_path)
    assert "linear skinning, all joints" in (tmp_path / "hero.html").read_text(encoding="utf-8")
    assert "Methods at equal objective" in (tmp_path / "take.html").read_text(encoding="utf-8")
    told_if_left_out(left_out)
