"""A study written: pictures drawn, trials listed, one folder that appears whole."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rigcast._atomic_files import atomic_write, default_mode
from rigcast._shown import one_line
from rigcast._shown.picture import png
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.study._live_figures import FACES, MESH, mesh_file
from rigcast.study._measures import ShownFace, measures_of
from rigcast.study._pictures import Framing, NamedExpression, PictureSettings, Poser, Subject
from rigcast.study._records import (
    PICTURES,
    STATED,
    Stimulus,
    Study,
    StudySettings,
    StudyTrial,
    Value,
    build_of,
    stated,
)
from rigcast.study._store import StudyStore

LEVELS = (0.2, 0.4, 0.6, 0.8, 1.0)
EXPRESSION, TRUTH = "expression", "truth"


@one_line
@dataclass(frozen=True, eq=False)
class StudyPlan:
    """Everything of a study that does not depend on its protocol.

    Parameters
    ----------
    name : str
    expressions : sequence of NamedExpression
    levels : sequence of float
        Activations, above 0 and at most 1.
    pictures : PictureSettings
    settings : StudySettings
    facts : dict of str to dict of str to str
        More about characters: ``{"sex": {"actor 1": "f"}}``.
    block_by : sequence of str
        Facts that make blocks, the outermost first.
    repetitions : int
        Of each trial.
    seed : int
        Of the order of trials and places.
    notes : sequence of str
        Where the stimuli come from.
    """

    name: str
    expressions: Sequence[NamedExpression]
    levels: Sequence[float] = LEVELS
    pictures: PictureSettings = field(default_factory=PictureSettings)
    settings: StudySettings = field(default_factory=StudySettings)
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    block_by: Sequence[str] = ()
    repetitions: int = 1
    seed: int = 0
    notes: Sequence[str] = ()


class StudyWriter:
    """Draws the stimuli of a study into a folder beside its place, and moves that there at the end."""

    def __init__(
        self,
        function: str,
        protocol: str,
        folder: str | os.PathLike[str],
        plan: StudyPlan,
        threads: int,
        progress: ProgressOption,
    ) -> None:
        self.check = Arguments(function)
        self.function, self.protocol, self.folder, self.plan = function, protocol, Path(folder), plan
        self.threads, self.tell = self.check.threads(threads), as_callback(progress)
        self.levels = self.check.numbers("plan.levels", plan.levels, "L+").tolist()
        if not all(0.0 < level <= 1.0 for level in self.levels):
            raise self.check.wrong("plan.levels", shown(list(plan.levels)), "activations above 0 and at most 1")
        self.check.whole("plan.seed", plan.seed)
        self.check.whole("plan.repetitions", plan.repetitions, least=1, most=1000)
        self.check.names("plan.expressions", [expression.name for expression in plan.expressions])
        if not plan.expressions:
            raise self.check.wrong("plan.expressions", "empty", "at least one expression")
        self.stimuli: dict[str, Stimulus] = {}
        self.pictures: dict[str, bytes] = {}
        self.random = np.random.default_rng([plan.seed, 7])

    def write(
        self,
        characters: Mapping[str, Mapping[str, Subject]],
        training: Mapping[str, Mapping[str, Subject]],
        overwrite: bool,
        methods: Sequence[str],
    ) -> Study:
        """Draw, list, and write; returns the study."""
        self.check.names("characters", list(characters))
        if not characters:
            raise self.check.wrong("characters", "empty", "at least one character")
        _check_place(self.function, self.folder, overwrite)
        total = sum(len(subjects) for subjects in (*characters.values(), *training.values()))
        total *= len(self.plan.expressions) * len(self.levels)
        trials = [trial for name, subjects in characters.items() for trial in self._trials(name, subjects, total)]
        practice = self._training(training, total)
        named = [replace(trial, name=f"t{i + 1:04d}") for i, trial in enumerate(trials * self.plan.repetitions)]
        study = Study(
            self.folder,
            self.plan.name,
            self.protocol,
            id=secrets.token_hex(8),
            build="",
            seed=self.plan.seed,
            stimuli=self.stimuli,
            trials=named,
            training=[replace(trial, name=f"p{i + 1:02d}") for i, trial in enumerate(practice)],
            settings=replace(self.plan.settings, fps=self.plan.pictures.fps),
            methods=list(methods),
            notes=list(self.plan.notes),
        )
        study = replace(study, build=build_of(stated(study), self.pictures))
        _place(study, self.pictures)
        self.tell(Progress("draw", total, total))
        return study

    def _training(self, training: Mapping[str, Mapping[str, Subject]], total: int) -> list[StudyTrial]:
        """At most six trials of the training character: the first expressions at the highest and lowest activation."""
        found: list[StudyTrial] = []
        for name, subjects in list(training.items())[:1]:
            levels = [max(self.levels), *([min(self.levels)] if len(self.levels) > 1 else [])]
            found = self._trials(name, subjects, total, self.plan.expressions[:3], levels)
        return found

    def _trials(
        self,
        character: str,
        subjects: Mapping[str, Subject],
        total: int,
        expressions: Sequence[NamedExpression] | None = None,
        levels: Sequence[float] | None = None,
    ) -> list[StudyTrial]:
        posers = {
            method: Poser(self.function, f"characters[{character!r}]", subject) for method, subject in subjects.items()
        }
        framing = Framing.of(posers[TRUTH], character, self.plan.pictures)
        neutral = None
        if self.protocol == "rating":
            neutral = self._draw(posers[TRUTH], framing, NamedExpression("", {}), 1.0)
        more: dict[str, Value] = {
            fact: values[character] for fact, values in self.plan.facts.items() if character in values
        }
        found = []
        for expression in expressions or self.plan.expressions:
            for level in levels or self.levels:
                facts: dict[str, Value] = {"character": character, "unit": expression.name, "activation": level, **more}
                reference = neutral or self._draw(posers[TRUTH], framing, expression, level)
                options = {
                    method: self._draw(poser, framing, expression, level)
                    for method, poser in posers.items()
                    if method != TRUTH
                }
                names = {method: face.name for method, face in options.items()}
                measures = {} if levels else self._measures(reference, options, framing)
                block = self._block(character, facts)
                found.append(StudyTrial("", facts, block, reference.name, names, measures))
                self.tell(Progress("draw", min(len(self.stimuli), total - 1), total))
        return found

    def _measures(self, reference: ShownFace, options: Mapping[str, ShownFace], framing: Framing) -> dict[str, float]:
        """Measures of a trial; of methods, by names that end with the method's."""
        return {
            name if self.protocol == "rating" else f"{name}_{method}": value
            for method, face in options.items()
            for name, value in measures_of(reference, face, framing.camera).items()
        }

    def _block(self, character: str, facts: Mapping[str, Value]) -> tuple[str, ...]:
        for fact in self.plan.block_by:
            if fact not in facts:
                raise self.check.wrong("plan.block_by", shown(fact), f"facts of {character!r}: {', '.join(facts)}")
        return tuple(str(facts[fact]) for fact in self.plan.block_by)

    def _draw(self, poser: Poser, framing: Framing, expression: NamedExpression, level: float) -> ShownFace:
        """A stimulus that is drawn now: pictures per view and frame, under names in no order."""
        activations = self.plan.pictures.activations(level if expression.controls else 0.0)
        if not expression.controls and self.protocol == "rating":
            activations = activations[:1]
        meshes = np.stack([poser.vertices(expression, activation) for activation in activations])
        name, peak, picture = f"s{len(self.stimuli) + 1:04d}", int(np.argmax(activations)), None
        standing = framing.standing(meshes)
        if self.plan.pictures.live:
            faces = self._faces(framing.faces_file(poser.faces, len(poser.rest)))
            files = [[self._keep(mesh_file(mesh, poser.faces), MESH) for mesh in standing]]
            self.stimuli[name] = Stimulus(name, files, faces)
        else:
            files = []
            for degrees in self._views():
                drawn = framing.draw(meshes, poser.faces, degrees, self.threads)
                files.append([self._keep(png(frame)) for frame in drawn])
                picture = drawn[peak] if degrees == 0.0 else picture
            self.stimuli[name] = Stimulus(name, files)
        return ShownFace(name, standing[peak], poser.faces, picture)

    def _faces(self, content: bytes) -> str:
        """The name of a file of triangles, which figures of one topology and character share."""
        known = (name for name, kept in self.pictures.items() if name.endswith(FACES) and kept == content)
        return next(known, None) or self._keep(content, FACES)

    def _keep(self, content: bytes, suffix: str = ".png") -> str:
        """The name of a file, drawn by lot: its order would tell which method it shows."""
        while True:
            name = f"{int(self.random.integers(2**40)):010x}{suffix}"
            if name not in self.pictures:
                self.pictures[name] = content
                return name

    def _views(self) -> list[float]:
        """Angles in degrees from left to right, with 0 in the middle; more than one for the choice protocol alone."""
        settings = self.plan.settings
        steps = int(settings.turn / settings.turn_step + 1e-9) if self.protocol == "choice" else 0
        return [settings.turn_step * i for i in range(-steps, steps + 1)]


