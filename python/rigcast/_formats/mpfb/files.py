"""Text and JSON of MPFB's files, with their sizes limited before they are unpacked."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

from rigcast._safe_reading import as_utf8, check_regular, parse_json
from rigcast._validate import bad_argument, missing_file

LARGEST = 1 << 27  # bytes of text that a file may unpack to; the largest that is published has 6 MB


def either(path: Path) -> Path:
    """``path``, or the same with ``.gz`` where only that exists."""
    packed = path.with_name(path.name + ".gz")
    return packed if packed.is_file() and not path.is_file() else path


def read_text(path: Path, function: str) -> str:
    """The text of a file, unpacked if it ends in ``.gz``.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no text, or unreasonably long.
    """
    if not path.exists():
        raise missing_file(function, "folder", path)
    check_regular(path)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise bad_argument(function, "folder", f"with {path} of more than {LARGEST} bytes", "of usual size", path)
        return as_utf8(content).decode("utf-8")
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise bad_argument(function, "folder", f"with {path} unreadable ({error})", "complete", path) from error


def read_object(path: Path, function: str) -> dict[str, Any]:
    """The JSON object of a file.

    Raises
    ------
    FileNotFoundError, ValueError
    """
    text = read_text(path, function)
    try:
        content = parse_json(text.encode())
    except ValueError as error:
        raise bad_argument(function, "folder", f"with {path} unreadable ({error})", "JSON", path) from None
    if not isinstance(content, dict):
        raise bad_argument(function, "folder", f"with {path}, a {type(content).__name__}", "a JSON object", path)
    return content
