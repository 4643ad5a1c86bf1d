"""Texture coordinates mended for deformation maps: lips apart, texels where the motion is."""

import numpy as np
import pytest
from benchmarks.systems.face_maps.floors import ict_face_tile

from rigcast import _core

SIDE = 24


def mouth():
    """Two sheets, upper and lower lip, side by side in space and on top of each other in the texture at their edge.

    Returns uvs, rest, faces, offsets (1, V, 3): the lower sheet opens.
    """
    x, y = np.meshgrid(np.linspace(0.0, 1.0, SIDE), np.linspace(0.0, 1.0, SIDE))
    upper = np.stack([x.ravel(), 0.5 + 0.5 * y.ravel(), np.zeros(x.size)], axis=1)
    lower = upper * [1.0, -1.0, 1.0] + [0.0, 1.0, 0.0]
    corner = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
    quads = np.stack([corner, corner + 1, corner + SIDE + 1, corner + SIDE], axis=1)
    rest = np.concatenate([upper, lower])
    faces = np.concatenate([quads, quads[:, ::-1] + len(upper)])
    offsets = np.zeros((1, len(rest), 3))
    offsets[0, len(upper) :, 1] = -0.5 * (1.0 - np.abs(1.0 - 2.0 * lower[:, 1]) ** 4)
    return rest[:, :2].copy(), rest, faces, offsets


def test_lips_that_share_texels_move_apart():
    uvs, rest, faces, offsets = mouth()
    mended = _core.mend_uvs(uvs, rest, faces, offsets, 16, 8)
    assert mended["floor_after"][1] < 0.5 * mended["floor_before"][1]
    assert mended["moves"][0][0] == 0


def test_the_floors_are_those_of_the_coordinates(tolerance):
    uvs, rest, faces, offsets = mouth()
    mended = _core.mend_uvs(uvs, rest, faces, offsets, 16, 8)
    moved = np.linalg.norm(offsets, axis=2) > 1e-4 * np.linalg.norm(offsets, axis=2).max()
    left = _core.map_floor(mended["uvs"], offsets, 16)
    assert mended["floor_after"] == pytest.approx((left[moved].mean(), left[moved].max()), rel=tolerance["float64"])


def test_mended_coordinates_fill_the_unit_square(tolerance):
    uvs, rest, faces, offsets = mouth()
    mended = _core.mend_uvs(uvs * 7.0 + 3.0, rest, faces, offsets, 16, 8)["uvs"]
    np.testing.assert_allclose([mended.min(0), mended.max(0)], [[0.0, 0.0], [1.0, 1.0]], atol=tolerance["float64"])


def test_without_fields_only_the_spacing_changes():
    """Neighbors along an axis keep their order."""
    uvs, rest, faces, offsets = mouth()
    spaced = _core.mend_uvs(uvs, rest, faces, offsets, 16, 0)
    assert spaced["moves"] == []
    for axis in range(2):
        order = np.argsort(uvs[:, axis], kind="stable")
        assert (np.diff(spaced["uvs"][order, axis]) >= 0.0).all()


def test_bytes_do_not_depend_on_the_number_of_threads():
    case = mouth()
    one, two = (_core.mend_uvs(*case, 16, 4, threads=threads)["uvs"] for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_a_fold_of_the_texture_is_counted():
    uvs, rest, faces, offsets = mouth()
    uvs[5, 1] = 0.9  # one vertex of the edge pulled over its neighbors
    assert _core.mend_uvs(uvs, rest, faces, offsets, 16, 0)["folded_before"] > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"offsets": np.zeros((1, 2 * SIDE**2, 3))}, "mend_uvs: offsets is 0 everywhere"),
        ({"rest": np.zeros((3, 3))}, "mend_uvs: rest_vertices is"),
        ({"uvs": np.full((2 * SIDE**2, 2), np.nan)}, "mend_uvs: uvs is not finite"),
        ({"faces": [[0, 1, 99999]]}, "mend_uvs: faces"),
        ({"fields": -1}, "mend_uvs: fields is -1; it must be 0 or more"),
    ],
)
def test_refusals_name_the_argument(change, message):
    uvs, rest, faces, offsets = mouth()
    case = {"uvs": uvs, "rest": rest, "faces": faces, "offsets": offsets, "fields": 1} | change
    with pytest.raises(ValueError, match=message):
        _core.mend_uvs(case["uvs"], case["rest"], case["faces"], case["offsets"], 16, case["fields"])


def test_the_ict_face_keeps_its_lips_and_lids(data_path):
    """The artist's layout leaves 0.12 mm and 8.7 mm at most at 32 x 32."""
    case = ict_face_tile(data_path("ict_facekit"))
    mended = _core.mend_uvs(*case, 32, 6)
    assert mended["floor_before"][1] > 8.0
    assert mended["floor_after"][0] <= 0.07
    assert mended["floor_after"][1] <= 2.6
