"""
Batched evaluation on an NVIDIA GPU. Importing needs neither a driver nor a device.
"""

from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import typing

__all__: list[str] = [
    "BlendshapeEvaluator",
    "BodyEvaluator",
    "blend",
    "copy_rate",
    "gather",
    "global_transforms",
    "grouped_product",
    "status",
]

class BodyEvaluator:
    """
    A model of kind "body" whose weights stay on the device.
    """
    def __init__(
        self, tensors: dict, metadata: str, workspace: typing.SupportsInt | typing.SupportsIndex = 268435456
    ) -> None:
        """
        Copy a model to the device; workspace: bytes that a chunk of poses may take.
        """
    def evaluate(
        self, poses: typing.Annotated[numpy.typing.ArrayLike, numpy.float32], out: numpy.typing.NDArray[numpy.float32]
    ) -> None:
        """
        Write the vertices (T, V, 3) of poses (T, C).
        """
    def milliseconds(
        self,
        poses: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
        batch: typing.SupportsInt | typing.SupportsIndex,
        repeats: typing.SupportsInt | typing.SupportsIndex,
    ) -> list[float]:
        """
        Device time of each of `repeats` evaluations of `batch` poses, without the copies.
        """

class BlendshapeEvaluator:
    """
    A model of kind "blendshape" whose offsets stay on the device.
    """
    def __init__(
        self,
        tensors: dict,
        metadata: str,
        dense: bool = False,
        workspace: typing.SupportsInt | typing.SupportsIndex = 268435456,
    ) -> None:
        """
        Copy a rig to the device. dense: all offsets, zeros too, as one matrix; workspace: bytes that a chunk
        of heads may take.
        """
    def evaluate(
        self,
        weights: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
        out: numpy.typing.NDArray[numpy.float32],
        order: typing.Any = None,
        lengths: typing.Any = None,
    ) -> None:
        """
        Write the vertices (T, V, 3) of weights (T, K); order (K,) and lengths (T,): of a prefix a head.
        """
    def milliseconds(
        self,
        weights: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
        batch: typing.SupportsInt | typing.SupportsIndex,
        repeats: typing.SupportsInt | typing.SupportsIndex,
    ) -> list[float]:
        """
        Device time of each of `repeats` evaluations of `batch` heads, without the copies.
        """

def blend(
    points: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
    transforms: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
    offset: typing.Annotated[numpy.typing.ArrayLike, numpy.int32],
    point: typing.Annotated[numpy.typing.ArrayLike, numpy.int32],
    transform: typing.Annotated[numpy.typing.ArrayLike, numpy.int32],
    weight: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
) -> numpy.typing.NDArray[numpy.float32]:
    """
    Vertices (T, V, 3): sums of weighted transformed points.
    """

def copy_rate(
    bytes: typing.SupportsInt | typing.SupportsIndex, repeats: typing.SupportsInt | typing.SupportsIndex
) -> float:
    """
    Gigabytes a second, read and written together, of copies on the device: the median.
    """

def gather(
    source: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
    columns: typing.Annotated[numpy.typing.ArrayLike, numpy.int32],
) -> numpy.typing.NDArray[numpy.float32]:
    """
    source[:, columns]
    """

def global_transforms(
    poses: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
    parents: typing.Annotated[numpy.typing.ArrayLike, numpy.int32],
    joints: typing.Annotated[numpy.typing.ArrayLike, numpy.int32],
) -> numpy.typing.NDArray[numpy.float32]:
    """
    Global transforms (T, count, 12) of joints in poses (T, C).
    """

def grouped_product(
    input: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
    groups: collections.abc.Sequence[
        tuple[
            typing.SupportsInt | typing.SupportsIndex,
            typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
            typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
        ]
    ],
    apply_tanh: bool,
) -> numpy.typing.NDArray[numpy.float32]:
    """
    Outputs side by side of groups (first column, weight (rows, depth), bias (rows)).
    """

def status() -> dict:
    """
    works, reason (why not, a phrase), devices (name, compute_capability, memory).
    """
