"""The stage of a synthesizer: it plays, sliders and drags add a layer, the page requests labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rigcast._validate import Arguments, bad_argument
from rigcast.synthesis import Synthesizer
from rigcast.viewer._acting._moods import moods_of
from rigcast.viewer._acting._take import Take, columns_of
from rigcast.viewer._figures._figure import State
from rigcast.viewer._figures._model import ModelFigure, RecordedFigure
from rigcast.viewer._figures._opening import figure_of
from rigcast.viewer._figures._rig import RigFigure
from rigcast.viewer._handles._limbs import limb_handles
from rigcast.viewer._history import History
from rigcast.viewer._protocol import Refused
from rigcast.viewer._stage import Stage

MOST_SEED = 2**31 - 1  # what a page can send exactly, and a number field can hold


class ActingStage(Stage):
    """Plays a synthesizer. What is set by hand is a constant layer on top of what it plays.

    Parameters
    ----------
    synth : Synthesizer
        With its rig.
    beside : ModelFigure, RigFigure or RecordedFigure, optional
    seed : int
    moods : mapping from mood to label, optional
        Of the game: see :func:`moods_of`.

    Raises
    ------
    ValueError
        If the synthesizer was loaded without a rig, its rig has channels of other names in the view, or a mood or label
        is none.
    """

    timeline: Take

    def __init__(
        self,
        synth: Synthesizer,
        beside: ModelFigure | RigFigure | RecordedFigure | None = None,
        *,
        seed: int = 0,
        moods: Mapping[str, str] | None = None,
    ) -> None:
        if synth.rig is None:
            raise bad_argument("view", "model", "a synthesizer without its rig", "rc.synthesis.load(path, rig)")
        figure = figure_of(synth.rig)
        columns = columns_of(synth.control_names, [slider.name for slider in figure.sliders])
        if columns is None:
            got = "a synthesizer whose controls are no sliders of its rig"
            raise bad_argument("view", "model", got, "one of a rig, or of a model that states its channels")
        number = Arguments("view").whole("seed", seed, most=MOST_SEED)
        self.labels, self.moods = list(synth.labels), moods_of(synth.labels, moods)
        rest = np.array([slider.rest for slider in figure.sliders], np.float32)
        limbs = limb_handles(figure)
        super().__init__(figure, beside, Take(synth, columns, rest, number), [] if limbs is None else [limbs])
        self.history = History(State(self.timeline.layer))
        self.timeline.play(True, 0.0)

    def stand(self, state: State) -> None:
        """Show an edited state: what it changes goes to the layer."""
        self._keep_changes(state)
        super().stand(state)

    def resting(self) -> Any:
        """The pose that plays, without the layer."""
        return self.within(self.timeline.base(self.timeline.frame))

    def commit(self) -> None:
        """Remember the layer."""
        self._keep_changes(self.state)
        self.history.commit(State(self.timeline.layer))

    def restore(self, state: State) -> None:
        """Take a layer that was remembered."""
        self.timeline.layer = state.row
        self.go_to_timeline()

    def request(self, label: str) -> None:
        """Idle at a label from now on, or refuse one that is none."""
        if label not in self.labels:
            raise Refused(f"there is no label {label[:40]!r}: {', '.join(self.labels)}")
        self.timeline.request(label)

    def restart(self, seed: int) -> None:
        """Begin again with a seed, at the label that was requested last."""
        if seed > MOST_SEED:
            raise Refused(f"seed {seed} is above {MOST_SEED}")
        self.timeline.restart(seed, self.timeline.requested)
        self.go_to_timeline()

    def acting(self) -> dict[str, Any]:
        """The label at which the character is, the one to which it goes, and the seed."""
        return {"label": self.timeline.label, "requested": self.timeline.requested, "seed": self.timeline.seed}

    def scene_facts(self) -> dict[str, Any]:
        """Labels for buttons, and those of the game's moods."""
        return {**super().scene_facts(), "labels": self.labels, "moods": self.moods}

    def _keep_changes(self, state: State) -> None:
        timeline = self.timeline
        base = timeline.base(timeline.frame)
        changed = state.row != self.within(base + timeline.layer)
        timeline.layer = np.where(changed, state.row - base, timeline.layer).astype(np.float32)

    def go_to_timeline(self) -> None:
        """Stand as the player says, with the layer on top."""
        self._let_go()
        super().stand(State(self.within(self.timeline.row(self.timeline.frame))))
