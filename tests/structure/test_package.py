"""The package's face: names that are imported when they are first used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import rigcast as rc


def test_every_public_name_is_there_and_listed():
    for name in rc.__all__:
        assert getattr(rc, name) is not None
    assert set(rc.__all__) <= set(dir(rc))
    assert rc._core is sys.modules["rigcast._core"]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = rc.nonsense


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(rc.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert sorted(seen) == sorted(rc.__all__)
    for name, home in seen.items():
        value = getattr(rc, name)
        assert value is (sys.modules[f"rigcast.{name}"] if home == "rigcast" else getattr(sys.modules[home], name))


def test_importing_the_package_loads_no_numpy():
    code = "import sys, rigcast; raise SystemExit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(rc.__file__).parents[1]).returncode == 0


# Packages and modules that users may import; every other one begins with an underscore.
PUBLIC = {
    *(
        "baselines",
        "capture",
        "cli",
        "crowd",
        "differential",
        "errors",
        "exports",
        "faces",
        "ik",
        "inverse",
        "metrics",
        "perception",
        "plot",
        "progress",
        "render",
        "report",
        "sampling",
    ),
    *("sources", "study", "synthesis", "torch", "training", "transfer", "viewer"),
}


def modules() -> list[tuple[str, ...]]:
    root = Path(rc.__file__).parent
    paths = (path.relative_to(root).with_suffix("").parts for path in root.rglob("*.py"))
    return [parts[:-1] if parts[-1] == "__init__" else parts for parts in paths]


def test_a_module_is_public_and_listed_or_begins_with_an_underscore():
    found = [parts for parts in modules() if not any(part.startswith("_") for part in parts)]
    assert sorted(found) == sorted([(), *((name,) for name in PUBLIC)])


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_package_lists_what_it_offers(name):
    package = getattr(rc, name)
    assert len(set(package.__all__)) == len(package.__all__) > 0
    for offered in package.__all__:
        assert not offered.startswith("_")
        assert getattr(package, offered) is not None


def test_the_names_shown_do_not_depend_on_what_was_imported():
    code = "import rigcast as rc; a = dir(rc); import rigcast.cli, rigcast._pages.words; assert a == dir(rc); "
    code += "assert sorted(set(rc.__all__)) == [name for name in a if name[0] != '_'], a"
    subprocess.run([sys.executable, "-c", code], cwd=Path(rc.__file__).parents[1], check=True)
