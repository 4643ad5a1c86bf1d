"""Captured clips on another body, three ways: ``python -m benchmarks.systems.ik.motion CLIPS CHARACTER [--write]``.

CLIPS is a folder of BVH files of people of other proportions, CHARACTER the folder of the figure Antonia (65 joints,
channels with limits). A clip asks for the joints' positions if her bones turn as the actor's do and nothing is clipped
(``Retargeted.positions``). Rows:

- clipped: retargeting by rotation, each channel clipped to its range
- clipped, feet locked: the same, then ``rc.ik.foot_lock``, which knows no limits
- solved: ``rc.ik.solve_motion`` with feet

"Beyond a limit" is how far a channel is outside its range, "slide" the farthest that a toe is from where its contact
begins. A pop is a joint that turns in one frame by 8 degrees more than its largest turn within three frames in the
clipped clip.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.body.antonia import antonia
from rigcast._timing import machine
from rigcast.ik._foot_lock import largest_slide
from rigcast.ik._joint_model import joint_model
from rigcast.sources import SkinnedRig

CLIPS = ["01_01", "jumping_jacks", "dab", "zombie", "jumping", "wave_hello"]
FEET = [[f"{side}{joint}" for joint in ("Thigh", "Shin", "Foot", "Toe")] for side in "lr"]
FPS = 40.0  # at most: faster clips are thinned
ROOM = 30.0  # meters that the character may walk
POP = 8.0  # degrees
NEAR = 3  # frames
PAGE = "docs/benchmarks/inverse_kinematics.md"


@dataclass(frozen=True)
class Case:
    """A clip on the character: what is wanted, and retargeting by rotation."""

    name: str
    rig: SkinnedRig
    joints: list[str]
    positions: NDArray[np.float64]  # (T, M, 3)
    clipped: rc.sources.Retargeted
    fps: float

    @classmethod
    def load(cls, name: str, clips: Path, character: Path, most_frames: int | None = None) -> Case:
        """A clip of the folder, thinned to at most 40 frames per second."""
        motion = rc.sources.load_bvh(Path(clips) / f"{name}.bvh.gz").motion()
        motion = motion[:: max(1, round(1 / (motion.frame_time * FPS)))][:most_frames]
        rig = walking(antonia(character, root_motion=True))
        names = rc.sources.joint_map(motion.joint_names, rig.skeleton.names)
        made = rc.sources.retarget(motion, rig, names, root_translation=True)
        joints = list(names.values())
        chosen = [rig.skeleton.names.index(joint) for joint in joints]
        return cls(name, rig, joints, made.positions[:, chosen], made, 1.0 / motion.frame_time)


def walking(rig: SkinnedRig) -> SkinnedRig:
    """The rig with room to walk."""
    channels = [replace(c, low=-ROOM, high=ROOM) if c.kind.startswith("translate") else c for c in rig.channels]
    return SkinnedRig(
        rig.rest_vertices, rig.faces, rig.joints, skin=rig.skin, channels=channels, morphs=rig.morphs, facts=rig.facts
    )


def judge(case: Case, threads: int = 1) -> dict[str, float]:
    """Figures of the three ways, lengths in millimeters."""
    model = joint_model(
        "benchmark", case.rig, range(len(case.rig.skeleton.names)), np.zeros((case.rig.skeleton.num_joints, 3))
    )
    plain = model.poses_from_channels(case.clipped.channels)
    lock = rc.ik.foot_lock(case.rig.skeleton, plain, FEET, fps=case.fps)
    begin = time.perf_counter()
    made = rc.ik.solve_motion(
        case.rig, case.positions, case.joints, fps=case.fps, feet=FEET, start=case.clipped.channels, threads=threads
    )
    seconds = time.perf_counter() - begin
    result: dict[str, float] = {"frames": len(case.positions), "joints": len(case.joints)}
    for way, poses in (("clipped: ", plain), ("locked: ", lock.poses), ("", made.poses)):
        places = model.evaluate(poses).astype(np.float64)
        missed = np.linalg.norm(
            places[:, [case.rig.skeleton.names.index(j) for j in case.joints]] - case.positions, axis=2
        )
        toes = [case.rig.skeleton.names.index(foot[3]) for foot in FEET]
        contacts = made.contacts if way == "" else lock.contacts
        slides = [largest_slide(places[:, toe], on) for toe, on in zip(toes, contacts.T, strict=True)]
        result |= {
            f"{way}error mm": 1e3 * float(missed.mean()),
            f"{way}largest error mm": 1e3 * float(missed.max()),
            f"{way}slide mm": 1e3 * max(slides),
            f"{way}pops": float(np.count_nonzero(turns(poses, model) > calm(turns(plain, model)) + POP)),
        }
    ranges = case.rig.channel_ranges
    locked = model.channels_from_poses(lock.poses)[0]
    result["wanted: degrees beyond a limit"] = float(case.clipped.excess.max())
    result["locked: degrees beyond a limit"] = beyond(locked, ranges)
    result["degrees beyond a limit"] = beyond(made.channels, ranges)
    result["converged"] = float(made.converged.mean())
    result["frames per second"] = len(case.positions) / seconds
    return result


def beyond(channels: NDArray[np.floating[Any]], ranges: NDArray[np.float64]) -> float:
    """The farthest that a channel is outside its range; rounding of float32 counts as 0."""
    away = np.maximum(ranges[:, 0] - channels, channels - ranges[:, 1])
    return float(max(np.where(away > 1e-3, away, 0.0).max(), 0.0))


def turns(poses: NDArray[np.float32], model: rc.Deformer) -> NDArray[np.float64]:
    """Degrees (T - 1, J) by which joints turn from frame to frame."""
    count = model.skeleton.num_joints
    linear = poses[:, : 12 * count].reshape(len(poses), count, 3, 4)[..., :3].astype(np.float64)
    chord = np.linalg.norm(np.diff(linear, axis=0), axis=(2, 3)) / np.sqrt(8.0)
    return np.asarray(2 * np.degrees(np.arcsin(np.minimum(chord, 1.0))))


def calm(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest step within some frames."""
    padded = np.pad(steps, ((NEAR, NEAR), (0, 0)), mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * NEAR + 1, axis=0).max(axis=-1))


