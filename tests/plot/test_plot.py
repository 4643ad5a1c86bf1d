"""Pictures for notebooks: what is asked for is drawn, with its titles, on one scale."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

import rigcast as rc

pytest.importorskip("pyvista", reason="the report extra is not installed")
pytest.importorskip("matplotlib", reason="the report extra is not installed")
pillow = pytest.importorskip("PIL.Image", reason="the report extra is not installed")


@pytest.fixture(scope="module")
def rig():
    return rc.faces.example()


@pytest.fixture(scope="module")
def axes():
    """Four axes off pyplot."""
    from matplotlib.figure import Figure

    return lambda: Figure().subplots(2, 2).ravel()


def decoded(content: bytes) -> np.ndarray:
    return np.asarray(pillow.open(io.BytesIO(content)))


def colored(pixels: np.ndarray) -> np.ndarray:
    """Where a picture is neither gray nor clay."""
    return np.ptp(pixels.astype(int), axis=2) > 60


@pytest.mark.parametrize("shape", [(1, 1, 3), (7, 5, 3), (64, 33, 3)])
def test_a_png_has_the_pixels(shape):
    pixels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    np.testing.assert_array_equal(decoded(rc.plot.Image(pixels)._repr_png_()), pixels)


def test_an_image_is_saved_and_is_an_array(tmp_path):
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    image = rc.plot.Image(pixels)
    assert (image.width, image.height, repr(image)) == (4, 2, "<Image 4 x 2>")
    np.testing.assert_array_equal(np.asarray(image), pixels)
    np.testing.assert_array_equal(decoded(image.save(tmp_path / "picture.png").read_bytes()), pixels)
    with pytest.raises(ValueError, match=r"Image\.save: path is .*it must be a file that ends in \.png"):
        image.save(tmp_path / "picture.jpg")


@pytest.mark.parametrize("wrong", [np.zeros((2, 2)), np.zeros((2, 2, 3)), np.zeros((2, 2, 4), np.uint8), [[1], [1, 2]]])
def test_other_pixels_are_refused(wrong):
    with pytest.raises(ValueError, match="Image: pixels is"):
        rc.plot.Image(wrong)


def test_a_mesh_is_drawn_inside_its_picture(rig):
    pixels = np.asarray(rc.plot.mesh(rig, width=120))
    inside = (pixels < 250).any(axis=2)
    assert pixels.shape[1] == 120
    assert inside.mean() > 0.3
    assert not inside[[0, -1]].any()


def test_a_loaded_mesh_is_drawn_as_its_rig_is(rig):
    mesh = rc.sources.Mesh(rig.rest_vertices, rig.faces)
    np.testing.assert_array_equal(rc.plot.mesh(mesh, width=60).pixels, rc.plot.mesh(rig, width=60).pixels)


def test_heat_is_where_the_values_are(rig):
    """High values on the character's left are colors on the viewer's right, beside the scale's."""
    high = np.where(rig.rest_vertices[:, 0] > 1.0, 2.0, 0.0)
    image = rc.plot.mesh(rig, values=high, top=4.0, unit="mm", turn=0.0, width=200)
    hot = colored(image.pixels[:, :200])
    assert hot[:, 110:].mean() > 10 * max(hot[:, :90].mean(), 1e-4)
    assert image.width > 200
    assert colored(image.pixels[:, 200:]).any(), "the color scale"


def test_pictures_stand_side_by_side_from_one_place(rig):
    """Each is the picture of its vertices alone; titles stand above it."""
    states = rig.evaluate(np.eye(rig.num_shapes, dtype=np.float32)[:3])
    image = rc.plot.side_by_side(rig, states, width=80)
    assert image.width == 240
    titled = rc.plot.side_by_side(rig, states, titles=["a", "b", "c"], width=80)
    above = titled.height - image.height
    assert above > 10
    np.testing.assert_array_equal(titled.pixels[above:], image.pixels)
    assert (titled.pixels[:above] < 128).any(axis=2).sum() > 10, "letters"
    columns = rc.plot.side_by_side(rig, states, columns=2, width=80)
    assert (columns.width, columns.height) == (160, 2 * image.height)
    np.testing.assert_array_equal(columns.pixels[image.height :, :80], image.pixels[:, 160:])
    assert (columns.pixels[image.height :, 80:] == 255).all()


def test_pictures_that_a_face_fills_do_not_touch(rig):
    """Between two there is white, at the end of a row there is none."""
    states, inner = np.tile(rig.rest_vertices, (3, 1, 1)), rc.plot._framing.moving_vertices(rig, 0.3)
    image = rc.plot.side_by_side(rig, states, focus=inner, width=80)
    white = (image.pixels == 255).all(axis=(0, 2))
    assert white[[79, 159]].all()
    assert not white[[75, 155, 239]].any()


