"""Experiments that made a table once still import: nothing else of them is tested."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "benchmarks" / "papers").rglob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_imports(script):
    try:
        module = importlib.import_module(".".join(script.relative_to(ROOT).with_suffix("").parts))
    except ModuleNotFoundError as error:
        if str(error.name).startswith(("benchmarks", "rigcast", "tests", "examples")):
            raise
        pytest.skip(f"{error.name} is not installed: the experiment runs in a Python of its own")
    if script.stem != "__init__":
        assert module.__doc__, "the head of an experiment says which table it made"
