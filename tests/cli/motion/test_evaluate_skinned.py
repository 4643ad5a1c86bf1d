"""``rigcast evaluate`` with a skinned rig of a .glb or .npz as the model."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from rigcast.exports import write_bvh
from tests.cli.motion.test_evaluate import FRAMES
from tests.support import glb


def skinned(path):
    """A character without morph targets, and a clip of it."""
    file = glb.character()
    for mesh in file.json["meshes"]:
        mesh.pop("weights", None)
        for primitive in mesh["primitives"]:
            primitive.pop("targets", None)
    for clip in file.json["animations"]:
        clip["channels"] = [c for c in clip["channels"] if c["target"]["path"] != "weights"]
    file.json["nodes"][0].pop("weights", None)
    return file.write(path)


def test_a_skinned_rig_in_gltf_is_a_model(tmp_path):
    path = skinned(tmp_path / "skinned.glb")
    output = tmp_path / "steps.npz"
    assert dispatch.main(["evaluate", str(path), str(path), "--clip", "steps", "-o", str(output)]) == 0
    stored = np.load(output)
    expected = rc.sources.load(path).sample_clip("steps", float(stored["fps"]))[1]
    np.testing.assert_allclose(stored["vertices"], expected, atol=1e-5 * np.abs(expected).max())


def test_a_motion_file_is_retargeted_onto_a_skinned_rig(tmp_path):
    rig = rc.sources.SkinnedRig(**without_morphs(rc.sources.example_body()))
    rc.sources.save_npz_rig(tmp_path / "arm.npz", rig)
    low, high = rig.channel_ranges.T
    channels = low + (high - low) * np.linspace(0.3, 0.6, FRAMES)[:, None]
    write_bvh(tmp_path / "arm.bvh", rig, channels, fps=24.0)
    given = ["evaluate", str(tmp_path / "arm.npz"), str(tmp_path / "arm.bvh"), "-o", str(tmp_path / "v.npy")]
    assert dispatch.main(given) == 0
    expected = rig.sample(channels)[1]
    np.testing.assert_allclose(np.load(tmp_path / "v.npy"), expected, atol=1e-3 * np.ptp(expected))


def without_morphs(rig):
    return {
        "vertices": rig.rest_vertices,
        "faces": rig.faces,
        "joints": rig.joints,
        "skin": rig.skin,
        "channels": [c for c in rig.channels if c.kind != "dial"],
        "facts": rig.facts,
    }


def test_a_rig_with_driven_morphs_says_what_to_do(tmp_path, capsys):
    rig = rc.sources.example_body()
    assert rig.morphs
    rc.sources.save_npz_rig(tmp_path / "arm.npz", rig)
    np.save(tmp_path / "w.npy", np.zeros((2, len(rig.channel_names))))
    code = dispatch.main(
        ["evaluate", str(tmp_path / "arm.npz"), str(tmp_path / "w.npy"), "-o", str(tmp_path / "v.npy")]
    )
    assert (code, "rigcast train" in capsys.readouterr().err) == (2, True)


def test_textures_that_the_result_does_not_have_are_named(tmp_path):
    file = glb.character()
    file.json["images"] = [{"name": "skin.png", "uri": "skin.png"}]
    for primitive in (p for mesh in file.json["meshes"] for p in mesh["primitives"]):
        primitive["attributes"]["TEXCOORD_0"] = primitive["attributes"]["POSITION"]
    path = file.write(tmp_path / "textured.glb")
    from rigcast._formats.textures import lost_textures

    assert lost_textures(path, tmp_path / "out.glb", keeps_coordinates=False) == [
        "textures of textured.glb that out.glb does not have: skin.png; assign them again",
        "texture coordinates of textured.glb are not in out.glb: copy them from that mesh, whose vertices have the "
        "same order",
    ]
