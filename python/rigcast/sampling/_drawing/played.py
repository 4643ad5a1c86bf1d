"""Actions of a character's file as the host plays them, as a data set: one row per frame."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.motions.action import distinct_actions
from rigcast._rigs.rig import Rig
from rigcast._validate import bad_argument
from rigcast.progress import ProgressOption
from rigcast.sampling._dataset import Dataset
from rigcast.sampling._drawing.animation import Animation
from rigcast.sampling._drawing.clips import Clip
from rigcast.sampling._job import sample

if TYPE_CHECKING:
    from rigcast._core import Skeleton

KEPT = ("name", "licence", "origin", "meters_per_unit", "up_axis", "skeleton", "dial_names", "rest_vertices", "faces",
        "resting", "surface", "notes")  # fmt: skip


class PlayedAction:
    """A rig whose only channel is the frame: poses and vertices are those that were played.

    Parameters
    ----------
    rig : Rig
        With ``actions`` and ``played``, as the rigs of .blend and .glb files have.
    actions : sequence of str or (T, N) arrays
        Played, or sampled, one after another.
    """

    channel_names: list[str]
    channel_ranges: NDArray[np.float64]
    dial_names: list[str]
    skeleton: Skeleton | None
    rest_vertices: NDArray[np.float32]
    faces: NDArray[np.int32]

    def __init__(self, rig: Any, actions: Sequence[str | NDArray[np.float64]]) -> None:
        for name in KEPT:
            if hasattr(rig, name):
                setattr(self, name, getattr(rig, name))
        answers = [rig.played(item) if isinstance(item, str) else rig.sample(item) for item in actions]
        self._poses = np.concatenate([poses for poses, _ in answers])
        self.clip = np.repeat(np.arange(len(answers), dtype=np.int32), [len(poses) for poses, _ in answers])
        self.clips = [_clip(rig, item, number) for number, item in enumerate(actions, 1)]
        self._vertices = np.concatenate([vertices for _, vertices in answers])
        self.channel_names = ["frame"]
        self.channel_ranges = np.array([[0.0, max(1.0, len(self._poses) - 1.0)]])

    def __len__(self) -> int:
        return len(self._poses)

    def sample(self, channels: NDArray[np.floating[Any]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The frames (T, 1) that are asked for."""
        rows = np.asarray(channels)[:, 0].astype(np.int64)
        return self._poses[rows], self._vertices[rows]


def _clip(rig: Any, item: str | NDArray[np.float64], number: int) -> Clip:
    if not isinstance(item, str):
        return Clip(f"motion {number}")
    return Clip(item, rig.action(item).fps if hasattr(rig, "action") else None)


def sample_actions(
    rig: Rig,
    path: str | os.PathLike[str],
    actions: Sequence[str | NDArray[np.float64]] | None = None,
    *,
    overwrite: bool = False,
    progress: ProgressOption = None,
) -> Dataset:
    """Play actions of a character's own file into a data set to judge models by.

    The frames are what the host plays, with all that an action moves: bones without channels, object motion, cloth.
    Each action is a clip of the set (``ds.clips``, ``ds.clip``). Its only channel is the number of the frame; to learn
    from an action, sample its channels (``Animation.of([rig.action(name)], noise)``).

    Parameters
    ----------
    rig : Rig
        Of a .blend or .glb file.
    path : path-like
        The folder, by custom ``name.rwdata``.
    actions : sequence of str or (T, N) arrays, optional
        Names, or channel rows of any other motion. Default: all actions of the file, one after another;
        those that the file plays together are one.
    overwrite : bool
        Replace the data set that the folder holds.
    progress : True or callable, optional
        See :func:`rigcast.progress.as_callback`.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If the rig has no actions, or none of that name.
    SourceError
        If the host fails.
    """
    known = list(getattr(rig, "actions", {}))
    chosen = distinct_actions(rig) if actions is None else list(actions)
    if not chosen or any(isinstance(item, str) and item not in known for item in chosen):
        listed = ", ".join(map(repr, known)) or "left out: the rig has none"
        raise bad_argument("sample_actions", "actions", repr(chosen), listed)
    played = PlayedAction(rig, chosen)
    frames = Animation(np.arange(len(played), dtype=np.float64)[:, None], clips=played.clips, clip=played.clip)
    return sample(played, path, sampler=frames, probe=0, overwrite=overwrite, progress=progress)
