"""USD stages opened, with everything that the library below can raise or print turned into one error with the file.

The library raises an exception of its own (``pxr.Tf.ErrorException``), Python's for values of types that it does not
know, and prints warnings once for each prim; a few of its messages go into the error. Sizes that a binary file claims
are held against its length first, since the library takes memory for them at once: a crate file
(``pxr/usd/sdf/crateFile.cpp``) is ``PXR-USDC``, eight bytes of version, and the place of its table of contents: a
count, then per section a name of 16 bytes, a place and a size. Sections begin with the number of what they hold.
"""

from __future__ import annotations

import contextlib
import io
import mmap
import re
import struct
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import MissingExtra, require
from rigcast._rigs.matching import listed
from rigcast._safe_reading import Malformed
from rigcast._validate import bad_argument
from rigcast.errors import ArgumentError

PURPOSE = "opening USD files"
MOST_FRAMES = 100_000  # of a file with fewer samples: a stray key at a far time code is no shot
EXPANSION, ALLOWANCE = 1000, 1 << 28  # bytes of frames that a byte of the file may give, and that any file may
MOST_RATE = 240.0  # frames per second: time codes that are more are parts of a frame
ASSET = re.compile(r"Could not open asset @([^@]+)@")
NO_TYPE = "TypeError: No to_python (by-value) converter"
FASTEST = 1e6  # time codes per second
EVEN = 1e-6  # of a time code
MAGIC, PLACE, BOOT = b"PXR-USDC", 16, 88
SECTION, MOST_SECTIONS = struct.Struct("<16sqq"), 64
COUNTED = ("TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS")
MOST_ENTRIES, FEW_ENTRIES = 1 << 10, 1 << 16  # entries that a packed byte may give, and that any section may hold


@contextlib.contextmanager
def foreign_errors(function: str, path: Path) -> Iterator[None]:
    """Turn what the library raises into an error that names the file, and keep its messages off the screen.

    Raises
    ------
    ValueError
    """
    delegate = require("pxr.UsdUtils", extra="usd", purpose=PURPOSE).CoalescingDiagnosticDelegate()
    printed = io.StringIO()  # by its bindings, on values that have no type in Python
    try:
        with contextlib.redirect_stderr(printed):
            yield
    except (MemoryError, MissingExtra):
        raise
    except ValueError as error:
        if isinstance(error, ArgumentError) and error.function == function:
            raise
        raise _unreadable(function, path, error, delegate) from None
    except Exception as error:
        raise _unreadable(function, path, error, delegate) from error
    finally:
        delegate.TakeUncoalescedDiagnostics()  # or they are printed with its end
        del delegate
        others = [line for line in printed.getvalue().splitlines(keepends=True) if NO_TYPE not in line]
        if others and sys.stderr is not None:
            sys.stderr.write("".join(others))


def _unreadable(function: str, path: Path, error: Exception, delegate: Any) -> ValueError:
    comments = [str(item.commentary) for item in delegate.TakeUncoalescedDiagnostics()][:2]
    reason = " ".join(" ".join([str(error) or type(error).__name__, *comments]).split())[:200]
    return bad_argument(function, "path", f"{path}: unreadable ({reason})", "a USD file", path)


def opened(path: Path) -> Any:
    """The stage of a file.

    Raises
    ------
    ValueError
        If a binary file claims more than it can hold, or the rate is none, with which the library computes for ever;
        without the path.
    """
    _check_sizes(path)
    stage = require("pxr.Usd", extra="usd", purpose=PURPOSE).Stage.Open(str(path))
    rate = float(stage.GetTimeCodesPerSecond())
    if not 0.0 < rate <= FASTEST:
        raise Malformed(f"timeCodesPerSecond is {rate:g}, not above 0 and at most {FASTEST:g}")
    return stage


def _check_sizes(path: Path) -> None:
    """Refuse a crate file, or a package of some, whose sections do not fit it; other files are left alone.

    Raises
    ------
    ValueError
        Without the path.
    OSError
    """
    if path.suffix.lower() == ".usdz":
        for name, content in _layers(path):
            try:
                _check_crate(content)
            except ValueError as error:
                raise Malformed(f"{name}: {error}") from None
    elif path.stat().st_size:
        with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            _check_crate(mapped)


