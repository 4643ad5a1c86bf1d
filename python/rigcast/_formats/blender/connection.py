"""A rig's Blender: started when needed, again after a failure, in each worker; its actions and its bones."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._formats.blender.process import HostProcess
from rigcast._hashing import file_hash, topology_hash
from rigcast._rigs.motions.action import Action
from rigcast._rigs.resting import carrying_notes
from rigcast._rigs.rig import Mechanism
from rigcast._validate import Arguments, bad_argument, missing_file
from rigcast.errors import SourceError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from rigcast._formats.blender.local import LocalHost

NLA = "NLA"  # what NLA tracks play, as one action


class HostConnection:
    """Keeps the host of one open file.

    Parameters
    ----------
    settings : dict
        What the file is opened with.
    host : HostProcess or LocalHost
    """

    channel_names: list[str]
    _topology: str

    def __init__(self, settings: dict[str, Any], host: HostProcess | LocalHost) -> None:
        self._settings = settings
        self._host: HostProcess | LocalHost | None = host

    def for_worker(self) -> Self:
        """An independent rig on the same file; its own Blender starts at the first use, in whatever process."""
        if "blender" not in self._settings:
            raise SourceError("a rig inside a running Blender cannot be sampled by other processes: use workers=1")
        worker = object.__new__(type(self))
        worker.__dict__.update(self.__getstate__())
        return worker

    def close(self) -> None:
        """End the host process (or put the user's pose back, inside a running Blender)."""
        host, self._host = self._host, None
        if host is not None:
            host.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_host", None) is not None:
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        if "blender" not in self._settings:
            raise SourceError("a rig inside a running Blender cannot be pickled: save its file and open that")
        return {**self.__dict__, "_host": None}

    def _connected(self) -> HostProcess | LocalHost:
        """The open host; starts one for a worker, or after a failure."""
        if self._host is not None and not self._host.closed:
            return self._host
        if "blender" not in self._settings:
            raise SourceError("the rig inside this Blender is closed: call BlenderRig.in_process again")
        self._check_unchanged()
        host = HostProcess(self._settings["blender"], self._settings["timeout"])
        try:
            header, arrays = self._open_file(host)
            hashed = topology_hash(arrays["faces"], len(arrays["rest_vertices"]))
            if header["channel_names"] != self.channel_names or hashed != self._topology:
                raise self._changed()
        except BaseException:
            host.close()
            raise
        self._host = host
        return host

    def _check_unchanged(self) -> None:
        path = self._settings["path"]
        if not os.path.exists(path):
            raise missing_file("BlenderRig", "path", path, "the .blend file that the rig was opened from")
        if file_hash(path) != self._settings["hash"]:
            raise self._changed()

    def _changed(self) -> SourceError:
        return SourceError(f"{self._settings['path']} changed since it was opened: open it again")

    def time_pose(self, channels: ArrayLike) -> NDArray[np.float64]:
        """Seconds (T,) that Blender takes inside its process to set, evaluate and read each row of channels."""
        rows = self._rows(channels, "BlenderRig.time_pose")
        replies = self._connected().request({"operation": "time"}, {"channels": rows}, replies=len(rows))
        return np.array([arrays["seconds"][0] for _, arrays in replies])

    @cached_property
    def resting(self) -> dict[str, str]:
        """Deforming bones, controls, shapes and dials that no channel moves, by name, with the reason.

        Found by evaluating the rig with all channels moved to and between their ends.
        """
        ((header, _),) = self._connected().request({"operation": "resting"})
        return dict(header["resting"])

    def _rows(self, channels: ArrayLike, function: str) -> NDArray[np.float64]:
        return Arguments(function, N=len(self.channel_names)).numbers("channels", channels, "T N")

    def _open_file(self, host: HostProcess | LocalHost) -> tuple[dict[str, Any], dict[str, Any]]:
        keys = ("path", "meshes", "armature", "limits", "ranges", "hold", "free")
        request = {key: self._settings[key] for key in keys}
        request["run_scripts"] = self._settings.get("run_scripts", False)
        ((header, arrays),) = host.request({"operation": "open", **request})
        return header | {"notes": [*header["notes"], *carrying_notes(header["carrying"])]}, arrays


class PlayedActions(HostConnection):
    """The answers of a rig in Blender about its file's actions and its bones."""

    actions: dict[str, int]
    mechanism: Mechanism | None
    fps: float

    def is_of(self, path: Path) -> bool:
        """True if a file is the one that the rig was opened from."""
        return str(path.resolve()) == str(self._settings["path"])

    def action(self, name: str) -> Action:
        """An action stored in the file as channels, one row per frame, and what it moves that is no channel.

        Raises
        ------
        ValueError
            If the file has no action of that name.
        """
        request = {"operation": "action", "name": name}
        if name != NLA:
            ((header, arrays),) = self._connected().request(request)
        else:  # read while Blender plays, which must leave nothing behind
            with self._aside(name) as host:
                ((header, arrays),) = host.request(request)
        return Action(name, arrays["channels"], self.fps, header["missed"])

    def played(self, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Poses (T, 12 J + K) and vertices (T, V, 3) of an action as Blender plays it, with all that it moves.

        Plays in a Blender of its own, so that nothing of the action stays behind.

        Raises
        ------
        ValueError
            If the file has no action of that name.
        SourceError
            Inside a running Blender, whose scene playing would leave in the action's last frame.
        """
        with self._aside(name) as host:
            replies = host.request({"operation": "play", "name": name}, replies=self.actions.get(name, 1))
            answers = [arrays for _, arrays in replies]
        return np.stack([answer["pose"] for answer in answers]), np.stack([answer["vertices"] for answer in answers])

    def bone_transforms(self, channels: ArrayLike, names: Sequence[str]) -> NDArray[np.float64]:
        """World transforms (T, B, 3, 4) of bones of the ``mechanism`` for rows of channels, as Blender evaluates them.

        Meshes are not evaluated, which is faster than :meth:`sample`.

        Raises
        ------
        ValueError
            If ``channels`` has another shape or is not finite, or a name is no bone of the mechanism.
        """
        checked = Arguments("BlenderRig.bone_transforms", N=len(self.channel_names))
        rows = checked.numbers("channels", channels, "T N")
        known = set() if self.mechanism is None else set(self.mechanism.skeleton.names)
        if unknown := [name for name in names if name not in known]:
            got = f"a list with {unknown[0]!r}"
            raise bad_argument("BlenderRig.bone_transforms", "names", got, "names of bones of the armature")
        request = {"operation": "bones", "names": list(names)}
        replies = self._connected().request(request, {"channels": rows}, replies=len(rows))
        return np.array([arrays["bones"] for _, arrays in replies], np.float64).reshape(len(rows), len(names), 3, 4)

    @contextlib.contextmanager
    def _aside(self, name: str) -> Iterator[Any]:
        """The host of a Blender that is ended afterwards."""
        if "blender" not in self._settings:
            raise SourceError(
                "an action is played in a Blender of its own: save this file and call "
                f"BlenderRig.open(path).played({name!r})"
            )
        with contextlib.closing(self.for_worker()) as other:
            yield other._connected()