def _check_place(function: str, folder: Path, overwrite: bool) -> None:
    if not folder.exists():
        return
    if not (folder / STATED).is_file():
        if folder.is_dir() and not any(folder.iterdir()):
            return
        raise bad_argument(function, "folder", f"{str(folder)!r}, which holds something else", "new or a study", folder)
    if not overwrite:
        raise bad_argument(function, "folder", f"{str(folder)!r}, which exists", "new, or given with overwrite", folder)
    count = StudyStore.count(folder)
    if count:
        got = f"{str(folder)!r}, which holds {count} answers and sign-ups"
        raise bad_argument(function, "folder", got, "a folder of its own: answers are never replaced", folder)


def _place(study: Study, pictures: Mapping[str, bytes]) -> None:
    """Write a study beside its folder, and move it there."""
    parent = study.folder.resolve().parent
    made = Path(tempfile.mkdtemp(prefix=f".{study.folder.name[:50]}.", suffix=".part", dir=parent))
    try:
        made.chmod(default_mode(0o777))
        (made / PICTURES).mkdir()
        for name, content in pictures.items():
            (made / PICTURES / name).write_bytes(content)
        atomic_write(made / STATED, json.dumps(stated(study), indent=1).encode())
        if study.folder.exists():
            shutil.rmtree(study.folder)
        os.rename(made, study.folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
