"""The package's face: names that are imported when they are first used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import rigwright as rw


def test_every_public_name_is_there_and_listed():
    for name in rw.__all__:
        assert getattr(rw, name) is not None
    assert set(rw.__all__) <= set(dir(rw))
    assert rw._core is sys.modules["rigwright._core"]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = rw.nonsense


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(rw.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert sorted(seen) == sorted(rw.__all__)
    for name, home in seen.items():
        value = getattr(rw, name)
        assert value is (sys.modules[f"rigwright.{name}"] if home == "rigwright" else getattr(sys.modules[home], name))


def test_importing_the_package_loads_no_numpy():
    code = "import sys, rigwright; raise SystemExit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(rw.__file__).parents[1]).returncode == 0
