"""Files that are dropped: characters and motions, as other programs and commands leave them."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.characters.plain_face import plain_face
from tests.view.dropping.sending import FRAMES
from tests.view.stage.posed import skinned_arm


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dropped")
    arm, face = rc.sources.example_body(), plain_face()
    bend = np.linspace(0, 40, FRAMES)[:, None] * (np.arange(len(arm.channel_names)) == 0)
    rc.exports.write_bvh(folder / "bend.bvh", arm, bend, fps=24)
    rc.exports.write_motion(folder / "arm.glb", arm, bend, fps=24)
    skinned_arm().save(folder / "arm.safetensors")
    face.save(folder / "face.safetensors")
    weights = np.linspace(0, 1, FRAMES)[:, None] * np.eye(6)[4]
    np.savez(folder / "nod.npz", weights=weights, names=face.shape_names, fps=15.0)
    np.savez(folder / "narrow.npz", weights=weights[:, :2])
    (folder / "torn.safetensors").write_bytes((folder / "face.safetensors").read_bytes()[:400])
    (folder / "torn.glb").write_bytes((folder / "arm.glb").read_bytes()[:400])
    return folder
