"""Lists of vertices that people write by hand or click: markers, landmarks, contacts, vertices that stay fixed."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._safe_reading import check_regular, text_of
from rigcast._validate import bad_argument
from rigcast.sources._arrays import read_array

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Source = str | os.PathLike[str]
LAST = 2**31 - 1  # vertex that any mesh can have
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
        If it holds anything but whole numbers.
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
        If it holds anything but two whole numbers per line.

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
        If the first column holds anything but whole numbers, or the file is empty.
    """
    file = Path(path)
    table = _table("load_markers", file, f"{file}: no list of vertices")
    table = table[:, None] if table.ndim == 1 else table
    expected = "one vertex per line, with or without a weight beside it"
    if table.ndim != 2 or table.shape[1] not in (1, 2) or not len(table):
        raise bad_argument("load_markers", "path", f"{file}: no list of vertices (shape {table.shape})", expected)
    if not (np.isfinite(table).all() and _are_vertices(table[:, 0])):
        raise bad_argument("load_markers", "path", f"{file}: no list of vertices, but other numbers", expected)
    return table[:, 0].astype(np.int64), table[:, 1] if table.shape[1] == 2 else None


def _whole(function: str, path: Path, columns: int) -> Int64:
    """(n, columns) whole numbers."""
    what = "a vertex" if columns == 1 else f"{columns} vertices"
    expected = f"{what} per line, as whole numbers from 0 to {LAST}"
    table = _table(function, path, f"{path}: not {what} per line")
    table = table[:, None] if table.ndim == 1 and columns == 1 else table
    if table.size and (table.ndim != 2 or table.shape[1] != columns):
        raise bad_argument(function, "path", f"{path}: not {what} per line (shape {table.shape})", expected)
    table = table.reshape(-1, columns)
    if not _are_vertices(table):
        raise bad_argument(function, "path", f"{path}: not {what} per line, but other numbers", expected)
    return table.astype(np.int64)


def _are_vertices(numbers: Float64) -> bool:
    return bool(((numbers == np.round(numbers)) & (numbers >= 0) & (numbers <= LAST)).all())


def _table(function: str, path: Path, failed: str) -> Float64:
    try:
        if path.suffix.lower() == ".npy":
            return read_array(path, function).astype(np.float64)
        check_regular(path)
        lines = _without_words(text_of(path.read_bytes())[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an empty file
            return np.loadtxt(lines, ndmin=2)
    except FileNotFoundError:
        raise FileNotFoundError(f"{function}: there is no file {path}") from None
    except (OSError, ValueError) as error:
        raise bad_argument(function, "path", f"{failed} ({' '.join(str(error).split())})", "numbers in lines") from None


def _without_words(text: str) -> list[str]:
    """Lines of numbers with blanks between them, whatever stood there; without comments and a first line of words."""
    lines = [BETWEEN.sub(" ", line.partition("#")[0]).strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    return lines[1:] if len(lines) > 1 and all(NUMBER.fullmatch(word) is None for word in lines[0].split()) else lines
