"""Signatures of the engine's classes, from the stub ``_core.pyi``: pybind11's own name types that nobody writes."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from sphinx.application import Sphinx

import rigcast

STUB = Path(rigcast.__file__).parent / "_core.pyi"


def setup(app: Sphinx) -> dict[str, bool]:
    """Replace signatures, and drop the line of pybind11 in docstrings."""
    app.connect("autodoc-process-signature", from_stub)
    app.connect("autodoc-process-docstring", without_signature, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


@cache
def functions() -> dict[str, ast.FunctionDef]:
    """Functions of the stub, ``Class.method`` or ``function``."""
    found: dict[str, ast.FunctionDef] = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        if isinstance(node, ast.ClassDef):
            for method in (part for part in node.body if isinstance(part, ast.FunctionDef)):
                if method.args.args and method.args.args[0].arg == "self":
                    del method.args.args[0]
                found[f"{node.name}.{method.name}"] = method
    return found


def is_engine(value: object) -> bool:
    """True for a class of the extension and for its methods."""
    return getattr(value, "__module__", None) == "rigcast._core" or type(value).__name__ == "instancemethod"


def from_stub(
    app: Sphinx, what: str, name: str, value: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None] | None:
    """Arguments and result as the stub has them, for the engine; those of Python in short."""
    if not is_engine(value):
        return signature and shortened(signature), returned and shortened(returned)
    parts = name.split(".")
    key = f"{parts[-1]}.__init__" if what == "class" else ".".join(parts[-2:])
    function = functions().get(key)
    if function is None:
        return None
    result = ast.unparse(function.returns) if function.returns and what != "class" else None
    return f"({shortened(ast.unparse(function.args))})", result and shortened(result)


def shortened(text: str) -> str:
    """Types as one writes them."""
    text = re.sub(r"~?numpy\.ndarray\[~?(?:typing\.)?Any, ~?numpy\.dtype\[~?(.+?)\]\]", r"NDArray[\1]", text)
    text = re.sub(r"~?\bnumpy\.(typing\.)?(?=NDArray|ArrayLike|float|int|uint|bool)", "", text)
    return (
        text.replace("typing.SupportsInt | typing.SupportsIndex", "int")
        .replace("typing.SupportsFloat | typing.SupportsIndex", "float")
        .replace("os.PathLike | str | bytes", "os.PathLike | str")
        .replace("rigcast._cuda.", "")
    )


def without_signature(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Drop ``method(self: ..., ...) -> ...``, with which pybind11 begins a docstring, and the numbers of overloads."""
    own = re.escape(name.rpartition(".")[2])
    if is_engine(value):
        generated = re.compile(rf"(\d+\. )?({own}|__init__)\((self: |\*args)|Overloaded function\.$")
        lines[:] = [line for line in lines if not generated.match(line)]
