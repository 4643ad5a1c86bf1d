"""
The C++ engine of rigcast.
"""

from __future__ import annotations
import builtins
import collections.abc
import numpy
import numpy.typing
import os
import rigcast._blendshapes
import rigcast._cuda
import typing
import typing_extensions

__all__: list[str] = [
    "BlendshapeRig",
    "BodyModel",
    "Channel",
    "Channels",
    "ControlCoordinates",
    "ControlMixer",
    "Crowd",
    "Decay",
    "DeformationTransfer",
    "Deformer",
    "DeltaMush",
    "DensityField",
    "DifferentialModel",
    "DualQuaternionSkinning",
    "FaceIkNetworks",
    "FaceMaps",
    "FaceNetwork",
    "FittedLatentSpace",
    "FoldedReconstructor",
    "Ground",
    "IK_LEVER",
    "INVERSE_FRAMES_PER_RUN",
    "InverseGram",
    "InverseProblem",
    "LatentObjective",
    "LatentSpace",
    "Limb",
    "LinearBlendFit",
    "LinearBlendSkinning",
    "MajorizeMinimize",
    "PackingGraph",
    "PictureSolver",
    "PictureTerms",
    "PlayCommand",
    "PlayLayer",
    "PlaySettings",
    "Players",
    "PointModel",
    "PointTerms",
    "PointTree",
    "PoseSolver",
    "ProductModel",
    "Reconstructor",
    "Renderer",
    "Session",
    "Skeleton",
    "SkinningDecomposition",
    "SparseCholesky",
    "SurfacePicker",
    "SurfaceSamples",
    "Synthesizer",
    "TensorFile",
    "VertexPacker",
    "build_info",
    "chart_uvs",
    "cheapest_route",
    "choose_anchors",
    "closest_points",
    "density_of",
    "descend",
    "device_model",
    "distinct_frames",
    "edges",
    "face_normal_angles",
    "find_contacts",
    "finish_descent",
    "fit_angles",
    "fit_latent_space",
    "fit_triangles",
    "graph_laplacian",
    "hinge_errors",
    "instruction_set",
    "instruction_sets",
    "joint_positions",
    "load",
    "lock_feet",
    "look_at",
    "map_floor",
    "map_residuals",
    "matrix_product",
    "mean_hinge",
    "mend_uvs",
    "minimize_smooth",
    "model_from_tensors",
    "motion_sources",
    "move_joint",
    "num_folded",
    "num_overlapped",
    "num_processors",
    "point_energy",
    "read_memory",
    "rigid_errors",
    "rounding_width",
    "self_intersections",
    "set_device_factory",
    "shortest_paths",
    "simplex_least_squares",
    "smooth_noise",
    "smooth_shares",
    "solve_points",
    "solve_positive_definite",
    "spread_twist",
    "step_particles",
    "turn_eyes",
    "two_bone",
    "vertex_distances",
    "vertex_normals",
]

class TensorFile:
    """
    A model file: named float32 and int32 arrays and a metadata text.
    """
    @staticmethod
    def read(path: os.PathLike | str | bytes) -> TensorFile:
        """
        Read a model file; ValueError names what is wrong with it.
        """
    @staticmethod
    def write(path: os.PathLike | str | bytes, tensors: dict, metadata: str) -> None:
        """
        Write a model file atomically: float32 and int32 arrays by name and a JSON text. ValueError names what
        cannot be stored.
        """
    def arrays(self) -> dict:
        """
        Copies of all tensors, by name.
        """
    @property
    def metadata(self) -> str:
        """
        The JSON text under the key "rigcast".
        """

