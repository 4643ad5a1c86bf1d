"""What model files say of themselves: hostile nesting, types, and what Python writes."""

import json
import struct

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.models import linear_blend


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.fixture(scope="module")
def model():
    return linear_blend()


def file_with(path, model, text: str):
    """A model file whose metadata is any text."""
    model.save(path)
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + size])
    header["__metadata__"]["rigcast"] = text
    made = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(made)) + made + content[8 + size :])
    return path


def with_entry(model, key: str, value: str) -> str:
    """The metadata with an entry that is any JSON text, read before the others."""
    rest = {k: v for k, v in model.metadata.items() if k != key}
    return f'{{"{key}": {value}, ' + json.dumps(rest)[1:]


@pytest.mark.parametrize("key", ["version", "kind", "joint_names", "meters_per_unit", "up_axis", "anything"])
def test_metadata_nested_very_deep_are_refused_by_name(tmp_path, model, key):
    path = file_with(tmp_path / "deep.safetensors", model, with_entry(model, key, nested(200_000)))
    with pytest.raises(ValueError, match="metadata is nested more than 32 levels deep"):
        rc.load(path)


def test_thirty_two_levels_are_read_and_no_more(tmp_path, model):
    made = _core.model_from_tensors(model.tensors(), with_entry(model, "shop", nested(31)))
    path = tmp_path / "model.safetensors"
    made.save(path)
    assert rc.load(path).metadata["shop"] == json.loads(nested(31))
    with pytest.raises(ValueError, match="model_from_tensors: metadata is nested more than 32 levels deep"):
        _core.model_from_tensors(model.tensors(), with_entry(model, "shop", nested(32)))


def test_brackets_inside_texts_are_no_levels(model):
    text = '"' + "[" * 100 + r"\"{" + '"'
    assert _core.model_from_tensors(model.tensors(), with_entry(model, "note", text)).metadata["note"].startswith("[[")


def test_blendshapes_refuse_deep_metadata_by_name():
    neutral, deltas = np.zeros((4, 3), np.float32), np.ones((2, 4, 3), np.float32)
    for depth in (40, 100_000):
        deep: list = []
        for _ in range(depth):
            deep = [deep]
        with pytest.raises(ValueError, match="BlendshapeRig: metadata is"):
            rc.BlendshapeRig(neutral, deltas, metadata={"shop": deep})


@pytest.mark.parametrize("text", ["[]", "7", "{", '{"version": 1', '{"version": NaN}'])
def test_metadata_that_are_no_object_are_refused_by_name(tmp_path, model, text):
    with pytest.raises(ValueError, match=r"bad\.safetensors: metadata is no JSON object"):
        rc.load(file_with(tmp_path / "bad.safetensors", model, text))


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("kind", "7", "metadata.kind is not a text; it must be a text"),
        ("joint_names", '["a", 7]', "metadata.joint_names is not a list of names"),
        ("meters_per_unit", '"1"', "metadata.meters_per_unit is no number; it must be a number"),
        ("version", "2", "rigcast metadata of version 1"),
    ],
)
def test_entries_of_another_type_are_named(model, key, value, said):
    with pytest.raises(ValueError, match=said):
        _core.model_from_tensors(model.tensors(), with_entry(model, key, value))


LONE = "a\udc80"


@pytest.mark.parametrize(
    "metadata", [{"name": LONE}, {LONE: 1}, {"constructed": [LONE]}, {"deep": [{"origin": LONE}]}], ids=ascii
)
def test_metadata_of_a_blendshape_rig_with_half_a_surrogate_pair_say_so(metadata):
    with pytest.raises(ValueError, match=r"^BlendshapeRig: metadata is holding '\\udc80'; it must be Unicode text"):
        rc.BlendshapeRig(np.zeros((1, 3)), np.zeros((1, 1, 3)), metadata=metadata)


@pytest.mark.parametrize("make", [rc.LinearBlendSkinning, rc.DualQuaternionSkinning, rc.DeltaMush])
def test_metadata_of_skinning_with_half_a_surrogate_pair_say_so(make):
    skeleton = rc.Skeleton(["root"], [-1], np.eye(3, 4)[None])
    with pytest.raises(ValueError, match=rf"^{make.__name__}: metadata is holding '\\udc80'; it must be Unicode text"):
        make(skeleton, np.eye(3), [[0, 1, 2]], np.ones((3, 1)), metadata={"name": LONE})


def test_a_name_with_half_a_surrogate_pair_is_told_apart_from_an_empty_one():
    channel = rc.sources.example_body().channels[-1]
    odd = type(channel)(LONE, channel.kind, channel.joint, channel.low, channel.high)
    with pytest.raises(ValueError, match=r"holds 'a\\udc80'; it must be Unicode text, without lone surrogates"):
        rc.sources.SkinnedRig(np.eye(3), [[0, 1, 2]], channels=[odd])
