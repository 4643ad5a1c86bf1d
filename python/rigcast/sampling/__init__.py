"""Sampling rigs into data sets, and reading data sets.

A data set is a folder, by custom ``name.rwdata``:

``manifest.json``
    Format ``rigcast.dataset``, version 1: name, licence and origin, units and up axis, names, ranges and rest values
    of the channels, joints and their parents, dials (numeric controls), what each channel turns (``kinematics``) and
    which of them plain kinematics does not decide (``deviations``), what no channel moves (``resting``), topology hash,
    names of parts and materials, number of texture coordinates, skin weights per vertex (``skin``, where there are
    some), clips (name and frames per second), notes of the rig's file (``notes``, where there are some), sampler with
    settings, seed, counts, and the rows and the SHA-256 of every file. ``hash`` is the SHA-256 of the
    manifest itself as compact JSON with sorted keys, without ``hash``. No times, no paths: the same call writes the
    same bytes.
``rest_vertices.npy``, ``faces.npy``, ``skeleton_rest.npy``
    (V, 3) float32, (F, 4) int32 with -1 padding triangles, (J, 3, 4) float32 parent-relative.
``vertex_parts.npy``, ``face_materials.npy``, ``uvs.npy``, ``uv_faces.npy``
    Where the rig has named parts, materials or texture coordinates: (V,) int32 and (F,) int32, -1 for none; (U, 2)
    float32; (F, 4) int32, rows of ``uvs`` per corner (:class:`rigcast.sources.Surface`).
``skin_joint.npy``, ``skin_weight.npy``
    Where the rig states its own skin weights: (V, K) int32 and float32, joints and weights of each vertex.
``clip.npy``
    Where rows are of clips: (T,) int32, the clip of each row, -1 for random poses.
``00000.channels.npy``, ``00000.poses.npy``, ``00000.vertices.npy``, ``00001...``
    Shards of ``shard_rows`` rows: (t, N), (t, C), (t, V, 3), float32.
``probe.00000.channels.npy`` ...
    The influence probe: for each base pose, itself and one row per channel in which that channel alone has moved far.

Files are written in this order, each whole or not at all: ``unfinished.json`` (the manifest as far as it is known
before the rig is evaluated), those that belong to no shard, the three of each shard and then its ``00000.done`` (their
hashes), ``manifest.json``. ``unfinished.json`` and the ``.done`` files are removed at the end. Meanwhile the folder
also holds ``.lock`` and temporary files whose names begin with a dot. The same call continues a killed one: a shard is
kept if its files have the hashes of its ``.done`` file. With ``overwrite`` all this happens in ``.replacement``, whose
files move into the folder when they are finished.

Opening a set compares the manifest with its hash and files with the sizes and types that it states; ``Dataset.verify``,
and ``sample`` for a set that is finished already, hash every file.
"""

from rigcast.sampling._check import CheckedRig, check_rig
from rigcast.sampling._data_rows import DataRow, InfluenceProbe
from rigcast.sampling._dataset import Dataset
from rigcast.sampling._drawing.animation import Animation
from rigcast.sampling._drawing.animators_poses import animators_poses
from rigcast.sampling._drawing.balanced import Balanced, balanced
from rigcast.sampling._drawing.clips import Clip, Clips
from rigcast.sampling._drawing.played import sample_actions
from rigcast.sampling._drawing.samplers import Mixture, Normal, Sampler, Sparse, Switched, Uniform
from rigcast.sampling._executor import InProcess, LocalProcesses
from rigcast.sampling._farm.dask_workers import DaskWorkers
from rigcast.sampling._job import sample
from rigcast.sampling._plan import clipped_share
from rigcast.sampling._store.layout import Done, Shard
from rigcast.sampling._work import Executor, ShardWork

__all__ = [
    "Animation",
    "Balanced",
    "CheckedRig",
    "Clip",
    "Clips",
    "DaskWorkers",
    "DataRow",
    "Dataset",
    "Done",
    "Executor",
    "InProcess",
    "InfluenceProbe",
    "LocalProcesses",
    "Mixture",
    "Normal",
    "Sampler",
    "Shard",
    "ShardWork",
    "Sparse",
    "Switched",
    "Uniform",
    "animators_poses",
    "balanced",
    "check_rig",
    "clipped_share",
    "sample",
    "sample_actions",
]
