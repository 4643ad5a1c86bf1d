"""Jobs are checked before any starts: by the parser of their own command, and against each other."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rigcast.cli import _arguments as arguments
from rigcast.cli import _dispatch as dispatch
from rigcast.cli._batch.job_file import Job
from rigcast.cli._overview import COMMANDS
from rigcast.cli._result import WrongInput
from rigcast.cli._sentences import one_line
from rigcast.cli._usage import WrongUsage
from rigcast.cli._written import check_files as check_written
from rigcast.cli._written import files

REFUSED = ("batch", "view")  # a batch in a batch; a window that stays open
SHOWN = 10  # wrong jobs that are listed


@dataclass
class CheckedJob:
    """A job that its command would accept.

    Attributes
    ----------
    job : Job
    reads, writes : list of Path
        Files and folders among its arguments.
    needs : set of int
        Jobs that write what it reads.
    can_overwrite, overwrites : bool
        Whether it has the option ``--overwrite``, and whether it is given.
    continues : bool
        Whether it goes on with an unfinished result itself (a data set).
    replaces : bool
        Whether results that exist are to be replaced.
    """

    job: Job
    reads: list[Path]
    writes: list[Path]
    can_overwrite: bool
    overwrites: bool
    continues: bool
    replaces: bool = False
    needs: set[int] = field(default_factory=set)


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """The working directory is a folder inside the block."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def parsed(jobs: Sequence[Job]) -> list[CheckedJob]:
    """Parse every job and find out which needs which. In the folder of the jobs.

    Raises
    ------
    ValueError
        Naming the first wrong jobs, each with its reason: unknown commands, wrong arguments, results that two jobs
        write, jobs that wait for each other.
    """
    parser = dispatch.parser(dispatch.load_commands())
    with arguments.promised(lambda _: True):
        checked: list[CheckedJob] = _each(jobs, lambda job: _described(job, _parse(parser, job)))
    written = _written(checked)
    inside_of = _folders(written)
    for number, one in enumerate(checked):
        places = [_place(path) for path in one.reads]
        found = {written[place] for place in places if place in written}
        found |= {other for place in places for other in inside_of.get(place, ())}
        one.needs = found - {number}
    _check_order(checked)
    return checked


def check_files(checked: Sequence[CheckedJob], to_run: Sequence[int], ours: Callable[[Job], bool]) -> None:
    """Look at the files of the jobs that are to be run. In the folder of the jobs.

    Parameters
    ----------
    checked : sequence of CheckedJob
        All jobs.
    to_run : sequence of int
    ours : callable
        Whether results of a job that exist may be replaced.

    Raises
    ------
    ValueError
        Naming the first wrong jobs, each with its reason: files that are missing and that no job writes, results that
        exist, places where none can be written.
    """
    parser = dispatch.parser(dispatch.load_commands())
    promises = {_place(path) for number in to_run for path in checked[number].writes}
    with arguments.promised(lambda path: _place(path) in promises):
        _each([checked[number].job for number in to_run], lambda job: _check(job, _parse(parser, job), ours(job)))


def _each(jobs: Sequence[Job], check: Callable[[Job], Any]) -> list[Any]:
    found, wrong = [], []
    for job in jobs:
        try:
            found.append(check(job))
        except (WrongUsage, ValueError, OSError) as error:
            wrong.append(f"{job.name}: {one_line(error)}")
    if wrong:
        more = f"; and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
        raise WrongInput(f"{len(wrong)} of {len(jobs)} jobs are wrong: {'; '.join(wrong[:SHOWN])}{more}")
    return found


def _parse(parser: argparse.ArgumentParser, job: Job) -> argparse.Namespace:
    if job.command not in COMMANDS or job.command in REFUSED:
        known = ", ".join(name for name in COMMANDS if name not in REFUSED)
        raise WrongInput(f"command is {job.command!r}; it must be one of {known}")
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            args = dispatch.parse(parser, [job.command, *job.arguments])
    except SystemExit:
        raise WrongInput("its arguments ask for help; they must be those of a run") from None
    if getattr(args, "blender", None) is not None:
        raise WrongInput("--blender names a program; a file of jobs may not: put Blender on the PATH, or its bpy wheel")
    return args


def _described(job: Job, args: argparse.Namespace) -> CheckedJob:
    reads, writes = files(args.actions, args)
    options = {option for action in args.actions for option in action.option_strings}
    continues = any(action.type is arguments.data_set for action in args.actions)
    return CheckedJob(
        job=job,
        reads=[path for _, path in reads],
        writes=[path for _, path in writes],
        can_overwrite="--overwrite" in options,
        overwrites=bool(getattr(args, "overwrite", False)),
        continues=continues,
    )


def _check(job: Job, args: argparse.Namespace, ours: bool) -> None:
    if ours:
        args.overwrite = True
    check_written(args.actions, args)


def _written(checked: Iterable[CheckedJob]) -> dict[str, int]:
    """The job that writes each path."""
    written: dict[str, int] = {}
    names: list[str] = []
    for number, one in enumerate(checked):
        names.append(one.job.name)
        for path in one.writes:
            other = written.setdefault(_place(path), number)
            if other != number:
                raise WrongInput(f"jobs {names[other]} and {names[number]} both write {path}; only one may")
    return written


def _folders(written: dict[str, int]) -> dict[str, set[int]]:
    """The jobs that write into each folder, at any depth below that of the jobs."""
    here, found = Path.cwd(), dict[str, set[int]]()
    for place, number in written.items():
        for parent in Path(place).parents:
            if not parent.is_relative_to(here) or parent == here:
                break
            found.setdefault(os.fspath(parent), set()).add(number)
    return found


def _check_order(checked: list[CheckedJob]) -> None:
    """``ValueError`` if jobs wait for each other."""
    left = {number: set(one.needs) for number, one in enumerate(checked)}
    while free := [number for number, needs in left.items() if not needs]:
        for number in free:
            del left[number]
        for needs in left.values():
            needs.difference_update(free)
    if left:
        names = ", ".join(checked[number].job.name for number in sorted(left)[:SHOWN])
        raise WrongInput(f"jobs wait for each other, each reading what another writes: {names}; one must come first")


def _place(path: Path) -> str:
    return os.path.realpath(path)
