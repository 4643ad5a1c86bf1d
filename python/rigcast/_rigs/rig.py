"""The rig protocol: what any source returns, and what users may write in plain Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line

if TYPE_CHECKING:
    from rigcast._core import Skeleton


@one_line
@dataclass(frozen=True)
class RotationChannels:
    """The channels that turn one joint, in their order: what retargeting needs to turn rotations into channels.

    The joint's parent-relative pose is ``rest_local T(t) R_a(channel_0) R_b(channel_1) ...`` in column vectors, with
    the axes a, b, ... of ``order``: the rotation acts in the joint's own rest frame. So a Blender pose bone in Euler
    mode ``XYZ`` has the order ``"ZYX"``, and a BVH joint the order of its ``CHANNELS`` line.

    Attributes
    ----------
    joint : int
        Index into the skeleton.
    order : str
        Axes X, Y, Z, the leftmost factor of the product first; may name fewer than three.
    channels : tuple of int
        Channel index of each letter, values in degrees.
    """

    joint: int
    order: str
    channels: tuple[int, ...]


@one_line
@dataclass(frozen=True)
class FollowerRotations:
    """A joint that turns with channels of other joints, as a twist bone does: all its rotations, in their order.

    Attributes
    ----------
    joint : int
        Index into the skeleton.
    order : str
        Axes X, Y, Z of all the joint's rotations, its own channels included, leftmost factor first.
    channels : tuple of int
        Channel index of each letter.
    factors : tuple of float
        The angle of each letter is its factor times the channel; 1 for the joint's own.
    """

    joint: int
    order: str
    channels: tuple[int, ...]
    factors: tuple[float, ...]


@one_line
@dataclass(frozen=True)
class TranslationChannels:
    """The channels that shift one joint: ``t`` of :class:`RotationChannels`, in scene units along its rest axes.

    Attributes
    ----------
    joint : int
        Index into the skeleton.
    channels : tuple of int
        Channel indices of x, y and z; -1 where there is none.
    """

    joint: int
    channels: tuple[int, ...]


@one_line
@dataclass(frozen=True)
class ScaleChannels:
    """The channels that scale one joint along its own axes, after its rotations: multipliers, 1 at rest.

    Attributes
    ----------
    joint : int
        Index into the skeleton.
    channels : tuple of int
        Channel indices of x, y and z; -1 where there is none.
    """

    joint: int
    channels: tuple[int, ...]


@one_line
@dataclass(frozen=True)
class Mechanism:
    """The bones that channels turn, of a rig whose joints are only those that move its skin.

    Motion is retargeted onto these bones; the joints follow by the rig's own constraints.

    Attributes
    ----------
    skeleton : Skeleton
        All bones, parents before children.
    rotation_channels, translation_channels : lists
        Of these bones.
    stated : dict
        How channels pose the joints by constraints, drivers and inverse kinematics: the entry ``mechanism`` of model
        files; empty if that is not known.
    unread : dict
        Bones on which joints depend and that ``stated`` leaves out, with the reasons.
    """

    skeleton: Skeleton
    rotation_channels: list[RotationChannels]
    translation_channels: list[TranslationChannels]
    stated: dict[str, object] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)


@runtime_checkable
class Rig(Protocol):
    """A rig that can be sampled: channels in, poses and vertices out.

    Attributes
    ----------
    channel_names : list of str
        What an artist turns: N rotations in degrees, translations in scene units, dials.
    channel_ranges : (N, 2) float64 array
        Lowest and highest value of each channel.
    dial_names : list of str
        The K numeric controls that follow the joints in a pose row.
    skeleton : Skeleton or None
        Joints whose parent-relative transforms open a pose row; None for a rig without joints.
    rest_vertices : (V, 3) float32 array
        Bind state that belongs to ``skeleton.rest``, world space.
    faces : (F, 3) or (F, 4) int32 array
        -1 in the fourth column pads a triangle.

    Notes
    -----
    Read where present: ``name``, ``meters_per_unit`` (1.0), ``up_axis`` ("Y"), ``licence``, ``origin``,
    ``channel_rest`` ((N,), else 0 clipped into the range), ``for_worker()`` (an independent rig for a worker process),
    ``close()``, ``rotation_channels`` (list of :class:`RotationChannels`), ``translation_channels`` (list of
    :class:`TranslationChannels`) and ``scale_channels`` (list of :class:`ScaleChannels`): what motion can be retargeted
    onto, and what data sets and models keep of the channels. A channel named like a numeric control is its dial;
    ``follower_rotations`` (list of :class:`FollowerRotations`) lists joints that turn with another joint's channel;
    ``mechanism`` (:class:`Mechanism`) has the bones that channels turn, where these are not the joints;
    ``whole_channels`` lists dials that the rig rounds to whole numbers. ``resting`` (dict from name to reason) lists
    deforming joints, controls, shapes and dials that no channel moves: data sets and models keep it.
    ``passed_on`` (dict from channel name to the reason) lists channels that turn no joint and are no numeric control;
    ``posed_elsewhere`` (dict from joint name to the reason) lists joints that constraints or drivers pose. Sampling
    compares all this with the poses that the rig returns; what plain kinematics does not decide is named in the data
    set and refused by
    ``model.poses_from_channels``. ``own_skin`` (:class:`Skin`): joints and weights of
    the rig's own linear skinning. ``surface`` (:class:`Surface`): the named parts, materials and texture coordinates
    of the mesh, which data sets and models keep.
    """

    channel_names: list[str]
    channel_ranges: NDArray[np.float64]
    dial_names: list[str]
    skeleton: Skeleton | None
    rest_vertices: NDArray[np.float32]
    faces: NDArray[np.int32]

    def sample(self, channels: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate the rig.

        Parameters
        ----------
        channels : (T, N) float32 array

        Returns
        -------
        poses : (T, C) float32 array
        vertices : (T, V, 3) float32 array, world space
        """
        ...
