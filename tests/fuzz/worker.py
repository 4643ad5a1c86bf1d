"""Opens damaged files for its parent: a path per line of input, a line of JSON per file of output.

What a reader may do with a damaged file: open it, or raise an exception of the package's own kinds whose message names
the file. It must not warn in the name of another package, print, return numbers that are not finite, or take memory
beyond the limit.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np

from rigcast import errors
from rigcast._extras import MissingExtra
from tests.fuzz.readers import Reader, arrays_in, readers_of

MOST_BYTES = 5 << 30  # of address space
GROWTH = 2 << 20  # KiB that one file may add to the largest memory; OpenUSD unpacks arrays of a claimed size
OWN_ERRORS = (ValueError, FileNotFoundError, errors.SourceError, errors.NumericalError, MissingExtra)
OWN_WARNINGS = tuple(getattr(errors, name) for name in errors.__all__ if name.endswith("Warning"))


def finding(path: Path, reader: Reader) -> str | None:
    """What a reader did that it must not, in a line; None if nothing."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = _opened(path, reader)
    for warning in told:
        if not issubclass(warning.category, OWN_WARNINGS):
            found = found or f"{warning.category.__name__}: {warning.message} ({warning.filename}:{warning.lineno})"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return found or (f"memory: {grown >> 10} MiB more" if grown > GROWTH else None)


def _opened(path: Path, reader: Reader) -> str | None:
    try:
        result = reader(path)
    except OWN_ERRORS as error:
        if path.name in str(error) or path.parent.name in str(error):
            return None
        return f"no file in the message: {type(error).__name__}: {error} ({_place()})"
    except BaseException as error:  # noqa: BLE001 - any other is a finding
        return f"{type(error).__name__}: {error} ({_place()})"
    for array in arrays_in(result):
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            return f"not finite: an array of shape {array.shape}"
    return None


def _place() -> str:
    frames = traceback.extract_tb(sys.exc_info()[2])
    own = [frame for frame in frames if "rigcast" in frame.filename] or list(frames)
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}"


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
        for line in sys.stdin:
            path = Path(line.rstrip("\n"))
            found = {}
            for reader in readers_of(path):
                said = finding(path, reader)
                sys.stdout.flush()
                sys.stderr.flush()
                if printed.tell() and not said:
                    printed.seek(0)
                    said = f"prints: {printed.read(300)!r}"
                printed.seek(0)
                printed.truncate()
                if said:
                    found[getattr(reader, "__name__", "reader").strip("_<>")] = said[:1000]
            answers.write(json.dumps(found) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
