"""Files that are dropped into the page of ``rigcast view``: characters take its place, motions play on it."""

from __future__ import annotations

import argparse
import contextlib
import contextvars
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigcast._core import BlendshapeRig
from rigcast._formats.npz.archive import member_names
from rigcast._formats.readers import suffix_of
from rigcast._formats.registry import FACE, MODEL, MOTION, RIG, USD, WEIGHTS, readers, takers
from rigcast._validate import FPS
from rigcast.cli import _dispatch as dispatch
from rigcast.cli._console import Console
from rigcast.cli._inputs.clips import program_for, weight_clips
from rigcast.cli._inputs.model_motion import MotionMapping, motion_of
from rigcast.cli._inputs.motion import animation_channels
from rigcast.cli._result import WrongInput
from rigcast.errors import SourceError
from rigcast.sources._motions import is_motion, opened_motion
from rigcast.viewer._admission import is_loopback
from rigcast.viewer._figures._model import ModelFigure
from rigcast.viewer._figures._rig import RigFigure
from rigcast.viewer._playing._clips import Clip, ReadClip
from rigcast.viewer._playing._transport import OWN_MOTION
from rigcast.viewer._received._opening import DroppedFile, Opened, ShownView
from rigcast.viewer._stage import Stage

CHARACTERS = {*readers(RIG), *readers(FACE), *readers(MODEL)}
MOTIONS = {*readers(MOTION), *readers(WEIGHTS), ".npy"}
BY_PROGRAMS = {*takers(RIG, "blender"), *takers(MOTION, "blender")}
MOVING = {"poses", "channels", "weights"}  # arrays of archives
MESHES = (".obj", ".ply")
ARRAYS = (".npz", ".npy")
NAMING_OTHERS = (".gltf", *USD.endings)  # files that may name others
COMES_ALONE = "a dropped file comes alone: rigcast view opens it with those beside it"
Figure = ModelFigure | RigFigure
#: the stage of a file as the command shows it alone; what it opens is closed by the stack
ShowAlone = Callable[[Path, contextlib.ExitStack, Console], Stage]


