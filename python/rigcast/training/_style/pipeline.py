"""From recordings of actors and renders of a character to style transfer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rigcast._resume.fingerprints import fingerprint
from rigcast._validate import bad_argument
from rigcast.progress import ProgressOption
from rigcast.training._arguments import check_record
from rigcast.training._budget import Budget, budget_of
from rigcast.training._checkpoint import TrainingState
from rigcast.training._descend import descend
from rigcast.training._optimize import Allowance
from rigcast.training._pace import seconds_of_training, too_few_steps
from rigcast.training._style.descent import StyleDescent
from rigcast.training._style.model import StyleTransfer
from rigcast.training._style.recordings import StyleRecording
from rigcast.training._style.settings import StyleSettings

LEAST = 3  # frames of a recording: one may be kept back


def style_transfer(
    recordings: Sequence[StyleRecording],
    renders: StyleRecording,
    settings: StyleSettings = StyleSettings(),
    *,
    minutes: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    threads: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
) -> StyleTransfer:
    """Learn to carry expressions from pictures of actors to pictures of a character (Bailey 2020, section 6.4).

    The first-order motion model (Siarohin et al. 2019) finds key points and the affine motion about each, makes dense
    motion of them, warps a source picture and fills in what was hidden. It is trained to make one frame of a recording
    from another one. The dissertation adds three losses, which keep key points apart, on the face, and their motion
    near to translations, and a network per region of the face.

    Not as published: networks are small, the perceptual loss is a pyramid of absolute differences in place of VGG's
    features, the generator blends its picture with the warped source, and pictures are not enlarged afterwards. All of
    it stands in the metadata, with the weight of each loss: the paper prints none.

    Parameters
    ----------
    recordings : list of StyleRecording
        Of actors, whose motion drives later; one for each shot.
    renders : StyleRecording
        Of the character, under one light and before one camera, in expressions that cover what it can do.
    settings : StyleSettings
    minutes : float, optional
        Time for the whole call; each network has an equal share.
    steps : int, optional
        Of each network; 8000 if neither ``minutes`` nor ``steps`` is given.
    seed : int
        Decides the initial weights, the pairs and their random warps. The same pictures, seed, settings, machine and
        number of threads give the same file, unless ``minutes`` decides when to stop.
    threads : int
        Number of threads; 0 means all processors that this process may use. The layers are small: on a machine with
        other work two threads can be ten times slower than one.
    checkpoint : path-like, optional
        File that a killed run continues from; later networks add a number to its name. Removed at the end.
    restart : bool
        Begin anew: remove the checkpoints that an earlier run left.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    StyleTransfer

    Raises
    ------
    ValueError
        If pictures are not of the size that the settings say, there are too few, or a setting makes no sense.
    NumericalError
        If training diverges.
    MissingExtra
        Without PyTorch.

    Examples
    --------
    >>> pictures = np.random.default_rng(0).integers(0, 255, (4, 16, 16, 3), np.uint8)
    >>> points = np.random.default_rng(1).uniform(1, 15, (4, 68, 2))
    >>> shot = rc.training.StyleRecording.of_landmarks(pictures, points)
    >>> settings = rc.training.StyleSettings(size=16, width=4, regions="whole", points=2)
    >>> model = rc.training.style_transfer([shot], shot, settings, steps=2)  # minutes=60 for a model worth having
    >>> model.transfer(shot.pictures[0], shot, shot.pictures[0]).pictures.shape
    (4, 16, 16, 3)
    """
    budget = budget_of("style_transfer", minutes, steps, seed, "cpu", threads, checkpoint, restart, progress)
    check_record("style_transfer", settings, StyleSettings)
    known = _checked(recordings, renders, settings)
    regions = list(settings.key_points)
    with budget.at_work(len(regions)):
        tensors: dict[str, NDArray[Any]] = {}
        done: dict[str, Any] = {}
        for number, (region, file) in enumerate(zip(regions, budget.files(len(regions)), strict=True)):
            descent = StyleDescent(region, known, renders, settings, budget)
            state, facts = _train(descent, budget, file, len(regions) - number)
            tensors |= {f"{region}.{name}": value for name, value in state.best.items()}
            done[region] = facts
        return StyleTransfer(tensors, _metadata(settings, budget, len(known), done))


def _train(descent: StyleDescent, budget: Budget, file: Path | None, left: int) -> tuple[TrainingState, dict[str, Any]]:
    """The last state of a network, which has an equal share of the time that is left, and what metadata say of it."""
    begun = budget.elapsed()
    seconds = seconds_of_training(budget.minutes, begun)
    allowance = Allowance(budget.steps, None if seconds is None else seconds / left, budget.measures_threads)
    facts = budget.record(descent.settings), descent.region
    run = fingerprint(*facts, *(array for one in descent.sets for array in (one.pictures, one.masks)))
    words = lambda _: (f"{255.0 * descent.error:.3g} of 255", descent.error)  # noqa: E731
    state = descend(descent, budget, allowance, words, run=run, file=file, stage=f"training {descent.region}")
    few = too_few_steps(budget.minutes, state.step, state.seconds, begun, allowance.out_of_time(state))
    return state, {"steps_done": state.step, "held_out": state.best_loss, **few}


def _metadata(settings: StyleSettings, budget: Budget, count: int, done: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "style_transfer",
        "version": 1,
        "size": settings.size,
        "key_points": settings.key_points,
        "width": settings.width,
        "recordings": count,
        "training": budget.record(settings) | {"torch": budget.used()["torch"], "networks": done},
        "source": "Bailey 2020, section 6.4; Siarohin et al. 2019",
        "weights_of_the_losses": "ours: the paper prints none",
        "perceptual_loss": "absolute differences over a pyramid, in place of VGG's features",
        "generator": "small; blends its picture with the warped source",
        "super_resolution": "left out",
    }


def _checked(recordings: Any, renders: Any, settings: StyleSettings) -> list[StyleRecording]:
    """The recordings; ValueError unless all of them can be trained on."""
    if isinstance(recordings, StyleRecording) or not hasattr(recordings, "__iter__"):
        got = f"a {type(recordings).__name__}"
        raise bad_argument("style_transfer", "recordings", got, "a list of rigcast.training.StyleRecording")
    known = list(recordings)
    if not known:
        raise bad_argument("style_transfer", "recordings", "empty", "one recording at least")
    named = [(f"recordings[{i}]", one) for i, one in enumerate(known)]
    for name, one in [*named, ("renders", renders)]:
        if not isinstance(one, StyleRecording):
            got = f"a {type(one).__name__}"
            raise bad_argument("style_transfer", name, got, "a rigcast.training.StyleRecording")
        if one.pictures.shape[1] != settings.size:
            got = f"of {one.pictures.shape[1]} pixels"
            raise bad_argument("style_transfer", name, got, f"of {settings.size} pixels, as the settings say")
        if len(one.pictures) < LEAST:
            raise bad_argument("style_transfer", name, f"of {len(one.pictures)} frames", f"of {LEAST} frames at least")
    return known
