"""The base of all messages of the page, and the types of their fields, each with its check.

A message is one JSON object. Its ``type`` is the ``kind`` of a class, its other entries are the fields of that class.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Annotated, Any, ClassVar

LARGEST_NUMBER = 1e9  # of a coordinate: beyond, products overflow float32
LONGEST_LABEL = 1000  # characters
Check = Callable[[Any], bool]


class Refused(ValueError):
    """A message that cannot be followed; the page shows why."""


class Message:
    """One message of the page.

    Attributes
    ----------
    KINDS : dict from str to type
        The class of each kind.
    kind : str
        The JSON entry ``type``.
    is_timed : bool
        Whether the time from such a message to its frame is measured.
    """

    KINDS: ClassVar[dict[str, type[Message]]] = {}
    kind: ClassVar[str]
    is_timed: ClassVar[bool]

    def __init_subclass__(cls, kind: str = "", is_timed: bool = False) -> None:
        cls.kind, cls.is_timed = kind, is_timed
        if kind:  # a family of messages has none
            Message.KINDS[kind] = cls

    def merge_key(self) -> Hashable | None:
        """Equal for messages of which the newest replaces the others that wait; None if each counts."""
        return None


def is_number(value: Any) -> bool:
    """True if a JSON value is a number that the engine can take."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and -LARGEST_NUMBER <= value <= LARGEST_NUMBER  # not isfinite, which overflows for huge integers


def is_whole(value: Any) -> bool:
    """True if a JSON value is a whole number from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_NUMBER


def is_size(value: Any) -> bool:
    """True if a JSON value is a number of bytes, of a file that is too large, too: who sends it is told."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def is_vector(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(is_number, value))


def is_direction(value: Any) -> bool:
    return is_vector(value) and any(value)


def is_label(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_LABEL


def is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_LABEL


def is_list_of_channels(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_whole, value))


def is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def one_of(*words: str) -> Check:
    return lambda value: isinstance(value, str) and value in words


Number = Annotated[float, is_number]
Whole = Annotated[int, is_whole]
Size = Annotated[int, is_size]
Flag = Annotated[bool, is_flag]
Vector = Annotated[list[float], is_vector]
Direction = Annotated[list[float], is_direction]
