#!/usr/bin/env bash
# The C and C++ libraries as other projects get them: package.sh BUILD installs a build into BUILD/install, builds and
# runs examples/cpp, examples/c and examples/unreal against it in a fresh folder, and examples/csharp and examples/unity
# if a compiler of C# is there, compiles each installed header alone and carries shapes to another face (package/), and configures the
# project in subfolder/.
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

# The C library: by find_package, by the flags of a Makefile, in C++ as a host has it, and in C#.
for example in c unreal; do
    cmake -G Ninja -S "examples/$example" -B "$fresh/$example" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$installed"
    cmake --build "$fresh/$example"
done
"$fresh/c/evaluate" "$fresh/rig.safetensors"
# The component c alone needs no CHOLMOD.
cmake -G Ninja -S examples/c -B "$fresh/c_alone" -DCMAKE_PREFIX_PATH="$installed" -DCMAKE_DISABLE_FIND_PACKAGE_CHOLMOD=ON
cmake --build "$fresh/c_alone"
"$fresh/unreal/run_stand_ins" "$fresh/rig.safetensors" 6 1 > "$fresh/unreal.txt"
[ "$(grep -c '^v' "$fresh/unreal.txt")" = 200 ]
cc -std=c99 -Wall -Wextra -Werror -pedantic -I "$installed/include" examples/c/evaluate.c \
    -L "$installed/lib" -lrigcast -o "$fresh/evaluate"
export LD_LIBRARY_PATH=$installed/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
"$fresh/evaluate" "$fresh/rig.safetensors" 8
if "$fresh/evaluate" "$fresh/motion.f32"; then exit 1; fi  # no model: a sentence, and an exit code
if command -v mcs >/dev/null; then
    mcs -warnaserror -out:"$fresh/Unity.exe" examples/csharp/Rigcast.cs examples/unity/*.cs
    mono "$fresh/Unity.exe" "$fresh/rig.safetensors" 6 1 > "$fresh/unity.txt"
    [ "$(grep -c '^v' "$fresh/unity.txt")" = 200 ]
else
    echo "no mcs (mono-mcs): examples/csharp and examples/unity are not compiled"
fi

cmake -G Ninja -S tests/cpp/package -B "$fresh/package" -DCMAKE_PREFIX_PATH="$installed"
cmake --build "$fresh/package"
"$fresh/package/transfer_shapes"
cmake -G Ninja -S tests/cpp/subfolder -B "$fresh/subfolder"
