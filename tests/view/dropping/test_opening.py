"""What ``rigcast view`` makes of a dropped file."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")

import rigcast as rc
from rigcast.cli._commands import view as command
from rigcast.cli._console import Console
from rigcast.cli._ways.open_dropped import DroppedFiles
from rigcast.sources import SkinnedRig
from rigcast.viewer import LiveView
from rigcast.viewer._staging import stage_of
from tests.support.characters.plain_face import plain_face
from tests.view.dropping.sending import FRAMES, SendingPage, parsed
from tests.view.stage.posed import skinned_arm


class Served(SendingPage):
    """A page of ``rigcast view`` with some arguments; its terminal is ``lines``."""

    def __init__(self, files, *words):
        self.files, self.stack = files, contextlib.ExitStack()
        self.live, _ = command.served(parsed(*words), Console(), self.stack)
        super().__init__(self.live)

    def drop(self, name, **options):
        """Drop a file; what the page says, the name first."""
        kind, text = self.send(name, (self.files / name).read_bytes(), **options)
        assert kind == "opened", text
        return text.splitlines()

    def refused(self, name, **options):
        kind, text = self.send(name, (self.files / name).read_bytes(), **options)
        assert kind == "refused", text
        return text

    @property
    def stage(self):
        return self.live._server.stage

    def close(self):
        super().close()
        self.stack.close()


@pytest.fixture
def served(files):
    with contextlib.ExitStack() as stack:
        yield lambda *words: stack.enter_context(Served(files, *words))


def test_a_motion_plays_at_its_rate_and_its_notes_are_said_on_page_and_terminal(served, files, capsys):
    page = served(files / "arm.glb")
    assert page.stage.transport.clips == ["motion"]
    assert page.drop("bend.bvh")[0] == "bend.bvh plays"
    timeline = page.stage.timeline
    assert (timeline.frames, timeline.fps, timeline.playing) == (FRAMES, 24.0, True)
    assert page.stage.transport.clips == ["motion", "bend.bvh"]
    assert page.stage.transport.clip == "bend.bvh"
    assert np.abs(timeline.row(FRAMES - 1)).max() == pytest.approx(40.0, abs=1e-3)  # digits of the BVH file
    assert page.drop("bend.bvh")[1:] == page.drop("bend.bvh")[1:]
    assert page.stage.transport.clips == ["motion", "bend.bvh"]
    notes = page.drop("bend.bvh")[1:]
    said = capsys.readouterr().out
    assert notes
    assert all(line in said for line in notes)


def test_a_motion_of_another_skeleton_is_retargeted_and_that_is_said(served, files, data_path):
    page = served(data_path("skinned_glb", "human-male.glb"))
    walk = data_path("body_motion_bvh", "makehuman_walk1.bvh.gz")
    kind, text = page.send(walk.name, walk.read_bytes())
    assert kind == "opened"
    assert "joints mapped" in text
    assert page.stage.transport.clip == walk.name


def test_weights_play_on_a_face(served, files):
    page = served(files / "face.safetensors")
    assert page.drop("nod.npz") == ["nod.npz plays"]
    assert (page.stage.timeline.fps, page.stage.timeline.row(FRAMES - 1)[4]) == (15.0, 1.0)
    assert "narrow.npz was not opened: " in page.refused("narrow.npz")
    assert page.stage.transport.clips == ["nod.npz"]


def test_a_character_takes_the_place_of_the_one_that_is_shown(served, files):
    page = served(files / "face.safetensors")
    assert page.drop("arm.safetensors") == ["arm.safetensors is shown"]
    assert len(page.stage.rest) == len(page.stage.figure.sliders) != 6
    assert page.drop("bend.bvh")[0] == "bend.bvh plays"
    assert page.drop("face.safetensors") == ["face.safetensors is shown"]
    assert page.stage.transport.clips == []


def test_a_file_of_both_is_a_character_and_with_shift_a_motion(served, files):
    page = served(files / "arm.safetensors")
    before = page.stage
    assert page.drop("arm.glb", motion=True)[0] == "arm.glb plays"
    assert (page.stage, page.stage.transport.clips) == (before, ["arm.glb"])
    assert page.drop("arm.glb")[0] == "arm.glb is shown"
    assert page.stage is not before
    assert page.stage.transport.clips == ["motion"]
    assert ".safetensors files hold no motion" in page.refused("face.safetensors", motion=True)


def test_of_characters_that_are_dropped_together_the_first_opens_and_motions_join_it(served, files):
    page = served(files / "face.safetensors")
    assert page.drop("arm.safetensors")[0] == "arm.safetensors is shown"
    shown = page.stage
    text = page.refused("face.safetensors", first=False)
    assert text == "face.safetensors was not opened: of several characters the first is shown; drop it alone"
    assert page.stage is shown
    assert page.drop("bend.bvh", first=False)[0] == "bend.bvh plays"
    assert page.drop("face.safetensors", first=True)[0] == "face.safetensors is shown"


@pytest.mark.parametrize("name", ["torn.safetensors", "torn.glb"])
def test_a_character_that_does_not_open_leaves_the_one_that_is_shown(served, files, name):
    page = served(files / "face.safetensors")
    shown = page.stage
    assert page.refused(name).startswith(f"{name} was not opened: ")
    assert page.stage is shown
    page.say("set", channel=0, value=0.5, done=True)
    while page.frame["row"][0] != 0.5:
        page.until("frame")


def test_what_was_shown_is_closed_after_the_new_one_is_ready(files):
    closed, args = [], parsed(files / "face.safetensors")
    shown, second = contextlib.ExitStack(), contextlib.ExitStack()
    shown.callback(lambda: closed.append("first"))

    def alone(path, stack, console):
        stack.push(second)
        second.callback(lambda: closed.append("second"))
        assert not closed
        if path.name == "torn.safetensors":
            raise ValueError("torn")
        return stage_of(skinned_arm())

    opens = DroppedFiles(args, Console(), shown, alone)
    with LiveView(stage_of(plain_face()), opens=opens) as live, SendingPage(live) as page:
        assert page.send("torn.safetensors", b"x")[0] == "refused"
        assert closed == ["second"]
        closed.clear()
        assert page.send("arm.safetensors", b"x")[0] == "opened"
        assert closed == ["first"]
    assert closed == ["first", "second"]


def test_scripts_are_for_the_file_of_the_command_alone(files, monkeypatch):
    seen = []

    @contextlib.contextmanager
    def opened(args, path):
        seen.append((args.run_scripts, args.blender, args.mesh))
        yield plain_face()

    monkeypatch.setattr(command, "opened", opened)
    args = parsed("--run-scripts", "--blender", "/opt/blender", "--mesh", "body", files / "face.safetensors")
    with contextlib.ExitStack() as stack:
        live, _ = command.served(args, Console(), stack)
        with SendingPage(live) as page:
            for name in ("dog.blend", "face.safetensors"):
                assert page.send(name, b"x")[0] == "opened"
    assert seen == [(True, "/opt/blender", ["body"]), (None, "/opt/blender", None), (None, None, None)]


# What a page drops at a view of this machine, and of one that others reach -> words of the refusal, none: it is tried.
REFUSALS = {
    "a.obj": ("rigcast solve", "rigcast solve"),
    "a.ply": ("rigcast solve", "rigcast solve"),
    "a.png": ("neither a character nor a motion", "neither a character nor a motion"),
    "a": ("neither a character nor a motion", "neither a character nor a motion"),
    "a.py": ("neither a character nor a motion", "neither a character nor a motion"),
    "a.blend": ("", "start Blender here"),
    "A.FBX": ("", "start Blender here"),
    "a.usda": ("", "may name other files of this machine"),
    "a.glb": ("", ""),
    "a.bvh.gz": ("", ""),
    "a.csv": ("", ""),
    "a.npy": ("", ""),
    "a.safetensors": ("", ""),
}


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_endings_decide_what_is_tried(files, host, name):
    args = parsed(files / "face.safetensors", "--host", host)
    found = DroppedFiles(args, Console(), contextlib.ExitStack(), None).refusal(name, as_motion=False)
    expected = REFUSALS[name][host == "0.0.0.0"]
    assert expected in found
    assert bool(found) == bool(expected)


def test_a_rig_of_its_own_program_plays_a_motion(files):
    arm = rc.sources.example_body()
    assert isinstance(arm, SkinnedRig)
    opens = DroppedFiles(parsed(files / "arm.glb"), Console(), contextlib.ExitStack(), None)
    with LiveView(stage_of(arm), opens=opens) as live, SendingPage(live) as page:
        kind, text = page.send("bend.bvh", (files / "bend.bvh").read_bytes())
        assert kind == "opened", text
        assert "joints mapped" in text
        last = live._server.stage.timeline.row(FRAMES - 1)
        assert last[0] == pytest.approx(40.0, abs=0.1)  # degrees, retargeted
