"""Finished results are replaced with ``--overwrite`` only."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from rigcast.cli._result import WrongInput


def add_overwrite_argument(parser: argparse.ArgumentParser) -> None:
    """The option that every command with a result gets."""
    parser.add_argument(
        "--overwrite", action="store_true", help="replace results that exist, when the new ones are done"
    )


def check_overwrite(outputs: Iterable[Path], overwrite: bool) -> None:
    """Refuse to replace a finished output, before any work.

    Raises
    ------
    ValueError
        Naming the first output that exists, unless ``overwrite`` is true.
    """
    for path in outputs:
        if not overwrite and path.exists():
            raise WrongInput(f"{path} exists; --overwrite replaces it when the new one is done")
