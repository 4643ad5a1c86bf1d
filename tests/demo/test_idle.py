"""The demo's idling face: learned in seconds, lively, with blinks, made once."""

from __future__ import annotations

import os

import numpy as np
import pytest

import rigcast as rc
from examples.characters.face import build_face
from examples.demo.idle import FPS, LIDS, MOODS, SECONDS, idle_face, mood_clips
from rigcast.progress import Progress


@pytest.fixture
def folder(assets, tmp_path):
    build_face().save(tmp_path / "face.safetensors")
    return tmp_path


def test_the_face_idles_through_its_moods_and_is_made_once(folder):
    said: list[str] = []
    numbers = idle_face(folder, said.append, lambda progress: None)
    rig = rc.load(folder / "face.safetensors")
    weights, fps = rc.sources.load_blendshape_weights(folder / "face-idle.npz", rig)
    assert fps == FPS
    assert weights.shape == (SECONDS * FPS, rig.num_shapes)

    lids = weights[:, [rig.shape_names.index(name) for name in LIDS]].min(axis=1)
    blinks = np.count_nonzero(np.diff((lids > 0.5).astype(int)) == 1)
    assert 2 <= blinks <= 5, "20 per minute"

    told, changed = round(0.4 * len(weights)), round(numbers["changed"] * FPS)
    assert told < changed < len(weights) - FPS, "both moods are seen"
    for mood, part in zip(MOODS, (weights[:told], weights[changed:]), strict=True):
        own, other = (
            part[:, [k for k, name in enumerate(rig.shape_names) if name.startswith(tuple(shapes))]].mean()
            for shapes in (MOODS[mood], next(MOODS[m] for m in MOODS if m != mood))
        )
        assert own > 10 * other, "each mood moves its own shapes"
    assert 0.2 * numbers["clip_step"] < numbers["step"] < 2.0 * numbers["clip_step"]
    synth = rc.synthesis.load(numbers["model"], rig=rig)
    assert synth.labels == list(MOODS)
    assert synth.bridges[tuple(MOODS)].within

    written = {path: os.stat(path).st_mtime_ns for path in folder.iterdir()}
    assert idle_face(folder, said.append, lambda progress: None) == numbers
    assert said[-1] == "re-using the idling face"
    assert {path: os.stat(path).st_mtime_ns for path in folder.iterdir()} == written


def test_an_interruption_leaves_nothing_half_done(folder):
    def press(progress: Progress) -> None:
        raise KeyboardInterrupt

    before = set(folder.iterdir())
    with pytest.raises(KeyboardInterrupt):
        idle_face(folder, lambda text: None, press)
    assert set(folder.iterdir()) == before


def test_clips_move_all_the_time_and_only_their_shapes(assets):
    names = list(build_face().shape_names)
    for mood, clip in mood_clips(names, 0).items():
        used = [name.startswith(tuple(MOODS[mood])) for name in names]
        assert clip[:, used].any(axis=0).all()
        assert not clip[:, ~np.array(used)].any()
        assert np.median(np.abs(np.diff(clip[:, used], axis=0)).sum(axis=1)) > 0.01
