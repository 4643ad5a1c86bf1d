"""Linear skinning fitted to the data that a model learned from, to compare with it."""

from __future__ import annotations

import os
from pathlib import Path

from rigcast._validate import missing_file
from rigcast.progress import ProgressOption, as_callback
from rigcast.sampling import Dataset

INFLUENCES = {"1": 1, "4": 4, "all": None}  # joints per vertex at most


def fit_skinning_baselines(
    training: Dataset, folder: str | os.PathLike[str], progress: ProgressOption = None
) -> list[Path]:
    """Fit linear skinning to a training set and save the models that :func:`write_body` compares with.

    One model each with one, four and all joints per vertex. Files that hold them already are kept.

    Parameters
    ----------
    training : Dataset
        What the model learned from.
    folder : path-like
        An existing folder: it takes ``skinning-1.safetensors``, ``skinning-4.safetensors`` and
        ``skinning-all.safetensors``.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    list of Path
        The three files.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    """
    from rigcast._load_model import load
    from rigcast.baselines import linear_blend

    show = as_callback(progress)
    place = Path(folder)
    if not place.is_dir():
        raise missing_file("fit_skinning_baselines", "folder", place, "an existing folder")
    files = []
    for name, influences in INFLUENCES.items():
        file = place / f"skinning-{name}.safetensors"
        if not file.exists() or load(file).metadata.get("data_hash") != training.hash:
            linear_blend(training, influences, progress=show).save(file)
        files.append(file)
    return files
