"""USD stages opened, with everything that the library below can raise or print turned into one error with the file.

The library raises an exception of its own (``pxr.Tf.ErrorException``), Python's for values of types that it does not
know, and prints warnings once for each prim; a few of its messages go into the error.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import MissingExtra, require
from rigcast._validate import bad_argument

PURPOSE = "opening USD files"
MOST_FRAMES = 100_000  # of a file with fewer samples: a stray key at a far time code is no shot
EXPANSION, ALLOWANCE = 1000, 1 << 28  # bytes of frames that a byte of the file may give, and that any file may
EVEN = 1e-6  # of a time code


@contextlib.contextmanager
def foreign_errors(function: str, path: Path) -> Iterator[None]:
    """Turn what the library raises into an error that names the file, and keep its messages off the screen.

    Raises
    ------
    ValueError
    """
    delegate = require("pxr.UsdUtils", extra="usd", purpose=PURPOSE).CoalescingDiagnosticDelegate()
    try:
        yield
    except (MemoryError, MissingExtra):
        raise
    except ValueError as error:
        if str(error).startswith(f"{function}: "):
            raise
        raise _unreadable(function, path, error, delegate) from None
    except Exception as error:
        raise _unreadable(function, path, error, delegate) from error
    finally:
        delegate.TakeUncoalescedDiagnostics()  # or they are printed with its end
        del delegate


def _unreadable(function: str, path: Path, error: Exception, delegate: Any) -> ValueError:
    told = [str(item.commentary) for item in delegate.TakeUncoalescedDiagnostics()][:2]
    reason = " ".join(" ".join([str(error) or type(error).__name__, *told]).split())[:200]
    return bad_argument(function, "path", f"{path}: unreadable ({reason})", "a USD file")


def opened(path: Path) -> Any:
    """The stage of a file."""
    return require("pxr.Usd", extra="usd", purpose=PURPOSE).Stage.Open(str(path))


def prims_of(stage: Any) -> list[Any]:
    """All prims, those of instances too."""
    usd = require("pxr.Usd", extra="usd", purpose=PURPOSE)
    return list(usd.PrimRange.Stage(stage, usd.TraverseInstanceProxies()))


def meters_per_unit(stage: Any) -> float | None:
    """What the file states; old exporters wrote a float, which the library takes for no unit at all."""
    sdf = require("pxr.Sdf", extra="usd", purpose=PURPOSE)
    with contextlib.suppress(Exception):
        geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
        if not geometry.StageHasAuthoredMetersPerUnit(stage):
            return None
        return float(geometry.GetStageMetersPerUnit(stage))
    for layer in stage.GetLayerStack():
        with contextlib.suppress(Exception):
            text = layer.ExportToString().split("def ", 1)[0]
            found = sdf.Layer.CreateAnonymous(".usda")
            found.ImportFromString(text)
            if found.pseudoRoot.HasInfo("metersPerUnit"):
                return float(found.pseudoRoot.GetInfo("metersPerUnit"))
    return None


def frames_of(
    samples: NDArray[np.float64], rate: float, size: int, path: Path, function: str
) -> tuple[NDArray[np.float64], float, str]:
    """Time codes of the frames, frames per second, and what was decided about them (empty for nothing).

    Samples at even distances of one time code or less are the frames. Others are read at whole time codes, from the
    first to the last; between samples USD interpolates.

    Parameters
    ----------
    samples : (n,) array, time codes
    rate : float
        Time codes per second.
    size : int
        Bytes of a frame.

    Raises
    ------
    ValueError
        If the frames are too many for the file.
    """
    samples = np.unique(samples)
    if len(samples) < 2:
        return (samples if len(samples) else np.zeros(1)), rate, ""
    steps = np.diff(samples)
    step = float(samples[-1] - samples[0]) / len(steps)
    if step <= 1.0 + EVEN and np.ptp(steps) <= EVEN * max(1.0, abs(samples[-1])):
        return samples, rate / step, ""
    first, last = float(np.floor(samples[0])), float(np.ceil(samples[-1]))
    count = last - first + 1
    allowed = EXPANSION * path.stat().st_size + ALLOWANCE
    if count > max(MOST_FRAMES, 10 * len(samples)) or count * size > allowed:
        got = f"{path}: {len(samples)} samples from time code {first:g} to {last:g}, {count:.0f} frames"
        raise bad_argument(function, "path", got, "a file as large as its frames, without stray samples")
    whole = bool((np.abs(samples - np.round(samples)) < EVEN).all())
    between = "between samples" if whole else "some of them between samples, which are not whole"
    full = len(samples) == count and whole
    return (
        np.arange(first, last + 1),
        rate,
        "" if full else f"{len(samples)} samples, read at the {count:.0f} whole time codes: {between} USD interpolates",
    )
