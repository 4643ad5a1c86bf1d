"""What cannot be learned from is one clear error."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast._extras import MissingExtra
from rigcast._formats.blender import BlenderRig, load_limits, process
from tests.sources.conftest import Host


def test_meshes_of_several_armatures_need_a_name(any_host: Host) -> None:
    with pytest.raises(ValueError, match=r"mesh is not given, .* 2 meshes of 2 armatures.*'Body', 'Other body'"):
        any_host.open("two_characters")
    with any_host.open("two_characters", armature="Rig") as rig:
        assert rig.meshes == ["Body"]


def test_a_mesh_may_be_named(any_host: Host) -> None:
    with any_host.open("several", mesh="Clothes") as rig:
        assert rig.meshes == ["Clothes"]
    with any_host.open("several", mesh="Prop", armature="Rig") as rig:
        assert rig.rest_vertices.shape == (3, 3)


def test_wrong_names_list_the_candidates(any_host: Host) -> None:
    with pytest.raises(ValueError, match=r"mesh is 'Bdy'; it must be one of 'Body', 'Clothes', 'Prop'"):
        any_host.open("several", mesh="Bdy")
    with pytest.raises(ValueError, match=r"armature is 'Rug'; it must be 'Rig'"):
        any_host.open("plain", armature="Rug")
    with pytest.raises(ValueError, match=r"armature is 'Rug'; it must be one of 'Other', 'Rig'"):
        any_host.open("two_characters", armature="Rug")
    with pytest.raises(ValueError, match=r"2 armatures deform mesh 'Body'; it must be one of 'Other', 'Rig'"):
        any_host.open("two_rigs")
    with any_host.open("two_rigs", armature="Rig") as rig:
        assert rig.armature == "Rig"


def test_file_that_is_none(any_host: Host, tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match=r"a \.blend file that exists"):
        any_host.open("nothing")
    broken = tmp_path / "broken.blend"
    broken.write_bytes(b"BLENDER-v404 and then nothing")
    with pytest.raises(ValueError, match="cannot open"):
        BlenderRig.open(broken, blender=any_host.blender)
    with pytest.raises(ValueError, match="a file without a mesh"):
        any_host.open("meshless")


@pytest.mark.parametrize(("name", "modifier"), [("cut", "'Cut' (BOOLEAN)"), ("decimated", "'Fewer' (DECIMATE)")])
def test_topology_that_changes_names_the_modifier(host: Host, name: str, modifier: str) -> None:
    with pytest.raises(rc.SourceError) as error:
        host.open(name)
    assert f"modifier {modifier} of mesh 'Body'" in str(error.value)


def test_topology_that_changes_later_names_the_modifier(host: Host) -> None:
    with host.open("late_cut") as rig, pytest.raises(rc.SourceError, match=r"modifier 'Cut' \(BOOLEAN\)"):
        rig.sample([[0.0], [40.0], [0.0]])


def test_nan_is_refused_with_its_row(host: Host) -> None:
    with host.open("poisoned") as rig:
        channels = np.tile(rig.channel_rest, (3, 1))
        assert rig.sample(channels)[1].shape[0] == 3
        channels[2, rig.channel_names.index("shape.bad")] = 0.5
        with pytest.raises(rc.SourceError, match=r"NaN or infinity for row 2 of the channels; its log ends with"):
            rig.sample(channels)
        assert np.isfinite(rig.sample(channels[:2])[1]).all()  # a fresh host goes on


def test_bone_scaled_to_nothing(any_host: Host) -> None:
    with any_host.open("collapsed") as rig:
        channels = np.tile(rig.channel_rest, (1, 1))
        channels[0, [i for i, name in enumerate(rig.channel_names) if "scale" in name]] = 0.0
        with pytest.raises(rc.SourceError, match="NaN or infinity"):
            rig.sample(channels)


@pytest.mark.parametrize("shape", [(9,), (2, 8), (2, 9, 1)])
def test_channels_of_the_wrong_shape(any_host: Host, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"channels is float64 .*\(T, 9\)"):
        any_host.rig("plain").sample(np.zeros(shape))


def test_channels_that_are_not_finite(any_host: Host) -> None:
    with pytest.raises(ValueError, match="channels is not finite everywhere"):
        any_host.rig("plain").sample(np.full((1, 9), np.nan))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "a JSON file"),
        ("{}", '"format": "rigcast.limits"'),
        ({"channels": []}, "mapping of channel names"),
        ({"channels": {"a": [1]}}, "two finite numbers"),
        ({"channels": {"a": [2, 1]}}, "the lower one first"),
        ({"channels": {"a": [0, float("nan")]}}, "two finite numbers"),
        ({"channels": {"a": "01"}}, "two finite numbers"),
    ],
)
def test_limits_file_that_is_none(tmp_path, content, message: str) -> None:
    path = tmp_path / "x.limits.json"
    if isinstance(content, dict):
        content = json.dumps({"format": "rigcast.limits", "version": 1, **content})
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        load_limits(path)


def test_limits_for_a_channel_that_is_none(any_host: Host) -> None:
    with pytest.raises(ValueError, match=r"the channel 'bone9.rotation_x'; .*did you mean 'bone\d.rotation_x' or"):
        any_host.open("plain", limits={"bone9.rotation_x": (0, 1)})


def test_no_blender_is_one_sentence(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(process.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(process.shutil, "which", lambda name: None)
    blend = tmp_path / "a.blend"
    blend.touch()
    with pytest.raises(MissingExtra, match=r'pip install "rigcast\[blender\]"'):
        BlenderRig.open(blend)
    with pytest.raises(ValueError, match="a Blender executable that exists"):
        BlenderRig.open(blend, blender="/nowhere/blender")
