"""The exceptions and warnings that the package raises beside Python's own."""

__all__ = [
    "CorrespondenceWarning",
    "CudaError",
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


class NumericalError(ArithmeticError):
    """A computation broke down: a singular matrix, a factorization that failed, a NaN that arose inside."""


class CudaError(RuntimeError):
    """The CUDA driver, a CUDA library or a kernel reported an error."""


class SourceError(RuntimeError):
    """A rig's host program failed: it crashed, did not answer, or returned something unusable."""


class CorrespondenceWarning(UserWarning):
    """Vertices of a target lie between parts of the source that are far apart along it, and nothing decides."""


class InputWarning(UserWarning):
    """What a file leaves open was found or decided, or something of it was left out."""


class MirroredWarning(UserWarning):
    """Points are mirror images of those that they correspond to: a reflection fits far better than any rotation."""


class ScansWarning(UserWarning):
    """Scans are no expressions of a target: in another unit, mirrored, moved, or in another order than weights."""


class SparsityWarning(UserWarning):
    """An inverse solve gave no weights: its alpha is too large for its targets, so that all stay at rest."""


class UndeterminedShapesWarning(UserWarning):
    """Scans tell little or nothing about some shapes: these stay near what deformation transfer makes."""


class UpAxisWarning(UserWarning):
    """A mesh lies beside what it corresponds to as if another axis than the one that it states pointed up."""


class WorkerWarning(UserWarning):
    """Work on many machines is complete, but workers left, could not work, or failed on the way."""
