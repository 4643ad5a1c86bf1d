"""Biovision hierarchy files (``.bvh``, also gzipped): skeleton, channels in the order of the file, and motion.

A joint's rotations multiply in the order of its ``CHANNELS`` line, leftmost first. Position channels replace the
joint's ``OFFSET``: positions are absolute in files that have both.
"""

from __future__ import annotations

import gzip
import os
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.bvh_text import BvhJoint, BvhParser
from rigcast._formats.readers import existing_file
from rigcast._rigs.description import RigChannel
from rigcast._rigs.motions.motion import Motion, MotionFile
from rigcast._rigs.rotations import AXES, euler_to_matrix, transform_of
from rigcast._rigs.source_notes import opened
from rigcast._safe_reading import text_of
from rigcast._shown import Described, counted
from rigcast._validate import bad_argument

EXPANSION = 200  # unpacked bytes a packed byte may give: motion text packs 3 to 10 times
ALLOWANCE = 1 << 20


@dataclass(frozen=True, repr=False)
class Bvh(Described):
    """A parsed BVH file: a skeleton and its motion.

    Attributes
    ----------
    joints : list of BvhJoint, parents before children
    end_sites : list of (joint index, (3,) offset)
    values : (T, columns) float64 array, degrees and the file's length unit
    frame_time : float, seconds
    name : str
    notes : list of str
        What is odd about the file: frames that its header does not count, values that are no joint's, joints of one
        name (the later ones get a number), text that is not Unicode, a rate that is doubtful.
    channels : list of :class:`rigcast._rigs.description.RigChannel`
    channel_values : (T, N) float64 array
    """

    joints: list[BvhJoint]
    end_sites: list[tuple[int, NDArray[np.float64]]]
    values: NDArray[np.float64]
    frame_time: float
    name: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def channels(self) -> list[RigChannel]:
        """The file's channels, in its order, as those of a rig whose joints rest at their offsets.

        A rotation ranges over what its values reach; positions count from the joint's offset.
        """
        found: list[RigChannel] = []
        for index, joint in enumerate(self.joints):
            for name in joint.channels:
                kind = f"{'rotate' if name.endswith('rotation') else 'translate'}_{name[0].lower()}"
                values = self.channel_values[:, len(found)]
                low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
                found.append(RigChannel(f"{joint.name}.{name}", kind, index, low, high))
        return found

    @cached_property
    def channel_values(self) -> NDArray[np.float64]:
        """The frames (T, N) as values of :attr:`channels`."""
        result: NDArray[np.float64] = self.values.copy()
        for joint in self.joints:
            for k, name in enumerate(joint.channels):
                if name.endswith("position"):
                    result[:, joint.column + k] -= joint.offset[AXES.index(name[0])]
        return result

    def _facts(self) -> list[str]:
        return [
            counted(len(self.joints), "joint", "joints"),
            counted(self.values.shape[1], "channel", "channels"),
            f"{counted(len(self.values), 'frame', 'frames') or 'no frame'} of {self.frame_time:g} s",
        ]

    def motion(self) -> Motion:
        """The frames as parent-relative transforms; at rest all rotations are zero and offsets count."""
        rest = transform_of(np.eye(3), np.array([joint.offset for joint in self.joints]))
        local = np.tile(rest, (len(self.values), 1, 1, 1))
        for index, joint in enumerate(self.joints):
            columns = {name: joint.column + k for k, name in enumerate(joint.channels)}
            turns = [name for name in joint.channels if name.endswith("rotation")]
            order = "".join(name[0] for name in turns)
            local[:, index, :, :3] = euler_to_matrix(self.values[:, [columns[name] for name in turns]], order)
            for axis in range(3):
                if f"{AXES[axis]}position" in columns:
                    local[:, index, axis, 3] = self.values[:, columns[f"{AXES[axis]}position"]]
        parents = np.array([joint.parent for joint in self.joints], np.int32)
        names = [joint.name for joint in self.joints]
        return Motion(names, parents, rest, local, self.frame_time, self.name, tuple(self.notes))


def bvh_clips(path: Path) -> MotionFile:
    """The one motion of a file; at another rate it is resampled."""
    bvh = load_bvh(path)
    return MotionFile({bvh.name: lambda fps: bvh.motion().at(fps)})


def load_bvh(path: str | os.PathLike[str]) -> Bvh:
    """Read a ``.bvh`` or ``.bvh.gz`` file.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Bvh
        ``motion()`` gives transforms for :func:`rigcast.sources.retarget`. A file with more or fewer frames than its
        header says gives the whole frames that there are; ``notes`` says so.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the file is malformed, or has no whole frame where its header says that it has; the message names the line.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> notes = rc.exports.write_bvh("still.bvh", arm, np.zeros((2, 6)), fps=24)
    >>> bvh = rc.sources.load_bvh("still.bvh")
    >>> [joint.name for joint in bvh.joints]
    ['shoulder', 'elbow', 'wrist']
    """
    source = Path(path)
    text, foreign = _text(source)
    parser = BvhParser(text, str(source))
    if foreign:
        parser.notes.append("its text is not UTF-8: names are read as Latin-1")
    parser.hierarchy()
    frame_time, values = parser.motion()
    name = source.name.removesuffix(".gz").removesuffix(".bvh")
    return opened(source, Bvh(parser.joints, parser.end_sites, values, frame_time, name, parser.notes))


def _text(path: Path) -> tuple[str, bool]:
    existing_file(path, "load_bvh")
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        limit = EXPANSION * len(content) + ALLOWANCE
        try:
            with gzip.open(path) as stream:
                content = stream.read(limit + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise bad_argument(
                "load_bvh", "path", f"{path}: unreadable ({error})", "an intact gzip file", path
            ) from error
        if len(content) > limit:
            raise bad_argument("load_bvh", "path", f"{path}: more than {limit} bytes unpacked", "a motion file", path)
    try:
        return text_of(content)
    except ValueError as error:
        raise bad_argument("load_bvh", "path", f"{path}: unreadable ({error})", "text", path) from None
