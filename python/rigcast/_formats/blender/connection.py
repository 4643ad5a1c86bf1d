"""A rig's Blender: started when it is needed, again after a failure, in each worker, and ended."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rigcast._formats.blender.process import HostProcess
from rigcast._hashing import file_hash, topology_hash
from rigcast._validate import missing_file
from rigcast.errors import SourceError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from rigcast._formats.blender.local import LocalHost


class Connection:
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

    def _open_file(self, host: HostProcess | LocalHost) -> tuple[dict[str, Any], dict[str, Any]]:
        keys = ("path", "meshes", "armature", "limits", "ranges")
        request = {key: self._settings[key] for key in keys}
        request["run_scripts"] = self._settings.get("run_scripts", False)
        ((header, arrays),) = host.request({"operation": "open", **request})
        return header, arrays
