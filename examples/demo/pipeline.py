"""The whole way on the demo character: build, sample, learn, judge, and solve a shot. What is done is re-used."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rigcast as rc
from examples.characters.character import build_character
from examples.characters.walk import ACTION
from examples.demo.idle import idle_face
from examples.demo.learned_face import learn_face
from examples.demo.performance import capture_performance
from examples.demo.playing import play_action
from examples.demo.second_face import transfer_face
from examples.demo.shot import solve_clip
from examples.demo.stored import files_key, is_trained, read_json, write_json
from rigcast import report, sampling, training
from rigcast._formats.blender import BlenderRig
from rigcast.progress import ProgressCallback

TRAINING_SEED, HELD_OUT_SEED = 0, 1

Announce = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """Sizes and times of the demo.

    Attributes
    ----------
    poses : int
        Random poses to learn from.
    held_out : int
        Random poses to judge by.
    minutes : float
        Time to train.
    clip : int
        Frames of the face's clip, whose weights are found back.
    face_poses : int
        Random poses of the production face to learn from.
    face_minutes : float
        Time to train it; 0 leaves the face out.
    """

    poses: int = 3000
    held_out: int = 300
    minutes: float = 2.0
    clip: int = 300
    face_poses: int = 1500
    face_minutes: float = 1.5


FULL = Settings(minutes=5.0, face_poses=3000, face_minutes=10.0)
QUICK = Settings(poses=300, held_out=40, minutes=0.7, clip=60, face_minutes=0.0)


class Demo:
    """The demo in one folder.

    Parameters
    ----------
    folder : Path
        Takes everything; made if it is missing.
    settings : Settings
    workers : int
        Processes that evaluate the character.
    announce : callable
        Receives one line per stage.
    progress : callable
        Receives the progress inside a stage.
    """

    def __init__(
        self, folder: Path, settings: Settings, workers: int, announce: Announce, progress: ProgressCallback
    ) -> None:
        self.folder, self.settings, self.workers = folder, settings, workers
        self.announce, self.progress = announce, progress
        folder.mkdir(parents=True, exist_ok=True)

    def run(self) -> dict[str, Any]:
        """Do what is not done yet, and return what the summary says."""
        character = self._character()
        with self._blender(character) as rig:
            learned, judged, walked = self._samples(rig)
        model = self._train(learned)
        action = play_action(self.folder, model, character, walked, self.announce)
        self.announce("fitting linear skinning to the same poses, to compare")
        skinning = report.fit_skinning_baselines(learned, self.folder, self.progress)
        numbers = self._report(character, [model, *skinning], [learned, judged, walked])
        face = solve_clip(self.folder, self.settings.clip, self.announce, self.progress)
        idle = idle_face(self.folder, self.announce, self.progress)
        second = transfer_face(self.folder, self.announce, self.progress)
        page = self.folder / "report.html"
        maps, sizes = None, self.settings
        if sizes.face_minutes > 0.0:
            maps = learn_face(
                self.folder, sizes.face_poses, sizes.face_minutes, self.workers, self.announce, self.progress
            )
        acted = capture_performance(self.folder, self.announce, self.progress)
        known = {"numbers": numbers, "model": model, "report": page, "training": learned, "performance": acted}
        return known | {"action": action, "face": face, "idle": idle, "second_face": second, "learned_face": maps}

    def _character(self) -> Path:
        path = self.folder / "demo-character.blend"
        self.announce("re-using the character" if path.exists() else "building the character in Blender")
        return build_character(path)

    @contextlib.contextmanager
    def _blender(self, character: Path) -> Iterator[BlenderRig]:
        rig = BlenderRig.open(character)
        try:
            yield rig
        finally:
            rig.close()

    def _samples(self, rig: BlenderRig) -> tuple[rc.Dataset, rc.Dataset, rc.Dataset]:
        """The training data and the poses to judge by: random ones, and the action of the file."""
        sizes = self.settings
        learned = self._sample(rig, "training", sizes.poses, seed=TRAINING_SEED)
        judged = self._sample(rig, "held-out", sizes.held_out, seed=HELD_OUT_SEED, probe=0)
        return learned, judged, self._walk(rig)

    def _sample(self, rig: BlenderRig, name: str, count: int, **options: Any) -> rc.Dataset:
        path = self.folder / f"{name}-{count}.rwdata"
        self.announce(f"{'checking' if path.exists() else 'sampling'} {count:,} poses: {path.name}")
        return sampling.sample(rig, path, count, workers=self.workers, progress=self.progress, **options)

    def _walk(self, rig: BlenderRig) -> rc.Dataset:
        """The action of the character's file, as Blender plays it."""
        path = self.folder / f"{ACTION}-{rig.actions[ACTION]}.rwdata"
        self.announce(f"{'checking' if path.exists() else 'playing'} the action {ACTION!r}: {path.name}")
        return sampling.sample_actions(rig, path, [ACTION], progress=self.progress)

    def _train(self, learned: rc.Dataset) -> Path:
        path, minutes = self.folder / "model.safetensors", self.settings.minutes
        if is_trained(path, learned, minutes):
            self.announce(f"re-using the model: {path.name}")
            return path
        self.announce(f"training the model: {minutes:g} minutes")
        checkpoint = self.folder / f"model-{minutes:g}-{learned.hash[:12]}.checkpoint"
        model = training.body(learned, seed=0, minutes=minutes, checkpoint=checkpoint, progress=self.progress)
        model.save(path)
        return path

    def _report(self, character: Path, models: list[Path], sets: list[rc.Dataset]) -> dict[str, Any]:
        page, numbers_file = self.folder / "report.html", self.folder / "report.json"
        key = files_key(models, sets)
        known = read_json(numbers_file)
        if known.get("key") == key and page.exists():
            self.announce("re-using the report")
            return dict(known["numbers"])
        self.announce("measuring with the C++ engine, and writing the report")
        (model, *skinning), (learned, judged, walked) = models, sets
        with self._blender(character) as rig:
            numbers = report.write_body(
                page,
                [model],
                judged,
                animation=walked,
                baselines=skinning,
                training=learned,
                rig=rig,
                progress=self.progress,
            )
        write_json(numbers_file, {"key": key, "numbers": numbers})
        return numbers
