"""The data that baselines are judged by: a face, the demo body, Antonia, a skinned glb. All is kept and resumed.

python -m benchmarks.systems.baselines.sets [--data ../shared/data] [--out build/baselines] [--poses 1000]
    [--only NAME ...]
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.systems.body.antonia import antonia
from examples.characters.character import build_character
from examples.characters.production_face import build_production_face
from examples.characters.production_face.clips import ASSUMPTION, NOISE
from examples.characters.walk import ACTION
from rigcast._atomic_files import atomic_write
from rigcast._resume.fingerprints import fingerprint
from rigcast.sampling import Animation, Balanced, balanced, clipped_share, sample, sample_actions
from rigcast.sources import Retargeted, Rig

ROOT = Path(__file__).resolve().parents[3]
CANDIDATES = 6000  # of a balanced set
BINS = 16
SETS = ("training", "judged")
HELD_OUT = 100  # random poses
BEYOND = 1e-6  # degrees
CLIPS = 4  # of a skinned glb
MOTIONS = {"01_01": 20, "jumping_jacks": 2, "dab": 8, "zombie": 16, "jumping": 12, "wave_hello": 16}  # every n-th frame


@dataclass(frozen=True)
class Subject:
    """A character with the sets that baselines learn from and are judged by.

    Attributes
    ----------
    title : str
    training : dict from what it is to Dataset
        The first is the one that baselines are fitted to.
    judged : dict from what it is to Dataset
    notes : list of str
        Printed with every table: assumptions, what is clipped.
    """

    title: str
    training: dict[str, rc.Dataset]
    judged: dict[str, rc.Dataset]
    notes: list[str]


def production_face(data: Path, out: Path, poses: int, workers: int = 1) -> Subject:
    """The face by its 154 dials: curves x U(.25, 3), balanced; uniform in the ranges; the judged clips."""
    blend = build_production_face(out / "face.blend", data / "compskin_face_anim")
    with rc.sources.load(blend) as bones:
        rig = rc.sources.dials_only(bones)
        names = list(rig.actions)
        held_out = [name for name in names if name.endswith("held out")]
        known = [rig.action(name) for name in names if name not in ("performance", *held_out)]
        noisy = Animation.of(known, NOISE)
        clipped = clipped_share(rig, noisy, CANDIDATES)
        sampler = _balanced(rig, noisy, CANDIDATES, out / "candidates.npz")
        options = {"seed": 0, "workers": workers}
        uniform = {**options, "sampler": "uniform", "probe": 0}
        training = {
            "curves x U(.25, 3), balanced": sample(
                rig, out / f"balanced-{poses}.rwdata", poses, sampler=sampler, **options
            ),
            "uniform in the ranges": sample(rig, out / f"uniform-{poses}.rwdata", poses, **uniform),
        }
        judged = {
            "performance": _played(rig, out / "performance.rwdata", ["performance"]),
            "constructed clips, held out": _played(rig, out / "held-out.rwdata", held_out),
        }
    notes = [
        f"{ASSUMPTION}.",
        f"{clipped:.1%} of all values of the candidates lie on a bound of their range, clipped after the noise; "
        f"balanced: {poses:,} of {CANDIDATES:,} candidates, {BINS} bins along the first component of "
        f"{len(sampler.landmarks)} landmarks, of which {len(np.unique(np.asarray(sampler.bins)))} were reached.",
        "Inputs: dials only. The constructed clips are ours, held out of training.",
    ]
    return Subject("Production face", training, judged, notes)


def demo_body(data: Path, out: Path, poses: int, workers: int = 1) -> Subject:
    """The demo character: random poses within its limits, and the walk of its file."""
    with rc.sources.load(build_character(out / "character.blend")) as rig:
        training = {"random poses": sample(rig, out / f"training-{poses}.rwdata", poses, seed=0, workers=workers)}
        judged = {
            "walk": _played(rig, out / "walk.rwdata", [ACTION]),
            "random poses": sample(rig, out / "random.rwdata", HELD_OUT, seed=1, probe=0, workers=workers),
        }
    return Subject("Demo body", training, judged, ["The walk stays inside the ranges of the training poses."])


def antonia_body(data: Path, out: Path, poses: int, workers: int = 1) -> Subject:
    """Antonia: random poses within her joint limits, and motion capture retargeted onto her."""
    path = out / "antonia.npz"
    if not path.exists():
        rc.sources.save_npz_rig(path, antonia(data / "antonia_body"))
    rig = rc.sources.load(path)
    found = []
    for name, every in MOTIONS.items():
        motion = rc.sources.load_bvh(data / "body_motion_bvh" / f"{name}.bvh.gz").motion()[::every]
        joints = rc.sources.joint_map(motion.joint_names, rig.joints.names)
        found.append(rc.sources.retarget(motion, rig, joints))
    clipped = np.concatenate([motion.channels for motion in found])
    captured = np.concatenate([_captured(motion, rig.channel_ranges) for motion in found])
    beyond = np.abs(clipped - captured) > BEYOND
    options = {"probe": 0, "workers": workers}
    training = {"random poses": sample(rig, out / f"training-{poses}.rwdata", poses, seed=0, workers=workers)}
    judged = {
        "motion capture, clipped": sample(rig, out / "clipped.rwdata", sampler=Animation(clipped), **options),
        "motion capture, as captured": sample(rig, out / "captured.rwdata", sampler=Animation(captured), **options),
        "random poses": sample(rig, out / "random.rwdata", HELD_OUT, seed=1, **options),
    }
    note = (
        f"The motion capture stands here clipped to the joint limits, the range of the training poses, and as captured "
        f"({beyond.any(axis=1).sum()} of its {len(beyond)} frames go beyond a limit in some channel, "
        f"{beyond.mean():.1%} of all values do, by {np.abs(clipped - captured)[beyond].mean():.0f} degrees on average)."
    )
    return Subject("Antonia", training, judged, [note])


def skinned_glb(data: Path, out: Path, poses: int, workers: int = 1) -> Subject:
    """A fox of 1,250 vertices, skinned linearly: random poses, and clips of its file."""
    rig = rc.sources.load(data / "skinned_glb" / "fox-animations.glb")
    training = {"random poses": sample(rig, out / f"training-{poses}.rwdata", poses, seed=0, workers=workers)}
    judged = {
        "clips": _played(rig, out / "clips.rwdata", list(rig.actions)[:CLIPS]),
        "random poses": sample(rig, out / "random.rwdata", HELD_OUT, seed=1, probe=0, workers=workers),
    }
    note = "Exactly linear skinning with few influences, so that skinning is exact: rows for correctness, no claim."
    return Subject("Skinned glb", training, judged, [note])


def _captured(motion: Retargeted, ranges: np.ndarray) -> np.ndarray:
    """Channels without the limits: what was cut off is added again at the limit that cut it."""
    upper = motion.channels > ranges.mean(axis=1)
    return np.asarray(motion.channels + np.where(upper, motion.excess, -motion.excess))


SUBJECTS: dict[str, Callable[..., Subject]] = {
    "face": production_face,
    "body": demo_body,
    "antonia": antonia_body,
    "glb": skinned_glb,
}


def subject(name: str, data: Path, out: Path, poses: int, workers: int = 1) -> Subject:
    """One of ``SUBJECTS`` in a folder of its own; finished sets are opened again without the rig."""
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / f"subject-{poses}.json"
    mark = fingerprint(Path(__file__).read_text(encoding="utf-8"))
    if record.exists() and (known := json.loads(record.read_text()))["mark"] == mark:
        sets = [{title: rc.Dataset(folder / path) for title, path in known[key].items()} for key in SETS]
        return Subject(known["title"], *sets, known["notes"])
    found = SUBJECTS[name](data, folder, poses, workers)
    named = [{title: Path(item.path).name for title, item in sets.items()} for sets in (found.training, found.judged)]
    content = {"mark": mark, "title": found.title, "notes": found.notes, **dict(zip(SETS, named, strict=True))}
    atomic_write(record, json.dumps(content, indent=1).encode())
    return found


def _played(rig: Rig, path: Path, actions: list[str]) -> rc.Dataset:
    """Actions as the host plays them; kept while the mesh at rest is the rig's."""
    if (path / "manifest.json").exists():
        known = rc.Dataset(path)
        if np.array_equal(known.rest_vertices, rig.rest_vertices):
            return known
    return sample_actions(rig, path, actions, overwrite=path.exists())


