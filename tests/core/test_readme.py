"""The README's first lines run as they stand, on the built-in rigs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def test_the_first_snippet_does_what_it_shows(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    monkeypatch.chdir(tmp_path)
    snippet = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[0]
    exec(compile(snippet, "README.md", "exec"), {})
    skinning, weights = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"linear skinning misses the muscles by \d\d mm", skinning)
    assert weights == "{'jawOpen': 0.4, 'mouthSmileLeft': 0.9, 'mouthSmileRight': 0.7}"
