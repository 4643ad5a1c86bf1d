"""The exceptions and the warning that the package raises beside Python's own."""

__all__ = ["CudaError", "NumericalError", "SourceError", "SparsityWarning"]


class NumericalError(ArithmeticError):
    """A computation broke down: a singular matrix, a factorization that failed, a NaN that arose inside."""


class CudaError(RuntimeError):
    """The CUDA driver, a CUDA library or a kernel reported an error."""


class SourceError(RuntimeError):
    """A rig's host program failed: it crashed, did not answer, or returned something unusable."""


class SparsityWarning(UserWarning):
    """An inverse solve whose alpha is larger than every pull of its targets: all weights are at rest."""
