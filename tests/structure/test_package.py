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


# Packages and modules that users may import; every other one begins with an underscore.
PUBLIC = {
    *(
        "baselines",
        "cli",
        "crowd",
        "demo",
        "differential",
        "errors",
        "exports",
        "faces",
        "ik",
        "inverse",
        "metrics",
        "plot",
        "progress",
        "report",
        "sampling",
    ),
    *("sources", "synthesis", "torch", "training", "transfer", "viewer"),
}


def modules() -> list[tuple[str, ...]]:
    root = Path(rw.__file__).parent
    paths = (path.relative_to(root).with_suffix("").parts for path in root.rglob("*.py"))
    return [parts[:-1] if parts[-1] == "__init__" else parts for parts in paths]


def test_a_module_is_public_and_listed_or_begins_with_an_underscore():
    found = [parts for parts in modules() if not any(part.startswith("_") for part in parts)]
    assert sorted(found) == sorted([(), *((name,) for name in PUBLIC)])


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_package_lists_what_it_offers(name):
    package = getattr(rw, name)
    assert len(set(package.__all__)) == len(package.__all__) > 0
    for offered in package.__all__:
        assert not offered.startswith("_")
        assert getattr(package, offered) is not None


def test_the_names_shown_do_not_depend_on_what_was_imported():
    code = (
        "import rigwright as rw; a = dir(rw); import rigwright.cli, rigwright.report._kit.words; assert a == dir(rw); "
    )
    code += "assert sorted(set(rw.__all__)) == [name for name in a if name[0] != '_'], a"
    subprocess.run([sys.executable, "-c", code], cwd=Path(rw.__file__).parents[1], check=True)
