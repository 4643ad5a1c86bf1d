"""Small studies of one face, and people who answer them over HTTP."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from tests.support.characters.plain_face import plain_face

EXPRESSIONS = [
    rc.study.NamedExpression.parse(text)
    for text in ("Neutral=", "Smile=left_smile+right_smile", "Brow=brow_up", "Wink=left_wink")
]


def plan(name: str = "small", **more: Any) -> rc.study.StudyPlan:
    """A plan of four expressions in pictures of 16 pixels."""
    settings = {"fixation": 0.0, "turn": 10.0, "limit": 0.3, **more.pop("settings", {})}
    look = {"size": 16, **more.pop("pictures", {})}
    return rc.study.StudyPlan(
        name,
        more.pop("expressions", EXPRESSIONS),
        settings=rc.study.StudySettings(**settings),
        pictures=rc.study.PictureSettings(**look),
        **more,
    )


def other_face(strength: float) -> rc.BlendshapeRig:
    """The same face with all shapes scaled."""
    face = plain_face()
    deltas = np.stack([strength * face.column(k) for k in range(face.num_shapes)])
    return rc.BlendshapeRig(face.rest_vertices, deltas, names=face.shape_names, faces=face.faces)


def rating(folder: Path, characters: int = 1, **more: Any) -> rc.study.Study:
    people = {f"c{i}": plain_face() for i in range(characters)}
    return rc.study.make_rating(folder, people, plan(**more), threads=1)


def choice(folder: Path, characters: int = 3, **more: Any) -> rc.study.Study:
    """Old and new rigs of several characters, which are the blocks."""
    subjects = {"truth": plain_face(), "old": other_face(0.3), "new": other_face(0.9)}
    more = {"levels": [1.0], "block_by": ["character"], "expressions": EXPRESSIONS[1:], **more}
    return rc.study.make_choice(folder, {f"c{i}": subjects for i in range(characters)}, plan(**more), threads=1)


def ranking(folder: Path, **more: Any) -> rc.study.Study:
    subjects = {"truth": plain_face(), **{name: other_face(size) for name, size in METHODS.items()}}
    more = {"levels": [1.0], "expressions": EXPRESSIONS[1:], **more}
    return rc.study.make_ranking(folder, {"c0": subjects}, plan(**more), threads=1)


METHODS = {"best": 0.95, "good": 0.7, "bad": 0.2}


class Person:
    """A page's manners: each answer has an id of its own, and is sent again until it is acknowledged."""

    def __init__(self, study: rc.study.Study, session: str, url: str) -> None:
        self.study, self.session, self.url = study, session, url
        self.count = 0
        self.told: dict[str, Any] = {}

    def post(self, path: str, value: Any, **headers: str) -> tuple[int, dict[str, Any]]:
        """Status and content; status 0 if the server is away."""
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        request = urllib.request.Request(self.url + path, data=content, headers=headers, method="POST")
        try:
            try:
                with urllib.request.urlopen(request, timeout=10) as response:
                    return response.status, json.load(response)
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, json.load(error)
        except (OSError, ValueError, http.client.HTTPException):  # killed before or in the middle of its reply
            return 0, {}

    def patient(self, path: str, value: Any) -> dict[str, Any]:
        """The reply, however often the server must be asked."""
        while True:
            status, content = self.post(path, value)
            if status == 200:
                return content
            assert status in (0, 503), content
            time.sleep(0.01)

    def own(self) -> dict[str, str]:
        return {"study": self.study.id, "build": self.study.build, "session": self.session}

    def sign_up(self) -> dict[str, Any]:
        self.told = self.patient("session", {**self.own(), "facts": {"participant": self.session}})
        return self.told

    def message(self, trial: dict[str, Any], answer: dict[str, Any], **more: Any) -> dict[str, Any]:
        """An answer as the page sends it."""
        self.count += 1
        times = {"rt": 700.0, "wall": 1e12 + 1000.0 * self.count, "mono": 1000.0 * self.count, "load": "one"}
        place = {"trial": trial["trial"], "position": trial["position"], "count": self.count}
        return {"id": f"{self.session}-{self.count}", **self.own(), **place, **times, "answer": answer, **more}

    def take_part(self, answer: Any) -> None:
        """Answer all trials that are not answered; ``answer`` makes the answer of a trial."""
        told = self.sign_up()
        for trial in told["trials"]:
            if trial["trial"] not in told["answered"]:
                sent = self.message(trial, answer(trial))
                assert self.patient("answers", sent)["stored"] == sent["id"]
