"""Requests of pages answered, without sockets: the study told, people signed up, answers stored, progress reported."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

from rigcast.study._messages import WrongMessage, sent_answer, sign_up
from rigcast.study._order import PlacedTrial, course, training_course
from rigcast.study._records import Stimulus, Study
from rigcast.study._store import StudyStore

GRACE = 300.0  # seconds: a session is "here" that long after its last answer
Reply = tuple[int, dict[str, Any]]  # HTTP status and content


class Desk:
    """Answers the requests of pages.

    Parameters
    ----------
    study : Study
    store : StudyStore
    """

    def __init__(self, study: Study, store: StudyStore) -> None:
        self.study, self.store = study, store

    def about(self) -> dict[str, Any]:
        """The study as a page shows it before anybody has signed up."""
        study = self.study
        return {
            "study": study.id,
            "build": study.build,
            "name": study.name,
            "protocol": study.protocol,
            "settings": dataclasses.asdict(study.settings),
            "trials": len(study.trials),
            "training": len(study.training),
        }

    def sign_up(self, content: bytes) -> Reply:
        """Take a participant in, or back: the course, and the trials that are answered."""
        try:
            message = sign_up(content)
        except WrongMessage as wrong:
            return 400, {"error": str(wrong)}
        study = self.study
        if (message.study, message.build) != (study.id, study.build):
            return 409, {"error": "another study is shown here now", "study": study.id, "build": study.build}
        known = self.store.session(study.id, study.build, message.session)
        if known is not None and time.time() - known.begun > 3600.0 * study.settings.resume_hours:
            return 410, {"error": "this session has ended", "begun": known.begun}
        session = known or self.store.sign_up(study.id, study.build, message.session, message.facts)
        return 200, {
            "number": session.number,
            "answered": self.store.answered(study.id, study.build, message.session),
            "training": [self._shown(placed) for placed in training_course(study, session.number)],
            "trials": [self._shown(placed) for placed in course(study, session.number)],
        }

    def answer(self, content: bytes) -> Reply:
        """Store an answer, and only then acknowledge it.

        Answers to training trials are acknowledged and not stored. Answers of an older build of this study are stored
        under that build; answers to another study are not taken, and stay with the page.
        """
        try:
            sent = sent_answer(content, self.study)
        except WrongMessage as wrong:
            return 400, {"error": str(wrong)}
        study = self.study
        if sent.study != study.id:
            return 409, {"error": "another study is shown here now", "study": study.id, "build": study.build}
        if sent.build == study.build and study.trial(sent.trial) is None:
            if sent.trial in {trial.name for trial in study.training}:
                return 200, {"stored": sent.content["id"], "training": True}
            return 400, {"error": f"there is no trial {sent.trial}"}
        first = self.store.keep(sent.study, sent.build, sent.session, sent.trial, sent.content)
        return 200, {"stored": sent.content["id"], "first": first}

    def progress(self) -> dict[str, Any]:
        """The state of all participants, for the page of those who run the study."""
        study, now = self.study, time.time()
        last: dict[tuple[str, str], float] = {}
        count: dict[tuple[str, str], int] = {}
        for answer in self.store.answers(study.id):
            key = answer.build, answer.session
            last[key] = max(last.get(key, 0.0), answer.received)
            count[key] = count.get(key, 0) + 1
        rows = []
        for session in self.store.sessions(study.id):
            key = session.build, session.session
            latest = last.get(key, session.begun)
            rows.append(
                {
                    "number": session.number,
                    "session": session.session,
                    "facts": session.facts,
                    "this_build": session.build == study.build,
                    "answered": count.get(key, 0),
                    "of": len(study.trials),
                    "seconds_ago": now - latest,
                    "here": now - latest < GRACE and count.get(key, 0) < len(study.trials),
                }
            )
        second = len(self.store.answers(study.id, second=True))
        return {**self.about(), "sessions": rows, "answers": sum(count.values()), "second_answers": second}

    def _shown(self, placed: PlacedTrial) -> dict[str, Any]:
        """A trial as the page gets it: pictures by place, and nothing that names a unit or a method."""
        trial, stimuli = placed.trial, self.study.stimuli
        return {
            "trial": trial.name,
            "position": placed.position,
            "block": placed.block,
            "reference": _files(stimuli[trial.reference]) if trial.reference else None,
            "options": [_files(stimuli[trial.options[method]]) for method in placed.order],
        }


def _files(stimulus: Stimulus) -> dict[str, Any]:
    """Names of the files that a page must load."""
    return {"files": stimulus.files, "faces": stimulus.faces}
