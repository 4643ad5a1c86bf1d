"""Experiments that made a table once still import: nothing else of them is tested."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "benchmarks" / "papers").rglob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_imports(script):
    importlib.import_module(".".join(script.relative_to(ROOT).with_suffix("").parts))
