"""The requests a host understands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import bpy
import numpy as np

from .describe.contents import drivers_not_run, notes_on_python
from .describe.find import Asked
from .describe.shapes import shape_action, shape_keys
from .describe.strips import is_nla
from .drive.description import describe
from .drive.playing import action_channels, nla_channels, play_nla, played
from .drive.resting import resting
from .drive.scene import Scene
from .imports import LOST, alembic_frames, fbx_to_glb, import_fbx
from .objects import InputError, UnusableError

Header = dict[str, Any]
Arrays = dict[str, "np.ndarray[Any, Any]"]
Reply = tuple[Header, Arrays]
Array = np.ndarray[Any, Any]


class Answers:
    """Answers requests about one scene.

    Parameters
    ----------
    opens_files : bool
        Whether "open" loads the file (a process of its own) or takes the one that is open (an artist's Blender).
    """

    def __init__(self, opens_files: bool) -> None:
        self._opens_files = opens_files
        self._scene: Scene | None = None

    def answer(self, request: Header, arrays: Arrays) -> Iterator[Reply]:
        """Yield the replies to one request: one for each row of channels, else one.

        Raises
        ------
        InputError
            If what the user asked for is not in the file.
        UnusableError
            If the rig cannot be learned from.
        """
        operation = request["operation"]
        if operation == "open":
            yield self._open(request)
        elif operation in OF_FILES:
            yield OF_FILES[operation](request)
        elif self._scene is None:
            raise UnusableError("no file is open")
        elif operation in OF_SCENES:
            yield from OF_SCENES[operation](self._scene, request, arrays)
        else:
            raise UnusableError(f"unknown operation {operation!r}")

    def _open(self, request: Header) -> Reply:
        """Make the scene that later requests are about, and describe it."""
        if self._opens_files:
            _open_file(request["path"], request["run_scripts"])
        limits = {name: (low, high) for name, (low, high) in (request["limits"] or {}).items()}
        asked = Asked(limits or None, request["ranges"], request["hold"], request["free"])
        scene = Scene(request["meshes"], request["armature"], asked)
        if request["path"].lower().endswith(".fbx"):
            scene.notes.append(LOST)
        description = describe(scene)
        self._scene = scene
        return description

    def close(self) -> None:
        """Put the user's pose back."""
        if self._scene is not None:
            self._scene.close()
            self._scene = None


def _with_notes(header: Header, arrays: Arrays) -> Reply:
    """A reply that says which Python of the file was not run."""
    return {**header, "notes": notes_on_python(drivers_not_run())}, arrays


def _open_file(path: str, run_scripts: bool) -> None:
    if path.lower().endswith(".fbx"):
        import_fbx(path)
        return
    try:
        bpy.ops.wm.open_mainfile(filepath=path, load_ui=False, use_scripts=run_scripts)
    except RuntimeError as error:
        reason = " ".join(str(error).removeprefix("Error:").split())
        raise InputError("path", f"a file that Blender cannot open ({reason})", "a .blend file") from None


def _shapes(request: Header) -> Reply:
    _open_file(request["path"], request["run_scripts"])
    return _with_notes(*shape_keys(request["mesh"]))


def _shape_action(request: Header) -> Reply:
    _open_file(request["path"], request["run_scripts"])
    return _with_notes(*shape_action(request["mesh"], request["name"]))


def _fbx(request: Header) -> Reply:
    return fbx_to_glb(request["path"], request["target"])


def _alembic(request: Header) -> Reply:
    return alembic_frames(request["path"], request["mesh"], request["fps"], request["times"])


def _sample(scene: Scene, _: Header, arrays: Arrays) -> Iterator[Reply]:
    for row in arrays["channels"]:
        pose, vertices = scene.evaluate(row)
        yield {}, {"pose": pose, "vertices": vertices}


def _bones(scene: Scene, request: Header, arrays: Arrays) -> Iterator[Reply]:
    for bones in scene.bone_transforms(arrays["channels"], request["names"]):
        yield {}, {"bones": bones}


def _time(scene: Scene, _: Header, arrays: Arrays) -> Iterator[Reply]:
    for row in arrays["channels"]:
        yield {}, {"seconds": np.array([scene.seconds(row)])}


def _action(scene: Scene, request: Header, _: Arrays) -> Iterator[Reply]:
    read = nla_channels if is_nla(request["name"]) else action_channels
    channels, missed = read(scene, request["name"])
    yield {"missed": missed, "frames": len(channels)}, {"channels": channels}


def _play(scene: Scene, request: Header, _: Arrays) -> Iterator[Reply]:
    play = play_nla if is_nla(request["name"]) else played
    for pose, vertices in play(scene, request["name"]):
        yield {}, {"pose": pose, "vertices": vertices}


def _resting(scene: Scene, _: Header, __: Arrays) -> Iterator[Reply]:
    yield {"resting": resting(scene) | scene.not_run}, {}


# Operations on a file, which is opened for one reply, and on the scene that "open" made.
OF_FILES: dict[str, Callable[[Header], Reply]] = {
    "shapes": _shapes,
    "shape action": _shape_action,
    "fbx": _fbx,
    "alembic": _alembic,
}
OF_SCENES: dict[str, Callable[[Scene, Header, Arrays], Iterator[Reply]]] = {
    "sample": _sample,
    "bones": _bones,
    "time": _time,
    "action": _action,
    "play": _play,
    "resting": _resting,
}
