"""Files of learned inverse kinematics among models."""

from __future__ import annotations

from pathlib import Path

from rigcast import _core


def is_face_ik(path: Path) -> bool:
    """True if a file holds learned inverse kinematics. Files that are no models return False; opening them raises."""
    try:
        return '"face_ik"' in str(_core.TensorFile.read(path).metadata)
    except ValueError:
        return False
