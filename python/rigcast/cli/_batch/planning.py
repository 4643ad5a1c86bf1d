"""The jobs that are done, and those that are to be run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigcast.cli._batch.checking import CheckedJob, check_files
from rigcast.cli._batch.records import Records, stamps
from rigcast.cli._result import WrongInput


@dataclass(frozen=True)
class BatchPlan:
    """All jobs, the records of those that are done, and the others, by their numbers."""

    jobs: list[CheckedJob]
    done: dict[int, dict[str, Any]]
    to_run: list[int]

    def needs(self) -> dict[int, set[int]]:
        """The jobs that each job to run depends on, by their places in ``to_run``."""
        places = {number: place for place, number in enumerate(self.to_run)}
        return {
            place: {places[other] for other in self.jobs[number].needs if other in places}
            for number, place in places.items()
        }


def make_plan(jobs: Sequence[CheckedJob], records: Records, overwrite: bool) -> BatchPlan:
    """Decide what is to be run, and check its files. In the folder of the jobs.

    A job is done if its record says so, its results are there, and nothing that it read has changed since: neither a
    file nor the result of a job that runs again.

    Raises
    ------
    ValueError
        For files that are not right (see :func:`check_files`), and without ``overwrite`` for jobs that are done and
        would run again.
    """
    found = {number: records.get(one.job) for number, one in enumerate(jobs)}
    done = {number: record for number, record in found.items() if record is not None and record["state"] == "done"}
    complete = {number for number in done if all(path.exists() for path in jobs[number].writes)}
    stale = {number: reason for number in complete if (reason := _changed(jobs[number], done[number]))}
    again = set(range(len(jobs))) - complete | stale.keys()
    while more := {number for number in complete - again if jobs[number].needs & again}:
        again |= more
        for number in more:
            other = next(iter(sorted(jobs[number].needs & again)))
            stale[number] = f"job {jobs[other].job.name}, whose result it reads, runs again"
    if stale and not overwrite:
        number = min(stale)
        name, more_of_them = jobs[number].job.name, f" (and {len(stale) - 1} more)" if len(stale) > 1 else ""
        raise WrongInput(f"job {name}{more_of_them} is done, but {stale[number]}; --overwrite makes it again")
    to_run = sorted(again)
    own = {jobs[number].job for number in to_run if found[number] is not None}
    for one in jobs:
        one.replaces = overwrite
    check_files(jobs, to_run, lambda job: overwrite or job in own)
    return BatchPlan(list(jobs), {number: done[number] for number in complete - again}, to_run)


def _changed(one: CheckedJob, record: dict[str, Any]) -> str:
    """The input of a job that has changed since its record, in words; empty if none has."""
    before, now = record.get("read"), stamps(Path(), one.reads)
    if not isinstance(before, dict):
        return "its record is of another version"
    names = [path for path in sorted({*before, *now}) if before.get(path) != now.get(path)]
    return f"{names[0]} has changed since" if names else ""
