"""Writing a report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeAlias

from rigcast._atomic_files import atomic_write
from rigcast._pages.template import check_extra
from rigcast._rigs.rig import Rig
from rigcast._validate import bad_argument
from rigcast.progress import ProgressOption, as_callback
from rigcast.report._body.assess import assess
from rigcast.report._body.contenders import contenders
from rigcast.report._body.heldout import MOST_POSES, PLAYED, RANDOM, check_fits, held_out
from rigcast.sampling import Dataset

Path: TypeAlias = str | os.PathLike[str]


def write_body(
    path: Path,
    models: Sequence[Path],
    data: Dataset,
    *,
    animation: Dataset | None = None,
    paper: Path | None = None,
    baselines: Sequence[Path] = (),
    training: Dataset | None = None,
    names: Sequence[str] | None = None,
    rig: Rig | None = None,
    at_most: int = MOST_POSES,
    progress: ProgressOption = None,
) -> dict[str, object]:
    """Measure models of any kind on held-out poses and show them in one HTML file that opens offline.

    Parameters
    ----------
    path : path-like
        The HTML file.
    models : sequence of paths
        Model files of any kind, learned or baselines; the first is what the report is about.
    data : Dataset
        Held-out random poses.
    animation : Dataset, optional
        Held-out animation.
    paper : path-like, optional
        A model of the paper's variant, shown for comparison.
    baselines : sequence of paths
        Models to compare with, as fitted linear skinning.
    training : Dataset, optional
        What the model learned from. The report then begins with the gate: whether simple methods fitted to the same
        poses miss by at least twice what the first model does (:func:`rigcast.metrics.difficulty`).
    names : sequence of str, optional
        One for each of ``models``; default the names of their files.
    rig : Rig, optional
        The rig itself, to be timed in turns with the engine.
    at_most : int
        Poses of each set to judge; more are thinned out evenly.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    dict
        The report's numbers by name.

    Raises
    ------
    ValueError
        If there is no model, a file is malformed, models and data sets belong to different characters, or ``names``
        are not one for each model, all different.
    MissingExtra
        Without the ``report`` extra.
    """
    check_extra()
    if not models:
        raise bad_argument("report", "models", "empty", "at least one model file")
    from rigcast.report._body.contract import contract
    from rigcast.report._body.gallery import gallery
    from rigcast.report._body.page import render
    from rigcast.report._body.section import section_of

    entries = contenders(models, paper, baselines, names)
    for entry in entries:
        for dataset in (data, animation):
            if dataset is not None:
                check_fits(entry.model, dataset, "report")
    if rig is not None and list(getattr(rig, "channel_names", data.channel_names)) != data.channel_names:
        got = f"one of {len(rig.channel_names)} channels, the data set {data.path} of {len(data.channel_names)}"
        raise bad_argument("report", "rig", got, "opened with the limits and ranges that the set was sampled with")
    truths = [held_out(data, _title(data), at_most)]
    if animation is not None:
        truths.append(held_out(animation, PLAYED, at_most))
    show = as_callback(progress)
    numbers = assess(entries, truths, rig, show, training)
    section, stated = section_of(numbers), contract(numbers)
    text = render(numbers, gallery(numbers, show), training, getattr(rig, "not_reproduced", ()), section, stated)
    atomic_write(path, text.encode("utf-8"))
    found = {} if section is None else {section.kind: section.figures()}
    return numbers.figures() | found | ({} if stated is None else {"contract": stated.figures()})


def _title(data: Dataset) -> str:
    """The title of held-out poses."""
    return "frames of clips" if data.clips and (data.clip >= 0).all() else RANDOM
