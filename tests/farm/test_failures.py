"""What Dask itself says of a task, in our words."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rigcast._farm.farm import _of_dask


def test_a_task_that_kills_workers_says_how_many():
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    error = distributed.KilledWorker("task", SimpleNamespace(address="tcp://10.0.0.7:1"), 3)
    found = _of_dask(error)
    assert (found["worker"], found["text"]) == ("tcp://10.0.0.7:1", "4 workers died of it")


def test_other_errors_are_one_line_of_text():
    found = _of_dask(RuntimeError("Error during deserialization\nof the task graph"))
    assert (found["error"], found["text"]) == ("RuntimeError", "Error during deserialization of the task graph")
