"""Maps and layouts of a face on deformation maps as pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.drawn_maps import drawn_maps
from rigcast.plot._deformation_maps import texels_read
from tests.support.characters.mapped_face import clip_data
from tests.support.made.face_maps import CONTROLS, random_face_maps, slow_map
from tests.support.made.mapped_models import mapped_model

pytest.importorskip("matplotlib", reason="the report extra is not installed")


@pytest.fixture(scope="module")
def head(tmp_path_factory):
    return mapped_model(clip_data(tmp_path_factory.mktemp("head") / "head.rwdata", frames=20, count=3))


@pytest.fixture(autouse=True)
def closed():
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def test_maps_are_those_of_the_formula(tolerance):
    model, pose = random_face_maps(), np.linspace(-1, 1, CONTROLS, dtype=np.float32)
    tensors = model.tensors()
    for number, drawn in enumerate(drawn_maps(model, pose)):
        prefix = f"segment.{number:03d}."
        own = {k.removeprefix(prefix): v.astype(float) for k, v in tensors.items() if k.startswith(prefix)}
        if not own:
            assert not drawn.offsets.any()
            continue
        columns = tensors["inputs.column"][slice(*tensors["inputs.offset"][number : number + 2])]
        expected = slow_map(own, pose[columns].astype(float)).transpose(1, 2, 0)
        np.testing.assert_allclose(drawn.offsets, expected, atol=10 * tolerance["float32_sum"])


def test_texels_that_a_vertex_samples_are_read():
    drawn = drawn_maps(random_face_maps(), np.zeros(CONTROLS))[0]
    side = len(drawn.offsets)
    expected = np.zeros((side, side), bool)
    for u, v in np.asarray(drawn.uvs, np.float64) * (side - 1):
        i, j = min(int(u), side - 2), min(int(v), side - 2)
        for right, up, share in [(0, 0, (1 - u + i) * (1 - v + j)), (1, 0, (u - i) * (1 - v + j))]:
            expected[j + up, i + right] |= share > 0
        for right, up, share in [(0, 1, (1 - u + i) * (v - j)), (1, 1, (u - i) * (v - j))]:
            expected[j + up, i + right] |= share > 0
    assert np.array_equal(texels_read(drawn), expected)


def test_one_picture_per_chosen_segment(head):
    axes = rc.plot.deformation_maps(head, np.zeros(5), ["mouth", 0])
    assert [axis.get_title(loc="left").split(",")[0] for axis in axes] == ["mouth", "brow"]


def test_maps_of_an_unknown_segment_are_refused(head):
    with pytest.raises(ValueError, match=r"deformation_maps: segments is 'ear'; it must be one of 'brow'"):
        rc.plot.deformation_maps(head, np.zeros(5), ["ear"])


def test_maps_of_another_kind_are_refused():
    with pytest.raises(ValueError, match="deformation_maps: model is of kind 'blendshape"):
        rc.plot.deformation_maps(rc.faces.example(), [0.0])


def test_the_layout_of_a_model_is_that_of_its_training(head):
    layout = rc.training.model_layout(head)
    assert [segment.name for segment in layout.segments] == ["brow", "mouth", "brow 1"]
    assert [segment.resolution for segment in layout.segments] == [32, 32, 64]
    assert [part.name for part in layout.parts] == ["tooth"]


def test_the_artists_coordinates_stand_beside_the_mended_ones(head):
    layout = rc.training.model_layout(head)
    assert len(rc.plot.map_layout(layout, "mouth", faces=head.faces)) == 2


def test_without_coordinates_before_mending_there_is_one_picture():
    layout = rc.training.model_layout(random_face_maps())  # has no texture coordinates of its own
    (axis,) = rc.plot.map_layout(layout, 0)
    assert "charts of least stretch" in axis.get_title(loc="left")


def test_a_layout_without_maps_is_refused(head):
    layout = rc.training.model_layout(head)
    with pytest.raises(ValueError, match="map_layout: layout is without maps: the base of its model alone moves"):
        rc.plot.map_layout(replace(layout, segments=[], floors=[], original_uvs=[]))


def test_a_layout_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="model_layout: model is of kind 'blendshape"):
        rc.training.model_layout(rc.faces.example())
