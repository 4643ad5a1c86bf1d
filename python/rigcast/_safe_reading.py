"""Reading files of strangers: regular files alone, up to a size, text of any Unicode, and JSON up to a depth."""

from __future__ import annotations

import codecs
import csv
import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rigcast._validate import bad_argument, bad_file, missing_file
from rigcast.errors import ArgumentError, FileError

LARGEST_SETTINGS = 1 << 20  # bytes of a JSON file that a person writes
LARGEST_JSON = 1 << 28  # bytes; the largest that this package writes are data sets' manifests, a few MB
DECIMAL = re.compile(r"^([-+]?\d*),(\d+(?:[eE][-+]?\d+)?)$")
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
        raise bad_file(path, KINDS.get(stat.S_IFMT(mode), "no regular file"), "a file")


class Malformed(ValueError):
    """Content that is none of its format; readers catch it and name the file."""


def with_file(error: ValueError, path: str | os.PathLike[str], function: str = "") -> FileError:
    """An error about a file's content, with the file unless its text names it already.

    Parameters
    ----------
    error : ValueError
    path : str or path
    function : str
        In whose name, in place of the error's own.
    """
    place = "" if str(path) in str(error) else f" (in {path})"
    if not isinstance(error, ArgumentError):
        return FileError(function, "", f"{error}{place}", "", path)
    got, expected = (error.got, error.expected + place) if error.expected else (error.got + place, "")
    return FileError(function or error.function, error.argument, got, expected, path)


@contextmanager
def errors_naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors of what is made of a file's content, with the file.

    Raises
    ------
    ValueError
    """
    try:
        yield
    except ValueError as error:
        raise with_file(error, path) from error


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
            raise bad_file(path, f"{size} bytes", f"a file of at most {limit}")
        return stream.read()


def as_utf8(content: bytes) -> bytes:
    """Text in UTF-8 without a byte-order mark, of text in UTF-8, UTF-16 or UTF-32 as its first bytes show.

    Editors write such marks, and programs of Windows write UTF-16. Other encodings are left as they are.

    Raises
    ------
    ValueError
        If the first bytes show an encoding and the others are none of it.
    """
    if content.startswith(codecs.BOM_UTF8):
        return content[len(codecs.BOM_UTF8) :]
    encoding = _wide_encoding(content[:8])
    if not encoding:
        return content
    try:
        return content.decode(encoding).lstrip("\ufeff").encode("utf-8")
    except UnicodeError as error:
        raise Malformed(f"text that begins as {encoding} and is none ({error})") from None


def _wide_encoding(head: bytes) -> str:
    """UTF-32 or UTF-16 by a mark, or by the zeros next to letters of ASCII; empty for neither."""
    for mark, encoding in ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
                           (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):  # fmt: skip
        if head.startswith(mark):
            return encoding
    if len(head) >= 4 and head[0] and not head[1]:
        return "utf-16-le" if head[2] else "utf-32-le"
    if len(head) >= 4 and not head[0] and (head[1] or head[3]):
        return "utf-16-be" if head[1] else "utf-32-be"
    return ""


def text_of(content: bytes) -> tuple[str, bool]:
    """Text of :func:`as_utf8`, and whether it was none of these encodings and is read as Latin-1.

    Raises
    ------
    ValueError
        See :func:`as_utf8`.
    """
    plain = as_utf8(content)
    try:
        return plain.decode("utf-8"), False
    except UnicodeDecodeError:
        return plain.decode("latin-1"), True


def table_rows(text: str) -> list[list[str]]:
    """Cells of a table whose lines are divided by commas, or by semicolons or tabs as its first line is.

    Where no comma divides, one inside a number is its decimal point. Lines without a cell, remarks (``#``) and the line
    by which spreadsheets state what divides (``sep=;``) are left out.

    Raises
    ------
    csv.Error
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "sep="))]
    counts = {mark: lines[0].count(mark) for mark in ",;\t"} if lines else {}
    mark = max(counts, key=lambda one: counts[one], default=",")
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark, strict=True)]
    if mark != ",":
        rows = [[DECIMAL.sub(r"\1.\2", cell) for cell in row] for row in rows]
    return [row for row in rows if any(row)]


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
    except FileError:
        raise
    except (ValueError, RecursionError) as error:
        raise bad_file(path, f"no JSON ({error})") from None


def read_settings(
    function: str, argument: str, path: str | os.PathLike[str], expected: str, limit: int = LARGEST_SETTINGS
) -> Any:
    """The value of a JSON file that an argument names, of at most ``limit`` bytes.

    Parameters
    ----------
    function, argument : str
        Public names, for errors.
    path : str or path
    expected : str
        What the file must hold, in words.
    limit : int

    Raises
    ------
    FileNotFoundError
    FileError
        If it is no JSON file.
    """
    if not os.path.isfile(path):
        raise missing_file(function, argument, path)
    try:
        return read_json(path, limit)
    except ValueError as error:
        raise bad_argument(function, argument, f"unreadable ({error})", expected, path) from None


def parse_json(content: bytes, **hooks: Any) -> Any:
    """The value of a JSON text in UTF-8; ``hooks`` are those of :func:`json.loads`.

    Raises
    ------
    ValueError
        If it is no JSON, or too deep.
    """
    deep = f"more than {DEEPEST_JSON} lists inside each other"
    try:
        value = json.loads(as_utf8(content).decode("utf-8"), **hooks)
    except RecursionError:
        raise Malformed(deep) from None
    level = [value]
    for _ in range(DEEPEST_JSON + 1):
        level = [entry for parent in level for entry in _inside(parent)]
        if not level:
            return value
    raise Malformed(deep)


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
