"""The page of a solved shot: its numbers in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast._pages import words
from rigcast._pages.facts import Fact, rig_facts
from rigcast._pages.gallery import Gallery
from rigcast._pages.template import KeyFigure, fill
from rigcast.report._character import LiveCharacter, frame_stops, live_character
from rigcast.report._shot import charts as shot_charts
from rigcast.report._shot.gallery import marked_frames
from rigcast.report._shot.rivals import Comparison
from rigcast.report._shot.solved import ON, SolvedShot

NOISE = 1.05  # times the noise: an RMSE below it is that of a fit that cannot be better
FLOOR = 0.001  # millimeters of RMSE up to which there is nothing to explain
TREMBLING = 1.2  # times the motion's own second differences: from here on, one sees it
ROUNDINGS = 4.0  # of the largest coordinate in float32: the other such floor, of large or far shots


def render_shot(shot: SolvedShot, comparison: Comparison | None, pictures: Gallery, name: str) -> str:
    """The HTML text."""
    context: dict[str, Any] = {
        "name": words.title(name),
        "answer": _answer(shot),
        "verdicts": [text for text in [residual(shot)] if text],
        "live_text": "The solved shot; a slider or a drag changes the weights of a frame, which the solution keeps."
        + (" The head stays still." if shot.head is not None else ""),
        "summary": _summary(shot),
        "key_figures": _key_figures(shot),
        "warnings": notes(shot),
        "shot": shot,
        "gallery": pictures,
        "errors": shot_charts.errors(shot, marked_frames(shot)),
        "curves": shot_charts.curves(shot),
        "residual": residual(shot),
        "comparison": comparison,
        "groups": [("Shot", _shot_facts(shot)), ("Solution", _solution_facts(shot)), ("Rig", rig_facts(shot.rig))],
    }
    context["live"] = _live(shot)
    context["head"] = "" if shot.head is None else shot_charts.head(shot.head)
    if comparison is not None:
        context["trade_off"] = shot_charts.trade_off(comparison, shot.alpha_in_square_centimeters(1.0))
        context["alpha"] = _area(shot, comparison.alpha)
        context["race"] = shot_charts.race(comparison)
        context["methods"] = _methods(comparison)
    return fill("shot.html", context)


def _live(shot: SolvedShot) -> LiveCharacter | str:
    stops = frame_stops(shot.order(), "best", "median", "worst")
    return live_character(stops, shot.rig, poses=shot.solution.weights, fps=shot.fps)


def _answer(shot: SolvedShot) -> list[str]:
    """The distance that is left, and how many weights are on; with the truth, how far these are off."""
    mean, worst = words.within(float(shot.rmse.mean())), words.within(float(shot.rmse.max()))
    first = f"The rig meets the shot within {mean} on average, {worst} in the worst frame."
    on = f"{words.figure(float(shot.cardinality.mean()), 2)} of {shot.rig.num_shapes} weights are on in a frame"
    if shot.truth is None:
        return [first, f"{on}: the fewer, the easier a curve is to edit by hand."]
    return [
        first,
        f"{on}; they are off from those that made the shot by {words.figure(shot.weight_error, 2)} on average.",
    ]


def _summary(shot: SolvedShot) -> str:
    frames = words.plural(len(shot.rmse), "frame")
    points = words.plural(len(shot.vertices), "vertex" if shot.is_whole else "marker")
    return (
        f"{frames} of {points} at {shot.fps:g} frames per second, solved for the {shot.rig.num_shapes} weights "
        f"of {shot.rig.metadata.get('name') or 'the rig'}."
    )


def _area(shot: SolvedShot, value: float) -> str:
    """Alpha or smoothness in the one unit of the page."""
    return f"{shot.alpha_in_square_centimeters(value):.4g} cm²"


def residual(shot: SolvedShot) -> str:
    """The picture of the remaining distances; empty if they are rounding or below a micrometer."""
    left, noise = float(shot.rmse.mean()), shot.noise_rmse
    rounding = ROUNDINGS * float(np.finfo(np.float32).eps) * shot.millimeters * float(np.abs(shot.targets).max())
    if noise <= 0.0 or left <= max(FLOOR, rounding):
        return ""
    figures = f"noise of {words.figure(noise)} mm from frame to frame, RMSE {words.figure(left)} mm"
    if left <= NOISE * noise:
        return f"What is left looks like noise of the shot ({figures}): the weights cannot come nearer."
    return f"What is left is more than noise ({figures}): the rig has no shape for the rest, or a weight is off."


def _key_figures(shot: SolvedShot) -> list[KeyFigure]:
    solution = shot.solution
    rmse, p95 = (words.millimeters(float(value)) for value in (shot.rmse.mean(), np.percentile(shot.rmse, 95)))
    figures = [KeyFigure(rmse, "mm", "RMSE, mean over the frames", f"95 % of the frames are below {p95} mm")]
    if shot.truth is not None:
        error = words.figure(shot.weight_error)
        name, frame, largest = shot.worst_weight or ("", 0, 0.0)
        text = f"against the weights that made the shot; largest {words.figure(largest)}, {name} in frame {frame:,}"
        figures.append(KeyFigure(error, "", "mean error of a weight", text))
    on = words.figure(float(shot.cardinality.mean()))
    fewer = f"above {ON:g}; fewer are easier to edit: raise --alpha if the distance allows it"
    figures.append(KeyFigure(on, f"of {shot.rig.num_shapes}", "weights on in a frame", fewer))
    if shot.head is not None:
        turn = np.ptp(shot.head[:, :3], axis=0)
        text = f"yaw {turn[0]:.0f}, pitch {turn[1]:.0f}, roll {turn[2]:.0f} degrees; removed before solving"
        figures.append(KeyFigure(f"{turn.max():.0f}", "°", "largest turn of the head", text))
    noise = shot.noise
    if noise.jitter > 0:
        text = "root mean square second difference"
        if noise.motion > 0 and solution.smoothness == 0:
            ratio = words.ratio(noise.jitter, noise.motion)
            more = (
                "the curves tremble, --smoothness calms them"
                if noise.jitter > TREMBLING * noise.motion
                else "nothing trembles"
            )
            text += f", {ratio} the motion's own: {more}"
        figures.append(KeyFigure(words.figure(noise.jitter), "", "jitter of the weights", text))
    done = int(solution.converged.sum())
    if done < len(shot.rmse):
        worst = f"largest projected gradient {solution.optimality.max():.1e}"
        figures.append(KeyFigure(f"{done:,}", f"of {len(shot.rmse):,}", "frames at an optimum", worst))
    return figures


def notes(shot: SolvedShot) -> list[str]:
    """Sentences above the page's figures."""
    made = shot.rig.constructed
    sentences = [f"{text[:1].upper()}{text[1:]}." for text in shot.solution.warnings]
    if not shot.solution.weights.any() and not any("no shape is turned on" in text for text in shot.solution.warnings):
        sentences.append("Every weight rests in every frame.")
    if made:
        shown = ", ".join(made[:4]) + (f" and {len(made) - 4} more" if len(made) > 4 else "")
        sentences.append(f"{len(made)} shapes and combinations of this rig are constructed, not sculpted: {shown}.")
    return sentences


