"""Runs a trainer that behaves in several ways, and tells what the work of the add-on made of it."""

import os
import sys
import time

import start

start.enable()

import bpy
from rigcast_blender.jobs import running, trainer

BEGIN = [sys.executable, str(start.HERE / "trainer.py")]
CURRENT = running.CURRENT


def work(command):
    return trainer.run(BEGIN, [command, str(start.FOLDER)], start.FOLDER, command)


def to_the_end(command):
    """What all progress was, and the result or the error."""
    seen, steps = [], work(command)
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as end:
            return seen, end.value
        except running.JobError as error:
            return seen, str(error)
        time.sleep(0.02)


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def begun(command):
    """The process of a command that does not end by itself."""
    (start.FOLDER / "pid").unlink(missing_ok=True)
    CURRENT.begin("Test", work(command))
    while not (start.FOLDER / "pid").exists() or not (start.FOLDER / "pid").read_text():
        assert not CURRENT.advance(0.05)
    return int((start.FOLDER / "pid").read_text())


if start.ARGUMENTS == ["die"]:
    begun("wait")
    os.abort()
os.environ["PYTHONHOME"] = os.environ["PYTHONPATH"] = "/nowhere"
seen, result = to_the_end("count")
_, failed = to_the_end("fail")
_, crashed = to_the_end("crash")
try:
    trainer.program("/no/such/program")
except running.JobError as error:
    missing = str(error)
process = begun("wait")
while_running = [CURRENT.runs, alive(process)]
CURRENT.end()
ended = [CURRENT.runs, alive(process), (start.FOLDER / "ended").read_text()]
trainer.PATIENCE = 0.2
process = begun("deaf")
CURRENT.end()
killed = not alive(process)
bpy.ops.wm.save_as_mainfile(filepath=str(start.FOLDER / "empty.blend"), check_existing=False)
process = begun("wait")
bpy.ops.wm.open_mainfile(filepath=str(start.FOLDER / "empty.blend"))
loaded = [CURRENT.runs, alive(process)]
start.tell(
    fractions=[progress.fraction for progress in seen],
    text=seen[-1].text,
    result=result,
    failed=failed,
    crashed=crashed,
    missing=missing,
    while_running=while_running,
    ended=ended,
    killed=killed,
    loaded=loaded,
)
