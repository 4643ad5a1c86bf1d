"""The lines of a Biovision hierarchy file, read one after another: joints, channels and rows of numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.rotations import AXES
from rigcast._validate import RATES, bad_argument

CHANNELS = tuple(f"{axis}{kind}" for kind in ("position", "rotation") for axis in AXES)
SPELLED = re.compile(r"^(?:frames\s*:|frame\s*time\s*:|end\s*site\b)", re.IGNORECASE)
LONGEST_FRAME = 1.0  # seconds: beyond, the number is likely to be a rate


@dataclass
class BvhJoint:
    """One joint: ``channels`` as in the file (``Xposition`` ...), ``column`` the first of them in a frame."""

    name: str
    parent: int
    offset: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    channels: list[str] = field(default_factory=list)
    column: int = 0


class BvhParser:
    """Reads the file line by line; ``joints`` and ``end_sites`` fill up on the way."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        spread = text.replace("{", "\n{\n").replace("}", "\n}\n")
        lines = (line.strip() for line in spread.splitlines())
        self.lines = [SPELLED.sub(_spelled, line) for line in lines if line and not line.startswith(("#", "//"))]
        self.next = 0
        self.joints: list[BvhJoint] = []
        self.names: set[str] = set()
        self.end_sites: list[tuple[int, NDArray[np.float64]]] = []
        self.columns = 0
        self.notes: list[str] = []

    def fail(self, expected: str) -> ValueError:
        got = repr(self.lines[self.next][:60]) if self.next < len(self.lines) else "the end of the file"
        return bad_argument(
            "load_bvh",
            "path",
            f"{self.path}: {got} (line {self.next + 1} that is not blank)",
            expected,
            self.path,
        )

    def take(self, keyword: str) -> str:
        """The rest of the next line after ``keyword``."""
        if self.next >= len(self.lines) or not self.lines[self.next].upper().startswith(keyword):
            raise self.fail(f"{keyword} here")
        rest = self.lines[self.next][len(keyword) :].strip()
        self.next += 1
        return rest

    def numbers(self, text: str, count: int) -> NDArray[np.float64]:
        try:
            values = np.array(text.split(), np.float64)
        except ValueError:
            values = np.empty(0)
        if len(values) != count or not np.isfinite(values).all():
            self.next -= 1
            raise self.fail(f"{count} finite numbers here")
        return values

    def hierarchy(self) -> None:
        self.take("HIERARCHY")
        stack: list[int] = []  # open joints; -1 marks an open end site
        while self.next < len(self.lines) and not self.lines[self.next].upper().startswith("MOTION"):
            word = self.lines[self.next].split()[0].upper()
            if word == "ROOT" or word == "JOINT":
                self.open_joint(word, stack)
            elif word == "END" and stack and stack[-1] >= 0:
                self.take("END")
                self.take("{")
                self.end_sites.append((stack[-1], self.numbers(self.take("OFFSET"), 3)))
                self.take("}")
            elif word == "OFFSET" and stack:
                self.joints[stack[-1]].offset = self.numbers(self.take("OFFSET"), 3)
            elif word == "CHANNELS" and stack:
                self.read_channels(self.joints[stack[-1]])
            elif word == "}" and stack:
                self.take("}")
                stack.pop()
            else:
                raise self.fail("a line of a joint, its end, or MOTION")
        if stack or not self.joints:
            raise self.fail("a hierarchy with at least one joint whose braces are closed")

    def open_joint(self, word: str, stack: list[int]) -> None:
        if (word == "ROOT") != (not stack):
            raise self.fail("ROOT at the top and JOINT inside")
        name = self.take(word)
        if not name:
            self.next -= 1
            raise self.fail("a joint name")
        if name in self.names:
            own = f"{name}#{len(self.joints)}"
            while own in self.names:
                own += "#"
            self.notes.append(f"two joints are named {name!r}: the later one is {own!r} here")
            name = own
        self.names.add(name)
        self.take("{")
        self.joints.append(BvhJoint(name, stack[-1] if stack else -1))
        stack.append(len(self.joints) - 1)

    def read_channels(self, joint: BvhJoint) -> None:
        words = self.take("CHANNELS").split()
        names = [word.capitalize() for word in words[1:]]
        if (
            joint.channels
            or words[:1] != [str(len(names))]
            or set(names) - set(CHANNELS)
            or len(set(names)) != len(names)
        ):
            self.next -= 1
            raise self.fail(
                f"one CHANNELS line per joint: a count and as many different names of {', '.join(CHANNELS)}"
            )
        joint.channels, joint.column = names, self.columns
        self.columns += len(names)

    def motion(self) -> tuple[float, NDArray[np.float64]]:
        self.take("MOTION")
        count = self.take("FRAMES:")
        frame_time = float(self.numbers(self.take("FRAME TIME:"), 1)[0])
        rows = self.lines[self.next :]
        if (
            not count.isdecimal()
            or len(count) > 9
            or not RATES["least"] <= 1.0 / (frame_time or np.inf) <= RATES["most"]
        ):
            shortest, longest = 1.0 / RATES["most"], 1.0 / RATES["least"]
            raise self.fail(f"a number of frames and a frame time of {shortest:g} to {longest:g} seconds before")
        try:
            values = np.array(" ".join(rows).split(), np.float64)
        except ValueError:
            raise self.fail("numbers only from here on") from None
        if frame_time > LONGEST_FRAME:
            self.notes.append(f"a frame takes {frame_time:g} s by the header: is a rate of {frame_time:g} meant?")
        if rows and self.columns:
            values = self.own_values(values, [len(row.split()) for row in rows], int(count))
        return frame_time, self.whole_frames(values, int(count))

    def own_values(self, values: NDArray[np.float64], lengths: list[int], count: int) -> NDArray[np.float64]:
        """The first values of each row, as many as the joints have channels, if no row has fewer.

        Rows that make up the frames of the header together are wrapped: all values count.
        """
        if min(lengths) < self.columns or max(lengths) == self.columns or sum(lengths) == count * self.columns:
            return values
        over = max(lengths) - self.columns
        self.notes.append(f"rows have up to {over} {'values' if over > 1 else 'value'} more than channels: left out")
        starts = np.cumsum([0, *lengths[:-1]])
        return np.asarray(values[(starts[:, None] + np.arange(self.columns)).reshape(-1)])

    def whole_frames(self, values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
        """The frames (T, columns) that there are; other programs play them whatever the header says."""
        found = values.size // max(self.columns, 1)
        expected = f"{count} frames of {self.columns} finite values"
        if (found == 0 and count > 0) or (self.columns == 0 and values.size) or not np.isfinite(values).all():
            raise bad_argument("load_bvh", "path", f"{self.path}: {values.size} values", expected, self.path)
        over = values.size - found * self.columns
        if self.columns and (found != count or over):
            left = f" and {over} values of another" if over else ""
            self.notes.append(f"the header says {count} frames, the file holds {found}{left}: whole frames are used")
        frames = found if self.columns else count
        return values[: values.size - over].reshape(frames, self.columns)


def _spelled(match: re.Match[str]) -> str:
    return {"frames": "FRAMES:", "frametime": "FRAME TIME:", "endsite": "End Site"}[
        re.sub(r"[\s:]", "", match[0].lower())
    ]
