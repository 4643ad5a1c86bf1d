"""Optional dependencies: one sentence with the pip command when an extra is missing."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType

# Threads of OpenMP that wait for each other must not spin: next to other programs they would take turns at waiting.
BEFORE_IMPORT = {"torch": {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}}


class MissingExtra(ImportError):
    """A feature needs a package that is not installed; the message is the command that installs it."""


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional dependency.

    Parameters
    ----------
    module : str
        Import name, for example ``"torch"``.
    extra : str
        The extra of the ``rigcast`` package that brings it.
    purpose : str
        What the user wanted, as a phrase: ``"training a model"``.

    Raises
    ------
    MissingExtra
        If the module is not installed. A module that is installed and fails while importing raises its own error.
    """
    for name, value in ({} if module in sys.modules else BEFORE_IMPORT.get(module, {})).items():
        os.environ.setdefault(name, value)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.split(".")[0]:
            raise
        sentence = f'{purpose} needs {module.split(".")[0]}: pip install "rigcast[{extra}]"'
        raise MissingExtra(sentence) from None