def _layers(path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(path) as archive:
            for record in archive.infolist():
                if record.compress_type == zipfile.ZIP_STORED and record.filename.lower().endswith((".usd", ".usdc")):
                    yield record.filename, archive.read(record)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, struct.error) as error:
        raise Malformed(f"no package of files ({error})") from None


def _check_crate(content: bytes | mmap.mmap) -> None:
    if content[: len(MAGIC)] != MAGIC:
        return
    if len(content) < BOOT:
        raise Malformed("cut off in its head")
    (place,) = struct.unpack_from("<q", content, PLACE)
    if not BOOT <= place <= len(content) - 8:
        raise Malformed("a table of contents beyond the end")
    (count,) = struct.unpack_from("<Q", content, place)
    if count > MOST_SECTIONS or place + 8 + count * SECTION.size > len(content):
        raise Malformed(f"{count} sections")
    for index in range(count):
        name, start, size = SECTION.unpack_from(content, place + 8 + index * SECTION.size)
        word = name.rstrip(b"\0").decode("latin-1")
        if start < 0 or size < 0 or start + size > len(content):
            raise Malformed(f"section {word!r} beyond the end")
        if word in COUNTED and size >= 8:
            (entries,) = struct.unpack_from("<Q", content, start)
            if entries > MOST_ENTRIES * size + FEW_ENTRIES:
                raise Malformed(f"{entries} entries in section {word!r} of {size} bytes")
            if word == "TOKENS" and size >= 24:
                unpacked, packed = struct.unpack_from("<QQ", content, start + 8)
                if packed > size or unpacked > MOST_ENTRIES * size + FEW_ENTRIES:
                    raise Malformed(f"{unpacked} bytes of names in {size}")


def prims_of(stage: Any) -> list[Any]:
    """All prims, those of instances too."""
    usd = require("pxr.Usd", extra="usd", purpose=PURPOSE)
    return list(usd.PrimRange.Stage(stage, usd.TraverseInstanceProxies()))


def missing_files(stage: Any) -> list[str]:
    """A note on files that the stage refers to and that are not there; what they hold is left out."""
    errors = " ".join(str(error) for error in stage.GetCompositionErrors())
    names = [Path(name).name for name in dict.fromkeys(ASSET.findall(errors))]
    return [f"left out, in files that are not there or cannot be read: {listed(names)}"] if names else []


def meters_per_unit(stage: Any) -> float | None:
    """The unit that the file states; old exporters wrote a float, which the library takes for no unit at all."""
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

    Samples at even distances of one time code or less are the frames, and so are those of a file whose time codes are
    finer than frames. Others are read at whole time codes, from the first to the last, between which USD interpolates.

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
    allowed = EXPANSION * path.stat().st_size + ALLOWANCE
    if max(1, len(samples)) * size > allowed:
        got = f"{path}: {max(1, len(samples))} frames of {size:,} bytes"
        raise bad_argument(function, "path", got, "a file as large as its frames", path)
    if len(samples) < 2:
        return (samples if len(samples) else np.zeros(1)), rate, ""
    steps = np.diff(samples)
    step = float(samples[-1] - samples[0]) / len(steps)
    if (step <= 1.0 + EVEN or rate > MOST_RATE) and np.ptp(steps) <= EVEN * max(1.0, abs(samples[-1])):
        return samples, rate / step, ""
    first, last = float(np.floor(samples[0])), float(np.ceil(samples[-1]))
    count = last - first + 1
    if count > max(MOST_FRAMES, 10 * len(samples)) or count * size > allowed:
        got = f"{path}: {len(samples)} samples from time code {first:g} to {last:g}, {count:.0f} frames"
        raise bad_argument(function, "path", got, "a file as large as its frames, without stray samples", path)
    whole = bool((np.abs(samples - np.round(samples)) < EVEN).all())
    between = "between samples" if whole else "some of them between samples, which are not whole"
    full = len(samples) == count and whole
    return (
        np.arange(first, last + 1),
        rate,
        "" if full else f"{len(samples)} samples, read at the {count:.0f} whole time codes: {between} USD interpolates",
    )
