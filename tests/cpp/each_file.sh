#!/usr/bin/env bash
# Every source file of the engine by itself: each_file.sh [BUILD] checks that it includes what it needs and has no warning
# of its own, which files that are compiled together do not show. BUILD (default build/each) holds a configuration only.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/each}
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DRIGCAST_UNITY=OFF -DRIGCAST_CUDA=OFF -DRIGCAST_WERROR=ON \
    -DRIGCAST_CHECKS=ON -DRIGCAST_OUTPUT="$PWD/$build/python/rigcast"
python3 - "$build" <<'PY'
import json, os, shlex, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

commands = json.load(open(f"{sys.argv[1]}/compile_commands.json"))

def check(entry):
    words = [word for word in shlex.split(entry["command"]) if not word.endswith("ccache")]
    words[words.index("-o") : words.index("-o") + 2] = ["-fsyntax-only"]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, flush=True)
    return done.returncode == 0

with ThreadPoolExecutor(os.cpu_count()) as pool:
    right = list(pool.map(check, commands))
print(f"{sum(right)} of {len(right)} files are right by themselves")
sys.exit(not all(right))
PY
