"""``rigcast batch``: many commands, on this machine or on a farm."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rigcast._farm.connecting import connected
from rigcast._processors import available_processors
from rigcast.cli import _arguments as arguments
from rigcast.cli._batch.checking import inside, parsed
from rigcast.cli._batch.job_file import read_jobs
from rigcast.cli._batch.job_process import JobOutcome
from rigcast.cli._batch.planning import BatchPlan, make_plan
from rigcast.cli._batch.records import Records, folder_of
from rigcast.cli._batch.running import Locally, OnFarm, job_place
from rigcast.cli._console import Console
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._overwrite import add_overwrite_argument
from rigcast.cli._result import PartlyFailed, Result
from rigcast.errors import SourceError
from rigcast.progress import Progress, ProgressCallback

SUMMARY = SUMMARIES["batch"]
EXAMPLE = """rigcast batch jobs.toml --check
rigcast batch jobs.toml --workers 2"""
SHOWN = 3  # jobs at work that a line of progress names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """JOBS, and who works."""
    parser.add_argument(
        "jobs",
        metavar="JOBS",
        type=arguments.existing_file,
        help="a .toml or .json file; paths in it start at its folder",
    )
    arguments.add_workers(parser, "jobs at a time (default 1, 0: one per processor)")
    parser.add_argument("--check", action="store_true", help="check the jobs and say what would be done, and stop")
    add_overwrite_argument(parser)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Check all jobs, then run those that are not done."""
    path = Path(args.jobs).absolute()
    jobs = read_jobs(path)
    records = Records(folder_of(path))
    with inside(path.parent):
        checked = parsed(jobs)
        if args.check:
            return _said(console, make_plan(checked, records, args.overwrite))
    with records.parts, console.progress() as progress:
        with inside(path.parent):
            plan = make_plan(checked, records, args.overwrite)
        outcomes: dict[int, JobOutcome] = {}
        with _workers(args, progress) as workers:
            _work(plan, workers, job_place(path, records.parts.folder), progress, outcomes)
    return _finished(console, plan, outcomes, workers.incidents)


@contextlib.contextmanager
def _workers(args: argparse.Namespace, progress: ProgressCallback) -> Iterator[Locally | OnFarm]:
    if args.scheduler is None:
        yield Locally(args.workers or available_processors())
        return
    with connected(args.scheduler) as client:
        yield OnFarm(client, progress)


def _work(
    plan: BatchPlan, workers: Any, place: Any, progress: ProgressCallback, outcomes: dict[int, JobOutcome]
) -> None:
    """Run what is to be run; ``KeyboardInterrupt`` and ``SourceError`` (no farm any more) say how far it has come."""
    total = len(plan.jobs)

    def count() -> int:
        return len(plan.done) + sum(outcome.result is not None for outcome in outcomes.values())

    def show() -> None:
        lines = [f"{name}: {line}" for name, line in list(workers.working.items())[:SHOWN]]
        failed = sum(outcome.result is None for outcome in outcomes.values())
        progress(Progress("jobs", count(), total, "; ".join([*[f"{failed} failed"] * bool(failed), *lines])))

    show()
    try:
        with contextlib.closing(workers.run([plan.jobs[i] for i in plan.to_run], plan.needs(), place)) as ended:
            for entry in ended:
                if entry is not None:
                    outcomes[plan.to_run[entry[0]]] = entry[1]
                show()
    except KeyboardInterrupt:
        message = f"interrupted, {count()} of {total} jobs are done; run the same command again to continue"
        raise KeyboardInterrupt(message) from None
    except SourceError as error:  # the farm's
        failed = [plan.jobs[number].job.name for number, outcome in outcomes.items() if outcome.result is None]
        more = f", {len(failed)} failed, the first {failed[0]}" if failed else ""
        raise SourceError(f"{error}; {count()} of {total} jobs are done{more}") from error


def _said(console: Console, plan: BatchPlan) -> Result:
    """The result of ``--check``."""
    rows = []
    for number, one in enumerate(plan.jobs):
        needs = ", ".join(plan.jobs[other].job.name for other in sorted(one.needs & set(plan.to_run)))
        state = "done" if number in plan.done else f"after {needs}" if needs else "ready"
        rows.append({"name": one.job.name, "command": one.job.command, "state": state})
    console.table(["job", "command", "state"], [list(row.values()) for row in rows])
    console.line(f"{len(plan.jobs)} jobs are right, {len(plan.done)} are done, {len(plan.to_run)} are to be run")
    return {"jobs": rows, "done": len(plan.done), "to_run": len(plan.to_run)}


def _finished(console: Console, plan: BatchPlan, outcomes: dict[int, JobOutcome], incidents: list[str]) -> Result:
    """The result at the end; :class:`PartlyFailed` if any job is not done."""
    rows = [_row(plan, number, outcomes.get(number)) for number in range(len(plan.jobs))]
    states = [row["state"] for row in rows]
    result: dict[str, Any] = {"jobs": rows, "incidents": list(incidents)}
    result |= {"done": sum(state in ("done", "done before") for state in states), "failed": states.count("failed")}
    shown = [[row["name"], row["state"], "" if row["seconds"] is None else f"{row['seconds']:.1f} s"] for row in rows]
    console.table(["job", "state", "time"], shown)
    for text in incidents:
        console.line(f"note: {text}")
    for row in rows:
        if row["error"]:
            console.line(f"{row['name']}: {row['error']}")
    console.line(f"{result['done']} of {len(rows)} jobs are done")
    if result["done"] < len(rows):
        first = next(row for row in rows if row["state"] == "failed")
        rest = len(rows) - int(result["done"])
        raise PartlyFailed(
            f"{rest} of {len(rows)} jobs are not done; the first, {first['name']}: {first['error']}", result
        )
    return result


def _row(plan: BatchPlan, number: int, outcome: JobOutcome | None) -> dict[str, Any]:
    row: dict[str, Any] = {"name": plan.jobs[number].job.name, "command": plan.jobs[number].job.command}
    if number in plan.done:
        record = plan.done[number]
        return row | {"state": "done before", "seconds": None, "error": "", "result": record.get("result")}
    if outcome is None:
        needed = ", ".join(plan.jobs[other].job.name for other in sorted(plan.jobs[number].needs))
        return row | {"state": "not begun", "seconds": None, "error": f"needs {needed}", "result": None}
    state = "failed" if outcome.result is None else "done"
    return row | {"state": state, "seconds": outcome.seconds, "error": outcome.error, "result": outcome.result}
