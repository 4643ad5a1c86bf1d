"""Names of the columns of a pose row."""

from __future__ import annotations

from collections.abc import Sequence

ENTRIES = tuple(f"m{row}{column}" for row in range(3) for column in range(4))


def pose_names(joint_names: Sequence[str], numeric_names: Sequence[str] = ()) -> list[str]:
    """Names of the C = 12 J + K columns of a pose.

    Twelve columns per joint, ``joint.m00`` to ``joint.m23`` (the parent-relative 3x4 transform, row-major,
    ``m03 m13 m23`` the translation), joints in skeleton order, then the numeric controls.

    Parameters
    ----------
    joint_names, numeric_names : sequence of str

    Returns
    -------
    list of str
    """
    return [f"{joint}.{entry}" for joint in joint_names for entry in ENTRIES] + list(numeric_names)


def num_dials(num_columns: int, num_joints: int) -> int:
    """The K of the C = 12 J + K columns of a pose."""
    return num_columns - len(ENTRIES) * num_joints
