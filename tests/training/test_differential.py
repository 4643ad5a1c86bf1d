"""Training of differential models: whole, reproducible, resumable, and what it learns from."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.skinned import SkinnedRig
from tests.training.differential_training import learn, saved_bytes


@pytest.fixture(scope="module")
def arm():
    return rc.sources.example_body()


@pytest.fixture(scope="module")
def arm_data(arm, tmp_path_factory):
    return rc.sampling.sample(arm, tmp_path_factory.mktemp("arm") / "arm.rwdata", count=60, seed=0, probe=1)


def tensors_of(model, path):
    model.save(path)
    return rc._core.TensorFile.read(path).arrays()


def test_a_face_is_learned_better_with_more_steps(face_data):
    few, many = (learn(face_data, steps=steps, hidden=32, base=False) for steps in (10, 600))
    assert many.metadata["error"]["mean"] < 0.7 * few.metadata["error"]["mean"]


def test_a_base_spares_most_of_the_steps(face_data):
    first, later = learn(face_data, steps=2, hidden=32), learn(face_data, steps=10, hidden=32, base=False)
    assert first.metadata["error"]["mean"] < 0.9 * later.metadata["error"]["mean"]


def test_the_same_seed_gives_the_same_bytes(face_data, tmp_path):
    assert saved_bytes(learn(face_data), tmp_path / "a") == saved_bytes(learn(face_data), tmp_path / "b")


def test_the_loaded_model_gives_the_same_bytes(face_data, tmp_path):
    model = learn(face_data)
    model.save(tmp_path / "face.safetensors")
    loaded = rc.load(tmp_path / "face.safetensors")
    np.testing.assert_array_equal(loaded.evaluate(face_data.poses[:9]), model.evaluate(face_data.poses[:9]))


@pytest.mark.parametrize("loss", ["displacement", "delta"])
@pytest.mark.parametrize("networks", ["each", "one"])
def test_exported_layers_compute_what_was_trained(face_data, loss, networks, tmp_path):
    """The held-out error of training, a root mean square over vertices, is that of the model plus what R leaves out."""
    seen = []
    model = learn(face_data, loss=loss, anchor_networks=networks, progress=seen.append, components=100, patience=1000)
    reported = [float(p.message.split()[2]) for p in seen if p.stage == "training" and p.message]
    _, held_out = face_data.split(0.1, 0)
    error = model.evaluate(face_data.poses[held_out]) - face_data.vertices[held_out]
    rms = 10.0 * np.sqrt(np.square(error).sum(axis=2).mean())  # millimeters
    # the two parts of the error, of coefficients and of anchors, are added as if they were independent
    assert 0.5 * min(reported) < rms < 1.5 * min(reported)


def test_the_basis_does_not_see_held_out_rows(face_data, tmp_path):
    # Fails if basis, anchors or transforms are fitted on test poses too.
    _, held_out = face_data.split(0.1, 0)

    class Changed:
        def __getattr__(self, name):
            return getattr(face_data, name)

        def __len__(self):
            return len(face_data)

        def take(self, rows):
            channels, poses, vertices = face_data.take(rows)
            vertices = vertices.copy()
            vertices[np.isin(rows, held_out)] *= 3.0
            return channels, poses, vertices

    first = tensors_of(learn(face_data), tmp_path / "a.safetensors")
    second = tensors_of(learn(Changed()), tmp_path / "b.safetensors")
    for name in ("delta.basis", "delta.mean", "anchors.vertex", "inputs.column"):
        np.testing.assert_array_equal(first[name], second[name])


def test_what_is_learned_are_delta_coordinates(face_data, tmp_path, tolerance):
    # Fails if the basis is one of Cartesian offsets: delta coordinates sum to zero over a component.
    tensors = tensors_of(learn(face_data, base=False), tmp_path / "a.safetensors")
    for name in ("delta.basis", "delta.mean"):
        shaped = tensors[name].reshape(117, 3, -1)
        assert np.abs(shaped.sum(axis=0)).max() < 117 * tolerance["float32"]
        assert np.abs(shaped).sum() > 0.1


def test_basis_and_anchors_rebuild_the_displacements(face_data, tmp_path):
    # Fails if encoding and solving use different Laplacians, or if anchors are left out.
    tensors = tensors_of(learn(face_data, components=100, base=False), tmp_path / "a.safetensors")
    anchors = tensors["anchors.vertex"]
    r = rc.differential.Reconstructor(face_data.faces, 117, anchors)
    d = face_data.vertices - face_data.rest_vertices
    z = (r.encode(d).reshape(len(d), -1) - tensors["delta.mean"]) @ tensors["delta.basis"]
    rebuilt = r.folded(tensors["delta.basis"], tensors["delta.mean"]).solve(z, d[:, anchors])
    assert np.abs(rebuilt - d).max() < 2e-3 * np.abs(d).max()


@pytest.mark.parametrize("networks", ["each", "one"])
def test_anchor_networks_read_the_controls_that_move_their_anchor(face_data, networks):
    model = learn(face_data, anchor_networks=networks)
    inputs = model.metadata["training"]["anchor_inputs"]
    assert (len(inputs) == 1 and inputs[0] == 6) if networks == "one" else (len(inputs) == 2 and min(inputs) < 6)


def test_a_network_of_an_anchor_that_nothing_moves_is_a_constant(arm, arm_data, tmp_path):
    model = learn(arm_data, skin=arm, anchors=12, steps=3)
    tensors = tensors_of(model, tmp_path / "a.safetensors")
    still = np.diff(tensors["anchors.input.offset"]) == 0
    assert 0 < still.sum() < 12
    hidden = np.abs(tensors["anchors.layer2.weight"]).sum(axis=(1, 2))
    np.testing.assert_array_equal(hidden == 0.0, still)


def test_anchors_can_be_given(face_data, tmp_path):
    tensors = tensors_of(learn(face_data, anchors=[5, 60, 116]), tmp_path / "a.safetensors")
    assert tensors["anchors.vertex"].tolist() == [5, 60, 116]
    assert learn(face_data, anchors=7).num_anchors == 7


def test_a_face_without_joints_has_the_identity(face_data):
    assert learn(face_data).transforms == "identity"


def with_rest(arm):
    """The arm as a rig that can be probed."""

    class Probed:
        def sample(self, channels):
            return arm.sample(channels)

        def with_rest(self, vertices):
            return SkinnedRig(vertices, arm.faces, arm.joints, skin=arm.skin, channels=arm.channels, morphs=arm.morphs)

    return Probed()


@pytest.mark.parametrize("origin", ["fitted", "source", "probed", "identity"])
def test_the_model_says_where_its_transforms_come_from(arm, arm_data, origin):
    skin = {"fitted": None, "source": arm, "probed": with_rest(arm), "identity": "identity"}[origin]
    model = learn(arm_data, skin=skin, steps=2)
    assert (model.transforms, model.metadata["training"]["transforms"]) == (origin, origin)


def test_probing_finds_the_skinning_of_the_source(arm, arm_data, tmp_path):
    skins = []
    for skin in (arm, with_rest(arm)):
        tensors = tensors_of(learn(arm_data, skin=skin, steps=1), tmp_path / "a.safetensors")
        dense = np.zeros((len(arm.rest_vertices), 3))
        rows = np.arange(len(dense))[:, None]
        np.add.at(dense, (rows, tensors["skin.joint"]), tensors["skin.weight"])
        skins.append(dense)
    moving = slice(1, None)  # a resting root cannot be told from what stands still
    np.testing.assert_allclose(skins[1][:, moving], skins[0][:, moving], atol=1e-3)


def test_displacements_invert_the_transforms(arm, arm_data, tolerance):
    from rigcast.training._differential._transforms import displacements, find_transforms

    transforms = find_transforms(arm_data, arm, np.arange(10), 1)
    _, poses, vertices = arm_data.take(np.arange(10))
    d = displacements(transforms, arm_data.skeleton, poses, vertices, arm_data.rest_vertices, str)
    matrix = transforms.matrices(arm_data.skeleton, poses)
    moved = np.einsum("tvab,tvb->tva", matrix[..., :3], arm_data.rest_vertices + d) + matrix[..., 3]
    np.testing.assert_allclose(moved, vertices, atol=tolerance["float32"])


class Flat:
    """A data set with a transform that has no inverse in its row 7."""

    def __init__(self, ds):
        self._ds = ds
        self.poses = ds.poses.copy()
        self.poses[7, 24:36] = 0.0

    def __getattr__(self, name):
        return getattr(self._ds, name)

    def __len__(self):
        return len(self._ds)

    def take(self, rows):
        channels, _, vertices = self._ds.take(rows)
        return channels, self.poses[rows], vertices


WRONG = [
    ({"components": 500}, r"components is 500 with 108 training poses of 117 vertices; it must be at most 107"),
    ({"anchors": [0, 117]}, "anchors"),
    ({"anchors": [3, 3]}, "anchors is holding 3 twice"),
    ({"anchors": 0}, "count is 0"),
    ({"anchor_weight": 0.0}, "anchor_weight is 0"),
    ({"recipe": "large"}, "recipe is 'large'"),
    ({"loss": "l1"}, "loss is 'l1'"),
    ({"optimizer": "lbfgs"}, "optimizer is 'lbfgs'"),
    ({"holdout": 1.0}, "holdout is 1"),
    ({"layers": 0}, "layers is 0"),
    ({"device": "tpu"}, "device is 'tpu'"),
    ({"threads": -1}, "threads is -1"),
]


@pytest.mark.parametrize(("settings", "text"), WRONG, ids=[text for _, text in WRONG])
def test_wrong_settings_are_named(face_data, settings, text):
    with pytest.raises(ValueError, match=text):
        learn(face_data, **settings)


def test_a_singular_transform_is_named(arm, arm_data):
    with pytest.raises(ValueError, match=r"singular linear transform at vertex \d+ in row 7"):
        learn(Flat(arm_data), skin=arm)


class Broken:
    """A data set with a vertex that is no number in its row 5."""

    def __init__(self, ds, value):
        self._ds, self._value = ds, value

    def __getattr__(self, name):
        return getattr(self._ds, name)

    def __len__(self):
        return len(self._ds)

    def take(self, rows):
        channels, poses, vertices = self._ds.take(rows)
        vertices = vertices.copy()
        vertices[np.asarray(rows) == 5, 11, 1] = self._value
        return channels, poses, vertices


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_vertex_that_is_no_number_is_named(arm, arm_data, face_data, value):
    for data, skin in ((face_data, None), (arm_data, arm)):
        with pytest.raises(ValueError, match=r"differential: data\.vertices is not finite at vertex 11 in row 5"):
            learn(Broken(data, value), skin=skin)


@pytest.mark.parametrize(
    ("skin", "text"),
    [
        ("linear", "skin is 'linear'"),
        (3, "a int without skin or with_rest"),
        ((np.zeros((3, 1), np.int32), np.ones((3, 1))), "skin joints"),
        ((np.zeros((1122, 1), np.int32), np.full((1122, 1), 0.5)), "of sum 0.5 at vertex 0"),
    ],
)
def test_a_wrong_skin_is_named(arm_data, skin, text):
    with pytest.raises(ValueError, match=text):
        learn(arm_data, skin=skin)


def test_no_data_set_is_named():
    with pytest.raises(ValueError, match="differential: data is a list without"):
        learn([])


@pytest.mark.slow
def test_the_recipes_reach_the_same_loss(face_data):
    # Both with narrow networks, so that it takes seconds: the published loss and optimizer, and ours.
    ours = learn(face_data, steps=600, hidden=32)
    paper = learn(face_data, recipe="paper", layers=2, hidden=32, steps=6000, learning_rate=0.1)
    assert ours.metadata["error"]["mean"] <= paper.metadata["error"]["mean"]