def table(rows: dict[str, dict[str, float]]) -> str:
    """The figures as Markdown."""
    ways = [("clipped", "clipped: "), ("clipped, feet locked", "locked: "), ("solved", "")]
    lines = [
        "| clip | way | error, mean / largest | slide | beyond a limit | pops |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for clip, figures in rows.items():
        for way, key in ways:
            limit = 0.0 if key == "clipped: " else figures[f"{key}degrees beyond a limit"]
            head = f"{clip}, {figures['frames']:.0f} frames" if key == "clipped: " else ""
            lines.append(
                f"| {head} | {way} | {figures[key + 'error mm']:.1f} / {figures[key + 'largest error mm']:.0f} mm "
                f"| {figures[key + 'slide mm']:.2f} mm | {limit:.1f} degrees | {figures[key + 'pops']:.0f} |"
            )
    speed = np.median([figures["frames per second"] for figures in rows.values()])
    wanted = max(figures["wanted: degrees beyond a limit"] for figures in rows.values())
    note = (
        f"Before clipping, channels go up to {wanted:.0f} degrees beyond their limits. `solve_motion`: {speed:.0f} "
        "frames per second on one thread (median of clips)."
    )
    return "\n".join([*lines, "", note, "", machine()])


def main() -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", type=Path)
    parser.add_argument("character", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write into {PAGE}")
    chosen = parser.parse_args()
    text = table({name: judge(Case.load(name, chosen.clips, chosen.character)) for name in CLIPS})
    print(text)
    if chosen.write:
        write_between_marks("clips", text)


if __name__ == "__main__":
    main()
