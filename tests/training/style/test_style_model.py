"""Style transfer as a model: composition, neutrals, files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._style import model as room
from rigcast.training._style.settings import REGIONS
from tests.training.style.small_shots import SETTINGS, SIZE, openings, shot

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

SHOT, RENDERS = shot(openings(1)), shot(openings(2), (90.0, 120.0, 160.0))


@pytest.fixture(scope="module")
def model():
    return rc.training.style_transfer([SHOT], RENDERS, rc.training.StyleSettings(**SETTINGS), steps=2, seed=3)


@pytest.fixture(scope="module")
def file(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("style") / "style.safetensors"
    model.save(path)
    return path


def test_regions_are_pasted_onto_the_face_by_their_masks():
    rng = np.random.default_rng(0)
    layers = {name: rng.random((2, 5, 5, 3)).astype(np.float32) for name in REGIONS}
    masks = rng.random((2, 4, 5, 5)) < 0.4
    found = room.composed(layers, masks)
    for t in range(2):
        for y in range(5):
            for x in range(5):
                last = [name for i, name in enumerate(REGIONS) if i == 0 or masks[t, i, y, x]][-1]
                np.testing.assert_array_equal(found[t, y, x], np.floor(255.0 * layers[last][t, y, x] + 0.5))


def test_a_network_of_the_whole_needs_no_masks():
    picture = np.full((1, 4, 4, 3), 0.5, np.float32)
    found = room.composed({"face": picture}, np.zeros((1, 4, 4, 4), np.bool_))
    np.testing.assert_array_equal(found, 128)


def test_each_region_has_its_own_network_in_a_transfer(model):
    """Zeroed weights of the mouth's network change the picture inside of the mouth's mask alone."""
    changed = {name: value.copy() for name, value in model._tensors.items()}
    for name in changed:
        if name.startswith(("mouth.motion.shares", "mouth.generator.last")):
            changed[name] -= 5.0
    other = room.StyleTransfer(changed, model.metadata)
    before, after = (
        one.transfer(RENDERS.pictures[0], SHOT, SHOT.pictures[0]).pictures.astype(int) for one in (model, other)
    )
    moved = np.abs(before - after).max(axis=3) > 0
    assert moved.any()
    assert not (moved & ~SHOT.masks[:, REGIONS.index("mouth")]).any()


def test_the_transferred_picture_of_the_neutral_is_that_of_no_motion(model):
    """With V_d = V_0, pictures of any actor give the same one: what the networks make of the character at rest."""
    still = [shot([0.0, 0.0], color) for color in ((200.0, 150.0, 120.0), (60.0, 80.0, 50.0))]
    found = [model.transfer(RENDERS.pictures[0], one, one.pictures[0]).pictures.astype(int) for one in still]
    assert np.abs(found[0] - found[1]).max() <= 1  # rounding to bytes


def test_the_transferred_picture_is_the_characters(model):
    """Blue, as the character's renders are, not brown as the actor's."""
    found = model.transfer(RENDERS.pictures[0], SHOT, SHOT.pictures[0]).pictures[:, SHOT.masks[0, 0]].mean(axis=(0, 1))
    assert found[2] > found[0]
    actor = SHOT.pictures[:, SHOT.masks[0, 0]].mean(axis=(0, 1))
    assert actor[2] < actor[0]


def test_an_absolute_transfer_would_not_do_that(model):
    """The key points of the two actors differ, so that the test above asks for relative motion."""
    still = [shot([0.0], color) for color in ((200.0, 150.0, 120.0), (60.0, 80.0, 50.0))]
    points = [model.points(one.pictures) for one in still]
    assert np.abs(points[0] - points[1]).max() > 0.01


def test_motion_that_all_frames_share_is_an_offset():
    rng = np.random.default_rng(4)
    motion = rng.normal(0.0, 0.1, (101, 3, 2)).astype(np.float32)
    motion -= np.median(motion, axis=0)
    assert room.common_offset(motion) == pytest.approx(0.0, abs=1e-6)  # float32 medians
    spread = np.sqrt(np.square(motion).sum(axis=2).mean())
    shifted = motion + np.array([3.0 * spread, 0.0], np.float32)
    assert room.common_offset(shifted) == pytest.approx(3.0, rel=1e-4)  # float32 sums and differences


def test_a_wrong_neutral_is_noticed(model, monkeypatch):
    """Frames near to neutral, and a neutral with an open mouth: the motion of all frames is the same offset.

    Two steps teach a detector nothing: in its place, the mouth's height is a key point.
    """
    frames = shot(np.concatenate([[0.0], np.random.default_rng(5).uniform(0.0, 0.15, 20)]))
    wide = shot([1.0]).pictures[0]
    real = room.MotionModel.key_points

    def seeing(self, pictures):
        found = real(self, pictures)
        dark = (200.0 / 255.0 - pictures.mean(dim=1)).clamp_min(0.0)[:, 8:, 5:11]
        found.places = found.places + dark.mean(dim=(1, 2))[:, None, None]
        return found

    monkeypatch.setattr(room.MotionModel, "key_points", seeing)
    right, wrong = (model.transfer(RENDERS.pictures[0], frames, one) for one in (frames.pictures[0], wide))
    assert right.notes == []
    assert wrong.offset > right.offset
    assert "driving_neutral" in wrong.notes[0]


def test_the_file_gives_the_same_pictures(model, file, tmp_path):
    loaded = rc.training.StyleTransfer.load(file)
    pictures = [one.transfer(RENDERS.pictures[0], SHOT, SHOT.pictures[0]).pictures for one in (model, loaded)]
    assert pictures[0].tobytes() == pictures[1].tobytes()
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


def test_the_file_says_what_of_the_paper_is_replaced(model):
    facts = json.loads(json.dumps(model.metadata))
    assert facts["kind"] == "style_transfer"
    assert facts["super_resolution"] == "left out"
    assert "VGG" in facts["perceptual_loss"]
    assert facts["training"]["seed"] == 3
    for name in ("perceptual", "equivariance", "distance", "sharpness", "background", "regularization", "margin"):
        assert isinstance(facts["training"][name], float)


@pytest.mark.parametrize("place", [0, 40, -1000])
def test_a_damaged_file_is_refused_or_gives_finite_pictures(file, tmp_path, place):
    """A changed byte of the header or of a length; one of a weight may go unseen."""
    content = bytearray(file.read_bytes())
    content[place] ^= 0xFF
    (tmp_path / "damaged").write_bytes(content)
    try:
        loaded = rc.training.StyleTransfer.load(tmp_path / "damaged")
    except ValueError as error:
        assert "damaged" in str(error)
    else:
        assert place < 0
        assert loaded.transfer(RENDERS.pictures[0], SHOT, SHOT.pictures[0]).pictures.shape == SHOT.pictures.shape


def broken(model, change):
    tensors, metadata = dict(model._tensors), json.loads(json.dumps(model.metadata))
    change(tensors, metadata)
    return tensors, metadata


WRONG_FILES = {
    "face.detector.heat.bias is missing": lambda t, m: t.pop("face.detector.heat.bias"),
    "not float32": lambda t, m: t.update({"face.generator.last.bias": np.zeros(7, np.float32)}),
    "not finite": lambda t, m: t.update({"face.generator.last.bias": np.full(3, np.nan, np.float32)}),
    "extra": lambda t, m: t.update({"extra": np.zeros(1, np.float32)}),
    "metadata.size": lambda t, m: m.update(size=10**9),
    "metadata.width": lambda t, m: m.update(width=True),
    "metadata.mouth": lambda t, m: m["key_points"].update(mouth=0),
    "metadata.key_points": lambda t, m: m["key_points"].pop("mouth"),
}


@pytest.mark.parametrize("words", WRONG_FILES)
def test_weights_of_other_sizes_are_refused(model, words):
    tensors, metadata = broken(model, WRONG_FILES[words])
    with pytest.raises(ValueError, match=words.removeprefix("face.")):
        rc.training.StyleTransfer(tensors, metadata)


def test_a_model_of_another_kind_is_refused(tmp_path):
    rc.faces.example().save(tmp_path / "rig.safetensors")
    with pytest.raises(ValueError, match="of kind 'blendshape'; it must be style transfer"):
        rc.training.StyleTransfer.load(tmp_path / "rig.safetensors")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="style transfer"):
        rc.training.StyleTransfer.load(tmp_path / "none.safetensors")


WRONG = {
    "driving is a list": lambda m: m.transfer(RENDERS.pictures[0], [1], SHOT.pictures[0]),
    "neutral is": lambda m: m.transfer(RENDERS.pictures, SHOT, SHOT.pictures[0]),
    "driving_neutral is float64": lambda m: m.transfer(RENDERS.pictures[0], SHOT, np.zeros((SIZE, SIZE, 3))),
    "threads is": lambda m: m.transfer(RENDERS.pictures[0], SHOT, SHOT.pictures[0], threads=-1),
    "region is 'nose'": lambda m: m.points(SHOT.pictures, "nose"),
    "pictures is": lambda m: m.points(SHOT.pictures[0]),
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_argument_is_named(model, words):
    with pytest.raises(ValueError, match=f"{words}.*; it must be "):
        WRONG[words](model)
