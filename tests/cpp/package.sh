#!/usr/bin/env bash
# The C++ library as other projects get it: package.sh BUILD installs a build into BUILD/install, builds and runs
# examples/cpp against it in a fresh folder, compiles each installed header alone and carries shapes to another face
# (package/), and configures the project in subfolder/.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/$1
installed=$build/install
fresh=$build/consumers
rm -rf "$installed" "$fresh"

cmake --install "$build" --prefix "$installed"
cmake -G Ninja -S examples/cpp -B "$fresh/examples" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$installed"
cmake --build "$fresh/examples"
"$fresh/examples/invert_shot" "$fresh/rig.safetensors"
"$fresh/examples/load_and_evaluate" "$fresh/rig.safetensors"
head -c 1680 /dev/zero > "$fresh/motion.f32"  # 70 frames of 6 weights
"$fresh/examples/play_motion" "$fresh/rig.safetensors" "$fresh/motion.f32" "$fresh/motion.pc2"
[ "$(stat -c %s "$fresh/motion.pc2")" = $((32 + 70 * 200 * 12)) ]
cmake -G Ninja -S tests/cpp/package -B "$fresh/package" -DCMAKE_PREFIX_PATH="$installed"
cmake --build "$fresh/package"
"$fresh/package/transfer_shapes"
cmake -G Ninja -S tests/cpp/subfolder -B "$fresh/subfolder"
