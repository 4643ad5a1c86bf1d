"""The C library: found, loaded, and called, with exceptions in place of its status."""

from __future__ import annotations

import ctypes
import os
import sys
import weakref
from pathlib import Path
from typing import Any, NoReturn

from ._structures import declare

ABI = 1  # of rigcast/rigcast_c.h as _structures.py describes it
NAME = {"darwin": "librigcast.1.dylib", "win32": "rigcast.dll"}.get(sys.platform, "librigcast.so.1")
VARIABLE = "RIGCAST_LIBRARY"


class ArgumentError(ValueError):
    """A wrong argument: the sentence says which, what it is and what it must be."""


class FileError(ArgumentError):
    """A file that is no model, or that is damaged."""


class NumericalError(ArithmeticError):
    """A computation that overflows or has no solution, though its input is right."""


# Functions of the library whose name is another one here.
HERE = {
    "open": "load",
    "make_blendshapes": "BlendshapeRig",
    "poses": "poses_from_channels",
    "channels": "channels_from_poses",
    "restrict": "restricted",
    "session_evaluate": "evaluate",
    "session_set_detail": "set_detail",
    "crowd_new": "Crowd",
    "crowd_evaluate": "evaluate",
    "crowd_distinct": "instances",
    "inverse_new": "solve",
    "inverse_solve": "solve",
    "drag_new": "solve",
    "drag_solve": "solve",
}
ERRORS = {1: ArgumentError, 2: FileError, 3: NumericalError, 4: MemoryError}


def bad_argument(function: str, argument: str, got: object, expected: str) -> ArgumentError:
    """The error for a wrong argument, in the words of the library."""
    return ArgumentError(f"{function}: {argument} is {got}; it must be {expected}")


def places() -> list[Path]:
    """Paths where the library may lie, the first that exists is loaded.

    That of the environment variable RIGCAST_LIBRARY, alone if it is set; else the package's folder, which is where a
    wheel has it, then the build tree of the sources that this file is one of.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return [Path(named).absolute()]  # a bare name would be looked for where the system has its libraries
    package = Path(__file__).resolve().parent
    return [package / NAME, package.parents[1] / "build" / "main" / "bindings" / "c" / NAME]


def load_library() -> ctypes.CDLL:
    """Load the library.

    Raises
    ------
    ImportError
        If there is none, it cannot be loaded, or it is of another version of the interface.
    """
    for path in places():
        if path.is_file():
            break
    else:
        looked = " and ".join(str(path) for path in places())
        raise ImportError(f"rigcast_runtime finds no {NAME}: there is no {looked}; {VARIABLE} can name one")
    try:
        library = ctypes.CDLL(str(path))
        abi = library.rigcast_abi()
        if abi == ABI:
            declare(library)
            return library
    except (OSError, AttributeError) as error:
        raise ImportError(f"rigcast_runtime cannot use {path}: {error}", path=str(path)) from error
    raise ImportError(f"rigcast_runtime cannot use {path}: its interface is {abi}; it must be {ABI}", path=str(path))


LIBRARY = load_library()
PATH = Path(LIBRARY._name)


def call(name: str, *arguments: Any) -> None:
    """Call ``rigcast_NAME``; the global interpreter lock is released meanwhile.

    Raises
    ------
    ArgumentError, FileError, NumericalError, MemoryError, RuntimeError
        With the library's sentence.
    """
    status = getattr(LIBRARY, f"rigcast_{name}")(*arguments)
    if status:
        _fail(name, status)


def _fail(name: str, status: int) -> NoReturn:
    """Raise the sentence of the library, which begins with its function, with the function's name here."""
    said = LIBRARY.rigcast_error().decode("utf-8", "replace").removeprefix(f"{name}: ")
    raise ERRORS.get(status, RuntimeError)(f"{HERE.get(name, name)}: {said}")


class Handle:
    """An object of the library, which is freed with this one.

    Parameters
    ----------
    free : str
        Function that frees it, without ``rigcast_``.
    make : str
        Function that makes it.
    *arguments
        Its arguments but for the last one.
    """

    def __init__(self, free: str, make: str, *arguments: Any) -> None:
        made = ctypes.c_void_p()
        call(make, *arguments, ctypes.byref(made))
        self.pointer = made.value
        # not at the end of the process, when threads of the host may still use it
        weakref.finalize(self, getattr(LIBRARY, f"rigcast_{free}"), self.pointer).atexit = False

    def __reduce__(self) -> NoReturn:
        raise TypeError("objects of rigcast_runtime cannot be copied or pickled; load the model again")


def version() -> str:
    """Version of the library."""
    text: str = LIBRARY.rigcast_version().decode()
    return text


def instruction_set() -> str:
    """Name of the instructions that are used here: ``"AVX-512"``, ``"AVX2"``, ``"SSE4"``, ``"NEON"``, ``"portable"``.

    Raises
    ------
    ArgumentError
        If the environment variable RIGCAST_INSTRUCTION_SET names none that works here.
    """
    name = LIBRARY.rigcast_instruction_set()
    if name is None:
        _fail("instruction_set", 1)
    text: str = name.decode()
    return text
