"""Rigs that are slow, fail or misbehave at a chosen channel row, and a command that samples one of them."""

import ctypes
import json
import os
import signal
import sys
import time

import numpy as np

import rigcast as rc
from rigcast.sampling._store.manifest import manifest_hash
from tests.support.characters.cylinder import CylinderRig

SMALL = {"count": 50, "seed": 7, "probe": 2, "shard_rows": 16}


def small_rig():
    return CylinderRig(3, rings=6, sides=5)


class At(CylinderRig):
    """A cylinder that calls ``act(poses, vertices)`` on every batch that holds the channel row ``row``."""

    def __init__(self, row, act):
        super().__init__(3, rings=6, sides=5)
        self.row, self.act = row, act

    def sample(self, channels):
        answer = super().sample(channels)
        if (channels == self.row).all(axis=1).any() and len(channels) > 1:
            return self.act(*answer)
        return answer


class Slow(CylinderRig):
    """A cylinder that takes ``seconds`` for every batch but its first ``quick`` ones.

    Negative seconds: in C code that lets no Python thread run.
    """

    def __init__(self, seconds, quick=0):
        super().__init__(3, rings=6, sides=5)
        self.seconds, self.quick = seconds, quick

    def sample(self, channels):
        self.quick -= 1
        if self.quick >= 0:
            pass
        elif self.seconds < 0:
            ctypes.PyDLL(None).usleep(int(-1e6 * self.seconds))
        else:
            time.sleep(self.seconds)
        return super().sample(channels)


class Stubborn(Slow):
    """A rig that hangs for a minute and cannot be asked to end."""

    def sample(self, channels):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        return super().sample(channels)


class Host(CylinderRig):
    """A rig that drives a host: it can only be used in the process that opened it, and notes opening and closing."""

    def __init__(self, log):
        super().__init__(3, rings=6, sides=5)
        self.log, self.process = log, os.getpid()
        self.note("open")

    def note(self, text):
        with open(self.log, "a") as stream:
            stream.write(f"{text} {os.getpid()}\n")

    def for_worker(self):
        return Host(self.log)

    def close(self):
        self.note("close")

    def sample(self, channels):
        assert os.getpid() == self.process
        return super().sample(channels)


def write_manifest(folder, manifest):
    """Write a manifest whose hash is right, so that the checks behind the hash are reached."""
    manifest = {**manifest, "hash": manifest_hash(manifest)}
    (folder / "manifest.json").write_text(json.dumps(manifest))


if __name__ == "__main__":
    # path, workers, seconds a batch, platform to play, quick batches: print a line for every finished shard
    path, workers, seconds, sys.platform = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    rig = Slow(seconds, quick=int(sys.argv[5]))

    def show(report):
        print(report.stage, report.done, flush=True)

    ds = rc.sampling.sample(rig, path, **SMALL, workers=workers, progress=show)
    print("finished", ds.hash, np.__version__)


def raising(error):
    """For `At`: raises instead of answering."""

    def act(poses, vertices):
        raise error

    return act
