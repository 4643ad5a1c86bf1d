# Finds the headers of Highway: HWY_INCLUDE_DIR, hwy_FOUND. They are the system's (Debian: libhwy-dev), or those in
# bundled/, which a source distribution has; with RIGCAST_SYSTEM_HEADERS=OFF these alone. Nothing of its library is
# linked: cpp/rigcast/core/dispatch.h chooses among the kernels.
if(RIGCAST_SYSTEM_HEADERS)
  find_path(HWY_INCLUDE_DIR hwy/highway.h HINTS "${PROJECT_SOURCE_DIR}/bundled/highway")
else()
  find_path(HWY_INCLUDE_DIR hwy/highway.h PATHS "${PROJECT_SOURCE_DIR}/bundled/highway" NO_DEFAULT_PATH)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(hwy REQUIRED_VARS HWY_INCLUDE_DIR)
mark_as_advanced(HWY_INCLUDE_DIR)
