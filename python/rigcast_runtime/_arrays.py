"""Arguments as arrays of the type and shape that the library takes."""

from __future__ import annotations

import operator
import os
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._library import bad_argument

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Form = tuple[Union[int, str], ...]  # a shape; a letter stands for any size
MOST = 2**31 - 1


def numbers(function: str, argument: str, value: ArrayLike, *forms: Form, dtype: Any = np.float32) -> NDArray[Any]:
    """A contiguous array of real numbers of one of the forms; it may be the caller's own.

    What is not finite, or becomes so in the type, is left to the library.
    """
    if type(value) is np.ndarray and value.dtype == dtype and value.shape in forms and value.flags.carray:
        return value  # writable, aligned and contiguous: the usual case, in a fraction of the time
    array = _array(value)
    if array is None or array.dtype.kind not in "fiu" or not any(_fits(array.shape, form) for form in forms):
        raise bad_argument(function, argument, _described(array, value), f"numbers {_shown(forms)}")
    return _contiguous(array, dtype)


def integers(function: str, argument: str, value: ArrayLike, *forms: Form) -> NDArray[np.int32]:
    """The same of whole numbers."""
    array = _array(value)
    if array is not None and array.size == 0 and not isinstance(value, np.ndarray):
        array = array.astype(np.int64)  # an empty list
    if array is None or array.dtype.kind not in "iu" or not any(_fits(array.shape, form) for form in forms):
        raise bad_argument(function, argument, _described(array, value), f"integers {_shown(forms)}")
    if array.size and not -MOST <= int(array.min()) <= int(array.max()) <= MOST:
        wrong = int(array.max()) if int(array.max()) > MOST else int(array.min())
        raise bad_argument(function, argument, wrong, f"integers {_shown(forms)} of up to {MOST} in magnitude")
    return _contiguous(array, np.int32)


def number(function: str, argument: str, value: object, *, above: float = -np.inf, least: float = -np.inf) -> float:
    """One finite number."""
    array = _array(value)
    if array is not None and array.dtype.kind in "fiu" and array.ndim == 0:
        found = float(array)
        if np.isfinite(found) and found > above and found >= least:
            return found
    bounds = f" above {above:g}" if above > -np.inf else f" of at least {least:g}" if least > -np.inf else ""
    raise bad_argument(function, argument, repr(value), f"a finite number{bounds}")


def whole(function: str, argument: str, value: object, least: int) -> int:
    """One whole number from ``least`` to what 32 bits hold."""
    try:
        found = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        found = least - 1
    if isinstance(value, (bool, np.bool_)) or not least <= found <= MOST:
        raise bad_argument(function, argument, repr(value), f"a whole number from {least} to {MOST}")
    return found


def encoded_path(function: str, path: object) -> bytes:
    """A path as the library takes it."""
    if not isinstance(path, (str, os.PathLike)):
        raise bad_argument(function, "path", f"a {type(path).__name__}", "a path")
    text = os.fsdecode(path)
    if "\0" in text:
        raise bad_argument(function, "path", repr(text), "a path, without a null character")
    return text.encode("utf-8", "surrogateescape")


def seed_of(function: str, seed: object) -> int:
    """A seed."""
    try:
        found = operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        found = -1
    if isinstance(seed, (bool, np.bool_)) or not 0 <= found < 2**64:
        raise bad_argument(function, "seed", repr(seed), f"a whole number from 0 to {2**64 - 1}")
    return found


def threads_of(function: str, threads: object) -> int:
    """A number of threads; 0: all processors."""
    return whole(function, "threads", threads, 0)


def output(function: str, out: Float32 | None, shape: tuple[int, ...], *inputs: NDArray[Any]) -> Float32:
    """The caller's array for a result of a shape, or a new one."""
    if out is None:
        return np.empty(shape, np.float32)
    expected = f"a writable contiguous float32 array {shape}"
    if not isinstance(out, np.ndarray):
        raise bad_argument(function, "out", f"a {type(out).__name__}", expected)
    flags = out.flags
    fits = out.dtype == np.float32 and out.shape == shape
    if not (fits and flags.c_contiguous and flags.aligned and flags.writeable):
        raise bad_argument(function, "out", _described(out, out), expected)
    if any(np.may_share_memory(out, given) for given in inputs):
        raise bad_argument(function, "out", "an array that shares memory with an input", "memory of its own")
    return out


def _array(value: object) -> NDArray[Any] | None:
    if isinstance(value, np.ma.MaskedArray):
        return None
    try:
        return np.asarray(value)
    except (TypeError, ValueError, OverflowError, Warning):  # lists of different lengths, of which old NumPys warn
        return None


def _contiguous(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    if array.dtype == dtype and array.flags.c_contiguous and array.flags.aligned:
        return array
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array(array, dtype, order="C")


def _fits(shape: tuple[int, ...], form: Form) -> bool:
    sizes = zip(shape, form)
    return len(shape) == len(form) and all(isinstance(want, str) or have == want for have, want in sizes)


def _shown(forms: tuple[Form, ...]) -> str:
    texts = [f"({', '.join(map(str, form))}{',' if len(form) == 1 else ''})" for form in forms if form]
    return " or ".join(texts + ["alone"] * (() in forms))


def _described(array: NDArray[Any] | None, value: object) -> str:
    return f"a {type(value).__name__}" if array is None else f"{array.dtype} {array.shape}"
