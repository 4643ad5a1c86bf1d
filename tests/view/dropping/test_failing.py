"""Dropped files that fail late: in the first pose of a motion, or when what was shown before is closed."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")

from rigcast.cli._commands import view as command
from rigcast.cli._console import Console
from tests.support.characters.plain_face import plain_face
from tests.view.dropping.sending import PART, SendingPage, parsed
from tests.view.dropping.test_uploads import Kept, serving


@contextlib.contextmanager
def shown(*words):
    with contextlib.ExitStack() as stack:
        live, _ = command.served(parsed(*words), Console(), stack)
        yield live, stack.enter_context(SendingPage(live))


def dropped(page, path):
    return page.send(path.name, path.read_bytes())


def test_a_motion_whose_first_pose_fails_leaves_the_view_alive(files, tmp_path):
    poses = np.zeros((3, 37), np.float32)  # limbs of zero length
    np.savez(tmp_path / "first.npz", poses=poses, fps=24.0)
    with shown(files / "arm.safetensors") as (live, page):
        dropped(page, tmp_path / "first.npz")
        page.say("set", channel=0, value=0.0, done=True)
        page.until("frame")
        assert dropped(page, files / "bend.bvh")[0] == "opened"
        assert live._server.stage.transport.clip == "bend.bvh"


def test_a_character_that_does_not_close_leaves_the_next_one_shown(files, monkeypatch, capsys):
    @contextlib.contextmanager
    def opened(args, path):
        yield plain_face()
        raise OSError("it does not end")

    monkeypatch.setattr(command, "opened", opened)
    with contextlib.suppress(OSError), shown(files / "face.safetensors") as (live, page):
        kind, text = dropped(page, files / "face.safetensors")
        assert kind == "opened"
        assert "what was shown before did not end as it should: it does not end" in text
        assert list(live._server._openings.folder.path.glob("*/face.safetensors"))


def test_something_else_cuts_a_file_off_and_the_page_hears_of_it():
    opener = Kept()
    with serving(opener) as live, SendingPage(live) as page:
        page.announce("a.glb", 3 * PART)
        page.say("movie", step="cancel")
        assert page.until("refused")["text"].startswith("a.glb was not opened: the page sent something else")
        assert page.send("b.glb", b"123")[0] == "opened"
        assert [data for _, data in opener.files] == [b"123"]


def test_a_program_of_the_command_reads_what_it_can_read_alone(files):
    with shown(files / "arm.safetensors", "--blender", "/opt/blender") as (_, page):
        assert dropped(page, files / "bend.bvh")[0] == "opened"


@pytest.mark.parametrize(("name", "text"), [("a.gltf", "comes alone"), ("a.glb.gz", ".bvh.gz alone")])
def test_the_reason_says_what_a_page_cannot_send(files, name, text):
    with shown(files / "arm.safetensors") as (_, page):
        kind, said = page.send(name, b'{"asset": {"version": "2.0"}, "buffers": [{"uri": "a.bin", "byteLength": 4}]}')
        assert kind == "refused"
        assert text in said


def test_a_character_says_which_motions_it_plays(files):
    with shown(files / "arm.safetensors") as (_, page):
        kind, said = page.send("take.csv", b"Timecode,BlendshapeCount\n")
        assert kind == "refused"
        assert "its weights move a face" in said
    with shown(files / "arm.glb") as (_, page):
        kind, said = dropped(page, files / "nod.npz")
        assert kind == "refused"
        assert "a rig plays motion of joints" in said
