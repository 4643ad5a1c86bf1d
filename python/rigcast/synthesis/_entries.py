"""Entries of a file's metadata, each checked as it is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rigcast._validate import Arguments, bad_argument, is_text, shown


class Entries:
    """A JSON object; errors name the function and the place: ``load: metadata.spaces[0].label is 3; ...``."""

    def __init__(self, function: str, place: str, value: Any) -> None:
        if not isinstance(value, dict):
            raise bad_argument(function, place, f"a {type(value).__name__}", "a JSON object")
        self._function, self._place, self._value = function, place, value

    def wrong(self, name: str, got: str, expected: str) -> ValueError:
        """The error to raise for a wrong entry; of the object itself without a name."""
        return bad_argument(self._function, f"{self._place}.{name}" if name else self._place, got, expected)

    def __iter__(self) -> Iterator[str]:
        """Names of the entries."""
        return iter(self._value)

    def get(self, name: str) -> Any:
        """An entry as it is; None where there is none."""
        return self._value.get(name)

    def text(self, name: str) -> str:
        """A text."""
        value = self._value.get(name)
        if not isinstance(value, str) or not is_text(value):
            raise self.wrong(name, shown(value), "a text")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of texts."""
        value = self._value.get(name)
        if not isinstance(value, list) or not all(isinstance(entry, str) and is_text(entry) for entry in value):
            raise self.wrong(name, shown(value), "a list of texts")
        return list(value)

    def words(self, name: str) -> dict[str, str]:
        """An object of texts."""
        value = self._value.get(name)
        if not isinstance(value, dict) or not all(
            isinstance(entry, str) and is_text(entry) for entry in value.values()
        ):
            raise self.wrong(name, shown(value), "an object of texts")
        return dict(value)

    def plain(self, name: str) -> dict[str, Any]:
        """An object of whatever."""
        return dict(self.object(name)._value)

    def truth(self, name: str) -> bool:
        """True or false."""
        value = self._value.get(name)
        if not isinstance(value, bool):
            raise self.wrong(name, shown(value), "true or false")
        return value

    def whole(self, name: str) -> int:
        """A whole number of at least 0."""
        value = self._value.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
            raise self.wrong(name, shown(value), "a whole number of at least 0")
        return value

    def number(self, name: str, **bounds: float) -> float:
        """One finite number between bounds, as :meth:`Arguments.number` checks it."""
        value = self._value.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
            raise self.wrong(name, shown(value), "a finite number")
        given = None if isinstance(value, bool) else value
        return Arguments(self._function).number(f"{self._place}.{name}", given, **bounds)

    def object(self, name: str) -> Entries:
        """An object."""
        return Entries(self._function, f"{self._place}.{name}", self._value.get(name))

    def optional(self, name: str) -> Entries | None:
        """An object, or None where there is none."""
        return None if self._value.get(name) is None else self.object(name)

    def objects(self, name: str) -> list[Entries]:
        """A list of objects."""
        value = self._value.get(name)
        if not isinstance(value, list):
            raise self.wrong(name, shown(value), "a list of objects")
        return [Entries(self._function, f"{self._place}.{name}[{i}]", entry) for i, entry in enumerate(value)]