def _methods(comparison: Comparison) -> list[dict[str, Any]]:
    rows = []
    ours = comparison.rivals[0].reached(comparison.best, comparison.floor)
    for rival in comparison.rivals:
        end = rival.race[-1]
        seconds = rival.reached(comparison.best, comparison.floor)
        above = ""
        if np.isnan(seconds) and len(rival.race) > 1:  # it took longer than the longest run, at least
            above, seconds = "> ", end.seconds
        excess = float(rival.excess(comparison.best, comparison.floor)[-1])
        rows.append(
            {
                "method": rival.method,
                "color": rival.color,
                "reached": above + words.figure(1e3 * seconds),
                "ratio": "" if rival is comparison.rivals[0] else above + words.ratio(seconds, ours),
                "excess": "0" if excess == 0 else f"{excess:.1e}",
                "rmse": end.rmse,
                "rmse_p95": end.rmse_p95,
                "cardinality": end.cardinality,
                "total": end.total,
            }
        )
    return rows


def _shot_facts(shot: SolvedShot) -> list[Fact]:
    count = len(shot.rmse)
    return [
        Fact("frames", f"{count:,}, {count / shot.fps:.1f} s at {shot.fps:g} per second"),
        Fact(
            "targets",
            words.plural(len(shot.vertices), "vertex") if shot.is_whole else f"{len(shot.vertices):,} markers",
        ),
        Fact(
            "RMSE", f"{words.figure(float(shot.rmse.mean()))} mm; worst frame {words.figure(float(shot.rmse.max()))} mm"
        ),
        Fact("largest distance", f"{words.figure(float(shot.largest.max()))} mm"),
    ]


def _solution_facts(shot: SolvedShot) -> list[Fact]:
    solution = shot.solution
    weights = solution.weights
    bends = np.square(np.diff(weights, n=2, axis=0)).sum(axis=0)
    facts = [
        Fact("method", solution.method),
        Fact("α, smoothness", f"{_area(shot, solution.alpha)}, {_area(shot, solution.smoothness)}"),
        Fact("frames at an optimum", f"{int(solution.converged.sum()):,} of {len(solution.converged):,}"),
        Fact(
            "weights on",
            ", ".join(f"{(np.abs(weights) > at).sum(axis=1).mean():.1f} above {at:g}" for at in (0, ON, 0.01)),
        ),
        Fact("sum of weights", words.figure(float(np.abs(weights).sum(axis=1).mean()))),
        Fact("roughness", f"{words.figure(float(bends.mean()))} per weight (squared second differences)"),
        Fact("iterations", f"{solution.iterations.mean():.1f} per frame, {solution.iterations.max()} at most"),
    ]
    if solution.loss is not None and solution.loss_scale is not None:
        facts.append(Fact("loss", f"{solution.loss}, scale {words.figure(shot.millimeters * solution.loss_scale)} mm"))
    if solution.seconds > 0:
        rate = words.figure(len(shot.rmse) / solution.seconds)
        facts.append(Fact("speed", f"{rate} frames per second, projection included"))
    if solution.gap is not None:
        facts.append(Fact("duality gap", f"{solution.gap.max():.1e} at most"))
    if solution.transforms is not None:
        facts.append(Fact("head motion", "removed before solving, kept with the solution"))
    if shot.truth is not None:
        largest = float(np.abs(weights - shot.truth).max())
        facts.append(
            Fact("weight error", f"{words.figure(shot.weight_error)} on average, {words.figure(largest)} at most")
        )
    return facts
