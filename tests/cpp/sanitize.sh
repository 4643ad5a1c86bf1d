# Sourced by ./run sanitize: the tests of the extension under AddressSanitizer and UndefinedBehaviorSanitizer,
# then the C++ checks of threads under ThreadSanitizer.
preset asan
overlay asan
# Leaks of the interpreter itself are not ours to report; the C++ checks look for leaks on their own.
say "tests under AddressSanitizer and UndefinedBehaviorSanitizer ..."
env PYTHONPATH="$root/build/asan/python:$root/python" RIGCAST_LIBRARY="$root/build/asan/bindings/c/librigcast.so.1" \
    LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=0 UBSAN_OPTIONS=print_stacktrace=1 \
    "$venv/bin/python" -m pytest -q -p no:cacheprovider \
    tests/core tests/rig tests/linalg tests/mesh tests/optimize tests/metrics tests/baselines tests/body tests/inverse \
    tests/crowd tests/transfer tests/packing tests/face tests/differential tests/ik tests/synthesis tests/runtime tests/cuda
ctest --test-dir build/asan --output-on-failure
preset tsan
say "threads under ThreadSanitizer ..."
ctest --test-dir build/tsan --output-on-failure
