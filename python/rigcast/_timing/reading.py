"""The rate at which a model reads its weights, compared with the rate of the machine's memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._timing.turns import interleaved


class MemoryReader(Protocol):
    """A model that knows the bytes of its constants."""

    @property
    def num_bytes(self) -> int: ...
    @property
    def rest_vertices(self) -> NDArray[np.float32]: ...
    def evaluate(self, poses: Any, *, threads: Any = ..., out: Any = ...) -> Any: ...


@dataclass(frozen=True)
class Reading:
    """A single pose compared with a plain read of as many bytes as the model's constants have.

    Attributes
    ----------
    variant : str
        "rigcast", or the name of a storage.
    threads : int
    num_bytes : int
        Of the constants: every pose reads them all.
    seconds : float
        Of one pose.
    read_seconds : float
        Of reading a buffer of `num_bytes` from its first to its last byte, in turns with the pose.
    """

    variant: str
    threads: int
    num_bytes: int
    seconds: float
    read_seconds: float

    @property
    def rate(self) -> float:
        """Bytes per second of the plain read."""
        return self.num_bytes / self.read_seconds

    @property
    def reached(self) -> float:
        """Bytes of constants per second of the pose."""
        return self.num_bytes / self.seconds

    @property
    def share(self) -> float:
        """The share of the memory's rate that is reached: 1 is the best that a model of so many bytes can do."""
        return self.reached / self.rate

    def figures(self) -> dict[str, Any]:
        """For a report."""
        return {
            "variant": self.variant,
            "threads": self.threads,
            "bytes": self.num_bytes,
            "seconds": self.seconds,
            "read_seconds": self.read_seconds,
            "bytes_per_second": self.rate,
            "share": self.share,
        }


def readings(variants: Mapping[str, MemoryReader], pose: NDArray[np.float32], threads: int, runs: int) -> list[Reading]:
    """Time one pose of each variant of a model in turns with a read of its size.

    Parameters
    ----------
    variants : mapping from names to models
    pose : (C,) array
    threads : int
        Of the poses and of the reads.
    runs : int
        Rounds of five calls each.
    """
    calls: dict[str, Callable[[], object]] = {}
    for name, model in variants.items():
        into = np.empty_like(model.rest_vertices)
        buffer = bytearray(b"\x01") * model.num_bytes  # written: untouched pages would all be one page of zeros
        calls[f"{name}, pose"] = partial(model.evaluate, pose, threads=threads, out=into)
        calls[f"{name}, read"] = partial(_core.read_memory, buffer, threads)
    times = interleaved(calls, runs, in_a_row=5)
    return [
        Reading(name, threads, model.num_bytes, times[f"{name}, pose"], times[f"{name}, read"])
        for name, model in variants.items()
    ]


def reading_line(found: Mapping[str, Any]) -> str:
    """A sentence for a person, of `Reading.figures`."""
    megabytes, rate, share = found["bytes"] / 1e6, found["bytes_per_second"] / 1e9, found["share"]
    threads = "1 thread" if found["threads"] == 1 else f"{found['threads']} threads"
    return (
        f"one pose reads {megabytes:.1f} MB ({weights(found)}, {threads}) at {rate * share:.1f} GB/s, "
        f"{share:.0%} of the {rate:.1f} GB/s of a plain read"
    )


def weights(found: Mapping[str, Any]) -> str:
    """Name the weights that `Reading.figures` count, for a person."""
    return "weights as in the file" if found["variant"] == "rigcast" else f"{found['variant']} weights"
