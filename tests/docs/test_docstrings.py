"""The examples in docstrings run as they stand, with ``np`` and ``rc`` imported."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.docs.site import LOOSE
from tests.structure.test_package import PUBLIC
from tests.support.webassembly import MISSING, has_module

# Examples that draw or train, by the beginning of their names, and what they need.
NEEDS = {
    "rigcast.plot.": ("pyvista", "matplotlib"),
    "rigcast.torch.": ("torch",),
    "rigcast.training.": ("torch",),
    "rigcast.metrics.outside_training": ("torch",),
}


def documented() -> Iterator[tuple[str, str]]:
    """(name, docstring) of every public function, class, method and property."""
    homes = [importlib.import_module(f"rigcast.{name}") for name in sorted(PUBLIC)]
    offered = [(home.__name__, name, getattr(home, name)) for home in homes for name in home.__all__]
    engine = [(_core.__name__, name, value) for name, value in vars(_core).items() if not name.startswith("_")]
    seen: set[int] = set()
    for home, name, value in offered + engine:
        if id(value) in seen:
            continue
        seen.add(id(value))
        members = vars(value).items() if inspect.isclass(value) else ()
        for path, part in [(name, value), *((f"{name}.{key}", part) for key, part in members if key[0] != "_")]:
            if (callable(part) or isinstance(part, property)) and (text := part.__doc__):
                yield f"{home}.{path}", text


EXAMPLES = {name: text for name, text in documented() if ">>>" in text}


SLOW = "rigcast.training."  # examples that train


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name.startswith(SLOW) else name for name in EXAMPLES]
)
def test_the_example_runs(name, tmp_path, monkeypatch):
    for package in (package for start, needed in NEEDS.items() if name.startswith(start) for package in needed):
        pytest.importorskip(package, reason=f"an extra that {name} uses is not installed")
    if name == "rigcast.viewer.embed" and not has_module():
        pytest.skip(MISSING)
    monkeypatch.chdir(tmp_path)
    space = {"np": np, "rc": rc, "__name__": "example"}
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], space, name, None, 0)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=LOOSE).run(test, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("name", ["BlendshapeRig", "Dataset", "Deformer", "Skeleton"])
def test_a_main_class_has_an_example(name):
    assert ">>> " in getattr(rc, name).__doc__


def test_no_example_is_skipped():
    sources = [path for path in Path(rc.__file__).parent.rglob("*") if path.suffix in (".py", ".pyi")]
    assert not [path.name for path in sources if "doctest: +SKIP" in path.read_text(encoding="utf-8")]
