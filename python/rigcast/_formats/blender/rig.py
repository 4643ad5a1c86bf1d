"""A character in Blender as a rig: channels in, poses and vertices out."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._formats.blender.connection import PlayedActions
from rigcast._formats.blender.described import (
    axis_channels,
    control_sets,
    follower_rotations,
    mechanism,
    reaches,
    rotation_channels,
    surface_of_meshes,
)
from rigcast._formats.blender.limits import check_patterns, check_ranges, read_limits, stated_limits, used_limits
from rigcast._formats.blender.process import HostProcess
from rigcast._formats.mesh_names import mesh_names
from rigcast._hashing import file_hash, topology_hash
from rigcast._rigs.description import Skin
from rigcast._rigs.surface import Surface
from rigcast._shown import Described, counted
from rigcast._text import escaped
from rigcast._validate import bad_argument, missing_file
from rigcast.errors import SourceError

if TYPE_CHECKING:
    from rigcast._core import Skeleton
    from rigcast._formats.blender.local import LocalHost

TIMEOUT = 120.0


class BlenderRig(PlayedActions, Described):
    """The meshes of a character in a .blend, their armature and whatever modifiers they have, evaluated by Blender.

    Make one with :meth:`open` (Blender in a process of its own) or :meth:`in_process` (inside a running Blender).
    It implements :class:`rigcast.sources.Rig`. Pickled, it is its description, the path of its file and how that was
    opened: Blender starts again when the copy is first evaluated, in whatever process. If the file has changed by then,
    that is a :class:`SourceError`.

    Attributes
    ----------
    channel_names : list of str
        ``bone.rotation_x`` (degrees, in the bone's own rotation order; quaternion and axis-angle bones take XYZ
        angles), ``bone.location_x`` (scene units), ``bone.scale_x``, ``shape.NAME`` for shape keys
        (``shape.MESH.NAME`` where several of the meshes have a key of that name), ``property.NAME``
        for custom properties of the armature object and ``bone.NAME`` for those of a bone.
    channel_ranges : (N, 2) float64 array
        From Limit Rotation, Location and Scale constraints in local space, slider and property ranges; the limits
        file or argument replaces them, ``ranges`` fills in what is missing. Axes that are locked, driven, without
        limits (but of the bone that carries a body, which ``notes`` name: held, until motion of another skeleton moves
        them), or held at one value are no channels; neither are rotations that a constraint decides (of the bones of an
        IK chain): the target and the pole are. If no bone is limited, ``ranges`` is 30 degrees; ``notes`` say so.
    channel_rest : (N,) float64 array
        The bind state's values (bones at rest, dials as saved), clipped into the ranges.
    dial_names : list of str
        The channels that are no bone transforms: the K numeric controls of a pose.
    skeleton : Skeleton or None
        The joints, world transforms at the roots; ``rest`` is the armature's rest position. Joints are the bones that
        move vertices, and those that turn them in a plain hierarchy; controls and helpers whose motion reaches the
        skin through constraints are none. A joint's parent is the nearest joint that passes its motion on.
    mechanism : Mechanism or None
        All bones, and the channels that turn them: what motion is retargeted onto.
    rest_vertices : (V, 3) float32 array
        The meshes after all modifiers, one after another, with the armature in its rest position. Sampling
        ``channel_rest`` gives the same vertices, up to rounding, whenever 0 lies in every bone channel's range and no
        constraint moves a bone at rest.
    faces : (F, 4) int32 array
        Of the meshes after all modifiers; polygons with more than four corners are triangulated.
    meshes : list of str
        The mesh objects: by name, or in the order in which they were asked for. Each is a part of ``surface``.
    left_out : list of str
        The other mesh objects of the file, each with the reason.
    surface, own_skin : Surface, Skin or None
        Parts, materials by their names, and the UV map that renders use; the weights of the vertex groups.
    name, licence, origin : str
        The file's stem; custom properties ``licence`` and ``origin`` of the mesh objects.
    rotation_channels, translation_channels, scale_channels : lists
        What motion can be retargeted onto, and what models keep of the channels.
    follower_rotations : list of FollowerRotations
        Bones whose angles drivers copy from other bones.
    whole_channels : list of str
        Dials that are whole numbers or switches in the file: Blender gets them rounded.
    differences : list of str
        Where channels do not reach what Blender plays (the saved pose, the actions), by how much, and why.
    held, held_by_limits : dict, list of str
        What a range of one value holds, and ``held_as_saved``, by name; those that the limits give one value.
    held_as_saved, held_sources : dicts
        What is no channel though it has a range, with its value, and why: settings of a control rig (``free`` gives
        them back), with ranges from actions properties that act on bones alone and that no action keys, and ``hold``.
    switches : list of str
        Channels that are on or off: between FK and IK, or properties from 0 to 1 that act on bones alone.
    control_sets : ControlSets or None
        Of a control rig as Rigify, mGear or Auto-Rig Pro make it: its limbs, their FK and IK controls and switches.
    reaches : list of Reach
        Where its IK targets go without pulling a limb apart.
    assumed_ranges : str
        What ranges were taken for lack of any in the file.
    passed_on : dict
        Channels of bones that are no joints, with what passes their motion on.
    posed_elsewhere : dict
        Names of bones that constraints, drivers or inheritance settings pose, with the reason.
    meters_per_unit : float
        The scene's unit scale. ``up_axis`` is "Z".
    range_sources, range_origins : lists of str
        Where the range of each channel comes from, in words and in one: ``"file"``, ``"actions"``, ``"motion"``,
        ``"people"``, ``"degrees"``, ``"limits file"``; for a limits file, what it says of that.
    without_range : list of str
        What a limits file could make a channel of.
    limits_file : str or None
        The limits file that was read.
    contents : dict
        Lists of the ``modifiers``, ``constraints``, ``drivers`` and ``actions`` of the character.
    not_reproduced : list of str
        What sampling pose by pose leaves out or freezes (cloth, particles, frame drivers, object motion), by name.
    actions : dict
        The actions of the file by name, with the number of their frames; ``NLA`` is what its NLA tracks play together,
        from the start of the first strip to the end of the last, with the active action above them.
    played_together : list of str
        The actions that the file itself plays at the same time (of the armature, of the shape keys): playing one of
        them plays all.
    fps : float
        Of the file's scene.
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

    def __init__(self, settings: Mapping[str, object], host: HostProcess | LocalHost) -> None:
        super().__init__(dict(settings), host)
        try:
            self._describe(*self._open_file(host))
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        mesh: str | Sequence[str] | None = None,
        armature: str | None = None,
        limits: str | os.PathLike[str] | Mapping[str, tuple[float, float]] | None = None,
        ranges: float | str | None = None,
        blender: str | None = None,
        timeout: float = TIMEOUT,
        run_scripts: bool = False,
        hold: str | Sequence[str] | None = None,
        free: str | Sequence[str] | None = None,
    ) -> BlenderRig:
        """Open a .blend in a Blender process of its own.

        Parameters
        ----------
        path : path-like
            The .blend file.
        mesh : str or sequence of str, optional
            Object names. Default: all meshes that one armature moves: by a modifier, as parent of a mesh or of what it
            hangs on, through the mesh's constraints, or through drivers of its shape keys. Meshes that renders hide,
            shapes of bones and objects of Mesh Deform and Boolean modifiers are left out.
        armature : str, optional
            Object name; needed where the file holds several that move the meshes.
        limits : path-like or mapping, optional
            Ranges by channel name that replace the file's (see :doc:`/reference/file_formats`). Without it
            ``NAME.limits.json`` next to ``NAME.blend`` is read if it is there.
        ranges : float, "actions" or "people", optional
            What bones without limits range over: degrees either way (deforming bones and controls; locations of
            controls a share of the length that follows them), what the file's actions use, or joint limits of people
            (30 degrees where no control rig is recognized). Default, if the file limits no bone: of a control rig
            its actions, else people; 30 degrees of others.
        blender : str, optional
            A Blender executable (3.4 or later), or a Python that has ``bpy``. Without it the ``bpy`` wheel in this
            Python, else ``blender`` on the PATH.
        timeout : float
            Seconds that opening the file, or one pose, may take.
        run_scripts : bool
            Whether Python stored in the file may run. Only for files that you trust.
        hold, free : str or sequence of str, optional
            Channels that stay as saved, and settings of a control rig that are channels after all: names, or patterns
            such as ``"*.rubber_tweak"``. ``hold="*"`` holds all that ``limits`` do not name.

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
        if not os.path.exists(file):
            raise missing_file("BlenderRig.open", "path", path, "a .blend file that exists")
        if not os.path.isfile(file):
            raise bad_argument("BlenderRig.open", "path", repr(os.fspath(path)), "a .blend file", path)
        used, given = used_limits(limits, file), read_limits(limits, file)
        settings = {
            "path": str(file),
            "meshes": mesh_names("BlenderRig.open", mesh),
            "armature": armature,
            "limits": given,
            "ranges": check_ranges(ranges),
            "hold": [*check_patterns("hold", hold), *stated_limits(used).held(given or {})],
            "free": check_patterns("free", free),
            "limits_file": used,
            "run_scripts": bool(run_scripts),
            "blender": blender,
            "timeout": float(timeout),
            "hash": file_hash(file),
        }
        return cls(settings, HostProcess(blender, float(timeout)))

    @classmethod
    def in_process(
        cls,
        mesh: str | Sequence[str] | None = None,
        *,
        armature: str | None = None,
        limits: str | os.PathLike[str] | Mapping[str, tuple[float, float]] | None = None,
        ranges: float | str | None = None,
    ) -> BlenderRig:
        """Drive the file open in this Blender, by arguments as of :meth:`open`; :meth:`close` puts its pose back."""
        from rigcast._formats.blender.local import LocalHost

        host = LocalHost()
        meshes = mesh_names("BlenderRig.in_process", mesh)
        settings: dict[str, Any] = {"path": host.path, "meshes": meshes, "armature": armature}
        settings |= {"ranges": check_ranges(ranges), "hold": [], "free": []}
        settings |= {"limits": read_limits(limits, None), "limits_file": used_limits(limits, None)}
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

    def _facts(self) -> list[str]:
        return [
            counted(self.skeleton.num_joints if self.skeleton is not None else 0, "joint", "joints"),
            counted(len(self.channel_names), "channel", "channels"),
            counted(len(self.rest_vertices), "vertex", "vertices"),
            counted(len(self.meshes), "mesh", "meshes"),
            f"evaluated by {self.host}",
        ]

    def _describe(self, header: dict[str, Any], arrays: dict[str, Any]) -> None:
        from rigcast._core import Skeleton

        self.name = escaped(Path(self._settings["path"]).stem)
        for key in ("channel_names", "dial_names", "meters_per_unit", "licence", "origin", "notes", "modifiers"):
            setattr(self, key, header[key])
        self.host: str = header["host"]
        self.limits_file: str | None = self._settings["limits_file"]
        stated = stated_limits(self.limits_file)
        self.range_sources, self.range_origins = stated.with_sources(
            header["range_sources"], header["range_origins"], self.channel_names
        )
        self.without_range: list[str] = header["without_range"]
        self.contents: dict[str, Any] = header["contents"]
        self.not_reproduced: list[str] = header["not_reproduced"]
        self.fps: float = header["fps"]
        self.actions = {name: last - first + 1 for name, first, last in self.contents["actions"]}
        self.played_together: list[str] = header["together"]
        self.meshes, self.left_out = header["meshes"], header["left_out"]
        self.armature: str | None = header["armature"]
        self.channel_ranges, self.channel_rest = arrays["channel_ranges"], arrays["channel_rest"]
        self.rest_vertices, self.faces = arrays["rest_vertices"], arrays["faces"]
        self.own_skin = Skin(arrays["skin_joint"], arrays["skin_weight"]) if "skin_joint" in arrays else None
        self.surface: Surface = surface_of_meshes(header["parts"], arrays)
        names = header["joint_names"]
        self.skeleton = Skeleton(names, arrays["parents"], arrays["rest"]) if names else None
        modes = dict(zip(header["bones"], header["rotation_modes"], strict=True))
        turning = self.channel_names, names, [modes[name] for name in names]
        self.rotation_channels = rotation_channels(*turning)
        self.follower_rotations = follower_rotations(*turning, header["followers"])
        self.translation_channels, self.scale_channels = axis_channels(self.channel_names, names)
        self.mechanism = mechanism(header, arrays) if names else None
        self.whole_channels: list[str] = header["whole_channels"]
        self.switches = stated.switches(header["switches"], self.channel_names)
        self.control_sets, self.reaches = control_sets(header), reaches(header, arrays)
        self.assumed_ranges, self.differences = str(header["assumed"]), list(header["differences"])
        self.held = {name: float(value) for name, (value, _) in header["held"].items()}
        self.held_sources: dict[str, str] = {name: why for name, (_, why) in header["held"].items() if why}
        self.held_as_saved = {name: self.held[name] for name in self.held_sources}
        self.held_by_limits = [name for name in self._settings["limits"] or () if name in self.held]
        self.posed_elsewhere: dict[str, str] = header["posed_elsewhere"]
        self.passed_on: dict[str, str] = header["passed_on"]
        self._pose_width = 12 * len(names) + len(self.dial_names)
        self._topology = topology_hash(self.faces, len(self.rest_vertices))
        if not np.isfinite(self.rest_vertices).all() or not np.isfinite(arrays["rest"]).all():
            raise SourceError(
                f"mesh {', '.join(map(repr, self.meshes))} of {self._settings['path']} is not finite in its bind state"
            )
