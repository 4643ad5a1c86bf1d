"""The host's loop: one request at a time over an inherited socket, until the other side hangs up."""

from __future__ import annotations

import os
import select
import socket
import sys
import threading
import time
import traceback

from . import wire
from .answers import Answers
from .objects import InputError, UnusableError

GRACE = 1.0  # seconds an idle host has to leave by itself after the other side is gone


def main(descriptor: int) -> None:
    """Serve requests on the socket with this file descriptor; returns when the other side hangs up."""
    connection = socket.socket(fileno=descriptor)
    threading.Thread(target=_leave_with_parent, args=(descriptor,), daemon=True).start()
    answers = Answers(opens_files=True)
    while True:
        try:
            request, arrays = wire.receive(connection)
            _serve(connection, answers, request, arrays)
        except OSError:  # the other side is gone, before a request or in the middle of the replies
            return


def _serve(connection: socket.socket, answers: Answers, request: wire.Header, arrays: wire.Arrays) -> None:
    try:
        for header, reply in answers.answer(request, arrays):
            wire.send(connection, header, reply)
    except OSError:
        raise
    except InputError as error:
        wire.send(connection, {"error": str(error), "input": [error.argument, error.got, error.expected]})
    except UnusableError as error:
        wire.send(connection, {"error": str(error)})
    except Exception as error:  # noqa: BLE001 - whatever a file provokes is answered, and the log has the trace
        traceback.print_exc()
        wire.send(connection, {"error": f"{type(error).__name__}: {error}"})


def _leave_with_parent(descriptor: int) -> None:
    """End this process when the other side is gone, even in the middle of an evaluation."""
    poll = select.poll()
    poll.register(descriptor, 0)  # only hang-ups are reported
    poll.poll()
    time.sleep(GRACE)
    sys.stderr.flush()
    os._exit(0)
