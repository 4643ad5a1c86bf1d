"""Writing the report of learned inverse kinematics."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core, plot
from rigcast._atomic_files import atomic_write
from rigcast._pages import words
from rigcast._pages.facts import Fact
from rigcast._pages.markers import MarkedMesh
from rigcast._pages.pictures import data_uri
from rigcast._pages.template import KeyFigure, check_extra, fill
from rigcast._rigs.rig import Rig
from rigcast._validate import Arguments, bad_argument
from rigcast.ik import FaceIk
from rigcast.plot._colors import nice_top
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.report._character import LiveCharacter, live_character
from rigcast.report._face_ik.configurations import COUNT
from rigcast.report._face_ik.measure import MeasuredFaceIk, measure

# Bailey 2020, chapter 4: 25 configurations that users made of each character; convolutional and dense approximations.
PUBLISHED = [
    ("Hiccup", "0.94", "2.8", "1.92", "5.6"),
    ("Valka", "0.70", "1.7", "2.19", "8.9"),
    ("Toothless", "5.49", "3.0", "11.19", "4.2"),
    ("Ray", "0.58", "1.5", "4.19", "8.5"),
]
MARKER = 0.008  # radius of a target, relative to the longest side of the mesh
WIDTH, COLUMNS, FEW_WIDE = 210, 5, 340
CROPPED = 0.15  # of the control points' extent: what stands around them in a picture


def write_face_ik(
    path: str | os.PathLike[str],
    ik: FaceIk,
    model: _core.Deformer,
    *,
    rig: Rig | _core.Deformer | None = None,
    name: str | None = None,
    seed: int = 0,
    progress: ProgressOption = None,
) -> dict[str, object]:
    """Show how learned inverse kinematics answers 25 configurations, in one HTML file that opens offline.

    The configurations are constructed by a script and labelled so: expressions with some control points pulled away.
    With the rig, answers are judged on it; without, on the model that was trained through, which flatters them.

    Parameters
    ----------
    path : path-like
        The HTML file, written in one step.
    ik : rigcast.ik.FaceIk
    model : Deformer
        The whole model whose control points were learned.
    rig : rig or Deformer, optional
        What the model was learned from, with the same channels or poses.
    name : str, optional
        Heading; default the file's name.
    seed : int
        Of the configurations.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    dict
        The report's numbers by name.

    Raises
    ------
    ValueError
        If the model is not the one whose control points were learned, has no faces, or the rig has other channels.
    MissingExtra
        Without the ``report`` extra.
    """
    check_extra()
    seed = Arguments("report").whole("seed", seed)
    if not isinstance(model, _core.Deformer) or not len(model.faces):
        raise bad_argument("report", "model", "without faces", "a model with faces, to be drawn")
    report = as_callback(progress)
    report(Progress("answering configurations", 0.0, 2.0))
    measured = measure(ik, model, rig, seed)
    report(Progress("drawing configurations", 1.0, 2.0))
    order = _worst_last(measured)
    every = _pictures(ik, model, measured, np.arange(COUNT))
    few = _pictures(ik, model, measured, order[[0, COUNT // 2, -1]], FEW_WIDE)
    context = {
        "name": words.title(name or Path(path).stem),
        "answer": _answer(measured, rig is not None),
        "live_text": "The model at the answers of the networks, which the pictures show; drag the skin to another.",
        "summary": _summary(ik, rig is not None),
        "key_figures": _key_figures(measured),
        "warnings": [] if rig is not None else [UNJUDGED],
        "measured": measured,
        "every": every,
        "few": few,
        "rows": _rows(measured),
        "published": PUBLISHED,
        "judge": "rig" if rig is not None else "model",
        "groups": [("Networks", _facts(ik))],
        "live": _live(model, measured),
    }
    atomic_write(path, fill("face_ik.html", context).encode("utf-8"))
    report(Progress("drawing configurations", 2.0, 2.0))
    return measured.figures()


UNJUDGED = (
    "Without the rig, errors are those on the model that the networks were trained through. Networks exploit what such "
    "a model gets wrong: only the rig itself can judge the answers."
)


def _live(model: _core.Deformer, measured: MeasuredFaceIk) -> LiveCharacter | str:
    order = _worst_last(measured)
    stops = {
        f"{name}: {row + 1}": int(row) for name, row in (("typical", order[len(order) // 2]), ("worst", order[-1]))
    }
    return live_character(stops, model, poses=measured.poses, fps=1.0)


def _answer(measured: MeasuredFaceIk, has_rig: bool) -> list[str]:
    """The distance of control points from their targets, and what more time gains."""
    plain, polished = measured.answers
    where = "On the rig" if has_rig else "On the model they learned from"
    mean, worst = (words.within(float(value)) for value in (plain.judged.mean(), plain.judged.mean(axis=1).max()))
    took = words.figure(plain.milliseconds, 2)
    better = f"{words.length(float(polished.judged.mean()))} in {words.figure(polished.milliseconds, 2)} ms"
    return [
        f"{where}, the networks put dragged points within {mean} of their targets on average, {worst} in the worst "
        f"configuration, in {took} ms.",
        f"With a few steps of the exact solver after them, polishing: {better}.",
    ]


def _worst_last(measured: MeasuredFaceIk) -> NDArray[np.int64]:
    """Configurations from the best to the worst answer."""
    return np.asarray(np.argsort(measured.answers[0].judged.mean(axis=1), kind="stable"), np.int64)


def _summary(ik: FaceIk, has_rig: bool) -> str:
    judge = "on the rig itself" if has_rig else "on the model that was trained through"
    return (
        f"{words.plural(len(ik.names), 'rig parameter')} from {words.plural(len(ik.vertices), 'control point')} by "
        f"{words.plural(len(ik.regions), 'network')}, one per region. Judged {judge} by {COUNT} configurations that a "
        "script constructs."
    )


def _key_figures(measured: MeasuredFaceIk) -> list[KeyFigure]:
    plain, polished = measured.answers
    figures = [
        KeyFigure(words.figure(float(answer.judged.mean())), "mm", f"control points, {answer.name}", note)
        for answer, note in ((plain, "from where they shall be, on average"), (polished, "the same"))
    ]
    if measured.apart is not None and measured.normals is not None:
        text = f"published: 0.58 to 0.94 mm; normals {words.figure(float(measured.normals.mean()))} degrees"
        figures.append(KeyFigure(words.figure(float(measured.apart.mean())), "mm", "model from rig, whole mesh", text))
    figures.append(KeyFigure(words.figure(plain.milliseconds), "ms", "one configuration", "networks alone, one thread"))
    return figures


def _rows(measured: MeasuredFaceIk) -> list[dict[str, Any]]:
    rows = []
    for t, configuration in enumerate(measured.configurations):
        row: dict[str, Any] = {
            "number": t + 1,
            "turned": ", ".join(configuration.turned),
            "pulled": len(configuration.pulled),
            "cells": [float(answer.judged[t].mean()) for answer in measured.answers],
        }
        if measured.apart is not None and measured.normals is not None:
            row["cells"] += [float(measured.apart[t].mean()), float(measured.normals[t])]
        rows.append(row)
    return rows


def _facts(ik: FaceIk) -> list[Fact]:
    about, training = ik.metadata, ik.metadata.get("training", {})
    facts = [
        Fact("character", about.get("name") or "unnamed"),
        Fact("licence", about.get("licence") or "not stated"),
        Fact("origin", about.get("origin") or "not stated"),
        Fact("trained through", f"a model of kind {about.get('trained_through')}"),
        Fact("control points", f"{len(ik.vertices):,}, {ik.dimensions}-D"),
        Fact("shared parameters", "solved for together" if ik.agreement == "joint" else "averaged"),
        Fact("regions", ", ".join(f"{len(points)} points, {len(own)} parameters" for points, own in ik.regions)),
    ]
    return facts + [Fact(key, value) for key, value in words.settings(training)]


def _pictures(
    ik: FaceIk, model: Any, measured: MeasuredFaceIk, chosen: NDArray[np.integer[Any]], width: int = WIDTH
) -> str:
    """Configurations as one picture.

    The mesh is colored by the distance between model and rig, if the rig is known, the octahedra by the distance of
    each control point from where it shall be.
    """
    errors = measured.answers[0].judged
    apart = np.zeros(measured.vertices.shape[:2]) if measured.apart is None else measured.apart
    marked = MarkedMesh(model, model.rest_vertices[ik.vertices], MARKER)
    image = plot.side_by_side(
        marked,
        np.stack([marked.vertices(measured.vertices[t], measured.configurations[t].goals) for t in chosen]),
        titles=[f"{t + 1}: {errors[t].mean():.2f} mm" for t in chosen],
        columns=COLUMNS,
        values=[marked.values(apart[t], errors[t]) for t in chosen],
        top=nice_top(float(max(np.percentile(errors, 95), np.percentile(apart, 99)))),
        unit="mm",
        focus=_around(ik, marked),
        turn=15.0,
        width=width,
    )
    return data_uri(np.asarray(image, np.uint8)[..., :3])


def _around(ik: FaceIk, marked: MarkedMesh) -> Any:
    """Mask of the vertices of the marked mesh (V + A) that lie around the control points."""
    points = marked.rest_vertices[ik.vertices]
    low, high = points.min(axis=0), points.max(axis=0)
    slack = CROPPED * (high - low).max()
    return ((marked.rest_vertices > low - slack) & (marked.rest_vertices < high + slack)).all(axis=1)
