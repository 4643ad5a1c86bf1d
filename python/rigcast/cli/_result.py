"""The result of a command: plain values that become one JSON object."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

Result = Mapping[str, Any]


class WrongInput(ValueError):
    """Options that do not fit each other, or files that do not fit a command, in its words."""


class PartlyFailed(Exception):
    """Some of what a command does has failed, and the rest is done: ``result`` reports both."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result


def as_json(value: Any) -> Any:
    """Plain JSON values: arrays become lists, paths text, and numbers that are not finite null."""
    if isinstance(value, Mapping):
        return {str(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return as_json(value.tolist())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
