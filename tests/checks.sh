# Sourced by ./run check: what takes longer than ./run test; its arguments choose notebooks.

# The C++ checks on ARM, where a cross compiler and QEMU are at hand.
on_arm() {
    if ! command -v aarch64-linux-gnu-g++ >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
        say "no g++-aarch64-linux-gnu or no qemu-user: nothing is checked on ARM"
        return 0
    fi
    step "C++ checks on ARM" bash tests/cpp/arm.sh build/arm "$build"
}

shown "long tests" tests_in "$blender_venv" -m long
shown "all tests, NumPy 1" tests_in "$blender_venv"
step "mypy with NumPy 1" "$venv/bin/mypy" --python-executable "$blender_venv/bin/python"
step "every source file by itself" bash tests/cpp/each_file.sh build/each
preset checked
overlay checked
step "C++ checks with checked indices" ctest --test-dir build/checked --output-on-failure
shown "tests with checked indices" env PYTHONPATH="$root/build/checked/python:$root/python" \
    RIGCAST_LIBRARY="$root/build/checked/bindings/c/librigcast.so.1" "$venv/bin/python" -m pytest -q \
    tests/runtime tests/rig tests/linalg tests/mesh tests/optimize tests/body tests/inverse tests/transfer tests/face tests/differential tests/ik
on_arm
shown "damaged files, five minutes" "$venv/bin/python" -m tests.fuzz --seconds 300
shown "notebooks" "$blender_venv/bin/python" notebooks/execute.py --check "$@"
