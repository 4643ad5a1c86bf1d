"""What a command is made of."""

from __future__ import annotations

from typing import Any

from rigcast.synthesis._playing.commands import Command
from rigcast.synthesis._playing.simulate import Stage

Task = dict[str, Any]

CLOSE = 0.35  # of the usual radius: the ball before a join to a clip


def tasks_of(stage: Stage, command: Command) -> list[Task]:
    """Tasks of a command, in their order."""
    arguments, settings = command.arguments, stage.settings
    enter: Task = {"do": "enter", "label": command.label}
    if command.name == "transition":
        return [enter]
    if command.name == "move":
        return [enter, {"do": "go", "to": arguments["to"], "along": arguments["along"]}]
    if command.name == "play":
        start = stage.grounds[command.label].points[arguments["begin"]].tolist()
        close: Task = {"do": "hold", "frames": settings.settle, "share": CLOSE}
        clip: Task = {"do": "clip", "begin": arguments["begin"], "end": arguments["end"]}
        go: Task = {"do": "go", "to": start, "along": "data"}
        return [enter, go, close, {"do": "join", "begin": arguments["begin"]}, clip]
    hold = settings.hold if arguments["hold"] is None else arguments["hold"]
    frames = round(hold * stage.synth.fps)
    visit = {"poses": arguments["poses"], "frames": frames, "along": arguments["along"], "visited": 0, "order": 0}
    return [enter, {"do": "wander", **visit}]
