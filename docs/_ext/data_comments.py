"""Texts of constants and type aliases: the ``#:`` comments above them, in the modules that define them.

Autodoc looks for a comment in the package that offers a name, finds none, and shows what the value's type says of
itself ("Built-in immutable sequence.").
"""

from __future__ import annotations

import ast
import importlib
import inspect
from functools import cache
from types import ModuleType

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer


def setup(app: Sphinx) -> dict[str, bool]:
    """Replace the texts before numpydoc reads them."""
    app.connect("autodoc-process-docstring", from_comment, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def from_comment(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """The comment of a constant or type alias in place of the docstring of its type."""
    if what == "data" and name.startswith("rigcast."):
        package, _, short = name.rpartition(".")
        lines[:] = comment(package, short)


def comment(package: str, name: str) -> list[str]:
    """Lines of the comment above a public name; empty if there is none."""
    module = importlib.import_module(package)
    while (home := imports(module).get(name)) is not None:
        module = importlib.import_module(home)
    return list(ModuleAnalyzer.for_module(module.__name__).find_attr_docs().get(("", name), []))


@cache
def imports(module: ModuleType) -> dict[str, str]:
    """Names that a module imports from others of the package, with these modules."""
    nodes = (node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ImportFrom))
    ours = [node for node in nodes if (node.module or "").startswith("rigcast")]
    return {alias.name: str(node.module) for node in ours for alias in node.names}
