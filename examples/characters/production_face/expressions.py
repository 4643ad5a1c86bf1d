"""Driver expressions over dials: written once, evaluated by Blender, and by NumPy where shapes are made for a pose.

``"min({jawOpen} + {jawBack}, 1)"``: names of dials in braces; numbers, + - * /, min, max, clamp and smoothstep, which
Blender evaluates without Python.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.errors import ArgumentError

Array = NDArray[np.float64]
DIAL = re.compile(r"\{(\w+)\}")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONGEST = 255  # characters of an expression in Blender


def dials_of(expression: str) -> list[str]:
    """Names of the dials that an expression reads, in order of appearance."""
    return list(dict.fromkeys(DIAL.findall(expression)))


def driver_of(expression: str) -> tuple[str, dict[str, str]]:
    """The expression with one letter per dial, as Blender gets it, and the dial of each letter."""
    letters = dict(zip(dials_of(expression), LETTERS, strict=False))
    text = DIAL.sub(lambda found: letters[found[1]], expression).replace(" ", "")
    if len(text) > LONGEST:
        raise ArgumentError("driver_of", "expression", f"{len(text)} characters long", f"at most {LONGEST}: {text}")
    return text, {letter: dial for dial, letter in letters.items()}


def value(expression: str, dials: Mapping[str, Any]) -> Array:
    """The expression at values of the dials, numbers or arrays of one shape; dials that are not given are 0."""
    names = dials_of(expression)
    known: dict[str, Any] = {f"_{name}": np.asarray(dials.get(name, 0.0), np.float64) for name in names}
    return np.asarray(eval(_compiled(expression), {"__builtins__": {}, **FUNCTIONS}, known), np.float64)


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> CodeType:
    return compile(DIAL.sub(lambda found: f"_{found[1]}", expression), "<driver>", "eval")


def tent(word: str, start: float, peak: float, end: float) -> str:
    """Rises from ``start`` to ``peak`` and falls to ``end``; one that ends at 1 falls to 0 there."""
    return f"max(min(({word}-{start:g})/{peak - start:g},({end:g}-{word})/{end - peak:g}),0)"


def late(word: str, start: float, end: float = 1.0) -> str:
    """0 until ``start``, 1 from ``end``, smooth between."""
    return f"smoothstep({start:g},{end:g},{word})"


def _smoothstep(low: float, high: float, x: Array) -> Array:
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    return np.asarray(t * t * (3 - 2 * t))


FUNCTIONS = {
    "min": lambda *values: np.minimum.reduce(np.broadcast_arrays(*values)),
    "max": lambda *values: np.maximum.reduce(np.broadcast_arrays(*values)),
    "clamp": lambda x, low=0.0, high=1.0: np.clip(x, low, high),
    "smoothstep": _smoothstep,
}
