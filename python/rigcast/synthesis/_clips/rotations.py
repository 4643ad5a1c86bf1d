"""The controls that are Euler angles of joints, and the rotations that they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import fit_angles
from rigcast._rigs.rig import RotationChannels
from rigcast._rigs.rotations import euler_to_matrix, nearest_rotation

Float64 = NDArray[np.float64]
FREE = (-180.0, 180.0)  # degrees: limits of an angle without any


class Rotations:
    """R joints with three Euler angles each, among N controls. Joints with one or two angles are plain numbers.

    Parameters
    ----------
    columns : (R, 3) int array
        Controls, degrees, in the order of ``orders``.
    orders : sequence of R str
        Permutations of "XYZ", the leftmost factor of the product first.
    """

    def __init__(self, columns: NDArray[np.integer[Any]], orders: Sequence[str]) -> None:
        self.columns: NDArray[np.int32] = np.asarray(columns, np.int32).reshape(-1, 3)
        self.orders = list(orders)

    @classmethod
    def of_channels(cls, groups: Sequence[RotationChannels]) -> Rotations:
        """Those of a rig's rotation channels that turn about three different axes."""
        whole = [group for group in groups if len(group.channels) == 3 and sorted(group.order) == ["X", "Y", "Z"]]
        columns = np.array([group.channels for group in whole], np.int32).reshape(-1, 3)
        return cls(columns, [group.order for group in whole])

    def __len__(self) -> int:
        return len(self.columns)

    def matrices(self, controls: NDArray[np.floating[Any]]) -> Float64:
        """(T, R, 3, 3) rotations of controls (T, N)."""
        result = np.empty((len(controls), len(self), 3, 3))
        for order in sorted(set(self.orders)):
            chosen = self._chosen(order)
            result[:, chosen] = euler_to_matrix(controls[:, self.columns[chosen]], order)
        return result

    def write_angles(
        self,
        controls: NDArray[Any],
        matrices: NDArray[np.floating[Any]],
        limits: Float64 | None,
        *,
        continuous: bool = False,
    ) -> None:
        """Write the angles of rotations (T, R, 3, 3) into controls (T, N).

        Of all angles of a rotation those that exceed the limits (N, 2) least, then those nearest to zero, or to the
        frame before (``continuous``).
        """
        turned = np.asarray(matrices, np.float64)
        for r, (columns, order) in enumerate(zip(self.columns, self.orders, strict=True)):
            within = np.tile(FREE, (3, 1)) if limits is None else np.asarray(limits, np.float64)[columns]
            controls[:, columns] = fit_angles(np.ascontiguousarray(turned[:, r]), order, within, continuous)

    def mean(self, controls: NDArray[np.floating[Any]]) -> Float64:
        """(R, 3, 3) rotations nearest to all frames' (chordal mean; never an average of angles)."""
        if not len(self):
            return np.zeros((0, 3, 3))
        return nearest_rotation(self.matrices(controls).mean(axis=0))

    def _chosen(self, order: str) -> NDArray[np.intp]:
        return np.array([r for r, own in enumerate(self.orders) if own == order], np.intp)
