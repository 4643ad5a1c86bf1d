"""Argument types that several commands share; each refuses a wrong value with one sentence."""

from __future__ import annotations

import argparse
from pathlib import Path


def existing(text: str) -> Path:
    """A file or folder that must be there."""
    path = Path(text)
    if not path.exists():
        raise argparse.ArgumentTypeError(f"{text} does not exist")
    return path


def existing_file(text: str) -> Path:
    """A file that must be there."""
    path = existing(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"{text} is a folder; it must be a file")
    return path


def output(text: str) -> Path:
    """A file or folder to write, whose own folder must be there."""
    path = Path(text)
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"the folder {path.parent} does not exist")
    return path


def output_file(text: str) -> Path:
    """A file to write: :func:`output`, and no folder."""
    path = output(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a folder; it must be a file")
    return path


def count(text: str) -> int:
    """A whole number, at least 1."""
    return _at_least(text, 1)


def seed(text: str) -> int:
    """A whole number, at least 0."""
    return _at_least(text, 0)


def positive(text: str) -> float:
    """A positive number."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def _at_least(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least {least}")
    return value
