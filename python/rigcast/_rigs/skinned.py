"""A rig evaluated in NumPy: morphs, plain forward kinematics, linear blend skinning.

Serves the ``.npz`` and glTF sources. In column vectors, for joint j with rest transform ``L_j`` (parent-relative)::

    pose_j    = L_j  T(translation channels)  R(rotation channels)
    global_j  = global_parent(j)  pose_j
    shaped_v  = rest_v + sum_m amount_m delta_mv
    vertex_v  = sum_j w_vj  global_j  (rest global_j)^-1  shaped_v

Rotation channels of a joint multiply in the order in which they are listed, leftmost first. Channels at rest give
the rest pose and, morphs at zero, the rest vertices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Skeleton
from rigcast._hashing import padded_faces
from rigcast._rigs.description import (
    DIAL,
    ROTATIONS,
    TRANSLATIONS,
    Facts,
    Joints,
    Morph,
    RigChannel,
    Skin,
)
from rigcast._rigs.rig import RotationChannels, TranslationChannels
from rigcast._rigs.rotations import AXES, compose, euler_to_matrix, globals_of, invert
from rigcast._rigs.surface import Surface, check_surface
from rigcast._shown import Described, counted, read_only
from rigcast._validate import Arguments, bad_argument

CHUNK_VERTICES = 1 << 19  # vertices deformed at once: a few temporaries of this many rows fit in memory easily


class SkinnedRig(Described):
    """A rig with joints, linear skinning and driven morphs (each of them optional).

    Parameters
    ----------
    vertices : (V, 3) array, rest pose, world space
    faces : (F, 3) or (F, 4) integer array, -1 pads triangles
    joints : Joints or None
    skin : Skin or None
        Given exactly where ``joints`` are.
    channels : sequence of RigChannel
        Rotation channels of one joint multiply in this order.
    morphs : sequence of Morph
    facts : Facts
    surface : Surface, optional
        Named parts, materials and texture coordinates of the mesh.

    Raises
    ------
    ValueError
        If the parts do not fit each other.

    Examples
    --------
    >>> import numpy as np
    >>> from rigcast.sources import RigChannel, Joints, Skin, SkinnedRig
    >>> joints = Joints(["hinge"], np.array([-1]), np.eye(3, 4)[None])
    >>> skin = Skin(np.zeros((3, 1), np.int32), np.ones((3, 1)))
    >>> turn = RigChannel("hinge.rz", "rotate_z", 0, -90.0, 90.0)
    >>> rig = SkinnedRig(np.eye(3), [[0, 1, 2]], joints, skin=skin, channels=[turn])
    >>> poses, vertices = rig.sample([[90.0]])
    >>> vertices[0].round(3).tolist()
    [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """

    def __init__(
        self,
        vertices: ArrayLike,
        faces: ArrayLike,
        joints: Joints | None = None,
        *,
        skin: Skin | None = None,
        channels: Sequence[RigChannel] = (),
        morphs: Sequence[Morph] = (),
        facts: Facts | None = None,
        surface: Surface | None = None,
    ) -> None:
        self.rest_vertices: NDArray[np.float32] = np.array(
            Arguments("SkinnedRig").numbers("vertices", vertices, "V+ 3", dtype=np.float32)
        )
        self.faces: NDArray[np.int32] = padded_faces(faces, "SkinnedRig", len(self.rest_vertices))
        self.surface = check_surface(surface or Surface(), len(self.rest_vertices), self.faces, "SkinnedRig")
        self.notes: list[str] = []
        self.joints, self.skin, self.channels, self.morphs = joints, skin, tuple(channels), tuple(morphs)
        self.skeleton: Skeleton | None = _skeleton(joints)
        self.facts = facts or Facts()
        self.name, self.meters_per_unit, self.up_axis = self.facts.name, self.facts.meters_per_unit, self.facts.up_axis
        self.licence, self.origin = self.facts.licence, self.facts.origin
        self.channel_names: list[str] = Arguments("SkinnedRig").names("channels", [c.name for c in self.channels])
        self._check_parts()
        ranges = [(c.low, c.high) for c in self.channels]
        self.channel_ranges: NDArray[np.float64] = np.array(ranges, np.float64).reshape(-1, 2)
        self.channel_rest: NDArray[np.float64] = np.array([c.rest for c in self.channels], np.float64)
        self._protect()
        self._dials = [index for index, channel in enumerate(self.channels) if channel.kind == DIAL]
        self.dial_names: list[str] = [self.channel_names[index] for index in self._dials]
        self.rotation_channels: list[RotationChannels] = _rotation_channels(self.channels)
        self.translation_channels: list[TranslationChannels] = _translation_channels(self.channels)
        if joints is not None and skin is not None:
            self._rest_inverse = invert(joints.rest_globals)
            self._influences = list(_influences(skin, len(joints.names)))

    def _check_parts(self) -> None:
        check, count, joints = Arguments("SkinnedRig"), len(self.rest_vertices), self.joints
        if (joints is None) != (self.skin is None):
            raise bad_argument("SkinnedRig", "skin", "given without joints or left out", "given where joints are")
        if joints is not None and self.skin is not None:
            if len(self.skin.weight) != count:
                raise bad_argument("SkinnedRig", "skin", f"for {len(self.skin.weight)} vertices", f"for {count}")
            check.integers("skin.joint", self.skin.joint, "V K", below=len(joints.names))
        for channel in self.channels:
            if channel.joint >= (0 if joints is None else len(joints.names)):
                got = f"on joint {channel.joint}"
                raise bad_argument("SkinnedRig", f"channel {channel.name}", got, "on a joint of the rig")
        check.names("morphs", [morph.name for morph in self.morphs])
        for morph in self.morphs:
            Arguments("SkinnedRig").integers(f"morph {morph.name}: vertices", morph.vertices, "n", below=count)
            for what in ("drivers", "factors"):
                used = [channel for channel, _ in getattr(morph, what)]
                Arguments("SkinnedRig").integers(f"morph {morph.name}: {what}", used, "n", below=len(self.channels))

    @property
    def joint_columns(self) -> int:
        """12 J: the columns of a pose row before the dials."""
        return 0 if self.joints is None else 12 * len(self.joints.names)

    @property
    def own_skin(self) -> Skin | None:
        """The joints and weights that move the mesh (:meth:`Skin.narrowed`); None without joints."""
        return None if self.skin is None else self.skin.narrowed()

    @property
    def resting(self) -> dict[str, str]:
        """Joints with weights, a single root aside, and morphs that no channel moves, by name, with the reason."""
        moving = [index for index, channel in enumerate(self.channels) if channel.low < channel.high]
        turned = {self.channels[index].joint for index in moving}
        joints = [] if self.joints is None else self.joints.names
        if self.joints is not None and (self.joints.parents == -1).sum() == 1:
            turned.add(0)
        weighed = set() if self.skin is None else set(np.unique(self.skin.joint[self.skin.weight > 0]).tolist())
        still = {name: "no channels" for joint, name in enumerate(joints) if joint in weighed - turned}
        for morph in self.morphs:
            driven = not morph.drivers or any(slope and c in moving for c, slope in morph.drivers)
            if not driven or any(c not in moving for c, _ in morph.factors):
                still[morph.name] = "no channel drives it"
        return still

    def _facts(self) -> list[str]:
        return [
            counted(0 if self.joints is None else len(self.joints.names), "joint", "joints"),
            counted(len(self.channels), "channel", "channels"),
            counted(len(self.morphs), "morph", "morphs"),
            counted(len(self.rest_vertices), "vertex", "vertices"),
            counted(len(self.surface.parts), "part", "parts"),
        ]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "skeleton": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.skeleton = _skeleton(self.joints)
        self._protect()

    def _protect(self) -> None:
        for name in ("rest_vertices", "faces", "channel_ranges", "channel_rest"):  # else a write is lost in silence
            setattr(self, name, read_only(getattr(self, name)))

    def with_morphs(self, morphs: Sequence[Morph]) -> SkinnedRig:
        """The same rig with other morphs, and no channels."""
        own = {"skin": self.skin, "facts": self.facts, "surface": self.surface}
        return SkinnedRig(self.rest_vertices, self.faces, self.joints, morphs=morphs, **own)  # type: ignore[arg-type]

    def for_worker(self) -> SkinnedRig:
        """Nothing changes after construction, so workers may share it."""
        return self

    def close(self) -> None:
        """Holds no host."""

    def local_transforms(self, channels: ArrayLike) -> NDArray[np.float64]:
        """Parent-relative transforms of all joints.

        Parameters
        ----------
        channels : (T, N) array

        Returns
        -------
        (T, J, 3, 4) float64 array
        """
        values = self._rows("local_transforms", channels)
        if self.joints is None:
            return np.empty((len(values), 0, 3, 4))
        basis = np.tile(np.eye(3, 4), (len(values), len(self.joints.names), 1, 1))
        for rotation in self.rotation_channels:
            basis[:, rotation.joint, :, :3] = euler_to_matrix(values[:, list(rotation.channels)], rotation.order)
        for index, channel in enumerate(self.channels):
            if channel.kind in TRANSLATIONS:
                basis[:, channel.joint, TRANSLATIONS.index(channel.kind), 3] = values[:, index]
        return compose(self.joints.rest, basis)

    def activations(self, channels: ArrayLike) -> NDArray[np.float64]:
        """The share of each morph that is added: ``clip(sum_k slope_k channel_k + constant, low, high)`` times its
        factors.

        Parameters
        ----------
        channels : (T, N) array

        Returns
        -------
        (T, M) float64 array
        """
        values = self._rows("activations", channels)
        result = np.empty((len(values), len(self.morphs)))
        for index, morph in enumerate(self.morphs):
            amount = np.full(len(values), morph.constant, np.float64)
            for channel, slope in morph.drivers:
                amount += slope * values[:, channel]
            result[:, index] = np.clip(amount, *morph.clamp)
            for channel, tent in morph.factors:
                value = values[:, channel]
                result[:, index] *= value if tent is None else np.interp(value, tent, (0.0, 1.0, 0.0))
        return result

    def sample(self, channels: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate the rig (see :meth:`rigcast.sources.Rig.sample`)."""
        values = self._rows("sample", channels)
        rows = self.local_transforms(values).reshape(len(values), self.joint_columns)
        poses = np.concatenate([rows, values[:, self._dials]], axis=1).astype(np.float32)
        return poses, self.deform(poses, self.activations(values))

    def _rows(self, method: str, channels: ArrayLike) -> NDArray[np.float64]:
        """Channel rows (T, N)."""
        check = Arguments(f"SkinnedRig.{method}", N=len(self.channels))
        return check.numbers("channels", channels, "T N", narrow=True)

    def deform(self, poses: ArrayLike, activations: ArrayLike) -> NDArray[np.float32]:
        """Vertices of poses whose morph amounts are known.

        Parameters
        ----------
        poses : (T, C) array
            Only the 12 J joint columns are read.
        activations : (T, M) array

        Returns
        -------
        (T, V, 3) float32 array

        Raises
        ------
        ValueError
            If shapes or numbers are not as they must be, or so large that vertices overflow.
        """
        columns = self.joint_columns
        check = Arguments("SkinnedRig.deform", C=columns + len(self._dials), M=len(self.morphs))
        rows = check.numbers("poses", poses, "T C", narrow=True)
        amounts = check.numbers("activations", activations, "T M", narrow=True)
        result = np.empty((len(rows), *self.rest_vertices.shape), np.float32)
        step = max(1, CHUNK_VERTICES // max(1, len(self.rest_vertices)))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            with np.errstate(over="ignore", invalid="ignore"):  # reported below
                shaped = self._shape(amounts[part].astype(np.float32))
                result[part] = shaped if self.joints is None else self._skin(shaped, rows[part, :columns])
            if not np.isfinite(result[part]).all():
                row = start + int(np.flatnonzero(~np.isfinite(result[part]).all(axis=(1, 2)))[0])
                raise check.wrong(
                    "poses", f"so large in row {row}, or its activations, that vertices overflow", "smaller"
                )
        return result

    def _shape(self, amounts: NDArray[np.float32]) -> NDArray[np.float32]:
        shaped = np.tile(self.rest_vertices, (len(amounts), 1, 1))
        for index, morph in enumerate(self.morphs):
            rows = np.flatnonzero(amounts[:, index])
            if len(rows) and len(morph.vertices):
                shaped[np.ix_(rows, morph.vertices)] += amounts[rows, index, None, None] * morph.deltas
        return shaped

    def _skin(self, shaped: NDArray[np.float32], rows: NDArray[np.float64]) -> NDArray[np.float32]:
        assert self.joints is not None
        world = globals_of(self.joints.parents, rows.reshape(len(rows), len(self.joints.names), 3, 4))
        moved = compose(world, self._rest_inverse).astype(np.float32)
        result = np.zeros_like(shaped)
        for joint, vertices, weights in self._influences:
            linear, offset = moved[:, joint, :, :3], moved[:, joint, None, :, 3]
            result[:, vertices] += weights[:, None] * (shaped[:, vertices] @ linear.swapaxes(1, 2) + offset)
        return result


def _skeleton(joints: Joints | None) -> Skeleton | None:
    return None if joints is None else Skeleton(joints.names, joints.parents, joints.rest.astype(np.float32))


def _rotation_channels(channels: Sequence[RigChannel]) -> list[RotationChannels]:
    groups: dict[int, list[int]] = {}
    for index, channel in enumerate(channels):
        if channel.kind in ROTATIONS:
            groups.setdefault(channel.joint, []).append(index)
    orders = {joint: "".join(AXES[ROTATIONS.index(channels[i].kind)] for i in group) for joint, group in groups.items()}
    return [RotationChannels(joint, orders[joint], tuple(group)) for joint, group in sorted(groups.items())]


def _translation_channels(channels: Sequence[RigChannel]) -> list[TranslationChannels]:
    groups: dict[int, dict[str, int]] = {}
    for index, channel in enumerate(channels):
        if channel.kind in TRANSLATIONS:
            groups.setdefault(channel.joint, {})[channel.kind] = index
    return [
        TranslationChannels(joint, tuple(group.get(kind, -1) for kind in TRANSLATIONS))
        for joint, group in sorted(groups.items())
    ]


def _influences(skin: Skin, count: int) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.float32]]]:
    """For every joint the vertices that it moves and their weights."""
    rows, slots = np.nonzero(skin.weight)
    joints, weights = skin.joint[rows, slots], skin.weight[rows, slots]
    order = np.lexsort((rows, joints))
    bounds = np.searchsorted(joints[order], np.arange(count + 1))
    for joint in range(count):
        members = order[bounds[joint] : bounds[joint + 1]]
        vertices, place = np.unique(rows[members], return_inverse=True)  # a row may name one joint twice
        if len(vertices):
            yield joint, vertices, np.bincount(place, weights[members]).astype(np.float32)
