"""One character and its commands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigcast._core import PlayCommand
from rigcast._shown import no_pickle, one_line
from rigcast._validate import MOST_FRAMES, Arguments, bad_argument
from rigcast.synthesis._playing import commands
from rigcast.synthesis._playing.commands import Pose, checked_label
from rigcast.synthesis._playing.events import Event
from rigcast.synthesis._playing.layers import MASK
from rigcast.synthesis._playing.playable import Playable
from rigcast.synthesis._playing.script import Script
from rigcast.synthesis._playing.settings import PlaySettings
from rigcast.synthesis._playing.start import begun, layer_names

Float32 = NDArray[np.float32]
KEPT_SECONDS = 3600  # for events


@no_pickle("it has a place in its motion; pickle its Synthesizer and its seed")
@one_line
class Player:
    """One character: it idles, moves, makes transitions, and plays clips, without end.

    A particle wanders around a path through the latent space of one label (Bailey 2020, section 5.5); commands make
    the path. Without any command it stays at the pose where it begins.

    Parameters
    ----------
    synth : Synthesizer
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

    Examples
    --------
    >>> face = rc.faces.example()
    >>> t = np.linspace(0.0, 12.0, 96)[:, None]
    >>> clip = 0.3 + 0.3 * np.sin(t * np.linspace(0.5, 2.0, face.num_shapes))
    >>> size = {"dimensions": 3, "components": 6, "iterations": 20, "held_out": False}
    >>> synth = rc.synthesis.fit({"happy": [clip]}, rig=face, **size)
    >>> player = synth.player(seed=3)
    >>> player.idle("happy")
    >>> player.step(24).shape
    (24, 22)
    >>> player.label, player.seconds
    ('happy', 0.8)
    """

    def __init__(
        self,
        synth: Playable,
        seed: int = 0,
        script: Script | None = None,
        *,
        label: str | None = None,
        settings: PlaySettings | None = None,
    ) -> None:
        number = Arguments("Player").whole("seed", seed, most=MASK)
        start = synth.labels[0] if label is None else checked_label("Player", synth, label)
        self._synth, self.script = synth, script
        self._players = begun("Player", synth, [number], [start], [script], settings, KEPT_SECONDS)

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
        self._tell(commands.idle(self._synth, label, poses, hold, along), later)

    def move(self, label: str, to: Pose, *, along: str = "data", later: bool = False) -> None:
        """Move to a pose, (clip, frame) or a latent point, and stay around it. Others are those of :meth:`idle`."""
        self._tell(commands.move(self._synth, label, to, along), later)

    def transition(self, label: str, *, later: bool = False) -> None:
        """Move to the nearest matching point of another label, through others where there is none, and stay there."""
        self._tell(commands.transition(self._synth, label), later)

    def play(
        self, label: str, segment: str | int = 0, *, begin: int = 0, end: int | None = None, later: bool = False
    ) -> None:
        """Move to the beginning of a clip, or of some of its frames, play them exactly, and stay where they end."""
        self._tell(commands.play(self._synth, label, segment, begin, end), later)

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
            Controls, inside the limits: what every exporter takes.

        Raises
        ------
        ValueError
        """
        count = Arguments("Player.step").whole("frames", frames, most=MOST_FRAMES)
        controls: Float32 = self._players.step("Player.step", count, layer_names("Player.step", without))[0]
        return controls

    def render(self, seconds: float | None = None, *, without: Sequence[str] = ()) -> Float32:
        """The next seconds, as :meth:`step`; by default as long as the script is."""
        if seconds is None:
            if self.script is None or self.script.seconds is None:
                raise bad_argument("Player.render", "seconds", "None", "given, since no script says it")
            seconds = self.script.seconds
        frames = Arguments("Player.render").frames("seconds", seconds, self._synth.fps)
        return self.step(frames, without=without)

    def poses(self, frames: int, *, without: Sequence[str] = ()) -> Float32:
        """The next frames as pose rows (frames, C), what every model of the rig takes."""
        return self._synth.poses(self.step(frames, without=without))

    @property
    def frame(self) -> int:
        """Frames that were played."""
        return self._players.frame(0)

    @property
    def seconds(self) -> float:
        """Seconds that were played."""
        return self.frame / self._synth.fps

    @property
    def label(self) -> str:
        """The label at which the character is."""
        return self._players.label(0)

    @property
    def seed(self) -> int:
        """Decides all that is random."""
        return self._players.seed(0)

    @property
    def events(self) -> list[Event]:
        """Commands, notes, and of each second command, label, nearest clip frame with its distance, and variance.

        All commands and notes; seconds of the last hour, and none from before :meth:`restore`.
        """
        return [Event(*event) for event in self._players.events(0)]

    def state(self) -> str:
        """All that decides the next frames, as JSON: :meth:`restore` goes on with the same bytes."""
        return self._players.state(0)

    def restore(self, state: str) -> None:
        """Go on from a :meth:`state` of a player of the same synthesizer, script, layers and settings.

        Raises
        ------
        ValueError
            If it is no such state; the player is then as before.
        """
        if not isinstance(state, str):
            raise bad_argument("Player.restore", "state", f"a {type(state).__name__}", "what Player.state gave")
        self._players.restore("Player.restore", 0, state)

    def _tell(self, command: PlayCommand, later: bool) -> None:
        self._players.tell(command, [], bool(later))

    def __repr__(self) -> str:
        return f"<rigcast.synthesis.Player: {self.label}, {self.seconds:.1f} s, seed {self.seed}>"
