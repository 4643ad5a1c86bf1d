"""Another stage in the place of the one that is shown, and clips that join."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")

import rigcast as rc
from rigcast.viewer import LiveView
from rigcast.viewer._playing._clips import Clip
from rigcast.viewer._playing._transport import OWN_MOTION
from rigcast.viewer._received._opening import Opened
from rigcast.viewer._staging import acting_stage_of, stage_of
from tests.support.characters.plain_face import plain_face
from tests.support.process import PATIENCE
from tests.view.dropping.sending import SendingPage
from tests.view.frames import header_of
from tests.view.page_messages import page_messages
from tests.view.stage.posed import skinned_arm


class Showing:
    """An opener that shows the arm, or joins clips of weights that are named in the file."""

    def refusal(self, name, as_motion):
        return ""

    def open(self, file, view):
        if file.path.name == "arm":
            return Opened(is_character=True, notes=(view.show(stage_of(skinned_arm())),))
        view.join(dict.fromkeys(file.path.read_text().split(), lambda: nodding(7)))
        return Opened(is_character=False)

    def close(self):
        pass


def nodding(frames, fps=12.0, head=None):
    rows = np.zeros((frames, 6), np.float32)
    rows[:, 4] = np.linspace(0, 1, frames)
    return Clip(poses=rows, fps=fps, head=head)


@pytest.fixture
def live():
    with LiveView(stage_of(plain_face()), opens=Showing()) as view:
        yield view


def test_all_pages_get_the_scene_before_a_frame_of_it(live):
    with SendingPage(live) as first, SendingPage(live) as second:
        numbers = first.frame["frame"], second.frame["frame"]
        first.send("arm", b"-")
        for page, number in zip((first, second), numbers, strict=True):
            while len(page.frame["row"]) == 6:
                page.receive()
                assert len(page.frame["row"]) == 6 or len(page.scene["sliders"]) == len(page.frame["row"])
            assert page.frame["frame"] > number
            assert len(page.frame["row"]) == len(live._server.stage.rest)
    with SendingPage(live) as third:
        assert third.scene["figures"][0]["vertices"] == len(skinned_arm().rest_vertices)


def test_a_page_that_owes_a_frame_of_the_scene_before_gets_the_new_one(live):
    with SendingPage(live) as first, SendingPage(live) as second:
        first.say("set", channel=0, value=0.5, done=True)
        owed = header_of(second.socket.recv(timeout=PATIENCE))
        assert (owed["type"], owed["row"][0]) == ("frame", 0.5)  # and it never says that it has shown it
        first.send("arm", b"-")
        kinds = [header_of(second.socket.recv(timeout=PATIENCE))["type"] for _ in range(2)]
        assert kinds == ["scene", "frame"]


def test_what_a_page_does_on_the_one_before_is_not_done_on_the_new_one(live):
    with SendingPage(live) as first:
        second = SendingPage(live)
        first.send("arm", b"-")
        while len(first.frame["row"]) == 6:
            first.until("frame")
        second.say("set", channel=0, value=1.0, done=True)  # it has not read the new scene
        while len(second.frame["row"]) == 6:
            second.receive()
        second.say("set", channel=1, value=1.0, done=True)
        while second.frame["row"][1] != 1.0:
            second.until("frame")
        assert second.frame["row"][0] == 0.0
        second.close()


def test_a_clip_that_joins_is_listed_on_all_pages_and_plays(live):
    with SendingPage(live) as first, SendingPage(live) as second:
        assert first.scene["clips"] == []
        assert first.send("nod", b"nod shake")[0] == "opened"
        for page in (first, second):
            while not page.scene["clips"] or not page.frame["timeline"]["playing"]:
                page.receive()
            assert page.scene["clips"] == ["nod", "shake"]
            timeline = page.frame["timeline"]
            assert (timeline["name"], timeline["frames"], timeline["fps"]) == ("nod", 7, 12.0)
    with SendingPage(live) as third:
        assert third.scene["clips"] == ["nod", "shake"]


def sent(stage, *values, now=0.0):
    return header_of(stage.step(page_messages(*values), now))


def joined(stage, frames, now=0.0, **clip):
    stage.transport.join({"nod": lambda: nodding(frames, **clip)}, now)
    return sent(stage, now=now)["timeline"]


def test_a_clip_of_a_known_name_takes_its_place_unless_it_has_keys():
    stage = stage_of(plain_face())
    assert joined(stage, 7)["frames"] == 7
    assert (joined(stage, 9)["frames"], stage.transport.clips) == (9, ["nod"])
    sent(stage, {"type": "seek", "at": 3}, {"type": "key"})
    assert (joined(stage, 5)["name"], stage.transport.clips) == ("nod (2)", ["nod", "nod (2)"])
    kept = sent(stage, {"type": "clip", "name": "nod"})["timeline"]
    assert (kept["frames"], kept["keys"]) == (9, [3])


def test_what_plays_already_can_be_chosen_beside_a_clip_that_joins():
    stage = stage_of(plain_face(), poses=nodding(4).poses, clip="first")
    assert stage.transport.clips == []
    joined(stage, 7)
    assert set(stage.transport.clips) == {"first", "nod"}
    assert sent(stage, {"type": "clip", "name": "first"})["timeline"]["frames"] == 4


def test_a_clip_moves_the_head():
    stage = stage_of(plain_face())
    still = np.tile(np.eye(3, 4), (7, 1, 1))
    still[:, 0, 3] = 5.0
    before = stage.shown()[0].copy()
    joined(stage, 7, head=still)
    np.testing.assert_allclose(stage.shown()[0][:, 0], before[:, 0] + 5.0, atol=1e-5)  # float32 of coordinates near 10


def test_a_clip_that_cannot_be_read_or_does_not_fit_is_not_listed():
    def broken():
        raise ValueError("the file is gone")

    stage = stage_of(plain_face())
    wide = Clip(poses=np.zeros((4, 3), np.float32))
    for read, message in ((broken, "the file is gone"), (lambda: wide, "poses")):
        with pytest.raises(ValueError, match=message):
            stage.transport.join({"nod": read}, 0.0)
    assert stage.transport.clips == []
    assert sent(stage)["timeline"]["clip"] is False


def test_a_synthesizer_plays_its_own_motion():
    face = rc.faces.example()
    swing = 0.5 + 0.5 * np.sin(np.arange(48)[:, None] * np.linspace(0.05, 0.2, face.num_shapes))
    synth = rc.synthesis.fit({"calm": [swing]}, rig=face, dimensions=3, components=2, iterations=2, held_out=False)
    stage = acting_stage_of(synth)
    with pytest.raises(ValueError, match=OWN_MOTION):
        stage.transport.join({"nod": lambda: nodding(4)}, 0.0)
