"""A program that behaves as ``rigcast ... --piped --json``: progress, a result, an error, or work until stdin ends."""

import json
import os
import sys
import time

command, folder = sys.argv[1], sys.argv[2]


def record(done, total, message=""):
    print(json.dumps({"stage": command, "done": done, "total": total, "message": message}), file=sys.stderr, flush=True)


if command == "count":
    for done in range(6):
        record(done, 5, "error 0.5 mm, 0:03 left")
        time.sleep(0.05)
    print(json.dumps({"private": [name for name in ("PYTHONPATH", "PYTHONHOME") if name in os.environ]}))
elif command == "fail":
    print(json.dumps({"error": "path is no rig; it must be one", "exit_code": 2}))
    sys.exit(2)
elif command == "crash":
    print("Segmentation fault", file=sys.stderr)
    sys.exit(139)
else:
    record(0, 0)
    with open(os.path.join(folder, "pid"), "w") as file:
        file.write(str(os.getpid()))
    while command == "deaf":
        time.sleep(0.1)
    sys.stdin.read()
    with open(os.path.join(folder, "ended"), "w") as file:
        file.write("by stdin")
