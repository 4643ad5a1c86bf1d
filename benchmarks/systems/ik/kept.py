"""Networks that benchmarks of learned inverse kinematics train: kept, and continued after an interruption."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast._resume.fingerprints import fingerprint

FOLDER = Path(__file__).resolve().parents[3] / "build" / "face_ik"
LOSS = "half of the rows without noise, towards the row"  # networks of another loss are trained again


def trained(
    folder: Path,
    model: rc.Deformer,
    points: NDArray[np.int64],
    settings: rc.training.FaceIkSettings,
    budget: dict[str, Any],
    data: Any = None,
) -> rc.ik.FaceIk:
    """Networks of the settings, trained on one thread through the model, on a data set's rows if it is given.

    ``budget`` holds ``minutes`` or ``steps``. Read if the folder has them. A training that was interrupted goes on.
    """
    poses = None if data is None else np.asarray(data.poses)
    decides = fingerprint(LOSS, asdict(settings), budget, points, model.restricted(points).tensors(), poses)
    file = folder / f"{settings.agreement}-{decides[:16]}.safetensors"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        rc.training.face_ik(
            model,
            points,
            settings,
            data=data,
            threads=1,
            **budget,
            checkpoint=file.with_suffix(".checkpoint"),
            progress=True,
        ).save(file)
    return rc.ik.load(file)
