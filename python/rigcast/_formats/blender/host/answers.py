"""The requests a host understands."""

from __future__ import annotations

from collections.abc import Iterator
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
            if self._opens_files:
                _open_file(request["path"], request["run_scripts"])
            limits = {name: (low, high) for name, (low, high) in (request["limits"] or {}).items()}
            asked = Asked(limits or None, request["ranges"], request["hold"], request["free"])
            scene = Scene(request["meshes"], request["armature"], asked)
            if request["path"].lower().endswith(".fbx"):
                scene.notes.append(LOST)
            description = describe(scene)
            self._scene = scene
            yield description
        elif operation == "shapes":
            _open_file(request["path"], request["run_scripts"])
            yield _with_notes(*shape_keys(request["mesh"]))
        elif operation == "shape action":
            _open_file(request["path"], request["run_scripts"])
            yield _with_notes(*shape_action(request["mesh"], request["name"]))
        elif operation == "fbx":
            yield fbx_to_glb(request["path"], request["target"])
        elif operation == "alembic":
            yield alembic_frames(request["path"], request["mesh"], request["fps"], request["times"])
        elif self._scene is None:
            raise UnusableError("no file is open")
        elif operation == "sample":
            for row in arrays["channels"]:
                pose, vertices = self._scene.evaluate(row)
                yield {}, {"pose": pose, "vertices": vertices}
        elif operation == "bones":
            for bones in self._scene.bone_transforms(arrays["channels"], request["names"]):
                yield {}, {"bones": bones}
        elif operation == "time":
            for row in arrays["channels"]:
                yield {}, {"seconds": np.array([self._scene.seconds(row)])}
        elif operation == "action":
            read = nla_channels if is_nla(request["name"]) else action_channels
            channels, missed = read(self._scene, request["name"])
            yield {"missed": missed, "frames": len(channels)}, {"channels": channels}
        elif operation == "play":
            play = play_nla if is_nla(request["name"]) else played
            for pose, vertices in play(self._scene, request["name"]):
                yield {}, {"pose": pose, "vertices": vertices}
        elif operation == "resting":
            yield {"resting": resting(self._scene) | self._scene.not_run}, {}
        else:
            raise UnusableError(f"unknown operation {operation!r}")

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
