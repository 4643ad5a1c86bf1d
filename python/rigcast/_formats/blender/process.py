"""Running Blender: as the ``bpy`` wheel in this Python, or as an artist's executable, in a process of its own."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import IO

from rigcast._extras import MissingExtra
from rigcast._formats.blender.host import wire
from rigcast._validate import bad_argument
from rigcast.errors import SourceError

LAUNCH = Path(__file__).with_name("launch.py")
LOG_TAIL = 400  # characters of the host's log quoted in an error
FAREWELL = 5.0  # seconds an idle host gets to leave before it is killed


def command(blender: str | None, script: Path, arguments: Sequence[str]) -> list[str]:
    """Command line that runs a script inside Blender.

    Parameters
    ----------
    blender : str, optional
        A Blender executable, or a Python that has the ``bpy`` wheel. Without it the ``bpy`` wheel of this Python is
        used, else ``blender`` on the PATH.

    Raises
    ------
    MissingExtra
        If there is neither.
    ValueError
        If the executable does not exist.
    """
    if blender is not None and shutil.which(blender) is None:
        raise bad_argument("BlenderRig.open", "blender", repr(blender), "a Blender executable that exists")
    if blender is None:
        if importlib.util.find_spec("bpy") is not None:
            return [sys.executable, str(script), "--", *arguments]
        blender = shutil.which("blender")
    if blender is None:
        raise MissingExtra(
            'reading a .blend file needs Blender: pip install "rigcast[blender]" in Python 3.11 or 3.13, '
            "or name an installed Blender with blender=PATH"
        )
    if Path(blender).name.lower().startswith("python"):
        return [blender, str(script), "--", *arguments]
    options = ["--background", "--factory-startup", "--disable-autoexec", "--python-exit-code", "3"]
    return [blender, *options, "--python", str(script), "--", *arguments]


def environment(program: str) -> dict[str, str]:
    """This process's environment; another program than this Python gets it without what belongs to this Python."""
    private = () if program == sys.executable else ("PYTHONPATH", "PYTHONHOME")
    return {key: value for key, value in os.environ.items() if key not in private}


class HostProcess:
    """A host process and the private socket to it.

    The host ends when this process closes the socket or dies, however it dies.
    """

    def __init__(self, blender: str | None, timeout: float) -> None:
        self._timeout = timeout
        self._owner = os.getpid()
        self._socket, theirs = socket.socketpair()
        with theirs, contextlib.ExitStack() as opened:
            opened.enter_context(self._socket)
            self._log: IO[bytes] = opened.enter_context(tempfile.TemporaryFile(prefix="rigcast-host-"))
            arguments = command(blender, LAUNCH, [str(theirs.fileno())])
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=subprocess.STDOUT,
                pass_fds=[theirs.fileno()],
                env=environment(arguments[0]),
            )
            opened.pop_all()  # both live as long as the host
        self._socket.settimeout(timeout)
        self.closed = False
        self._last_words = ""

    @property
    def pid(self) -> int:
        """Process id of the host."""
        return self._process.pid

    def request(
        self, header: wire.Header, arrays: wire.Arrays | None = None, replies: int = 1
    ) -> Generator[tuple[wire.Header, wire.Arrays], None, None]:
        """Send a request and yield its replies; any failure ends the host.

        Raises
        ------
        SourceError
            If the host died, gave no answer in time, or says that the rig is unusable.
        ValueError
            If the host says that an argument is wrong.
        """
        if os.getpid() != self._owner:
            raise SourceError("the Blender host belongs to another process: call for_worker() in this one")
        complete = False
        try:
            wire.send(self._socket, header, arrays)
            for _ in range(replies):
                reply, received = wire.receive(self._socket)
                if "error" in reply:
                    raise self._reported(reply)
                yield reply, received
            complete = True
        except TimeoutError:
            raise self.failure(f"Blender gave no answer within {self._timeout:g} s") from None
        except OSError as error:
            raise self._died(error) from None
        finally:
            if not complete:
                self.close(patience=0.0)

    def failure(self, what: str) -> SourceError:
        """One sentence: what happened, then the end of the host's log."""
        return SourceError(f"{what}; its log ends with: {self.log_tail()}")

    def log_tail(self) -> str:
        """The last lines of what the host printed, on one line."""
        if self._log.closed:
            return self._last_words
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - 4 * LOG_TAIL))
        text = self._log.read().decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return " | ".join(lines)[-LOG_TAIL:] or "(nothing)"

    def close(self, patience: float = FAREWELL) -> None:
        """Hang up, and end the host if it does not leave by itself within ``patience`` seconds."""
        self.closed = True
        self._socket.close()
        if os.getpid() == self._owner:
            self._end(patience)
        self._last_words = self.log_tail()
        self._log.close()

    def _end(self, patience: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _reported(self, reply: wire.Header) -> Exception:
        if "input" in reply:
            return bad_argument("BlenderRig.open", *reply["input"])
        return self.failure(f"Blender cannot evaluate the rig: {reply['error']}")

    def _died(self, error: OSError) -> SourceError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        code = self._process.poll()
        if code is None:
            return self.failure(f"Blender broke off the connection ({error})")
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return self.failure(f"Blender {how}")


def run_script(script: Path, arguments: Sequence[str], blender: str | None = None, timeout: float = 600.0) -> None:
    """Run a script inside Blender to its end.

    Raises
    ------
    SourceError
        If the script fails or takes longer than ``timeout`` seconds; the message has the end of its output.
    """
    line = command(blender, script, arguments)
    try:
        done = subprocess.run(
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            env=environment(line[0]),
        )
    except subprocess.TimeoutExpired:
        raise SourceError(f"Blender did not finish {script.name} within {timeout:g} s") from None
    if done.returncode != 0:
        lines = [line.strip() for line in done.stdout.decode(errors="replace").splitlines() if line.strip()]
        tail = " | ".join(lines)[-LOG_TAIL:] or "(nothing)"
        raise SourceError(f"Blender ended {script.name} with exit code {done.returncode}; its log ends with: {tail}")
