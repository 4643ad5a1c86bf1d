"""Records of settings: their defaults by method, and their checks."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from rigcast._validate import bad_argument

SCHEDULES = ("cosine", "constant", "thirds")
OPTIMIZERS = ("soap", "adam")
_OPTIONAL = ("weight_decay",)


def by_method() -> Any:
    """A field of settings whose default the method decides: None until :func:`complete` sets it."""
    return field(default=None)


def complete(function: str, settings: Any, defaults: Mapping[str, Any]) -> None:
    """Set the fields of a new record that are None to their defaults; NumPy's numbers become Python's.

    Raises
    ------
    ValueError
        If a field that is True or False is anything else.
    """
    for one in dataclasses.fields(settings):
        value = getattr(settings, one.name)
        plain = value.item() if isinstance(value, np.generic) else value
        if plain is None:
            plain = defaults.get(one.name, one.default)
        if one.type == "bool" and not isinstance(plain, bool):
            raise bad_argument(function, one.name, repr(plain), "True or False")
        object.__setattr__(settings, one.name, plain)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def check_settings(
    function: str,
    settings: Any,
    choices: Mapping[str, Sequence[str]],
    lowest: Mapping[str, float],
    whole: Collection[str],
) -> None:
    """Check the settings of a training; some may be None, ``holdout`` is a part.

    Raises
    ------
    ValueError
        If a text is none of its choices, or a number is not finite, too low, or not whole.
    """
    for name, allowed in choices.items():
        value = getattr(settings, name)
        if value not in allowed:
            raise bad_argument(function, name, repr(value), " or ".join(f'"{choice}"' for choice in allowed))
    for name, least in lowest.items():
        value = getattr(settings, name)
        if value is None and name in _OPTIONAL:
            continue
        if name in whole and (isinstance(value, bool) or not isinstance(value, int)):
            raise bad_argument(function, name, repr(value), "a whole number")
        if not _number(value) or value < least:
            raise bad_argument(function, name, repr(value), f"a finite number not below {least}")
    holdout = settings.holdout
    if not _number(holdout) or not 0.0 < holdout < 1.0:
        raise bad_argument(function, "holdout", repr(holdout), "a part between 0 and 1")
