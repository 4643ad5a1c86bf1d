"""The page of a capture: its numbers in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast._pages import words
from rigcast._pages.facts import Fact, rig_facts
from rigcast._pages.gallery import Row
from rigcast._pages.template import KeyFigure, fill
from rigcast.capture import frames_to_correct
from rigcast.capture._findings import RENDERED
from rigcast.report._capture import charts
from rigcast.report._capture.captured import ON, CapturedShot
from rigcast.report._character import LiveCharacter, frame_stops, live_character
from rigcast.report._shot.charts import head as head_chart

WORST = 8  # points that are listed


def render_capture(shot: CapturedShot, rows: list[Row], name: str) -> str:
    """The HTML text."""
    return fill(
        "capture.html",
        {
            "name": words.title(name),
            "answer": _answer(shot),
            "verdicts": [RENDERED],
            "live_text": "The captured shot; a slider or a drag changes the weights of a frame, which the capture "
            "keeps. The head stays still.",
            "summary": _summary(shot),
            "key_figures": _key_figures(shot),
            "warnings": [f"{text[:1].upper()}{text[1:]}." for text in shot.found.notes],
            "shot": shot,
            "rows": rows,
            "live": _live(shot),
            "errors": charts.errors(shot),
            "curves": charts.weights(shot),
            "active": charts.active(shot),
            "by_point": charts.by_point(shot),
            "worst": worst_points(shot),
            "head": head_chart(shot.head),
            "unseen": unseen(shot),
            "groups": [("Shot", _shot_facts(shot)), ("Solution", _facts(shot)), ("Rig", rig_facts(shot.rig))],
        },
    )


def _live(shot: CapturedShot) -> LiveCharacter | str:
    means = np.where(np.isfinite(shot.errors[:, 0]), shot.errors[:, 0], -np.inf)
    order = np.argsort(means)[np.isinf(means).sum() :]
    stops = frame_stops(order, "typical", "worst")
    return live_character(stops, shot.rig, poses=shot.found.weights, fps=shot.found.fps)


def _answer(shot: CapturedShot) -> list[str]:
    """The distance of the character's points, and whether that is noise."""
    means = shot.errors[np.isfinite(shot.errors[:, 0]), 0]
    mean, worst, noise = (words.figure(float(x), 2) for x in (means.mean(), means.max(), shot.found.noise))
    first = (
        f"The character's points lie within {mean} {shot.unit} of the tracked ones on average, {worst} in the worst "
        "frame."
    )
    compared = "That is about" if means.mean() <= 2.0 * shot.found.noise else "That is more than"
    return [
        first,
        f"{compared} the noise of the tracking ({noise} along each axis). Points that fit do not say that the weights "
        "are right: look at the character.",
    ]


def _summary(shot: CapturedShot) -> str:
    frames = words.plural(len(shot.found.weights), "frame")
    used, count = len(shot.found.places.used), len(shot.found.places.vertices)
    refined = "" if shot.found.pictures is None else ", refined by the pictures"
    return (
        f"{frames} at {shot.found.fps:g} per second, solved from {used} of {count} points for the "
        f"{shot.rig.num_shapes} weights of {shot.rig.metadata.get('name') or 'the rig'}{refined}."
    )


def unseen(shot: CapturedShot) -> list[str]:
    """Sentences about what was occluded or lost."""
    lost, used = np.flatnonzero(shot.found.lost), shot.found.places.used
    said = []
    if len(lost):
        text = f"No face in {words.plural(len(lost), 'frame')} ({ranges(lost)}): weights lie between those beside them."
        said.append(text)
    hidden = (shot.tracks.certainty[~shot.found.lost][:, used] <= 0.0).mean(axis=0)
    never = [int(i) for i in used[hidden == 1.0]]
    often = [int(used[k]) for k in np.argsort(-hidden)[:WORST] if 0.0 < hidden[k] < 1.0]
    if never:
        said.append(f"{words.plural(len(never), 'point')} never seen: {', '.join(map(str, never[:20]))}.")
    if often:
        shares = [f"{i} ({100 * hidden[list(used).index(i)]:.0f}%)" for i in often]
        said.append(f"Points hidden in some frames, most often first: {', '.join(shares)}.")
    return said or ["Every point was seen in every frame."]


