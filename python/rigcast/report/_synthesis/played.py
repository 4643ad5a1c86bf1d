"""The motion on a synthesizer's page: transitions, idling, pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rigcast._pages import words
from rigcast._pages.gallery import Row
from rigcast.progress import Progress, ProgressCallback
from rigcast.report._synthesis import film
from rigcast.report._synthesis.races import Races, race
from rigcast.report._synthesis.worst import Idling, Moment, idling, worst_moments
from rigcast.synthesis import Synthesizer

FEWEST_SECONDS = 1.0  # of idling that can be judged
PICTURED = 3  # labels whose worst moment is drawn


@dataclass(frozen=True, eq=False)
class PlayedMotion:
    """Measured motion, and what is drawn of it; empty strings and lists where nothing was played."""

    races: Races | None
    idled: list[Idling]
    worst: list[Moment]
    transitions: str = ""
    idling: str = ""
    strips: list[Row] = field(default_factory=list)
    moments: list[Row] = field(default_factory=list)

    @property
    def limit(self) -> str:
        """The clips' limit in words."""
        return "" if self.races is None else f"{words.figure(self.races.limit)} mm per frame²"

    @property
    def pruned(self) -> str:
        """Share of the clips' frames that the motion graph throws away."""
        return "" if self.races is None else f"{100.0 * self.races.share_pruned:.0f} %"

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per player."""
        if self.races is None:
            return []
        limit = self.races.limit
        return [
            {
                "name": runner.name,
                "made": f"{len(runner.made)} of {self.races.count}",
                "within": f"{100.0 * runner.share_within(limit):.0f} %" if runner.made else "–",
                "above": f"{100.0 * runner.share_above(limit):.1f} %" if runner.made else "–",
                "peak": words.figure(max(arrival.peak for arrival in runner.made)) if runner.made else "–",
            }
            for runner in self.races.runners
        ]

    @property
    def worst_rows(self) -> list[Moment]:
        """Worst moments in words, where no pictures show them."""
        return [] if self.moments else self.worst

    def figures(self) -> dict[str, object]:
        """Numbers by name."""
        if self.races is None:
            return {}
        limit = self.races.limit
        within = {runner.name: runner.share_within(limit) for runner in self.races.runners if runner.made}
        return {"transitions_within_limit": within, "graph_pruned": self.races.share_pruned}


def play(synth: Synthesizer, transitions: int, seconds: float, progress: ProgressCallback) -> PlayedMotion:
    """Play, measure and draw."""
    from rigcast.report._synthesis import charts

    races = race(synth, transitions, progress)
    idled = idling(synth, seconds, progress) if seconds >= FEWEST_SECONDS else []
    worst = worst_moments(synth, idled, PICTURED) if idled else []
    strips: list[Row] = []
    moments: list[Row] = []
    if film.can_draw(synth) and (races is not None or worst):
        progress(Progress("drawing", 0, 0, "pictures"))
        camera = film.FilmCamera(synth)
        moments = film.moments(camera, worst)
        if races is not None:
            hardest = max(races.runners[0].made, key=lambda arrival: arrival.peak)
            strips = [*film.strips(camera, races), film.hardest(camera, hardest)]
    return PlayedMotion(
        races,
        idled,
        worst,
        "" if races is None else charts.transitions(races),
        charts.idling(synth, idled) if idled else "",
        strips,
        moments,
    )
