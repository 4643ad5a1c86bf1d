"""The one wording of a wrong argument."""

from __future__ import annotations

SOME = 200  # characters of a value that an error quotes


def bad_argument(function: str, argument: str, got: object, expected: str) -> ValueError:
    """Make the ``ValueError`` for a wrong argument.

    Parameters
    ----------
    function, argument : str
        Public names, as a user wrote them.
    got : object
        What the argument is, in words (a shape, a value, a type).
    expected : str
        What it must be.
    """
    return ValueError(f"{function}: {argument} is {got}; it must be {expected}")


def missing_file(function: str, argument: str, path: object, expected: str = "an existing file") -> FileNotFoundError:
    """Make the ``FileNotFoundError`` for a file that is not there; a file of other content is a ``ValueError``."""
    return FileNotFoundError(f"{function}: {argument} is {str(path)!r}, which does not exist; it must be {expected}")


def is_text(text: str) -> bool:
    """Whether a text can be written: half a surrogate pair cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def shown(value: object) -> str:
    """``repr``, cut where it is long: errors quote it."""
    text = repr(value)
    return text if len(text) <= SOME else f"{text[: SOME - 3]}..."