class DroppedFiles:
    """Opens what is dropped into the page, as the command opens its FILE and ``--motion``.

    Parameters
    ----------
    args : Namespace
        Of the command: what it says of motions holds for dropped ones, too.
    console : Console
    shown : ExitStack
        Closes what is shown when another character has taken its place.
    show_alone : callable
    """

    def __init__(
        self, args: argparse.Namespace, console: Console, shown: contextlib.ExitStack, show_alone: ShowAlone
    ) -> None:
        self._args, self._console, self._shown, self._show_alone = args, console, shown, show_alone
        self._is_remote = not is_loopback(args.host)

    def refusal(self, name: str, as_motion: bool) -> str:
        """The reason why files of a name are not opened; empty for those that are tried.

        Whoever has the address can drop files: if other machines can, none starts a program here, or reads other files.
        """
        suffix = suffix_of(name)
        if name.lower().endswith(".gz") and suffix != ".bvh":
            return "of compressed files, .bvh.gz alone is opened"
        if suffix in MESHES:
            return "the view takes no single meshes: rigcast solve fits a face to them"
        if suffix not in CHARACTERS | MOTIONS:
            return "it is neither a character nor a motion that rigcast view opens"
        if as_motion and suffix not in MOTIONS:
            return f"{suffix} files hold no motion; without Shift it is opened as a character"
        if self._is_remote and suffix in BY_PROGRAMS:
            return f"{suffix} files start Blender here, which a view that other machines reach (--host) does not"
        if self._is_remote and suffix in USD.endings:
            return "a stage may name other files of this machine, which a view that others reach (--host) does not read"
        return ""

    def open(self, file: DroppedFile, view: ShownView) -> Opened:
        """Open a file: as a character if it holds one, unless it is wanted as a motion.

        Raises
        ------
        ValueError
            If it is none of both, does not fit what is shown, or a character was dropped with it.
        """
        heard = HeardConsole(self._console)
        try:
            with dispatch.noted(heard):
                is_character = not file.as_motion and self._shows(file, view, heard)
                if not is_character:
                    self._plays(file.path, view, heard)
        except ValueError as error:
            if isinstance(error, WrongInput) or suffix_of(file.path) not in NAMING_OTHERS:
                raise
            raise WrongInput(f"{error}; {COMES_ALONE}") from error
        return Opened(is_character, tuple(heard.lines))

    def close(self) -> None:
        """Close what is shown."""
        self._shown.close()

    def _shows(self, file: DroppedFile, view: ShownView, console: HeardConsole) -> bool:
        """Show a character; returns false for a file that holds motion alone."""
        suffix = suffix_of(file.path)
        if suffix not in CHARACTERS or (suffix == ".npz" and _is_moving(file.path)):
            return False
        with contextlib.ExitStack() as opened:
            try:
                stage = self._show_alone(file.path, opened, console)
            except (ValueError, SourceError):
                if not self._has_motion(file.path):
                    raise
                return False
            if not file.is_alone:
                raise WrongInput("of several characters the first is shown; drop it alone")
            if note := view.show(stage):
                console.line(f"note: {note}")
            before, self._shown = self._shown, opened.pop_all()
        self._args = argparse.Namespace(**vars(self._args) | ABOUT_ANOTHER)
        view.on_stage(lambda _: None)  # a frame of the one before that was begun is made first
        try:
            before.close()
        except Exception as error:  # noqa: BLE001  of whatever program evaluated it: the new one is shown
            console.line(f"note: what was shown before did not end as it should: {error}")
        return True

    def _plays(self, path: Path, view: ShownView, console: HeardConsole) -> None:
        """Play a motion on what is shown."""
        figure, is_fixed = view.on_stage(lambda stage: (stage.figure, stage.transport.has_own_motion))
        if is_fixed:
            raise WrongInput(OWN_MOTION)
        clips = self._clips(path, figure, console)
        first, read = next(iter(clips.items()))
        notes_heard = contextvars.copy_context()
        # A rig's own program does one thing at a time: between two frames.
        clip = view.on_stage(lambda _: notes_heard.run(read)) if isinstance(figure, RigFigure) else read()
        for note in clip.notes:
            console.line(f"note: {note}")
        told = Clip(clip.channels, clip.poses, clip.fps, (), clip.head)
        view.join({**clips, first: lambda: told})

    def _clips(self, path: Path, figure: Figure, console: Console) -> dict[str, ReadClip]:
        """The clips of a file by the names that the page lists."""
        read = functools.partial(self._read, path, figure, console)
        is_face = isinstance(figure, ModelFigure) and isinstance(figure.model, BlendshapeRig)
        suffix = suffix_of(path)
        if suffix == ".csv" and not is_face:
            raise WrongInput("its weights move a face, and this character is none")
        if suffix in ARRAYS and isinstance(figure, RigFigure):
            raise WrongInput(f"{suffix} files play on models; a rig plays motion of joints")
        names = weight_clips(path) if is_face else self._motions(path)
        if not names and not is_face and is_motion(path):
            raise WrongInput("it holds no motion of joints")
        if len(names) < 2:
            return {path.name: functools.partial(read, names[0] if names else None)}
        return {f"{path.name}: {name}": functools.partial(read, name) for name in names}

    def _motions(self, path: Path) -> list[str]:
        """Names of the clips of joints that a file holds, if it is of a format that may hold some."""
        if not is_motion(path):
            return []
        return list(opened_motion(path, blender=program_for(path, self._args.blender)).clips)

    def _has_motion(self, path: Path) -> bool:
        with contextlib.suppress(ValueError, SourceError):
            return bool(self._motions(path))
        return False

    def _read(self, path: Path, figure: Figure, console: Console, name: str | None) -> Clip:
        """A clip, at its own rate."""
        if isinstance(figure, ModelFigure):
            found = motion_of(figure.model, path, MotionMapping.of(self._args), name, self._args.fps)
            head = None if self._args.still_head else found.head
            return Clip(None, found.poses, found.fps or self._args.fps or FPS, found.notes, head)
        given = argparse.Namespace(**vars(self._args) | {"clip": name})
        played = animation_channels(path, given, figure.rig, console)
        return Clip(played.channels, None, round(played.fps or FPS, 6))  # of a time per frame that has few digits


ABOUT_ANOTHER: dict[str, Any] = {"joint_map": None, "allow_frozen": False, "rest_frame": None}


class HeardConsole(Console):
    """A console whose lines are kept, for the page, and printed by another one."""

    def __init__(self, console: Console) -> None:
        super().__init__(console.quiet)
        self.lines: list[str] = []
        self._console = console

    def line(self, text: str = "", indent: int | None = None) -> None:
        """Keep a line, and print it."""
        self.lines.append(text.removeprefix("note: "))
        self._console.line(text, indent)


def _is_moving(path: Path) -> bool:
    """True if an archive holds motion and no character."""
    names = set(member_names(path, "view"))
    return bool(names & MOVING) and "neutral" not in names
