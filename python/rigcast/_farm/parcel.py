"""The bytes that travel to a worker and back: only the two ends unpack them."""

from __future__ import annotations

import pickle
import threading
import traceback
from collections.abc import Callable
from typing import Any

from rigcast._extras import require
from rigcast._farm.connecting import PURPOSE
from rigcast.errors import ArgumentError

Function = Callable[[Any, Any], object]


class WorkerFault(Exception):
    """Raised by a task: this worker cannot do any of them, another one may."""


class Parcel:
    """The data that all tasks of a run share, unpacked once per worker process; pickled again, it is its bytes.

    Dask keeps it on a worker as long as the run's client is there: its value, and what that holds open, goes with it.

    Parameters
    ----------
    content : bytes
        See :func:`packed`.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._lock = threading.Lock()
        self._value: tuple[Function, Any] | None = None

    def __reduce__(self) -> tuple[type[Parcel], tuple[bytes]]:
        return Parcel, (self.content,)

    def __sizeof__(self) -> int:
        return len(self.content)

    def unpacked(self) -> tuple[Function, Any]:
        """The function of the run and its common argument.

        Raises
        ------
        WorkerFault
            If a package is missing here, or is another version.
        """
        with self._lock:
            if self._value is None:
                self._value = self._unpack()
            return self._value

    def _unpack(self) -> tuple[Function, Any]:
        from rigcast._version import __version__

        try:
            version, content = pickle.loads(self.content)
            if version != __version__:
                raise WorkerFault(f"has rigcast {__version__}, the client {version}")
            function, common = pickle.loads(content)
        except (ImportError, AttributeError) as error:
            raise WorkerFault(f"cannot unpack its work ({error})") from error
        return function, common


def packed(function: Function, common: object) -> bytes:
    """The content of a :class:`Parcel`."""
    from rigcast._version import __version__

    return portable((__version__, portable((function, common))))


def portable(value: object) -> bytes:
    """A pickle; functions and classes of a script or notebook travel with it."""
    content: bytes = require("cloudpickle", extra="dask", purpose=PURPOSE).dumps(value)
    return content


def attempt(parcel: Parcel, task: bytes) -> dict[str, Any]:
    """Run one task on a worker, ``function(common, task)``, and return plain values for whatever happens.

    An exception travels as text: nothing that a worker raises is rebuilt where its answer is read.
    """
    worker = require("distributed", extra="dask", purpose=PURPOSE).get_worker().address
    try:
        function, common = parcel.unpacked()
        return {"worker": worker, "answer": function(common, pickle.loads(task))}
    except WorkerFault as fault:
        return {"worker": worker, "fault": str(fault)}
    except (Exception, SystemExit) as error:  # noqa: BLE001  reported where the answer is read
        return {
            "worker": worker,
            "error": "ValueError" if isinstance(error, ArgumentError) else type(error).__name__,
            "errno": getattr(error, "errno", None),
            "text": str(error) or type(error).__name__,
            "trace": traceback.format_exc(),
        }
