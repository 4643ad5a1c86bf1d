"""Files of networks: equal after saving, refused when damaged, and the package's own."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture._network import network as home
from tests.capture.network.networks import facts, network, pictures, tensors

LARGEST = 3_000_000  # bytes of what the package brings
SHIPPED = home.SHIPPED


def test_a_saved_network_reads_the_same(tmp_path):
    made, crops = network(6), pictures(3)
    made.save(tmp_path / "n.safetensors")
    again = rc.capture.load_network(tmp_path / "n.safetensors")
    motion = np.full((3, 12), 0.1, np.float32)
    for a, b in zip(*(n._engine.read(crops, crops[:1], motion, 1) for n in (made, again)), strict=True):
        assert a.tobytes() == b.tobytes()
    assert (again.names, again.metadata) == (made.names, made.metadata)
    assert np.array_equal(again.error, made.error)


def test_a_torn_file_is_named(tmp_path):
    file = tmp_path / "n.safetensors"
    network().save(file)
    whole = file.read_bytes()
    for length in [0, 4, 8, 100, len(whole) // 2, len(whole) - 1]:
        file.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"n\.safetensors"):
            rc.capture.load_network(file)


def test_a_wrong_byte_is_named_or_read(tmp_path):
    """In the header and in the numbers: never a crash."""
    file = tmp_path / "n.safetensors"
    network().save(file)
    whole = file.read_bytes()
    for place in [*range(0, 400, 7), *range(len(whole) - 60, len(whole), 3)]:
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            rc.capture.load_network(file)
        except ValueError as error:
            assert "n.safetensors" in str(error), place


@pytest.mark.parametrize("name", sorted(tensors(3)))
def test_a_tensor_that_lacks_or_has_another_shape_is_named(name):
    lacking, other = tensors(3), tensors(3)
    del lacking[name]
    other[name] = other[name][:-1]
    if name == "layout.rigid":  # any number of points
        other[name] = np.zeros(0, np.int32)
    for given in (lacking, other):
        if name.startswith("points.") and given is lacking and name == "points.weight":
            with pytest.raises(ValueError, match="dense1"):  # a network that sees no points
                rc.capture.CaptureNetwork(given, facts())
            continue
        with pytest.raises(ValueError):  # noqa: PT011 - of the tensor, or of the one whose size follows from it
            rc.capture.CaptureNetwork(given, facts())


@pytest.mark.parametrize("name", [n for n in sorted(tensors(3)) if tensors(3)[n].dtype == np.float32])
def test_numbers_that_are_not_finite_are_named(name):
    given = tensors(3)
    given[name].flat[0] = np.nan
    with pytest.raises(ValueError, match=name.replace(".", r"\.")):
        rc.capture.CaptureNetwork(given, facts())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"size": 40}, "size"),
        ({"size": 16}, "dense1"),
        ({"version": 2}, "version 1"),
        ({"shape_names": ["one"]}, "shapes.read"),
        ({"kind": "body"}, "reads faces"),
    ],
)
def test_metadata_that_does_not_fit_is_named(changes, words):
    with pytest.raises(ValueError, match=words):
        rc.capture.CaptureNetwork(tensors(), facts(**changes))


def test_a_model_of_another_kind_is_named(tmp_path):
    rc.faces.example().save(tmp_path / "face.safetensors")
    with pytest.raises(ValueError, match=r"face\.safetensors: of kind 'blendshape'.*a network that reads faces"):
        rc.capture.load_network(tmp_path / "face.safetensors")


@pytest.mark.parametrize("given", [True, False])
def test_a_missing_file_says_what_makes_one(given, tmp_path, monkeypatch):
    monkeypatch.setattr(home, "SHIPPED", tmp_path / "nowhere.safetensors")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.safetensors.*rigcast capture train"):
        rc.capture.load_network(tmp_path / "nowhere.safetensors" if given else None)


def test_the_package_brings_a_small_network_with_its_recipe_and_licence():
    made, text = rc.capture.load_network(), SHIPPED.with_suffix(".md").read_text(encoding="utf-8")
    assert SHIPPED.stat().st_size < LARGEST
    assert f"seed {made.metadata['training']['seed']}" in text
    assert "rigcast capture train" in text
    assert "MIT" in text
    assert "rendered" in text
    assert "jawOpen" in made.names


def test_actors_of_benchmarks_are_not_trained_on():
    from benchmarks.systems.capture import chain, read_gestures

    made = rc.capture.load_network().metadata["training"]
    trained = range(made["first_actor"], made["first_actor"] + made["actors"])
    assert {*chain.SEEDS, *read_gestures.SEEDS}.isdisjoint(trained)


def test_the_recipe_states_the_error_of_the_file():
    error = rc.capture.load_network().metadata["error"]
    text = SHIPPED.with_suffix(".md").read_text(encoding="utf-8")
    assert f"{error['mean_mm']:.2f} mm" in text
    assert f"{error['training_mean_mm']:.2f} mm" in text


def test_wheels_are_refused_that_lack_it():
    from release import package_wheels

    assert set(package_wheels.NETWORK) == {SHIPPED.name, SHIPPED.with_suffix(".md").name}
