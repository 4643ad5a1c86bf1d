"""Arguments of trainings that are no numbers: data sets, and records of settings."""

from __future__ import annotations

from typing import Any

from rigcast._validate import bad_argument
from rigcast.training._budget import Budget


def check_data_set(function: str, ds: Any, argument: str = "data") -> None:
    """Raise ValueError unless ``ds`` is a data set."""
    # Not "vertices": asking a set for them reads all of them into memory, and training reads them piece by piece.
    missing = [name for name in ("skeleton", "poses", "probe", "hash", "take") if not hasattr(ds, name)]
    if missing:
        got = f"a {type(ds).__name__} without {', '.join(missing)}"
        raise bad_argument(function, argument, got, "a data set: rigcast.Dataset(path)")


def check_record(function: str, settings: Any, kind: type) -> None:
    """Raise ValueError unless ``settings`` is a record of a kind."""
    if not isinstance(settings, kind):
        raise bad_argument(function, "settings", f"a {type(settings).__name__}", f"a rigcast.training.{kind.__name__}")


def verify(ds: Any, budget: Budget) -> None:
    """Raise ValueError if a data set on disk has changed since it was sampled."""
    if hasattr(ds, "verify"):
        ds.verify(budget.progress)