def test_pictures_without_values_stay_clay(rig):
    states = np.stack([rig.rest_vertices] * 2)
    image = rc.plot.side_by_side(rig, states, values=[None, np.full(len(rig.rest_vertices), 3.0)], top=4.0, width=80)
    assert not colored(image.pixels[:, :80]).any()
    assert colored(image.pixels[:, 80:160]).mean() > 0.2


def test_focus_shows_a_part_larger(rig):
    mouth = np.abs(rig.rest_vertices - [0.0, -4.3, 5.0]).max(axis=1) < 1.5
    near = rc.plot.mesh(rig, focus=mouth, width=80)
    np.testing.assert_array_equal(near.pixels, rc.plot.mesh(rig, focus=np.flatnonzero(mouth), width=80).pixels)
    assert (near.pixels < 250).any(axis=2).mean() > 0.95


def test_a_contact_sheet_has_every_shape(rig):
    image = rc.plot.contact_sheet(rig, columns=8, width=40)
    assert image.width == 320
    rows = 3  # the neutral and 22 shapes
    assert image.height % rows == 0
    own = rc.plot.contact_sheet(rig, np.zeros((2, rig.num_shapes)), width=40)
    assert own.width == 80


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rig: rc.plot.mesh(np.zeros((3, 3))), "mesh: model is a ndarray; it must be a rig, a model"),
        (lambda rig: rc.plot.mesh(rc.sources.Mesh(np.eye(3))), "mesh: model is without faces"),
        (lambda rig: rc.plot.mesh(rig, np.zeros((3, 3))), r"mesh: vertices is float64 \(3, 3\); it must be numbers"),
        (lambda rig: rc.plot.mesh(rig, values=[1.0]), r"mesh: values is float64 \(1,\)"),
        (lambda rig: rc.plot.mesh(rig, values=np.full(2536, np.nan)), "mesh: values is not finite everywhere"),
        (lambda rig: rc.plot.mesh(rig, values=np.zeros(2536), top=0.0), "mesh: top is 0.0; it must be a number above"),
        (lambda rig: rc.plot.mesh(rig, focus=[9999]), "mesh: focus is"),
        (lambda rig: rc.plot.side_by_side(rig, rig.rest_vertices), "side_by_side: vertices is"),
        (lambda rig: rc.plot.side_by_side(rig, rig.rest_vertices[None], titles=["a", "b"]), "titles is 2 strings"),
        (lambda rig: rc.plot.contact_sheet("face.npz"), "contact_sheet: rig is a str; it must be a blendshape rig"),
    ],
)
def test_wrong_arguments_are_named(rig, call, message):
    with pytest.raises(ValueError, match=message):
        call(rig)


def test_curves_are_the_weights(axes):
    weights = np.random.default_rng(0).uniform(size=(12, 5))
    drawn = rc.plot.curves(weights, list("abcde"), chosen=["d", 1], truth=0.5 * weights, axes=axes())
    assert [axis.get_title(loc="left") for axis in drawn] == ["d", "b"]
    found, truth = drawn[0].get_lines()
    np.testing.assert_array_equal(found.get_ydata(), weights[:, 3])
    np.testing.assert_array_equal(truth.get_ydata(), 0.5 * weights[:, 3])


def test_the_strongest_curves_are_drawn_if_none_are_chosen(axes):
    weights = np.zeros((4, 6))
    weights[:, 4], weights[1, 2] = 1.0, 0.5
    drawn = rc.plot.curves({"found": weights[:, :], "other": weights + 0.1}, axes=[*axes(), *axes()])
    assert [axis.get_title(loc="left") for axis in drawn[:2]] == ["4", "2"]
    assert [line.get_label() for line in drawn[0].get_lines()] == ["found", "other"]


