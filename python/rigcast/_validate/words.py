"""The one wording of a wrong argument."""

from __future__ import annotations

import os

from rigcast.errors import ArgumentError, FileError

SOME = 200  # characters of a value that an error quotes


class MissingFile(FileNotFoundError):
    """A file that is not there, with the fields of an :class:`rigcast.errors.FileError`."""

    def __init__(self, function: str, argument: str, path: str, expected: str) -> None:
        super().__init__(f"{function}: {argument} is {path!r}, which does not exist; it must be {expected}")
        self.function, self.argument, self.path, self.expected = function, argument, path, expected

    def __reduce__(self) -> tuple[type[MissingFile], tuple[str, str, str, str]]:
        return MissingFile, (self.function, self.argument, self.path, self.expected)


def bad_argument(
    function: str, argument: str, got: object, expected: str, path: str | os.PathLike[str] | None = None
) -> ArgumentError:
    """Make the error for a wrong argument.

    Parameters
    ----------
    function, argument : str
        Public names, as a user wrote them.
    got : object
        What the argument is, in words (a shape, a value, a type).
    expected : str
        What it must be.
    path : str or path, optional
        The file that it is about, named by ``got``: the error is a :class:`rigcast.errors.FileError` then.
    """
    if path is None:
        return ArgumentError(function, argument, str(got), expected)
    return FileError(function, argument, str(got), expected, path)


def bad_file(path: str | os.PathLike[str], problem: str, expected: str = "", function: str = "") -> FileError:
    """Make the error for a file: its path, a colon, what is wrong with it, and what it must be."""
    return FileError(function, "", f"{os.fspath(path)}: {problem}", expected, path)


def missing_file(function: str, argument: str, path: object, expected: str = "an existing file") -> MissingFile:
    """Make the ``FileNotFoundError`` for a file that is not there; a file of other content is a ``FileError``."""
    return MissingFile(function, argument, str(path), expected)


def is_text(text: str) -> bool:
    """True if a text can be written: half a surrogate pair cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def shown(value: object) -> str:
    """``repr``, cut where it is long: errors quote it."""
    text = repr(value)
    return text if len(text) <= SOME else f"{text[: SOME - 3]}..."
