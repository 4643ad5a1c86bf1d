"""What was recognized of a control rig is told in a line or two; --json has the names."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace

import pytest

from rigcast._formats.blender import run_script
from rigcast.cli._described.rigs import control_lines
from rigcast.cli._inputs.rigs import opened_rig
from tests.cli.command import json_of, rigcast_command
from tests.support.blender import has_wheel

ARMS = Path(__file__).parents[2] / "sources" / "blender" / "scenes"


@pytest.mark.parametrize(
    ("facts", "lines"),
    [
        ({}, []),
        ({"switches": ["a.b"], "held": [], "assumed_ranges": ""}, []),
        (
            {"control_rig": "Rigify", "limbs": dict.fromkeys("abcd"), "switches": list("abcdef"),
             "held": [f"a.{n}" for n in range(37)], "assumed_ranges": "ranges: none"},
            ["Rigify controls: 4 limbs FK and IK, 6 switches, 37 properties held (names: --json)", "ranges: none"],
        ),
        (
            {"control_rig": "", "limbs": {"arm": {}}, "switches": [], "held": ["a.rotation_x"], "assumed_ranges": ""},
            ["FK and IK controls: 1 limb FK and IK, 1 channel held (names: --json)"],
        ),
        (
            {"control_rig": "Rigify", "limbs": {}, "switches": [], "held": [], "assumed_ranges": ""},
            ["Rigify controls: no limb (names: --json)"],
        ),
    ],
)  # fmt: skip
def test_a_control_rig_is_told_in_a_line(facts, lines) -> None:
    assert control_lines(facts) == lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with an arm as Rigify names its bones."""
    if not has_wheel():
        pytest.skip("the bpy wheel is not installed")
    folder = tmp_path_factory.mktemp("arms")
    script = folder / "arm.py"
    script.write_text(
        f"import bpy, sys\nsys.path.append({str(ARMS)!r})\nfrom arms import rigify_arm\nrigify_arm()\n"
        f"bpy.ops.wm.save_as_mainfile(filepath={str(folder / 'arm.blend')!r})\n"
    )
    run_script(script, [])
    return folder


@pytest.mark.parametrize(
    ("words", "held"),
    [
        (["limits", "arm.blend", "-o", "a.limits.json", "--free", "*_Stretch"], "1 property held"),
        (["sample", "arm.blend", "-o", "a.rwdata", "--count", "4", "--probe", "0", "--hold", "hand_*.L.*"],
         "9 channels held"),
        (["info", "arm.blend"], "2 properties held"),
    ],
)  # fmt: skip
def test_commands_tell_the_controls_and_the_ranges_that_they_assume(folder, words, held) -> None:
    lines = rigcast_command(*words, folder=folder).stdout.splitlines()
    assert f"Rigify controls: 1 limb FK and IK, 1 switch, {held} (names: --json)" in lines
    assert any(line.startswith("ranges: none in the file, joint limits of people for ") for line in lines)


def test_json_has_the_names(folder) -> None:
    found = json_of("info", "arm.blend", folder=folder)
    assert found["limbs"]["arm.L"]["switch"] == "upper_arm_parent.L.IK_FK"
    assert found["held"] == ["upper_arm_parent.L.IK_Stretch", "upper_arm_parent.L.FK_limb_follow"]


def test_options_for_blend_files_are_refused_for_others(folder) -> None:
    (folder / "x.npz").write_bytes(b"")
    done = rigcast_command("sample", "x.npz", "-o", "e.rwdata", "--free", "a", folder=folder)
    assert "--free does not apply to .npz files" in done.stderr


def test_a_rig_is_opened_with_the_channels_that_were_learned(folder) -> None:
    args = argparse.Namespace(dials_only=False)
    learned = SimpleNamespace(channel_names=["hand_ik.L.location_x"], channel_ranges=[(-0.1, 0.1)], skeleton=object())
    with opened_rig(args, folder / "arm.blend", learned) as rig:
        assert rig.channel_names == learned.channel_names
