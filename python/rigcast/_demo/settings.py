"""How large the demo is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Sizes and times of the demo.

    Attributes
    ----------
    poses : int
        Random poses to learn from.
    held_out : int
        Random poses to judge by.
    minutes : float
        Time to train.
    clip : int
        Frames of the face's clip, whose weights are found back.
    face_poses : int
        Random poses of the production face to learn from.
    face_minutes : float
        Time to train it; 0 leaves the face out.
    """

    poses: int = 3000
    held_out: int = 300
    minutes: float = 2.5
    clip: int = 300
    face_poses: int = 1500
    face_minutes: float = 2.0


FULL = Settings(minutes=5.0, face_poses=3000, face_minutes=10.0)
QUICK = Settings(poses=300, held_out=40, minutes=0.7, clip=60, face_minutes=0.0)
