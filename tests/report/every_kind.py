"""A small report of each kind, for tests that are about all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import rigcast as rc
from tests.support.characters.mapped_face import clip_data, random_data
from tests.support.characters.plain_face import plain_face
from tests.support.characters.second_face import first_face, second_neutral, second_truth
from tests.support.made.mapped_models import mapped_model
from tests.support.made.players import face_synth
from tests.training.differential_training import learn
from tests.training.small_face import SmallFace

FRAMES = 24


def body(path: Path) -> None:
    """The arm beside linear skinning, on random poses and a swing, with simple methods."""
    arm, folder = rc.sources.example_body(), path.parent
    learned = rc.sampling.sample(arm, folder / "learned.rwdata", count=60, seed=0)
    held = rc.sampling.sample(arm, folder / "held.rwdata", count=12, seed=1)
    low, high = arm.channel_ranges.T
    swing = np.sin(np.linspace(0, 2 * np.pi, FRAMES))[:, None] * 0.4 * high
    played = rc.sampling.Animation(np.clip(swing, low, high))
    animation = rc.sampling.sample(arm, folder / "swing.rwdata", sampler=played, probe=0)
    rc.baselines.pca_regression(learned, 6, features="quadratic").save(folder / "arm.safetensors")
    rc.baselines.linear_blend(learned, influences=2).save(folder / "two.safetensors")
    baselines = [folder / "two.safetensors"]
    rc.report.write_body(
        path, [folder / "arm.safetensors"], held, animation=animation, training=learned, baselines=baselines
    )


def face_maps(path: Path) -> None:
    """A face on deformation maps."""
    training = clip_data(path.parent / "training.rwdata", frames=20, count=3)
    mapped_model(training).save(path.parent / "head.safetensors")
    data = random_data(path.parent / "unseen.rwdata", 12)
    rc.report.write_body(path, [path.parent / "head.safetensors"], data, training=training)


def differential(path: Path) -> None:
    """A face in a differential subspace."""
    training = rc.sampling.sample(SmallFace(), path.parent / "faces.rwdata", count=60, seed=0, probe=1)
    learn(training, components=8, steps=5).save(path.parent / "face.safetensors")
    data = rc.sampling.sample(SmallFace(), path.parent / "other.rwdata", count=12, seed=1, probe=0)
    rc.report.write_body(path, [path.parent / "face.safetensors"], data)


def shot(path: Path) -> None:
    """A solved shot, with two methods compared."""
    face, curves = plain_face(), np.linspace(0.0, 1.0, FRAMES)[:, None]
    weights = 0.5 + 0.5 * np.sin(6.0 * curves + np.arange(plain_face().num_shapes))
    meshes = face.evaluate(weights.astype(np.float32))
    found = rc.inverse.solve(face, meshes)
    rc.report.write_shot(path, face, meshes, solution=found, methods=["descent", "mm"])


def transfer(path: Path) -> None:
    """A transfer beside true shapes."""
    made = rc.transfer.transfer_rig(first_face(), second_neutral())
    rc.report.write_transfer(path, rc.report.measure_transfer(first_face(), made, truth=second_truth()))


def doubtful_transfer(path: Path) -> None:
    """A transfer that nothing true is known of."""
    made = rc.transfer.transfer_rig(first_face(), second_neutral())
    rc.report.write_transfer(path, rc.report.measure_transfer(first_face(), made))


def synthesis(path: Path) -> None:
    """Labels of a face, with transitions and idling."""
    rc.report.write_synthesis(path, face_synth(), transitions=2, seconds=1.0)


def face_ik(path: Path) -> None:
    """Learned inverse kinematics, judged on the rig."""
    face = rc.faces.example()
    settings = rc.training.FaceIkSettings(hidden=16, rows=400, batch=64, bins=1, noise=1e-3)
    ik = rc.training.face_ik(face, np.arange(0, len(face.rest_vertices), 60), steps=10, threads=1, settings=settings)
    rc.report.write_face_ik(path, ik, face, rig=face)


def capture(path: Path) -> None:
    """A capture of a rendered actor."""
    cast = rc.capture.example_cast()
    filmed = rc.capture.film(cast.actor(3), rc.capture.ShotPlan(frames=8, size=96))
    points = np.array(filmed.labels["landmarks_2d"], np.float64)
    tracks = rc.capture.Tracks(points, np.ones(points.shape[:2]), 25.0, (96, 96))
    found = rc.capture.solve(cast.character, tracks, cast.landmarks, focal=float(filmed.labels["focal"]), neutral=0)
    rc.report.write_capture(path, cast.character, found, points=tracks, pictures=filmed.color)


def contact_sheet(path: Path) -> None:
    """What an actor is asked to pose."""
    face = plain_face()
    plan = rc.transfer.pack_expressions(face.rest_vertices, face.rest_vertices + face.columns(), face.faces)
    rc.report.write_contact_sheet(path, plan, face)


KINDS: dict[str, Callable[[Path], None]] = {
    "body": body,
    "face_maps": face_maps,
    "differential": differential,
    "shot": shot,
    "transfer": transfer,
    "doubtful_transfer": doubtful_transfer,
    "synthesis": synthesis,
    "face_ik": face_ik,
    "capture": capture,
    "contact_sheet": contact_sheet,
}
