"""Sampling rigs into data sets, and reading data sets.

A data set is a folder, by custom ``name.rwdata``:

``manifest.json``
    Format ``rigwright.dataset``, version 3: name, licence and origin, units and up axis, names, ranges and rest values
    of the channels, joints and their parents, dials (numeric controls), what each channel turns (``kinematics``) and
    which of them plain kinematics does not decide (``deviations``), what no channel moves (``resting``), topology hash,
    sampler with settings, seed, counts, and the rows and the SHA-256 of every file. ``hash`` is the SHA-256 of the
    manifest itself as compact JSON with sorted keys, without ``hash``. No times, no paths: the same call writes the
    same bytes.

    Older versions are read as they are, with the hash that they have. Version 2 says ``control_names`` instead of
    ``dial_names``, lacks ``resting``, and the last bits of normally distributed channels may differ; version 1 also
    lacks ``kinematics`` and ``deviations``. An unfinished set of an older version cannot be continued.
``rest_vertices.npy``, ``faces.npy``, ``skeleton_rest.npy``
    (V, 3) float32, (F, 4) int32 with -1 padding triangles, (J, 3, 4) float32 parent-relative.
``00000.channels.npy``, ``00000.poses.npy``, ``00000.vertices.npy``, ``00001...``
    Shards of ``shard_rows`` rows: (t, N), (t, C), (t, V, 3), float32.
``probe.00000.channels.npy`` ...
    The influence probe: for each base pose, itself and one row a channel in which that channel alone has moved far.

While it is being written, the folder also holds ``unfinished.json`` (what was asked for), ``00000.done`` (written last,
the hashes that vouch for a shard) and ``.lock``. A killed run goes on from there. With ``overwrite`` all this
happens in ``.replacement``, whose files move into the folder when they are finished.
"""

from rigwright.sampling._check import CheckedRig, check_rig
from rigwright.sampling._dataset import Dataset, InfluenceProbe
from rigwright.sampling._executor import Executor, InProcess, LocalProcesses
from rigwright.sampling._job import sample
from rigwright.sampling._played import sample_actions
from rigwright.sampling._samplers import Animation, Mixture, Normal, Sampler, Uniform
from rigwright.sampling._work import Done, Shard, ShardWork

__all__ = [
    "Animation",
    "CheckedRig",
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
    "Uniform",
    "check_rig",
    "sample",
    "sample_actions",
]
