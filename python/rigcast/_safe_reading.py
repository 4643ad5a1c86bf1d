"""Reading files of strangers: regular files alone, up to a size, and JSON up to a depth."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

LARGEST_JSON = 1 << 28  # bytes; the largest that this package writes are data sets' manifests, a few MB
DEEPEST_JSON = 64  # lists and objects inside each other; Python's own limit is about a thousand

KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFSOCK: "a socket"}


def check_regular(path: str | os.PathLike[str]) -> None:
    """Refuse what is no regular file before it is opened: a pipe may wait for ever, a device may never end.

    Raises
    ------
    FileNotFoundError
    ValueError
        Naming the path and what it is.
    """
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        raise ValueError(f"{os.fspath(path)}: {KINDS.get(stat.S_IFMT(mode), 'no regular file')}; it must be a file")


def read_bytes(path: str | os.PathLike[str], limit: int) -> bytes:
    """The content of a regular file of at most ``limit`` bytes.

    Raises
    ------
    FileNotFoundError
    ValueError
        Naming the path, if it is no such file.
    """
    check_regular(path)
    with open(path, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > limit:
            raise ValueError(f"{os.fspath(path)}: {size} bytes; it must be a file of at most {limit}")
        return stream.read()


def read_json(path: str | os.PathLike[str], limit: int = LARGEST_JSON) -> Any:
    """The value of a JSON file of at most ``limit`` bytes.

    Raises
    ------
    FileNotFoundError
    ValueError
        Naming the path, if the file is no JSON, or too large or too deep.
    """
    try:
        return parse_json(read_bytes(path, limit))
    except (ValueError, RecursionError) as error:
        text = str(error)
        if text.startswith(os.fspath(path)):
            raise
        raise ValueError(f"{Path(path)}: no JSON ({text})") from None


def parse_json(content: bytes, **hooks: Any) -> Any:
    """The value of a JSON text in UTF-8; ``hooks`` are those of :func:`json.loads`.

    Raises
    ------
    ValueError
        If it is no JSON, or too deep.
    """
    deep = f"more than {DEEPEST_JSON} lists inside each other"
    try:
        value = json.loads(content.decode("utf-8-sig"), **hooks)
    except RecursionError:
        raise ValueError(deep) from None
    level = [value]
    for _ in range(DEEPEST_JSON + 1):
        level = [entry for parent in level for entry in _inside(parent)]
        if not level:
            return value
    raise ValueError(deep)


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
