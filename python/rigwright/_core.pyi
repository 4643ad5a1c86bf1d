"""
The C++ engine of rigwright.
"""

from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import os
import typing

__all__: list[str] = [
    "BodyModel",
    "Deformer",
    "LinearBlend",
    "Skeleton",
    "TensorFile",
    "instruction_set",
    "instruction_sets",
    "load",
    "model_from_tensors",
    "num_processors",
]

class TensorFile:
    """
    Named float32 and int32 arrays with a text: a model file.
    """
    @staticmethod
    def read(path: os.PathLike | str | bytes) -> TensorFile:
        """
        Read a model file; ValueError names what is wrong with it.
        """
    def arrays(self) -> dict:
        """
        All tensors by name, copied.
        """
    @property
    def metadata(self) -> str:
        """
        The JSON text under the key "rigwright".
        """

class Skeleton:
    """
    A tree of J joints: names, parents (-1 for a root, parents first), rest transforms.
    """
    def __getstate__(self) -> tuple[list[str], list[int], numpy.typing.NDArray[numpy.float32]]: ...
    def __init__(self, names: collections.abc.Sequence[str], parents: typing.Any, rest: typing.Any) -> None:
        """
        Make a skeleton from J names, J parents and (J, 3, 4) parent-relative rest transforms.
        """
    def __setstate__(self, arg0: tuple) -> None: ...
    def globals(self, poses: typing.Any) -> numpy.typing.NDArray[numpy.float32]:
        """
        Poses (T, C) to global transforms (T, J, 3, 4).
        """
    @property
    def names(self) -> list[str]: ...
    @property
    def num_joints(self) -> int: ...
    @property
    def parents(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (J,) int32
        """
    @property
    def rest(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (J, 3, 4) parent-relative
        """
    @property
    def rest_globals(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (J, 3, 4)
        """

class Deformer:
    """
    A forward model: poses (T, C) to vertices (T, V, 3). Immutable and thread-safe.
    """
    def confidence(self, poses: typing.Any) -> numpy.typing.NDArray[numpy.float32]:
        """
        (T,) in [0, 1]: 1 inside the distribution of the training poses, 1/2 at twice its radius.
        """
    def evaluate(
        self,
        poses: typing.Any,
        device: str = "cpu",
        *,
        threads: typing.SupportsInt | typing.SupportsIndex = 0,
        out: typing.Any = None,
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        Vertices (T, V, 3) of poses (T, C), or (V, 3) of one pose (C,). threads 0: all processors.
        out: a float32 array to write into. ValueError on a wrong width or a value that is not finite.
        """
    def save(self, path: os.PathLike | str | bytes) -> None:
        """
        Write the model file, atomically.
        """
    def tensors(self) -> dict:
        """
        All tensors of the model by name, copied.
        """
    def vjp(
        self, poses: typing.Any, cotangents: typing.Any, *, threads: typing.SupportsInt | typing.SupportsIndex = 0
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        J^T cotangents: the gradient (T, C) of sum(vertices * cotangents) with respect to the poses.
        """
    @property
    def control_names(self) -> list[str]:
        """
        Names of the C columns of a pose.
        """
    @property
    def control_ranges(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (C, 2) lowest and highest value seen in training
        """
    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (F, 4) int32, -1 pads triangles
        """
    @property
    def joint_names(self) -> list[str]: ...
    @property
    def kind(self) -> str: ...
    @property
    def metadata(self) -> dict:
        """
        What the model file says of itself, as a dict.
        """
    @property
    def meters_per_unit(self) -> float: ...
    @property
    def rest_vertices(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (V, 3)
        """
    @property
    def skeleton(self) -> Skeleton: ...
    @property
    def up_axis(self) -> str: ...

class LinearBlend(Deformer):
    """
    Linear blend skinning.
    """

class BodyModel(Deformer):
    """
    The learned body: vertex sets that follow joints, each with a network of its own.
    """
    @property
    def num_sets(self) -> int:
        """
        Number of vertex sets.
        """

def instruction_set() -> str:
    """
    The instruction set that the kernels use: the best, or the one that the environment variable
    RIGWRIGHT_INSTRUCTION_SET named when it was first needed. ValueError if that is not available.
    """

def instruction_sets() -> list[str]:
    """
    The instruction sets that this processor runs and the kernels are compiled for, best first.
    """

def load(path: os.PathLike | str | bytes) -> Deformer:
    """
    Read a model file. Runs no code; ValueError on anything malformed.
    """

def model_from_tensors(tensors: dict, metadata: str) -> Deformer:
    """
    Make a model from float32 and int32 arrays by name and its metadata.
    """

def num_processors() -> int:
    """
    Processors this process may use.
    """
