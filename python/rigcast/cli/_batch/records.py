"""Records of jobs, kept next to the file of jobs: those that have begun, and those that are done."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder
from rigcast.cli._batch.checking import CheckedJob
from rigcast.cli._batch.job_file import Job

WORK = fingerprint("batch", 1)
Stamps = dict[str, list[int]]  # size and time in nanoseconds, by path


def folder_of(path: Path) -> Path:
    """The folder of the records of a file of jobs."""
    return path.with_name(f"{path.name}.batch")


class Records:
    """Reads and writes records; an entry is of one command line, whatever the job's name and place in the file.

    A job's process writes its record itself, on whatever machine: a job that ends after its client is gone is done.

    Parameters
    ----------
    folder : Path
        See :func:`folder_of`.
    """

    def __init__(self, folder: Path) -> None:
        self.parts = PartsFolder(folder, "batch")

    def begin(self, checked: CheckedJob, folder: Path) -> Stamps:
        """Note that a job of a folder begins: results that it writes from now on are its own. Returns what it reads."""
        self._put(checked.job, {"state": "begun"})
        return stamps(folder, checked.reads)

    def end(self, checked: CheckedJob, read: Stamps, result: dict[str, Any], seconds: float) -> None:
        """Note that a job is done."""
        self._put(checked.job, {"state": "done", "read": read, "result": result, "seconds": seconds})

    def lock(self, checked: CheckedJob) -> Path | None:
        """The lock of a job's process, so that only one at a time writes its results; None if it writes none."""
        return self.parts.folder / f".{_key(checked.job)}.lock" if checked.writes else None

    def get(self, job: Job) -> dict[str, Any] | None:
        """The record of a job; None if there is none."""
        content = self.parts.get(_key(job), WORK)
        if content is None:
            return None
        try:
            found = json.loads(content)
        except ValueError:
            return None
        return found if isinstance(found, dict) and found.get("state") in ("begun", "done") else None

    def _put(self, job: Job, record: dict[str, Any]) -> None:
        self.parts.put(_key(job), json.dumps(record).encode(), WORK)


def stamps(folder: Path, paths: Iterable[Path]) -> Stamps:
    """Size and time of what is read: of a data set its manifest's; of other folders nothing."""
    found: Stamps = {}
    for path in paths:
        place = folder / path
        file = place / "manifest.json" if place.is_dir() else place
        if file.is_file():
            status = os.stat(file)
            found[str(path)] = [status.st_size, status.st_mtime_ns]
    return found


def _key(job: Job) -> str:
    return fingerprint(job.command, list(job.arguments))
