# Finds the headers of Highway (Debian: libhwy-dev; a source distribution brings them): HWY_INCLUDE_DIR, hwy_FOUND.
# Nothing of its library is linked: cpp/rigcast/core/dispatch.h chooses among the kernels.
find_path(HWY_INCLUDE_DIR hwy/highway.h HINTS "${PROJECT_SOURCE_DIR}/bundled/highway")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(hwy REQUIRED_VARS HWY_INCLUDE_DIR)
mark_as_advanced(HWY_INCLUDE_DIR)
