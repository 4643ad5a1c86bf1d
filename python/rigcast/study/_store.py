"""Answers on the disk: SQLite with a write-ahead log that is synchronized at each commit, so none is ever lost.

An answer has the id that the page gave it, and is stored once by (study, build, session, trial). A second answer to
the same trial is kept beside, as is everything that came from an older build of the study.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigcast.study._records import ANSWERS

BUSY = 30.0  # seconds that one writer waits for another
TABLES = """
create table if not exists sessions (
  study text not null, build text not null, number integer not null, session text not null, begun real not null,
  facts text not null, primary key (study, build, number), unique (study, build, session)
);
create table if not exists answers (
  arrival integer primary key autoincrement, id text not null unique, study text not null, build text not null,
  session text not null, trial text not null, received real not null, content text not null,
  unique (study, build, session, trial)
);
create table if not exists second_answers (
  arrival integer primary key autoincrement, id text not null unique, study text not null, build text not null,
  session text not null, trial text not null, received real not null, content text not null
);
"""


@dataclass(frozen=True)
class StudySession:
    """A participant: ``number`` from 1, what the page told at the sign-up, and when (seconds since 1970)."""

    study: str
    build: str
    number: int
    session: str
    begun: float
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class StoredAnswer:
    """An answer as it was stored: ``arrival`` counts all answers, ``content`` is what the page sent."""

    arrival: int
    id: str
    study: str
    build: str
    session: str
    trial: str
    received: float
    content: Mapping[str, Any]


class StudyStore:
    """The database of a study's folder; may be used by several threads and processes at once.

    Parameters
    ----------
    folder : path-like
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        path = Path(folder) / ANSWERS
        is_new = not path.exists()
        self._lock = threading.Lock()
        self._base = sqlite3.connect(path, timeout=BUSY, isolation_level=None, check_same_thread=False)
        self._base.execute("pragma journal_mode=wal")
        self._base.execute("pragma synchronous=full")
        self._base.executescript(TABLES)
        if is_new:
            _synchronize(Path(folder))

    @classmethod
    def count(cls, folder: str | os.PathLike[str]) -> int:
        """Number of answers and sign-ups in a study's folder; 0 without a database."""
        if not (Path(folder) / ANSWERS).exists():
            return 0
        store = cls(folder)
        try:
            rows = [store._all(f"select count(*) from {t}")[0][0] for t in ("sessions", "answers", "second_answers")]
        finally:
            store.close()
        return sum(rows)

    def sign_up(self, study: str, build: str, session: str, facts: Mapping[str, Any]) -> StudySession:
        """Store a participant under the next number, or find the one who has this session already."""
        with self._writing() as base:
            base.execute(
                "insert or ignore into sessions select ?, ?, coalesce(max(number), 0) + 1, ?, ?, ? from sessions "
                "where study = ? and build = ?",
                (study, build, session, time.time(), json.dumps(facts), study, build),
            )
        found = self.session(study, build, session)
        assert found is not None
        return found

    def session(self, study: str, build: str, session: str) -> StudySession | None:
        """A session that has signed up."""
        rows = self._all("select * from sessions where study = ? and build = ? and session = ?", study, build, session)
        return _session(rows[0]) if rows else None

    def keep(self, study: str, build: str, session: str, trial: str, content: Mapping[str, Any]) -> str:
        """Store an answer; when this returns, it is on the disk.

        Returns
        -------
        str
            The id under which the trial is answered: another one than ``content["id"]`` if it was answered before.
        """
        row = (str(content["id"]), study, build, session, trial, time.time(), json.dumps(content))
        names = "(id, study, build, session, trial, received, content)"
        with self._writing() as base:
            base.execute(f"insert or ignore into answers {names} values (?, ?, ?, ?, ?, ?, ?)", row)
            found = base.execute(
                "select id from answers where study = ? and build = ? and session = ? and trial = ?", row[1:5]
            ).fetchone()
            if found is None or found[0] != row[0]:
                base.execute(f"insert or ignore into second_answers {names} values (?, ?, ?, ?, ?, ?, ?)", row)
        return str(found[0]) if found else row[0]

    def answered(self, study: str, build: str, session: str) -> list[str]:
        """Trials of a session that are answered."""
        rows = self._all(
            "select trial from answers where study = ? and build = ? and session = ? order by arrival",
            study,
            build,
            session,
        )
        return [str(row[0]) for row in rows]

    def sessions(self, study: str) -> list[StudySession]:
        """All sessions of a study, whatever its build."""
        return [_session(row) for row in self._all("select * from sessions where study = ? order by begun", study)]

    def answers(self, study: str, second: bool = False) -> list[StoredAnswer]:
        """All answers of a study by their arrival, or the second ones."""
        table = "second_answers" if second else "answers"
        rows = self._all(f"select * from {table} where study = ? order by arrival", study)
        return [StoredAnswer(*(*row[:7], json.loads(row[7]))) for row in rows]

    def close(self) -> None:
        """Close the database."""
        self._base.close()

    def _all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._base.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._base.execute("begin immediate")
            try:
                yield self._base
            except BaseException:
                self._base.execute("rollback")
                raise
            self._base.execute("commit")


def _session(row: tuple[Any, ...]) -> StudySession:
    return StudySession(*(*row[:5], json.loads(row[5])))


def _synchronize(folder: Path) -> None:
    """Put a folder's list of files on the disk, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows opens no folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
