"""Lists of vertices that people write by hand or click: markers, landmarks, contacts, vertices that stay fixed."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._safe_reading import check_regular, text_of
from rigcast._validate import MOST_INDEX, bad_argument, missing_file
from rigcast.sources._arrays import read_array

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Source = str | os.PathLike[str]
BETWEEN = re.compile(r"[,;\t\"]")
NUMBER = re.compile(r"[-+]?(\d.*|\.\d.*|nan|inf(inity)?)", re.IGNORECASE)


def load_vertex_indices(path: Source) -> Int64:
    """Read a list of vertices by their indices, one per line of text (``.txt``, ``.csv``), or ``.npy``.

    Returns
    -------
    (M,) int64, empty if the file is

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it holds anything but indices: whole numbers from 0 to 2147483647.
    """
    return _whole("load_vertex_indices", Path(path), 1)[:, 0]


def load_landmarks(path: Source) -> Int64:
    """Read pairs of vertices, one pair per line of text (``.txt``, ``.csv``), or ``.npy`` (L, 2).

    Blanks, tabs, commas or semicolons stand between the two; a first line of words and what follows a ``#`` are left
    out. Landmarks of :func:`rigcast.transfer.transfer_rig` are a source vertex and a target vertex; contacts of
    :func:`rigcast.transfer.deformation_transfer` are two vertices of the target.

    Returns
    -------
    (L, 2) int64, empty if the file is

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it holds anything but two indices per line: whole numbers from 0 to 2147483647.

    Examples
    --------
    >>> np.savetxt("pairs.csv", [[0, 5], [10, 7], [20, 9]], fmt="%d", delimiter=",")
    >>> rc.sources.load_landmarks("pairs.csv").tolist()
    [[0, 5], [10, 7], [20, 9]]
    """
    return _whole("load_landmarks", Path(path), 2)


def load_markers(path: Source) -> tuple[Int64, Float64 | None]:
    """Read the vertices that an inverse solve is to fit, as marked on a face, with an optional weight for each.

    One vertex per line of text (``.txt``, ``.csv``) or row of ``.npy``; a second number is its weight.

    Returns
    -------
    vertices : (M,) int64
    weights : (M,) float64, or None
        The second column, if the file has two.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the first column holds anything but indices, whole numbers from 0 to 2147483647, or the file is empty.
    """
    file = Path(path)
    table, places = _table("load_markers", file, f"{file}: no list of vertices")
    table = table[:, None] if table.ndim == 1 else table
    expected = "one vertex per line, with or without a weight beside it"
    if table.ndim != 2 or table.shape[1] not in (1, 2) or not len(table):
        raise bad_argument("load_markers", "path", f"{file}: no list of vertices (shape {table.shape})", expected, file)
    if not np.isfinite(table).all():
        raise bad_argument("load_markers", "path", f"{file}: no list of vertices, but other numbers", expected, file)
    return _indices("load_markers", file, table[:, :1], places)[:, 0], table[:, 1] if table.shape[1] == 2 else None


def _whole(function: str, path: Path, columns: int) -> Int64:
    """(n, columns) indices."""
    what = "a vertex" if columns == 1 else f"{columns} vertices"
    table, places = _table(function, path, f"{path}: not {what} per line")
    table = table[:, None] if table.ndim == 1 and columns == 1 else table
    if table.size and (table.ndim != 2 or table.shape[1] != columns):
        got = f"{path}: not {what} per line (shape {table.shape})"
        raise bad_argument(function, "path", got, f"{what} per line, as whole numbers", path)
    return _indices(function, path, table.reshape(-1, columns), places)


def _indices(function: str, path: Path, table: Float64, places: list[str]) -> Int64:
    """Numbers of a table as indices of vertices; an error names the file and the line of the first that is none."""
    wrong = np.flatnonzero(~((table >= 0) & (table <= MOST_INDEX) & (table == np.round(table))).all(axis=1))
    if len(wrong):
        shown = ", ".join(f"{number:.17g}" for number in table[wrong[0]])
        expected = f"indices of vertices, whole numbers from 0 to {MOST_INDEX}"
        raise bad_argument(function, "path", f"{path}, {places[wrong[0]]}: {shown}", expected, path)
    return table.astype(np.int64)


def _table(function: str, path: Path, failed: str) -> tuple[Float64, list[str]]:
    """The numbers of a file, and where each row of them stands."""
    try:
        if path.suffix.lower() == ".npy":
            table = read_array(path, function).astype(np.float64)
            return table, [f"row {number}" for number in range(len(np.atleast_1d(table)))]
        check_regular(path)
        lines = _without_words(text_of(path.read_bytes())[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an empty file
            return np.loadtxt(list(lines.values()), ndmin=2), [f"line {number}" for number in lines]
    except FileNotFoundError:
        raise missing_file(function, "path", path) from None
    except (OSError, ValueError) as error:
        raise bad_argument(function, "path", f"{failed} ({' '.join(str(error).split())})", "numbers in lines") from None


def _without_words(text: str) -> dict[int, str]:
    """Lines of numbers with blanks between them, whatever stood there, by their places in the file.

    Comments and a first line of words are left out.
    """
    found = {n: BETWEEN.sub(" ", line.partition("#")[0]).strip() for n, line in enumerate(text.splitlines(), 1)}
    lines = {n: line for n, line in found.items() if line}
    first = next(iter(lines), 0)
    if len(lines) > 1 and all(NUMBER.fullmatch(word) is None for word in lines[first].split()):
        del lines[first]
    return lines
