"""One check of arguments: what is no array of numbers, or no indices, is refused alike by every function."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._validate import MOST_THREADS, Arguments, bad_argument, check_threads
from rigcast.metrics._distortion import triangles

POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])


def spoiled(values, kind):
    """The same values in a form that no function takes as numbers."""
    values = np.asarray(values)
    if kind == "masked":
        return np.ma.masked_array(values, mask=np.zeros(values.shape, bool))
    return values.astype({"complex": complex, "bool": bool, "text": "U8", "bytes": "S8", "object": object}[kind])


def face():
    return rc.BlendshapeRig(POINTS, np.stack([0.1 * POINTS, POINTS[::-1]]), faces=FACES)


NUMBERS = {
    "vertex_error": lambda x: rc.metrics.vertex_error(x(POINTS), POINTS),
    "normal_angle": lambda x: rc.metrics.normal_angle(POINTS, x(POINTS), FACES),
    "hausdorff": lambda x: rc.metrics.hausdorff(x(POINTS), POINTS),
    "triangle_distortion": lambda x: rc.metrics.triangle_distortion(x(POINTS), POINTS, FACES),
    "image_mse": lambda x: rc.metrics.image_mse(x(np.zeros((4, 4))), np.zeros((4, 4))),
    "bradley_terry": lambda x: rc.metrics.bradley_terry(x(np.ones((2, 2)))),
    "seam_error": lambda x: rc.metrics.seam_error(x(POINTS), POINTS, FACES, labels=[0, 0, 1, 1]),
    "weight_error": lambda x: rc.metrics.weight_error(x(np.ones((1, 2))), POINTS[None], POINTS[None]),
    "BlendshapeRig": lambda x: rc.BlendshapeRig(POINTS, x(POINTS[None])),
    "evaluate": lambda x: face().evaluate(x(np.zeros(2))),
    "vjp": lambda x: face().vjp(np.zeros(2), x(face().rest_vertices)),
    "solve": lambda x: rc.inverse.solve(face(), x(face().rest_vertices[None])),
    "deformation_transfer": lambda x: rc.transfer.deformation_transfer(POINTS, POINTS[None], x(POINTS), FACES),
    "transfer_rig": lambda x: rc.transfer.transfer_rig(face(), x(face().rest_vertices)),
    "find_contacts": lambda x: rc.transfer.find_contacts(x(POINTS), POINTS[None], FACES),
    "count_crossings": lambda x: rc.transfer.count_crossings(x(POINTS), FACES),
    "quality": lambda x: rc.transfer.quality(POINTS, x(POINTS[None]), POINTS, target_shapes=POINTS[None], faces=FACES),
    "correspond": lambda x: rc.transfer.correspond(x(POINTS), FACES, POINTS, FACES),
    "pack_expressions": lambda x: rc.transfer.pack_expressions(x(POINTS), POINTS[None], FACES),
    "Crowd": lambda x: rc.crowd.Crowd(face(), [x(np.zeros((2, 2)))]),
    "Animation": lambda x: rc.sampling.Animation(x(np.zeros((2, 2)))),
    "write_blendshape_weights": lambda x: rc.exports.write_blendshape_weights("never.npz", face(), x(np.zeros((2, 2)))),
}


@pytest.mark.parametrize("kind", ["masked", "complex", "bool", "text", "bytes", "object"])
@pytest.mark.parametrize("function", NUMBERS)
def test_what_is_no_array_of_numbers_is_refused_by_name(function, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=rf"^\w+: [\w\[\]]+ is .*{'masked' if kind == 'masked' else ''}.*; it must be"):
        NUMBERS[function](lambda values: spoiled(values, kind))


INDICES = {
    "topology_hash": lambda x: rc.topology_hash(x(FACES), 4),
    "triangles": lambda x: triangles(x(FACES)),
    "vertices of solve": lambda x: rc.inverse.solve(face(), face().rest_vertices[None], vertices=x([0, 1, 2])),
    "labels of seam_error": lambda x: rc.metrics.seam_error(POINTS, POINTS, FACES, labels=x([0, 0, 1, 1])),
    "fixed of transfer_rig": lambda x: rc.transfer.transfer_rig(face(), face().rest_vertices, fixed=x([0, 1])),
    "order of Crowd": lambda x: rc.crowd.Crowd(face(), [np.zeros((2, 2))], order=x([0, 1])),
}


@pytest.mark.parametrize("kind", ["masked", "complex", "bool", "text", "object", "float"])
@pytest.mark.parametrize("function", INDICES)
def test_what_is_no_array_of_indices_is_refused_by_name(function, kind):
    def wrong(values):
        return np.asarray(values, float) if kind == "float" else spoiled(values, kind)

    with pytest.raises(ValueError, match=r"^\w+: [\w\[\]]+ is .*; it must be"):
        INDICES[function](wrong)


@pytest.mark.parametrize("count", [-1, 1.5, [], None, True, "4", 2**63])
def test_a_topology_has_a_whole_number_of_vertices(count):
    with pytest.raises(ValueError, match=r"topology_hash: num_vertices is .*; it must be a whole number from 0"):
        rc.topology_hash(FACES, count)


@pytest.mark.parametrize("threads", [-1, MOST_THREADS + 1, 2**32, 10**20, True, 1.0, "2", None])
def test_what_is_no_number_of_threads_is_refused(threads):
    with pytest.raises(ValueError, match=r"solve: threads is .*; it must be 0"):
        check_threads("solve", threads)


@pytest.mark.parametrize("function", ["vertex_error", "normal_angle", "hausdorff", "seam_error"])
def test_no_metric_takes_more_threads_than_the_engine_counts(function):
    arguments = {"normal_angle": [FACES], "seam_error": [FACES]}.get(function, [])
    more = {"labels": [0, 0, 1, 1]} if function == "seam_error" else {}
    with pytest.raises(ValueError, match=f"{function}: threads is 4294967296; it must be"):
        getattr(rc.metrics, function)(POINTS, POINTS, *arguments, **more, threads=2**32)


def test_a_size_is_bound_by_the_first_array_that_has_it():
    check = Arguments("f")
    check.numbers("a", POINTS, "V 3")
    with pytest.raises(ValueError, match=r"f: b is float64 \(3, 3\); it must be numbers \(4, 3\)"):
        check.numbers("b", POINTS[1:], "V 3")


def test_a_shape_that_does_not_fit_binds_nothing():
    check = Arguments("f", K=2)
    check.numbers("a", np.zeros((5, 2)), "T T", "T K")
    assert check.sizes == {"K": 2, "T": 5}


def test_a_number_beyond_float32_is_not_finite_in_it():
    with pytest.raises(ValueError, match=r"f: a is not finite everywhere \(1e\+300 at 1\); .* finite in float32"):
        Arguments("f").numbers("a", [0.0, 1e300], "n", dtype=np.float32)


def test_a_mask_inside_a_list_is_found():
    with pytest.raises(ValueError, match=r"f: a is a masked array; it must be numbers .* without mask"):
        Arguments("f").numbers("a", [np.ma.masked_array([1.0, 2.0], mask=[True, False])], "T K")


def test_an_object_that_is_no_array_is_told_by_its_type():
    with pytest.raises(ValueError, match=r"f: a is a BlendshapeRig; it must be numbers \(V, 3\)"):
        Arguments("f").numbers("a", face(), "V 3")


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(ValueError, match="it must be a whole number") as told:
        Arguments("f").whole("n", "x" * 100_000)
    assert len(str(told.value)) < 300


def test_a_name_that_no_file_can_hold_is_refused():
    with pytest.raises(ValueError, match=r"f: names is a list that holds 'a\\udfff'"):
        Arguments("f").names("names", ["a\udfff"])


def test_the_wording():
    assert str(bad_argument("f", "a", "3", "4")) == "f: a is 3; it must be 4"
