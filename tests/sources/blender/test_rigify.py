"""Generated Rigify characters: what Blender plays is what is sampled, and deforming bones are the joints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender import BlenderRig
from rigcast.sampling._drawing.limbs import PosedLimbs, posed_limbs
from rigcast.sampling._drawing.stream import Stream
from tests.sources.blender.rigify_file import rigify_file

ALL = ["basic_human", "basic_quadruped", "bird", "cat", "horse", "human", "shark", "wolf"]
ALLOWED = 1e-5  # meters
LIMBS = {"bird": 2, "shark": 0}
MOST_STRETCH = 1.05  # of a bone's length
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


def test_limbs_have_two_sets_and_a_switch(rig: Any, blend: Path) -> None:
    limbs = rig.control_sets.limbs
    assert rig.control_sets.habit == "Rigify"
    assert len(limbs) == LIMBS.get(blend.stem, 4)
    assert all((limb.switch[-6:], limb.fk_at, limb.ik_at) == (".IK_FK", 1.0, 0.0) for limb in limbs)
    assert all(bone in rig.mechanism.skeleton.names for limb in limbs for bone in limb.fk + limb.ik)


def test_ik_targets_with_assumed_ranges_do_not_stretch_limbs(blend: Path) -> None:
    with BlenderRig.open(blend, ranges="people") as rig:
        posed = posed_limbs(rig, rc.sampling.Uniform())
        shells = posed.shells if isinstance(posed, PosedLimbs) else ()
        rows, names = np.repeat(rig.channel_rest[None], 20, 0), rig.channel_names
        for limb in rig.control_sets.limbs:
            rows[:, names.index(limb.switch)] = limb.ik_at
        links = [bone.replace("_fk", "") for limb in rig.control_sets.limbs for bone in limb.fk[:2]]
        rest = bone_lengths(rig, rows, links)
        for columns in [list(shell.columns) for shell in shells]:
            rows[:, columns] = posed.draw(rig.channel_ranges, rig.channel_rest, 20, Stream(0))[:, columns]
        assert len(shells) == len(rig.reaches)
        stretched = bone_lengths(rig, rows, links) / rest
        assert (stretched < MOST_STRETCH).all()


def test_neck_and_head_turn_as_far_as_those_of_people(blend: Path) -> None:
    """AAOS 1965, shared by both: 45 degrees to each side, forward and back, 60 about the neck."""
    with BlenderRig.open(blend, ranges="people") as rig:
        sources = dict(zip(rig.channel_names, rig.range_sources, strict=True))
        turns = dict(zip(rig.channel_names, np.asarray(rig.channel_ranges), strict=True))
        bones = [bone for bone, role in rig.control_sets.roles.items() if role in ("neck", "head")]
        said = {bone: sources[f"{bone}.rotation_x"] for bone in bones}
    assert {"neck", "head"} <= set(bones)
    assert all(text.startswith("joint limits of people") and "AAOS 1965" in text for text in said.values())
    reach = sum(np.sort([turns[f"{bone}.rotation_{axis}"] for axis in "xyz"], axis=0) for bone in bones)
    np.testing.assert_array_equal(np.sort(np.abs(reach), axis=0), [[45, 45], [45, 45], [60, 60]])


def bone_lengths(rig: Any, rows: Any, bones: list[str]) -> Any:
    """How long the skin's joints of bones are drawn, relative to their parents (T, J)."""
    count = len(rig.skeleton.names)
    mine = [name.removeprefix("DEF-") in bones for name in rig.skeleton.names]
    joints = rig.sample(rows)[0][:, : 12 * count].reshape(len(rows), count, 3, 4)
    return np.linalg.norm(joints[..., 1], axis=2)[:, mine]


def test_without_ranges_what_is_not_reached_is_named(rig: Any, blend: Path) -> None:
    limits = {rig.channel_names[0]: tuple(rig.channel_ranges[0])}
    with BlenderRig.open(blend, limits=limits) as narrow:
        named = [note for note in narrow.differences if note.startswith("action 'moved' differs by up to")]
    assert len(named) == 1
