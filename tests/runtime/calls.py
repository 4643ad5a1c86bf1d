"""Right calls of every function of the C library, as lists of arguments that tests spoil one by one."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from tests.runtime.library import rr
from tests.support.made.blendshapes import random_rig, random_weights
from tests.support.made.players import face_synth

library, structures = rr._library, rr._structures


class Input(NamedTuple):
    """An array that a call reads. `free`: its count is what the caller says."""

    array: np.ndarray
    free: bool = False


class Output(NamedTuple):
    """An array that a call writes."""

    array: np.ndarray


class Lone(NamedTuple):
    """An array whose count another argument says."""

    array: np.ndarray


class Record(NamedTuple):
    """A structure, made by :func:`structures.filled`."""

    made: object


NEW = "where to write an object"
OK, BAD_ARGUMENT, BAD_FILE, NUMERICAL, NO_MEMORY, BAD_HANDLE = range(6)


class World:
    """A small rig, what was made of it, and one right call of each function."""

    def __init__(self, folder) -> None:
        rig = random_rig()
        path = folder / "rig.safetensors"
        rig.save(path)
        self.content = path.read_bytes()
        self.model = rr.load(path)
        clip = random_weights(rig, 4)
        self.kept = {
            "session": self.model.session(),
            "crowd": rr.Crowd(self.model, clip),
            "inverse": rr.InverseRig(self.model),
            "drag": rr.Solver(self.model, [3, 5]),
        }
        face_synth().save(folder / "synth.safetensors")
        self.kept["synth"] = rr.load(folder / "synth.safetensors")
        self.kept["player"] = self.kept["synth"].player(1)
        self.pointers = {name: made._handle.pointer for name, made in {"model": self.model, **self.kept}.items()}
        self.calls = self._calls(rig, clip, str(path).encode())
        self.calls |= self._player_calls()
        self.calls["save"] = [self.pointers["model"], str(folder / "saved.safetensors").encode()]

    def _calls(self, rig, clip, path):
        frames, width, count = 2, rig.num_shapes, len(rig.rest_vertices)
        p = self.pointers
        poses, mesh = Input(clip[:frames]), np.zeros((frames, count, 3), np.float32)
        row, heads = np.zeros((frames, width), np.float32), np.zeros(3, np.int32)
        points = Input(np.zeros((frames, count, 3), np.float32))
        playing = (Lone(heads.copy()), Lone(np.zeros(3)), Lone(heads.copy()))
        content, order = np.frombuffer(self.content, np.uint8), Input(np.arange(width, dtype=np.int32))
        return {
            "open": [path, NEW],
            "parse": [Lone(content), len(content), b"name", NEW],
            "make_blendshapes": [Record(blendshapes(rig)), NEW],
            "describe": [p["model"], Record(structures.filled(structures.CDescription, {}))],
            "evaluate": [p["model"], frames, poses, Output(mesh), 1],
            "vjp": [p["model"], frames, poses, points, Output(row), 1],
            "jvp": [p["model"], frames, poses, Input(row.copy()), Output(mesh), 1],
            "confidence": [p["model"], frames, poses, Output(np.zeros(frames, np.float32))],
            "restrict": [p["model"], Input(np.int32([2, 0]), free=True), NEW],
            "session_new": [p["model"], NEW],
            "session_evaluate": [p["session"], Input(clip[0]), Output(mesh[0])],
            "crowd_new": [p["model"], Input(clip), Input(np.int64([4]), free=True), order, NEW],
            "crowd_evaluate": [p["crowd"], 3, *playing, Output(np.zeros((3, count, 3), np.float32)), 1],
            "crowd_distinct": [p["crowd"], 3, *playing, Lone(np.zeros(1, np.int64)), Lone(heads), Lone(heads.copy())],
            "inverse_new": [p["model"], Input(np.int32([4, 1, 7]), free=True), Input(np.ones(3)), NEW],
            "inverse_solve": [p["inverse"], Record(shot(points.array, frames)), Record(shot_result(frames, width))],
            "drag_new": [p["model"], Input(np.int32([4, 1]), free=True), NEW],
            "drag_solve": [p["drag"], Record(drag_task(rig)), Record(drag_result(rig))],
        }  # fmt: skip

    def _player_calls(self):
        player, synth = self.pointers["player"], self.pointers["synth"]
        command = structures.filled(structures.CCommand, {"hold": np.ones(1)}, name=b"idle", label=b"calm")
        self.length = ctypes.c_int64()
        state = np.frombuffer(self.kept["player"].state().encode(), np.uint8)
        return {
            "describe_synthesis": [synth, Record(structures.filled(structures.CSynthesis, {}))],
            "player_defaults": [Record(structures.filled(structures.CPlayerSettings, {}))],
            "player_new": [synth, Input(np.zeros(2, np.uint64), free=True), None, 0, None, NEW],
            "player_tell": [player, Record(command)],
            "player_step": [player, 2, None, 0, Output(np.zeros((1, 2, 6), np.float32))],
            "player_where": [player, 0, None, None, None],
            "player_state": [player, 0, None, 0, ctypes.pointer(self.length)],
            "player_events": [player, 0, None, 0, ctypes.pointer(self.length)],
            "player_restore": [player, 0, Input(state, free=True)],
        }


def blendshapes(rig):
    arrays = {"neutral": rig.rest_vertices, "deltas": rig.columns()[: rig.num_shapes].copy()}
    return structures.filled(structures.CBlendshapes, arrays, vertices=len(rig.rest_vertices), shapes=rig.num_shapes)


def shot(targets, frames):
    return structures.filled(structures.CShot, {"targets": targets}, frames=frames, alpha=0.1)


def shot_result(frames, shapes):
    arrays = {"weights": np.zeros((frames, shapes)), "rmse": np.zeros(frames), "converged": np.zeros(frames, np.int32)}
    return structures.filled(structures.CShotResult, arrays)


def drag_task(rig):
    targets = rig.rest_vertices[[3, 5]].astype(np.float64)
    return structures.filled(structures.CDragTask, {"targets": targets, "weights": np.ones(2)})


def drag_result(rig):
    arrays = {"pose": np.zeros(rig.num_shapes, np.float32), "errors": np.zeros(2)}
    return structures.filled(structures.CDragResult, arrays)


def raw(arguments):
    """The arguments as ctypes takes them."""
    result = []
    for argument in arguments:
        if isinstance(argument, (Input, Output)):
            result += structures.numbers(argument.array)
        elif isinstance(argument, Lone):
            result.append(argument.array.ctypes.data)
        elif isinstance(argument, Record):
            result.append(ctypes.byref(argument.made))
        else:
            result.append(argument)
    return result


FREED = {
    "session_new": "session_free",
    "crowd_new": "crowd_free",
    "inverse_new": "inverse_free",
    "drag_new": "drag_free",
}


def status_of(name, arguments) -> int:
    """Call a function with raw arguments; what it makes is freed, and is NULL after a failure."""
    made = ctypes.c_void_p(1)
    given = [ctypes.byref(made) if argument is NEW else argument for argument in arguments]
    function = getattr(library.LIBRARY, f"rigcast_{name}")
    if name == "crowd_distinct":
        given[5] = ctypes.cast(given[5], ctypes.POINTER(ctypes.c_int64)) if given[5] else None
    status = function(*given)
    if NEW in [argument for argument in arguments if isinstance(argument, str)]:
        assert (made.value is None) is (status != 0)
        if status == 0:
            free = name.replace("new", "free") if name.endswith("_new") else "model_free"
            getattr(library.LIBRARY, f"rigcast_{free}")(made)
    return status


def error() -> str:
    return library.LIBRARY.rigcast_error().decode()


def refused(name, arguments, status=BAD_ARGUMENT):
    """Fail unless a call has a status, and an own sentence."""
    assert status_of("confidence", [None, 0, None, 0, None, 0]) == BAD_HANDLE  # another sentence
    before = error()
    assert status_of(name, arguments) == status
    assert error() != before or status == BAD_HANDLE
    assert len(error().split()) > 2


def with_changes(arguments, changes):
    return [changes.get(i, argument) for i, argument in enumerate(arguments)]
