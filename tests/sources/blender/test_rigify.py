"""Generated Rigify characters: what Blender plays is what is sampled, and deforming bones are the joints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rigcast._formats.blender import BlenderRig
from tests.support.rigify import rigify_file

ALL = ["basic_human", "basic_quadruped", "bird", "cat", "horse", "human", "shark", "wolf"]
ALLOWED = 1e-5  # meters
MOST_CONTROLS = 4  # that turn a deforming bone as its parents, without constraints between them


@pytest.fixture(scope="module", params=[ALL[0], *(pytest.param(name, marks=pytest.mark.long) for name in ALL[1:])])
def blend(request: pytest.FixtureRequest) -> Path:
    return rigify_file(request.param)


@pytest.fixture(scope="module")
def rig(blend: Path) -> Iterator[Any]:
    with BlenderRig.open(blend, ranges="actions") as rig:
        yield rig


def test_channels_give_what_blender_plays(rig: Any) -> None:
    action = rig.action("moved")
    apart = np.linalg.norm(rig.sample(action.channels)[1] - rig.played("moved")[1], axis=2)
    assert apart.max() < ALLOWED
    assert np.ptp(rig.played("moved")[1], axis=0).max() > 0.01
    assert action.missed == []
    assert not rig.differences


def test_joints_are_the_deforming_bones(rig: Any) -> None:
    names = rig.skeleton.names
    assert sum(not name.startswith("DEF-") for name in names) <= MOST_CONTROLS
    assert sum(parent < 0 for parent in rig.skeleton.parents) <= 2
    assert len(names) <= len(rig.mechanism.skeleton.names) / 2


def test_without_ranges_what_is_not_reached_is_named(rig: Any, blend: Path) -> None:
    limits = {rig.channel_names[0]: tuple(rig.channel_ranges[0])}
    with BlenderRig.open(blend, limits=limits) as narrow:
        named = [note for note in narrow.differences if note.startswith("action 'moved' differs by up to")]
    assert len(named) == 1