class SparseCholesky:
    """
    Sparse Cholesky factorization of a symmetric positive definite matrix: factorize once,
    solve for many right-hand sides. Immutable and thread-safe.
    """
    def __init__(
        self,
        rows: numpy.typing.ArrayLike,
        cols: numpy.typing.ArrayLike,
        values: numpy.typing.ArrayLike,
        n: typing.SupportsInt | typing.SupportsIndex,
    ) -> None:
        """
        Factorize the n x n matrix with the triplets rows, cols and values (M,): both triangles, in any order;
        triplets of one entry are summed. ValueError if the matrix is not symmetric, NumericalError if it is not
        positive definite.
        """
    def inverse_diagonal(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,) float64: the diagonal of A^-1, exactly, at about the cost of a factorization.
        """
    def solve(self, rhs: numpy.typing.ArrayLike, *, threads: int = 0) -> numpy.typing.NDArray[numpy.float64]:
        """
        The solution of A x = rhs in float64, shaped as rhs: (n,) or (n, M).
        """
    @property
    def n(self) -> int: ...

class PointTree:
    """
    A k-d tree over points (N, 3), for nearest-neighbor queries.
    """
    def __init__(self, points: numpy.typing.ArrayLike) -> None: ...
    def nearest(
        self, queries: numpy.typing.ArrayLike, count: typing.SupportsInt | typing.SupportsIndex = 1, threads: int = 0
    ) -> tuple:
        """
        The `count` nearest points of each query (Q, 3): indices (Q, count), nearest first, then lower index
        first, and squared distances (Q, count).
        """

class SurfacePicker:
    """
    Finds what a ray meets on a deforming surface: vertices (V, 3), faces (F, 3) or
    (F, 4), quads split along their first diagonal.
    """
    def __init__(self, vertices: numpy.typing.ArrayLike, faces: numpy.typing.ArrayLike) -> None: ...
    def pick(self, origin: numpy.typing.ArrayLike, direction: numpy.typing.ArrayLike) -> typing.Any:
        """
        The first point origin + t direction, t >= 0, on the surface, from either side: face, the corners (3,) of
        its triangle, their barycentric weights (3,), the corner nearest to the point, and t. None if there is
        no such point.
        """
    def refit(self, vertices: numpy.typing.ArrayLike) -> None:
        """
        Move the vertices to (V, 3). Not while another thread picks.
        """

class VertexPacker:
    """
    Packs poses of a mesh as graphics hardware reads vertices.
    """
    def __init__(
        self, faces: numpy.typing.ArrayLike, num_vertices: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    def pack(self, vertices: numpy.typing.ArrayLike, marks: numpy.typing.ArrayLike | None = None) -> tuple:
        """
        (V, 12) uint8: position (3 x uint16 between low and high), mark (uint8), zero, normal (2 x int16,
        octahedral). Also low (3,) and high (3,).
        """

class Channel:
    """
    A number that an artist sets on a rig. Immutable.

    Examples
    --------
    >>> data = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=50, seed=0)
    >>> rc.baselines.linear_blend(data, influences=4).channels[0].name
    'shoulder.rz'
    """
    def __repr__(self) -> str: ...
    @property
    def follows_kinematics(self) -> bool:
        """
        True if plain kinematics, or the rig's own constraints, drivers and inverse kinematics as the model keeps
        them, decide the effect of the channel.
        """
    @property
    def high(self) -> float: ...
    @property
    def index(self) -> int:
        """
        Its column in channels (T, N).
        """
    @property
    def joint(self) -> str | None:
        """
        Name of the joint; None for a dial.
        """
    @property
    def kind(self) -> str:
        """
        "rotate_x" ... "translate_x" ... "scale_x" ... along the joint's rest axes, "dial" (the numeric
        control of the same name), "control" (what constraints, drivers and inverse kinematics of the rig pass on),
        or "other" (something that the rig does not describe).
        """
    @property
    def low(self) -> float: ...
    @property
    def name(self) -> str: ...
    @property
    def place(self) -> int:
        """
        Position of a rotation in its joint's product, 0 leftmost (column vectors).
        """
    @property
    def reason(self) -> str:
        """
        Why nothing that the model knows decides it; empty if something does.
        """
    @property
    def rest(self) -> float: ...
    @property
    def unit(self) -> str:
        """
        "degrees", "rig" (the rig's unit of length) or "".
        """
    @property
    def whole(self) -> bool:
        """
        True if the rig rounds the dial to a whole number.
        """

class Channels:
    """
    The channels of a skeleton, and the conversion to poses and back. Immutable.
    """
    def __init__(self, entry: str, skeleton: Skeleton | None, numeric_controls: collections.abc.Sequence[str]) -> None:
        """
        entry: JSON text of the entry "channels" of a model file. skeleton: a Skeleton, or None.
        """
    def channels(self, poses: numpy.typing.ArrayLike) -> tuple:
        """
        As Deformer.channels_from_poses.
        """
    def poses(
        self, channels: numpy.typing.ArrayLike, ignore_undecided: bool = False
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        As Deformer.poses_from_channels; ignore_undecided: what plain kinematics alone would give.
        """
    @property
    def list(self) -> list: ...

class Skeleton:
    """
    A tree of J joints. Immutable and thread-safe.

    Transforms are 3x4, row-major, and act on column vectors: x goes to A x + t.

    Parameters
    ----------
    names : sequence of str
        J different names.
    parents : array_like of int, shape (J,)
        -1 for a root; parents come before their children.
    rest : array_like, shape (J, 3, 4)
        Parent-relative rest transforms; a root's is its global one.

    Raises
    ------
    ValueError
        If sizes differ, a name occurs twice, a parent is no earlier joint, or a transform is not finite or not invertible.

    Examples
    --------
    >>> rest = np.tile(np.eye(3, 4), (2, 1, 1))  # (J, 3, 4), parent-relative
    >>> rest[1, 1, 3] = 0.5  # the child lies 0.5 above its parent
    >>> skeleton = rc.Skeleton(["upper", "lower"], [-1, 0], rest)
    >>> skeleton.globals(rest.reshape(1, -1))[0, 1, :, 3].tolist()
    [0.0, 0.5, 0.0]
    """
    def __getstate__(self) -> tuple[list[str], list[int], numpy.typing.NDArray[numpy.float32]]: ...
    def __init__(
        self, names: collections.abc.Sequence[str], parents: numpy.typing.ArrayLike, rest: numpy.typing.ArrayLike
    ) -> None: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: tuple) -> None: ...
    def _repr_html_(self) -> str:
        """
        What a notebook shows.
        """
    def globals(self, poses: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float32]:
        """
        Global transforms of poses.

        A joint's global transform is its parent's times its own entry of the pose.

        Parameters
        ----------
        poses : array_like, shape (T, C)
            C is at least 12 J; numeric controls after the joints are ignored.

        Returns
        -------
        ndarray of float32, shape (T, J, 3, 4)

        Raises
        ------
        ValueError
            If the width is wrong or a value is not finite.
        """
    @property
    def names(self) -> list[str]:
        """
        Names of the J joints.
        """
    @property
    def num_joints(self) -> int:
        """
        J.
        """
    @property
    def parents(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (J,) int32: the parent of each joint, -1 for a root.
        """
    @property
    def rest(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (J, 3, 4) float32: parent-relative rest transforms.
        """
    @property
    def rest_globals(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (J, 3, 4) float32: global rest transforms.
        """

class Deformer:
    """
    A forward model: maps poses (T, C) to vertices (T, V, 3). Immutable and thread-safe.

    Every model is one: learned bodies, blendshape rigs, skinned characters. ``rigcast.load`` reads one from a file,
    ``rigcast.training.body`` learns one. A pose is one row of C = 12 J + K numbers: the parent-relative 3x4 transforms of
    the J joints (row-major, column vectors), then the K numeric controls. One pose (C,) gives one mesh (V, 3).

    Results do not depend on the number of threads nor on the other poses of a batch, to the last bit. Models can be pickled.

    Examples
    --------
    >>> face = rc.faces.example()  # every model and blendshape rig is a Deformer
    >>> poses = np.full((2, face.num_shapes), 0.5, np.float32)
    >>> vertices = face.evaluate(poses)
    >>> face.vjp(poses, np.ones_like(vertices)).shape
    (2, 22)
    >>> face.restricted([3, 17]).jacobian(poses).shape
    (2, 6, 22)
    >>> face.save("face.safetensors")
    >>> bool(np.array_equal(rc.load("face.safetensors").evaluate(poses), vertices))
    True
    """
    def __reduce__(self) -> tuple[typing.Any, tuple[dict, str]]:
        """
        For pickle and copy: the tensors and metadata of the model's file.
        """
    def __repr__(self) -> str: ...
    def _repr_html_(self) -> str:
        """
        What a notebook shows.
        """
    def channels_from_poses(self, poses: numpy.typing.ArrayLike) -> tuple:
        """
        Channels (T, N) float32 of poses (T, C), and residuals (T,): the largest absolute difference between the
        given pose and the pose of the channels found. Angles are inside their ranges if possible, and
        continuous from frame to frame. With a mechanism: least squares inside the ranges; channels without effect
        stay at rest. One pose (C,) gives (N,) and a number. ValueError as for
        poses_from_channels.
        """
    def confidence(self, poses: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float32]:
        """
        How far to trust the model at poses: whether they lie among the training poses, and what error is expected there.

        ``0.9^(doubt^2) 2^-(excess / 0.25)^2``. The excess is how far a joint, a control, or the combination of all of them lies
        outside the training poses, as a share of its radius: the confidence is 1/2 at a quarter of its radius outside. The doubt
        is the largest vertex error that is expected of the pose, over five times the 99th percentile of the held-out errors.
        Formulas (skinning, blendshapes) have 1.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)

        Returns
        -------
        ndarray of float32, shape (T,)
            In [0, 1].

        Raises
        ------
        ValueError
            If the width is wrong or a value is not finite.
        """
    def error_bound(self, poses: numpy.typing.ArrayLike, *, threads: int = 0) -> numpy.typing.NDArray[numpy.float32]:
        """
        A bound on the error of each vertex that holds for 95 % of them on new poses.

        Learned from the errors of the training and calibrated on held-out poses (split conformal prediction, Papadopoulos et al.
        2002), for poses like those of the training: where ``out_of_range`` says so, it promises nothing. The metadata entry
        ``bound`` states the coverage and the mean width that were measured.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        ndarray of float32, shape (T, V), or (V,) of one pose
            In the model's unit.

        Raises
        ------
        ValueError
            If the width is wrong, a value is not finite, or the model states no bound: formulas, and models learned from too few
            poses to hold 25 of them out.

        Examples
        --------
        >>> data = rc.sampling.sample(rc.sources.example_body(), "many.rwdata", count=300, seed=0)
        >>> model = rc.training.body(data, seed=0, steps=1)
        >>> model.error_bound(data.poses[:2]).shape
        (2, 1122)
        """
    def evaluate(
        self,
        poses: numpy.typing.ArrayLike,
        device: str = "cpu",
        *,
        threads: int = 0,
        out: numpy.typing.NDArray[numpy.float32] | None = None,
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        Vertices of poses.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)
            On a device also a contiguous float32 array there (DLPack or ``__cuda_array_interface__``), whose values are not
            checked.
        device : str
            ``"cpu"``, or for kinds ``"body"``, ``"differential"``, ``"face_maps"`` and ``"blendshape"`` another of
            ``rigcast.devices()``.
        threads : int
            0: all processors. The result does not depend on it.
        out : ndarray of float32, optional
            Where the vertices are written.

        Returns
        -------
        ndarray of float32, shape (T, V, 3), or (V, 3) of one pose
            In the model's unit.

        Raises
        ------
        ValueError
            If the width is wrong, a value is not finite or too large, or the device does not work on this machine.
        """
    def evaluate_on_device(self, poses: numpy.typing.ArrayLike, device: str) -> rigcast._cuda.DeviceArray:
        """
        Vertices of poses that stay on a device: nothing is copied to the host.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)
            Or a contiguous float32 array on the device (DLPack or ``__cuda_array_interface__``), whose values are not checked.
        device : str
            One of ``rigcast.devices()`` other than ``"cpu"``.

        Returns
        -------
        DeviceArray of float32, shape (T, V, 3), or (V, 3) of one pose
            In the model's unit, with DLPack and ``__cuda_array_interface__``, complete when the call returns. Vertices that
            overflow are not finite.

        Raises
        ------
        ValueError
            If the width is wrong, a value on the host is not finite or too large, or the device does not work on this machine or
            does not evaluate models of this kind.
        """
    def jacobian(
        self, poses: numpy.typing.ArrayLike, device: str = "cpu", *, threads: int = 0
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        The Jacobian of the 3 V coordinates with respect to the C columns of a pose.

        Meant for restricted models: it has 3 V C numbers per frame.

        Parameters
        ----------
        poses : (T, C) or (C,)
        device : str
            ``"cpu"``, or for kinds ``"body"`` and ``"blendshape"`` another of ``rigcast.devices()``.
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        (T, 3 V, C), or (3 V, C) of one pose
            Rows x, y, z of vertex 0, then of vertex 1, and so on.

        Raises
        ------
        ValueError
            If the width is wrong, a value is not finite or too large, a derivative overflows float32, the result does not
            fit in memory, or the device does not work on this machine.
        """
    def jvp(
        self, poses: numpy.typing.ArrayLike, tangents: numpy.typing.ArrayLike, device: str = "cpu", *, threads: int = 0
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        J tangents: the derivative of the vertices along one direction per frame.

        Parameters
        ----------
        poses : (T, C) or (C,)
        tangents : (T, C), or (C,) with one pose
            One direction per frame, in the units of the pose's columns.
        device : str
            ``"cpu"``, or for kinds ``"body"`` and ``"blendshape"`` another of ``rigcast.devices()``.
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        (T, V, 3), or (V, 3) of one pose
            In units of length per unit of the direction. At a kink (the corner of a tent) the same one-sided derivative
            as in ``vjp``.

        Raises
        ------
        ValueError
            If a shape is wrong, a value is not finite or too large, a derivative overflows float32, or the device does not
            work on this machine.
        """
    def out_of_range(self, poses: numpy.typing.ArrayLike) -> numpy.ndarray:
        """
        Whether poses lie outside the training poses, by a joint, a control or their combination: see ``confidence``.

        The metadata entry ``bound`` states how often the flag is wrong: ``false_alarm``, the share of held-out poses that it is
        raised for, and ``miss``, the share of poses with one channel a quarter of its range outside for which it is not.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)

        Returns
        -------
        ndarray of bool, shape (T,)

        Raises
        ------
        ValueError
            If the width is wrong or a value is not finite.
        """
    def poses_from_channels(self, channels: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float32]:
        """
        Poses (T, C) float32 of channels (T, N), or (C,) of (N,), by plain kinematics: for column vectors, the
        pose of a joint is rest_local T(translations) R_a R_b ... S(scales) in its rotation order; dials are
        copied to the numeric controls. If the model keeps the mechanism of its rig (constraints, drivers, inverse
        kinematics), that poses the joints, without the program of the rig; metadata["mechanism_error"] says how
        far vertices are off by it on held-out poses. ValueError if something unknown decides a pose, with the names
        of its channels, or if the model file has no channels.
        """
    def restricted(self, vertices: numpy.typing.ArrayLike) -> Deformer:
        """
        A model of some vertices only, in the given order.

        It has the same pose columns, gives the same bytes for these vertices, and computes only what they need. It can be
        saved. Its faces are those whose corners are all among the vertices.

        Parameters
        ----------
        vertices : (M,) integers
            Indices of vertices; repeats are allowed.

        Returns
        -------
        Deformer
            Of the same kind, with M vertices.

        Raises
        ------
        ValueError
            If an index is negative or out of range, or there is none.
        """
    def save(self, path: os.PathLike | str | bytes) -> None:
        """
        Write the model file, which :func:`rigcast.load` reads as the same model.

        Parameters
        ----------
        path : path-like
            Ends in ``.safetensors`` by custom. The file appears when it is complete.

        Raises
        ------
        ValueError
            If it cannot be written.
        """
    def session(self) -> Session:
        """
        A session: evaluates one pose after another and recomputes only what changed.

        Returns
        -------
        Session
            For one thread at a time; a model may have several sessions.
        """
    def tensors(self) -> dict:
        """
        All tensors of the model by name, copied.
        """
    def vjp(
        self, poses: numpy.typing.ArrayLike, cotangents: numpy.typing.ArrayLike, *, threads: int = 0
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        Vector-Jacobian product: the gradient of ``sum(vertices * cotangents)`` by the poses.

        Parameters
        ----------
        poses : array_like, shape (T, C) or (C,)
        cotangents : array_like, shape (T, V, 3), or (V, 3) with one pose
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        ndarray of float32, shape (T, C), or (C,) of one pose
            At a kink (the corner of a tent) a one-sided derivative.

        Raises
        ------
        ValueError
            If a shape is wrong, a value is not finite or too large, or a gradient overflows float32.
        """
    @property
    def channels(self) -> list:
        """
        The artist's controls, a list of N Channel; empty if the model file has none.
        """
    @property
    def control_names(self) -> list[str]:
        """
        Names of the C columns of a pose.
        """
    @property
    def control_ranges(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (C, 2) float32: lowest and highest value of each column in training; bounds of a blendshape rig's weights.
        """
    @property
    def face_materials(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (F,) int32: the material of each face, -1 for none; (0,) without materials
        """
    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (F, 4) int32: -1 pads triangles.
        """
    @property
    def joint_names(self) -> list[str]:
        """
        Names of the J joints; empty for blendshapes.
        """
    @property
    def kind(self) -> str:
        """
        "body", "blendshape", "linear_blend", "dual_quaternion" or "delta_mush".
        """
    @property
    def materials(self) -> list[str]:
        """
        Names of the materials; may be empty.
        """
    @property
    def metadata(self) -> dict:
        """
        The metadata of the model file, as a dict.
        """
    @property
    def meters_per_unit(self) -> float:
        """
        Length of the model's unit in meters.
        """
    @property
    def num_vertices(self) -> int:
        """
        V.
        """
    @property
    def parts(self) -> list[str]:
        """
        Names of the parts; may be empty.
        """
    @property
    def rest_vertices(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (V, 3) float32: the rest pose.
        """
    @property
    def skeleton(self) -> Skeleton:
        """
        The joints; None for a model without joints (blendshapes).
        """
    @property
    def up_axis(self) -> str:
        """
        "X", "Y" or "Z".
        """
    @property
    def uv_faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (F, 4) int32: the row of uvs at each corner of each face; -1 pads triangles, and stands at all corners of
        a face without texture coordinates; (0, 4) without any
        """
    @property
    def uvs(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (U, 2) float32 texture coordinates, in any tile
        """
    @property
    def vertex_parts(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (V,) int32: the part that each vertex belongs to, -1 for none; (0,) without parts
        """

class LinearBlendSkinning(Deformer):
    """
    Linear blend skinning: v_k = sum_j w_kj G_j (G_j^0)^-1 v_k^0 (Magnenat-Thalmann et al. 1988).

    Parameters
    ----------
    skeleton : Skeleton
        J joints; its rest is the pose in which the mesh was bound.
    rest_vertices : (V, 3)
    faces : (F, 3) or (F, 4)
        Vertex indices; -1 in the last column pads triangles.
    weights : (V, J), or a pair of joints (V, K) and weights (V, K)
        Not negative, of sum 1 at every vertex within 1e-3; they are scaled to sum 1.
    dials : sequence of str
        Names of pose columns after the joints'; they have no effect.
    control_ranges : (C, 2), optional
        Lowest and highest value of each pose column, as information for users of the model. By default nominal
        ranges: one unit around rest for entries of matrices, the size of the mesh for translations, 0 to 1 for
        dials.
    metadata : mapping, optional
        name, meters_per_unit (1.0), up_axis ("Y"), licence, origin, data_hash, channels
        (rigcast.Dataset.channel_entry: what an artist changes), and any others that JSON can hold.

    Raises
    ------
    ValueError
        If a shape is wrong, a value is not finite, a corner is no vertex, or weights are negative or do not sum to
        1.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> heights = np.clip(arm.rest_vertices[:, 1:2] / 0.6, 0, 1)
    >>> weights = np.concatenate([1 - heights, heights, 0 * heights], axis=1)
    >>> skinning = rc.LinearBlendSkinning(arm.skeleton, arm.rest_vertices, arm.faces, weights, dials=arm.dial_names)
    >>> poses, vertices = arm.sample([[0.0, 0.0, 90.0, 0.0, 0.0, 0.0]])
    >>> skinning.evaluate(poses).shape
    (1, 1122, 3)
    """
    def __init__(
        self,
        skeleton: Skeleton,
        rest_vertices: numpy.typing.ArrayLike,
        faces: numpy.typing.ArrayLike,
        weights: numpy.typing.ArrayLike | tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike],
        *,
        dials: collections.abc.Sequence[str] = (),
        control_ranges: numpy.typing.ArrayLike | None = None,
        metadata: collections.abc.Mapping[str, builtins.object] | None = None,
    ) -> None: ...

class DualQuaternionSkinning(Deformer):
    """
    Dual quaternion skinning (Kavan et al. 2007): rotations blend without loss of volume.

    The skinning transform of a joint is split about the joint's rest position into a stretch, then a rigid motion
    whose rotation is the nearest one. Stretches are blended linearly, rigid motions as dual quaternions, each turned
    to the side of the vertex's most influential joint (two phases, Kavan et al. 2008, section 5). If no joint
    stretches, this is plain dual quaternion skinning.

    Parameters and errors are those of LinearBlendSkinning.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> heights = np.clip(arm.rest_vertices[:, 1:2] / 0.6, 0, 1)
    >>> weights = np.concatenate([1 - heights, heights, 0 * heights], axis=1)
    >>> skinning = rc.DualQuaternionSkinning(arm.skeleton, arm.rest_vertices, arm.faces, weights, dials=arm.dial_names)
    >>> poses, vertices = arm.sample([[0.0, 0.0, 90.0, 0.0, 0.0, 0.0]])
    >>> skinning.evaluate(poses).shape
    (1, 1122, 3)
    """
    def __init__(
        self,
        skeleton: Skeleton,
        rest_vertices: numpy.typing.ArrayLike,
        faces: numpy.typing.ArrayLike,
        weights: numpy.typing.ArrayLike | tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike],
        *,
        dials: collections.abc.Sequence[str] = (),
        control_ranges: numpy.typing.ArrayLike | None = None,
        metadata: collections.abc.Mapping[str, builtins.object] | None = None,
    ) -> None: ...

class DeltaMush(Deformer):
    """
    Delta mush (Mancewicz et al. 2014): linear blend skinning, smoothed, with the detail of the rest mesh added back.

    The skinned mesh is smoothed; at every vertex the difference between the rest mesh and the smoothed rest mesh is
    added in the frame of the smoothed surface. Loose vertices keep their skinned position.

    Parameters
    ----------
    iterations : int
        Rounds of Laplacian smoothing, 0 to 1000.
    step : float
        How far a round moves a vertex towards the mean of its neighbors: above 0, at most 1.

    Other parameters and errors are those of LinearBlendSkinning.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> heights = np.clip(arm.rest_vertices[:, 1:2] / 0.6, 0, 1)
    >>> weights = np.concatenate([1 - heights, heights, 0 * heights], axis=1)
    >>> skinning = rc.DeltaMush(arm.skeleton, arm.rest_vertices, arm.faces, weights, dials=arm.dial_names)
    >>> poses, vertices = arm.sample([[0.0, 0.0, 90.0, 0.0, 0.0, 0.0]])
    >>> skinning.evaluate(poses).shape
    (1, 1122, 3)
    """
    def __init__(
        self,
        skeleton: Skeleton,
        rest_vertices: numpy.typing.ArrayLike,
        faces: numpy.typing.ArrayLike,
        weights: numpy.typing.ArrayLike | tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike],
        *,
        iterations: int = 10,
        step: float = 0.5,
        dials: collections.abc.Sequence[str] = (),
        control_ranges: numpy.typing.ArrayLike | None = None,
        metadata: collections.abc.Mapping[str, builtins.object] | None = None,
    ) -> None: ...

class Session:
    """
    Evaluates one pose of a model after another and recomputes only what changed since
    the previous one. Made by ``Deformer.session()``.
    """
    def __reduce__(self) -> typing.Any:
        """
        Refused: a session is the memory of one caller.
        """
    def evaluate(
        self, pose: numpy.typing.ArrayLike, out: numpy.typing.NDArray[numpy.float32] | None = None
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        Vertices of a pose, with the bytes of ``Deformer.evaluate``.

        Calls from several threads wait for each other.

        Parameters
        ----------
        pose : (C,)
        out : (V, 3) float32, optional
            An array to write into.

        Returns
        -------
        (V, 3)
            ``out`` if it is given, else a new array. Later calls do not change it.

        Raises
        ------
        ValueError
            If the width is wrong, a value is not finite or too large, or ``out`` has a wrong shape or type. The session
            stays usable.
        """
    def set_detail(self, detail: numpy.typing.ArrayLike) -> None:
        """
        Sets the detail of the evaluations that follow, for a face on deformation maps.

        It is 1 at first. With it the session has the bytes of ``FaceMaps.evaluate_detail``; a change costs no map that is
        drawn already.

        Parameters
        ----------
        detail : (R,)
            For each refinement segment a number in [0, 1]; 0 leaves it out.

        Raises
        ------
        ValueError
            If the shape is wrong, a value is outside of [0, 1], or the kind of model has no detail. The session stays as it is.
        """
    @property
    def model(self) -> Deformer:
        """
        The model that it evaluates.
        """

class BlendshapeRig(Deformer):
    """
    K blendshapes with corrections of any order; a Deformer, as every forward model:

        v(w) = v0 + sum_k w_k b_k + sum_c (prod_{f in drivers(c)} phi_f(w)) b_c

    with phi_f(w) = w_i, or for rc.Tent(i, x1, x2, x3) a tent over w_i: 0 at x1, 1 at x2, 0 at x3 and outside.
    Columns are the K shapes, then the combinations in their order. A pose is the K weights; there is no skeleton.
    Weights outside the bounds are not clamped; those beyond `weight_limit` are refused. vjp is exact; at a corner
    of a tent it uses the right-hand slope.

    Examples
    --------
    >>> neutral = np.zeros((4, 3), np.float32)
    >>> open_, smile, both = np.eye(4)[:3, :, None] * np.float32([0, 1, 0])  # (V, 3) offsets each
    >>> rig = rc.BlendshapeRig(neutral, [open_, smile], [((0, 1), both)], names=["open", "smile"])
    >>> rig.evaluate([1.0, 0.5])[:, 1].tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    def __init__(
        self,
        neutral: numpy.typing.ArrayLike,
        deltas: numpy.typing.ArrayLike,
        combinations: collections.abc.Iterable[
            tuple[collections.abc.Sequence[int | rigcast._blendshapes.Tent], numpy.typing.ArrayLike]
        ] = (),
        names: collections.abc.Sequence[str] | None = None,
        bounds: numpy.typing.ArrayLike = (0.0, 1.0),
        faces: numpy.typing.ArrayLike | None = None,
        *,
        storage: str = "float32",
        metadata: collections.abc.Mapping[str, builtins.object] | None = None,
    ) -> None:
        """
        Parameters
        ----------
        neutral : (V, 3)
        deltas : (K, V, 3)
            Offsets from the neutral. A shape may move nothing: then it acts only as a driver.
        combinations : sequence of (drivers, delta)
            drivers: a tuple of at least two shape indices or rc.Tent, or of a single rc.Tent; no shape twice.
            delta: (V, 3).
        names : sequence of str, optional
            Of the shapes, all different; default shape0, shape1, ...
        bounds : (low, high) for all, or (K, 2)
        faces : (F, 3) or (F, 4), optional
            Vertex indices; -1 in the last column pads triangles. Default: none, F = 0.
        storage : "float32" or "int16"
            int16 takes half the memory and rounds each coordinate to a multiple of its column's largest / 32767;
            `storage_error` is the largest error.
        metadata : mapping, optional
            name, meters_per_unit (1.0), up_axis ("Y"), licence, origin, constructed (names of columns),
            combination_names (one text per combination; the second one of a name gets " (2)"), and anything else
            that JSON can represent.

        Raises
        ------
        ValueError
            If an array has a wrong shape, a value is not finite, an index is out of range, a combination has a shape
            twice, the points of a tent do not ascend, a lower bound exceeds its upper bound, or names repeat.
        """
    def __repr__(self) -> str: ...
    def activations(self, weights: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float32]:
        """
        Activations (T, N) of weights (T, K), or (N,) of (K,): what multiplies the offsets of each column.
        """
    def column(self, n: typing.SupportsInt | typing.SupportsIndex) -> numpy.typing.NDArray[numpy.float32]:
        """
        (V, 3) offsets of column n.
        """
    def columns(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (N, V, 3) offsets of all columns, dense: a copy.
        """
    def evaluate(
        self,
        weights: numpy.typing.ArrayLike,
        device: str = "cpu",
        *,
        threads: int = 0,
        out: numpy.typing.NDArray[numpy.float32] | None = None,
        order: numpy.typing.ArrayLike | None = None,
        prefix: numpy.typing.ArrayLike | None = None,
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        Vertices (T, V, 3) of weights (T, K), or (V, 3) of one row (K,). threads 0: all processors.
        out: a float32 array to write into. prefix: how many shapes of `order` are used, one number or one per
        frame (T,); a combination is used if all its shapes are. order: (K,) shapes, most important first;
        default: ascending. ValueError if the width is wrong, a value is not finite or beyond `weight_limit`,
        the order is no permutation, a prefix is outside 0 to K, or the device does not work on this machine.
        If the device is not the CPU, weights may also be a float32 array on that device.
        """
    def evaluate_on_device(
        self,
        weights: numpy.typing.ArrayLike,
        device: str,
        *,
        order: numpy.typing.ArrayLike | None = None,
        prefix: numpy.typing.ArrayLike | None = None,
    ) -> rigcast._cuda.DeviceArray:
        """
        The vertices of ``evaluate`` in an array that stays on the device: see ``Deformer.evaluate_on_device``.
        """
    @property
    def bounds(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (K, 2) lowest and highest weight of each shape.
        """
    @property
    def column_names(self) -> list[str]:
        """
        Names of the N columns: those of the shapes, then of the combinations. The latter are
        metadata["combination_names"], or else made from their drivers (`a * b`, `a@0.5`).
        """
    @property
    def combinations(self) -> list:
        """
        The drivers of each combination: tuples of shape indices and rc.Tent.
        """
    @property
    def constructed(self) -> list[str]:
        """
        Names of the columns that were constructed, not sculpted; metadata["constructed"].
        """
    @property
    def nbytes(self) -> int:
        """
        Bytes of memory used: the mesh (12 per vertex, 16 per face), the offsets (12 per entry, 6 if
        int16), and their index: 4 per moved vertex, and 12 plus one bit per column for each group of
        vertices that the same columns move. For faces with a dozen offsets per vertex, offsets and
        index together take less than 1.3 times the offsets alone.
        """
    @property
    def num_columns(self) -> int:
        """
        N = K + number of combinations
        """
    @property
    def num_entries(self) -> int:
        """
        Stored offsets: pairs of a column and a vertex that it moves.
        """
    @property
    def num_shapes(self) -> int:
        """
        K
        """
    @property
    def shape_names(self) -> list[str]:
        """
        Names of the shapes.
        """
    @property
    def storage(self) -> str: ...
    @property
    def storage_error(self) -> float:
        """
        Largest error of a stored coordinate (int16); 0 for float32.
        """
    @property
    def weight_limit(self) -> float:
        """
        The largest magnitude of a weight at which vertices surely fit float32.
        """

class BodyModel(Deformer):
    """
    The learned body: vertex sets that follow joints, each with its own network.
    """
    def __repr__(self) -> str: ...
    def stored(self, storage: str, poses: typing.Any = None, max_error: typing.Any = None) -> BodyModel:
        """
        The same model with another storage of the weights and bases of its networks.

        A single pose takes as long as reading them from memory. A tenth of the model's own error is hardly seen beside it.

        Parameters
        ----------
        storage : str
            ``"16-bit"``: float16 or bfloat16, whichever has the smaller error for a matrix; products are in float32.
            ``"int8"``: as many matrices as the error allows are int8 with a scale per block, the others as with ``"16-bit"``.
            ``"float32"``: as in the file, which always has float32.
        poses : (T, C) array, optional
            For ``"int8"``, and needed there: poses like those to evaluate, 20 to 100 of them.
        max_error : float, optional
            For ``"int8"``: on these poses the vertices are on average at most this far from those of the model in float32,
            in the rig's unit. Default: a tenth of the model's mean error on held-out poses, which its file states.

        Returns
        -------
        BodyModel
            Its ``storage_error`` is the largest error of a number. After saving, it loads with the same storage.

        Raises
        ------
        ValueError
            If the storage is none of these, poses are missing, given without need or not valid, max_error is negative or
            missing for a model that does not state its error.
        """
    @property
    def num_bytes(self) -> int:
        """
        Bytes of the constants that an evaluation reads.
        """
    @property
    def num_sets(self) -> int:
        """
        Number of vertex sets.
        """
    @property
    def storage(self) -> str:
        """
        How matrices are stored in memory: "float32", "16-bit" or "int8".
        """
    @property
    def storage_error(self) -> float:
        """
        The largest difference of a stored number from that of the file; 0 for float32.
        """

class SkinningDecomposition:
    """
    Skin weights and rigid bone motions fitted to vertices (Le and Deng 2012), improved step by step.
    """
    def __init__(
        self,
        rest_vertices: numpy.typing.ArrayLike,
        vertices: numpy.typing.ArrayLike,
        bones: typing.SupportsInt | typing.SupportsIndex,
        influences: typing.SupportsInt | typing.SupportsIndex,
        threads: int = 0,
    ) -> None:
        """
        Begins with clusters of the vertices (T, V, 3) that move rigidly.
        """
    def objective(self, threads: int = 0) -> float:
        """
        The sum of squared distances to the vertices.
        """
    def update_bones(self, threads: int = 0) -> None:
        """
        The least squares motion of one bone after another; never raises the objective.
        """
    def update_weights(self, threads: int = 0) -> None:
        """
        The least squares weights with the bone motions fixed; never raises the objective.
        """
    @property
    def motions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T, B, 3, 4) float64 rigid motions of the bones, from rest.
        """
    @property
    def weights(self) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]:
        """
        Bones (V, K) int32 and weights (V, K) float64.
        """

class LinearBlendFit:
    """
    Skin weights fitted to examples (Mohr and Gleicher 2003) that are added in batches.
    """
    def __init__(
        self, skeleton: Skeleton, rest_vertices: numpy.typing.ArrayLike, joints: numpy.typing.ArrayLike
    ) -> None: ...
    def add(self, poses: numpy.typing.ArrayLike, vertices: numpy.typing.ArrayLike, threads: int = 0) -> None:
        """
        Add T examples: poses (T, C) and vertices (T, V, 3).
        """
    def solve(self, influences: typing.SupportsInt | typing.SupportsIndex = 0, threads: int = 0) -> tuple:
        """
        Joints (V, K) int32, weights (V, K) float32 and the sums of squared distances (V,) float64 to the examples,
        with at most `influences` joints per vertex; 0: as many as lower the error.
        """
    @property
    def num_examples(self) -> int: ...

class DifferentialModel(Deformer):
    """
    A learned face or body in a differential subspace: networks predict delta coordinates and anchors.
    """
    def __repr__(self) -> str: ...
    def reduced(self, components: typing.SupportsInt | typing.SupportsIndex) -> DifferentialModel:
        """
        The same model with fewer components of its basis.

        Parameters
        ----------
        components : int
            How many of them, the first ones: those of the largest variance in training.

        Returns
        -------
        DifferentialModel
            Smaller, faster and less accurate.

        Raises
        ------
        ValueError
            If there are not so many.
        """
    def stored(self, storage: str) -> DifferentialModel:
        """
        The same model with another storage of its weights.

        Parameters
        ----------
        storage : str
            ``"16-bit"``: float16 or bfloat16, whichever has the smaller error for a matrix; products are in float32.
            ``"float32"``: as in the file, which always has float32.

        Returns
        -------
        DifferentialModel
            Its ``storage_error`` is the largest error of a weight. After saving, it loads with the same storage.

        Raises
        ------
        ValueError
            If the storage is neither of these.
        """
    def with_tail(self, tail: str) -> DifferentialModel:
        """
        The same model with another last step.

        Parameters
        ----------
        tail : str
            ``"folded"``: basis and solve as one dense product. ``"factorized"``: a product with the basis, then a solve: less
            memory if there are many anchors. A model that states neither takes the one that reads less, at measured rates.

        Returns
        -------
        DifferentialModel
            After saving, it loads with the same tail.

        Raises
        ------
        ValueError
            If the tail is neither of these, or the model is a restricted one.
        """
    @property
    def num_anchors(self) -> int:
        """
        Number of anchors.
        """
    @property
    def num_bytes(self) -> int:
        """
        Bytes of the constants that an evaluation reads.
        """
    @property
    def num_components(self) -> int:
        """
        Number of components of the basis of delta coordinates.
        """
    @property
    def storage(self) -> str:
        """
        How weights are stored in memory: "float32" or "16-bit".
        """
    @property
    def storage_error(self) -> float:
        """
        The largest difference of a stored weight from its float32 value; 0 for float32.
        """
    @property
    def tail(self) -> str:
        """
        The last step: "folded", one dense product, or "factorized", a product and a solve.
        """
    @property
    def transforms(self) -> str:
        """
        Where the linear transforms come from: "probed", "source", "fitted" or "identity".
        """

class FoldedReconstructor:
    """
    Solutions of a Reconstructor for delta coordinates in a basis, as one dense product per frame.

    Made by :meth:`Reconstructor.folded`. Immutable and thread-safe.
    """
    def solve(
        self, z: numpy.typing.ArrayLike, anchor_positions: numpy.typing.ArrayLike, *, threads: int = 0
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        Displacements of coefficients and anchor positions.

        Parameters
        ----------
        z : array_like, shape (T, R)
        anchor_positions : array_like, shape (T, A, 3)
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        ndarray of float32, shape (T, V, 3)

        Raises
        ------
        ValueError
            If a shape is wrong, or a value is not finite or too large.
        """
    @property
    def num_bytes(self) -> int:
        """
        Bytes that a solve reads.
        """
    @property
    def storage_error(self) -> float:
        """
        The largest difference of a stored weight from its float32 value; 0 for float32.
        """

class Reconstructor:
    """
    Delta coordinates of displacements, and the displacements that fit delta coordinates and anchors best.

    With the graph Laplacian ``L = D - A`` of the mesh, anchor vertices S and weights W, ``encode`` gives ``delta = L d`` and
    ``solve`` the displacements that minimize ``|L d - delta|^2 + |W (S d - a)|^2`` (Sorkine et al. 2004; Song et al. 2020).
    Both use the same L, so ``solve(encode(d), d[:, anchors])`` is ``d``. One sparse Cholesky factorization serves all solves.
    Immutable and thread-safe.

    Parameters
    ----------
    faces : array_like of int, shape (F, 3) or (F, 4)
        -1 in a fourth column pads triangles. Need not be manifold; a vertex without a face is a component of its own.
    num_vertices : int
        V.
    anchors : array_like of int, shape (A,)
        Different vertices, at least one per connected component; see :func:`choose_anchors`.
    anchor_weight : float or array_like, shape (A,)
        W, one number or one per anchor, above 0.

    Raises
    ------
    ValueError
        If a face or an anchor is out of range, an anchor occurs twice, a component has no anchor (the message names it), or
        a weight is not finite and positive.

    Examples
    --------
    >>> faces = [[0, 1, 2], [0, 2, 3]]
    >>> r = rc.differential.Reconstructor(faces, 4, [1])
    >>> d = np.random.default_rng(0).standard_normal((5, 4, 3)).astype(np.float32)
    >>> bool(np.allclose(r.solve(r.encode(d), d[:, [1]]), d, atol=1e-5))
    True
    """
    def __init__(
        self,
        faces: numpy.typing.ArrayLike,
        num_vertices: typing.SupportsInt | typing.SupportsIndex,
        anchors: numpy.typing.ArrayLike,
        anchor_weight: numpy.typing.ArrayLike = 1.0,
    ) -> None: ...
    def encode(self, displacements: numpy.typing.ArrayLike, *, threads: int = 0) -> numpy.typing.NDArray[numpy.float32]:
        """
        Delta coordinates of displacements: ``L d``.

        Parameters
        ----------
        displacements : array_like, shape (T, V, 3)
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        ndarray of float32, shape (T, V, 3)
            In the unit of the displacements.

        Raises
        ------
        ValueError
            If the shape is wrong, or a value is not finite or too large.
        """
    def folded(
        self, basis: numpy.typing.ArrayLike, mean: numpy.typing.ArrayLike, *, storage: str = "float32", threads: int = 0
    ) -> FoldedReconstructor:
        """
        The same solutions for delta coordinates in a basis, as one dense product per frame.

        For ``delta = U z + mu`` the solution is ``B z + M a + m`` with ``B = N^-1 L^T U``, ``M = N^-1 S^T W^2`` and
        ``m = N^-1 L^T mu``, computed in float64 and rounded once.

        Parameters
        ----------
        basis : array_like, shape (3 V, R) or (R, V, 3)
            U; rows x0 y0 z0 x1 ..., or one set of delta coordinates per component.
        mean : array_like, shape (3 V,) or (V, 3)
            mu.
        storage : str
            ``"float32"``, or ``"16-bit"``: float16 or bfloat16, whichever has the smaller error; products are in float32.
        threads : int
            0: all processors.

        Returns
        -------
        FoldedReconstructor
            Its ``solve(z, anchor_positions)`` takes coefficients (T, R).

        Raises
        ------
        ValueError
            If a shape is wrong, a value is not finite, or the storage is unknown.

        Examples
        --------
        >>> r = rc.differential.Reconstructor([[0, 1, 2], [0, 2, 3]], 4, [1])
        >>> rng = np.random.default_rng(0)
        >>> basis, mean = rng.standard_normal((12, 2)), np.zeros(12)
        >>> z, a = rng.standard_normal((5, 2)), np.zeros((5, 1, 3))
        >>> delta = (z @ basis.T + mean).reshape(5, 4, 3)
        >>> bool(np.allclose(r.folded(basis, mean).solve(z, a), r.solve(delta, a), atol=1e-5))
        True
        """
    def gain(self, *, threads: int = 0) -> numpy.typing.NDArray[numpy.float64]:
        """
        The error gain of each vertex.

        The standard deviation of a solved displacement if delta coordinates have independent errors of standard deviation 1: the
        square root of the diagonal of ``N^-1 L^T L N^-1``, ``N = L^T L + S^T W^2 S``. Exact, by a selected inverse (Takahashi et
        al. 1973).

        Parameters
        ----------
        threads : int
            0: all processors.

        Returns
        -------
        ndarray of float64, shape (V,)
        """
    def solve(
        self, delta: numpy.typing.ArrayLike, anchor_positions: numpy.typing.ArrayLike, *, threads: int = 0
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        Displacements that fit delta coordinates and anchor positions best.

        Parameters
        ----------
        delta : array_like, shape (T, V, 3)
        anchor_positions : array_like, shape (T, A, 3)
            The displacements that the anchors should have.
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        ndarray of float32, shape (T, V, 3)

        Raises
        ------
        ValueError
            If a shape is wrong, or a value is not finite or too large.
        """
    @property
    def anchors(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (A,) int32
        """
    @property
    def num_vertices(self) -> int: ...

class Renderer:
    """
    Draws a mesh of faces (F, 3) or (F, 4) by z-buffer: what rigcast.render is made of.
    """
    def __init__(
        self, faces: numpy.typing.ArrayLike, num_vertices: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    def draw(
        self,
        vertices: numpy.typing.ArrayLike,
        cameras: numpy.typing.ArrayLike,
        *,
        albedo: numpy.typing.ArrayLike,
        gloss: numpy.typing.ArrayLike,
        occlusion: numpy.typing.ArrayLike,
        texture: numpy.typing.ArrayLike,
        uvs: numpy.typing.ArrayLike,
        lights: numpy.typing.ArrayLike,
        hemispheres: numpy.typing.ArrayLike,
        wrap: typing.SupportsFloat | typing.SupportsIndex,
        background: numpy.typing.ArrayLike,
        sensors: numpy.typing.ArrayLike,
        seeds: numpy.typing.ArrayLike,
        height: typing.SupportsInt | typing.SupportsIndex,
        width: typing.SupportsInt | typing.SupportsIndex,
        samples: typing.SupportsInt | typing.SupportsIndex = 2,
        front: bool = False,
        threads: int = 0,
    ) -> tuple:
        """
        Pictures (T, H, W, 3) uint8, and covered shares (T, H, W).
        """
    def survey(
        self,
        vertices: numpy.typing.ArrayLike,
        cameras: numpy.typing.ArrayLike,
        *,
        height: typing.SupportsInt | typing.SupportsIndex,
        width: typing.SupportsInt | typing.SupportsIndex,
        front: bool = False,
        threads: int = 0,
    ) -> tuple:
        """
        Depth and face (T, H, W), corners and barycentric coordinates (T, H, W, 3) at the centers of pixels.
        """
    def visible(
        self,
        vertices: numpy.typing.ArrayLike,
        cameras: numpy.typing.ArrayLike,
        points: numpy.typing.ArrayLike,
        *,
        height: typing.SupportsInt | typing.SupportsIndex,
        width: typing.SupportsInt | typing.SupportsIndex,
        tolerance: typing.SupportsFloat | typing.SupportsIndex,
        front: bool = False,
        threads: int = 0,
    ) -> numpy.typing.NDArray[numpy.uint8]:
        """
        (T, P) uint8: 1 for points (T, P, 3) that the camera sees.
        """

class Crowd:
    """
    Heads of one blendshape rig; rigcast.crowd.Crowd is its public face.
    Immutable and thread-safe.
    """
    def __init__(
        self,
        rig: BlendshapeRig,
        weights: numpy.typing.ArrayLike,
        num_frames: numpy.typing.ArrayLike,
        order: numpy.typing.ArrayLike,
    ) -> None:
        """
        weights (F, K): the clips one after another, num_frames each; order (K,): shapes, most important first.
        """
    def evaluate(
        self,
        clip: numpy.typing.ArrayLike,
        frame: numpy.typing.ArrayLike,
        prefix: numpy.typing.ArrayLike,
        out: numpy.typing.NDArray[numpy.float32],
        threads: int,
    ) -> None:
        """
        Write the vertices (H, V, 3) of heads.
        """
    def states(
        self, function: str, clip: numpy.typing.ArrayLike, frame: numpy.typing.ArrayLike, prefix: numpy.typing.ArrayLike
    ) -> tuple:
        """
        A head (U,) in each state that occurs, ascending by prefix, clip and frame, and the state (H,) of each
        head; errors name the function.
        """
    def weights(
        self, clip: numpy.typing.ArrayLike, frame: numpy.typing.ArrayLike, prefix: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        (H, K) weights of heads, each (H,).
        """

class FaceMaps(Deformer):
    """
    A face on deformation maps: networks of segments draw maps that vertices sample.

    ``detail`` is the quality at run time: one number in [0, 1] per refinement segment, which multiplies what the segment
    adds. At 0 it is skipped and costs nothing, so a detail that fades to 0 before it stays there never pops.
    """
    def __repr__(self) -> str: ...
    def evaluate_detail(
        self,
        poses: numpy.typing.ArrayLike,
        detail: numpy.typing.ArrayLike,
        device: str = "cpu",
        *,
        threads: int = 0,
        out: numpy.typing.NDArray[numpy.float32] | None = None,
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        Vertices with less detail: refinement segments multiplied by numbers.

        Parameters
        ----------
        poses : (T, C) or (C,)
            On a device also a contiguous float32 array there, whose values are not checked.
        detail : (R,) or (T, R)
            For each refinement segment a number in [0, 1], the same for all frames or one row per frame. 1 everywhere gives
            the bytes of ``evaluate``; a segment at 0 is skipped.
        device : str
            ``"cpu"`` or another of ``rigcast.devices()``.
        threads : int
            0: all processors. The result does not depend on it.
        out : (T, V, 3) or (V, 3) float32, optional
            An array to write into.

        Returns
        -------
        (T, V, 3), or (V, 3) of one pose

        Raises
        ------
        ValueError
            As ``evaluate``, and if ``detail`` has a wrong shape or a value outside of [0, 1].
        """
    def evaluate_detail_on_device(
        self, poses: numpy.typing.ArrayLike, detail: numpy.typing.ArrayLike, device: str
    ) -> rigcast._cuda.DeviceArray:
        """
        The vertices of ``evaluate_detail`` in an array that stays on the device: see ``evaluate_on_device``.
        """
    def multiply_adds(self, all_texels: bool = False) -> int:
        """
        Products per evaluation: of the texels that vertices need, or of all texels of all maps.
        """
    def stored(self, storage: str) -> FaceMaps:
        """
        The same model with another storage of its dense layers' weights.

        Parameters
        ----------
        storage : str
            ``"16-bit"``: float16 or bfloat16, whichever has the smaller error for a matrix; products are in float32.
            ``"float32"``: as in the file, which always has float32. Convolutions, a small share of the bytes, stay float32.

        Returns
        -------
        FaceMaps
            Its ``storage_error`` is the largest error of a weight. After saving, it loads with the same storage.

        Raises
        ------
        ValueError
            If the storage is neither of these.
        """
    @property
    def num_bytes(self) -> int:
        """
        Bytes of the constants that an evaluation reads.
        """
    @property
    def num_parts(self) -> int:
        """
        Number of rigid parts.
        """
    @property
    def num_refinements(self) -> int:
        """
        R, the number of refinement segments.
        """
    @property
    def num_segments(self) -> int:
        """
        Number of segments, coarse ones and refinements.
        """
    @property
    def storage(self) -> str:
        """
        How weights of dense layers are stored in memory: "float32" or "16-bit".
        """
    @property
    def storage_error(self) -> float:
        """
        The largest difference of a stored weight from that of the file; 0 for float32.
        """

class DeformationTransfer:
    """
    Deformation transfer between meshes of one topology (Sumner and Popovic 2004).

    Gives every triangle of the target the deformation gradient of the source's triangle, in least squares. One sparse
    factorization serves any number of shapes. Each component of the source is first placed on the target's by a similarity.
    Quads are split along both diagonals; degenerate triangles have no gradient. Immutable and thread-safe.

    Parameters
    ----------
    source_neutral, target_neutral : array_like, shape (V, 3)
    faces : array_like of int, shape (F, 3) or (F, 4)
        -1 pads triangles.
    fixed : array_like of int, shape (M,), optional
        Vertices that stay at the target's neutral.
    contacts : array_like of int, shape (P, 2), optional
        Pairs of vertices of lips and lids, as :func:`rigcast.transfer.find_contacts` finds them. Surfaces that come
        together there in the source come together in the target; surfaces that do not cross in the source do not cross in
        the target.
    contact_weight : float
        How closely corrections follow the contacts, above 0, beside cotangent weights of about 1.

    Raises
    ------
    ValueError
        If sizes differ, a value is not finite, an index is out of range, or a contact pairs a vertex with itself.
    """

    determined: typing.ClassVar[float] = 0.25
    def __init__(
        self,
        source_neutral: numpy.typing.ArrayLike,
        target_neutral: numpy.typing.ArrayLike,
        faces: numpy.typing.ArrayLike,
        fixed: numpy.typing.ArrayLike | None = None,
        *,
        contacts: numpy.typing.ArrayLike | None = None,
        contact_weight: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    ) -> None: ...
    def resolution(
        self,
        source_shapes: numpy.typing.ArrayLike,
        example_weights: numpy.typing.ArrayLike,
        beta: typing.SupportsFloat | typing.SupportsIndex,
        *,
        threads: int = 0,
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        (K,) float64: how well examples with these weights (J, K) determine each shape, relative to one example
        of it alone at weight 1: 0 not at all, 1 as well. Small if its weights are small or if it occurs only
        together with other shapes that move the same place.
        """
    def transfer(
        self, source_shapes: numpy.typing.ArrayLike, *, threads: int = 0
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        The target's shapes (K, V, 3) float32 for the source's shapes (K, V, 3), both absolute positions.
        A shape equal to the source's neutral gives the target's neutral. threads 0: all processors.
        """
    def transfer_keep_rest(
        self, source_shapes: numpy.typing.ArrayLike, *, threads: int = 0
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        As transfer, but in each shape the vertices that rest in the source stay at the target's neutral.
        Takes longer: each shape has a factorization of its own. Contacts may still move vertices at rest.
        """
    def transfer_with_examples(
        self,
        source_shapes: numpy.typing.ArrayLike,
        examples: numpy.typing.ArrayLike,
        example_weights: numpy.typing.ArrayLike,
        beta: typing.SupportsFloat | typing.SupportsIndex,
        *,
        threads: int = 0,
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        As ``transfer``, corrected by expressions of the target (Li et al. 2010).

        Parameters
        ----------
        source_shapes : array_like, shape (K, V, 3)
            Absolute positions.
        examples : array_like, shape (J, V, 3)
            Expressions of the target, absolute positions.
        example_weights : array_like, shape (J, K)
            The mixture of shapes that each example shows.
        beta : float
            Weight of the transferred shapes beside the examples, above 0. A small one trusts the examples more.
        threads : int
            0: all processors. The result does not depend on it.

        Returns
        -------
        ndarray of float32, shape (K, V, 3)
            A shape that no example contains stays as transferred. Contacts correct only shapes with a ``resolution`` below
            ``determined``.
        """
    @property
    def components(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (V,) int32: the connected component of each vertex, numbered by first vertices.
        """
    @property
    def degenerate_faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        int32: faces with a triangle that is degenerate in one of the neutrals.
        """
    @property
    def num_vertices(self) -> int:
        """
        V.
        """
    @property
    def target_neutral(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (V, 3) float32: the neutral that shapes are given to.
        """

class Limb:
    """
    A two-bone limb of a skeleton; see rigcast.ik.Limb.
    """
    def __init__(
        self,
        skeleton: Skeleton,
        upper: typing.SupportsInt | typing.SupportsIndex,
        lower: typing.SupportsInt | typing.SupportsIndex,
        end: typing.SupportsInt | typing.SupportsIndex,
        hinge: numpy.typing.ArrayLike,
        softness: typing.SupportsFloat | typing.SupportsIndex,
        stretch: typing.SupportsFloat | typing.SupportsIndex,
        squash: typing.SupportsFloat | typing.SupportsIndex,
        min_bend: typing.SupportsFloat | typing.SupportsIndex,
        max_bend: typing.SupportsFloat | typing.SupportsIndex,
    ) -> None: ...
    def match_ik(self, poses: numpy.typing.ArrayLike, threads: int = 0) -> tuple:
        """
        Targets (T, 3), orientations (T, 3, 3), poles (T, 3) and elbows (T, 3).
        """
    def solve(
        self,
        poses: numpy.typing.ArrayLike,
        targets: numpy.typing.ArrayLike,
        orientations: numpy.typing.ArrayLike | None,
        end_follows: bool,
        poles: numpy.typing.ArrayLike | None,
        poles_in_end: bool,
        elbows: numpy.typing.ArrayLike | None = None,
        threads: int = 0,
    ) -> tuple:
        """
        Poses (T, C), distances (T,) from end to target, and flags (T,).
        """

class PackingGraph:
    """
    The conflict graph of items: those that move a common vertex exclude each other in an
    expression, and a refused set must not be complete in one. Searches end at Ctrl-C and
    call report(nodes) with the number of nodes visited so far.
    """
    def __init__(
        self,
        active: numpy.typing.ArrayLike,
        refused: collections.abc.Sequence[collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]] = [],
    ) -> None: ...
    def clique(
        self,
        allowed: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        node_limit: typing.SupportsInt | typing.SupportsIndex,
        report: collections.abc.Callable[[int], None] | None = None,
    ) -> tuple:
        """
        The most items found that exclude each other pairwise; True if no larger such set exists.
        """
    def fewest(
        self,
        allowed: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        node_limit: typing.SupportsInt | typing.SupportsIndex,
        sufficient: typing.SupportsInt | typing.SupportsIndex = 0,
        report: collections.abc.Callable[[int], None] | None = None,
    ) -> tuple:
        """
        The expression of every item (-1: not allowed), as few as possible or at most `sufficient`; a lower bound
        of their number; True if it is reached; the nodes visited.
        """
    def heaviest(
        self,
        weights: numpy.typing.ArrayLike,
        allowed: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        node_limit: typing.SupportsInt | typing.SupportsIndex,
        report: collections.abc.Callable[[int], None] | None = None,
    ) -> tuple:
        """
        Items of the expression with the largest weight; True if that is proven; the nodes visited.
        """
    @property
    def conflicts(self) -> numpy.typing.NDArray[numpy.uint8]:
        """
        (M, M) uint8: 1 if two items exclude each other.
        """
    @property
    def size(self) -> int: ...
    @property
    def vertex_clique(self) -> list[int]:
        """
        The items of the vertex that most items move.
        """

class LatentSpace:
    """
    A Gaussian process from a latent space (D) to P outputs, conditioned on N training points with
    k(a, b) = variance exp(-|a - b|^2 / (2 length^2)) + noise [a is b]: exactly, or through M inducing points
    (FITC; Snelson and Ghahramani 2006). float64. Immutable and thread-safe.
    """
    def __init__(
        self,
        points: numpy.typing.ArrayLike,
        values: numpy.typing.ArrayLike,
        variance: typing.SupportsFloat | typing.SupportsIndex,
        length: typing.SupportsFloat | typing.SupportsIndex,
        noise: typing.SupportsFloat | typing.SupportsIndex,
        inducing: numpy.typing.ArrayLike | None = None,
        *,
        threads: int = 0,
    ) -> None:
        """
        points (N, D), values (N, P), inducing (M, D), M <= N. ValueError on wrong shapes, numbers that are not
        finite and kernels that are not positive; NumericalError if the noise is too small for the points.
        """
    def log_likelihood(self) -> float:
        """
        log p(values | points).
        """
    def mean(self, x: numpy.typing.ArrayLike, *, threads: int = 0) -> numpy.typing.NDArray[numpy.float64]:
        """
        The outputs' mean (T, P) at points x (T, D).
        """
    def predictive_variance(
        self, x: numpy.typing.ArrayLike, *, threads: int = 0
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T,): the variance of one output at points x (T, D), without noise.
        """
    def variance_gradient(self, x: numpy.typing.ArrayLike, *, threads: int = 0) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T, D): the gradient of predictive_variance.
        """
    @property
    def inducing(self) -> typing.Any:
        """
        (M, D), or None if the process is exact.
        """
    @property
    def length(self) -> float: ...
    @property
    def noise(self) -> float: ...
    @property
    def points(self) -> numpy.typing.NDArray[numpy.float64]: ...
    @property
    def values(self) -> numpy.typing.NDArray[numpy.float64]: ...
    @property
    def variance(self) -> float: ...

class LatentObjective:
    """
    -log p(values, points): what fit_latent_space minimizes, with its gradient. Unknowns (U,): points (N, D),
    inducing points (M, D), log variance, log length, log(noise - floor); the floor is 1e-6 of the values' mean
    square.
    """
    def __init__(
        self,
        values: numpy.typing.ArrayLike,
        dimension: typing.SupportsInt | typing.SupportsIndex,
        segments: numpy.typing.ArrayLike,
        *,
        inducing: typing.SupportsInt | typing.SupportsIndex = 0,
        dynamics: bool = True,
        connectivity: bool = True,
        dynamics_length: typing.SupportsFloat | typing.SupportsIndex = 8.0,
        dynamics_noise: typing.SupportsFloat | typing.SupportsIndex = 0.0001,
        connectivity_weight: typing.SupportsFloat | typing.SupportsIndex = 1.0,
        connectivity_frames: typing.SupportsInt | typing.SupportsIndex = 192,
        threads: int = 0,
    ) -> None:
        """
        values (N, P), segments (S, 2): frames [begin, end) of each clip, in order, all of them.
        """
    def evaluate(self, unknowns: numpy.typing.ArrayLike) -> tuple:
        """
        The value, and its gradient (U,); infinity if a covariance is not positive definite.
        """
    def start(self, points: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Unknowns (U,) for points (N, D).
        """
    @property
    def num_unknowns(self) -> int: ...

class FittedLatentSpace:
    """
    What fit_latent_space found.
    """
    @property
    def converged(self) -> bool: ...
    @property
    def iterations(self) -> int: ...
    @property
    def objective(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (iterations + 1,): the negative log posterior at the best start and after each of its iterations.
        """
    @property
    def seconds(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (iterations + 1,): since the fit began.
        """
    @property
    def space(self) -> LatentSpace: ...
    @property
    def start_objectives(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (starts,): the negative log posterior at the end of each start.
        """

class DensityField:
    """
    Log predictive density of a latent space, up to a constant, per output dimension: -1/2 log(v(x) / variance).
    """
    @staticmethod
    def from_centers(
        centers: numpy.typing.ArrayLike,
        matrix: numpy.typing.ArrayLike,
        variance: typing.SupportsFloat | typing.SupportsIndex,
        length: typing.SupportsFloat | typing.SupportsIndex,
    ) -> DensityField: ...
    def __init__(
        self,
        points: numpy.typing.ArrayLike,
        variance: typing.SupportsFloat | typing.SupportsIndex,
        length: typing.SupportsFloat | typing.SupportsIndex,
        noise: typing.SupportsFloat | typing.SupportsIndex,
        tolerance: typing.SupportsFloat | typing.SupportsIndex = 1e-08,
    ) -> None: ...
    def evaluate(self, x: numpy.typing.ArrayLike, threads: int = 0) -> tuple:
        """
        Densities (T,) and their gradients (T, D) at points (T, D).
        """
    @property
    def num_centers(self) -> int: ...
    @property
    def num_dimensions(self) -> int: ...

class PlayCommand:
    """
    A command of a player with checked arguments.
    """
    def __str__(self) -> str: ...
    @property
    def label(self) -> int: ...

class Synthesizer:
    """
    Latent spaces of labelled clips as players play them. Immutable and thread-safe.
    """
    def __init__(self, tensors: dict, metadata: str) -> None:
        """
        Of the tensors and metadata of a file of kind synthesis.
        """
    def frame_name(self, label: str, row: typing.SupportsInt | typing.SupportsIndex) -> str:
        """
        Clip and frame of a training row, as "walk 12".
        """
    def idle(
        self,
        label: str,
        poses: collections.abc.Sequence[
            tuple[str | None, collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex]]
        ]
        | None,
        hold: typing.SupportsFloat | typing.SupportsIndex | None,
        along: str,
    ) -> PlayCommand: ...
    def latent(self, label: str) -> LatentSpace:
        """
        The Gaussian process of a label.
        """
    def move(
        self,
        label: str,
        to: tuple[str | None, collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex]],
        along: str,
    ) -> PlayCommand: ...
    def play(
        self,
        label: str,
        segment: str | None,
        number: typing.SupportsInt | typing.SupportsIndex,
        begin: typing.SupportsInt | typing.SupportsIndex,
        end: typing.SupportsInt | typing.SupportsIndex | None,
    ) -> PlayCommand: ...
    def route(self, start: str, end: str) -> list[str]:
        """
        Labels through which `end` is reached.
        """
    def transition(self, label: str) -> PlayCommand: ...
    @property
    def labels(self) -> list[str]: ...

class PlaySettings:
    """
    Checked settings of a player; see rc.synthesis.PlaySettings.
    """
    def __init__(
        self,
        *,
        speed: typing.SupportsFloat | typing.SupportsIndex = 1.0,
        radius: typing.SupportsFloat | typing.SupportsIndex = 4.0,
        wander: typing.SupportsFloat | typing.SupportsIndex = 0.7,
        likelihood: typing.SupportsFloat | typing.SupportsIndex = 4.0,
        timescale: typing.SupportsFloat | typing.SupportsIndex = 0.35,
        drag: typing.SupportsFloat | typing.SupportsIndex = 2.0,
        stiffness: typing.SupportsFloat | typing.SupportsIndex = 12.0,
        hold: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        blend: typing.SupportsInt | typing.SupportsIndex = 12,
        settle: typing.SupportsInt | typing.SupportsIndex = 6,
        power: typing.SupportsFloat | typing.SupportsIndex = 4.0,
        slow: typing.SupportsFloat | typing.SupportsIndex = 0.05,
        least: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        blends: bool = False,
        threads: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> None: ...

class PlayLayer:
    """
    A checked layer: blinks, gaze or sway; see rc.synthesis.Layer.
    """
    def __init__(
        self,
        *,
        kind: str,
        name: str,
        strength: typing.SupportsFloat | typing.SupportsIndex,
        seed: typing.SupportsInt | typing.SupportsIndex,
        frozen_at: typing.SupportsFloat | typing.SupportsIndex | None,
        per_minute: typing.SupportsFloat | typing.SupportsIndex = 15.0,
        length: typing.SupportsFloat | typing.SupportsIndex = 0.25,
        timescale: typing.SupportsFloat | typing.SupportsIndex = 1.5,
        amounts: collections.abc.Sequence[
            collections.abc.Sequence[tuple[str, typing.SupportsFloat | typing.SupportsIndex]]
        ],
    ) -> None: ...
    def values(
        self, seconds: numpy.typing.ArrayLike, seeds: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        (H, T, n) values of players with seeds (H,) at times (T,) in seconds.
        """

class Players:
    """
    Characters of one synthesizer, stepped together.
    """
    def __init__(
        self,
        function: str,
        synth: Synthesizer,
        seeds: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        labels: collections.abc.Sequence[str],
        schedules: collections.abc.Sequence[
            collections.abc.Sequence[tuple[typing.SupportsInt | typing.SupportsIndex, PlayCommand]]
        ],
        layers: collections.abc.Sequence[PlayLayer],
        settings: PlaySettings,
        kept_seconds: typing.SupportsInt | typing.SupportsIndex,
    ) -> None: ...
    def __len__(self) -> int: ...
    def events(
        self, character: typing.SupportsInt | typing.SupportsIndex
    ) -> list[tuple[float, str, str, str, str, float, float]]:
        """
        Seconds, kind, command, label, nearest, distance and variance of each event.
        """
    def frame(self, character: typing.SupportsInt | typing.SupportsIndex) -> int: ...
    def label(self, character: typing.SupportsInt | typing.SupportsIndex) -> str: ...
    def restore(self, function: str, character: typing.SupportsInt | typing.SupportsIndex, state: str) -> None: ...
    def seed(self, character: typing.SupportsInt | typing.SupportsIndex) -> int: ...
    def state(self, character: typing.SupportsInt | typing.SupportsIndex) -> str: ...
    def step(
        self, function: str, frames: typing.SupportsInt | typing.SupportsIndex, without: collections.abc.Sequence[str]
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        (H, frames, N) controls of the next frames.
        """
    def tell(
        self,
        command: PlayCommand,
        who: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        later: bool,
    ) -> None:
        """
        Begin a command of all characters, or of those with the given indices.
        """

class ControlMixer:
    """
    Mixtures of controls (T, N): joints as rotations, everything else linearly.
    columns (R, 3) are controls that are Euler angles in degrees, orders as "ZYX".
    """
    def __init__(
        self, columns: numpy.typing.ArrayLike, orders: collections.abc.Sequence[str], limits: numpy.typing.ArrayLike
    ) -> None: ...
    def blended(
        self, first: numpy.typing.ArrayLike, second: numpy.typing.ArrayLike, shares: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Controls between two, by shares (T,): R_1 exp(share log(R_1^T R_2)) for joints.
        """
    def clipped(self, controls: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float32]:
        """
        Controls inside the limits, as float32.
        """
    def difference(
        self, first: numpy.typing.ArrayLike, second: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        What turns the second controls into the first: rotation vectors in the columns of joints.
        """
    def shifted(
        self, controls: numpy.typing.ArrayLike, offsets: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Controls with differences added, the inverse of difference.
        """

class Decay:
    """
    A difference that decays to nothing over some frames (Bollo 2018).
    """
    @staticmethod
    def across(
        mixer: ControlMixer,
        begin: typing.SupportsInt | typing.SupportsIndex,
        before: numpy.typing.ArrayLike,
        after: numpy.typing.ArrayLike,
        frames: typing.SupportsInt | typing.SupportsIndex,
    ) -> Decay:
        """
        Of the jump from rows `before` (2, N) to `after` (2, N), at `begin` and one later.
        """
    def at(self, frames: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Differences (T, N) at frames (T,).
        """

class ControlCoordinates:
    """
    Controls as differences from their mean, and back.
    """
    def __init__(
        self,
        columns: numpy.typing.ArrayLike,
        orders: collections.abc.Sequence[str],
        limits: numpy.typing.ArrayLike,
        mean: numpy.typing.ArrayLike,
        rotations: numpy.typing.ArrayLike,
    ) -> None: ...
    def of(self, controls: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Coordinates (T, N) of controls.
        """
    def unclipped(self, coordinates: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Controls (T, N) of coordinates, inside the limits or not.
        """

class Ground:
    """
    A label's latent space as paths see it; see synthesis/playing/ground.h.
    """
    def __init__(
        self,
        latent: LatentSpace,
        ends: collections.abc.Sequence[
            typing.Annotated[collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(2)"]
        ],
        settings: PlaySettings,
        *,
        rounding: typing.SupportsInt | typing.SupportsIndex = 5,
        kept_bytes: typing.SupportsInt | typing.SupportsIndex = 33554432,
    ) -> None: ...
    def along_data(
        self, start: numpy.typing.ArrayLike, target: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Shortest path (M, D) through the training points.
        """
    def density(self, x: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Log predictive densities (T,) of points (T, D).
        """
    def plan(self, start: numpy.typing.ArrayLike, targets: numpy.typing.ArrayLike, along: str) -> tuple:
        """
        Points (n, D) per frame, radii (n,), and what the density made of the path ("" if nothing).
        """
    @property
    def kept_paths(self) -> int:
        """
        Number of points to which paths are kept.
        """
    @property
    def least(self) -> float: ...
    @property
    def step(self) -> float: ...

class InverseGram:
    """
    The least-squares data of a blendshape rig on chosen vertices: its columns Phi, packed, and
    their Gram matrix Phi^T Omega Phi. Immutable and thread-safe.
    """

    nearly_dependent: typing.ClassVar[float] = 0.001
    def __init__(
        self, rig: BlendshapeRig, vertices: numpy.typing.ArrayLike, vertex_weights: numpy.typing.ArrayLike
    ) -> None: ...
    def project(self, targets: numpy.typing.ArrayLike, threads: int = 0) -> tuple:
        """
        Phi^T Omega b (T, N) and b^T Omega b (T,) for b = targets minus the neutral, in float64.
        """
    @property
    def duplicates(self) -> list[tuple[int, int]]:
        """
        Pairs of shapes that move the vertices alike, the first shape first. Shapes in
        combinations are left out.
        """
    @property
    def idle(self) -> list[bool]:
        """
        (K,): shapes that move none of the vertices, alone or in a combination.
        """
    @property
    def independence(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (K,): the sine of the angle between each shape and the span of the others.
        """
    @property
    def matrix(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, N) float64
        """
    @property
    def num_bytes(self) -> int:
        """
        Bytes of the packed columns.
        """
    @property
    def sharpness(self) -> float:
        """
        What a tolerance is multiplied by.
        """

class ProductModel:
    """
    How a rig's columns depend on variables; shape k's weight is variable ties[k].
    """
    def __init__(self, rig: BlendshapeRig, ties: numpy.typing.ArrayLike) -> None: ...

class InverseProblem:
    """
    The problem of a shot's weights: projected targets, box, ties, priors, alpha, smoothness.
    Immutable and thread-safe; problems made from it share its arrays. Functions take the
    InverseGram that it was made with.
    """
    def __init__(
        self,
        gram: InverseGram,
        targets: typing.Any,
        *,
        alpha: typing.SupportsFloat | typing.SupportsIndex,
        smoothness: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        bounds: numpy.typing.ArrayLike | None = None,
        fixed: numpy.typing.ArrayLike | None = None,
        prior_target: numpy.typing.ArrayLike | None = None,
        prior_strength: numpy.typing.ArrayLike | None = None,
        symmetric: collections.abc.Sequence[
            typing.Annotated[collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(2)"]
        ] = [],
        init: numpy.typing.ArrayLike | None = None,
        projected: tuple | None = None,
        threads: int = 0,
    ) -> None:
        """
        Targets (T, V, 3) or (T, M, 3); bounds (K, 2); fixed, priors and init (T, K); pairs of shapes.
        projected: projections (T, N) and energies (T,) that a device made; targets may then be a shape
        (T, V, 3) of targets that are elsewhere.
        """
    def at(self, frames: numpy.typing.ArrayLike) -> InverseProblem:
        """
        The same problem for some frames.
        """
    def measure(
        self,
        gram: InverseGram,
        weights: numpy.typing.ArrayLike,
        causal: bool = False,
        vertices: tuple | None = None,
        threads: int = 0,
    ) -> tuple:
        """
        Objective, optimality, rmse (T,), and duality gap (T,) or None, of weights (T, K). vertices: value and
        slopes of vertices_alone that a device measured.
        """
    def resting(self, shapes: collections.abc.Sequence[bool]) -> InverseProblem:
        """
        The same problem with shapes (K,) at rest.
        """
    def resting_alpha(self, gram: InverseGram, threads: int = 0) -> float:
        """
        The smallest alpha at which every weight rests.
        """
    def starting_at(self, init: numpy.typing.ArrayLike | None) -> InverseProblem: ...
    def weight_terms(self, weights: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T,): alpha and the priors' terms of weights (T, K).
        """
    def with_alpha(self, alpha: typing.SupportsFloat | typing.SupportsIndex) -> InverseProblem: ...
    def with_smoothness(self, smoothness: typing.SupportsFloat | typing.SupportsIndex) -> InverseProblem: ...
    def with_targets(
        self, gram: InverseGram, targets: numpy.typing.ArrayLike, projected: tuple | None = None, threads: int = 0
    ) -> InverseProblem:
        """
        The same problem for other targets.
        """
    def without_priors(self) -> InverseProblem: ...
    @property
    def alpha(self) -> float: ...
    @property
    def energies(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T,)
        """
    @property
    def init(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        (T, K), or None
        """
    @property
    def largest_strength(self) -> float:
        """
        The largest alpha or smoothness whose terms do not overflow.
        """
    @property
    def least_pull(self) -> float:
        """
        The pull of a target at rest, at most.
        """
    @property
    def linear(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T, K), of the shapes
        """
    @property
    def lower(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T, K)
        """
    @property
    def prior_strength(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T, K)
        """
    @property
    def prior_target(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T, K)
        """
    @property
    def projections(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T, N)
        """
    @property
    def scale(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T,): what a tolerance is relative to
        """
    @property
    def smoothness(self) -> float: ...
    @property
    def start(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T, K): init, or the point of the box nearest to 0
        """
    @property
    def terms(self) -> tuple:
        """
        projections (T, N), linear, quadratic, lower, upper (T, K) of the variables
        """
    @property
    def ties(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (K,): the shape whose weight each shape copies
        """
    @property
    def upper(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (T, K)
        """
    @property
    def vertices_alone(self) -> tuple:
        """
        terms without alpha and priors
        """

class MajorizeMinimize:
    """
    The majorization-minimization of Rackovic et al. (2022) for a rig. `products` has every shape as a variable
    of its own. Frames are a dict of offsets (T, M, 3), projections (T, N), energies (T,), linear, curvature,
    lower and upper (T, K).
    """
    def __init__(
        self,
        products: ProductModel,
        columns: numpy.typing.ArrayLike,
        gram: numpy.typing.ArrayLike,
        vertex_weights: numpy.typing.ArrayLike,
        box: numpy.typing.ArrayLike,
        ties: numpy.typing.ArrayLike,
        threads: int = 0,
    ) -> None: ...
    def solve(
        self,
        frames: dict,
        start: numpy.typing.ArrayLike,
        tolerance: typing.SupportsFloat | typing.SupportsIndex,
        max_iterations: typing.SupportsInt | typing.SupportsIndex,
        lengthened: bool = False,
        threads: int = 0,
    ) -> tuple:
        """
        Weights (T, K), iterations (T,), converged (T,) from feasible weights.
        """
    def surrogate(
        self, frames: dict, frame: typing.SupportsInt | typing.SupportsIndex, weights: numpy.typing.ArrayLike
    ) -> dict:
        """
        The bound value + sum q v + r v^2 + s v^4, low <= v <= high, around a frame's weights (K,).
        """

class PoseSolver:
    """
    Inverse kinematics of a model by damped least squares; rigcast.ik.Solver is its public
    face. Immutable and thread-safe.
    """
    def __init__(self, model: Deformer, size: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    def from_poses(
        self, poses: numpy.typing.ArrayLike, references: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Unknowns (T, N) of poses (T, C), relative to the poses (1, C) or (T, C).
        """
    def linearized(self, values: numpy.typing.ArrayLike, reference: numpy.typing.ArrayLike) -> tuple:
        """
        Vertices (V, 3) at unknowns (N,), relative to the pose (1, C), and their Jacobian (3 V, N).
        """
    def poses(
        self, values: numpy.typing.ArrayLike, references: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float32]:
        """
        Poses (T, C) of unknowns (T, N), relative to the pose (1, C).
        """
    def poses_vjp(
        self, values: numpy.typing.ArrayLike, reference: numpy.typing.ArrayLike, gradients: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Gradients (T, N) of unknowns from gradients (T, C) of their poses, relative to the pose (1, C).
        """
    def solve(
        self,
        goals: tuple,
        values: numpy.typing.ArrayLike,
        references: numpy.typing.ArrayLike,
        starts: numpy.typing.ArrayLike,
        preferred: numpy.typing.ArrayLike,
        bounds: numpy.typing.ArrayLike,
        preference: typing.SupportsFloat | typing.SupportsIndex,
        tolerance: typing.SupportsFloat | typing.SupportsIndex,
        max_iterations: typing.SupportsInt | typing.SupportsIndex,
        threads: int = 0,
    ) -> tuple:
        """
        Poses (T, C), unknowns (T, N), errors (T, M), objective, iterations, converged (T,) and at_bound (T, N)
        int8 of targets `values` (T, M, 9). `goals`: kinds (M,), vertices (M, 2, 3), barycentric weights
        (M, 2, 3), joints (M,), weights (M,), hard (M,). Bounds (0, 2): the model's own, widened to the start.
        """
    @property
    def are_channels(self) -> bool:
        """
        True if the unknowns are the channels of the model.
        """
    @property
    def bounds(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 2) of the model itself.
        """
    @property
    def names(self) -> list[str]:
        """
        Names of the N unknowns.
        """
    @property
    def rest(self) -> tuple:
        """
        The rest pose (1, C) and its unknowns (1, N), relative to it.
        """
    @property
    def scales(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N,) typical ranges, positive.
        """
    @property
    def size(self) -> float: ...

class FaceIkNetworks:
    """
    The networks of learned inverse kinematics; rigcast.ik.FaceIk is their public face.
    """
    def __init__(self, tensors: dict, metadata: str) -> None:
        """
        tensors: float32 and int32 arrays by name. metadata: JSON text.
        """
    def save(self, path: str) -> None: ...
    def solve(self, points: numpy.typing.ArrayLike, threads: int = 0) -> numpy.typing.NDArray[numpy.float32]:
        """
        Parameters (T, N) float32 of control points (T, M, 3) or (T, M, 2).
        """
    def tensors(self) -> dict: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def metadata(self) -> str:
        """
        JSON text.
        """
    @property
    def num_parameters(self) -> int: ...
    @property
    def num_points(self) -> int: ...
    @property
    def num_regions(self) -> int: ...

class PointTerms:
    """
    Terms of a frame's energy; rigcast.capture.solve states them.
    """
    def __init__(
        self,
        noise: typing.SupportsFloat | typing.SupportsIndex,
        outlier: typing.SupportsFloat | typing.SupportsIndex,
        smoothing: typing.SupportsFloat | typing.SupportsIndex,
        gate: typing.SupportsFloat | typing.SupportsIndex,
        sparsity: typing.SupportsFloat | typing.SupportsIndex,
        rest: typing.SupportsFloat | typing.SupportsIndex,
        tolerance: typing.SupportsFloat | typing.SupportsIndex,
        max_iterations: typing.SupportsInt | typing.SupportsIndex,
        debias: bool,
    ) -> None: ...

class PointModel:
    """
    Tracked points of a blendshape rig. Immutable and thread-safe.
    """
    def __init__(
        self,
        rig: BlendshapeRig,
        vertices: numpy.typing.ArrayLike,
        weights: numpy.typing.ArrayLike,
        strength: numpy.typing.ArrayLike,
        offsets: numpy.typing.ArrayLike,
    ) -> None:
        """
        vertices, weights (P, 3): barycentric places; strength (K,); offsets (P, 3) in the rig's unit.
        """
    def evaluate(self, weights: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Positions (P, 3) at weights (K,).
        """
    @property
    def radius(self) -> float:
        """
        Root mean square distance of the neutral's points from their mean.
        """

class FaceNetwork:
    """
    A network that reads faces; rigcast.capture.CaptureNetwork is its public face.
    """
    def __init__(self, tensors: dict, metadata: str) -> None:
        """
        tensors: float32 and int32 arrays by name. metadata: JSON text.
        """
    def read(
        self,
        pictures: numpy.typing.ArrayLike,
        neutrals: numpy.typing.ArrayLike,
        motion: numpy.typing.ArrayLike,
        threads: int = 0,
    ) -> tuple:
        """
        Weights (T, K), landmarks (T, P, 2) and covariances (T, P, 3) of pictures (T, S, S, 3) uint8, each beside a neutral (T or 1, S, S, 3); motion (T, 2 Q) of a detector's points, NaN where it found none.
        """
    def save(self, path: str) -> None: ...
    @property
    def num_landmarks(self) -> int: ...
    @property
    def num_points(self) -> int: ...
    @property
    def num_weights(self) -> int: ...
    @property
    def size(self) -> int: ...

class PictureTerms:
    """
    Terms of refinement by pictures; rigcast.capture.refine states them.
    """

    debias: bool
    fit_light: bool
    def __init__(self) -> None: ...
    @property
    def cells(self) -> int: ...
    @cells.setter
    def cells(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def coarse(self) -> float: ...
    @coarse.setter
    def coarse(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def coarse_steps(self) -> int: ...
    @coarse_steps.setter
    def coarse_steps(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def corner(self) -> float: ...
    @corner.setter
    def corner(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def draw_every(self) -> int: ...
    @draw_every.setter
    def draw_every(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def fine(self) -> float: ...
    @fine.setter
    def fine(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def fine_steps(self) -> int: ...
    @fine_steps.setter
    def fine_steps(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def followed(self) -> int: ...
    @followed.setter
    def followed(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def gamma(self) -> float: ...
    @gamma.setter
    def gamma(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def light_ridge(self) -> float: ...
    @light_ridge.setter
    def light_ridge(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def photometric(self) -> float: ...
    @photometric.setter
    def photometric(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def sparsity(self) -> float: ...
    @sparsity.setter
    def sparsity(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def tolerance(self) -> float: ...
    @tolerance.setter
    def tolerance(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...

class SurfaceSamples:
    """
    Points on triangles of a rig. Immutable and thread-safe.
    """
    def __init__(
        self,
        rig: BlendshapeRig,
        vertices: numpy.typing.ArrayLike,
        weights: numpy.typing.ArrayLike,
        importance: numpy.typing.ArrayLike,
        strength: numpy.typing.ArrayLike,
    ) -> None:
        """
        vertices, weights (S, 3): triangles and barycentric places; importance (S,); strength (K,).
        """

class PictureSolver:
    """
    Refines weights and head poses by pictures; what rigcast.capture.refine is made of.
    """
    def __init__(
        self,
        rig: BlendshapeRig,
        samples: SurfaceSamples,
        points: PointModel,
        vertices: numpy.typing.ArrayLike,
        triangles: numpy.typing.ArrayLike,
        camera: numpy.typing.ArrayLike,
        point_terms: PointTerms,
        terms: PictureTerms,
    ) -> None: ...
    def calibrate(
        self, picture: numpy.typing.ArrayLike, weights: numpy.typing.ArrayLike, pose: numpy.typing.ArrayLike
    ) -> None:
        """
        Adds a picture of the neutral to the effective albedo.
        """
    def close(self) -> None:
        """
        Ends the frame.
        """
    def energy(
        self, weights: numpy.typing.ArrayLike, pose: numpy.typing.ArrayLike, light: numpy.typing.ArrayLike
    ) -> tuple:
        """
        Energy of the frame solved last, on its fine level, and the gradient (K + 6,).
        """
    def gates(self, sigma: typing.SupportsFloat | typing.SupportsIndex) -> numpy.typing.NDArray[numpy.float64]:
        """
        (K,) gates of the opened picture.
        """
    def open(
        self, picture: numpy.typing.ArrayLike, weights: numpy.typing.ArrayLike, pose: numpy.typing.ArrayLike
    ) -> None:
        """
        Makes a picture (H, W, 3) ready, given about where the face is.
        """
    def recall(
        self,
        weights: numpy.typing.ArrayLike,
        pose: numpy.typing.ArrayLike,
        ended: numpy.typing.ArrayLike,
        ended_pose: numpy.typing.ArrayLike,
        light: numpy.typing.ArrayLike,
    ) -> None:
        """
        In place of a solve of the opened picture whose end is known.
        """
    def solve(
        self,
        points: numpy.typing.ArrayLike,
        certainty: numpy.typing.ArrayLike,
        whitening: numpy.typing.ArrayLike,
        target: numpy.typing.ArrayLike,
        strength: numpy.typing.ArrayLike,
        low: numpy.typing.ArrayLike,
        high: numpy.typing.ArrayLike,
        weights: numpy.typing.ArrayLike,
        pose: numpy.typing.ArrayLike,
    ) -> dict:
        """
        Solves the opened picture; a dict of arrays.
        """
    def step_seconds(
        self,
        weights: numpy.typing.ArrayLike,
        pose: numpy.typing.ArrayLike,
        light: numpy.typing.ArrayLike,
        repeats: typing.SupportsInt | typing.SupportsIndex,
    ) -> tuple:
        """
        Least seconds of an energy, and of the normal equations.
        """
    @property
    def albedo(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (S, 3) effective albedo, 0 where the neutral hides a sample.
        """
    @property
    def calibrated_light(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (3, 9) coefficients.
        """
    @property
    def flow(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Flow of the followed samples of the last gates, without the head's part, in pixels.
        """
    @property
    def unit(self) -> float:
        """
        Linear light at which Huber's loss becomes linear.
        """

def build_info() -> dict:
    """
    How this extension was built: libraries, compiler, build type.
    """

def chart_uvs(rest_vertices: numpy.typing.ArrayLike, faces: numpy.typing.ArrayLike) -> tuple:
    """
    Charts of least stretch: coordinates (V, 2), the chart of each vertex (V,), -1 for none, faces (F,) that lie in the chart as a whole, and per chart its stretch, the edges cut and the holes filled.
    """

def cheapest_route(
    labels: typing.SupportsInt | typing.SupportsIndex,
    edges: collections.abc.Sequence[
        tuple[
            typing.SupportsInt | typing.SupportsIndex,
            typing.SupportsInt | typing.SupportsIndex,
            typing.SupportsFloat | typing.SupportsIndex,
        ]
    ],
    start: typing.SupportsInt | typing.SupportsIndex,
    end: typing.SupportsInt | typing.SupportsIndex,
) -> list[int]:
    """
    The cheapest chain from start to end over edges (from, to, cost); empty if there is none.
    """

def choose_anchors(
    faces: numpy.typing.ArrayLike,
    num_vertices: typing.SupportsInt | typing.SupportsIndex,
    count: typing.SupportsInt | typing.SupportsIndex,
    seed: typing.SupportsInt | typing.SupportsIndex = 0,
    *,
    threads: int = 0,
) -> numpy.typing.NDArray[numpy.int32]:
    """
    Anchors that keep errors of delta coordinates small.

    One after another, each at the vertex with the largest error gain under the anchors so far (:meth:`Reconstructor.gain`);
    the first one of each connected component is drawn from the seed. The first n anchors are the choice of n anchors.

    Parameters
    ----------
    faces : array_like of int, shape (F, 3) or (F, 4)
        Need not be manifold; a vertex without a face is a component of its own.
    num_vertices : int
        V.
    count : int
        At least one per connected component. Song et al. 2020 use 2 % of the vertices.
    seed : int
        The same mesh, count and seed give the same anchors.
    threads : int
        0: all processors. The result does not depend on it.

    Returns
    -------
    ndarray of int32, shape (count,)
        In the order of choice.

    Raises
    ------
    ValueError
        If a face has an index out of range, or ``count`` is too small or too large.

    Examples
    --------
    >>> head = rc.faces.example()
    >>> anchors = rc.differential.choose_anchors(head.faces, len(head.rest_vertices), 20)
    >>> len(set(anchors.tolist()))
    20
    """

def closest_points(
    vertices: numpy.typing.ArrayLike,
    faces: numpy.typing.ArrayLike,
    queries: numpy.typing.ArrayLike,
    normals: numpy.typing.ArrayLike | None = None,
    *,
    threads: int = 0,
) -> tuple:
    """
    The nearest point of a surface for each query (Q, 3): the corners (Q, 3) of its triangle, their barycentric
    weights (Q, 3) and the distance (Q,). With normals (Q, 3), only triangles whose normal is less than 90
    degrees away count; if there is none, corners are -1 and the distance is infinite.
    """

def density_of(latent: LatentSpace) -> DensityField:
    """
    The predictive density of a latent space, exact or with inducing points.
    """

def descend(
    gram: InverseGram,
    problem: InverseProblem,
    start: numpy.typing.ArrayLike,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    max_iterations: typing.SupportsInt | typing.SupportsIndex,
    coupled: bool,
    threads: int,
    solved: collections.abc.Callable[[int], None] | None,
    report: collections.abc.Callable[[int, float], None] | None,
) -> tuple:
    """
    Weights (T, K), iterations (T,), converged (T,) of a shot, by exact descent in Gram space.
    Calls `solved` with the number of frames solved so far and, between the steps of a coupled solve,
    `report` with the number of steps and the largest ratio of optimality to threshold.
    max_iterations 0: the method's own.
    """

def device_model(model: typing.Any, device: str, function: str) -> rigcast._cuda.ResidentModel:
    """
    The copy of a model on a device, made by the first call. ValueError, which names the function, if the
    device is the CPU, is unknown, does not work here, or does not evaluate models of this kind.
    """

def distinct_frames(
    offsets: numpy.typing.ArrayLike, count: typing.SupportsInt | typing.SupportsIndex, threads: int = 0
) -> numpy.typing.NDArray[numpy.int64]:
    """
    The frames of offsets (T, V, 3) that differ most, at most `count`.
    """

def edges(
    faces: numpy.typing.ArrayLike, num_vertices: typing.SupportsInt | typing.SupportsIndex
) -> numpy.typing.NDArray[numpy.int32]:
    """
    (E, 2) int32: the edges between successive corners of faces (F, 3) or (F, 4), each once, lower vertex
    first, ascending. Equal successive corners give no edge.
    """

def face_normal_angles(
    truth: numpy.typing.ArrayLike,
    approximation: numpy.typing.ArrayLike,
    faces: numpy.typing.ArrayLike,
    threads: int = 0,
) -> numpy.typing.NDArray[numpy.float32]:
    """
    (T, F) angles in degrees between face normals; NaN if a face has no area.
    """

@typing.overload
def find_contacts(
    poses: numpy.typing.ArrayLike,
    faces: numpy.typing.ArrayLike,
    reach: typing.SupportsFloat | typing.SupportsIndex,
    *,
    threads: int = 0,
) -> numpy.typing.NDArray[numpy.int32]:
    """
    Pairs (N, 2) of vertices that face each other and come within `reach` edge lengths in one of the
    poses (P, V, 3), the first of which is the neutral.
    """

@typing.overload
def find_contacts(
    points: numpy.typing.ArrayLike,
    up: typing.SupportsInt | typing.SupportsIndex,
    height: typing.SupportsFloat | typing.SupportsIndex,
    speed: typing.SupportsFloat | typing.SupportsIndex,
    looser: typing.SupportsFloat | typing.SupportsIndex,
    shortest: typing.SupportsFloat | typing.SupportsIndex,
    fps: typing.SupportsFloat | typing.SupportsIndex,
) -> numpy.typing.NDArray[numpy.uint8]:
    """
    1 per frame (T,) in which a point stands.
    """

def finish_descent(
    gram: InverseGram,
    problem: InverseProblem,
    weights: numpy.typing.ArrayLike,
    converged: numpy.typing.ArrayLike,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
    threads: int = 0,
) -> tuple:
    """
    Weights (T, K) and converged (T,) of frames that a device solved: tied shapes, identical ones.
    """

def fit_angles(
    rotations: numpy.typing.ArrayLike, order: str, ranges: numpy.typing.ArrayLike, continuous: bool = False
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Euler angles (T, n) in degrees of rotations (T, 3, 3), for an order of one to three letters X, Y, Z, leftmost
    rotation first: of all solutions the one that exceeds the ranges (n, 2) least, then the one nearest to the
    previous frame (continuous) or to zero. With two axes, a third angle between them is dropped; with one, the
    angle is that of the nearest rotation. ValueError if the order or a shape is wrong, a number is not finite, or
    a lowest angle exceeds the highest.
    """

def fit_latent_space(
    values: numpy.typing.ArrayLike,
    segments: numpy.typing.ArrayLike,
    start: numpy.typing.ArrayLike,
    *,
    inducing: typing.SupportsInt | typing.SupportsIndex = 0,
    dynamics: bool = True,
    connectivity: bool = True,
    method: str = "lbfgs",
    iterations: typing.SupportsInt | typing.SupportsIndex = 200,
    tolerance: typing.SupportsFloat | typing.SupportsIndex = 1e-06,
    starts: typing.SupportsInt | typing.SupportsIndex = 1,
    seed: typing.SupportsInt | typing.SupportsIndex = 0,
    dynamics_length: typing.SupportsFloat | typing.SupportsIndex = 8.0,
    dynamics_noise: typing.SupportsFloat | typing.SupportsIndex = 0.0001,
    connectivity_weight: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    connectivity_frames: typing.SupportsInt | typing.SupportsIndex = 192,
    threads: int = 0,
    progress: collections.abc.Callable[[int, float], None] | None = None,
) -> FittedLatentSpace:
    """
    Latent points and kernel for values (N, P) of clips `segments` (S, 2), frames [begin, end), from points start
    (N, D): the maximum of likelihood, dynamics prior (Lawrence and Moore 2007) and connectivity prior (Levine et
    al. 2012), by 'lbfgs' or 'scg' (Moller 1993). inducing: number of inducing points, 0 for the exact process.
    starts: the given one and perturbed ones; the best is returned. dynamics_length in frames. progress is called
    with the iteration, counted over all starts, and the negative log posterior. The same bytes for any number of
    threads.
    """

def fit_triangles(
    weights: numpy.typing.ArrayLike,
    stiffness: numpy.typing.ArrayLike,
    wanted: numpy.typing.ArrayLike,
    prior: numpy.typing.ArrayLike,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Example-based solves, one per triangle: X (F, K, M) that minimizes
    sum_j |wanted_j - sum_k weights_jk X_k|^2 + sum_k stiffness_k |X_k - prior_k|^2.
    """

def graph_laplacian(faces: numpy.typing.ArrayLike, num_vertices: typing.SupportsInt | typing.SupportsIndex) -> tuple:
    """
    Rows, columns (int32) and values (float64) of the graph Laplacian D - A of a mesh.
    """

def hinge_errors(
    truth: numpy.typing.ArrayLike,
    approximation: numpy.typing.ArrayLike,
    faces: numpy.typing.ArrayLike,
    threads: int = 0,
) -> tuple:
    """
    The edges (E, 2) with exactly two faces, these faces (E, 2), and per edge the mean errors over frames
    (E,) of the dihedral angle in degrees and of the length.
    """

def instruction_set() -> str:
    """
    The instruction set that the kernels use: the one that the environment variable
    RIGCAST_INSTRUCTION_SET named at the first use, else the best. ValueError if it is not available.
    """

def instruction_sets() -> list[str]:
    """
    The instruction sets that the kernels are compiled for and this processor runs, best first.
    """

def joint_positions(
    skeleton: Skeleton, joint: typing.SupportsInt | typing.SupportsIndex, poses: numpy.typing.ArrayLike
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Global positions (T, 3) of a joint.
    """

def load(path: os.PathLike | str | bytes) -> Deformer:
    """
    Read a model file. Runs no code; ValueError if the file is malformed.
    """

def lock_feet(
    skeleton: Skeleton,
    legs: collections.abc.Sequence[Limb],
    toes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    poses: numpy.typing.ArrayLike,
    contacts: numpy.typing.ArrayLike,
    longest_steps: numpy.typing.ArrayLike,
    pelvis: typing.SupportsInt | typing.SupportsIndex,
    up: typing.SupportsInt | typing.SupportsIndex,
    release: typing.SupportsFloat | typing.SupportsIndex,
    blend: typing.SupportsFloat | typing.SupportsIndex,
    fps: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple:
    """
    Poses (T, C), contacts (T, F), drift (T, F) and lowered (T,); see rigcast.ik.foot_lock.
    """

def look_at(
    skeleton: Skeleton,
    joints: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    axes: numpy.typing.ArrayLike,
    shares: numpy.typing.ArrayLike,
    limits: numpy.typing.ArrayLike,
    poses: numpy.typing.ArrayLike,
    targets: numpy.typing.ArrayLike,
) -> tuple:
    """
    Poses (T, C) and angles (T, n) that are left.
    """

def map_floor(
    uvs: numpy.typing.ArrayLike,
    offsets: numpy.typing.ArrayLike,
    resolution: typing.SupportsInt | typing.SupportsIndex,
    weights: typing.Any = None,
    threads: int = 0,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Distances (T, V) between offsets (T, V, 3) and the best map of R x R texels, sampled at uvs (V, 2).
    """

def map_residuals(
    uvs: numpy.typing.ArrayLike,
    offsets: numpy.typing.ArrayLike,
    resolution: typing.SupportsInt | typing.SupportsIndex,
    weights: typing.Any = None,
    threads: int = 0,
) -> numpy.typing.NDArray[numpy.float32]:
    """
    Offsets (T, V, 3) minus what the best map of R x R texels, sampled at uvs (V, 2), makes of them.
    """

def matrix_product(a: numpy.typing.ArrayLike, b: numpy.typing.ArrayLike, *, threads: int = 0) -> numpy.ndarray:
    """
    a b (N, M) of a (N, K) and b (K, M): float32 if both are, else float64. The same bytes for any number
    of threads.
    """

def mean_hinge(
    skeleton: Skeleton,
    upper: typing.SupportsInt | typing.SupportsIndex,
    lower: typing.SupportsInt | typing.SupportsIndex,
    end: typing.SupportsInt | typing.SupportsIndex,
    poses: numpy.typing.ArrayLike,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    The hinge axis (3,) of a limb from a clip; zero if it is never bent.
    """

def mend_uvs(
    uvs: numpy.typing.ArrayLike,
    rest_vertices: numpy.typing.ArrayLike,
    faces: numpy.typing.ArrayLike,
    offsets: numpy.typing.ArrayLike,
    resolution: typing.SupportsInt | typing.SupportsIndex,
    fields: typing.SupportsInt | typing.SupportsIndex,
    threads: int = 0,
) -> dict:
    """
    Texture coordinates (V, 2) for maps of R x R texels, and what was done to get them.
    """

def minimize_smooth(
    function: collections.abc.Callable[[numpy.ndarray], tuple],
    start: numpy.typing.ArrayLike,
    *,
    method: str = "lbfgs",
    iterations: typing.SupportsInt | typing.SupportsIndex = 200,
    tolerance: typing.SupportsFloat | typing.SupportsIndex = 1e-07,
    gradient_tolerance: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> tuple:
    """
    x (N,) where function(x) = (value, gradient (N,)) is smallest, from `start`, by 'lbfgs' (Liu and Nocedal
    1989) or 'scg' (scaled conjugate gradients, Moller 1993), and a report: values (at the start and after
    each iteration), evaluations, converged. The value never rises.
    """

def model_from_tensors(tensors: dict, metadata: str) -> Deformer:
    """
    Make a model from float32 and int32 arrays by name, and the JSON text of its metadata.
    """

def motion_sources(
    skeleton: Skeleton,
    poses: numpy.typing.ArrayLike,
    radius: typing.SupportsFloat | typing.SupportsIndex,
    tolerance: typing.SupportsFloat | typing.SupportsIndex,
) -> numpy.typing.NDArray[numpy.int32]:
    """
    (J,) int32: for each joint, the joint whose motion it repeats in all poses (T, C), or itself.
    """

def move_joint(
    skeleton: Skeleton,
    joint: typing.SupportsInt | typing.SupportsIndex,
    poses: numpy.typing.ArrayLike,
    rotations: numpy.typing.ArrayLike,
    translations: numpy.typing.ArrayLike,
) -> numpy.typing.NDArray[numpy.float32]:
    """
    Poses (T, C) with a joint turned and moved in global space.
    """

def num_folded(uvs: numpy.typing.ArrayLike, faces: numpy.typing.ArrayLike) -> int:
    """
    Triangles whose texture winds against the majority.
    """

def num_overlapped(uvs: numpy.typing.ArrayLike, faces: numpy.typing.ArrayLike) -> int:
    """
    Triangles whose texture lies on that of triangles elsewhere on the mesh.
    """

def num_processors() -> int:
    """
    Processors that this process may use.
    """

def point_energy(
    model: PointModel,
    points: numpy.typing.ArrayLike,
    certainty: numpy.typing.ArrayLike,
    target: numpy.typing.ArrayLike,
    strength: numpy.typing.ArrayLike,
    camera: numpy.typing.ArrayLike,
    rotation: numpy.typing.ArrayLike,
    unknowns: numpy.typing.ArrayLike,
    terms: PointTerms,
) -> tuple:
    """
    The energy of one frame at unknowns (K + 6,), and its gradient.
    """

def read_memory(buffer: typing_extensions.Buffer, threads: typing.SupportsInt | typing.SupportsIndex = 1) -> int:
    """
    Read a contiguous buffer once, from first to last byte: how long that takes is what a machine can do at best.
    Returns the exclusive or of its 64-bit words. threads=0: all processors.
    """

def rigid_errors(
    skeleton: Skeleton,
    rest_vertices: numpy.typing.ArrayLike,
    poses: numpy.typing.ArrayLike,
    vertices: numpy.typing.ArrayLike,
    threads: int = 0,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    (V, J) float64: sum over T frames of |G_j (G_j^0)^-1 v_k^0 - v_k|^2, the squared error of attaching
    vertex k rigidly to joint j (Bailey et al. 2018, section 3.1.1).
    rest_vertices (V, 3), poses (T, C), vertices (T, V, 3). ValueError if shapes do not match.
    """

def rounding_width(features: collections.abc.Sequence[numpy.typing.ArrayLike]) -> int:
    """
    Frames of each of the two moving averages that round paths, for features (T, R) of clips.
    """

def self_intersections(
    vertices: numpy.typing.ArrayLike, faces: numpy.typing.ArrayLike, chosen: numpy.typing.ArrayLike
) -> numpy.typing.NDArray[numpy.int32]:
    """
    (M, 2) int32: the pairs of intersecting faces among those with nonzero chosen (F,). Faces that share a vertex
    are not tested.
    """

def set_device_factory(
    device: str, factory: collections.abc.Callable[[Deformer, str], builtins.object] | None
) -> collections.abc.Callable[[Deformer, str], builtins.object] | None:
    """
    Register what copies models to a device, and return what did before, or None. The factory takes a
    model and the name of the function that errors name; None removes it. Copies live as long as their
    models, and are made anew by a new factory.
    """

def shortest_paths(
    points: numpy.typing.ArrayLike, target: numpy.typing.ArrayLike, power: typing.SupportsFloat | typing.SupportsIndex
) -> tuple:
    """
    Costs (N,) of the shortest paths to a target, and the next point (N,) of each, -1 for the target.
    """

def simplex_least_squares(gram: numpy.typing.ArrayLike) -> tuple:
    """
    Weights (N,) float64 >= 0 with sum 1 that minimize w^T D w, and a report: value, gap (the value
    exceeds the optimum by at most twice the gap), iterations, converged. D (N, N) is symmetric and
    positive semidefinite: D_ij = (a_i - b) . (a_j - b) for min |sum_i w_i a_i - b|.
    """

def smooth_noise(
    seed: typing.SupportsInt | typing.SupportsIndex,
    channels: typing.SupportsInt | typing.SupportsIndex,
    times: numpy.typing.ArrayLike,
    timescale: typing.SupportsFloat | typing.SupportsIndex,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Draws (T, channels) of a smooth Gaussian process in time, unit variance.
    """

def smooth_shares(count: typing.SupportsInt | typing.SupportsIndex) -> numpy.typing.NDArray[numpy.float64]:
    """
    Shares (count,) of the second stretch in the frames of a blend (Kovar et al. 2002).
    """

def solve_points(
    model: PointModel,
    points: numpy.typing.ArrayLike,
    certainty: numpy.typing.ArrayLike,
    fixed: numpy.typing.ArrayLike,
    prior_target: numpy.typing.ArrayLike,
    prior_strength: numpy.typing.ArrayLike,
    camera: numpy.typing.ArrayLike,
    rotation: numpy.typing.ArrayLike,
    terms: PointTerms,
) -> dict:
    """
    Weights and head poses of a shot as a dict of arrays; rigcast.capture.solve is its public face.
    """

def solve_positive_definite(
    matrix: numpy.typing.ArrayLike, rhs: numpy.typing.ArrayLike, *, threads: int = 0
) -> numpy.typing.NDArray[numpy.float64]:
    """
    The solution (N, M) of matrix x = rhs in float64 by a Cholesky factorization: the same bytes for any
    number of threads. NumericalError if the matrix (N, N) is not positive definite.
    """

def spread_twist(
    skeleton: Skeleton,
    joint: typing.SupportsInt | typing.SupportsIndex,
    helpers: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    shares: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
    poses: numpy.typing.ArrayLike,
) -> tuple:
    """
    Poses (T, C) and the twist (T,) in degrees.
    """

def step_particles(
    field: DensityField,
    positions: numpy.typing.ArrayLike,
    velocities: numpy.typing.ArrayLike,
    points: numpy.typing.ArrayLike,
    radii: numpy.typing.ArrayLike,
    offsets: numpy.typing.ArrayLike,
    first_frame: numpy.typing.ArrayLike,
    seeds: numpy.typing.ArrayLike,
    *,
    frame_time: typing.SupportsFloat | typing.SupportsIndex = 0.041666666666666664,
    alpha: typing.SupportsFloat | typing.SupportsIndex = 12.0,
    beta: typing.SupportsFloat | typing.SupportsIndex = 12.0,
    drag: typing.SupportsFloat | typing.SupportsIndex = 2.0,
    likelihood_strength: typing.SupportsFloat | typing.SupportsIndex = 0.0,
    likelihood_level: typing.SupportsFloat | typing.SupportsIndex = 0.0,
    likelihood_width: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    random_strength: typing.SupportsFloat | typing.SupportsIndex = 0.0,
    random_timescale: typing.SupportsFloat | typing.SupportsIndex = 0.3,
    substeps: typing.SupportsInt | typing.SupportsIndex = 0,
    threads: int = 0,
) -> tuple:
    """
    Positions and velocities (P, D) of particles that follow paths; see synthesis/playing/particle.h.
    """

def turn_eyes(
    centers: numpy.typing.ArrayLike,
    pupils: numpy.typing.ArrayLike,
    origins: numpy.typing.ArrayLike,
    directions: numpy.typing.ArrayLike,
    disagreement: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple:
    """
    Angles (T, 2, 2) and status (T, 2); rigcast.capture.turn_eyes is its public face.
    """

def two_bone(
    base: numpy.typing.ArrayLike,
    target: numpy.typing.ArrayLike,
    upper: numpy.typing.ArrayLike,
    lower: numpy.typing.ArrayLike,
    axis: numpy.typing.ArrayLike,
    threads: int = 0,
    out: tuple = (None, None, None),
) -> tuple:
    """
    Elbows (N, 3), ends (N, 3) and flags (N,) of two-bone limbs; see rigcast.ik.two_bone.
    """

def vertex_distances(
    truth: numpy.typing.ArrayLike, approximation: numpy.typing.ArrayLike, threads: int = 0
) -> numpy.typing.NDArray[numpy.float32]:
    """
    (T, V) distances between vertices (T, V, 3) or (V, 3).
    """

def vertex_normals(
    vertices: numpy.typing.ArrayLike, faces: numpy.typing.ArrayLike
) -> numpy.typing.NDArray[numpy.float32]:
    """
    (V, 3) unit vertex normals, weighted by area; (0, 0, 0) for loose vertices.
    """

IK_LEVER: float = 0.1
INVERSE_FRAMES_PER_RUN: int = 256
