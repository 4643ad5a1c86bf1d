"""The simulated farm against what can be counted by hand, and what it starts from. None of its durations is
asserted."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from benchmarks.systems.farm import measured, model, simulate
from benchmarks.systems.farm.measured import Measured
from benchmarks.systems.farm.model import Simulation

TIMES = (1.0, 2.0, 3.0)
FREE = Measured(TIMES, 4.0, 50, 1000, 0, 0, 0, 0.0, 0.0, 0.0)  # nothing is sent, stored or decided
BYTES = Measured(TIMES, 4.0, 50, 1000, 10**9, 7_000, 90_000, 0.0, 0.0, 5.0)


@pytest.fixture(autouse=True)
def healthy(monkeypatch):
    """No worker is slow or dies, unless a test makes it so."""
    monkeypatch.setattr(model, "SLOW_SHARE", 0.0)
    monkeypatch.setattr(model, "DEAD_SHARE", 0.0)


def test_one_worker_takes_one_opening_and_the_sum_of_its_shards(tolerance):
    farm = Simulation(FREE, 1, 20, 50, copies=False)
    assert set(farm.times) <= set(TIMES)
    total = float(farm.times.sum())
    outcome = farm.run()
    assert outcome.seconds == pytest.approx(4.0 + total, rel=tolerance["float64"])
    assert outcome.ideal == pytest.approx(outcome.seconds, rel=tolerance["float64"])
    assert outcome.copies == 0


def test_a_worker_per_shard_takes_the_longest_shard(tolerance):
    farm = Simulation(FREE, 20, 20, 50, copies=False)
    longest = float(farm.times.max())
    assert farm.run().seconds == pytest.approx(4.0 + longest, rel=tolerance["float64"])


def test_times_follow_the_rows_of_a_shard_and_the_rig():
    plain, scaled = (Simulation(FREE, 3, 9, rows, slower=slower) for rows, slower in ((50, 1.0), (25, 6.0)))
    np.testing.assert_allclose(scaled.times, 3.0 * plain.times)


def test_a_straggler_holds_the_run_up_unless_its_shard_is_copied():
    seconds = {}
    for copies in (False, True):
        farm = Simulation(FREE, 10, 60, 50, copies=copies)
        farm.slowness[3] = 50.0
        found = farm.run()
        seconds[copies] = found.seconds
        assert (found.copies > 0) == copies
    assert seconds[False] >= 50.0 * (4.0 + min(TIMES))
    assert seconds[True] < 0.5 * seconds[False]


def test_a_dead_worker_s_shards_are_done_by_others():
    farm = Simulation(FREE, 10, 60, 50)
    farm.slowness[3] = np.inf
    found = farm.run()
    assert farm.dispatcher.left == 0
    assert found.copies == 2  # what it had begun, and what lay ready at it


def test_bytes_are_those_of_all_shards_and_of_every_task():
    found = Simulation(BYTES, 4, 30, 25).run()
    assert found.stored == pytest.approx(30 * 0.5e9)
    assert found.sent == pytest.approx((30 + found.copies) * 3_500 + 90_000)


@pytest.mark.parametrize(("comes_back", "rate"), [(False, model.STORAGE), (True, model.NETWORK)])
def test_storage_or_the_client_s_network_limits_a_large_farm(comes_back, rate):
    found = Simulation(BYTES, 200, 200, 50, comes_back=comes_back, copies=False).run()
    transfer = 200 * 1e9 / rate
    assert found.seconds >= transfer
    assert found.storage == pytest.approx(transfer / found.seconds)
    assert found.client == pytest.approx(200 * 5.0 / found.seconds if comes_back else 0.0)


def test_the_scheduler_limits_tasks_that_are_short():
    slow = Measured((1e-6,), 0.0, 1, 1, 0, 0, 0, 0.0, 2.0, 0.0)
    found = Simulation(slow, 50, 50, 1, copies=False).run()
    assert found.seconds >= 100.0
    assert found.scheduler == pytest.approx(100.0 / found.seconds)


def test_the_same_seed_gives_the_same_run():
    runs = [Simulation(FREE, 3, 61, 50, seed=seed).run() for seed in (1, 1, 2)]
    assert runs[0].seconds == runs[1].seconds
    assert runs[0].ideal == runs[1].ideal != runs[2].ideal


def test_tables_say_what_was_found(monkeypatch):
    monkeypatch.setattr(simulate, "POSES", 200)
    monkeypatch.setattr(simulate, "SETS", 2)
    monkeypatch.setattr(simulate, "WORKERS", (1, 4))
    dead = model.DEAD_SHARE
    times, moved = simulate.runs_tables(FREE)
    assert dead == model.DEAD_SHARE
    cells, others = ([line.strip("| ").split(" | ") for line in text.splitlines()] for text in (times, moved))
    assert {len(row) for row in cells} == {8}
    assert {len(row) for row in others} == {6}
    assert [row[:2] for row in others[2:]] == [row[:2] for row in cells[2:]]
    one = Simulation(FREE, 1, 4, 50).run()
    assert cells[2][:5] == ["one set of 200 poses", "1", "4", simulate.clock(one.seconds), "100%"]
    assert "| 2.00 s (1.00 to 3.00 s) |" in simulate.measured_table(FREE)
    assert "| 1000.0 MB |" in simulate.measured_table(BYTES)


@pytest.mark.parametrize(("seconds", "words"), [(119.0, "119 s"), (121.0, "2 min"), (7300.0, "2.0 h")])
def test_times_are_written_for_people(seconds, words):
    assert simulate.clock(seconds) == words


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="processor time of a process is read on Linux only")
def test_processor_time_of_a_process_is_read():
    before, own = measured.seconds_of(os.getpid()), time.process_time()
    while time.process_time() - own < 0.1:
        sum(range(1000))
    spent = measured.seconds_of(os.getpid()) - before
    assert 0.1 - 3 / measured.CLOCK <= spent <= time.process_time() - own + 3 / measured.CLOCK
