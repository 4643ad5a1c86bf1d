"""A study as data: stimuli, trials, settings, and the folder that holds them.

``study.json`` states everything but the pictures, or the meshes of live figures, which lie in ``stimuli`` under names
that tell a participant nothing. ``answers.sqlite`` appears beside them when the study is served first.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rigcast._safe_reading import read_json
from rigcast._shown import one_line
from rigcast._validate import FPS, Arguments, bad_argument, bad_file, missing_file, shown

FORMAT, VERSION = "rigcast-study", 1
STATED, PICTURES, ANSWERS = "study.json", "stimuli", "answers.sqlite"
PROTOCOLS = ("rating", "choice", "ranking")
Value = str | float
CONSENT = (
    "You will look at pictures of faces and answer questions about them. Taking part is voluntary: you may stop at any "
    "time, without giving a reason. Your answers are stored under a number, without your name."
)


@one_line
@dataclass(frozen=True)
class Question:
    """A question to a participant before the study, answered by one of several words.

    Parameters
    ----------
    name : str
        Of the column in the results.
    text : str
    choices : sequence of str
    """

    name: str
    text: str
    choices: Sequence[str]


@one_line
@dataclass(frozen=True, kw_only=True)
class StudySettings:
    """Course of a study, and what its pages say.

    Parameters
    ----------
    question : str
        Asked at each trial; empty: the protocol's own.
    ends : (str, str)
        Of the scale from 1 to 9.
    consent : str
    questions : sequence of Question
    fixation : float
        Seconds of a cross before each trial.
    limit : float
        Seconds that pictures of the choice protocol stay; then an answer is forced.
    turn, turn_step : float
        Degrees by which arrow keys turn the faces of the choice protocol, at most and at once.
    picture_degrees : float
        Visual angle of a picture's height: the published study's 224 mm at 1 m are 12.8.
    distance : float
        Centimeters from eye to screen, unless the participant measures another one.
    resume_hours : float
        A participant who comes back later than this starts anew.
    fps : float
        Of loops; what makes a study takes it from the pictures.
    """

    question: str = ""
    ends: tuple[str, str] = ("No Difference", "Extremely Different")
    consent: str = CONSENT
    questions: Sequence[Question] = ()
    fixation: float = 1.0
    limit: float = 10.0
    turn: float = 30.0
    turn_step: float = 10.0
    picture_degrees: float = 12.8
    distance: float = 60.0
    resume_hours: float = 24.0
    fps: float = FPS

    def __post_init__(self) -> None:
        check = Arguments("StudySettings")
        check.number("fixation", self.fixation, least=0.0, most=60.0)
        check.number("limit", self.limit, above=0.0, most=3600.0)
        check.number("turn", self.turn, least=0.0, most=90.0)
        check.number("turn_step", self.turn_step, above=0.0, most=90.0)
        check.number("picture_degrees", self.picture_degrees, above=0.0, most=90.0)
        check.number("distance", self.distance, least=10.0, most=1000.0)
        check.number("resume_hours", self.resume_hours, above=0.0)
        check.rate("fps", self.fps)
        object.__setattr__(self, "ends", tuple(self.ends))
        object.__setattr__(self, "questions", tuple(self.questions))


@one_line
@dataclass(frozen=True)
class Stimulus:
    """A face as it is shown.

    Attributes
    ----------
    name : str
    files : list of list of str
        Names of pictures by view and frame; of a live figure, which has one view, of its vertices by frame.
    faces : str
        The file of a live figure's triangles; empty for pictures.
    """

    name: str
    files: list[list[str]]
    faces: str = ""

    @property
    def names(self) -> list[str]:
        """Names of all of its files."""
        return [*([self.faces] if self.faces else []), *(name for view in self.files for name in view)]


@one_line
@dataclass(frozen=True)
class StudyTrial:
    """A trial.

    Attributes
    ----------
    name : str
        Says nothing about the stimuli.
    facts : dict
        What is asked about: unit, character, activation.
    block : tuple of str
        Values of the facts that make blocks; trials of a block are shown together.
    reference : str
        The stimulus on the left (rating), in the middle (choice) or above (ranking); empty without one.
    options : dict of str to str
        Method to stimulus; of a rating one, the expression.
    measures : dict of str to float
        How different what is judged is from the reference, by several measures (``screen_motion``, ``rms``; of
        methods ``screen_motion_METHOD``). Not shown to anybody.
    """

    name: str
    facts: Mapping[str, Value]
    block: tuple[str, ...]
    reference: str
    options: Mapping[str, str]
    measures: Mapping[str, float] = field(default_factory=dict)


@one_line
@dataclass(frozen=True, eq=False)
class Study:
    """A study that was made, with the folder that holds it.

    Attributes
    ----------
    folder : Path
    name, protocol : str
    id : str
        Differs between any two studies, also of one name.
    build : str
        Hash of everything that a participant is shown: a study whose ``study.json`` is edited has a new one, and
        answers of before are counted apart.
    seed : int
        Of the order of trials and places.
    stimuli : dict of str to Stimulus
    trials, training : lists of StudyTrial
        Answers to training trials are not stored.
    settings : StudySettings
    methods : list of str
        What is compared; empty for ratings.
    notes : list of str
        Where the stimuli come from.
    """

    folder: Path
    name: str
    protocol: str
    id: str
    build: str
    seed: int
    stimuli: Mapping[str, Stimulus]
    trials: Sequence[StudyTrial]
    training: Sequence[StudyTrial]
    settings: StudySettings
    methods: Sequence[str] = ()
    notes: Sequence[str] = field(default_factory=list)

    @property
    def answers_file(self) -> Path:
        """The database of the answers."""
        return self.folder / ANSWERS

    @property
    def fact_names(self) -> list[str]:
        """Names of the facts of all trials, in their order."""
        return list(dict.fromkeys(name for trial in self.trials for name in trial.facts))

    def file_names(self) -> set[str]:
        """Names of all files in the folder of the stimuli."""
        return {name for stimulus in self.stimuli.values() for name in stimulus.names}

    @property
    def is_live(self) -> bool:
        """True if the page draws figures itself."""
        return any(stimulus.faces for stimulus in self.stimuli.values())

    def trial(self, name: str) -> StudyTrial | None:
        """The trial of a name; None for training trials and unknown names."""
        return {trial.name: trial for trial in self.trials}.get(name)


def stated(study: Study) -> dict[str, Any]:
    """The content of ``study.json``."""
    values = {entry.name: getattr(study, entry.name) for entry in dataclasses.fields(study) if entry.name != "folder"}
    values["stimuli"] = {
        name: {"files": stimulus.files, "faces": stimulus.faces} if stimulus.faces else stimulus.files
        for name, stimulus in study.stimuli.items()
    }
    for part in ("trials", "training"):
        values[part] = [dataclasses.asdict(trial) for trial in values[part]]
    values["settings"] = dataclasses.asdict(study.settings)
    return {"format": FORMAT, "version": VERSION, **values}


def build_of(content: Mapping[str, Any], pictures: Mapping[str, bytes]) -> str:
    """The hash of what participants are shown: all that is stated but name, id and measures, and the pictures."""
    shown_content = {key: value for key, value in content.items() if key not in ("id", "build", "name", "notes")}
    for part in ("trials", "training"):
        shown_content[part] = [{k: v for k, v in trial.items() if k != "measures"} for trial in content[part]]
    digest = hashlib.sha256(json.dumps(shown_content, sort_keys=True).encode())
    for name in sorted(pictures):
        digest.update(name.encode() + hashlib.sha256(pictures[name]).digest())
    return digest.hexdigest()[:16]


def open_study(folder: str | os.PathLike[str]) -> Study:
    """Open a study that was made.

    Parameters
    ----------
    folder : path-like

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    ValueError
        If it holds no study, or one with files missing.
    """
    place = Path(folder)
    if not (place / STATED).is_file():
        if not place.is_dir():
            raise missing_file("open_study", "folder", place, "the folder of a study")
        raise bad_argument("open_study", "folder", f"{str(folder)!r}, without {STATED}", "a study", place)
    content = read_json(place / STATED)
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        raise bad_file(place / STATED, "no study of this version", f"what rigcast study make writes ({VERSION})")
    try:
        study = _read(place, content)
    except (KeyError, TypeError, AttributeError) as error:
        raise bad_file(place / STATED, f"incomplete or changed ({error})", "what rigcast study make writes") from None
    missing = sorted(name for name in study.file_names() if not (place / PICTURES / name).is_file())
    if missing:
        raise bad_file(place, f"a study without its picture {missing[0]}", "whole")
    pictures = {name: (place / PICTURES / name).read_bytes() for name in study.file_names()}
    return dataclasses.replace(study, build=build_of(stated(study), pictures))


def _read(place: Path, content: dict[str, Any]) -> Study:
    settings = dict(content["settings"])
    settings["questions"] = [Question(**question) for question in settings["questions"]]
    trials, training = (
        [StudyTrial(**{**trial, "block": tuple(trial["block"])}) for trial in content[part]]
        for part in ("trials", "training")
    )
    stimuli = {
        name: Stimulus(name, **files) if isinstance(files, dict) else Stimulus(name, files)
        for name, files in content["stimuli"].items()
    }
    if content["protocol"] not in PROTOCOLS:
        raise bad_file(place / STATED, f"of protocol {shown(content['protocol'])}", ", ".join(PROTOCOLS))
    for trial in [*trials, *training]:
        _ = [stimuli[name] for name in (*trial.options.values(), *([trial.reference] if trial.reference else []))]
    return Study(
        place,
        str(content["name"]),
        str(content["protocol"]),
        str(content["id"]),
        build="",
        seed=int(content["seed"]),
        stimuli=stimuli,
        trials=trials,
        training=training,
        settings=StudySettings(**settings),
        methods=list(content["methods"]),
        notes=list(content["notes"]),
    )
