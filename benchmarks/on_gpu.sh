#!/usr/bin/env bash
# What only a GPU can show, in one go: the tests of the kernels, every table of docs/benchmarks/gpu.md, the shapes of blocks.
#
#   benchmarks/on_gpu.sh run OUT                on a machine with an NVIDIA GPU, after cmake --preset cuda and its build
#   benchmarks/on_gpu.sh pack PYTHON FOLDER     elsewhere: the extensions and pytest for a PYTHON, into FOLDER (some 30 MB)
#   benchmarks/on_gpu.sh run OUT FOLDER         there, with python3: for a machine that reaches no registry
#
# Every step has a limit, the next one runs whatever became of it, and OUT has what each printed; the page is written in
# place. Needs NumPy there, pytest and hypothesis too where nothing was packed; PyTorch, CuPy and JAX are measured beside
# ours where they are installed.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { sed -n '2,11s/^# \{0,1\}//p' "$0"; }

pack() {
    local python=$1 folder
    mkdir -p "$2"
    folder=$(cd "$2" && pwd)
    "$python" -c 'import numpy, pybind11' || { echo "on_gpu: $python needs numpy and pybind11" >&2; exit 2; }
    cmake -S . -B build/packed -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE="$(command -v "$python")" \
        -DRIGCAST_OUTPUT="$folder" -DRIGCAST_CUDA=ON -DRIGCAST_CUDA_ARCHITECTURES="${ARCHITECTURES:-90}" \
        -DRIGCAST_CHECKS=ON -DRIGCAST_CHOLMOD=OFF -DRIGCAST_C=OFF
    cmake --build build/packed --target _core _cuda _cuda_operations
    cp build/packed/emulation/_cuda_operations*.so "$folder"
    "$python" -m pip install -q --upgrade --target "$folder/packages" --no-compile pytest hypothesis
    du -sh "$folder"
}

run() {
    local out=$1 folder=${2:-} failed=0
    mkdir -p "$out" build/cuda/emulation
    if [ -n "$folder" ]; then
        cp "$folder"/_core*.so "$folder"/_cuda.*.so python/rigcast/
        cp "$folder"/_cuda_operations*.so build/cuda/emulation/
    fi
    export PYTHONPATH=$PWD/python:$PWD${folder:+:$(cd "$folder" && pwd)/packages} PYTHONUNBUFFERED=1
    # step NAME SECONDS COMMAND...
    step() {
        local name=$1 seconds=$2 status=0
        shift 2
        timeout "$seconds" "$@" >"$out/$name.txt" 2>&1 || status=$?
        echo "$name: status $status; $(tail -n 1 "$out/$name.txt")"
        [ "$status" = 0 ] || failed=1
    }
    step doctor 60 python3 -m rigcast doctor
    step tests 480 python3 -m pytest -q -p no:cacheprovider -m gpu tests/cuda tests/crowd
    step tables 600 python3 -m benchmarks.cuda_all --figures "$out/figures.json"
    step tiles 120 python3 -m benchmarks.systems.cuda.tiles
    cp docs/benchmarks/gpu.md "$out/gpu.md"
    return $failed
}

case "${1:-}:$#" in
pack:3) pack "$2" "$3" ;;
run:2 | run:3) run "${@:2}" ;;
-h:1 | --help:1) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
