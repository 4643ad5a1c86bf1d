"""Data sets in other processes and in notebooks."""

import copy
import multiprocessing
import os
import pickle
import re
import shutil

import numpy as np
import pytest

import rigcast as rc
from tests.sampling.rigs import SMALL, small_rig, write_manifest


def test_a_pickle_is_small_and_opens_the_same_set(whole):
    pickled = pickle.dumps(whole)
    assert len(pickled) < 1000
    again = pickle.loads(pickled)
    assert again.hash == whole.hash
    np.testing.assert_array_equal(again.vertices, whole.vertices)


def test_a_copy_is_a_data_set(whole):
    assert copy.deepcopy(whole).hash == whole.hash


def test_a_relative_path_is_found_from_another_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    ds = rc.Dataset(folder.name)
    monkeypatch.chdir(os.sep)
    assert pickle.loads(pickle.dumps(ds)).hash == ds.hash


def test_another_set_in_the_folder_is_named(folder):
    pickled = pickle.dumps(rc.Dataset(folder))
    other = rc.sampling.sample(small_rig(), folder, **{**SMALL, "seed": 8}, overwrite=True)
    expected = rf"^Dataset: path is .*, which holds the data set of hash {other.hash[:12]}.*; it must be .* was pickled"
    with pytest.raises(ValueError, match=expected):
        pickle.loads(pickled)


def test_a_set_that_is_gone_is_a_missing_file(folder):
    pickled = pickle.dumps(rc.Dataset(folder))
    shutil.rmtree(folder)
    with pytest.raises(FileNotFoundError, match=r"^Dataset: path is .*which does not exist"):
        pickle.loads(pickled)


def test_a_spawned_process_takes_a_data_set(whole):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply(whole.take, ([3, 1],))[2], whole.vertices[[3, 1]])


def test_joblib_workers_take_a_data_set(whole):
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    found = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(whole.take)([row]) for row in (0, 40))
    np.testing.assert_array_equal(np.concatenate([poses for _, poses, _ in found]), whole.poses[[0, 40]])


def test_notebooks_show_a_table(whole):
    text = whole._repr_html_()
    assert text.startswith("<table><caption>rigcast.Dataset</caption><tr><td")
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", text)
    assert cells[0] == "name"
    assert cells[cells.index("holds") + 1] == "50 poses, 32 vertices"


def test_names_are_escaped_in_notebooks(folder, whole):
    write_manifest(folder, {**whole.manifest, "name": "<script>alert(1)</script>"})
    assert "<script>" not in rc.Dataset(folder)._repr_html_()
