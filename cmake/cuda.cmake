# Decides if the CUDA extension is built. If not, RIGCAST_CUDA_FAULT is the reason, which `rigcast doctor` prints; else
# it is empty. A build without nvcc is a full CPU build.
set(RIGCAST_CUDA_FAULT "")
if(NOT RIGCAST_CUDA)
  set(RIGCAST_CUDA_FAULT "switched off when building")
  return()
endif()

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  file(GLOB toolkits LIST_DIRECTORIES true /usr/local/cuda-*)
  list(SORT toolkits COMPARE NATURAL ORDER DESCENDING)
  find_program(RIGCAST_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda ${toolkits} PATH_SUFFIXES bin)
  if(NOT RIGCAST_NVCC)
    set(RIGCAST_CUDA_FAULT "nvcc not found when building")
    message(STATUS "CUDA extension: not built, nvcc not found")
    return()
  endif()
  set(ENV{CUDACXX} ${RIGCAST_NVCC})  # else CMake would not test this compiler before using it
endif()

# Machine code for one architecture per generation, from the first with matrix units for bfloat16 and float64 on; PTX of
# the oldest and the newest for those between and after.
set(RIGCAST_CUDA_ARCHITECTURES 80;86-real;89-real;90-real;100-real;120
    CACHE STRING "GPU architectures of the CUDA extension, oldest first")
set(CMAKE_CUDA_ARCHITECTURES ${RIGCAST_CUDA_ARCHITECTURES})
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  set(RIGCAST_CUDA_FAULT "nvcc found but not usable when building")
  message(STATUS "CUDA extension: not built, nvcc does not work with this compiler")
  return()
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
  set(RIGCAST_CUDA_FAULT "nvcc ${CMAKE_CUDA_COMPILER_VERSION} found when building, 13.0 or newer is needed")
  message(STATUS "CUDA extension: not built, nvcc is ${CMAKE_CUDA_COMPILER_VERSION}")
  return()
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
string(APPEND CMAKE_CUDA_FLAGS " --expt-relaxed-constexpr")  # kernels call std::bit_cast, else wrong there without an error
# The runtime is linked statically, or with Shared comes from the wheel nvidia-cuda-runtime. It loads the driver at its
# first use: importing the extension needs none.
set(RIGCAST_CUDA_RUNTIME Static CACHE STRING "How the CUDA runtime is linked: Static or Shared")
set(CMAKE_CUDA_RUNTIME_LIBRARY ${RIGCAST_CUDA_RUNTIME})
list(GET RIGCAST_CUDA_ARCHITECTURES 0 RIGCAST_CUDA_OLDEST)
string(REGEX MATCH "^[0-9]+" RIGCAST_CUDA_OLDEST "${RIGCAST_CUDA_OLDEST}")
message(STATUS "CUDA extension: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${RIGCAST_CUDA_ARCHITECTURES}")
include(cmake/cuda_libraries.cmake)