def ranges(frames: np.ndarray) -> str:
    """Frames as ranges: ``3, 7 to 9``."""
    groups = np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1)
    return ", ".join(f"{g[0]:,}" if len(g) == 1 else f"{g[0]:,} to {g[-1]:,}" for g in groups)


def worst_points(shot: CapturedShot) -> list[tuple[int, str]]:
    """The points with the largest mean residual."""
    order = np.argsort(-np.nan_to_num(shot.by_point, nan=-1.0))[:WORST]
    return [(int(i), words.figure(float(shot.by_point[i]))) for i in order if np.isfinite(shot.by_point[i])]


def _key_figures(shot: CapturedShot) -> list[KeyFigure]:
    means = shot.errors[np.isfinite(shot.errors[:, 0])]
    turn = np.ptp(shot.head[:, :3], axis=0)
    degrees, millimeters = shot.head_jitter
    figures = [
        KeyFigure(
            words.figure(float(means[:, 0].mean())),
            shot.unit,
            "residual, mean over points and frames",
            f"95 % of the points are below {words.figure(float(means[:, 1].mean()))} in a frame",
        ),
        KeyFigure(
            words.figure(float(shot.cardinality.mean())),
            f"of {shot.rig.num_shapes}",
            "weights on in a frame",
            f"above {ON:g}",
        ),
        KeyFigure(
            words.figure(shot.weight_jitter),
            "",
            "jitter of the weights",
            f"from frame to frame; head {words.figure(degrees)}° and {words.figure(millimeters)} mm, "
            f"points {words.figure(shot.point_jitter)} {shot.unit}",
        ),
        KeyFigure(
            f"{turn.max():.0f}",
            "°",
            "largest turn of the head",
            f"yaw {turn[0]:.0f}, pitch {turn[1]:.0f}, roll {turn[2]:.0f} degrees",
        ),
    ]
    lost = int(shot.found.lost.sum())
    text = f"{100 * (1 - shot.seen[~shot.found.lost].mean()):.1f}% of the points are hidden in the others"
    figures.append(KeyFigure(f"{lost:,}", f"of {len(shot.found.lost):,}", "frames without a face", text))
    return figures


def _shot_facts(shot: CapturedShot) -> list[Fact]:
    count = len(shot.found.weights)
    used = len(shot.found.places.used)
    facts = [
        Fact("frames", f"{count:,}, {count / shot.found.fps:.1f} s at {shot.found.fps:g} per second"),
        Fact("points", f"{used} used of {len(shot.found.places.vertices)}"),
        Fact("noise of a coordinate", f"{words.figure(shot.found.noise)} {shot.unit}"),
    ]
    if shot.is_flat:
        how = "found" if shot.found.focal_found else "given or assumed"
        facts.append(Fact("focal length", f"{shot.found.focal:.0f} pixels, {how}"))
        facts.append(Fact("image", f"{shot.size[0]} x {shot.size[1]} pixels"))
    if len(shot.found.neutral):
        facts.append(Fact("neutral", f"frames {ranges(np.sort(shot.found.neutral))}"))
    return facts


def _facts(shot: CapturedShot) -> list[Fact]:
    found: Any = shot.found
    facts = [Fact("frames at an optimum", f"{int(found.settled.sum()):,} of {int((~found.lost).sum()):,}")]
    changed = [f"{n} {s:.2f}" for n, s in zip(shot.rig.shape_names, found.strength, strict=True) if s != 1.0]
    if changed:
        facts.append(
            Fact("strength of the actor", ", ".join(changed[:WORST]) + (" ..." if len(changed) > WORST else ""))
        )
    if found.pictures is not None:
        facts.append(Fact("colors compared", f"at {found.pictures.used.mean():.0f} places in a frame"))
        facts.append(Fact("light", "27 coefficients, fitted in each frame; the albedo is that of the neutral"))
    worth = frames_to_correct(found)
    facts.append(Fact("worth correcting", f"frames {', '.join(map(str, worth))}" if len(worth) else "none"))
    if found.seconds > 0:
        facts.append(Fact("speed", f"{words.figure(len(found.weights) / found.seconds)} frames per second"))
    return facts
