"""A rig that Blender evaluates: sliders and actions are Blender's own, drags go through a model of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._figures._rig import THROUGH
from rigcast.viewer._staging import stage_of
from tests.support.blender import has_blender
from tests.support.characters.dog import dog_files
from tests.view.frames import header_of
from tests.view.page_messages import page_messages

FILES = Path(__file__).parents[1] / "sources" / "blender" / "scenes" / "files.py"
pytestmark = pytest.mark.skipif(not has_blender(), reason="neither the bpy wheel nor a blender executable is installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from rigcast._formats.blender import run_script

    made = tmp_path_factory.mktemp("blend")
    dog_files(made)
    run_script(FILES, [str(made)])
    return made


@pytest.fixture(scope="module")
def rig(folder):
    """A limb with an action, and with constraints that pose bones."""
    with rc.sources.load(folder / "dog.blend", ranges=30) as opened:
        yield opened


@pytest.fixture(scope="module")
def tube(folder):
    """Three bones that channels alone pose, and a poor model of it: too thick, and each vertex on one bone."""
    with rc.sources.load(folder / "plain.blend", ranges=30) as opened:
        data = rc.sampling.sample(opened, folder / "tube.rwdata", count=60, seed=0)
        fitted = rc.baselines.linear_blend(data, influences=1)
        heads = opened.skeleton.rest_globals[:, :, 3]
        nearest = np.linalg.norm(opened.rest_vertices[:, None] - heads, axis=2).argmin(axis=1)
        thick = np.float32([1.2, 1.2, 1.0]) * opened.rest_vertices
        about = {"channels": fitted.metadata["channels"], "up_axis": "Z"}
        yield opened, rc.LinearBlendSkinning(opened.skeleton, thick, opened.faces, np.eye(3)[nearest], metadata=about)


def test_sliders_move_the_skin_as_blender_does(rig):
    stage = stage_of(rig)
    channel = 0
    value = 0.5 * stage.figure.sliders[channel].high
    stage.step(page_messages({"type": "set", "channel": channel, "value": value, "done": True}), 0.0)
    row = np.array(rig.channel_rest, np.float32)
    row[channel] = value
    expected = rig.sample(row[None])[1][0]
    assert np.array_equal(stage.vertices, expected)
    assert np.abs(expected - rig.rest_vertices).max() > 0


def test_angles_are_in_degrees(tube):
    assert {slider.name[-10:-2]: slider.unit for slider in stage_of(tube[0]).figure.sliders} == {"rotation": "degrees"}


def test_an_action_plays_by_blender(rig):
    rows = rig.action("walk").channels.astype(np.float32)
    stage = stage_of(rig, channels=rows, fps=24.0)
    middle = len(rows) // 2
    stage.step(page_messages({"type": "seek", "at": middle}), 0.0)
    within = np.clip(rows[middle], *stage.ranges.T)
    assert np.array_equal(stage.vertices, rig.sample(within[None])[1][0])


def dragged(stage, share):
    """Pull a point at the far end from the first joint aside by a share of the size; headers of all frames."""
    vertices, size = stage.vertices.astype(float), stage.colors.size
    corners = vertices[stage.figure.faces[:, :3]]
    centers = corners.mean(axis=1)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    upward = np.abs(normals @ np.ptp(vertices, axis=0)) / size  # of ends of the tube: not to be pulled at
    face = np.argmax(np.linalg.norm(centers, axis=1) - 10 * size * (upward > 0.5))
    center, normal = centers[face], normals[face]
    along = np.cross(normal, corners[face, 1] - corners[face, 0])
    ray = {"origin": (center + size * normal).tolist(), "direction": (-normal).tolist()}
    grab = header_of(stage.step(page_messages({"type": "grab", "pin": 1, "facing": ray["direction"], **ray}), 0.0))
    assert grab["grab"]["hit"]
    target = center + share * size * np.cross(normal, along) / np.linalg.norm(along)
    aside = {**ray, "direction": (target - ray["origin"]).tolist()}
    headers = [grab, header_of(stage.step(page_messages({"type": "drag", "pin": 1, **aside}), 0.0))]
    while stage.is_restless:
        headers.append(header_of(stage.step([], 0.0)))
    return headers


def test_a_drag_goes_through_the_model_that_is_given_and_the_view_says_so(tube):
    rig, model = tube
    stage = stage_of(rig, through=model)
    grab, first, *_, last = [*dragged(stage, -0.1), header_of(stage.step([], 0.0))]
    assert (grab["notice"], first["notice"]) == ("", THROUGH)  # nothing has to be fitted
    gaps = [np.linalg.norm(np.subtract(h["pins"][0]["at"], h["pins"][0]["target"])) for h in (first, last)]
    assert gaps[1] < 0.003 * stage.colors.size < gaps[0]  # the rig's own skin is brought there, not the model's
    row = stage.state.row
    model_point = model.evaluate(model.poses_from_channels(row[None]))[0]
    assert np.abs(model_point - stage.vertices).max() > 0.01 * stage.colors.size  # its own skin is farther
    assert np.abs(row - stage.rest).max() > 1
    assert np.array_equal(stage.vertices, rig.sample(row[None])[1][0])


def test_a_drag_through_a_poor_model_comes_to_rest(tube):
    """Corrected by the whole gap between model and rig, the skin goes to and fro between two poses."""
    stage = stage_of(tube[0], through=tube[1])
    headers = dragged(stage, -0.1)[1:]
    gaps = [np.linalg.norm(np.subtract(h["pins"][0]["at"], h["pins"][0]["target"])) for h in headers if h["pins"]]
    assert len(gaps) < 8
    assert gaps[-1] < 0.001 * stage.colors.size


def test_a_drag_begins_with_a_correction_of_its_own(tube):
    """Not with that of the drag before it, which was measured in another pose."""
    used, fresh = (stage_of(tube[0], through=tube[1]) for _ in range(2))
    dragged(used, -0.1)
    used.step(page_messages({"type": "release", "pin": 1, "hold": False}), 0.0)
    used.step(page_messages({"type": "undo"}), 0.0)
    assert np.array_equal(used.state.row, fresh.state.row)
    rows = [dragged(stage, 0.1)[1]["row"] for stage in (used, fresh)]
    # Degrees; the page's rows are rounded, and a correction left over moves them by more than one.
    assert rows[0] == pytest.approx(rows[1], abs=1e-4)


def test_without_one_skinning_is_fitted_and_the_view_says_so(tube):
    stage = stage_of(tube[0])
    grab, first, *_ = dragged(stage, 0.1)
    assert "skinning fitted to it" in grab["notice"]
    assert "fitted to 200 poses" in first["notice"]


def test_a_rig_whose_bones_follow_constraints_is_not_dragged_and_says_which(rig):
    stage = stage_of(rig)
    before = stage.state.row
    header = dragged(stage, 0.1)[-1]
    assert "constraint 'IK' of bone 'bone2': use the sliders" in header["notice"]
    assert header["pins"] == []
    assert np.array_equal(stage.state.row, before)


def test_a_model_of_another_rig_is_refused(rig):
    with pytest.raises(ValueError, match="view: through is a model of 2,536 vertices beside 72; it must be"):
        stage_of(rig, through=rc.faces.example())


def test_a_model_needs_none():
    with pytest.raises(ValueError, match="view: through is given for what is dragged as it is"):
        stage_of(rc.faces.example(), through=rc.faces.example())
