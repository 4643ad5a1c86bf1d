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
    frames : int
        Frames of the walk, to judge by.
    minutes : float
        Time to train our variant.
    paper_minutes : float
        Time to train the paper's variant.
    clip : int
        Frames of the face's clip, whose weights are found back.
    """

    poses: int = 3000
    held_out: int = 300
    frames: int = 80
    minutes: float = 5.0
    paper_minutes: float = 1.5
    clip: int = 300


QUICK = Settings(poses=300, held_out=40, frames=20, minutes=0.7, paper_minutes=0.3, clip=60)
