"""Scripts: timed commands, in JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._arrays import number
from ._library import FileError, bad_argument

MOST_BYTES = 16 << 20
LONGEST = 1e6  # seconds
FIELDS = {
    "idle": {"poses", "hold", "along"},
    "move": {"to", "along"},
    "transition": set(),
    "play": {"segment", "begin", "end"},
}


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
    """

    def __init__(self, commands: Sequence[Mapping[str, Any]], seconds: float | None = None) -> None:
        if isinstance(commands, (str, bytes, Mapping)) or not isinstance(commands, Sequence):
            raise bad_argument("Script", "commands", f"a {type(commands).__name__}", "a list of commands")
        self.commands = [_checked(f"commands[{i}]", given) for i, given in enumerate(commands)]
        times = [float(command["at"]) for command in self.commands]
        for i in range(1, len(times)):
            if times[i] < times[i - 1]:
                expected = f"at least {times[i - 1]:g}, that of the one before"
                raise bad_argument("Script", f"commands[{i}].at", f"{times[i]:g}", expected)
        last = times[-1] if times else 0.0
        self.seconds = None if seconds is None else number("Script", "seconds", seconds, least=last)

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
        if Path(path).stat().st_size > MOST_BYTES:
            raise FileError(f"Script.load: path is {str(path)!r}, of more bytes; it must be at most {MOST_BYTES}")
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise FileError(f"Script.load: path is {str(path)!r}, no JSON ({error}); it must be a script") from None
        known = isinstance(content, dict) and "commands" in content and set(content) <= {"commands", "seconds"}
        if not known:
            expected = 'an object with "commands", and perhaps "seconds"'
            raise FileError(f"Script.load: path is {str(path)!r}, something else; it must be {expected}")
        return cls(content["commands"], content.get("seconds"))


def _checked(where: str, given: object) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise bad_argument("Script", where, f"a {type(given).__name__}", "an object")
    name = given.get("command")
    if not isinstance(name, str) or name not in FIELDS:
        raise bad_argument("Script", f"{where}.command", repr(name), f"one of {', '.join(FIELDS)}")
    for key in given:
        if key not in FIELDS[name] | {"at", "command", "label"}:
            expected = f"one of {', '.join(sorted(FIELDS[name]))}"
            raise bad_argument("Script", f"{where}.{key}", "no argument", expected)
    for key in ["at", "label", *({"move": ["to"], "play": ["segment"]}.get(name, []))]:
        if key not in given:
            raise bad_argument("Script", f"{where}.{key}", "missing", "given")
    if not isinstance(given["label"], str):
        raise bad_argument("Script", f"{where}.label", repr(given["label"]), "a label")
    if number("Script", f"{where}.at", given["at"], least=0.0) > LONGEST:
        raise bad_argument("Script", f"{where}.at", given["at"], f"at most {LONGEST:g}")
    return dict(given)
