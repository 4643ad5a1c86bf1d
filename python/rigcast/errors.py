"""The exceptions and warnings that the package raises in addition to Python's own."""

import os

__all__ = [
    "ArgumentError",
    "CorrespondenceWarning",
    "CudaError",
    "FileError",
    "InputWarning",
    "MirroredWarning",
    "NumericalError",
    "ScansWarning",
    "SourceError",
    "SparsityWarning",
    "UndeterminedShapesWarning",
    "UpAxisWarning",
    "WorkerWarning",
]


class ArgumentError(ValueError):
    """A wrong argument of a function.

    Parameters
    ----------
    function : str
        Public name of the function; empty if the error is about a value of any function.
    argument : str
        Public name of the argument; empty if ``got`` names it.
    got : str
        What the argument is, in words: a value, a shape, a type.
    expected : str
        What it must be, in words; empty if ``got`` says it.

    Attributes
    ----------
    function, argument, got, expected : str

    Examples
    --------
    >>> import rigcast as rc
    >>> error = rc.errors.ArgumentError("blend", "weights", "float64 (3,)", "numbers (2,)")
    >>> str(error)
    'blend: weights is float64 (3,); it must be numbers (2,)'
    >>> error.argument
    'weights'
    """

    def __init__(self, function: str, argument: str, got: str, expected: str) -> None:
        super().__init__(function, argument, got, expected)
        self.function, self.argument, self.got, self.expected = function, argument, got, expected

    def __str__(self) -> str:
        opening = f"{self.function}: " if self.function else ""
        subject = f"{self.argument} is " if self.argument else ""
        closing = f"; it must be {self.expected}" if self.expected else ""
        return f"{opening}{subject}{self.got}{closing}"


class FileError(ArgumentError):
    """A file or a folder of other content than it must have, or a name that is none of such a file.

    Parameters
    ----------
    function, argument, got, expected
        As of :class:`ArgumentError`; ``got`` names the file.
    path : str or path
        The file.

    Attributes
    ----------
    function, argument, got, expected, path : str
    """

    def __init__(self, function: str, argument: str, got: str, expected: str, path: str | os.PathLike[str]) -> None:
        super().__init__(function, argument, got, expected)
        self.path = os.fspath(path)
        self.args = (function, argument, got, expected, self.path)  # which a pickle makes the error from


class NumericalError(ArithmeticError):
    """A computation broke down: a singular matrix, a factorization that failed, a NaN that arose inside."""


class CudaError(RuntimeError):
    """The CUDA driver, a CUDA library or a kernel reported an error."""


class SourceError(RuntimeError):
    """A rig's host program failed: it crashed, did not answer, or returned something unusable."""


class CorrespondenceWarning(UserWarning):
    """Vertices of a target lie between parts of the source that are far apart along it, and nothing decides."""


class InputWarning(UserWarning):
    """Something that a file does not state was inferred or decided, or a part of the file was omitted."""


class MirroredWarning(UserWarning):
    """Points are mirror images of those that they correspond to: a reflection fits far better than any rotation."""


class ScansWarning(UserWarning):
    """Scans are no expressions of a target: in another unit, mirrored, moved, or in another order than weights."""


class SparsityWarning(UserWarning):
    """An inverse solve gave no weights: its alpha is too large for its targets, so that all stay at rest."""


class UndeterminedShapesWarning(UserWarning):
    """Scans tell little or nothing about some shapes: these stay near what deformation transfer makes."""


class UpAxisWarning(UserWarning):
    """A mesh lies, relative to its counterpart, as if another axis than the stated one pointed up."""


class WorkerWarning(UserWarning):
    """Work on many machines is complete, but workers left, could not work, or failed on the way."""
