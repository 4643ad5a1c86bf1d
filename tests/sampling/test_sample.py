"""Sampling: what lands in the folder, and that only the seed and the settings decide it."""

import concurrent.futures
import hashlib
import itertools
import json
import multiprocessing

import numpy as np
import pytest

import rigcast as rc
from tests.sampling.rigs import SMALL, small_rig


@pytest.fixture(scope="module")
def rig():
    return small_rig()


@pytest.fixture(scope="module")
def small(rig, tmp_path_factory):
    return rc.sampling.sample(rig, tmp_path_factory.mktemp("small") / "small.rwdata", **SMALL)


def contents(folder):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def test_data_are_the_rig_evaluated_on_the_channels(rig, small):
    poses, vertices = rig.sample(small.channels)
    np.testing.assert_array_equal(small.poses, poses)
    np.testing.assert_array_equal(small.vertices, vertices)
    assert small.channels.dtype == small.poses.dtype == small.vertices.dtype == np.float32
    assert small.vertices.shape == (50, 32, 3)


def test_attributes_are_the_rigs(rig, small):
    np.testing.assert_array_equal(small.rest_vertices, rig.rest_vertices)
    np.testing.assert_array_equal(small.faces, rig.faces)
    np.testing.assert_array_equal(small.channel_ranges, rig.channel_ranges)
    np.testing.assert_array_equal(small.skeleton.rest, rig.skeleton.rest)
    np.testing.assert_array_equal(small.skeleton.parents, rig.skeleton.parents)
    assert small.skeleton.names == small.joint_names == ["root", "joint1", "joint2"]
    assert small.channel_names == rig.channel_names
    assert small.dial_names == ["flex"]
    assert small.pose_names == rc.pose_names(rig.joint_names, ["flex"])
    assert (small.name, small.licence, small.origin) == ("cylinder", "CC0-1.0", "an analytic test rig")
    assert (small.meters_per_unit, small.up_axis) == (0.01, "Y")
    assert small.manifest["topology_hash"] == rc.topology_hash(rig.faces, 32)


def test_probe_moves_one_channel_at_a_time_far(rig, small):
    probe = small.probe
    width = 1 + len(rig.channel_names)
    assert probe.base.tolist() == [0] * width + [1] * width
    assert probe.channel.tolist() == [*range(-1, width - 1)] * 2
    half = 0.5 * np.ptp(rig.channel_ranges, axis=1)
    for base, channel, row in zip(probe.base, probe.channel, probe.channels, strict=True):
        moved = np.abs(row - probe.channels[base * width])
        if channel >= 0:
            assert moved[channel] >= half[channel] * (1 - 1e-6)
            moved[channel] = 0
        assert not moved.any()
    np.testing.assert_array_equal(probe.vertices, rig.sample(probe.channels)[1])


def test_probe_can_be_switched_off(rig, tmp_path):
    ds = rc.sampling.sample(rig, tmp_path / "a", **{**SMALL, "probe": 0})
    assert ds.probe is None
    assert not [file for file in ds.path.iterdir() if file.name.startswith("probe")]


@pytest.mark.parametrize(("workers", "method"), [(2, "fork"), (3, "fork"), (2, "spawn")])
def test_bytes_do_not_depend_on_the_workers(rig, small, tmp_path, workers, method):
    executor = rc.sampling.LocalProcesses(workers, method)
    ds = rc.sampling.sample(rig, tmp_path / "a", **SMALL, executor=executor)
    assert contents(ds.path) == contents(small.path)
    assert ds.hash == small.hash


def test_any_executor_can_do_the_work(rig, small, tmp_path):
    class Pool:
        """Stands for a cluster: pickles the work, finishes shards out of order."""

        def run(self, work, shards):
            context = multiprocessing.get_context("spawn")
            with concurrent.futures.ProcessPoolExecutor(2, context) as pool:
                futures = [pool.submit(work, shard) for shard in reversed(shards)]
                for future in concurrent.futures.as_completed(futures):
                    yield future.result()

    ds = rc.sampling.sample(rig, tmp_path / "a", **SMALL, executor=Pool())
    assert contents(ds.path) == contents(small.path)


def test_sampling_in_a_thread(rig, small, tmp_path):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        ds = pool.submit(rc.sampling.sample, rig, tmp_path / "a", **SMALL, workers=2).result()
    assert contents(ds.path) == contents(small.path)


def test_folder_holds_nothing_but_the_data_set(small):
    shards = [f"{i:05d}" for i in range(4)] + ["probe.00000", "probe.00001"]
    arrays = [f"{s}.{name}.npy" for s, name in itertools.product(shards, ("channels", "poses", "vertices"))]
    rest = ["manifest.json", "rest_vertices.npy", "faces.npy", "skeleton_rest.npy"]
    assert sorted(file.name for file in small.path.iterdir()) == sorted(arrays + rest)
    for file in small.path.glob("*.npy"):
        np.load(file, allow_pickle=False)


def test_seed_and_settings_decide_the_hash(rig, small, tmp_path):
    hashes = {small.hash}
    for number, change in enumerate([{"seed": 8}, {"sampler": "uniform"}, {"probe": 1}, {"count": 51}]):
        hashes.add(rc.sampling.sample(rig, tmp_path / str(number), **{**SMALL, **change}).hash)
    assert len(hashes) == 5


def test_finished_set_is_not_sampled_again(small, rig, monkeypatch):
    monkeypatch.setattr(rig, "sample", lambda channels: pytest.fail("sampled again"))
    assert rc.sampling.sample(rig, small.path, **SMALL).hash == small.hash


def test_progress_counts_all_rows(rig, tmp_path):
    seen = []
    rc.sampling.sample(rig, tmp_path / "a", **SMALL, progress=seen.append)
    rows = [report.done for report in seen if report.stage == "sampling"]
    assert rows[0] == 0
    assert rows == sorted(rows)
    assert rows[-1] == seen[-1].total == 50 + 2 * (1 + len(rig.channel_names))
    assert "poses/s" in seen[-1].message


def test_rig_without_skeleton(tmp_path):
    class Dial:
        skeleton = None

        def __init__(self):
            self.channel_names = self.dial_names = ["open"]
            self.channel_ranges = np.array([[0.0, 1.0]])
            self.rest_vertices = np.eye(3, dtype=np.float32)
            self.faces = np.array([[0, 1, 2]])

        def sample(self, channels):
            return channels.astype(np.float32), channels[:, :, None] * self.rest_vertices

    ds = rc.sampling.sample(Dial(), tmp_path / "a", count=5)
    assert ds.skeleton is None
    assert ds.pose_names == ["open"]
    assert ds.faces.tolist() == [[0, 1, 2, -1]]
    np.testing.assert_array_equal(ds.poses, ds.channels)
    assert "skeleton_rest.npy" not in contents(ds.path)


def test_manifest_is_plain_json_without_times(small):
    manifest = json.loads((small.path / "manifest.json").read_text("ascii"))
    assert manifest["format"] == "rigcast.dataset"
    assert manifest["sampler"] == {"kind": "normal", "spread": 1 / 3}
    assert not [key for key in manifest if "time" in key or "date" in key]
