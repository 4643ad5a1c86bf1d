"""The actions of a .blend, as channels and as Blender plays them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.blender.connection import Connection
from rigcast._rigs.action import Action
from rigcast.errors import SourceError

NLA = "NLA"  # what NLA tracks play, as one action


class PlayedActions(Connection):
    """What a rig in Blender says of its file's actions."""

    actions: dict[str, int]
    fps: float

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
