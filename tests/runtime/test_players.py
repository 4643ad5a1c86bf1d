"""Players of the C library: the bytes of those of the package, and wrong input is refused."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import rigcast as rc
from tests.runtime.library import SANITIZED, rr
from tests.support.made.players import arm_synth, face_synth
from tests.support.made.synthesis import arm, face

STORY = [
    {"at": 0, "command": "idle", "label": "calm", "hold": 0.5},
    {"at": 3, "command": "play", "label": "lively", "segment": "lively-1", "begin": 4, "end": 40},
    {"at": 7, "command": "move", "label": "calm", "to": ["calm-0", 7], "along": "straight"},
]


@pytest.fixture(scope="module", params=[face_synth, arm_synth])
def pair(request, tmp_path_factory):
    """A synthesizer of the package, and the same of the runtime."""
    path = tmp_path_factory.mktemp("synth") / "synth.safetensors"
    request.param().save(path)
    return rc.synthesis.load(path), rr.load(path)


def layers_of(module, names):
    return [
        module.Blinks(controls={names[5]: 1.0}),
        module.Gaze(horizontal={names[4]: 0.3, names[3]: -0.2}, vertical={names[2]: 0.2, names[3]: 0.1}, seed=7),
        module.Sway(controls={names[1]: 0.1, names[0]: 0.05}, timescale=0.7).frozen(4.0),
    ]


def played(module, synth, way):
    settings = module.PlaySettings(layers=layers_of(module, synth.control_names), transitions=way, threads=2)
    player = synth.player(3, module.Script(STORY, seconds=10), settings=settings)
    rows = [player.render()]
    kept = player.state()
    point = np.zeros(3)
    player.idle("lively", [("lively-0", 3), point], hold=0.2, along="straight", later=True)
    rows.append(player.step(100))
    player.restore(kept)
    player.transition("lively")
    rows.append(player.step(77, without=("gaze",)))
    return np.concatenate(rows), kept, [event.as_plain() for event in player.events], (player.label, player.seconds)


@pytest.mark.parametrize("way", ["inertialize", "blend"])
def test_a_player_has_the_bytes_of_the_package(pair, way):
    there, here = (played(*given, way) for given in ((rc.synthesis, pair[0]), (rr, pair[1])))
    assert here[0].dtype == np.float32
    assert here[0].tobytes() == there[0].tobytes()
    assert here[1:] == there[1:]


def test_labels_with_scales_of_their_own_play_the_bytes_of_the_package(tmp_path):
    clips = {label: [arm_synth().space(label).frames] for label in ("calm", "lively")}
    size = {"dimensions": 2, "components": 4, "iterations": 10, "held_out": False}
    synth = rc.synthesis.fit(clips, rig=arm(), settings=rc.synthesis.FitSettings.published(), **size)
    synth.save(tmp_path / "own.safetensors")
    players = [one.player(3, label="calm") for one in (synth, rr.load(tmp_path / "own.safetensors"))]
    for player in players:
        player.transition("lively")
    assert players[0].step(90).tobytes() == players[1].step(90).tobytes()
    assert [player.label for player in players] == ["lively"] * 2


def test_a_crowd_has_the_bytes_of_the_package(pair):
    rows = []
    for module, synth in ((rc.synthesis, pair[0]), (rr, pair[1])):
        crowd = synth.crowd(5, seed=4, scripts=[module.Script(STORY), None])
        first = crowd.step(60)
        crowd.transition("lively", who=[1, 3])
        crowd.play("calm", 1, who=[0], later=True)
        crowd.idle("calm", who=[])
        rows.append((np.concatenate([first, crowd.step(150)], axis=1), crowd.labels, crowd.seeds.tolist()))
        rows[-1] += ([event.as_plain() for event in crowd.events(3)],)
    assert rows[1][0].tobytes() == rows[0][0].tobytes()
    assert rows[1][1:] == rows[0][1:]


def test_facts_are_those_of_the_package(pair):
    there, here = pair
    assert (here.labels, here.control_names, here.fps) == (there.labels, there.control_names, there.fps)
    assert here.limits.tobytes() == there.limits.tobytes()
    assert here.metadata["kind"] == "synthesis"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.player(label="sad"), "Player: label is 'sad'; it must be one of calm, lively"),
        (lambda s: s.player(seed=-1), "Player: seed is -1"),
        (
            lambda s: s.player().idle("calm", [("calm-9", 0)]),
            "player_tell: segment is 'calm-9'; it must be one of",
        ),
        (lambda s: s.player().move("calm", [0.0, 0.0]), "player_tell: to is 2 numbers"),
        (
            lambda s: s.player().move("calm", ("calm-0", 96)),
            "player_tell: frame is 96; it must be a whole number from 0 to 95",
        ),
        (lambda s: s.player().play("calm", 7), "player_tell: segment is 7; it must be a whole number from 0 to 1"),
        (lambda s: s.player().idle("calm", along="sky"), "player_tell: along is 'sky'"),
        (lambda s: s.player().step(-1), "Player.step: frames is -1"),
        (lambda s: s.player().step(1, without=("blinks",)), "player_step: without is 'blinks'; it must be one of no"),
        (lambda s: s.player().restore("{}"), "player_restore: state is incomplete"),
        (lambda s: s.player(settings=rr.PlaySettings(speed=0)), "player_new: speed is 0"),
        (lambda s: s.player(settings=rr.PlaySettings(layers=[3])), "Player: layers is a list with a int"),
        (lambda s: s.crowd(2).transition("calm", who=[2]), "player_tell: who is 2"),
        (lambda s: s.crowd(0), "PlayerCrowd: count is 0"),
        (lambda s: rr.Script([{"at": 0, "command": "sleep", "label": "calm"}]), r"commands\[0\].command is 'sleep'"),
    ],
)
def test_wrong_arguments_are_named(pair, call, message):
    with pytest.raises(rr.ArgumentError, match=message):
        call(pair[1])


def status(name, *arguments):
    return getattr(rr._library.LIBRARY, f"rigcast_{name}")(*arguments)


BAD_ARGUMENT, BAD_HANDLE = 1, 5


def test_objects_and_structures_that_are_none_are_refused(pair):
    model = pair[1]._handle.pointer
    player = pair[1].player(1)._handle
    own = rr._structures
    made, length = ctypes.c_void_p(), ctypes.c_int64()
    seeds = np.zeros(1, np.uint64)
    assert status("player_step", None, 1, None, 0, None, 0) == BAD_HANDLE
    assert status("player_new", None, *own.numbers(seeds), None, 0, None, ctypes.byref(made)) == BAD_HANDLE
    assert status("player_new", model, *own.numbers(seeds), None, 0, None, None) == BAD_ARGUMENT
    assert status("player_new", model, None, 1, None, 0, None, ctypes.byref(made)) == BAD_ARGUMENT
    assert status("player_new", model, None, 0, None, 0, None, ctypes.byref(made)) == BAD_ARGUMENT
    assert not made.value
    assert status("player_step", player.pointer, 1, None, 0, None, 6) == BAD_ARGUMENT
    assert status("player_step", player.pointer, -1, None, 0, None, 0) == BAD_ARGUMENT
    assert status("player_step", player.pointer, 2**62, None, 0, None, 0) == BAD_ARGUMENT
    assert status("player_where", player.pointer, 1, None, None, None) == BAD_ARGUMENT
    assert status("player_state", player.pointer, 0, None, 10, ctypes.byref(length)) == BAD_ARGUMENT
    assert status("player_state", player.pointer, 0, None, 0, None) == BAD_ARGUMENT
    assert status("player_tell", player.pointer, None) == BAD_ARGUMENT
    for size in (0, 8, 10**6):
        assert status("player_tell", player.pointer, ctypes.byref(own.CCommand(size=size))) == BAD_ARGUMENT
        assert status("player_defaults", ctypes.byref(own.CPlayerSettings(size=size))) == BAD_ARGUMENT
        assert status("describe_synthesis", model, ctypes.byref(own.CSynthesis(size=size))) == BAD_ARGUMENT
    whole = ctypes.sizeof(own.CCommand)
    for name in (None, b"sleep"):
        command = own.CCommand(size=whole, name=name, label=b"calm")
        assert status("player_tell", player.pointer, ctypes.byref(command)) == BAD_ARGUMENT
    rr._library.LIBRARY.rigcast_player_free(None)


def test_defaults_are_those_of_the_package():
    own = rr._structures.CPlayerSettings
    given = own(size=ctypes.sizeof(own))
    assert status("player_defaults", ctypes.byref(given)) == 0
    usual = rc.synthesis.PlaySettings()
    names = (*rr._structures.PLAY_NUMBERS, "least", "blend", "settle", "threads")
    assert [getattr(given, name) for name in names] == [getattr(usual, name) for name in names]


def test_a_synthesizer_is_no_model_of_vertices_and_a_model_no_synthesizer(pair, tmp_path):
    made = ctypes.c_void_p()
    assert status("session_new", pair[1]._handle.pointer, ctypes.byref(made)) == BAD_ARGUMENT
    assert b"model is a synthesizer; it must be a model of vertices" in rr._library.LIBRARY.rigcast_error()
    face().save(tmp_path / "face.safetensors")
    handle = rr.load(tmp_path / "face.safetensors")._handle
    seeds = rr._structures.numbers(np.zeros(1, np.uint64))
    assert status("player_new", handle.pointer, *seeds, None, 0, None, ctypes.byref(made)) == BAD_ARGUMENT
    assert b"model is of kind 'blendshape'; it must be a synthesizer" in rr._library.LIBRARY.rigcast_error()


def test_a_player_outlives_its_synthesizer(pair, tmp_path):
    pair[0].save(tmp_path / "synth.safetensors")
    player = rr.load(tmp_path / "synth.safetensors").player(2)
    player._synth._handle = None  # the model is freed
    player.transition("lively")
    expected = pair[0].player(2)
    expected.transition("lively")
    assert player.step(60).tobytes() == expected.step(60).tobytes()


@pytest.mark.skipif(SANITIZED, reason="the C library is built with a sanitizer, which keeps memory")
def test_players_leave_no_memory(pair):
    resource = pytest.importorskip("resource", reason="the system does not say how much memory a process took")

    def peak():
        for _ in range(60):
            pair[1].crowd(3).step(2)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    peak()
    first = peak()
    assert peak() - first < 2 << 20
