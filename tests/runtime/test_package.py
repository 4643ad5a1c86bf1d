"""The package for hosts: its names are those of rigcast, and it needs NumPy and Python 3.9 alone."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rigcast as rc
from tests.runtime.library import rr
from tests.structure.test_modules import superfluous
from tests.structure.test_words import free_relatives, repeated_classes

PACKAGE = Path(rr.__file__).parent
FILES = sorted(PACKAGE.glob("*.py"))
TWINS = {
    "Deformer": rc.Deformer,
    "BlendshapeRig": rc.BlendshapeRig,
    "Session": type(rc.faces.example().session()),
    "Channel": rc.Channel,
    "Skeleton": rc.Skeleton,
    "Tent": rc.Tent,
    "Crowd": rc.crowd.Crowd,
    "Instances": rc.crowd.Instances,
    "Solver": rc.ik.Solver,
    "PoseSolution": rc.ik.PoseSolution,
    "InverseRig": rc.inverse.Solver,
    "Solution": rc.inverse.Solution,
    "Synthesizer": rc.synthesis.Synthesizer,
    "Player": rc.synthesis.Player,
    "PlayerCrowd": rc.synthesis.PlayerCrowd,
    "PlaySettings": rc.synthesis.PlaySettings,
    "Script": rc.synthesis.Script,
    "Event": rc.synthesis.Event,
    "Layer": rc.synthesis.Layer,
    "Blinks": rc.synthesis.Blinks,
    "Gaze": rc.synthesis.Gaze,
    "Sway": rc.synthesis.Sway,
}
OWN = {name: {"rest_pose", "num_refinements"} for name in ("Deformer", "BlendshapeRig")}  # without a twin there
STUBS = ast.parse((Path(rc.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))


def public(value: type) -> set[str]:
    fields = set(getattr(value, "__dataclass_fields__", {}))
    return {name for name in {*dir(value), *fields} if not name.startswith("_")}


def parameters(function: object, owner: str, name: str) -> list[str]:
    """Names of the parameters; of a compiled method from the stubs."""
    if inspect.isfunction(function):
        return [given for given in inspect.signature(function).parameters if given != "self"]
    found: set[str] = set()
    for node in ast.walk(STUBS):
        if isinstance(node, ast.ClassDef) and node.name in (owner, "Deformer"):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == name:
                    found |= {given.arg for given in [*method.args.args, *method.args.kwonlyargs]}
    return sorted(found - {"self"})


@pytest.mark.parametrize("name", TWINS)
def test_a_class_has_no_names_that_its_twin_lacks(name):
    extra = public(getattr(rr, name)) - public(TWINS[name]) - OWN.get(name, set())
    assert extra == set()


@pytest.mark.parametrize("name", TWINS)
def test_methods_take_what_those_of_the_twin_take(name):
    wrong = {}
    for method in public(getattr(rr, name)) & public(TWINS[name]):
        own = inspect.getattr_static(getattr(rr, name), method, None)
        if inspect.isfunction(own):
            allowed = parameters(getattr(TWINS[name], method), TWINS[name].__name__, method)
            wrong[method] = [given for given in parameters(own, name, method) if given not in allowed]
    assert {method: given for method, given in wrong.items() if given} == {}


def test_the_inverse_solve_takes_what_its_twin_takes():
    assert set(inspect.signature(rr.solve).parameters) <= set(inspect.signature(rc.inverse.solve).parameters)


def test_numpy_is_the_only_package_that_is_imported():
    names = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:  # others are of the package itself
                names.add((node.module or "").partition(".")[0])
    assert names - set(sys.stdlib_module_names) == {"numpy"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_is_python_3_9(path):
    """In syntax; and types joined by ``|`` stand in annotations alone, which are never evaluated."""
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
    assert path.name == "__init__.py" or "annotations" in path.read_text(encoding="utf-8").partition("import")[2]
    aliases = [node.value for node in tree.body if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value]
    for node in (inner for value in aliases for inner in ast.walk(value)):
        assert not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.BitOr)


def test_its_files_and_words_follow_the_rules_of_the_package():
    assert max(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES) <= 342
    assert free_relatives(PACKAGE) == []
    assert repeated_classes(PACKAGE) == {}
    assert superfluous(PACKAGE) == {}


@pytest.mark.parametrize("name", [name for name in rr.__all__ if callable(getattr(rr, name))])
def test_public_names_are_explained(name):
    value = getattr(rr, name)
    assert value.__doc__
    for method in public(value) if inspect.isclass(value) else ():
        own = inspect.getattr_static(value, method, None)
        if inspect.isfunction(own) or isinstance(own, property):
            assert inspect.getdoc(own), f"{name}.{method}"


def imported(library: Path | str) -> str:
    """What importing the package with a library says."""
    environment = {**os.environ, "RIGCAST_LIBRARY": str(library), "PYTHONPATH": str(PACKAGE.parent)}
    words = [sys.executable, "-c", "import rigcast_runtime as rr; print(rr.__version__)"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip().splitlines()[-1]


def test_a_library_that_is_absent_or_none_is_an_import_error(tmp_path):
    other = tmp_path / "other.so"
    assert imported(other).startswith("ImportError: rigcast_runtime finds no")
    assert str(other) in imported(other)
    other.write_text("no library")
    assert imported(other).startswith(f"ImportError: rigcast_runtime cannot use {other}")


def test_the_variable_names_a_library():
    assert imported(rr._library.PATH) == rc.__version__ == rr.__version__


def test_both_packages_use_the_same_instructions():
    assert rr.instruction_set() == rc._core.instruction_set()
