"""The demo's learned face: the production face by its dials, as deformation maps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import rigcast as rc
from examples.characters.production_face import build_production_face
from examples.demo.stored import files_key, is_trained, read_json, write_json
from rigcast import report, sampling, training
from rigcast._formats.blender import BlenderRig
from rigcast.progress import ProgressCallback

TRAINING_SEED, HELD_OUT_SEED = 0, 1
HELD_OUT = 60  # random poses to judge by
LAST = " held out"  # how the names of clips end that are kept for judging


def learn_face(
    folder: Path,
    poses: int,
    minutes: float,
    workers: int,
    announce: Callable[[str], None],
    progress: ProgressCallback,
) -> dict[str, Any]:
    """Build the face, sample its dials, learn it, and judge it by a held-out clip of its own; re-use what is done.

    Parameters
    ----------
    folder : Path
        Takes ``production-face.blend``, data sets, ``learned-face.safetensors`` and ``learned-face.html``.
    poses : int
        Random poses to learn from.
    minutes : float
        Time to train.
    workers : int
        Processes that evaluate the face.
    announce, progress : callables
        See :class:`examples.demo.pipeline.Demo`.

    Returns
    -------
    dict
        ``numbers`` of the page, ``model``, ``page``, ``poses``, ``dials`` and ``vertices``.
    """
    learned, judged, clips = sets = _sampled(folder, poses, workers, announce, progress)
    model = _trained(folder, learned, minutes, announce, progress)
    page, numbers_file = folder / "learned-face.html", folder / "learned-face.json"
    key = files_key([model], sets)
    known = read_json(numbers_file)
    if known.get("key") != key or not page.exists():
        announce("measuring the face, and writing its page")
        numbers = report.write_body(
            page, [model], judged, animation=clips, training=learned, at_most=HELD_OUT, progress=progress
        )
        write_json(numbers_file, {"key": key, "numbers": numbers})
    numbers = dict(read_json(numbers_file)["numbers"])
    sizes = {"poses": len(learned), "dials": len(learned.channel_names), "vertices": len(learned.rest_vertices)}
    return {"numbers": numbers, "model": model, "page": page, **sizes}


def _sampled(
    folder: Path, count: int, workers: int, announce: Callable[[str], None], progress: ProgressCallback
) -> list[rc.Dataset]:
    """The training data, random poses to judge by, and a clip that is held out."""
    announce("building the production face in Blender")
    options: dict[str, Any] = {"sampler": "sparse", "workers": workers, "progress": progress}
    with BlenderRig.open(build_production_face(folder / "production-face.blend")) as bones:
        rig: Any = rc.sources.dials_only(bones)
        announce(f"sampling {count:,} poses of its {len(rig.dial_names)} dials")
        learned = sampling.sample(
            rig, folder / f"face-training-{count}.rwdata", count, seed=TRAINING_SEED, probe=1, **options
        )
        place = folder / f"face-held-out-{HELD_OUT}.rwdata"
        judged = sampling.sample(rig, place, HELD_OUT, seed=HELD_OUT_SEED, probe=0, **options)
        name = next(name for name in rig.actions if name.endswith(LAST))
        clip = sampling.sample_actions(rig, folder / "face-clip.rwdata", [name], progress=progress)
    return [learned, judged, clip]


def _trained(
    folder: Path, learned: rc.Dataset, minutes: float, announce: Callable[[str], None], progress: ProgressCallback
) -> Path:
    path = folder / "learned-face.safetensors"
    if is_trained(path, learned, minutes):
        announce(f"re-using the face: {path.name}")
        return path
    announce(f"training the face: {minutes:g} minutes")
    checkpoint = folder / f"face-{minutes:g}-{learned.hash[:12]}.checkpoint"
    training.face_maps(learned, seed=0, minutes=minutes, checkpoint=checkpoint, progress=progress).save(path)
    return path
