"""The contact sheet of an expression plan: what an actor is asked to pose, one picture an expression."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_write
from rigcast._core import BlendshapeRig
from rigcast._pages import words
from rigcast._pages.pictures import data_uri, jpeg
from rigcast._pages.template import KeyFigure, fill
from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder, opened
from rigcast._validate import bad_argument
from rigcast._version import __version__
from rigcast.plot._colors import CLAY, distinct, rgb
from rigcast.plot._image import Pixels
from rigcast.plot._studio import Studio, View, view_of
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.transfer._packing import ExpressionPlan
from rigcast.transfer._packing.anatomy import gaze_of

WIDTH, HEIGHT = 480, 520  # pixels
ROOM = 1.06  # around what is shown
POSING = (
    "Each color is one movement; pose all of a picture's at once, at full strength. Pictures face you: what is on "
    "their left is on your right."
)
TINT = 0.55  # of a shape's color where it moves most
SIDES = {"l": "left", "left": "left", "r": "right", "right": "right"}


@dataclass(frozen=True)
class Movement:
    """Shapes of an expression that go together: in words, by name, and the color of their area."""

    words: str
    names: list[str]
    color: str


@dataclass(frozen=True)
class Card:
    """One expression: its number (0 is the neutral), its picture, its parts."""

    number: int
    picture: str
    parts: list[Movement]


def write_contact_sheet(
    path: str | os.PathLike[str],
    plan: ExpressionPlan,
    rig: BlendshapeRig,
    *,
    kept: str | os.PathLike[str] | PartsFolder | None = None,
    progress: ProgressOption = None,
) -> Path:
    """Write the HTML page for an actor: a picture of each expression of a plan, with its shapes, the neutral first.

    The pictures show the rig at the expression's weights, corrections included; every shape's area has a color, that
    of its name below. The file holds all its pictures and prints.

    Parameters
    ----------
    path : path-like
        The HTML file, written in one step.
    plan : ExpressionPlan
    rig : BlendshapeRig
        The rig that was packed; its faces are drawn.
    kept : path-like or PartsFolder, optional
        A folder for pictures that are done: the next call with it does not draw them again. The caller removes it.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Raises
    ------
    ValueError
        If the plan is not of this rig, or the rig has no faces.
    MissingExtra
        Without PyVista or Jinja2.
    """
    if plan.active.shape != (rig.num_shapes, len(rig.rest_vertices)):
        expected = f"a plan of {rig.num_shapes} shapes with {len(rig.rest_vertices)} vertices"
        raise bad_argument("write_contact_sheet", "plan", f"of {' x '.join(map(str, plan.active.shape))}", expected)
    if len(rig.faces) == 0:
        raise bad_argument("write_contact_sheet", "rig", "without faces", "a rig whose faces can be drawn")
    report = as_callback(progress)
    cards = []
    view = _view(plan, rig)
    with contextlib.ExitStack() as stack:
        pictures = None if kept is None else stack.enter_context(opened(kept, "write_contact_sheet"))
        studio = stack.enter_context(Studio(rig.faces, len(rig.rest_vertices), width=WIDTH, height=HEIGHT))
        for number, shapes in enumerate([[], *plan.expressions]):
            cards.append(_card(number, shapes, plan, rig, view, studio, pictures))
            report(Progress("drawing expressions", number, len(plan.expressions)))
    context = {
        "name": words.title(str(rig.metadata.get("name") or "Face")),
        "answer": _answer(plan),
        "summary": POSING,
        "key_figures": _key_figures(plan),
        "cards": cards,
        "left": [plan.names[k] for k in plan.uncovered],
        "empty": [plan.names[k] for k in plan.empty],
    }
    atomic_write(path, fill("contact_sheet.html", context).encode())
    return Path(path)


def _view(plan: ExpressionPlan, rig: BlendshapeRig) -> View:
    """From the front, on everything that moves, wherever an expression takes it, and on the head above it."""
    rest = rig.rest_vertices
    height = rest[:, "XYZ".index(rig.up_axis)]
    moved = plan.active.any(axis=0)
    shown = rest[moved | (height >= np.median(height[moved]))] if moved.any() else rest
    posed = [rig.evaluate(weights)[moved] for weights in plan.weights()]
    near = view_of(np.concatenate([shown, *posed]), rig.up_axis, turn=8.0, rise=2.0, aspect=WIDTH / HEIGHT)
    return View(near.toward, near.up, near.center, ROOM * near.extent)


def _card(
    number: int,
    shapes: list[int],
    plan: ExpressionPlan,
    rig: BlendshapeRig,
    view: View,
    studio: Studio,
    kept: PartsFolder | None,
) -> Card:
    weights = np.zeros(rig.num_shapes, np.float32)
    weights[shapes] = 1.0
    vertices = rig.evaluate(weights)
    parts = _together(shapes, plan)
    palette = distinct(len(parts))
    clay = 255.0 * rgb(CLAY)
    colors = np.broadcast_to(clay, vertices.shape).copy()
    for part, color in zip(parts, palette, strict=True):
        strength = TINT * _strength(part, rig)[:, None]
        colors += strength * (color - colors)
    tinted = colors.round().astype(np.uint8)
    shows = (vertices, rig.faces, tinted, view.toward, view.up, view.center, view.extent, (WIDTH, HEIGHT))
    picture = data_uri(kept_picture(kept, lambda: studio.picture(vertices, view, tinted), *shows))
    named = []
    for part, color in zip(parts, palette, strict=True):
        names = [plan.names[k] for k in part]
        named.append(Movement(movement(names), names, "#{:02x}{:02x}{:02x}".format(*color)))
    return Card(number, picture, named)


def _together(shapes: list[int], plan: ExpressionPlan) -> list[list[int]]:
    """Shapes by group: those that always stand together first met."""
    group = {k: members for members in plan.groups for k in members}
    return [group.get(k, [k]) for k in shapes if group.get(k, [k])[0] == k]


def _strength(shapes: list[int], rig: BlendshapeRig) -> NDArray[np.float64]:
    """(V,) how far the shapes move a vertex, over the most of each; smooth at the border of their area."""
    strength = np.zeros(len(rig.rest_vertices))
    for k in shapes:
        distance = np.linalg.norm(rig.column(k), axis=1)
        strength = np.maximum(strength, distance / max(float(distance.max()), 1e-30))
    return np.asarray(np.clip(2.0 * strength, 0.0, 1.0))


def _answer(plan: ExpressionPlan) -> list[str]:
    shapes, count = plan.covered(len(plan.expressions)), len(plan.expressions)
    return [f"{words.plural(count, 'expression')} to pose and scan show {words.plural(shapes, 'shape')} of the rig."]


def _key_figures(plan: ExpressionPlan) -> list[KeyFigure]:
    count = len(plan.expressions)
    if plan.settings.get("overlap"):
        proof = "whose shapes may overlap a little"
    elif plan.proven_minimal:
        proof = "proven: no fewer suffice"
    elif plan.settings.get("limit") == count:
        proof = f"all shapes need at least {plan.lower_bound}"
    else:
        proof = f"at least {plan.lower_bound} are needed"
    half = next((j for j in range(1, count + 1) if 2 * plan.covered(j) >= plan.covered(count)), 0)
    return [
        KeyFigure(f"{count}", "", "expressions", proof),
        KeyFigure(f"{plan.covered(count)}", f"of {len(plan.names)}", "shapes covered", f"half by expression {half}"),
        KeyFigure(f"{len(plan.pairs)}", "", "pairs that stay together", "left and right, or opposed motions"),
    ]


def movement(names: Sequence[str]) -> str:
    """Shapes that go together in words: ``eyeBlink_L``, ``eyeBlink_R`` are ``Eye blink, left and right``.

    A name alone keeps its words in their order (``mouthLeft`` is ``Mouth left``), and ``eyeLookOut_L`` with
    ``eyeLookIn_R`` is ``Both eyes look left``.
    """
    bases: dict[tuple[str, ...], list[str]] = {}
    looks = [pair for pair in combinations(names, 2) if gaze_of(pair) in ("left", "right")]
    parts = [f"Both eyes look {gaze_of(pair)}" for pair in looks]
    for name in names:
        if any(name in pair for pair in looks):
            continue
        base = tuple(word.lower() for word in _words(name) if word.lower() not in SIDES)
        bases.setdefault(base, []).append(name)
    for base, members in bases.items():
        sides = {SIDES[word.lower()] for name in members for word in _words(name) if word.lower() in SIDES}
        if len(members) == 2 and sides == {"left", "right"} and base:
            words = [word for word in _words(members[0]) if word.lower() not in SIDES]
            parts.append(f"{_sentence(words)}, left and right")
        else:
            parts += [_alone(_words(name)) for name in members]
    return " + ".join(parts)


def _words(name: str) -> list[str]:
    """``browOuterUp_L`` is brow, Outer, Up, L; ``eye-left-slit`` eye, left, slit; ``viseme_CH`` viseme, CH."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return re.split(r"[\s_\-.:]+", apart.strip(" _-.:")) if apart.strip(" _-.:") else [name]


def _alone(words: Sequence[str]) -> str:
    """A side as a letter at the end comes after a comma: it is where, not where to."""
    if len(words) > 1 and len(words[-1]) == 1 and words[-1].lower() in SIDES:
        return f"{_sentence(words[:-1])}, {SIDES[words[-1].lower()]}"
    return _sentence([SIDES.get(word.lower(), word) for word in words])


def _sentence(words: Sequence[str]) -> str:
    """A capital first, small letters after it; abbreviations stay."""
    text = " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words)
    return text[:1].upper() + text[1:]


def kept_picture(kept: PartsFolder | None, draw: Callable[[], Pixels], *shows: object) -> bytes:
    """The JPEG file of everything that decides ``draw()``'s picture: kept, or drawn now."""
    if kept is None:
        return jpeg(draw())
    decides = fingerprint(__version__, *shows)
    content = kept.get(decides, decides)
    if content is None:
        content = jpeg(draw())
        kept.put(decides, content, decides)
    return content
