"""
Batched evaluation on an NVIDIA GPU. Importing needs neither a driver nor a device.
"""

from __future__ import annotations
import numpy
import numpy.typing
import rigcast._core
import typing
import typing_extensions

__all__: list[str] = [
    "DeviceArray",
    "DeviceShot",
    "InverseSolver",
    "Projection",
    "ResidentCrowd",
    "ResidentModel",
    "copy_rate",
    "factory",
    "status",
]

class DeviceArray:
    """
    A contiguous float32 array in device memory, complete: read it in any stream. Consumers of
    DLPack (torch.from_dlpack, cupy.from_dlpack, jax.dlpack.from_dlpack) and of
    __cuda_array_interface__ share its memory, which lives as long as any of them.
    """
    def __dlpack__(
        self,
        *,
        stream: typing.Any = None,
        max_version: typing.Any = None,
        dl_device: typing.Any = None,
        copy: typing.Any = None,
    ) -> typing_extensions.CapsuleType:
        """
        A DLPack capsule. The array is complete, so any `stream` may read it at once.
        """
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __repr__(self) -> str: ...
    @property
    def __cuda_array_interface__(self) -> dict: ...
    @property
    def dtype(self) -> numpy.dtype[typing.Any]: ...
    @property
    def shape(self) -> tuple: ...

class ResidentModel:
    """
    A model of kind "body", "differential", "face_maps" or "blendshape" whose constants stay on the device.
    """
    def __init__(
        self,
        model: rigcast._core.Deformer,
        dense: bool = False,
        workspace: typing.SupportsInt | typing.SupportsIndex = 268435456,
        libraries: bool = False,
    ) -> None:
        """
        Copy a model to the device. dense: store all offsets of blendshapes, zeros included, as one matrix;
        workspace: bytes that a chunk of frames may use; libraries: large products of a differential model by
        cuBLAS, the sparse product of blendshapes by cuSPARSE.
        """
    def evaluate(
        self,
        poses: numpy.typing.ArrayLike,
        out: numpy.typing.NDArray[numpy.float32],
        order: numpy.typing.ArrayLike | None = None,
        lengths: numpy.typing.ArrayLike | None = None,
        detail: numpy.typing.ArrayLike | None = None,
    ) -> None:
        """
        Write the vertices (T, V, 3) of poses (T, C), which may be on the device; order (K,) and lengths (T,):
        of one prefix of blendshapes per frame; detail (1, R) or (T, R): of the refinements of a face.
        """
    def evaluate_on_device(
        self,
        poses: numpy.typing.ArrayLike,
        order: numpy.typing.ArrayLike | None = None,
        lengths: numpy.typing.ArrayLike | None = None,
        detail: numpy.typing.ArrayLike | None = None,
    ) -> DeviceArray:
        """
        The same vertices as a DeviceArray; (V, 3) for one pose (C,).
        """
    def jacobian(
        self, poses: typing.Annotated[numpy.typing.ArrayLike, numpy.float32], out: numpy.typing.NDArray[numpy.float32]
    ) -> None:
        """
        Write the Jacobians (T, 3 V, C).
        """
    def jvp(
        self,
        poses: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
        tangents: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
        out: numpy.typing.NDArray[numpy.float32],
    ) -> None:
        """
        Write the derivatives (T, V, 3) along tangents (T, C).
        """
    def milliseconds(
        self,
        poses: typing.Annotated[numpy.typing.ArrayLike, numpy.float32],
        batch: typing.SupportsInt | typing.SupportsIndex,
        repeats: typing.SupportsInt | typing.SupportsIndex,
        detail: numpy.typing.ArrayLike | None = None,
    ) -> list[float]:
        """
        Device time in milliseconds of each of `repeats` evaluations of `batch` frames, without copies.
        """
    def restricted(self, vertices: numpy.typing.ArrayLike) -> ResidentModel:
        """
        The model of the vertices (M,) only, on the device.
        """
    @property
    def num_bytes(self) -> int:
        """
        Bytes of the model's constants on the device, without working memory.
        """

