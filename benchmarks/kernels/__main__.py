"""Times kernels of the engine before and after a change, side by side.

1. Before the change:  python -m benchmarks.kernels --keep
2. Change the code and build it.
3. After the change:   python -m benchmarks.kernels body

NAMEs are parts of names of kernels: "body" runs all kernels of the learned body, "vjp" all gradients. Without any, all
kernels run. OLD is the build that was kept last, NEW the package that Python imports. Each runs in processes of its
own, which take turns. A row shows the median time per call of both, and the ratio NEW / OLD (below 1 is faster) with
its 95 % bounds over the runs. A run is a pair of new processes: the place in memory alone changes some kernels by
several percent. Times are processor time with one thread, elapsed time with more. The result is also written to
build/bench/kernels.json.

Example: python -m benchmarks.kernels linalg_ --runs 2
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.kernels import kept
from benchmarks.kernels.compare import HEAD, Row, measure, store
from benchmarks.kernels.register import Setup, chosen_names
from benchmarks.kernels.worker import ROOT, Worker, WorkerError, end, own_folder

RESULT = ROOT / "build" / "bench" / "kernels.json"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.kernels",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("names", nargs="*", metavar="NAME", help="a part of the names of kernels; default: all kernels")
    made.add_argument("--list", action="store_true", help="print the names of the kernels and exit")
    made.add_argument("--keep", action="store_true", help="copy the present build to build/bench/old and exit")
    made.add_argument(
        "--against",
        metavar="FOLDER|REV",
        help="OLD: a folder that contains a built package rigcast, or a revision whose build was kept",
    )
    made.add_argument("--runs", type=int, default=5, help="pairs of processes (default: %(default)s)")
    made.add_argument("--threads", type=int, default=1, help="threads per kernel (default: %(default)s)")
    made.add_argument("--scale", type=float, default=1.0, help="share of the full sizes (default: %(default)s)")
    made.add_argument("--output", type=Path, default=RESULT, help="the result as JSON (default: %(default)s)")
    return made


def compare(names: Sequence[str], old: Path | None, given: argparse.Namespace) -> None:
    """Time kernels and print a row for each as soon as it is measured."""
    setup = Setup(given.threads, given.scale)
    folders = {"old": old, "new": own_folder()} if old else {"new": own_folder()}
    workers: dict[str, list[Worker]] = {side: [] for side in folders}
    try:
        for _ in range(given.runs):
            for side, folder in folders.items():
                workers[side].append(Worker(folder, setup))
        for worker in (worker for own in workers.values() for worker in own):
            worker.check()
        print(HEAD, flush=True)
        rows: list[Row] = []
        for name in names:
            rows.append(measure(name, workers))
            print(rows[-1].line(), flush=True)
        about = {"threads": given.threads, "runs": given.runs, "scale": given.scale}
        store(given.output, rows, workers, about)
    finally:
        end(worker for own in workers.values() for worker in own)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    command = parser()
    given = command.parse_args(arguments)
    if given.runs < 1 or given.threads < 1 or given.scale <= 0:
        command.error("--runs and --threads must be 1 or more, --scale above 0")
    try:
        names = chosen_names(given.names)
        if given.list:
            print("\n".join(names))
            return 0
        if given.keep:
            print(f"kept {kept.keep().relative_to(ROOT)}")
            return 0
        old = kept.find(given.against)
        print(f"OLD {old}" if old else f"OLD: no build was kept; to keep one before a change: {kept.HOW}")
        print(f"NEW {own_folder()}")
        compare(names, old, given)
    except LookupError as error:
        command.error(str(error.args[0]))
    except WorkerError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
