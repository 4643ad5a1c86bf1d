"""The arguments of one call, checked one by one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from rigcast._validate.arrays import as_array
from rigcast._validate.words import bad_argument, is_text, shown
from rigcast.errors import ArgumentError

MOST_THREADS = 2**31 - 1  # what the engine counts threads with
MOST_INDEX = 2**31 - 1  # what the engine counts vertices and frames with
SHORTEST_UNIT, LONGEST_UNIT = 1e-12, 1e12  # meters: squares of them and of their inverses are numbers
FPS = 30.0  # frames per second of what states no rate: the one default of all functions, readers and commands
RATES = {"least": 1e-3, "most": 1e3}  # frames per second: a quarter of an hour and a millisecond per frame
MOST_FRAMES = 1_000_000  # of one clip, played or resampled: nine hours at 30 frames per second


class Arguments:
    """Checks the arguments of one function; each error names the function, the argument, and what it must be.

    Shapes are words: ``"T V 3"`` is (T, V, 3), ``"T+ K"`` is (T, K) with T at least 1, ``""`` is one number. A letter
    is a size that all arguments share: it is bound by the first array that has it.

    Parameters
    ----------
    function : str
        Public name.
    **sizes : int
        Letters that are known beforehand.

    Examples
    --------
    >>> check = Arguments("blend", K=2)
    >>> check.numbers("weights", [[0, 1]], "T K").shape
    (1, 2)
    >>> check.sizes["T"]
    1
    >>> check.numbers("targets", [True], "T")
    Traceback (most recent call last):
    rigcast.errors.ArgumentError: blend: targets is bool (1,); it must be numbers (1,)
    """

    def __init__(self, function: str, **sizes: int) -> None:
        self.function = function
        self.sizes = dict(sizes)

    def wrong(self, argument: str, got: object, expected: str) -> ArgumentError:
        """The error to raise for a wrong argument."""
        return bad_argument(self.function, argument, got, expected)

    def numbers(
        self,
        argument: str,
        value: ArrayLike,
        *shapes: str,
        dtype: DTypeLike | None = np.float64,
        finite: bool = True,
        missing: bool = False,
        narrow: bool = False,
        must: str = "",
    ) -> NDArray[Any]:
        """An array of real numbers in C order, of one of the shapes; it may be the user's own.

        Parameters
        ----------
        argument : str
        value : array_like
            Masked arrays, truth values, text, complex numbers and objects are refused.
        *shapes : str
        dtype : dtype
            Of the result; None keeps what it is. A number beyond its range counts as not finite.
        finite, missing : bool
            Whether all numbers must be finite, and whether NaN is allowed then.
        narrow : bool
            Whether numbers beyond the range of float32 count as not finite, whatever ``dtype`` is.
        must : str
            Words in place of ``numbers (T, V, 3)`` in errors.
        """
        array = self._array(argument, value, "fiu", shapes, lambda: must or f"numbers {self.form(*shapes)}")
        result: NDArray[Any] = array
        if dtype is not None and array.dtype != dtype:
            with np.errstate(over="ignore", invalid="ignore"):  # of NaN that signals, too
                result = array.astype(dtype, order="C")
        result = np.asarray(result, order="C")
        if finite:
            self._finite(argument, array, result, missing, np.dtype(np.float32) if narrow else result.dtype)
        return result

    def integers(
        self,
        argument: str,
        value: ArrayLike,
        *shapes: str,
        low: int = 0,
        below: int | None = None,
        dtype: DTypeLike = np.int64,
        must: str = "",
    ) -> NDArray[Any]:
        """A new array of integers from ``low`` to ``below - 1``, of one of the shapes, as :meth:`numbers` takes them.

        Floats are refused, whole or not; an empty list is an empty array.
        """
        bounds = "" if below is None else f" from {low} to {below - 1}"

        def expected() -> str:
            return must or f"integers {self.form(*shapes, then=bounds)}"

        if isinstance(value, Sequence) and not isinstance(value, str | bytes) and not len(value):
            value = np.zeros(0, np.int64)  # which NumPy makes floats
        array = self._array(argument, value, "iu", shapes, expected)
        most = np.iinfo(np.dtype(dtype)).max if below is None else below - 1
        if array.size and (int(array.min()) < low or int(array.max()) > most):
            place = self._first((array < low) | (array > most))
            within = expected() if must or bounds else f"{expected()} from {low} to {most}"
            raise self.wrong(argument, f"{array[place]}{_where(place)}", within)
        return np.array(array, dtype, order="C")

    def number(
        self,
        argument: str,
        value: Any,
        *,
        above: float = -np.inf,
        least: float = -np.inf,
        below: float = np.inf,
        most: float = np.inf,
    ) -> float:
        """One finite number between bounds."""
        if type(value) is float and math.isfinite(value) and above < value < below and least <= value <= most:
            return value
        array = np.asarray(value) if isinstance(value, int | float | np.number | np.ndarray) else np.asarray(None)
        plain = array.dtype.kind in "fiu" and array.ndim == 0 and not isinstance(value, np.ma.MaskedArray)
        if not plain or not np.isfinite(array) or not (above < array < below and least <= array <= most):
            limits = [(above, "above"), (least, "at least"), (below, "below"), (most, "at most")]
            words = " and ".join(f"{word} {limit:g}" for limit, word in limits if np.isfinite(limit))
            raise self.wrong(argument, shown(value), f"a finite number {words}".rstrip())
        return float(array)

    def whole(self, argument: str, value: Any, least: int = 0, most: int | None = None) -> int:
        """One whole number between bounds."""
        plain = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not plain or value < least or (most is not None and value > most):
            limits = f"of at least {least}" if most is None else f"from {least} to {most}"
            raise self.wrong(argument, shown(value), f"a whole number {limits}")
        return int(value)

    def unit(self, argument: str, value: Any) -> float:
        """Meters in a unit of length."""
        return self.number(argument, value, least=SHORTEST_UNIT, most=LONGEST_UNIT)

    def rate(self, argument: str, value: Any) -> float:
        """Frames per second."""
        return self.number(argument, value, **RATES)

    def frames(self, argument: str, value: float, rate: float) -> int:
        """The frames of a duration: ``value`` seconds at ``rate`` frames per second."""
        seconds = self.number(argument, value, least=0.0)
        if not round(seconds * rate) <= MOST_FRAMES:
            must = f"at most {MOST_FRAMES / rate:,.0f} seconds, {MOST_FRAMES:,} frames at {rate:g} per second"
            raise self.wrong(argument, f"{seconds:g}", must)
        return round(seconds * rate)

    def threads(self, threads: int) -> int:
        """A number of threads, as :func:`check_threads` checks it."""
        return check_threads(self.function, threads)

    def names(self, argument: str, value: Any, count: int | None = None) -> list[str]:
        """Different, non-empty texts, ``count`` of them if that is given."""
        must = f"{'' if count is None else f'{count} '}different, non-empty names"
        if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
            raise self.wrong(argument, f"a {type(value).__name__}", f"a list of {must}")
        names = [str(name) if isinstance(name, str) else name for name in value]
        for name in names:
            if not isinstance(name, str) or not name:
                raise self.wrong(argument, f"a list that holds {shown(name)}", f"a list of {must}")
            if not is_text(name):
                raise self.wrong(argument, f"a list that holds {shown(name)}", "Unicode text, without lone surrogates")
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise self.wrong(argument, f"a list with {shown(twice)} twice", f"a list of {must}")
        if count is not None and len(names) != count:
            raise self.wrong(argument, f"{len(names)} long", must)
        return names

    def form(self, *shapes: str, then: str = "") -> str:
        """Shapes in words: letters that are bound are their sizes."""
        texts, at_least_one = [], []
        for shape in shapes:
            words = [str(self.sizes.get(word.rstrip("+"), word.rstrip("+"))) for word in shape.split()]
            texts.append(f"({', '.join(words)}{',' if len(words) == 1 else ''})")
            at_least_one += [word[:-1] for word in shape.split() if word.endswith("+") and word[:-1] not in self.sizes]
        bound = [f"{letter} at least 1" for letter in dict.fromkeys(at_least_one)]
        return ", ".join([" or ".join(texts) + then, *bound])

    def _array(
        self, argument: str, value: ArrayLike, kinds: str, shapes: tuple[str, ...], expected: Callable[[], str]
    ) -> NDArray[Any]:
        if type(value) is np.ndarray:
            array: NDArray[Any] = value
        elif _is_masked(value):
            raise self.wrong(argument, "a masked array", f"{expected()} without mask")
        else:
            array = as_array(self.function, argument, value, expected())
        if array.dtype.kind not in kinds or not any(self._fits(array.shape, _words(shape)) for shape in shapes):
            raise self.wrong(argument, _described(value, array), expected())
        return array

    def _fits(self, shape: tuple[int, ...], words: tuple[tuple[str, int, int], ...]) -> bool:
        """True if sizes are those of the words; binds letters where they are."""
        if len(shape) != len(words):
            return False
        bound = dict(self.sizes)
        for size, (letter, fixed, least) in zip(shape, words, strict=True):
            wanted = bound.setdefault(letter, size) if fixed < 0 else fixed
            if size != wanted or size < least:
                return False
        self.sizes = bound
        return True

    def _finite(
        self, argument: str, given: NDArray[Any], result: NDArray[Any], missing: bool, within: np.dtype[Any]
    ) -> None:
        right = np.isfinite(result) if within == result.dtype else np.abs(result) <= _largest(within)
        if right.all():
            return
        if missing:
            right |= np.isnan(result)
        if not right.all():
            place = self._first(~right)
            expected = f"finite in {within}" if np.isfinite(given[place]) else "finite"
            raise self.wrong(argument, f"not finite everywhere ({given[place]}{_where(place)})", expected)

    @staticmethod
    def _first(wrong: NDArray[np.bool_]) -> tuple[int, ...]:
        return tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))


@functools.lru_cache(maxsize=256)
def _words(shape: str) -> tuple[tuple[str, int, int], ...]:
    """Of each word of a shape its letter, or its size (else -1), and the least size."""
    return tuple(
        ("", int(word), 0) if word.isdecimal() else (word.rstrip("+"), -1, int(word.endswith("+")))
        for word in shape.split()
    )


@functools.lru_cache(maxsize=8)
def _largest(dtype: np.dtype[Any]) -> float:
    return float(np.finfo(dtype).max)


def check_threads(function: str, threads: object, argument: str = "threads") -> int:
    """A number of threads or processes; 0 stands for all processors that this process may use.

    Raises
    ------
    ValueError
        If it is no whole number, negative, or more than the engine counts; None is no number.
    """
    plain = isinstance(threads, int | np.integer) and not isinstance(threads, bool)
    if not plain or not 0 <= int(threads) <= MOST_THREADS:  # type: ignore[call-overload]
        raise bad_argument(function, argument, shown(threads), f"0 (all processors) or more, up to {MOST_THREADS}")
    return int(threads)  # type: ignore[call-overload, no-any-return]


def check_finite(function: str, argument: str, array: NDArray[np.generic]) -> None:
    """Refuse an array of numbers with a NaN or an infinity, and say where the first one stands.

    Raises
    ------
    ValueError
    """
    Arguments(function)._finite(argument, array, array, False, array.dtype)


def _is_masked(value: object) -> bool:
    rows = value if isinstance(value, list | tuple) else ()
    return isinstance(value, np.ma.MaskedArray) or any(isinstance(row, np.ma.MaskedArray) for row in rows)


def _described(value: object, array: NDArray[Any]) -> str:
    """Type and shape; of an object that is no array, its type."""
    alone = array.dtype == object and array.ndim == 0
    return f"a {type(value).__name__}" if alone else f"{array.dtype} {array.shape}"


def _where(place: tuple[int, ...]) -> str:
    return "" if not place else f" at {place[0]}" if len(place) == 1 else f" at {place}"
