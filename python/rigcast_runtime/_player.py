"""One character and its commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import Float32, number, seed_of
from ._characters import Characters, Event, Pose
from ._library import bad_argument, call
from ._play_settings import PlaySettings
from ._script import Script


class Player(Characters):
    """One character: it idles, moves, makes transitions, and plays clips, without end.

    A particle wanders around a path through the latent space of one label (Bailey 2020, section 5.5); commands make
    the path. Without any command it stays at the pose where it begins.

    Parameters
    ----------
    synth : Synthesizer
        Its :meth:`Synthesizer.player` makes one.
    seed : int
        Same seed, commands and steps: same bytes, on one machine.
    script : Script, optional
        Commands with times.
    label : str, optional
        Where it begins; default the first.
    settings : PlaySettings, optional
        How it moves, its layers (blinks, gaze, sway), how labels are joined, and threads.

    Raises
    ------
    ValueError
        If an argument is not as it must be, or the script names what is not there.
    """

    def __init__(
        self,
        synth: Any,
        seed: int = 0,
        script: Script | None = None,
        *,
        label: str | None = None,
        settings: PlaySettings | None = None,
    ) -> None:
        own = np.array([seed_of("Player", seed)], np.uint64)
        super().__init__("Player", synth, own, label, [script], settings)
        self.script = script

    def idle(
        self,
        label: str,
        poses: Sequence[Pose] | None = None,
        *,
        hold: float | None = None,
        along: str = "data",
        later: bool = False,
    ) -> None:
        """Wander from pose to pose of a label, and hover at each.

        Parameters
        ----------
        label : str
            Reached by :meth:`transition` if it is another.
        poses : list of (clip, frame) or latent points, optional
            By default all training frames, at random.
        hold : float, optional
            Seconds at each.
        along : {"data", "straight"}
            The shortest path through training points, or the straight line.
        later : bool
            After the commands before it, which end by themselves; an idle before it ends at once.

        Raises
        ------
        ValueError
        """
        self._tell("idle", label, {"poses": poses, "hold": hold, "along": along}, later, None)

    def move(self, label: str, to: Pose, *, along: str = "data", later: bool = False) -> None:
        """Move to a pose, (clip, frame) or a latent point, and stay around it. Others are those of :meth:`idle`."""
        self._tell("move", label, {"to": to, "along": along}, later, None)

    def transition(self, label: str, *, later: bool = False) -> None:
        """Move to the nearest matching point of another label, through others where there is none, and stay there."""
        self._tell("transition", label, {}, later, None)

    def play(
        self, label: str, segment: str | int = 0, begin: int = 0, end: int | None = None, *, later: bool = False
    ) -> None:
        """Move to the beginning of a clip, or of some of its frames, play them exactly, and stay where they end."""
        self._tell("play", label, {"segment": segment, "begin": begin, "end": end}, later, None)

    def step(self, frames: int, *, without: Sequence[str] = ()) -> Float32:
        """The next frames.

        Parameters
        ----------
        frames : int
        without : sequence of str
            Names of layers to leave out.

        Returns
        -------
        (frames, N) float32
            Controls, inside the limits.

        Raises
        ------
        ValueError
        """
        controls: Float32 = self._step(frames, without, 1)[0]
        return controls

    def render(self, seconds: float | None = None, *, without: Sequence[str] = ()) -> Float32:
        """The next seconds, as :meth:`step`; by default as long as the script is."""
        if seconds is None:
            if self.script is None or self.script.seconds is None:
                raise bad_argument("Player.render", "seconds", "None", "given, since no script says it")
            seconds = self.script.seconds
        return self.step(
            round(number("Player.render", "seconds", seconds, least=0.0) * self._synth.fps), without=without
        )

    @property
    def frame(self) -> int:
        """Frames that were played."""
        return self._where(0)[0]

    @property
    def seconds(self) -> float:
        """Seconds that were played."""
        return float(self.frame / self._synth.fps)

    @property
    def label(self) -> str:
        """The label at which the character is."""
        return self._where(0)[1]

    @property
    def seed(self) -> int:
        """Decides all that is random."""
        return self._where(0)[2]

    @property
    def events(self) -> list[Event]:
        """Commands, notes, and of each second command, label, nearest clip frame with its distance, and variance.

        All commands and notes; seconds of the last hour, and none from before :meth:`restore`.
        """
        return self._events(0)

    def state(self) -> str:
        """All that decides the next frames, as JSON: :meth:`restore` goes on with the same bytes."""
        return self._text("player_state", 0)

    def restore(self, state: str) -> None:
        """Go on from a :meth:`state` of a player of the same synthesizer, script, layers and settings.

        Raises
        ------
        ValueError
            If it is no such state; the player is then as before.
        """
        if not isinstance(state, str):
            raise bad_argument("Player.restore", "state", f"a {type(state).__name__}", "what Player.state gave")
        content = state.encode("utf-8", "replace")
        call("player_restore", self._handle.pointer, 0, content, len(content))

    def __repr__(self) -> str:
        return f"<rigcast_runtime.Player: {self.label}, {self.seconds:.1f} s, seed {self.seed}>"