class ResidentCrowd:
    """
    Heads of a blendshape rig whose shapes and animation curves stay on the device.
    """
    def __init__(self, rig: ResidentModel, crowd: rigcast._core.Crowd) -> None:
        """
        Copy the clips of a _core.Crowd to the device.
        """
    def evaluate(
        self,
        clip: numpy.typing.ArrayLike,
        frame: numpy.typing.ArrayLike,
        prefix: numpy.typing.ArrayLike,
        out: numpy.typing.NDArray[numpy.float32],
    ) -> None:
        """
        Write the vertices (H, V, 3) of heads: which clip, at which frame, of how many shapes of the order, each (H,).
        """
    def evaluate_on_device(
        self,
        clip: numpy.typing.ArrayLike,
        frame: numpy.typing.ArrayLike,
        prefix: numpy.typing.ArrayLike,
        out: DeviceArray | None = None,
    ) -> DeviceArray:
        """
        The same vertices as a DeviceArray; `out`, an earlier result of that shape, is written if it is given.
        """
    @property
    def num_bytes(self) -> int:
        """
        Bytes of the curves on the device, without the rig.
        """

class DeviceShot:
    """
    Targets of a shot on the device, float32 or float16, which another library owns.
    """
    @staticmethod
    def of(targets: typing.Any) -> DeviceShot | None:
        """
        The targets (T, V, 3) or (V, 3) of an object with DLPack or __cuda_array_interface__ whose
        numbers are on the device; None for other objects.
        """
    def read(self, frames: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float32]:
        """
        Vertices (F, V, 3) of some frames, copied to the host.
        """
    @property
    def shape(self) -> tuple[int, int, int]: ...

class Projection:
    """
    A rig's columns on chosen vertices, on the device.
    """
    def __init__(
        self,
        columns: numpy.typing.ArrayLike,
        neutral: numpy.typing.ArrayLike,
        vertex_weights: numpy.typing.ArrayLike,
        vertices: numpy.typing.ArrayLike,
        num_rig_vertices: typing.SupportsInt | typing.SupportsIndex,
        workspace: typing.SupportsInt | typing.SupportsIndex = 536870912,
    ) -> None:
        """
        Columns (N, M, 3), neutral (M, 3), vertex_weights (M,), vertices (M,) of the rig.
        workspace: bytes of device memory for the frames that are projected at once.
        """
    @typing.overload
    def project(self, targets: DeviceShot) -> tuple:
        """
        The same of targets on the device, which stay there.
        """
    @typing.overload
    def project(self, targets: numpy.typing.ArrayLike) -> tuple:
        """
        Phi^T Omega b (T, N) and b^T Omega b (T,) for b = targets minus the neutral, in float64.
        """

class InverseSolver:
    """
    A rig's Gram matrix on the device, and how its columns depend on variables.
    """
    def __init__(
        self,
        num_variables: typing.SupportsInt | typing.SupportsIndex,
        offset: numpy.typing.ArrayLike,
        variable: numpy.typing.ArrayLike,
        is_tent: numpy.typing.ArrayLike,
        knots: numpy.typing.ArrayLike,
        gram: numpy.typing.ArrayLike,
        workspace: typing.SupportsInt | typing.SupportsIndex = 268435456,
        most_shared: typing.SupportsInt | typing.SupportsIndex = -1,
    ) -> None:
        """
        Column n is the product of drivers offset[n] to offset[n + 1]: `variable`, or a tent over it if
        `is_tent`, with its three `knots`. workspace: bytes of device memory for the frames that are solved at
        once; most_shared: doubles of shared memory per block, -1 for all.
        """
    def measure(self, terms: tuple, weights: numpy.typing.ArrayLike) -> tuple:
        """
        phi^T G phi - 2 p^T phi + linear^T w + quadratic w^2 (T,), and its slopes (T, K) to the right and to
        the left of each weight.
        """
    def solve(
        self,
        terms: tuple,
        start: numpy.typing.ArrayLike,
        thresholds: numpy.typing.ArrayLike,
        max_iterations: typing.SupportsInt | typing.SupportsIndex,
    ) -> tuple:
        """
        Weights (T, K), iterations (T,), converged (T,) of a shot, frame by frame. `terms`: projections (T, N),
        linear, quadratic, lower, upper (T, K).
        """
    @property
    def effort(self) -> tuple[int, int]:
        """
        Of the last solve: jobs, each a frame from one start, and those that gradient steps did not end.
        """

def copy_rate(
    bytes: typing.SupportsInt | typing.SupportsIndex, repeats: typing.SupportsInt | typing.SupportsIndex
) -> float:
    """
    The median rate of copies on the device in gigabytes per second, read and written together.
    """

def factory(model: rigcast._core.Deformer, function: str) -> ResidentModel:
    """
    A ResidentModel for ``rigcast._core.set_device_factory``; errors name the function.
    """

def status() -> dict:
    """
    works (bool), reason (a phrase, if not), devices (name, compute_capability, memory in bytes),
    libraries (versions of cuBLAS and cuSPARSE, or a phrase why they are not built in).
    """
