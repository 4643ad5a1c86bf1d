"""Tables between marks, read again: cells by the beginnings of their row and column."""

from __future__ import annotations

import re

from benchmarks.marks import read_between_marks

NUMBER = re.compile(r"\d[\d,]*\.?\d*(?:e[+-]\d+)?|\.\d+")


class WrittenTable:
    """The text between the marks of a name, and the tables in it.

    Raises
    ------
    LookupError
        If no page has such marks, or, later, if there is no such row, column or number.
    """

    def __init__(self, name: str) -> None:
        self._name, self._text = name, read_between_marks(name).strip()
        if not self._text:
            raise LookupError(f"no page has a place named {name!r}")
        tables = re.findall(r"(?:^\|.*(?:\n|$))+", self._text, re.MULTILINE)
        self._rows = [(head, row) for head, _, *rows in map(_cells, tables) for row in rows]

    def names(self) -> list[str]:
        """First cells of all rows."""
        return [row[0] for _, row in self._rows]

    def heads(self) -> list[str]:
        """Titles of the columns of the first table."""
        return list(self._rows[0][0])

    def cell(self, row: str, column: str | int, *, nth: int = 0) -> str:
        """The cell of the nth row and the first column that begin with these words (a column also by its number)."""
        rows = [(head, cells) for head, cells in self._rows if cells[0].startswith(row)]
        if len(rows) <= nth:
            raise LookupError(f"{self._name}: {len(rows)} rows begin with {row!r}; {nth + 1} must")
        head, cells = rows[nth]
        return cells[self._place(head, column)]

    def number(self, row: str, column: str | int, *, nth: int = 0, which: int = 0) -> float:
        """A number of a cell: the first, or another one."""
        return _number(self._name, self.cell(row, column, nth=nth), which)

    def numbers(self, column: str | int) -> list[float]:
        """The first number of each row of the first table."""
        head = self._rows[0][0]
        return [_number(self._name, row[self._place(head, column)], 0) for own, row in self._rows if own is head]

    def said(self, pattern: str) -> float:
        """A number of the text, by a pattern with one group."""
        found = re.search(pattern, self._text)
        if found is None:
            raise LookupError(f"{self._name}: nothing is like {pattern!r}")
        return _number(self._name, found[1], 0)

    def _place(self, head: list[str], column: str | int) -> int:
        if isinstance(column, int):
            return column
        found = [place for place, title in enumerate(head) if title.startswith(column)]
        if not found:
            raise LookupError(f"{self._name}: no column begins with {column!r}: {', '.join(head)}")
        return found[0]


def _cells(table: str) -> list[list[str]]:
    return [[cell.strip().strip("*") for cell in line.strip("|").split("|")] for line in table.splitlines()]


def _number(name: str, cell: str, which: int) -> float:
    found = NUMBER.findall(cell)
    if not -len(found) <= which < len(found):
        raise LookupError(f"{name}: {cell!r} has {len(found)} numbers")
    return float(found[which].replace(",", ""))


def met(reached: bool) -> str:
    """The verdict on a goal."""
    return "met" if reached else "missed"


def missed_cells(values: list[float], least: float) -> int:
    """Number of values below a goal."""
    return sum(value < least for value in values)
