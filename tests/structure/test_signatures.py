"""Signatures of public functions say what they take: no typing.Any, no bare object, no ``**`` keywords."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import importlib
import inspect
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import rigcast as rc
from tests.structure.test_package import PUBLIC

# "package.function: argument" -> why its type is open
OPEN: dict[str, str] = {
    "capture.PictureFit.__init__: request": "a record that solve_again hands back to refine",
}


class Unknown:
    """Stands for a type of an optional package that is not installed; any attribute of it is one, too."""

    def __getattr__(self, name: str) -> Unknown:
        return Unknown()

    def __or__(self, other: object) -> object:
        return typing.Union[Unknown, other]  # noqa: UP007

    __ror__ = __or__

    def __call__(self) -> None:
        """What typing wants of a type."""


def only_for_checkers(module: ModuleType) -> dict[str, object]:
    """Names that a module imports for type checkers alone."""
    found: dict[str, object] = {}
    for block in ast.walk(ast.parse(Path(str(module.__file__)).read_text())):
        if not (isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"):
            continue
        for node in block.body:
            if isinstance(node, ast.Assign):  # an alias of types
                names = {**vars(builtins), **vars(module), **found}
                found[ast.unparse(node.targets[0])] = eval(ast.unparse(node.value), names)
            home = node.module if isinstance(node, ast.ImportFrom) else None
            for alias in getattr(node, "names", []):
                name = alias.asname or alias.name.split(".")[0]
                try:
                    value: object = importlib.import_module(home or name)
                    found[name] = getattr(value, alias.name) if home else value
                except (ImportError, AttributeError):
                    found[name] = Unknown()
    return found


def resolved(annotation: object, module: ModuleType) -> object:
    if not isinstance(annotation, str):
        return annotation
    names = {**vars(builtins), **only_for_checkers(module), **vars(module)}
    return eval(annotation, names)


def is_open(annotation: object) -> bool:
    """Whether typing.Any stands in a type. What NumPy's own types are made of does not count, an array's dtype does."""
    if annotation is typing.Any:
        return True
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is np.ndarray:
        return any(is_open(part) for part in typing.get_args(parts[1]))
    if getattr(origin, "__module__", "").startswith("numpy"):
        return False
    flat = [inner for part in parts for inner in (part if isinstance(part, list) else [part])]
    return any(is_open(part) for part in flat)


def faults(function: object, module: ModuleType) -> Iterator[str]:
    signature = inspect.signature(function)
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield f"**{name}"
            continue
        annotation = resolved(parameter.annotation, module)
        if (name not in ("self", "cls") and annotation in (parameter.empty, object)) or is_open(annotation):
            yield name
    if is_open(resolved(signature.return_annotation, module)):
        yield "return"


def functions(value: object) -> Iterator[tuple[str, object]]:
    """The function itself; of a class its methods, properties and constructor, and those that it inherits from us."""
    if inspect.isfunction(value):
        yield "", value
    if not inspect.isclass(value) or (typing.is_typeddict(value)):
        return
    for name in dir(value):
        member = inspect.getattr_static(value, name)
        member = getattr(member, "__func__", getattr(member, "fget", getattr(member, "func", member)))
        own = inspect.isfunction(member) and member.__module__.startswith("rigcast")
        if own and member.__module__.startswith("rigcast._shown"):  # around the engine's, whose stubs are checked
            continue
        made_here = name == "__init__" and dataclasses.is_dataclass(value) and inspect.isfunction(member)
        if (own or made_here) and (name == "__init__" or not name.startswith("_")):
            yield f".{name}", member


def public(package: str) -> list[tuple[str, object]]:
    home = rc if package == "rigcast" else getattr(rc, package)
    return [(name, getattr(home, name)) for name in home.__all__]


@pytest.mark.parametrize("package", ["rigcast", *sorted(PUBLIC)])
def test_public_signatures_say_what_they_take(package):
    found = {}
    for name, value in public(package):
        for suffix, function in functions(value):
            owners = [one for one in getattr(value, "__mro__", ()) if suffix == ".__init__" and "__init__" in vars(one)]
            module = sys.modules[(owners[0] if owners else function).__module__]
            found |= {f"{package}.{name}{suffix}: {fault}": None for fault in faults(function, module)}
    assert [fault for fault in found if fault not in OPEN] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Any", True),
        ("list[Any] | None", True),
        ("dict[str, Any]", True),
        ("Callable[[Any], int]", True),
        ("NDArray[Any]", True),
        ("NDArray[np.float64]", False),
        ("NDArray[np.floating[Any]]", False),
        ("ArrayLike | None", False),
        ("dict[str, object]", False),
    ],
)
def test_any_is_seen_inside_a_type(text, expected):
    names = {"np": np, "Any": typing.Any, "Callable": typing.Callable}
    names |= {name: getattr(importlib.import_module("numpy.typing"), name) for name in ("ArrayLike", "NDArray")}
    assert is_open(eval(text, names)) is expected
