"""Answers of people as a table: columns of one length, some of them factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import bad_argument, shown

Float64 = NDArray[np.float64]
MOST_ROWS = 10_000_000
Table = Mapping[str, ArrayLike]


@dataclass(frozen=True, eq=False)
class Factor:
    """A column of categories.

    Attributes
    ----------
    name : str
    levels : list of L str
        Sorted, numbers by their value.
    codes : (rows,) ints
        Indices of levels.
    """

    name: str
    levels: list[str]
    codes: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.levels)


class Columns:
    """The columns that a function reads of a table.

    Parameters
    ----------
    function : str
        Public name, for errors.
    table : mapping of names to columns
        A dict of arrays, a structured array, or a data frame.

    Raises
    ------
    ValueError
        If it is no table, or its columns differ in length.
    """

    def __init__(self, function: str, table: Table) -> None:
        self.function = function
        names = getattr(getattr(table, "dtype", None), "names", None)
        self.names = list(names) if names else [str(name) for name in table] if hasattr(table, "__iter__") else []
        if not self.names or not hasattr(table, "__getitem__"):
            raise bad_argument(
                function, "table", f"a {type(table).__name__}", "columns by name: a dict or a data frame"
            )
        self._table = table
        self.rows = len(np.asarray(table[self.names[0]]))
        if not 1 <= self.rows <= MOST_ROWS:
            raise bad_argument(function, "table", f"of {self.rows} rows", f"of 1 to {MOST_ROWS:,} rows")

    def column(self, argument: str, name: str) -> NDArray[Any]:
        """A column as it is."""
        if name not in self.names:
            raise bad_argument(self.function, argument, shown(name), f"one of {', '.join(self.names)}")
        column = np.asarray(self._table[name])
        if column.shape != (self.rows,):
            must = f"a column of {self.rows} values"
            raise bad_argument(self.function, f"table[{name!r}]", f"of shape {column.shape}", must)
        return column

    def numbers(self, argument: str, name: str) -> Float64:
        """A column of finite numbers."""
        column = self.column(argument, name)
        if column.dtype.kind not in "fiub":
            raise bad_argument(self.function, f"table[{name!r}]", f"of {column.dtype}", "numbers")
        result = column.astype(np.float64)
        if not np.isfinite(result).all():
            row = int(np.flatnonzero(~np.isfinite(result))[0])
            raise bad_argument(self.function, f"table[{name!r}]", f"{result[row]} in row {row}", "finite")
        return result

    def factor(self, argument: str, name: str) -> Factor:
        """A column of categories, at least one."""
        column = self.column(argument, name)
        if column.dtype.kind == "f" and not np.isfinite(column).all():
            raise bad_argument(self.function, f"table[{name!r}]", "not finite somewhere", "a category in each row")
        plain = column if column.dtype.kind in "fiub" else column.astype(str)
        levels, codes = np.unique(plain, return_inverse=True)
        return Factor(name, [_text(level) for level in levels.tolist()], np.asarray(codes, np.intp).reshape(-1))

    def is_number(self, name: str) -> bool:
        """True for a column that may be a covariate."""
        return self.column("terms", name).dtype.kind in "fiu"


def _text(level: object) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)


@dataclass(frozen=True, eq=False)
class Cells:
    """A within-subject design: one number per person and cell.

    Attributes
    ----------
    values : (N, L1, L2, ...) float64
        Means of the answers of a person in a cell; NaN where there is none.
    counts : (N, L1, L2, ...) ints
        Answers of a person in a cell.
    people : list of N str
    factors : list of Factor
    """

    values: Float64
    counts: NDArray[np.intp]
    people: list[str]
    factors: list[Factor]

    @property
    def complete(self) -> NDArray[np.bool_]:
        """(N,) True for people without a missing cell."""
        whole = self.counts.reshape(len(self.people), -1) > 0
        return np.asarray(whole.all(axis=1))


def cells_of(function: str, table: Table, value: str, person: str, within: Sequence[str]) -> Cells:
    """Answers sorted into cells.

    Raises
    ------
    ValueError
        If a column is missing or no number, a factor has one level, or there are fewer than two people.
    """
    columns = Columns(function, table)
    numbers, who = columns.numbers("value", value), columns.factor("person", person)
    if isinstance(within, str) or not within:
        raise bad_argument(function, "within", shown(within), "a list of at least one column")
    factors = [columns.factor("within", name) for name in within]
    for factor in factors:
        if len(factor) < 2:
            raise bad_argument(
                function, f"table[{factor.name!r}]", f"always {factor.levels[0]}", "of two levels at least"
            )
    if len(who) < 2:
        raise bad_argument(function, f"table[{person!r}]", f"of {len(who)} person", "of two people at least")
    shape = (len(who), *map(len, factors))
    place = np.ravel_multi_index((who.codes, *(factor.codes for factor in factors)), shape)
    size = int(np.prod(shape))
    counts = np.bincount(place, minlength=size)
    with np.errstate(invalid="ignore"):
        means = np.bincount(place, numbers, size) / counts
    return Cells(means.reshape(shape), counts.reshape(shape), who.levels, factors)
