#!/usr/bin/env bash
# The engine on ARM: arm.sh [BUILD] [NATIVE] compiles checks of networks, bodies and blendshapes for AArch64 (NEON
# kernels), runs them under QEMU, and compares models of all kinds with what they are in NATIVE (default build/main), a
# build for this machine with the C++ checks, within rounding of float32. BUILD (default build/arm) gets Highway, Eigen
# and the JSON library from Debian's packages; the system stays as it is. Needs the Debian packages
# g++-aarch64-linux-gnu and qemu-user; exits with 77 without them.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/arm}
native=$(cd "${2:-build/main}" && pwd)
mkdir -p "$build"
build=$(cd "$build" && pwd)
for tool in aarch64-linux-gnu-g++ qemu-aarch64 apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || { echo "no $tool: nothing is checked on ARM"; exit 77; }
done

# Package lists of both machines, apart from the system's.
root=$build/root
if [ ! -e "$root/usr/include/hwy/highway.h" ]; then
    mkdir -p "$build/apt/lists/partial" "$build/apt/archives/partial" "$root"
    cat >"$build/apt/apt.conf" <<CONF
APT::Architectures { "$(dpkg --print-architecture)"; "arm64"; };
APT::Sandbox::User "root";
Dir::State::Lists "$build/apt/lists";
Dir::Cache "$build/apt";
CONF
    export APT_CONFIG=$build/apt/apt.conf
    apt-get update -q
    (cd "$build/apt" && apt-get download -q libhwy-dev:arm64 libeigen3-dev nlohmann-json3-dev)
    for package in "$build"/apt/*.deb; do dpkg-deb -x "$package" "$root"; done
fi

cat >"$build/toolchain.cmake" <<CMAKE
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH "$root")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;/usr/aarch64-linux-gnu")
CMAKE
# -O1: compiling takes longer than the checks.
cmake -G Ninja -S . -B "$build/aarch64" -DCMAKE_TOOLCHAIN_FILE="$build/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DRIGCAST_CUDA=OFF -DRIGCAST_PYTHON=OFF -DRIGCAST_CHOLMOD=OFF -DRIGCAST_CHECKS=ON
emulated() { qemu-aarch64 -L /usr/aarch64-linux-gnu "$build/aarch64/tests/cpp/$1" "${@:2}"; }
# Not check_tanh, whose millions of numbers take an hour under QEMU: check_dense has layers with tanh.
for program in check_storage check_dense check_derivatives; do
    cmake --build "$build/aarch64" --target "$program"
    echo "$program:"
    emulated "$program"
done

cmake --build "$build/aarch64" --target check_machines
native=$native/tests/cpp/check_machines
"$native" write "$build/models"
"$native" evaluate "$build/models" "$build/native.f32"
emulated check_machines agree "$build/models" "$build/native.f32"
