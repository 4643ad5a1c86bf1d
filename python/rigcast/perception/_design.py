"""Model matrices of terms such as ``rms * shape``, with names of columns and of those that say nothing new."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument, shown
from rigcast.perception._table import Columns, Factor

Float64 = NDArray[np.float64]
INDEPENDENT = 1e-9  # of the length of a column: what remains of it beside the columns before it
INTERCEPT = "(Intercept)"
Term = frozenset[str]


@dataclass(frozen=True, eq=False)
class Design:
    """A model matrix.

    Attributes
    ----------
    matrix : (rows, P) float64
        The columns that are independent of those left of them.
    names : list of P str
        ``(Intercept)``, ``rms``, ``shape[Smile]``, ``rms:shape[Smile]``.
    dropped : list of str
        Names of columns that follow from those left of them (leftmost pivoting, as R does).
    terms : list of str
        In order, each with its columns: ``term_columns``.
    term_columns : list of (P,) bool
    """

    matrix: Float64
    names: list[str]
    dropped: list[str]
    terms: list[str]
    term_columns: list[NDArray[np.bool_]]


def design_of(columns: Columns, formula: str, reference: dict[str, str] | None = None) -> Design:
    """The model matrix of a formula.

    Parameters
    ----------
    columns : Columns
    formula : str
        Terms joined by ``+``; ``a:b`` is an interaction and ``a*b`` is ``a + b + a:b``. Text columns are factors; a
        column of numbers is a covariate, or a factor if it is written ``factor(a)``.
    reference : dict, optional
        The level of a factor that its columns are differences to (treatment coding); default the first.

    Raises
    ------
    ValueError
        If a term names no column, or a level is unknown.
    """
    terms = _terms(columns, formula)
    coded = {name: _coded(columns, name, (reference or {}).get(_bare(name))) for term in terms for name in term}
    unknown = set(reference or {}) - {_bare(name) for name in coded}
    if unknown:
        raise bad_argument(columns.function, "reference", shown(sorted(unknown)[0]), "a factor of the formula")
    parts, names, owners = [np.ones((columns.rows, 1))], [INTERCEPT], [""]
    for term in terms:
        block, block_names = _block(columns.rows, term, terms, coded)
        parts.append(block)
        names += block_names
        owners += [":".join(term)] * len(block_names)
    matrix = np.concatenate(parts, axis=1)
    kept = independent_columns(matrix)
    chosen = [owner for owner, keep in zip(owners, kept, strict=True) if keep]
    labels = [":".join(term) for term in terms]
    return Design(
        np.ascontiguousarray(matrix[:, kept]),
        [name for name, keep in zip(names, kept, strict=True) if keep],
        [name for name, keep in zip(names, kept, strict=True) if not keep],
        labels,
        [np.array([owner == label for owner in chosen]) for label in labels],
    )


def independent_columns(matrix: Float64) -> NDArray[np.bool_]:
    """(P,) True for columns that are no combination of those left of them (modified Gram-Schmidt, twice).

    The diagonal of a QR decomposition is what remains of each column beside those left of it, until nothing does.
    """
    if matrix.shape[0] >= matrix.shape[1]:
        rests = np.abs(np.diagonal(np.linalg.qr(matrix, mode="r")))
        if (rests > INDEPENDENT * np.linalg.norm(matrix, axis=0)).all():
            return np.ones(matrix.shape[1], bool)
    kept = np.zeros(matrix.shape[1], bool)
    basis = np.empty((matrix.shape[0], min(matrix.shape)))
    rank = 0
    for index, column in enumerate(matrix.T):
        length = float(np.linalg.norm(column))
        rest = column
        for _ in range(2):
            rest = rest - basis[:, :rank] @ (basis[:, :rank].T @ rest)
        if rank < basis.shape[1] and np.linalg.norm(rest) > INDEPENDENT * max(length, 1e-300):
            basis[:, rank] = rest / np.linalg.norm(rest)
            kept[index], rank = True, rank + 1
    return kept


def _terms(columns: Columns, formula: str) -> list[tuple[str, ...]]:
    """Terms by rising order, each once, in the order in which they are written."""
    if not isinstance(formula, str):
        raise bad_argument(columns.function, "formula", f"a {type(formula).__name__}", "a text such as 'rms * shape'")
    found: dict[Term, tuple[str, ...]] = {}
    for piece in [piece.strip() for piece in formula.split("+")]:
        if piece == "1":
            continue
        factors = [tuple(part.strip() for part in crossed.split(":")) for crossed in piece.split("*")]
        for name in itertools.chain(*factors):
            if _bare(name) not in columns.names:
                must = f"terms of the columns {', '.join(columns.names)}, joined by +, : and *"
                raise bad_argument(columns.function, "formula", f"{formula!r}, with {name!r}", must)
        for count in range(1, len(factors) + 1):
            for chosen in itertools.combinations(factors, count):
                term = tuple(dict.fromkeys(itertools.chain(*chosen)))
                found.setdefault(frozenset(term), term)
    return sorted(found.values(), key=len)


def _bare(name: str) -> str:
    return name[len("factor(") : -1] if name.startswith("factor(") and name.endswith(")") else name


def _coded(columns: Columns, name: str, reference: str | None) -> Factor | Float64:
    if name == _bare(name) and columns.is_number(name):
        if reference is not None:
            raise bad_argument(columns.function, "reference", shown(name), "a factor: a column of text, or factor(...)")
        return columns.numbers("formula", name)
    factor = columns.factor("formula", _bare(name))
    if reference is None:
        return factor
    if reference not in factor.levels:
        must = f"one of {', '.join(factor.levels)}"
        raise bad_argument(columns.function, f"reference[{factor.name!r}]", shown(reference), must)
    order = [reference, *(level for level in factor.levels if level != reference)]
    place = np.array([order.index(level) for level in factor.levels])
    return Factor(factor.name, order, place[factor.codes])


def _block(
    rows: int, term: Sequence[str], terms: Sequence[Sequence[str]], coded: dict[str, Factor | Float64]
) -> tuple[Float64, list[str]]:
    """The columns of a term: a factor by differences to its reference where the rest of the term is a term, too."""
    known: set[Term] = {frozenset(other) for other in terms} | {frozenset()}
    block, names = np.ones((rows, 1)), [""]
    for name in term:
        column = coded[name]
        if isinstance(column, Factor):
            first = int(frozenset(term) - {name} in known)
            part = (column.codes[:, None] == np.arange(first, len(column))).astype(np.float64)
            labels = [f"{column.name}[{level}]" for level in column.levels[first:]]
        else:
            part, labels = column[:, None], [name]
        block = (block[:, :, None] * part[:, None, :]).reshape(rows, -1)
        names = [f"{left}:{right}" if left else right for left in names for right in labels]
    return block, names
