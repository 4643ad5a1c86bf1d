"""Studies of the published designs, made of the models at hand: the built-in face and actors made of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from rigcast import capture, inverse, transfer
from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments
from rigcast.capture import Actor, Cast
from rigcast.progress import ProgressOption, as_callback
from rigcast.study._make import make_choice, make_ranking, make_rating
from rigcast.study._pictures import NamedExpression, PictureSettings, SculptedShapes, Subject
from rigcast.study._records import Study, StudySettings
from rigcast.study._writer import TRUTH, StudyPlan

SKIN, EYE, MOUTH = (0.52, 0.40, 0.33), (0.75, 0.75, 0.75), (0.25, 0.10, 0.10)
FIRST_ACTOR = 11  # seeds of actors
RANKED_UNITS = ("Mouth_Open", "Smile_Lips_Closed", "Lips_Protrude", "Frown")
#: Method and alpha of the solvers that are ranked.
SOLVERS: dict[str, tuple[str, float | Literal["auto"]]] = {
    "exact": ("descent", 0.0),
    "sparse": ("descent", "auto"),
    "published": ("mm", "auto"),
    "linear": ("seol", "auto"),
}
VARIATION = capture.ActorVariation(identity=0.5, strength=0.2, mix=0.2)
EXAMPLES = 4  # expressions of the actor that transfer with examples has seen
#: Expressions by the names of Carrigan (2020, table 5.1); ARKit has no inhaled cheeks and no wide nostrils: the puffed
#: cheeks turned inward and a third of the sneer stand for them.
TWELVE = (
    "Neutral=",
    "Mouth_Open=jawOpen",
    "Eyes_Closed=eyeBlinkLeft+eyeBlinkRight",
    "Smile_Lips_Closed=mouthSmileLeft+mouthSmileRight",
    "Eyebrows_Up=browInnerUp+browOuterUpLeft+browOuterUpRight",
    "Lips_Protrude=mouthPucker",
    "Cheek_Inhaled=-0.6*cheekPuff",
    "Eyes_Opened=eyeWideLeft+eyeWideRight",
    "Cheeks_Puffed=cheekPuff",
    "Mouth_Frown=mouthFrownLeft+mouthFrownRight",
    "Frown=browDownLeft+browDownRight",
    "Nostrils_Dilated=0.3*noseSneerLeft+0.3*noseSneerRight",
)


def make_recipe(
    protocol: str,
    folder: str | os.PathLike[str],
    *,
    characters: int = 6,
    ict: str | os.PathLike[str] | None = None,
    pictures: PictureSettings | None = None,
    settings: StudySettings | None = None,
    seed: int = 0,
    overwrite: bool = False,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Study:
    """Make the study of a published design from models at hand.

    ``rating``: twelve expressions of actors at five activations (Carrigan 2020, chapter 5). ``choice``: shapes brought
    to an actor by deformation transfer alone, or with examples, beside the actor's own (chapter 3). ``ranking``: four
    solvers of the inverse rig beside the frames that they were given (Rackovic 2022, section 5.4).

    Parameters
    ----------
    protocol : {"rating", "choice", "ranking"}
    folder : path-like
    characters : int
        Number of actors; one more is trained with.
    ict : path-like, optional
        A copy of ICT-FaceKit; default the built-in face, which is constructed.
    pictures : PictureSettings, optional
    settings : StudySettings, optional
    seed : int
        Of the order of trials and places.
    overwrite : bool
        Replace a study that nobody has answered yet.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : bool or callable, optional
        True draws a bar; a callable gets :class:`rigcast.progress.Progress` records.

    Returns
    -------
    Study

    Raises
    ------
    ValueError
        If an argument is wrong, or the folder holds answers.
    """
    check = Arguments("make_recipe")
    makers: dict[str, Callable[[Cast, list[Actor], StudyPlan, Options], Study]] = {
        "rating": _rating,
        "choice": _choice,
        "ranking": _ranking,
    }
    if protocol not in makers:
        raise check.wrong("protocol", repr(protocol), ", ".join(makers))
    count = check.whole("characters", characters, least=1, most=40)
    check.threads(threads)
    cast = capture.example_cast() if ict is None else capture.ict_cast(ict)
    actors = [cast.actor(FIRST_ACTOR + i, VARIATION) for i in range(count + 1)]
    albedo = np.array([SKIN, EYE, MOUTH])[cast.parts]
    named = replace(pictures or PictureSettings(), albedo={_name(actor): albedo for actor in actors})
    plan = StudyPlan(
        f"{protocol} of {cast.character.metadata.get('name', 'a face')}",
        [NamedExpression.parse(text) for text in TWELVE],
        pictures=named,
        settings=settings or StudySettings(),
        seed=seed,
        notes=[cast.note],
    )
    options: Options = {"folder": folder, "overwrite": overwrite, "threads": threads, "progress": as_callback(progress)}
    return makers[protocol](cast, actors, plan, options)


class Options(TypedDict):
    """Arguments that all makers take."""

    folder: str | os.PathLike[str]
    overwrite: bool
    threads: int
    progress: ProgressOption


def _name(actor: Actor) -> str:
    return f"actor {actor.seed}"


def _rating(_: Cast, actors: list[Actor], plan: StudyPlan, options: Options) -> Study:
    *shown, trained = actors
    characters: dict[str, Subject] = {_name(actor): actor.rig for actor in shown}
    return make_rating(characters=characters, plan=plan, training={_name(trained): trained.rig}, **options)


def _choice(cast: Cast, actors: list[Actor], plan: StudyPlan, options: Options) -> Study:
    """Deformation transfer, and the same corrected by a few expressions of the actor."""
    source = cast.character
    threads = options["threads"]
    positions = transfer.positions_from_rig(source)
    guesses = _example_weights(source)

    def compared(actor: Actor) -> dict[str, Subject]:
        plain = transfer.transfer_rig(source, actor.rig.rest_vertices, threads=threads)
        solver = transfer.DeformationTransfer(source.rest_vertices, actor.rig.rest_vertices, source.faces)
        examples = actor.rig.evaluate(guesses)
        fitted = transfer.fit_example_weights(
            solver, positions, actor.rig.rest_vertices, examples=examples, example_weights=guesses, threads=threads
        )
        corrected = transfer.rig_from_positions(source, actor.rig.rest_vertices, fitted.shapes)
        return {TRUTH: actor.rig, "transfer": plain, "examples": corrected}

    *shown, trained = [(_name(actor), compared(actor)) for actor in actors]
    plan = replace(plan, expressions=plan.expressions[1:], levels=[1.0], block_by=["character"])
    return make_choice(characters=dict(shown), plan=plan, training=dict([trained]), **options)


def _example_weights(rig: BlendshapeRig) -> NDArray[np.float32]:
    """(EXAMPLES, K) weights that together move every shape."""
    weights = np.zeros((EXAMPLES, rig.num_shapes), np.float32)
    weights[np.arange(rig.num_shapes) % EXAMPLES, np.arange(rig.num_shapes)] = 0.7
    return weights


def _ranking(cast: Cast, actors: list[Actor], plan: StudyPlan, options: Options) -> Study:
    """Frames of actors solved on the character that they are made of, by four methods of the inverse rig."""
    rig = cast.character
    frames = [expression for expression in plan.expressions[1:] if expression.name in RANKED_UNITS]

    def compared(actor: Actor) -> dict[str, Subject]:
        posed = np.zeros((len(frames), rig.num_shapes), np.float32)
        for row, expression in zip(posed, frames, strict=True):
            for control, value in expression.controls.items():
                row[rig.shape_names.index(control)] = value
        targets = actor.rig.evaluate(posed) - actor.rig.rest_vertices + rig.rest_vertices
        found: dict[str, Subject] = {TRUTH: _sculpted(rig, frames, targets)}
        for name, (method, alpha) in SOLVERS.items():
            solved = inverse.solve(rig, targets, method=method, alpha=alpha, threads=options["threads"])
            found[name] = _sculpted(rig, frames, rig.evaluate(solved.weights.astype(np.float32)))
        return found

    *shown, trained = [(_name(actor), compared(actor)) for actor in actors]
    plan = replace(
        plan, expressions=[NamedExpression(e.name, {e.name: 1.0}) for e in frames], levels=[1.0], block_by=["character"]
    )
    return make_ranking(characters=dict(shown), plan=plan, training=dict([trained]), **options)


def _sculpted(rig: BlendshapeRig, frames: Sequence[NamedExpression], vertices: NDArray[np.float32]) -> SculptedShapes:
    shapes = {expression.name: shape for expression, shape in zip(frames, vertices, strict=True)}
    return SculptedShapes(rig.rest_vertices, rig.faces, shapes, str(rig.up_axis))
