"""A character in Blender as a rig: channels in, poses and vertices out."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._formats.blender.bone_channels import axis_channels, follower_rotations, rotation_channels
from rigwright._formats.blender.limits import check_limits, limits_path, load_limits
from rigwright._formats.blender.process import HostProcess
from rigwright._hashing import topology_hash
from rigwright._validate import Arguments, bad_argument, missing_file
from rigwright.errors import SourceError

if TYPE_CHECKING:
    from types import TracebackType

    from rigwright import Skeleton
    from rigwright._formats.blender.local import LocalHost

TIMEOUT = 120.0


class BlenderRig:
    """One mesh of a .blend with its armature and whatever modifiers it has, evaluated by Blender itself.

    Make one with :meth:`open` (Blender in a process of its own) or :meth:`in_process` (inside a running Blender).
    It implements :class:`rigwright.sources.Rig`.

    Attributes
    ----------
    channel_names : list of str
        ``bone.rotation_x`` (degrees, in the bone's own rotation order; quaternion and axis-angle bones take XYZ
        angles), ``bone.location_x`` (scene units), ``bone.scale_x``, ``shape.NAME`` for shape keys, ``property.NAME``
        for custom properties of the armature object and ``bone.NAME`` for those of a bone.
    channel_ranges : (N, 2) float64 array
        From Limit Rotation, Location and Scale constraints in local space, slider and property ranges; the limits
        file or argument replaces them. Axes that are locked, driven, without limits, or held at one value are no
        channels. If no bone is limited at all, rotations of deforming bones range over +-30 degrees and ``notes``
        says so.
    channel_rest : (N,) float64 array
        The bind state's values (bones at rest, dials as saved), clipped into the ranges.
    dial_names : list of str
        The channels that are no bone transforms: the K numeric controls of a pose.
    skeleton : Skeleton or None
        All bones, world transforms at the roots; ``rest`` is the armature's rest position.
    rest_vertices : (V, 3) float32 array
        The mesh after all modifiers with the armature in its rest position. Sampling ``channel_rest`` gives the same
        vertices, up to rounding, whenever 0 lies in every bone channel's range and no constraint moves a bone at rest.
    faces : (F, 4) int32 array
        Of the mesh after all modifiers; polygons with more than four corners are triangulated.
    name, licence, origin : str
        The file's stem; custom properties ``licence`` and ``origin`` of the mesh object.
    rotation_channels, translation_channels, scale_channels : lists
        What motion can be retargeted onto, and what models keep of the channels.
    follower_rotations : list of FollowerRotations
        Bones whose angles drivers copy from other bones.
    whole_channels : list of str
        Dials that are whole numbers or switches in the file: Blender gets them rounded.
    posed_elsewhere : dict
        Names of bones that constraints, drivers or inheritance settings pose, with the reason.
    meters_per_unit : float
        The scene's unit scale. ``up_axis`` is "Z".
    notes : list of str
        What the user should know about how the file was read.
    """

    channel_names: list[str]
    channel_ranges: NDArray[np.float64]
    channel_rest: NDArray[np.float64]
    dial_names: list[str]
    skeleton: Skeleton | None
    rest_vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    up_axis = "Z"

    def __init__(self, settings: Mapping[str, Any], host: HostProcess | LocalHost) -> None:
        self._settings = dict(settings)
        self._host: HostProcess | LocalHost | None = host
        try:
            self._describe(*self._open_file(host))
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        mesh: str | None = None,
        armature: str | None = None,
        limits: str | os.PathLike[str] | Mapping[str, tuple[float, float]] | None = None,
        blender: str | None = None,
        timeout: float = TIMEOUT,
        run_scripts: bool = False,
    ) -> BlenderRig:
        """Open a .blend in a Blender process of its own.

        Parameters
        ----------
        path : path
            The .blend file.
        mesh, armature : str, optional
            Object names; needed where the file holds several.
        limits : path or mapping, optional
            Ranges by channel name that replace the file's (see :mod:`rigwright._formats.blender.limits`). Without it
            ``NAME.limits.json`` beside ``NAME.blend`` is read if it is there.
        blender : str, optional
            A Blender executable (3.4 or later). Without it the ``bpy`` wheel in this Python, else ``blender`` on
            the PATH.
        timeout : float
            Seconds that opening the file, or one pose, may take.
        run_scripts : bool
            Whether Python stored in the file may run. Only for files that you trust.

        Raises
        ------
        FileNotFoundError
            If the file does not exist.
        ValueError
            If the file cannot be opened, or the mesh, armature or limits do not fit it.
        SourceError
            If Blender crashes, hangs, or the rig cannot be learned from (its topology changes with the pose).
        MissingExtra
            If there is no Blender.
        """
        file = Path(path).resolve()
        if not file.exists():
            raise missing_file("BlenderRig.open", "path", path, "a .blend file that exists")
        if not file.is_file():
            raise bad_argument("BlenderRig.open", "path", repr(os.fspath(path)), "a .blend file")
        settings = {
            "path": str(file),
            "mesh": mesh,
            "armature": armature,
            "limits": _limits(limits, file),
            "run_scripts": bool(run_scripts),
            "blender": blender,
            "timeout": float(timeout),
        }
        return cls(settings, HostProcess(blender, float(timeout)))

    @classmethod
    def in_process(
        cls,
        mesh: str | None = None,
        armature: str | None = None,
        limits: str | os.PathLike[str] | Mapping[str, tuple[float, float]] | None = None,
    ) -> BlenderRig:
        """Drive the file that is open in this very Blender; :meth:`close` puts the user's pose back."""
        from rigwright._formats.blender.local import LocalHost

        host = LocalHost()
        settings = {"path": host.path, "mesh": mesh, "armature": armature, "limits": _limits(limits, None)}
        return cls(settings, host)

    def sample(self, channels: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate the rig in Blender.

        Parameters
        ----------
        channels : (T, N) array

        Returns
        -------
        poses : (T, 12 J + K) float32 array
            Entries within float32 rounding of the bind state are set to it, so that bones that do not move have
            constant columns.
        vertices : (T, V, 3) float32 array, world space

        Raises
        ------
        ValueError
            If ``channels`` has another shape or is not finite.
        SourceError
            If Blender crashes, hangs, or returns something unusable.
        """
        rows = self._rows(channels, "BlenderRig.sample")
        host = self._connected()
        poses = np.empty((len(rows), self._pose_width), np.float32)
        vertices = np.empty((len(rows), *self.rest_vertices.shape), np.float32)
        replies = host.request({"operation": "sample"}, {"channels": rows}, replies=len(rows))
        with contextlib.closing(replies):
            for index, (_, arrays) in enumerate(replies):
                poses[index], vertices[index] = arrays["pose"], arrays["vertices"]
                if not (np.isfinite(poses[index]).all() and np.isfinite(vertices[index]).all()):
                    raise host.failure(f"Blender returned NaN or infinity for row {index} of the channels")
        return poses, vertices

    def time_pose(self, channels: ArrayLike) -> NDArray[np.float64]:
        """Seconds (T,) that Blender takes inside its process to set, evaluate and read each row of channels."""
        rows = self._rows(channels, "BlenderRig.time_pose")
        replies = self._connected().request({"operation": "time"}, {"channels": rows}, replies=len(rows))
        return np.array([arrays["seconds"][0] for _, arrays in replies])

    def channels_of_action(self, name: str) -> NDArray[np.float64]:
        """Channels (T, N) of an action stored in the file, one row a frame, as keyed (ranges are not applied)."""
        ((_, arrays),) = self._connected().request({"operation": "action", "name": name})
        return arrays["channels"]

    def for_worker(self) -> BlenderRig:
        """An independent rig on the same file; its own Blender starts at the first use, in whatever process."""
        if "blender" not in self._settings:
            raise SourceError("a rig inside a running Blender cannot be sampled by other processes: use workers=1")
        worker = object.__new__(BlenderRig)
        worker.__dict__.update(self.__getstate__())
        return worker

    def close(self) -> None:
        """End the host process (or put the user's pose back, inside a running Blender)."""
        host, self._host = self._host, None
        if host is not None:
            host.close()

    def __enter__(self) -> BlenderRig:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_host", None) is not None:
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_host": None}

    def _connected(self) -> HostProcess | LocalHost:
        """The open host; starts one for a worker, or after a failure."""
        if self._host is not None and not self._host.closed:
            return self._host
        if "blender" not in self._settings:
            raise SourceError("the rig inside this Blender is closed: call BlenderRig.in_process again")
        host = HostProcess(self._settings["blender"], self._settings["timeout"])
        try:
            header, arrays = self._open_file(host)
            hashed = topology_hash(arrays["faces"], len(arrays["rest_vertices"]))
            if header["channel_names"] != self.channel_names or hashed != self._topology:
                raise SourceError(f"{self._settings['path']} changed since it was opened: open it again")
        except BaseException:
            host.close()
            raise
        self._host = host
        return host

    def _open_file(self, host: HostProcess | LocalHost) -> tuple[dict[str, Any], dict[str, Any]]:
        keys = ("path", "mesh", "armature", "limits")
        request = {key: self._settings[key] for key in keys}
        request["run_scripts"] = self._settings.get("run_scripts", False)
        ((header, arrays),) = host.request({"operation": "open", **request})
        return header, arrays

    def _describe(self, header: dict[str, Any], arrays: dict[str, Any]) -> None:
        from rigwright import Skeleton

        self.name = Path(self._settings["path"]).stem
        for key in ("channel_names", "dial_names", "meters_per_unit", "licence", "origin", "notes", "modifiers"):
            setattr(self, key, header[key])
        self.host: str = header["host"]
        self.mesh: str = header["mesh"]
        self.armature: str | None = header["armature"]
        self.channel_ranges, self.channel_rest = arrays["channel_ranges"], arrays["channel_rest"]
        self.rest_vertices, self.faces = arrays["rest_vertices"], arrays["faces"]
        names = header["joint_names"]
        self.skeleton = Skeleton(names, arrays["parents"], arrays["rest"]) if names else None
        turning = self.channel_names, names, header["rotation_modes"]
        self.rotation_channels = rotation_channels(*turning)
        self.follower_rotations = follower_rotations(*turning, header["followers"])
        self.translation_channels, self.scale_channels = axis_channels(self.channel_names, names)
        self.whole_channels: list[str] = header["whole_channels"]
        self.posed_elsewhere: dict[str, str] = header["posed_elsewhere"]
        self._pose_width = 12 * len(names) + len(self.dial_names)
        self._topology = topology_hash(self.faces, len(self.rest_vertices))
        if not np.isfinite(self.rest_vertices).all() or not np.isfinite(arrays["rest"]).all():
            raise SourceError(f"mesh {self.mesh!r} of {self._settings['path']} is not finite in its bind state")

    def _rows(self, channels: ArrayLike, function: str) -> NDArray[np.float64]:
        return Arguments(function, N=len(self.channel_names)).numbers("channels", channels, "T N")


def _limits(
    limits: str | os.PathLike[str] | Mapping[str, tuple[float, float]] | None, file: Path | None
) -> dict[str, tuple[float, float]] | None:
    if isinstance(limits, Mapping):
        return check_limits({name: list(ends) for name, ends in limits.items()})
    if limits is not None:
        return load_limits(limits)
    beside = limits_path(file) if file is not None else None
    return load_limits(beside) if beside is not None and beside.is_file() else None
