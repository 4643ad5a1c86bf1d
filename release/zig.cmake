# Compiles for glibc 2.28, which every Linux of the last years has, by Zig's Clang (PyPI: ziglang) with its own libc++
# inside: -DCMAKE_TOOLCHAIN_FILE=release/zig.cmake. RIGCAST_ZIG: a Python that has the wheel. RIGCAST_ZIG_TARGET: the
# processor and system, x86_64-linux-gnu.2.28 or aarch64-linux-gnu.2.28.
set(RIGCAST_ZIG python3 CACHE FILEPATH "A Python with the wheel ziglang")
set(RIGCAST_ZIG_TARGET x86_64-linux-gnu.2.28 CACHE STRING "Processor and system")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RIGCAST_ZIG RIGCAST_ZIG_TARGET)
string(REGEX MATCH "^[^-]+" processor "${RIGCAST_ZIG_TARGET}")
if(NOT CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL processor)
  set(CMAKE_SYSTEM_NAME Linux)  # programs of the target do not run here; else a Python of this machine tells its headers
  set(CMAKE_SYSTEM_PROCESSOR "${processor}")
endif()
set(RIGCAST_SYSTEM_HEADERS OFF CACHE BOOL "")
execute_process(COMMAND "${RIGCAST_ZIG}" -m ziglang version OUTPUT_VARIABLE zig_version OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)  # a word of all commands: objects of another version are compiled anew
# Zig's defaults: debug information, frame pointers. Without vector instructions Highway has two forms, one of which GCC
# 12 does not compile: the other is smaller, and gives its bytes.
set(CMAKE_CXX_FLAGS "-DRIGCAST_ZIG_VERSION=${zig_version} -DHWY_BROKEN_EMU128=1 -g0 -fomit-frame-pointer" CACHE STRING "" FORCE)
set(CMAKE_MODULE_LINKER_FLAGS "-s" CACHE STRING "" FORCE)

# CMake wants compilers and archivers that are programs.
foreach(tool c++ cc ar ranlib)
  set(arguments ${tool})
  if(tool MATCHES "^c")
    set(arguments "${tool} -target ${RIGCAST_ZIG_TARGET}")
  endif()
  set(program "${CMAKE_BINARY_DIR}/zig-${tool}")
  file(CONFIGURE OUTPUT "${program}" @ONLY
    CONTENT "#!/bin/sh\nexec \"${RIGCAST_ZIG}\" -m ziglang ${arguments} \"$@\"\n")  # written if it differs
  file(CHMOD "${program}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
set(CMAKE_C_COMPILER "${CMAKE_BINARY_DIR}/zig-cc")
set(CMAKE_CXX_COMPILER "${CMAKE_BINARY_DIR}/zig-c++")
set(CMAKE_AR "${CMAKE_BINARY_DIR}/zig-ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${CMAKE_BINARY_DIR}/zig-ranlib" CACHE FILEPATH "")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
