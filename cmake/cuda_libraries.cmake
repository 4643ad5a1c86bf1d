# cuBLAS and cuSPARSE for the CUDA extension, from a toolkit or from the wheels nvidia-cublas and nvidia-cusparse of the
# Python in use. RIGWRIGHT_CUDA_LIBRARIES_SOURCE is what implements cpp/rigwright/cuda/libraries/libraries.h.
if(NOT RIGWRIGHT_CUDA_LIBRARIES)
  set(RIGWRIGHT_CUDA_LIBRARIES_SOURCE libraries/missing.cpp)
  return()
endif()
set(RIGWRIGHT_CUDA_LIBRARIES_SOURCE libraries/nvidia.cu)

set(roots ${RIGWRIGHT_CUDA_LIBRARIES_ROOT})
find_package(Python COMPONENTS Interpreter)
if(Python_EXECUTABLE)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('purelib'))"
    OUTPUT_VARIABLE site OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND roots ${site}/nvidia/cu13)
endif()
string(REGEX MATCH "^[0-9]+" cuda_major "${CMAKE_CUDA_COMPILER_VERSION}")

# rigwright_cuda_library(NAME HEADER VERSION): the target nvidia::NAME. Wheels have only libNAME.so.VERSION.
function(rigwright_cuda_library name header version)
  find_path(RIGWRIGHT_${name}_INCLUDE ${header} HINTS ${roots} ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES} PATH_SUFFIXES include)
  cmake_path(GET RIGWRIGHT_${name}_INCLUDE PARENT_PATH root)
  find_library(RIGWRIGHT_${name}_LIBRARY NAMES ${name} lib${name}.so.${version}
    HINTS ${root} ${roots} ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES} PATH_SUFFIXES lib lib64 targets/x86_64-linux/lib)
  if(NOT RIGWRIGHT_${name}_INCLUDE OR NOT RIGWRIGHT_${name}_LIBRARY)
    message(FATAL_ERROR "RIGWRIGHT_CUDA_LIBRARIES is ON, but ${header} or lib${name} ${version} is not found in the CUDA "
      "toolkit, in ${roots}, or where RIGWRIGHT_CUDA_LIBRARIES_ROOT says: pip install \"nvidia-cublas==${cuda_major}.*\" "
      "\"nvidia-cusparse==12.*\"")
  endif()
  add_library(nvidia::${name} SHARED IMPORTED GLOBAL)
  set_target_properties(nvidia::${name} PROPERTIES IMPORTED_LOCATION ${RIGWRIGHT_${name}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${RIGWRIGHT_${name}_INCLUDE})
  message(STATUS "CUDA extension: ${RIGWRIGHT_${name}_LIBRARY}")
endfunction()
rigwright_cuda_library(cublas cublas_v2.h ${cuda_major})
rigwright_cuda_library(cusparse cusparse.h 12)
cmake_path(GET RIGWRIGHT_cublas_LIBRARY PARENT_PATH RIGWRIGHT_CUDA_LIBRARIES_FOLDER)