def test_errors_are_lines_over_frames(axes):
    axis = rc.plot.error_curves({"ours": [1.0, 2.0, 0.0], "theirs": [3.0, 4.0, 5.0]}, unit="mm", axis=axes()[0])
    assert axis.get_yscale() == "log"
    assert axis.get_ylabel() == "error, mm"
    ours, theirs = (line.get_ydata().tolist() for line in axis.get_lines())
    assert ours == [1.0, 2.0, 1e-4]
    assert theirs == [3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rc.plot.curves(np.zeros(4)), r"curves: weights is float64 \(4,\); it must be numbers \(T, K\)"),
        (lambda: rc.plot.curves(np.zeros((4, 2)), ["a"]), "curves: names is 1 strings; it must be one per column, 2"),
        (lambda: rc.plot.curves(np.zeros((4, 2)), chosen=["ear"]), "curves: chosen is with 'ear'"),
        (
            lambda: rc.plot.curves(np.zeros((4, 2)), truth=np.zeros((3, 2))),
            r"of shapes \(4, 2\) and \(3, 2\) \(truth\)",
        ),
        (lambda: rc.plot.curves({}), "curves: weights is empty"),
        (lambda: rc.plot.error_curves([[1.0]]), r"error_curves: values is float64 \(1, 1\)"),
        (lambda: rc.plot.error_curves([np.inf]), "error_curves: values is not finite"),
    ],
)
def test_wrong_curves_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_missing_packages_are_named_with_the_command_that_installs_them():
    code = (
        "import sys; sys.modules.update(pyvista=None, matplotlib=None)\n"
        "import rigcast as rc\n"
        "rig = rc.faces.example()\n"
        "for call in (lambda: rc.plot.mesh(rig), lambda: rc.plot.error_curves([1.0])):\n"
        "    try:\n        call()\n"
        "    except ImportError as error:\n        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count('pip install "rigcast[report]"') == 2


def test_a_scale_ends_just_above_its_values():
    from rigcast.plot._colors import nice_top

    for value in np.geomspace(1e-6, 1e6, 97):
        assert value * (1 - 1e-6) <= nice_top(value) <= 2.5 * value * (1 + 1e-6)


def test_a_group_is_its_characters_at_their_places(rig):
    """Two characters apart are the picture of the mesh that holds both."""
    apart = np.array([[0.0, 0.0, 0.0], [22.0, 0.0, 0.0]])
    states = rig.evaluate(np.eye(rig.num_shapes, dtype=np.float32)[:2])
    both = np.concatenate([states[0], states[1] + np.float32([22.0, 0.0, 0.0])])
    second = np.where(rig.faces < 0, -1, rig.faces + len(rig.rest_vertices))
    mesh = rc.sources.Mesh(both, np.concatenate([rig.faces, second]))
    expected = rc.plot.mesh(mesh, rise=20.0, width=160)
    np.testing.assert_array_equal(rc.plot.group(rig, states, apart, width=160).pixels, expected.pixels)


def test_a_value_colors_one_character_of_a_group(rig):
    states = np.stack([rig.rest_vertices] * 2)
    image = rc.plot.group(rig, states, [[0, 0, 0], [22, 0, 0]], values=[0.0, 3.0], top=4.0, turn=0.0, width=160)
    assert not colored(image.pixels[:, :70]).any()
    assert colored(image.pixels[:, 90:160]).mean() > 0.1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"places": np.zeros((3, 3))}, r"group: places is float64 \(3, 3\); it must be numbers \(2, 3\)"),
        ({"places": np.full((2, 3), np.nan)}, "group: places"),
        ({"values": np.zeros(3)}, r"group: values is float64 \(3,\); it must be numbers \(2,\)"),
        ({"vertices": np.zeros((2, 4, 3))}, "group: vertices"),
    ],
)
def test_a_group_of_other_sizes_is_refused(rig, changed, message):
    given = {"vertices": np.stack([rig.rest_vertices] * 2), "places": np.zeros((2, 3))} | changed
    with pytest.raises(ValueError, match=message):
        rc.plot.group(rig, **given)


def test_lines_have_the_values_and_the_names(axes):
    axis = axes()[0]
    chart = rc.plot.lines([1, 2, 4], {"a": [3, 2, 1], "b": [0, 0, 1]}, xlabel="m", ylabel="mm", axis=axis)
    assert chart is axis
    assert (chart.get_xlabel(), chart.get_ylabel()) == ("m", "mm")
    drawn = {line.get_label(): line.get_xydata().tolist() for line in chart.get_lines()}
    assert drawn == {"a": [[1, 3], [2, 2], [4, 1]], "b": [[1, 0], [2, 0], [4, 1]]}


@pytest.mark.parametrize(
    ("across", "values", "message"),
    [
        ([1, 2], [1, 2, 3], r"lines: values is int64 \(3,\); it must be numbers \(2,\)"),
        ([], [], "lines: across"),
        ([1, np.inf], [1, 2], "lines: across"),
        ([1, 2], {}, "lines: values is empty"),
    ],
)
def test_lines_of_other_sizes_are_refused(across, values, message):
    with pytest.raises(ValueError, match=message):
        rc.plot.lines(across, values)
