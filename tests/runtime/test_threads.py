"""Threads: eight on one model, and those of a host in place of the library's own."""

from __future__ import annotations

import ctypes
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.runtime.library import both, rr, same
from tests.support.made.blendshapes import random_rig, random_weights
from tests.support.made.kinds import KINDS, MAKERS, poses_of
from tests.support.made.models import random_body

library, structures = rr._library, rr._structures
THREADS = 8


def at_once(work) -> list:
    """What eight threads return that begin together."""
    barrier = threading.Barrier(THREADS)

    def begin(index):
        barrier.wait()
        return [work(index) for _ in range(5)]

    with ThreadPoolExecutor(THREADS) as pool:
        return [found for row in pool.map(begin, range(THREADS)) for found in row]


@pytest.mark.parametrize("kind", KINDS)
def test_eight_threads_evaluate_one_model(kind, tmp_path):
    _, own = both(MAKERS[kind](), tmp_path)
    poses = poses_of(own, THREADS)
    expected = own.evaluate(poses, threads=1)
    for index, found in enumerate(at_once(lambda index: own.evaluate(poses[index]))):
        same(found, expected[index // 5])


def test_eight_threads_share_a_session(tmp_path):
    _, own = both(random_body(), tmp_path)
    poses, session = poses_of(own, THREADS), own.session()
    expected = own.evaluate(poses)
    for index, found in enumerate(at_once(lambda index: session.evaluate(poses[index]))):
        same(found, expected[index // 5])


def test_eight_threads_solve_with_one_solver(tmp_path):
    _, own = both(random_rig(), tmp_path)
    solver, inverse, crowd = rr.Solver(own, [3, 5]), rr.InverseRig(own), rr.Crowd(own, random_weights(own, THREADS))
    shots = own.evaluate(random_weights(own, THREADS))

    def work(index):
        shot = shots[index]
        return solver.solve(shot[[3, 5]]).poses, inverse.solve(shot, alpha=0.01).weights, crowd.evaluate(0, index)

    alone = [work(index) for index in range(THREADS)]
    for index, found in enumerate(at_once(work)):
        for one, other in zip(found, alone[index // 5], strict=True):
            same(one, other)


def test_sentences_are_those_of_the_thread(tmp_path):
    _, own = both(random_rig(), tmp_path)

    def work(index):
        with pytest.raises(rr.ArgumentError) as caught:
            own.restricted([1000 + index])
        return str(caught.value)

    for index, sentence in enumerate(at_once(work)):
        assert str(1000 + index // 5) in sentence


WORK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@pytest.fixture
def host_threads():
    """Makes the library use threads of this test; the list of what they were asked for."""
    asked: list[int] = []

    def run(user, calls, work, data):
        asked.append(calls)
        threads = [threading.Thread(target=WORK(work), args=(data,)) for _ in range(calls)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    callback = structures.CALLS_WORK(run)
    library.call("set_scheduler", callback, None)
    yield asked
    library.call("set_scheduler", ctypes.cast(None, structures.CALLS_WORK), None)


def test_threads_of_the_host_give_the_same_bytes(tmp_path, host_threads):
    model, own = both(random_body(num_vertices=500), tmp_path)
    poses = np.repeat(poses_of(own, 4), 16, axis=0)
    same(own.evaluate(poses, threads=4), model.evaluate(poses))
    assert host_threads
    assert max(host_threads) <= 4
