# cuBLAS and cuSPARSE for the CUDA extension, from a toolkit or from the wheels nvidia-cublas and nvidia-cusparse of the
# Python in use. RIGCAST_CUDA_LIBRARIES_SOURCE is what implements cpp/rigcast/cuda/libraries/libraries.h.
if(NOT RIGCAST_CUDA_LIBRARIES)
  set(RIGCAST_CUDA_LIBRARIES_SOURCE libraries/missing.cpp)
  return()
endif()
set(RIGCAST_CUDA_LIBRARIES_SOURCE libraries/nvidia.cu)

set(roots ${RIGCAST_CUDA_LIBRARIES_ROOT})
find_package(Python COMPONENTS Interpreter)
if(Python_EXECUTABLE)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('purelib'))"
    OUTPUT_VARIABLE site OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND roots ${site}/nvidia/cu13)
endif()
string(REGEX MATCH "^[0-9]+" cuda_major "${CMAKE_CUDA_COMPILER_VERSION}")

# rigcast_cuda_library(NAME HEADER VERSION): the target nvidia::NAME. Wheels have only libNAME.so.VERSION.
function(rigcast_cuda_library name header version)
  find_path(RIGCAST_${name}_INCLUDE ${header} HINTS ${roots} ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES} PATH_SUFFIXES include)
  cmake_path(GET RIGCAST_${name}_INCLUDE PARENT_PATH root)
  find_library(RIGCAST_${name}_LIBRARY NAMES ${name} lib${name}.so.${version}
    HINTS ${root} ${roots} ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES} PATH_SUFFIXES lib lib64 targets/x86_64-linux/lib)
  if(NOT RIGCAST_${name}_INCLUDE OR NOT RIGCAST_${name}_LIBRARY)
    message(FATAL_ERROR "RIGCAST_CUDA_LIBRARIES is ON, but ${header} or lib${name} ${version} is not found in the CUDA "
      "toolkit, in ${roots}, or where RIGCAST_CUDA_LIBRARIES_ROOT says: pip install \"nvidia-cublas==${cuda_major}.*\" "
      "\"nvidia-cusparse==12.*\"")
  endif()
  add_library(nvidia::${name} SHARED IMPORTED GLOBAL)
  set_target_properties(nvidia::${name} PROPERTIES IMPORTED_LOCATION ${RIGCAST_${name}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${RIGCAST_${name}_INCLUDE})
  message(STATUS "CUDA extension: ${RIGCAST_${name}_LIBRARY}")
endfunction()
rigcast_cuda_library(cublas cublas_v2.h ${cuda_major})
rigcast_cuda_library(cusparse cusparse.h 12)
cmake_path(GET RIGCAST_cublas_LIBRARY PARENT_PATH RIGCAST_CUDA_LIBRARIES_FOLDER)
