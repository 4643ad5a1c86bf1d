"""Time from answers to their acknowledgement by a study's server while many take part.

    python -m benchmarks.systems.perception.many_participants [--people 10 50 100] [--write]

The server runs in a process of its own and stores each answer on the disk before it replies. Participants are threads
that answer every half second, at random moments, each over a connection of its own per answer.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from tests.study import small
from tests.study.serving import MortalServer

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast._timing import load_average, machine

PAUSE = 0.5  # seconds between two answers of one participant


def times(folder: Path, people: int) -> np.ndarray:
    """Milliseconds from each answer to its acknowledgement."""
    study = small.rating(folder, characters=2)

    def take_part(number: int, url: str) -> list[float]:
        person, random, found = small.Person(study, f"s{number}", url), np.random.default_rng(number), []
        told = person.sign_up()
        for trial in told["trials"]:
            time.sleep(random.uniform(0.0, 2.0 * PAUSE))
            sent = person.message(trial, {"rating": 5})
            began = time.perf_counter()
            status, content = person.post("answers", sent)
            found.append(1000.0 * (time.perf_counter() - began))
            assert (status, content["stored"]) == (200, sent["id"])
        return found

    with MortalServer(folder, kills=0) as server, ThreadPoolExecutor(people) as pool:
        rows = list(pool.map(lambda number: take_part(number, server.url), range(people)))
    assert len(rc.study.answers(study)) == people * len(study.trials)
    return np.concatenate(rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--people", type=int, nargs="+", default=[10, 50, 100])
    parser.add_argument("--write", action="store_true", help="into the page of docs/benchmarks")
    arguments = parser.parse_args()
    lines = [
        "| participants at once | answers | median, ms | 95 %, ms | slowest, ms |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    for people in arguments.people:
        with tempfile.TemporaryDirectory() as name:
            found = times(Path(name) / "study", people)
        median, most = np.quantile(found, [0.5, 0.95])
        lines.append(f"| {people} | {len(found):,} | {median:.1f} | {most:.1f} | {found.max():.0f} |")
        print(lines[-1], flush=True)
    lines += ["", f"Load {load_average():.1f}; {machine()}"]
    print("\n".join(lines))
    if arguments.write:
        write_between_marks("answers of many", "\n".join(lines))


if __name__ == "__main__":
    main()
