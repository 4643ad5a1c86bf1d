"""Scripts: timed commands, in JSON."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from numpy.typing import ArrayLike

from rigcast._core import PlayCommand
from rigcast._safe_reading import errors_naming, read_settings
from rigcast._shown import counted, one_line
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.errors import ArgumentError
from rigcast.synthesis._playing import commands
from rigcast.synthesis._playing.commands import Pose
from rigcast.synthesis._playing.playable import Playable

MOST_BYTES = 16 << 20
LONGEST = 1e6  # seconds
FIELDS = {
    "idle": {"poses", "hold", "along"},
    "move": {"to", "along"},
    "transition": set(),
    "play": {"segment", "begin", "end"},
}


Entry = str | float | Sequence[Pose] | ArrayLike | None  # of a command


@one_line
class Script:
    """Commands with times.

    Parameters
    ----------
    commands : sequence of mappings
        Each with ``at`` (seconds), ``command`` (``"idle"``, ``"move"``, ``"transition"`` or ``"play"``), ``label``, and
        the arguments of that method of :class:`Player`. In the order of their times.
    seconds : float, optional
        Length of the whole.

    Raises
    ------
    ValueError
        Naming the command and its field. Labels and clips are checked by the player.

    Examples
    --------
    >>> script = rc.synthesis.Script([
    ...     {"at": 0, "command": "idle", "label": "happy", "hold": 2},
    ...     {"at": 5, "command": "transition", "label": "bored"},
    ... ], seconds=10)
    >>> script.seconds, len(script)
    (10.0, 2)
    """

    def __init__(self, commands: Sequence[Mapping[str, Entry]], seconds: float | None = None) -> None:
        check = Arguments("Script")
        if isinstance(commands, str | bytes | Mapping) or not isinstance(commands, Sequence):
            raise check.wrong("commands", f"a {type(commands).__name__}", "a list of commands")
        self.commands = [self._checked(check, f"commands[{i}]", given) for i, given in enumerate(commands)]
        times = [float(command["at"]) for command in self.commands]
        for i, (before, after) in enumerate(pairwise(times)):
            if after < before:
                raise check.wrong(f"commands[{i + 1}].at", f"{after:g}", f"at least {before:g}, that of the one before")
        last = times[-1] if times else 0.0
        self.seconds = None if seconds is None else check.number("seconds", seconds, least=last, most=LONGEST)

    def __len__(self) -> int:
        return len(self.commands)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Script:
        """Read ``{"commands": [...], "seconds": 10}`` from a JSON file.

        Raises
        ------
        ValueError
            If it is no such file.
        FileNotFoundError
        """
        content = read_settings("Script.load", "path", path, "a script", MOST_BYTES)
        unknown = sorted(set(content) - {"commands", "seconds"}) if isinstance(content, dict) else []
        if not isinstance(content, dict) or "commands" not in content or unknown:
            got = f"{str(path)!r}, with {unknown[0]!r}" if unknown else f"{str(path)!r}, without commands"
            raise bad_argument("Script.load", "path", got, 'an object with "commands", and perhaps "seconds"', path)
        with errors_naming(path):
            return cls(content["commands"], content.get("seconds"))

    def schedule(self, synth: Playable) -> list[tuple[int, PlayCommand]]:
        """Frames and checked commands."""
        found = []
        for i, given in enumerate(self.commands):
            try:
                command = self._command(synth, given)
            except ArgumentError as error:
                place = f"commands[{i}]: {error.function}: {error.argument}"
                raise bad_argument("Script", place, error.got, error.expected) from None
            found.append((round(given["at"] * synth.fps), command))
        return found

    @staticmethod
    def _command(synth: Playable, given: Mapping[str, Any]) -> PlayCommand:
        name, label = given["command"], given["label"]
        if name == "idle":
            poses, hold = given.get("poses"), given.get("hold")
            return commands.idle(synth, label, poses, hold, given.get("along", "data"))
        if name == "move":
            return commands.move(synth, label, given["to"], given.get("along", "data"))
        if name == "transition":
            return commands.transition(synth, label)
        return commands.play(synth, label, given["segment"], given.get("begin", 0), given.get("end"))

    @staticmethod
    def _checked(check: Arguments, where: str, given: object) -> dict[str, Any]:
        if not isinstance(given, Mapping):
            raise check.wrong(where, f"a {type(given).__name__}", "an object")
        name = given.get("command")
        if not isinstance(name, str) or name not in FIELDS:
            raise check.wrong(f"{where}.command", shown(name), f"one of {', '.join(FIELDS)}")
        for key in given:
            if key not in FIELDS[name] | {"at", "command", "label"}:
                raise check.wrong(f"{where}.{key}", "no argument", f"one of {', '.join(sorted(FIELDS[name]))}")
        for key in ["at", "label", *({"move": ["to"], "play": ["segment"]}.get(name, []))]:
            if key not in given:
                raise check.wrong(f"{where}.{key}", "missing", "given")
        check.number(f"{where}.at", given["at"], least=0.0, most=LONGEST)
        return dict(given)

    def _facts(self) -> list[str]:
        length = "" if self.seconds is None else f"{self.seconds:g} s"
        return [counted(len(self.commands), "command", "commands"), length]
