"""Skeletons of models as KineFX geometry."""

from __future__ import annotations

import numpy as np

from tests.houdini import fake_hou
from tests.support.characters.exact_arm import in_scene, turn, worlds


def kinefx(model, pose, *, unit=1.0, up="Y", axes=None, names=None, local=False, order=None):
    """A skeleton in a scene: its axes turned by ``axes`` (J, 3, 3), its points in another order."""
    placed, parents = worlds(model, pose), model.skeleton.parents.tolist()
    names = model.skeleton.names if names is None else names
    placed[:, :3, :3] = turn(model, up) @ placed[:, :3, :3]
    placed[:, :3, 3] = in_scene(model, placed[:, :3, 3], unit, up)
    if axes is not None:
        placed[:, :3, :3] = placed[:, :3, :3] @ axes
    order = np.arange(len(names)) if order is None else order
    chosen, place = placed[order], {int(joint): at for at, joint in enumerate(order)}
    lines = [(place[parent], place[joint]) for joint, parent in enumerate(parents) if parent >= 0]
    transforms = {"transform": chosen[:, :3, :3].transpose(0, 2, 1).reshape(-1, 9)}
    if local:
        above = [np.eye(4) if parent < 0 else placed[parent] for parent in parents]
        rows = (np.linalg.inv(above) @ placed)[order].transpose(0, 2, 1)
        transforms = {"localtransform": rows.reshape(-1, 16)}
    texts = {"name": [names[joint] for joint in order]}
    return fake_hou.Geometry(chosen[:, :3, 3], texts, lines, **transforms)
