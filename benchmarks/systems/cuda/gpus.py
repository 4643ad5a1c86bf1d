"""GPUs as the floors know them: rates of copies and of products, the time of a launch, the link to the host."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

TEXTS = {
    "copy": ("copies", 1e9, "GB/s"),
    "cache": ("L2 cache", 1e9, "GB/s"),
    "tf32": ("TF32", 1e12, "TFLOP/s"),
    "float64": ("float64", 1e12, "TFLOP/s"),
    "float32": ("float32", 1e12, "TFLOP/s"),
    "launch": ("launch", 1e-6, "µs"),
    "pinned": ("pinned", 1e9, "GB/s"),
}


@dataclass(frozen=True)
class Gpu:
    """One GPU.

    Attributes
    ----------
    name : str
    copy : float
        Bytes per second that copies inside its memory read and write together.
    cache : float
        Bytes per second between its L2 cache and its multiprocessors.
    tf32 : float
        Operations per second of its matrix units: dense products of TF32 with float32 sums.
    float64 : float
        The same in float64.
    float32 : float
        Operations per second of a large float32 product without matrix units.
    launch : float
        Seconds from one short kernel of a graph to the next, which depends on it.
    pinned : float
        Bytes per second from the host's pinned memory.
    measured : frozenset of str
        Which of these were measured; the others are nominal, or assumed.
    """

    name: str
    copy: float
    cache: float
    tf32: float
    float64: float
    float32: float
    launch: float
    pinned: float
    measured: frozenset[str] = frozenset()

    def with_measured(self, name: str, rates: dict[str, float | None]) -> Gpu:
        """The GPU with measured rates in place of nominal ones; those that are None stay."""
        known = {key: rate for key, rate in rates.items() if rate is not None}
        return replace(self, name=name, measured=frozenset(known), **known)

    def cells(self) -> list[str]:
        """Cells of a table: the name, then each rate, with a star if it was measured."""
        rates = {key: getattr(self, key) / unit for key, unit in UNITS}
        texts = {key: f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}" for key, rate in rates.items()}
        return [self.name, *(text + "*" * (key in self.measured) for key, text in texts.items())]


UNITS = [(key, unit) for key, (_, unit, _) in TEXTS.items()]
HEAD = ["GPU", *(f"{name}, {unit}" for name, _, unit in TEXTS.values())]
assert [field.name for field in fields(Gpu)][1:-1] == list(TEXTS)

LAUNCH = 2e-6  # assumed: an empty kernel runs for one to two microseconds, and its successor in a graph starts in one
H100 = Gpu("H100 SXM", 2.97e12, 5.5e12, 495e12, 67e12, 51.6e12, LAUNCH, 50e9, frozenset({"copy", "float32"}))
H200 = Gpu("H200", 4.3e12, 5.5e12, 495e12, 67e12, 51.6e12, LAUNCH, 50e9, frozenset({"copy"}))
BUILT_IN = (H100, H200)


def like(name: str) -> Gpu:
    """The built-in GPU that a name contains, else the H100."""
    return next((gpu for gpu in BUILT_IN if gpu.name.split()[0] in name), H100)


def gpu_of(found: dict[str, Any] | None) -> Gpu:
    """The GPU with a ``name`` and its measured ``rates``; what was not measured is that of the GPU that it is `like`.

    Parameters
    ----------
    found : dict or None
        None: no device has run anything, and the floors are those of the H100.
    """
    if found is None:
        return H100
    return like(found["name"]).with_measured(found["name"], found["rates"])
