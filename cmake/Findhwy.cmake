# Finds Highway (Debian: libhwy-dev), also if it has no CMake package of its own: target hwy::hwy, variable hwy_FOUND.
find_path(HWY_INCLUDE_DIR hwy/highway.h)
find_library(HWY_LIBRARY_FILE NAMES libhwy.a hwy)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(hwy REQUIRED_VARS HWY_LIBRARY_FILE HWY_INCLUDE_DIR)
mark_as_advanced(HWY_INCLUDE_DIR HWY_LIBRARY_FILE)

if(hwy_FOUND AND NOT TARGET hwy::hwy)
  add_library(hwy::hwy UNKNOWN IMPORTED)
  set_target_properties(hwy::hwy PROPERTIES
    IMPORTED_LOCATION "${HWY_LIBRARY_FILE}"
    INTERFACE_INCLUDE_DIRECTORIES "${HWY_INCLUDE_DIR}")
endif()
