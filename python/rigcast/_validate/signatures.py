"""One sentence on a call that no overload of an engine function takes."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rigcast._validate.words import bad_argument

ABOUT = "metadata"  # the parameter that takes what a model says of itself
SIGNATURE = re.compile(r"^ {4}\d+\. ", re.MULTILINE)
OPENING, CLOSING = "([{", ")]}"
KINDS: dict[str, Any] = {
    "str": str,
    "bool": (bool, np.bool_),
    "int": (int, np.integer),
    "float": (int, float, np.integer, np.floating),
}


@dataclass(frozen=True)
class Parameter:
    """One argument of an overload: its name, the type that it is annotated with, and whether it must be given."""

    name: str
    type: str
    required: bool
    by_name: bool


def call_error(text: str, given: Sequence[object], named: Mapping[str, object]) -> str:
    """The message in place of the one of pybind11, which shows every value in full.

    Parameters
    ----------
    text : str
        What pybind11 says: the overloads, one per line, then the values.
    given : sequence
        The positional arguments, a method's object or a new one among them.
    named : mapping
        The keyword arguments.

    Returns
    -------
    str
        Names the function, the argument, and what it must be.
    """
    overloads = text.partition("\nInvoked with: ")[0].partition(":\n")[2]
    signatures = [line.strip() for line in SIGNATURE.split(overloads) if line.strip()]
    own = text.partition("(")[0]
    is_constructor = own == "__init__"
    function = signatures[0].partition("(")[0].rpartition(".")[2] if is_constructor else own
    reads = [_parameters(signature) for signature in signatures]
    values = list(given)[1 if is_constructor or (reads[0] and reads[0][0].name == "self") else 0 :]
    takes = [[parameter for parameter in read if parameter.name != "self"] for read in reads]
    reasons = [_reason(function, parameters, values, named) for parameters in takes]
    return min(reasons, key=lambda reason: reason[0])[1]


def _reason(function: str, takes: list[Parameter], values: list[Any], named: Mapping[str, Any]) -> tuple[int, str]:
    """The fault of a call of one overload, in a sentence, and its distance from a call that works."""
    names = [parameter.name for parameter in takes]
    unknown = [name for name in named if name not in names]
    if unknown:
        return 2 + len(unknown), _refused(function, unknown[0], "no argument", _cure(unknown[0], named, names))
    positional = [parameter for parameter in takes if not parameter.by_name]
    if len(values) > len(positional):
        got = f"{len(values)} of them by position"
        return 2, _refused(function, "arguments", got, f"at most {len(positional)}: {', '.join(names)}")
    bound = dict(zip(names, values, strict=False))
    twice = [name for name in named if name in bound]
    if twice:
        return 2, _refused(function, twice[0], "given by position and by name", "given once")
    bound |= named
    missing = [parameter.name for parameter in takes if parameter.required and parameter.name not in bound]
    if missing:
        return 2, _refused(function, missing[0], "missing", f"given: {function}({', '.join(names)})")
    for parameter in takes:
        if parameter.name in bound and not _fits(bound[parameter.name], parameter.type):
            got = _described(bound[parameter.name])
            return 1, _refused(function, parameter.name, got, _readable(parameter.type))
    got = ", ".join(f"{name} {_described(value)}" for name, value in bound.items())
    expected = ", ".join(f"{parameter.name} {_readable(parameter.type)}" for parameter in takes)
    return 1, _refused(function, "arguments", got or "none", expected or "none")


def _refused(function: str, argument: str, got: str, expected: str) -> str:
    return str(bad_argument(function, argument, got, expected))


def _cure(unknown: str, named: Mapping[str, Any], names: list[str]) -> str:
    """The argument to write in place of one that does not exist."""
    near = [name for name in difflib.get_close_matches(unknown, names, 1, 0.75) if name not in named]
    if near:
        return f"{near[0]}, if that is meant"
    if ABOUT in names:
        return f'an entry of {ABOUT}, {ABOUT}={{"{unknown}": ...}}, or one of {", ".join(names)}'
    return f"one of {', '.join(names)}" if names else "left out: there are none"


def _parameters(signature: str) -> list[Parameter]:
    """Those of ``name(a: type, *, b: type = value) -> type``."""
    inner = _enclosed(signature)
    found, by_name = [], False
    for part in _split(inner):
        name, _, rest = part.partition(":")
        kind, equals, _ = rest.partition(" = ")
        if part.startswith("*"):
            by_name = True
        elif part != "/":
            found.append(Parameter(name.strip(), kind.strip(), not equals, by_name))
    return found


def _enclosed(signature: str) -> str:
    """The text between the outermost parentheses."""
    start, depth = signature.index("(") + 1, 0
    for place, letter in enumerate(signature[start - 1 :], start - 1):
        depth += (letter in OPENING) - (letter in CLOSING)
        if depth == 0:
            return signature[start:place]
    return signature[start:]


def _split(text: str) -> list[str]:
    """Parts between the commas that no bracket encloses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in OPENING) - (letter in CLOSING)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _fits(value: object, annotation: str) -> bool:
    """True if a value may be of a type: False only for types that are plain to see."""
    kinds = [kind.strip() for kind in annotation.split(" | ")]
    known = [KINDS.get(kind) for kind in kinds]
    if all(known):
        return any(isinstance(value, kind) for kind in known if kind is not None)
    if all(kind.startswith("rigcast._core.") or kind == "None" for kind in kinds):
        names = {kind.rpartition(".")[2] for kind in kinds}
        return (value is None and "None" in names) or any(c.__name__ in names for c in type(value).__mro__)
    if annotation.startswith("typing.Supports"):
        return isinstance(value, KINDS["float"]) or (hasattr(value, "__index__") and getattr(value, "size", 1) == 1)
    return True


def _readable(annotation: str) -> str:
    """A type as a person says it."""
    words = re.sub(r"numpy\.typing\.ArrayLike", "an array", annotation)
    words = re.sub(r"typing\.Supports(Int|Index)(?: \| typing\.SupportsIndex)?", "an integer", words)
    words = re.sub(r"typing\.SupportsFloat(?: \| typing\.SupportsIndex)?", "a number", words)
    return re.sub(r"\b(?:[a-z_]+\.)+([A-Z]\w*)", r"\1", words).replace(" | ", " or ")


def _described(value: object) -> str:
    """A value by its type, arrays by their shape: never in full."""
    if isinstance(value, np.ndarray):
        return f"an array {value.shape} of {value.dtype}"
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    return value.__name__ if inspect.isclass(value) else f"a {type(value).__name__}"
