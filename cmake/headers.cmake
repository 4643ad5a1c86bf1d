# Headers that the engine is compiled with and that nobody needs afterwards: Eigen, the JSON library and Highway. They are
# the system's, or, where it has none or RIGCAST_SYSTEM_HEADERS is OFF (a compiler for another system), those of the
# Python wheels cmeel-eigen and nlohmann-json, and Highway's in bundled/, which a source distribution has.
# RIGCAST_HEADERS_PYTHON: the Python with those wheels, where extensions are compiled for another one.
option(RIGCAST_SYSTEM_HEADERS "Use the headers of Eigen, nlohmann-json and Highway that the system has" ON)
if(EMSCRIPTEN)
  # The system's folder of headers would mix in those of its C library: links to what is needed of it.
  set(headers "${PROJECT_BINARY_DIR}/headers")
  file(MAKE_DIRECTORY "${headers}")
  foreach(folder eigen3 nlohmann hwy)
    if(NOT IS_DIRECTORY "/usr/include/${folder}")
      message(FATAL_ERROR "No /usr/include/${folder}: install libeigen3-dev nlohmann-json3-dev libhwy-dev")
    endif()
    file(CREATE_LINK "/usr/include/${folder}" "${headers}/${folder}" SYMBOLIC)
  endforeach()
  set(HWY_INCLUDE_DIR "${headers}")
  foreach(target Eigen3::Eigen nlohmann_json::nlohmann_json)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} INTERFACE "${headers}" "${headers}/eigen3")
  endforeach()
elseif(RIGCAST_SYSTEM_HEADERS)
  find_package(Eigen3 3.4 QUIET NO_MODULE)
  find_package(nlohmann_json 3.10 QUIET)
endif()

# rigcast_wheel_headers(TARGET WHEEL MODULE FOLDER): the target with the headers of a wheel, which lie in a folder
# relative to that of its Python module.
function(rigcast_wheel_headers target wheel module folder)
  if(TARGET ${target})
    return()
  endif()
  if(RIGCAST_HEADERS_PYTHON)
    set(python "${RIGCAST_HEADERS_PYTHON}")
  else()
    find_package(Python QUIET COMPONENTS Interpreter)
    set(python "${Python_EXECUTABLE}")
  endif()
  execute_process(COMMAND "${python}" -c
    "import importlib.util, os; print(os.path.dirname(importlib.util.find_spec('${module}').origin))"
    OUTPUT_VARIABLE home OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(home STREQUAL "" OR NOT IS_DIRECTORY "${home}/${folder}")
    message(FATAL_ERROR "The headers of ${target} are not found: install them (Debian: libeigen3-dev nlohmann-json3-dev), "
      "or the wheel ${wheel} into the environment of ${python}")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE "${home}/${folder}")
endfunction()
rigcast_wheel_headers(Eigen3::Eigen cmeel-eigen cmeel ../cmeel.prefix/include/eigen3)
rigcast_wheel_headers(nlohmann_json::nlohmann_json nlohmann-json nlohmann_json include)
find_package(hwy REQUIRED MODULE)