def _balanced(rig: Rig, sampler: Animation, candidates: int, path: Path) -> Balanced:
    """The balanced sampler, whose candidates are evaluated once."""
    mark = fingerprint(sampler.settings(), candidates, BINS, rig.rest_vertices)
    if path.exists():
        with np.load(path, allow_pickle=False) as known:
            if str(known["mark"]) == mark:
                found = {name: known[name] for name in ("rows", "bins", "landmarks", "clip")}
                clips = tuple(sampler.clips)
                return Balanced(found["rows"], found["bins"], found["landmarks"].tolist(), clips, found["clip"])
    made = balanced(rig, sampler, candidates, bins=BINS)
    arrays = {"rows": made.rows, "bins": made.bins, "landmarks": made.landmarks, "clip": made.clip}
    _save(path, {"mark": np.array(mark), **{name: np.asarray(array) for name, array in arrays.items()}})
    return made


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    content = io.BytesIO()
    np.savez(content, **arrays)
    atomic_write(path, content.getvalue())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "baselines")
    parser.add_argument("--poses", type=int, default=1000, help="to learn from")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=list(SUBJECTS), default=list(SUBJECTS))
    given = parser.parse_args()
    for name in given.only:
        found = subject(name, given.data, given.out, given.poses, given.workers)
        for title, dataset in {**found.training, **found.judged}.items():
            print(f"{found.title}: {title}: {len(dataset)} poses of {len(dataset.rest_vertices):,} vertices")
        print(*found.notes, sep="\n", flush=True)


if __name__ == "__main__":
    main()
