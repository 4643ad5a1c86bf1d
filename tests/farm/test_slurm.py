"""Workers as jobs of SLURM: what dask-jobqueue would submit is checked, and run here in place of a queue."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import rigcast as rc
from tests.sampling.rigs import SMALL, small_rig
from tests.sampling.test_sample import contents
from tests.support.farm import client_of
from tests.support.process import same_process

pytest.importorskip("distributed", reason="the extra dask is not installed")
SETTINGS = {
    "cores": 1,
    "processes": 1,
    "memory": "4GB",
    "walltime": "04:00:00",
    "job_name": "rigcast",
    "job_script_prologue": ["export OMP_NUM_THREADS=1"],
    "death_timeout": 300,
}


@pytest.fixture(scope="module")
def cluster():
    """As docs/how-to/farm.md makes it, with this Python."""
    with same_process():
        jobqueue = pytest.importorskip("dask_jobqueue", reason="the extra dask is not installed")
    with jobqueue.SLURMCluster(
        **SETTINGS, python=sys.executable, scheduler_options={"dashboard_address": ":0"}
    ) as found:
        yield found


def test_the_script_asks_slurm_for_what_was_said(cluster):
    script = cluster.job_script()
    for line in ("-J rigcast", "-n 1", "--cpus-per-task=1", "--mem=4G", "-t 04:00:00"):
        assert f"#SBATCH {line}\n" in script
    assert "\nexport OMP_NUM_THREADS=1\n" in script
    worker = script.strip().splitlines()[-1]
    assert worker.startswith(f"{sys.executable} -m distributed.cli.dask_worker {cluster.scheduler_address} ")
    assert "--nthreads 1" in worker
    assert "--death-timeout 300" in worker


@pytest.mark.long
def test_a_worker_that_the_script_starts_samples(cluster, tmp_path):
    script = tmp_path / "job.sh"
    text = re.sub(r" --nanny", " --no-nanny", cluster.job_script())
    script.write_text(text.replace(sys.executable, f"exec {sys.executable}"))  # one process, to be ended below
    worker = subprocess.Popen(["bash", str(script)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        with client_of(cluster) as client:
            ds = rc.sampling.sample(small_rig(), tmp_path / "a", **SMALL, workers=client)
    finally:
        worker.kill()
        worker.wait()
    assert contents(ds.path) == contents(rc.sampling.sample(small_rig(), tmp_path / "b", **SMALL).path)
