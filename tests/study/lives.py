"""``python -m tests.study.lives FOLDER PORT``: a process that forks a server of a study for each line that it reads.

Packages are imported once, so that a life begins after milliseconds; each life is a process of its own, with its own
sockets and its own connections to the store. Prints ``PID URL`` when a life can be reached.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

from rigcast import study


def live(folder: Path, port: int) -> None:
    """Serve until killed, or until the process that forked this one has ended."""
    parent = os.getppid()
    with study.StudyServer(study.open_study(folder), port=port) as server:
        print(os.getpid(), server.url, flush=True)
        while os.getppid() == parent:
            server.wait(1.0)


def main() -> None:
    """Fork on every line of stdin, once the life before is over, and end with stdin."""
    folder, port, life = Path(sys.argv[1]), int(sys.argv[2]), 0
    for _ in sys.stdin:
        if life:
            os.waitpid(life, 0)  # its port is free when it is dead
        life = os.fork()
        if life == 0:
            try:
                live(folder, port)
            except BaseException:  # noqa: BLE001  a fork must not go on in main
                traceback.print_exc()
                print(0, "no-server", flush=True)
            os._exit(1)


if __name__ == "__main__":
    main()
