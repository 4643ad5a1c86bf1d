"""The files that the examples of all commands read: small, and made without a command."""

from __future__ import annotations

import contextlib
import importlib.util
import json
from pathlib import Path

import numpy as np

import rigcast as rc
from rigcast._extras import MissingExtra
from rigcast.capture._actors.folder import png
from rigcast.capture._video.ffmpeg import write_video
from tests.demo.published import small_ict
from tests.support.blender import has_blender
from tests.support.characters import dog
from tests.support.characters.cylinder import CylinderRig
from tests.support.characters.lid import lid_file
from tests.support.characters.mapped_face import clip_data, random_data
from tests.support.characters.plain_face import plain_face
from tests.support.characters.second_face import second_face_files
from tests.support.made.cylinder_models import cylinder_file, learned_looking_body
from tests.support.made.mapped_models import mapped_model
from tests.support.trained import kept


def example_files() -> Path:
    """The folder that holds them; it must not be changed."""
    return kept("examples", make_files, dog.SCRIPT.read_bytes())


def make_files(place: Path) -> None:
    cylinder_file(place / "hero.npz")
    cylinder_file(place / "limb.npz", bulge=0.0)
    lid_file(place / "lid.npz")
    (place / "jobs.toml").write_text(JOBS)
    (place / "joints.json").write_text(json.dumps({name: name for name in CylinderRig().joint_names}))
    hero = rc.sources.load(place / "hero.npz")
    data = rc.sampling.sample(hero, place / "hero.rwdata", count=400, seed=0)
    rc.sampling.sample(hero, place / "held_out.rwdata", count=60, seed=1, probe=0)
    cylinder = CylinderRig()
    cylinder.dial_names = []  # the file has none
    learned_looking_body(cylinder, data_hash=data.hash, channels=data.channel_entry).save(place / "hero.safetensors")
    goals_files(place, rc.load(place / "hero.safetensors"))
    (place / "stages").mkdir()
    with contextlib.suppress(MissingExtra):
        for name in ("hero.usda", "stage.usda"):
            rc.exports.write_character(place / name, place / "hero.safetensors")
    mapped_model(clip_data(place / "head.rwdata", frames=20, count=3)).save(place / "head.safetensors")
    random_data(place / "head_held_out.rwdata", 10)
    face = plain_face()
    face.save(place / "face.safetensors")
    if importlib.util.find_spec("torch"):
        few = rc.training.FaceIkSettings(hidden=8, rows=64, batch=16, bins=1)
        points = np.arange(0, len(face.rest_vertices), 40)
        rc.training.face_ik(face, points, steps=1, threads=1, settings=few).save(place / "face_ik.safetensors")
    weights = np.random.default_rng(0).uniform(0, 1, (12, face.num_shapes))
    np.save(place / "take.npy", face.evaluate(weights))
    points_files(place, face)
    rc.faces.example().save(place / "arkit.safetensors")
    if importlib.util.find_spec("imageio_ffmpeg"):
        plan = rc.capture.ShotPlan(frames=6, size=160)
        write_video(place / "webcam.mp4", iter(rc.capture.film(rc.capture.example_cast().actor(1), plan).color), 30.0)
    (place / "ratings.csv").write_text(RATINGS)
    speeds = np.linspace(0.1, 0.3, face.num_shapes)
    clips = {
        name: 0.5 + size * np.sin(np.arange(72)[:, None] * speeds) for name, size in (("calm", 0.1), ("lively", 0.4))
    }
    for name, clip in clips.items():
        np.save(place / f"{name}.npy", clip)
    short = {"dimensions": 2, "components": 3, "iterations": 10, "held_out": False}
    rc.synthesis.fit({name: [clip] for name, clip in clips.items()}, rig=face, **short).save(
        place / "moods.safetensors"
    )
    rc.exports.write_blendshape_weights(place / "weights.npz", face, weights)
    rc.exports.write_blendshape_weights(place / "smooth.glb", face, weights)
    shapes = face.rest_vertices + face.columns()
    rc.transfer.pack_expressions(face.rest_vertices, shapes, face.faces, names=face.shape_names).save(
        place / "plan.json"
    )
    second_face_files(place)
    small_ict(place / "ICT-FaceKit")
    if has_blender():
        dog.dog_files(place)
        rc.exports.write_rig(place / "face.blend", face)


def points_files(place: Path, face: rc.BlendshapeRig) -> None:
    """Points of a shot before a camera, as a detector writes them, and their vertices."""
    chosen = np.arange(0, len(face.rest_vertices), max(1, len(face.rest_vertices) // 40))
    size = float(np.ptp(face.rest_vertices, axis=0).max())
    weights = np.linspace(0, 0.5, 12)[:, None] * np.ones(face.num_shapes)
    shown = face.evaluate(weights)[:, chosen] - face.rest_vertices.mean(axis=0) - [0, 0, 4 * size]
    pixels = np.array([320, 240]) + 800 * shown[:, :, :2] / shown[:, :, 2:] * [-1, 1]
    names = ",".join(f"x_{i},y_{i}" for i in range(len(chosen)))
    np.savetxt(place / "points.csv", pixels.reshape(12, -1), fmt="%.3f", delimiter=",", header=names, comments="")
    (place / "map.json").write_text(json.dumps(chosen.tolist()))
    rc.capture.solve(face, pixels, chosen, size=(640, 480), neutral=0, focal=800).save(place / "captured.npz")
    front = np.diag([1.0, -1.0, -1.0])
    away = -front @ (face.rest_vertices.mean(axis=0) + np.array([0, 0, 4 * size]))
    camera = rc.render.Camera(640, 480, focal=800, rotation=front, translation=away)
    (place / "frames").mkdir()
    shown = face.evaluate(weights.astype(np.float32))
    for t, picture in enumerate(rc.render.render(shown, face.faces, camera).color):
        (place / "frames" / f"{t:03}.png").write_bytes(png(picture))


JOBS = """
[[jobs]]
name = "shot"
command = "solve"
arguments = ["face.safetensors", "take.npy", "--fps", 30, "-o", "weights.npz"]

[[jobs]]
command = "info"
each = "*.npz"
arguments = ["{path}"]
"""


RATINGS = "person,unit,activation,rating\n" + "".join(
    f"p{person:02d},{unit},{level},{min(9, 1 + person % 3 + int(size * level))}\n"
    for person in range(1, 9)
    for unit, size in (("Neutral", 0), ("Smile", 3 + 0.3 * person), ("Frown", 2))
    for level in (0.4, 1.0)
)


def goals_files(place: Path, model: rc.Deformer) -> None:
    """Targets for three vertices over five frames, as both formats."""
    low, high = np.array([(c.low, c.high) for c in model.channels]).T
    rows = np.linspace(0.0, 0.3, 5)[:, None] * np.where(high > -low, high, low)
    vertices = np.array([30, 90, 140])
    targets = model.evaluate(model.poses_from_channels(rows))[:, vertices].astype(np.float64)
    np.savez(place / "goals.npz", targets=targets, vertices=vertices, fps=24.0)
    lines = [f"{t},{v},{x},{y},{z}" for t in range(5) for v, (x, y, z) in zip(vertices, targets[t], strict=True)]
    (place / "goals.csv").write_text("frame,vertex,x,y,z\n" + "\n".join(lines) + "\n")
