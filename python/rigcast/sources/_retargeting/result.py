"""The result of retargeting, with its notes on itself."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.rotations import Float64
from rigcast._shown import Described, counted
from rigcast.sources._retargeting.checking import Followed

FAR, TURNED = 0.2, 10.0  # of the rig's reach, and degrees: joints that turn so little wrong are so far away
MIRRORED = "the motion's figure looks like a mirror image of the rig's: its left joints lie where right ones should"
UNMIRRORED = "the motion is mirrored by a negative scale, which is taken away"
NOTHING = Followed(np.zeros(0, np.intp), [], np.zeros((0, 0)), np.zeros((0, 0)))


@dataclass(frozen=True, repr=False)
class Retargeted(Described):
    """Channels, and how far they miss the motion.

    Attributes
    ----------
    channels : (T, N) float64 array
        Inside the rig's ranges, but for the root of a body (see :func:`retarget`).
    frame_time : float, seconds
    excess : (T, N) float64 array
        Degrees (or units) that were cut off to keep a channel inside its range.
    joint_names : list of the mapped joints that have channels
    miss : (T, len(joint_names)) float64 array
        Angle in degrees between the wanted local rotation and the one that the channels give.
    still : list of mapped joints without rotation channels, left at rest
    positions : (T, J, 3) float64 array
        World positions of the rig's joints, in skeleton order, if nothing is clipped and no axis is missing: targets
        for :func:`rigcast.ik.solve_motion`.
    followed : Followed
        How far the joints that deform the rig are from the motion, in some frames.
    controls : dict from joint of ``followed`` to the mapped joint or control that moves it
    switches : dict from channel name to the value that it has in all frames
        Of properties that were set for the controls to act, as those that change from IK to FK.
    beyond : dict from channel name to how far it leaves its range
        Channels of the root, which are not clipped.
    rootless : str
        Why the root does not go the motion's way; empty if it does.
    joint_map : dict from the motion's joints to the rig's joints or controls
    rest_frame : int
        The frame that stands for the motion's rest pose, -1 for its own.
    aligned : dict from the motion's limb joints to degrees
        How far each pointed elsewhere at rest than the rig's: their directions are matched.
    mirror : str
        A sentence if the motion is mirrored, or its figure seems to be.
    tilt : float
        Degrees by which the motion's figure leans at rest as a whole, compared with the rig; 0 if only limbs differ.
    """

    channels: Float64
    frame_time: float
    excess: Float64
    joint_names: list[str]
    miss: Float64
    still: list[str]
    positions: Float64 = field(default_factory=lambda: np.zeros((0, 0, 3)))
    followed: Followed = NOTHING
    controls: dict[str, str] = field(default_factory=dict)
    switches: dict[str, float] = field(default_factory=dict)
    beyond: dict[str, float] = field(default_factory=dict)
    rootless: str = "it was not asked for"
    joint_map: dict[str, str] = field(default_factory=dict)
    rest_frame: int = -1
    aligned: dict[str, float] = field(default_factory=dict)
    mirror: str = ""
    tilt: float = 0.0

    def _facts(self) -> list[str]:
        frames, channels = self.channels.shape[:2]
        return [counted(frames, "frame", "frames"), counted(channels, "channel", "channels"), self.summary()]

    def summary(self) -> str:
        """One sentence on clipping, and on what the joints that deform the rig miss."""
        if not self.miss.size:
            return "nothing was retargeted"
        cut = np.flatnonzero(self.excess.max(axis=0))
        clipped = f"{len(cut)} of {self.channels.shape[1]} channels were clipped"
        degrees, far = self.followed.degrees, self.followed.millimeters
        if not degrees.size:
            return f"{clipped}; no joint follows the channels"
        names = self.followed.joint_names
        turned, placed = (names[int(np.nan_to_num(values).max(axis=0).argmax())] for values in (degrees, far))
        return (
            f"{clipped}; deforming joints miss the motion's turns by {degrees.mean():.1f} degrees on average, "
            f"{degrees.max():.1f} at worst ({turned})"
        ) + (
            f", its places by {np.nanmean(far):.0f} mm on average, {np.nanmax(far):.0f} at worst ({placed})"
            if np.isfinite(far).any()
            else ""
        )

    def lines(self) -> list[str]:
        """Further notes, a line per kind: switches that were set, a root that leaves its ranges."""
        found = []
        if self.rest_frame >= 0:
            found.append(f"frame {self.rest_frame} stands for its rest pose")
        if self.mirror == UNMIRRORED:  # a mirror image is warned of
            found.append(self.mirror)
        if self.tilt > TURNED:
            found.append(
                f"its figure rests {self.tilt:.0f} degrees from upright, so the rig leans as much when it "
                "stands: --rest-frame N takes a frame for its rest pose"
            )
        apart = {name: angle for name, angle in self.aligned.items() if angle > TURNED}
        if apart:
            values = ", ".join(f"{name} {angle:.0f}" for name, angle in list(apart.items())[:8])
            found.append(f"limbs that rest in other directions are aligned, degrees: {values}")
        if self.switches:
            values = ", ".join(f"{name} {value:g}" for name, value in self.switches.items())
            found.append(f"set in all frames, so that the controls act: {values}")
        if self.beyond:
            values = ", ".join(f"{name} by {value:.3g}" for name, value in self.beyond.items())
            found.append(f"the root is not clipped and leaves its ranges, in degrees or the rig's unit: {values}")
        far = self.followed.millimeters
        if (
            np.isfinite(far).any()
            and np.nanmean(far) > FAR * self.followed.reach
            and self.followed.degrees.mean() < TURNED
        ):
            found.append(
                "the joints turn as the motion's do, but are not where it has them: it seems to be at rest in another "
                "pose than the rig"
            )
        return found

    def report(self) -> dict[str, object]:
        """The figures as plain values, per joint too: what ``--json`` prints.

        Returns
        -------
        dict
            ``degrees_mean``, ``degrees_max``, ``mm_mean``, ``mm_max`` of all joints, and of each in ``joints``; None
            where nothing was compared. The other entries are the attributes of this class.
        """
        degrees, far = self.followed.degrees, self.followed.millimeters
        placed: NDArray[np.bool_] = np.asarray(np.isfinite(far).all(axis=0))
        joints = {
            name: {
                "control": self.controls[name],
                **_figures("degrees", degrees[:, [n]]),
                **_figures("mm", far[:, [n]][:, placed[[n]]]),
            }
            for n, name in enumerate(self.followed.joint_names)
        }
        return {
            "joint_map": self.joint_map,
            "frames_compared": len(self.followed.frames),
            **_figures("degrees", degrees),
            **_figures("mm", far[:, placed]),
            "joints": joints,
            "clipped": int((self.excess.max(axis=0, initial=0.0) > 0).sum()),
            "switches": self.switches,
            "root_beyond_ranges": self.beyond,
            "root_still_because": self.rootless,
            "no_channels": self.still,
            "rest_frame": self.rest_frame,
            "aligned_degrees": self.aligned,
            "mirror": self.mirror,
            "tilt_degrees": self.tilt,
        }


def _figures(unit: str, values: Float64) -> dict[str, float | None]:
    return {
        f"{unit}_mean": float(values.mean()) if values.size else None,
        f"{unit}_max": float(values.max()) if values.size else None,
    }
