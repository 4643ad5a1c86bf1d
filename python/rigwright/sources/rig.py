"""The rig protocol: what any source returns, and what users may write in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rigwright import Skeleton


@runtime_checkable
class Rig(Protocol):
    """A rig that can be sampled: channels in, poses and vertices out.

    Attributes
    ----------
    channel_names : list of str
        What an artist turns: N rotations in degrees, translations in scene units, dials.
    channel_ranges : (N, 2) array
        Lowest and highest value of each channel.
    control_names : list of str
        The K numeric controls that follow the joints in a pose row (or the names of all C columns).
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
    ``close()``.
    """

    channel_names: list[str]
    channel_ranges: NDArray[np.floating[Any]]
    control_names: list[str]
    skeleton: Skeleton | None
    rest_vertices: NDArray[np.float32]
    faces: NDArray[np.int32]

    def sample(self, channels: NDArray[np.floating[Any]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate the rig.

        Parameters
        ----------
        channels : (T, N) array

        Returns
        -------
        poses : (T, C) float32 array
        vertices : (T, V, 3) float32 array, world space
        """
        ...
