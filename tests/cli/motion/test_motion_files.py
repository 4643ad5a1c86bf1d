"""Every command that takes the motion of another skeleton takes it from every file that holds such motion."""

from __future__ import annotations

import pytest

from rigcast.cli import main
from tests.support.blender import has_wheel
from tests.support.characters.walker import FORMATS, FRAMES, write_other, write_walk

COMMANDS = {
    "sample --motion": ["sample", "other.glb", "-o", "a.rwdata", "--ranges", "180", "--motion", "MOTION"],
    "sample --action": ["sample", "other.glb", "-o", "b.rwdata", "--ranges", "180", "--action", "MOTION"],
    "evaluate": ["evaluate", "other.glb", "MOTION", "-o", "c.npz"],
    "view --motion": ["view", "other.glb", "--ranges", "180", "--motion", "MOTION", "--seconds", "0.1", "--no-browser"],
    "view --action": ["view", "other.glb", "--ranges", "180", "--action", "MOTION", "--seconds", "0.1", "--no-browser"],
    "synth fit": ["synth", "fit", "other.glb", "--ranges", "180", "-o", "d.safetensors", "--take", "calm=MOTION"],
}  # fmt: skip
MORE = {"synth fit": ["--max-iterations", "2", "--no-held-out"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The motion in all formats that can be made here, and the body that follows it."""
    place = tmp_path_factory.mktemp("motions")
    write_other(place / "other.glb")
    for ending in FORMATS:
        if (ending != "fbx" or has_wheel()) and (ending != "usd" or _has_usd()):
            write_walk(place / f"walk.{ending}")
    (place / "walk.blend").write_bytes(b"BLENDER")
    (place / "walk.txt").write_text("steps")
    return place


def _has_usd():
    try:
        import pxr.UsdSkel  # noqa: F401
    except ImportError:
        return False
    return True


def run(name, motion):
    words = [word.replace("MOTION", motion) for word in COMMANDS[name]]
    return main([*words, *MORE.get(name, []), "--overwrite"] if not name.startswith("view") else words)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_a_format(folder, name, ending, monkeypatch, capsys):
    if name.startswith("view"):
        pytest.importorskip("websockets", reason="the extra viewer is not installed")
    if not (folder / f"walk.{ending}").exists():
        pytest.skip(f"no program here writes .{ending}")
    monkeypatch.chdir(folder)
    assert run(name, f"walk.{ending}") == 0
    said = capsys.readouterr().out
    assert "16 joints mapped" in said or (name == "synth fit" and f"walk.{ending}: 0 of " in said)
    assert f"{FRAMES} frames" in said or name == "synth fit"
    assert "left out" not in said


@pytest.mark.parametrize("name", [name for name in COMMANDS if "--action" not in name])
@pytest.mark.parametrize("ending", ["blend", "txt"])
def test_what_is_no_motion_is_refused_alike(folder, name, ending, monkeypatch, capsys):
    if name.startswith("view"):
        pytest.importorskip("websockets", reason="the extra viewer is not installed")
    monkeypatch.chdir(folder)
    assert run(name, f"walk.{ending}") == 2
    said = capsys.readouterr().err
    assert ".bvh, .glb, .gltf, .vrm, .fbx, .usd" in said or (name, ending) == ("evaluate", "blend")
    assert ("its own character" in said) == (ending == "blend" and name != "evaluate")


@pytest.mark.parametrize("command", [["sample"], ["evaluate"], ["view"], ["synth", "fit"]])
def test_help_says_it_in_the_same_words(command, capsys):
    assert main([*command, "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "a motion (.bvh, .glb, .gltf, .vrm, .fbx, .usd, .usda, .usdc, .usdz)" in said
    assert "names of a motion's joints to the rig's or the model's (default: guessed)" in said


@pytest.mark.parametrize("given", [["--take", "calm=walk.bvh"], ["--takes", "clips.json"]])
def test_a_joint_map_holds_for_clips_and_lists_of_clips(folder, given, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    (folder / "clips.json").write_text('{"labels": {"calm": [{"file": "walk.bvh"}]}}')
    (folder / "wrong.json").write_text('{"no joint": "Hips"}')
    line = ["synth", "fit", "other.glb", "--ranges", "180", "-o", "e.safetensors", *given, "--joint-map", "wrong.json"]
    assert main(line) == 2
    assert "--joint-map is from no joint" in capsys.readouterr().err
