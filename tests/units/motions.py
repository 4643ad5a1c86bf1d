"""What is computed with motion and written of it, in the character's own unit whatever the scale of its lengths."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import rigcast as rc
from rigcast.sources import Facts, Joints, SkinnedRig
from tests.support.characters.dancer import LEGS, LOCAL, NAMES, PARENTS, REST, body, dance
from tests.units.scaled import CYLINDER, Scaled, samples

SAME = {name: name for name in NAMES}
FPS = 25.0


def scaled_body(scale, limit=180.0):
    """The dancer in another unit."""
    plain, local = body(limit), np.array(LOCAL)
    local[..., 3] *= scale
    joints = Joints(NAMES, PARENTS, local)
    channels = [
        replace(channel, low=scale * channel.low, high=scale * channel.high) if channel.name[-2] == "t" else channel
        for channel in plain.channels
    ]
    return SkinnedRig(
        scale * REST, plain.faces, joints, skin=plain.skin, channels=channels, morphs=[], facts=Facts("", 1.0 / scale)
    )


def scaled_dance(scale):
    """A dance on its way, in another unit."""
    clip = dance(24)
    local, rest = clip.local.copy(), clip.rest.copy()
    local[:, 0, :, 3] += np.linspace(0, 2, 24)[:, None] * [0.3, 0.0, 1.0]
    local[..., 3] *= scale
    rest[..., 3] *= scale
    return replace(clip, local=local, rest=rest)


def retargeted(motion, rig, limit=180.0):
    """Channels, places, and misses of a retargeted dance, lengths in the rig's own unit."""
    made = rc.sources.retarget(scaled_dance(motion), scaled_body(rig, limit), SAME, root_translation=True)
    shifts = np.array([name[-2] == "t" for name in scaled_body(1.0).channel_names])
    channels = np.where(shifts, made.channels / rig, made.channels)
    far = np.nan_to_num(made.followed.millimeters)
    return np.concatenate([np.ravel(part) for part in (channels, made.positions / rig, made.miss, far)])


def solved(scale):
    rig = scaled_body(scale, limit=40.0)
    made = rc.sources.retarget(scaled_dance(scale), rig, SAME)
    found = rc.ik.solve_motion(rig, made.positions, NAMES, fps=FPS, start=made.channels, max_iterations=10)
    return rig.skeleton.globals(rig.sample(found.channels)[0])[..., 3] / scale


def locked(scale):
    rig = scaled_body(scale)
    made = rc.sources.retarget(scaled_dance(scale), rig, SAME)
    legs = LEGS[:3]
    found = rc.ik.solve_motion(
        rig, made.positions, NAMES, fps=FPS, start=made.channels, feet=[[*legs, legs[-1]]], max_iterations=5
    )
    return rig.skeleton.globals(rig.sample(found.channels)[0])[..., 3] / scale


def synthesizer(scale):
    steps = np.arange(160)[:, None] * np.array([0.2, 0.3, 0.25])
    clip = scale * (np.sin(steps) + 2.0)
    return rc.synthesis.fit({"idle": [clip]}, 24.0, iterations=10, held_out=False)


def graphed(scale):
    graph = rc.baselines.motion_graph(synthesizer(scale))
    return np.append(graph.player(seed=1, label="idle").step(60) / scale, [graph.threshold / scale, graph.share_pruned])


def matched(scale):
    found = rc.baselines.motion_matching(synthesizer(scale)).player(seed=1, label="idle").step(60)
    faded = rc.baselines.cross_fade(synthesizer(scale), seed=1, label="idle").step(60)
    return np.concatenate([found, faded]) / scale


def written(scale, ending, as_vertices=False):
    """Vertices of a shot that was written and read, in the cylinder's own unit."""
    rig = Scaled(scale)
    model = rc.LinearBlendSkinning(rig.skeleton, rig.rest_vertices, rig.faces, CYLINDER.weights)
    playback = rc.exports.Playback(model, samples(scale).poses[:12, :48])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"shot.{ending}"
        about = {"meters_per_unit": rig.meters_per_unit, "up_axis": rig.up_axis, "as_vertices": as_vertices}
        notes = rc.exports.write_vertices(path, playback, model.faces, fps=FPS, **about)
        shot = rc.sources.load_shot(path)
    unit = 1.0 if ending == "glb" else shot.meters_per_unit or rig.meters_per_unit
    targets = [float(note.split()[0]) for note in notes if "morph target" in note]
    return np.append(shot.vertices.astype(np.float64) * unit / CYLINDER.meters_per_unit, targets)


def skeletal(scale, ending):
    """Places of the joints of a motion that was written and read, in the dancer's own unit."""
    rig = scaled_body(scale)
    rows = np.zeros((5, len(rig.channel_names)))
    rows[:, ::7] = np.linspace(0, 40, 5)[:, None]
    rows[:, [name[-2] == "t" for name in rig.channel_names]] = scale * np.linspace(0, 2, 5)[:, None]
    with tempfile.TemporaryDirectory() as folder:
        rc.exports.write_motion(Path(folder) / f"motion.{ending}", rig, rows, fps=FPS)
        motion = rc.sources.load_motion(Path(folder) / f"motion.{ending}")
    order = [motion.joint_names.index(name) for name in NAMES]
    return motion.globals()[:, order][..., 3] / (1.0 if ending == "glb" else scale)


MOTIONS = {
    "retarget": lambda scale: retargeted(scale, scale),
    "retarget of a motion": lambda scale: retargeted(scale, 1.0),
    "retarget onto a rig": lambda scale: retargeted(1.0, scale),
    "retarget with limits": lambda scale: retargeted(scale, scale, limit=20.0),
    "solve_motion": solved,
    "solve_motion with feet": locked,
    "motion_graph": graphed,
    "motion_matching, cross_fade": matched,
    "write_vertices .glb of joints": lambda scale: written(scale, "glb"),
    "write_vertices .glb": lambda scale: written(scale, "glb", as_vertices=True),
    "write_vertices .mdd": lambda scale: written(scale, "mdd"),
    "write_vertices .usd of joints": lambda scale: written(scale, "usdc"),
    "write_vertices .usd": lambda scale: written(scale, "usdc", as_vertices=True),
    "write_motion .glb": lambda scale: skeletal(scale, "glb"),
    "write_motion .usd": lambda scale: skeletal(scale, "usdc"),
    "write_motion .bvh": lambda scale: skeletal(scale, "bvh"),
}
