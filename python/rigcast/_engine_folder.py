"""Finds the compiled engine of the wheel rigcast-cuda, if that is installed beside the package."""

from __future__ import annotations

import importlib

from rigcast._version import __version__


def engine_folders() -> list[str]:
    """Folders that come before the package's own where ``rigcast._core`` and ``rigcast._cuda`` are looked for.

    Returns
    -------
    list of str
        That of ``rigcast_cuda``, whose engine has the CUDA extension; none if it is not installed.

    Raises
    ------
    ImportError
        If it has another version: its engine would not fit the package.
    """
    try:
        other = importlib.import_module("rigcast_cuda")
    except ImportError:  # hosts may forbid it as well
        return []
    if other.__version__ != __version__:
        raise ImportError(
            f"rigcast is {__version__}, but rigcast-cuda is {other.__version__}: "
            f'pip install "rigcast-cuda=={__version__}", or pip uninstall rigcast-cuda'
        )
    return list(other.__path__)
