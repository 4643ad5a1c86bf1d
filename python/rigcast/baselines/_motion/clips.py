"""The clips of a synthesizer, frame after frame, for players that show nothing else."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import ControlMixer
from rigcast._validate import MOST_FRAMES, Arguments, bad_argument, shown
from rigcast.synthesis import Synthesizer

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


class ClipFrames:
    """All frames of all clips.

    Attributes
    ----------
    synth : Synthesizer
    frames : (T, N) float32
        Controls.
    features : (T, R) float64
        Distances between rows are those of the meshes, in the rig's unit.
    clip, label : (T,) int
        Clip, and index of its label.
    mixer : ControlMixer
    """

    def __init__(self, function: str, synth: Any) -> None:
        if not isinstance(synth, Synthesizer):
            expected = "a Synthesizer: its clips are what is played"
            raise bad_argument(function, "synth", f"a {type(synth).__name__}", expected)
        self.synth: Synthesizer = synth
        spaces = [synth.space(label) for label in synth.labels]
        self.frames: Float32 = np.concatenate([space.frames for space in spaces])
        self.features = synth.mesh_features(self.frames)
        lengths = [len(segment) for space in spaces for segment in space.segments]
        labels = [place for place, space in enumerate(spaces) for _ in space.segments]
        self.clip = np.repeat(np.arange(len(lengths)), lengths)
        self.label = np.repeat(np.array(labels), lengths)
        self.mixer = ControlMixer(synth.rotations, list(synth.rotation_orders), synth.limits)

    def __len__(self) -> int:
        return len(self.frames)

    def label_index(self, function: str, label: object) -> int:
        """Index of a label."""
        if label not in self.synth.labels:
            raise bad_argument(function, "label", shown(label), f"one of {', '.join(self.synth.labels)}")
        return self.synth.labels.index(str(label))

    def drawn_row(
        self, function: str, rows: NDArray[np.intp], label: str | None, seed: object, expected: str
    ) -> tuple[int, int]:
        """A row at random among ``rows``, those of a label if it is given, and the checked seed.

        ``expected`` says which labels have such rows.
        """
        check = Arguments(function)
        number = check.whole("seed", seed)
        if label is not None:
            rows = rows[self.label[rows] == self.label_index(function, label)]
        if not len(rows):
            raise check.wrong("label", f"{label!r}, without such a frame", expected)
        return int(rows[np.random.default_rng(number).integers(len(rows))]), number

    def threshold(self) -> float:
        """Distance in the rig's unit up to which poses count as alike: that of the synthesizer's bridges."""
        return float(self.synth.threshold / (1e3 * self.synth.meters_per_unit))

    def __reduce__(self) -> tuple[type, tuple[str, Synthesizer]]:
        """For pickle and copy: the synthesizer, whose clips they are."""
        return type(self), ("clips", self.synth)


class ClipPlayer:
    """A player that shows frames of clips, and mixtures of two.

    ``row`` is the frame that was shown last; a kind of player says in :meth:`_advance` what comes next.
    """

    def __init__(self, function: str, clips: ClipFrames, seed: int, row: int) -> None:
        self._clips, self._function = clips, function
        self._rng = np.random.default_rng(Arguments(function).whole("seed", seed))
        self.row = row
        self.frame = 0
        self._waiting: deque[Float32] = deque()
        self._wanted = int(clips.label[row])

    @property
    def label(self) -> str:
        """Label of the frame that is shown."""
        return self._clips.synth.labels[int(self._clips.label[self.row])]

    def idle(self, label: str) -> None:
        """Go to a label, and stay there."""
        self._wanted = self._clips.label_index(f"{self._function}.idle", label)

    def transition(self, label: str) -> None:
        """The same as :meth:`idle`: these players never rest."""
        self.idle(label)

    def step(self, frames: int) -> Float32:
        """The next controls (frames, N)."""
        count = Arguments(f"{self._function}.step").whole("frames", frames, most=MOST_FRAMES)
        while len(self._waiting) < count:
            self._waiting.extend(np.asarray(row, np.float32) for row in self._advance())
        self.frame += count
        rows = [self._waiting.popleft() for _ in range(count)]
        return np.array(rows, np.float32).reshape(count, self._clips.frames.shape[1])

    def _advance(self) -> Iterable[Float32]:
        """The next rows, one at least; moves ``row``."""
        raise NotImplementedError
